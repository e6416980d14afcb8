// The schema of the graph at its path: who may introspect the graph may read it, and nobody else.
import { readFileSync } from 'node:fs';
import { getIntrospectionQuery } from 'graphql';
import { beforeAll, describe, expect, it } from 'vitest';
import { schemaPath } from '../../packages/pages/guide/contents.ts';
import { createAccessToken } from '../../src/gate/token.ts';
import { type Door, openApp } from '../harness/app.ts';

let open: Door;
let closed: Door;
const tokens: Record<string, string> = { unknown: `mst_${'x'.repeat(49)}` };

beforeAll(async () => {
  open = await openApp();
  closed = await openApp({ TRUSTED_DOCUMENTS: 'only' }, { only: true, texts: new Map() }, open);
  tokens.member = await open.token(1, 1);
  tokens.reader = await createAccessToken(open.database, 1, 2, null, { scope: 'read' });
});

const read = (door: Door, token: string | undefined, { method = 'GET', ...headers }: Record<string, string> = {}) =>
  door.app.fetch(
    new Request(`http://muster.test${schemaPath}`, {
      method,
      headers: { ...headers, ...(token && { Authorization: `Bearer ${token}` }) },
    }),
  );

const introspect = (door: Door, token: string | undefined) =>
  door.graphql(getIntrospectionQuery(), undefined, token ?? null);

describe('the schema of the graph', () => {
  it.each<[caller: string, server: 'open' | 'trusted documents only', status: number]>([
    ['nobody', 'open', 401],
    ['unknown', 'open', 401],
    ['member', 'open', 200],
    ['reader', 'open', 200],
    ['nobody', 'trusted documents only', 404],
    ['member', 'trusted documents only', 404],
  ])('of %s, %s: %i', async (caller, server, status) => {
    const door = server === 'open' ? open : closed;
    const answer = await read(door, tokens[caller]);
    expect(answer.status).toBe(status);
    const text = await answer.text();
    if (status === 200) expect(text).toBe(readFileSync('schema/schema.graphql', 'utf8'));
    else expect(text).not.toContain('type Query');
    const { body, status: ofIntrospection } = await introspect(door, tokens[caller]);
    expect([ofIntrospection < 400 && body.data !== undefined, answer.ok]).toEqual([answer.ok, status === 200]);
  });

  it('costs a point, and stays in no shared cache', async () => {
    const answer = await read(open, tokens.member);
    expect(answer.headers.get('x-ratelimit-cost')).toBe('1');
    expect(answer.headers.get('cache-control')).toBe('private, no-cache');
    const again = await read(open, tokens.member, { 'If-None-Match': answer.headers.get('etag')! });
    expect([again.status, again.headers.get('x-ratelimit-cost')]).toEqual([304, '1']);
    const refused = await read(open, tokens.member, { method: 'POST' });
    expect([refused.status, refused.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
  });
});
