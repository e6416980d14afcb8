// Input types of searches: conditions typed by the table of attributes, in groups; or the tree of the contract (spec §4.13).
import type { StandardSchemaV1 } from '@pothos/plugin-validation';
import { createInvalidProblem, type Fault } from '../src/problem.ts';
import { type AttributeName, attributes, getAttribute } from '../src/search/attributes.ts';
import { type Operator, operators } from '../src/search/operators.ts';
import {
  contract,
  findDateFaults,
  type Group,
  type Notation,
  type ParsedQuery,
  parseQuery,
  resolveQuery,
} from '../src/search/parse.ts';
import { sortNames } from '../src/search/sort.ts';
import { builder } from './builder.ts';
import { acceptId, acceptIds } from './node.ts';

/** The name of the contract as a name of GraphQL: `tags.name` is `tags_name`. */
export const convertToGraphName = (name: string): string => name.replace(/[.:]/g, '_');

const capitalize = (text: string): string => text[0]!.toUpperCase() + text.slice(1);

const SearchAttribute = builder.enumType('SearchAttribute', {
  description: 'The attribute that a condition tests: the names of the contract, with `_` for `.`.',
  values: Object.fromEntries(
    (Object.keys(attributes) as AttributeName[]).map((name) => {
      const { doc, operators: permitted } = getAttribute(name);
      return [
        convertToGraphName(name),
        { value: name, description: `${capitalize(doc)}. Operators: ${permitted.map(convertToGraphName).join(', ')}.` },
      ];
    }),
  ) as Record<string, { value: AttributeName; description: string }>,
});

const SearchOperator = builder.enumType('SearchOperator', {
  description: 'The operator of a condition: the names of the contract, with `_` for `:`.',
  values: Object.fromEntries(
    (Object.keys(operators) as Operator[]).map((name) => [
      convertToGraphName(name),
      { value: name, description: `${capitalize(operators[name].doc)}.` },
    ]),
  ) as Record<string, { value: Operator; description: string }>,
});

export const SearchSort = builder.enumType('SearchSort', {
  description: 'Sort keys of found contacts; contacts without a value come last in both directions.',
  values: Object.fromEntries(
    sortNames.map((name) => [name, { description: `By ${name.replace('_', ' ')}, then by id.` }]),
  ) as Record<(typeof sortNames)[number], { description: string }>,
});

const SearchCondition = builder.inputType('SearchCondition', {
  description:
    'One condition. Its operator decides which operands it takes: none, `value`, `values`, or `from` and `to`.',
  fields: (t) => ({
    attribute: t.field({ type: SearchAttribute, required: true, description: 'The attribute to test.' }),
    operator: t.field({ type: SearchOperator, required: true, description: 'The operator.' }),
    value: t.field({ type: 'SearchValue', description: 'The value to compare with.' }),
    values: t.field({ type: ['SearchValue'], description: 'The list of any_of, none_of and all_of.' }),
    from: t.field({ type: 'SearchValue', description: 'The beginning of range and period; included.' }),
    to: t.field({ type: 'SearchValue', description: 'The end of range and period; included.' }),
    formId: t.field({ ...acceptId('Form'), description: 'For form and custom_fields: the form.' }),
    optionIds: t.field({
      ...acceptIds('FormOption'),
      description: 'For form and custom_fields: options that must all be answered.',
    }),
  }),
});

export interface GroupInput {
  all?: PartInput[] | null;
  any?: PartInput[] | null;
}
interface PartInput extends GroupInput {
  condition?: object | null;
}

const parts = {
  all: 'All of these must hold.',
  any: 'At least one of these must hold.',
};
const SearchPart = builder.inputRef<PartInput>('SearchPart');
SearchPart.implement({
  isOneOf: true,
  description: 'A condition, or a group of them.',
  fields: (t) => ({
    condition: t.field({ type: SearchCondition, description: 'A condition.' }),
    all: t.field({ type: [SearchPart], description: parts.all }),
    any: t.field({ type: [SearchPart], description: parts.any }),
  }),
});

export const SearchGroup = builder.inputRef<GroupInput>('SearchGroup').implement({
  isOneOf: true,
  description: 'A group of conditions and groups; an empty `all` finds every contact.',
  fields: (t) => ({
    all: t.field({ type: [SearchPart], description: parts.all }),
    any: t.field({ type: [SearchPart], description: parts.any }),
  }),
});

/** How the graph writes a query. */
export const graph: Notation = {
  every: 'all',
  some: 'any',
  condition: 'condition',
  attribute: 'attribute',
  operator: 'operator',
  formId: 'formId',
  formRefIds: 'optionIds',
  list: 'values',
  formatName: convertToGraphName,
  depth: 8,
  exactly: false,
  strict: true,
};

type ParseArgument = (sent: unknown) => ParsedQuery;

/**
 * Parses an argument that holds a query, once for each object that a client sent: the rule of the argument and its resolver get the same
 * result. It holds for as long as the object, because parsing looks at no clock.
 */
const createParser = (notation: Notation): ParseArgument => {
  const parsed = new WeakMap<object, ParsedQuery>();
  return (sent) => {
    if (typeof sent !== 'object' || sent === null) return parseQuery(sent, '', notation);
    const query = parsed.get(sent) ?? parseQuery(sent, '', notation);
    parsed.set(sent, query);
    return query;
  };
};
const parseGraphQuery = createParser(graph);
const parseTree = createParser(contract);

/** The rule of an argument that holds a query: every fault, at its place. */
const createRule = (parse: ParseArgument): StandardSchemaV1<never> => ({
  '~standard': {
    version: 1,
    vendor: 'muster',
    validate: (value) => {
      const { faults } = parse(value);
      if (faults.length === 0) return { value: value as never };
      return {
        issues: faults.map(({ location, message }) => ({
          message,
          path: location.split(/[.[\]]+/).flatMap((step) => (/^\d+$/.test(step) ? Number(step) : step || [])),
        })),
      };
    },
  },
});
export const queryRule = createRule(parseGraphQuery);
export const treeRule = createRule(parseTree);

/** The arguments that hold a query: in the notation of the graph, or in that of the contract. */
export interface QueryArguments {
  query?: GroupInput | null | undefined;
  tree?: unknown;
}

/** The query of a request, with the argument that holds it and how it is written there. */
export interface SearchedQuery {
  group: Group;
  argument: 'query' | 'tree';
  notation: Notation;
}

const findFaultsOf = (argument: string, parsed: ParsedQuery, now: bigint): Fault[] =>
  findDateFaults(parsed, now).map((fault) => ({ ...fault, location: `${argument}${fault.location}` }));

/** The relative dates of the arguments that leave the years 1 to 9999. Only this check needs the instant of the request, so no rule makes it. */
export const findRelativeDateFaults = ({ query, tree }: QueryArguments, now: bigint): Fault[] => [
  ...findFaultsOf('query', parseGraphQuery(query), now),
  ...findFaultsOf('tree', parseTree(tree), now),
];

/** The query at the one instant of the request. Its rules have passed. Throws 400 with the dates that are out of range. */
export const resolveSearchedQuery = ({ query, tree }: QueryArguments, now: bigint): SearchedQuery => {
  const [argument, notation, parsed] = query
    ? (['query', graph, parseGraphQuery(query)] as const)
    : (['tree', contract, parseTree(tree)] as const);
  const faults = findFaultsOf(argument, parsed, now);
  if (faults.length > 0) throw createInvalidProblem(faults);
  return { group: resolveQuery(parsed, now), argument, notation };
};
