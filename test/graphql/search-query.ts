// Queries of the graph for tests: short ways to write conditions, and the contract's trees in the graph's words.
import { type Operator, operators } from '../../src/search/operators.ts';
import type { Answer, Door, Json } from '../harness/app.ts';

export const condition = (attribute: string, operator: string, more: Json = {}): Json => ({
  condition: { attribute, operator, ...more },
});

const document = (selection: string): string => `
  query ($query: SearchGroup, $tree: QueryTree, $first: Int, $after: String, $page: WholeNumber, $sortBy: SearchSort, $ascending: Boolean) {
    searchContacts(query: $query, tree: $tree, first: $first, after: $after, page: $page, sortBy: $sortBy, ascending: $ascending) ${selection}
  }`;

/** The answer to a search with this selection. */
export const searched = (door: Door, args: Json, selection = '{ nodes { id: databaseId } }'): Promise<Answer> =>
  door.graphql(document(selection), args);

export const ids = async (door: Door, args: Json): Promise<number[]> => {
  const { body } = await searched(door, { first: 1000, ...args });
  if (body.errors) throw new Error(JSON.stringify(body.errors));
  return body.data.searchContacts.nodes.map(({ id }: Json) => id);
};

/** The faults for which a search is refused. */
export const faults = async (door: Door, args: Json, selection?: string): Promise<Json[]> => {
  const { body } = await searched(door, args, selection);
  return body.errors.flatMap(({ extensions, message }: Json) => extensions?.errors ?? [{ message }]);
};

const named = (name: string): string => name.replace(/[.:]/g, '_');

/** Only the operands that the operator takes: the graph refuses others. */
const operandOf = ({ ope, value, from, to }: Json): Json => {
  switch (operators[ope as Operator].takes) {
    case 'nothing':
      return {};
    case 'list':
      return { values: typeof value === 'string' ? value.split(',').map((item) => item.trim()) : value };
    case 'range':
      return value === undefined ? { from, to } : { value };
    case 'value':
      return value === undefined ? {} : { value };
  }
};

/** A tree of the contract as the graph writes it. */
export const asGraph = (tree: Json): Json => {
  if (tree.$condition) {
    const { attr, ope, form_id, form_ref_ids } = tree.$condition;
    const more = {
      ...(form_id !== undefined && { formId: form_id }),
      ...(form_ref_ids && { optionIds: form_ref_ids }),
    };
    return condition(named(attr), named(ope), { ...operandOf(tree.$condition), ...more });
  }
  return tree.$all ? { all: tree.$all.map(asGraph) } : { any: tree.$at_least_one.map(asGraph) };
};
