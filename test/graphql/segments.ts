// Segments over GraphQL for tests: short ways to create, change, read and refuse them, and queries that find some of the demo.
import type { Answer, Door, Json } from '../harness/app.ts';
import { createRoleToken, fetchRefusal } from './writing.ts';

export const women = { gender: { equals: 'F' } };
export const donors = { donations: { count: { gte: 1 } } };
export const everywhere = { lastName: { exists: true } };

let turn = 0;
export const generateName = (): string => `Segment ${++turn}`;

const take = ({ body }: Answer): Json => {
  if (body.errors) throw new Error(JSON.stringify(body.errors));
  return Object.values<Json>(body.data)[0].segment;
};

/** Requests of a manager, unless a token says otherwise. */
export const openSegments = async (door: Door) => {
  const manager = await createRoleToken(door, 'manager');
  /** The answer to a mutation, without the contacts of the segment. */
  const send = (verb: 'create' | 'update', input: Json, token = manager): Promise<Answer> =>
    door.graphql(
      `mutation ($input: Segment${verb === 'create' ? 'Create' : 'Update'}Input!) {
         ${verb}Segment(input: $input) { segment { id databaseId name description query isWatched version } } }`,
      { input },
      token,
    );
  return {
    send,
    create: async (query: Json, more: Json = {}, token = manager): Promise<Json> =>
      take(await send('create', { name: generateName(), query, ...more }, token)),
    change: async (id: string, input: Json): Promise<Json> => take(await send('update', { id, ...input })),
    refuse: (name: string, input: Json, token = manager): Promise<Json> => fetchRefusal(door, name, input, token),
    read: async (id: string, selection: string, token?: string): Promise<Json> =>
      (await door.graphql(`query ($id: ID!) { segment(id: $id) { ${selection} } }`, { id }, token)).body,
    /** A search of REST with these conditions of the contract. */
    postSearch: (path: string, conditions: Json[], token?: string): Promise<Answer> => {
      const query = { $all: [{ $all: conditions.map(($condition) => ({ $condition })) }] };
      return door.rest('POST', path, { data: { advanced_search: { per_page: 1000, query } } }, token);
    },
  };
};

export type Segments = Awaited<ReturnType<typeof openSegments>>;
