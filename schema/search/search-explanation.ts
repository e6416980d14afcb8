// The explanation of a search: how many contacts each part of its query finds alone, how fast, and by which indexes.
import { type Explanation, explainSearch } from '../../src/data/search/explain.ts';
import { formatMicros } from '../../src/search/datetime.ts';
import { builder } from '../graph/builder.ts';
import { defineQueryArgument, findQueryFaults, queryArgument, resolveSearchedQuery } from './search-input.ts';

const SearchExplanation = builder.objectRef<Explanation>('SearchExplanation');
SearchExplanation.implement({
  description: 'How many contacts one group or condition of a query finds on its own, and how.',
  fields: (t) => ({
    location: t.exposeString('location', { description: 'Its place in the query; empty for the whole query.' }),
    matches: t.exposeInt('matches', { description: 'How many contacts it finds alone.' }),
    exact: t.exposeBoolean('exact', {
      description: 'Whether the contacts were counted; if not, the number is an estimate of the planner.',
    }),
    milliseconds: t.exposeFloat('milliseconds', { nullable: true, description: 'How long counting them took.' }),
    indexes: t.exposeStringList('indexes', {
      description: 'The indexes that were used; none means that all contacts were read.',
    }),
    parts: t.field({
      type: [SearchExplanation],
      description: 'The same for each of its parts.',
      resolve: ({ parts }) => parts,
    }),
  }),
});

builder.queryField('explainSearch', (t) =>
  t.field({
    type: SearchExplanation,
    extensions: {
      cost: 5,
      check: async ({ query }: { query?: unknown }, { now }) => findQueryFaults(query, now),
    },
    description:
      'For every group and condition of a query: how many contacts it finds alone, how fast, and by which indexes.',
    args: {
      query: defineQueryArgument(t.arg),
      exact: t.arg.boolean({
        defaultValue: true,
        required: true,
        description: 'Whether to count, for up to a few seconds; if not, the numbers are estimates of the planner.',
      }),
    },
    resolve: async (_, { query, exact }, { space, caller, now }) => {
      const { group } = await resolveSearchedQuery(queryArgument, query, { caller, now, space });
      return explainSearch(space, { query: group, now: formatMicros(now), exact });
    },
  }),
);
