// The contacts that a query finds, counted by city, tag, age or month of their last change.
import { z } from 'zod';
import { countFacets, type FacetName, type Facets } from '../../src/data/search/facets.ts';
import { formatMicros } from '../../src/search/datetime.ts';
import { builder, defineEnumValues } from '../graph/builder.ts';
import { shareCount } from '../search/search.ts';
import { defineQueryArgument, findQueryFaults, planQuery, queryArgument } from '../search/search-input.ts';

const ContactFacetBy = builder.enumType('ContactFacetBy', {
  description: 'What contacts are counted by.',
  values: defineEnumValues<FacetName>({
    city: 'The city of their address, the most frequent first.',
    tag: 'Their tags, the most frequent first; a contact counts for each of its tags.',
    age: 'Their age in years at this moment, in groups such as `18-24` and `65+`, the youngest first.',
    month_of_last_change: 'The month in which a user last changed them, in UTC, such as `2026-11`, the latest first.',
  }),
});

const ContactFacetValue = builder.objectRef<Facets['values'][number]>('ContactFacetValue').implement({
  description: 'How many contacts have a value.',
  fields: (t) => ({
    value: t.exposeString('value', { description: 'The value: a city, a tag, a group of ages, a month.' }),
    count: t.exposeInt('count', { description: 'How many of the found contacts have it.' }),
  }),
});

const ContactFacets = builder.objectRef<Facets>('ContactFacets').implement({
  description: 'The contacts that a query finds, counted by one of their values.',
  fields: (t) => ({
    total: t.exposeInt('total', { description: 'How many contacts the query finds.' }),
    withoutValue: t.exposeInt('withoutValue', { description: 'How many of them have no such value.' }),
    distinctValues: t.exposeInt('distinctValues', { description: 'How many values they have between them.' }),
    values: t.field({
      type: [ContactFacetValue],
      description: 'The first of these values, each with its contacts.',
      resolve: ({ values }) => values,
    }),
  }),
});

builder.queryField('contactFacets', (t) =>
  t.field({
    type: ContactFacets,
    extensions: { cost: 2, check: async ({ query }: { query?: unknown }, { now }) => findQueryFaults(query, now) },
    description: 'The contacts that a query finds, counted exactly by city, tag, age or month of their last change.',
    args: {
      query: defineQueryArgument(t.arg),
      by: t.arg({ type: ContactFacetBy, required: true, description: 'What to count them by.' }),
      first: t.arg.int({
        defaultValue: 10,
        required: true,
        description: 'How many values at most, 1 to 50.',
        validate: z.number().int().min(1, 'must be at least 1').max(50, 'must be at most 50'),
      }),
    },
    resolve: async (_, { query, by, first }, context) => {
      const { plan } = await planQuery(context, queryArgument, query);
      const facets = countFacets(context.space, plan, { by, first, now: formatMicros(context.now) });
      shareCount(plan, facets);
      return facets;
    },
  }),
);
