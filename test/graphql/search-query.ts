// Searches over GraphQL for tests: short ways to write conditions, to send a search in either notation, and to read its answer.

import { isAttributeName } from '../../src/search/attributes.ts';
import type { Answer, Door, Json } from '../harness/app.ts';
import { translateCondition } from '../search/contact-query.ts';

export { translateQuery } from '../search/contact-query.ts';

/** A condition of the graph, from the words of the contract. */
export const buildCondition = (attr: string, ope: string, more: Json = {}): Json => {
  if (!isAttributeName(attr)) throw new Error(`${attr} is no attribute`);
  return translateCondition({ attr, ope, ...more });
};

const documents = {
  searchContacts: (selection: string) => `
    query ($query: ContactQuery, $orderBy: ContactOrder, $first: Int, $last: Int, $after: String, $before: String) {
      searchContacts(query: $query, orderBy: $orderBy, first: $first, last: $last, after: $after, before: $before) ${selection}
    }`,
  searchContactsByTree: (selection: string) => `
    query ($tree: QueryTree, $first: Int, $after: String, $page: WholeNumber, $sortBy: SearchSort, $ascending: Boolean) {
      searchContactsByTree(tree: $tree, first: $first, after: $after, page: $page, sortBy: $sortBy, ascending: $ascending) ${selection}
    }`,
};
type Field = keyof typeof documents;

const usual = '{ nodes { id: databaseId } }';
const send =
  (field: Field) =>
  (door: Door, args: Json, selection = usual): Promise<Answer> =>
    door.graphql(documents[field](selection), args);
/** The answer to a search with this selection. */
export const searched = send('searchContacts');
export const searchedByTree = send('searchContactsByTree');

const idsBy =
  (field: Field) =>
  async (door: Door, args: Json): Promise<number[]> => {
    const size = args.last === undefined ? { first: 1000 } : {};
    const { body } = await send(field)(door, { ...size, ...args });
    if (body.errors) throw new Error(JSON.stringify(body.errors));
    return body.data[field].nodes.map(({ id }: Json) => id);
  };
export const ids = idsBy('searchContacts');
export const idsByTree = idsBy('searchContactsByTree');

const faultsBy =
  (field: Field) =>
  async (door: Door, args: Json, selection?: string): Promise<Json[]> => {
    const { body } = await send(field)(door, args, selection);
    return body.errors.flatMap(({ extensions, message }: Json) => extensions?.errors ?? [{ message }]);
  };
/** The faults for which a search is refused. */
export const faults = faultsBy('searchContacts');
export const faultsByTree = faultsBy('searchContactsByTree');
