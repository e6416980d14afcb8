// Apollo Client with its link for persisted queries, against a listening server.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ApolloClient, ApolloLink, gql, HttpLink, InMemoryCache } from '@apollo/client';
import { PersistedQueryLink } from '@apollo/client/link/persisted-queries';
import { getRequestListener } from '@hono/node-server';
import { parse, print } from 'graphql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hashDocument, type TrustedDocuments } from '../../../src/graphql/persisted-documents.ts';
import { type Door, type Json, openApp } from '../../harness/app.ts';

/** A request as it was sent, and the status and the code of its answer. */
interface Exchange {
  method: string;
  hasText: boolean;
  hasHash: boolean;
  status: number;
  code: string | undefined;
}

const servers: { close(): void }[] = [];
afterAll(() => {
  for (const server of servers) server.close();
});

const listen = async (trusted?: TrustedDocuments): Promise<{ door: Door; url: string }> => {
  const door = await openApp({}, trusted);
  const server = createServer(getRequestListener((request) => door.app.fetch(request)));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  servers.push(server);
  return { door, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/graphql` };
};

/** A client that has sent nothing yet, and what it sends. */
const openClient = async ({ door, url }: { door: Door; url: string }, { useGETForHashedQueries = false } = {}) => {
  const sent: Exchange[] = [];
  const token = await door.token(1, 1);
  const http = new HttpLink({
    uri: url,
    headers: { Authorization: `Bearer ${token}` },
    fetch: async (input, init) => {
      const response = await fetch(input, init);
      const { searchParams } = new URL(String(input));
      const body: Json = init?.body ? JSON.parse(String(init.body)) : Object.fromEntries(searchParams);
      const answer: Json = await response.clone().json();
      sent.push({
        method: init?.method ?? 'GET',
        hasText: 'query' in body,
        hasHash: JSON.stringify(body.extensions ?? '').includes('sha256Hash'),
        status: response.status,
        code: answer.errors?.[0].extensions.code,
      });
      return response;
    },
  });
  const persisted = new PersistedQueryLink({ sha256: hashDocument, useGETForHashedQueries });
  const client = new ApolloClient({
    link: ApolloLink.from([persisted, http]),
    cache: new InMemoryCache(),
    defaultOptions: { query: { fetchPolicy: 'no-cache' } },
  });
  return { client, sent };
};

const miss = { hasText: false, hasHash: true, status: 200, code: 'PERSISTED_QUERY_NOT_FOUND' };
const hit = { hasText: false, hasHash: true, status: 200, code: undefined };
const registration = { method: 'POST', hasText: true, hasHash: true, status: 200, code: undefined };

describe('with automatic persisted queries', () => {
  let served: { door: Door; url: string };
  beforeAll(async () => {
    served = await listen();
  });

  it.each([
    ['POST', false],
    ['GET', true],
  ])('sends the text after a miss, and never again, by %s', async (method, useGETForHashedQueries) => {
    const query = gql`query ${`By${method}`} { __typename }`;
    const first = await openClient(served, { useGETForHashedQueries });
    const data = { __typename: 'Query' };
    expect((await first.client.query({ query })).data).toEqual(data);
    expect(first.sent).toEqual([{ method, ...miss }, registration]);
    expect((await first.client.query({ query })).data).toEqual(data);
    const second = await openClient(served, { useGETForHashedQueries });
    expect((await second.client.query({ query })).data).toEqual(data);
    expect([first.sent[2], ...second.sent]).toEqual([
      { method, ...hit },
      { method, ...hit },
    ]);
  });

  it('writes once, since a miss executes nothing', async () => {
    const mutation = gql`mutation { createNote(input: { contactId: 1, content: "by Apollo" }) { __typename } }`;
    const { client, sent } = await openClient(served);
    expect((await client.mutate({ mutation })).data).toBeDefined();
    expect(sent).toEqual([{ method: 'POST', ...miss }, registration]);
    expect(await served.door.sql(`select 1 from notes where content = 'by Apollo'`)).toHaveLength(1);
  });

  it('shows the faults of a document that is not valid, which is not remembered', async () => {
    const query = gql`query NotValid { nothing }`;
    const { client, sent } = await openClient(served);
    for (let time = 0; time < 2; time++)
      await expect(client.query({ query })).rejects.toThrow('Cannot query field "nothing"');
    expect(sent.map(({ code }) => code)).toEqual([miss.code, 'invalid-document', miss.code, 'invalid-document']);
  });
});

describe('with trusted documents only', () => {
  /** As a build step writes it: from the text that the client hashes. */
  const listed = print(parse('query Listed { __typename }'));

  it('has its listed documents at once, and no other', async () => {
    const served = await listen({ only: true, texts: new Map([[hashDocument(listed), listed]]) });
    const { client, sent } = await openClient(served);
    expect((await client.query({ query: gql(listed) })).data).toEqual({ __typename: 'Query' });
    expect(sent).toEqual([{ method: 'POST', ...hit }]);
    await expect(client.query({ query: gql`query Other { __typename }` })).rejects.toThrow(
      'only its trusted documents',
    );
    expect(sent.slice(1).map(({ code }) => code)).toEqual([miss.code, 'PERSISTED_QUERY_ONLY']);
  });
});
