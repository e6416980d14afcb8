// Quick searches and writes of contacts, for the tests of quick search.
import type { Answer, Door, Json } from '../harness/app.ts';

/** Functions that call the graph through a door that is opened later. */
export const openQuickSearch = (door: () => Door) => {
  const ask = (search: unknown, { first = 50, after, token }: Json = {}): Promise<Answer> =>
    door().graphql(
      `query ($search: String, $first: Int!, $after: String) { contacts(search: $search, first: $first, after: $after) {
         totalCount nodes { id: databaseId firstname: firstName surname: lastName } edges { cursor node { id: databaseId } } pageInfo { endCursor hasNextPage hasPreviousPage } } }`,
      { search, first, after },
      token,
    );
  const read = async (search: string, options?: Json): Promise<Json> => {
    const { body } = await ask(search, options);
    if (body.errors) throw new Error(JSON.stringify(body.errors));
    return body.data.contacts;
  };
  const find = async (search: string, options?: Json): Promise<number[]> =>
    (await read(search, options)).nodes.map(({ id }: Json) => id);

  const create = async (input: Json, token?: string): Promise<number> => {
    const { body } = await door().graphql(
      'mutation ($input: ContactCreateInput!) { createContact(input: $input) { contact { id: databaseId } } }',
      { input },
      token,
    );
    if (body.errors) throw new Error(JSON.stringify(body.errors));
    return body.data.createContact.contact.id;
  };
  const mutate = async (field: string): Promise<Json> => {
    const { body } = await door().graphql(`mutation { ${field} }`);
    if (body.errors) throw new Error(JSON.stringify(body.errors));
    return body.data;
  };

  return { ask, read, find, create, mutate };
};
