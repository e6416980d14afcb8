// Tells of the search language and of a search: the attributes that the caller may search by, with their kinds and operators, and how a query is carried out.
import type { Context } from '../../src/context.ts';
import { type Explanation, explainSearch } from '../../src/data/search/explain.ts';
import { isPermitted } from '../../src/permissions/authority.ts';
import type { ValueKind } from '../../src/search/attribute.ts';
import { type AttributeName, attributes, getAttribute } from '../../src/search/attributes.ts';
import { formatMicros } from '../../src/search/datetime.ts';
import { getFieldPath, operatorFields } from '../../src/search/field-names.ts';
import { kindRows } from '../../src/search/operand.ts';
import { type Operator, operators } from '../../src/search/operators.ts';
import { isOwnAttribute } from '../../src/search/parse-contact-query.ts';
import { builder, defineEnumValues } from '../graph/builder.ts';
import { getTypeOfId } from '../graph/list-filter.ts';
import { convertToConstant } from '../graph/list-types.ts';
import {
  defineQueryArgument,
  findConditionPermission,
  findQueryFaults,
  queryArgument,
  resolveSearchedQuery,
} from './search-input.ts';

const SearchValueKind = builder.enumType('SearchValueKind', {
  description: 'The kind of the values that an attribute is compared with.',
  values: Object.fromEntries(
    kindRows.map(({ kind, want }) => [
      convertToConstant(kind),
      { value: kind, description: `In the contract's notation: ${want}.` },
    ]),
  ) as Record<string, { value: ValueKind; description: string }>,
});

const SearchOperandForm = builder.enumType('SearchOperandForm', {
  description: 'What an operator takes.',
  values: defineEnumValues({
    nothing: "True or false in the graph, nothing in the contract's notation.",
    value: 'One value.',
    list: 'A list of values.',
    range: 'A beginning and an end, `from` and `to`.',
    period: 'A span of time relative to the request.',
    conditions: 'Conditions that one record satisfies together.',
    place: 'A place. In the graph the field of the attribute takes it, without an operator.',
  }),
});

const SearchOperator = builder.objectRef<Operator>('SearchOperator').implement({
  description: 'An operator that an attribute permits.',
  fields: (t) => ({
    name: t.string({ description: "Its name in the contract's notation, such as `not_eql`.", resolve: (name) => name }),
    field: t.string({
      description: 'Its field in a query of the graph, such as `notEquals`.',
      resolve: (name) => operatorFields[name],
    }),
    negates: t.string({
      nullable: true,
      description: 'The operator that it negates, if it negates one.',
      resolve: (name) => operators[name].negates,
    }),
    takes: t.field({
      type: SearchOperandForm,
      description: 'What it takes.',
      resolve: (name) => operators[name].takes,
    }),
    description: t.string({ description: 'Its meaning.', resolve: (name) => operators[name].doc }),
  }),
});

const SearchAttribute = builder.objectRef<AttributeName>('SearchAttribute').implement({
  description: 'An attribute that contacts can be searched by.',
  fields: (t) => ({
    name: t.string({
      description: "Its name in the contract's notation, such as `address.city`.",
      resolve: (name) => name,
    }),
    path: t.string({
      description: 'Its path of fields in a query of the graph, such as `emails.openedAt`.',
      resolve: (name) => getFieldPath(name),
    }),
    kind: t.field({
      type: SearchValueKind,
      description: 'The kind of its values.',
      resolve: (name) => getAttribute(name).kind,
    }),
    ofRecords: t.boolean({
      description:
        'Whether it is a value of records of which a contact has any number: a condition holds if it holds for one, and so does its negation.',
      resolve: (name) => !isOwnAttribute(name),
    }),
    recordType: t.string({
      nullable: true,
      description: 'The type of the records whose ids it takes, such as `Campaign`; null unless its values are ids.',
      resolve: (name) =>
        getAttribute(name).kind === 'id' ? getTypeOfId(getFieldPath(name).split('.').at(-1)!, 'Contact') : null,
    }),
    operators: t.field({
      type: [SearchOperator],
      description: 'The operators that it permits.',
      resolve: (name) => [...getAttribute(name).operators],
    }),
    description: t.string({ description: 'Its meaning.', resolve: (name) => getAttribute(name).doc }),
  }),
});

/** The attributes that a caller may search by, in the order of the table. */
const listPermittedAttributes = ({ caller }: Context): AttributeName[] =>
  (Object.keys(attributes) as AttributeName[]).filter((name) => {
    const permission = findConditionPermission(name);
    return !permission || isPermitted(caller, permission);
  });

builder.queryField('searchAttributes', (t) =>
  t.field({
    type: [SearchAttribute],
    description:
      'The attributes that the caller may search contacts by, with the kinds of their values and their operators.',
    resolve: (_, __, context) => listPermittedAttributes(context),
  }),
);

const SearchExplanation = builder.objectRef<Explanation>('SearchExplanation');
SearchExplanation.implement({
  description: 'How many contacts one group or condition of a query finds on its own, and how.',
  fields: (t) => ({
    location: t.exposeString('location', { description: 'Its place in the query; empty for the whole query.' }),
    matches: t.exposeInt('matches', { description: 'How many contacts it finds alone.' }),
    exact: t.exposeBoolean('exact', {
      description: 'Whether the contacts were counted; if not, the number is an estimate.',
    }),
    milliseconds: t.exposeFloat('milliseconds', { nullable: true, description: 'How long counting them took.' }),
    indexes: t.exposeStringList('indexes', {
      description: 'The indexes that were used; none means that all contacts were read.',
    }),
    note: t.exposeString('note', {
      nullable: true,
      description: 'Why it finds nobody or everybody whatever its size: the centre of a circle has no coordinates.',
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
        description: 'Whether to count, for up to a few seconds; if not, the numbers are estimates.',
      }),
    },
    resolve: async (_, { query, exact }, { space, caller, now }) => {
      const { group } = await resolveSearchedQuery(queryArgument, query, { caller, now, space });
      return explainSearch(space, { query: group, now: formatMicros(now), exact });
    },
  }),
);
