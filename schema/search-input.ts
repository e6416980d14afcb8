// What a search asks, as inputs of the graph: conditions typed by the table of attributes, in groups; or the contract's own tree (spec §4.13).
import type { StandardSchemaV1 } from '@pothos/plugin-validation';
import type { Fault } from '../src/problem.ts';
import { type AttributeName, attributes, getAttribute } from '../src/search/attributes.ts';
import { getCurrentMicros } from '../src/search/datetime.ts';
import { type Operator, operators } from '../src/search/operators.ts';
import { sortNames } from '../src/search/order.ts';
import { contract, type Group, type Notation, parseQuery } from '../src/search/parse.ts';
import { builder } from './builder.ts';

/** The contract's name with what GraphQL permits in names: `tags.name` is `tags_name`. */
export const convertToGraphName = (name: string): string => name.replace(/[.:]/g, '_');

const capital = (text: string): string => text[0]!.toUpperCase() + text.slice(1);

const SearchAttribute = builder.enumType('SearchAttribute', {
  description: 'What a condition is about: the names of the contract, with `_` for `.`.',
  values: Object.fromEntries(
    (Object.keys(attributes) as AttributeName[]).map((name) => {
      const { doc, operators: permitted } = getAttribute(name);
      return [
        convertToGraphName(name),
        { value: name, description: `${capital(doc)}. Operators: ${permitted.map(convertToGraphName).join(', ')}.` },
      ];
    }),
  ) as Record<string, { value: AttributeName; description: string }>,
});

const SearchOperator = builder.enumType('SearchOperator', {
  description: 'What a condition asks: the names of the contract, with `_` for `:`.',
  values: Object.fromEntries(
    (Object.keys(operators) as Operator[]).map((name) => [
      convertToGraphName(name),
      { value: name, description: `${capital(operators[name].doc)}.` },
    ]),
  ) as Record<string, { value: Operator; description: string }>,
});

export const SearchSort = builder.enumType('SearchSort', {
  description: 'What found contacts may be sorted by; those without a value come last in both directions.',
  values: Object.fromEntries(
    sortNames.map((name) => [name, { description: `By ${name.replace('_', ' ')}, then by id.` }]),
  ) as Record<(typeof sortNames)[number], { description: string }>,
});

const SearchCondition = builder.inputType('SearchCondition', {
  description:
    'One condition. Which operand it takes is told by its operator: none, `value`, `values`, or `from` and `to`.',
  fields: (t) => ({
    attribute: t.field({ type: SearchAttribute, required: true, description: 'What it is about.' }),
    operator: t.field({ type: SearchOperator, required: true, description: 'What it asks.' }),
    value: t.field({ type: 'SearchValue', description: 'What to compare with.' }),
    values: t.field({ type: ['SearchValue'], description: 'The list of any_of, none_of and all_of.' }),
    from: t.field({ type: 'SearchValue', description: 'Where range and period begin.' }),
    to: t.field({ type: 'SearchValue', description: 'Where range and period end; included.' }),
    formId: t.field({ type: 'Id', description: 'Of form and custom_fields: the form.' }),
    formRefIds: t.field({
      type: ['Id'],
      description: 'Of form and custom_fields: reference values that must all be there.',
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
  description: 'What is searched for; an empty `all` finds everybody.',
  fields: (t) => ({
    all: t.field({ type: [SearchPart], description: parts.all }),
    any: t.field({ type: [SearchPart], description: parts.any }),
  }),
});

/** The graph's way to write a query. */
export const graph: Notation = {
  every: 'all',
  some: 'any',
  condition: 'condition',
  attribute: 'attribute',
  operator: 'operator',
  formId: 'formId',
  formRefIds: 'formRefIds',
  list: 'values',
  spelled: convertToGraphName,
  depth: 8,
  exactly: false,
  strict: true,
};

/** Rules of an argument that holds a query: every fault, at its place. */
const sound = (notation: Notation): StandardSchemaV1<never> => ({
  '~standard': {
    version: 1,
    vendor: 'muster',
    validate: (value) => {
      const faults: Fault[] = [];
      parseQuery(value, '', getCurrentMicros(), faults, notation);
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
export const soundQuery = sound(graph);
export const soundTree = sound(contract);

/** The argument that holds the query, and how it is written there. */
export const findNotation = (query: GroupInput | null | undefined): [place: string, notation: Notation] =>
  query ? ['query', graph] : ['tree', contract];

/** The query that was asked in either notation, resolved at one instant. */
export const readSearchQuery = (query: GroupInput | null | undefined, tree: unknown, now: bigint): Group =>
  query ? parseQuery(query, 'query', now, [], graph) : parseQuery(tree, 'tree', now, []);
