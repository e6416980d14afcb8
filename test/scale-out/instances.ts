// Instances of Muster that read from a replica, within one process, and what they log about it.
import { pino } from 'pino';
import { expect } from 'vitest';
import { Database } from '../../src/database/database.ts';
import { createApp } from '../../src/server/app.ts';
import type { Json } from '../harness/app.ts';

type State = [state: string, reason: string | undefined];

const reasonOf = (reason: unknown): string | undefined => {
  const { code, message } = (reason ?? {}) as { code?: string; message?: string };
  return code ?? message;
};

/** An instance of Muster: functions that send it requests, and its log lines about the replica. */
export const openInstance = (primary: string, replica: { url: string; maxLag: number }) => {
  const states: State[] = [];
  const database = new Database(primary, {
    replica: { ...replica, onState: (state, reason) => states.push([state, reasonOf(reason)]) },
  });
  const config = { BUCKET_CAPACITY: 1e9, BUCKET_REFILL: 1e6, GRAPHIQL: false };
  const app = createApp({ database, config, log: pino({ level: 'silent' }) });
  const send = async (token: string, path: string, { body, ...init }: Json = {}): Promise<Json> => {
    const response = await app.fetch(
      new Request(`http://muster.test${path}`, {
        method: body ? 'POST' : 'GET',
        ...init,
        headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json', ...init.headers },
        ...(body && { body: JSON.stringify(body) }),
      }),
    );
    return { status: response.status, body: await response.json() };
  };
  const graphql = async (token: string, query: string, more: Json = {}): Promise<Json> =>
    (await send(token, '/graphql', { body: { query }, ...more })).body;
  return { database, states, send, graphql };
};
export type Instance = ReturnType<typeof openInstance>;

/** The id of a new contact. */
export const createContact = async (at: Instance, token: string, surname: string): Promise<number> => {
  const { data, errors } = await at.graphql(
    token,
    `mutation { createContact(input: { lastName: "${surname}" }) { contact { id: databaseId } } }`,
  );
  expect(errors?.[0]).toBe(undefined);
  return data.createContact.contact.id;
};
/** Whether a token can read a contact by its id, in a list, and in a search. */
export const canSee = async (at: Instance, token: string, id: number, surname: string): Promise<boolean[]> => {
  const { data, errors } = await at.graphql(
    token,
    `{ contact(id: ${id}) { id: databaseId }
         searchContacts(query: { lastName: { equals: "${surname}" } }) { nodes { id: databaseId } totalCount } }`,
  );
  expect(errors?.[0]).toBe(undefined);
  const { nodes, totalCount } = data.searchContacts;
  return [data.contact !== null, nodes.length > 0, totalCount > 0];
};
