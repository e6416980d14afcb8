// Requests without a body: operations that need one refuse them, whatever the Content-Type; the others answer, though legacy clients send a
// Content-Type. Sent over HTTP, where a missing body looks different than in memory.
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { routes } from '../../src/rest/routes/index.ts';
import { type Door, openApp } from '../harness/app.ts';
import { drawSample } from '../harness/sizes.ts';
import { prepareIds, requests } from '../requests/index.ts';

let door: Door;
let server: Server;
let token: string;
beforeAll(async () => {
  door = await openApp();
  token = await door.token(1, 1);
  server = createServer(getRequestListener((request) => door.app.fetch(request)));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterAll(() => new Promise((resolve) => server.close(resolve)));

const urls = routes.flatMap((route) =>
  [route.path, ...(route.aliases ?? [])].map((path) => [route.method, path, route] as const),
);
const needsBody = (method: string): boolean => method === 'POST' || method === 'PATCH';
const urlOf = async ({ operation }: (typeof routes)[number], path: string): Promise<string> => {
  const ids = requests[operation]!(await prepareIds(door, 1)).path;
  return path.replace(/\{(\w+)#?\}/g, (_, name) => String(ids[name]));
};
const send = (method: string, path: string, { type, body }: { type?: string; body?: BodyInit } = {}) =>
  fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`, {
    method,
    headers: { Authorization: `Bearer ${token}`, ...(type && { 'Content-Type': type }) },
    ...(body !== undefined && { body }),
    ...(body instanceof ReadableStream && { duplex: 'half' }),
  } as RequestInit);
const nothing = (): ReadableStream => new Blob([]).stream();

const due = { status: 400, errors: [{ location: 'body', message: 'is empty; a JSON body is expected' }] };
const empty: [name: string, sent: () => { type?: string; body?: BodyInit }][] = [
  ['no body and no Content-Type', () => ({})],
  ['no body with a Content-Type', () => ({ type: 'application/json' })],
  ['no body with another Content-Type', () => ({ type: 'text/plain' })],
  ['an empty body', () => ({ type: 'application/json', body: '' })],
  ['a blank body', () => ({ type: 'application/json', body: ' \r\n\t' })],
  ['chunks without a byte', () => ({ type: 'application/json', body: nothing() })],
  ['chunks without a byte and no Content-Type', () => ({ body: nothing() })],
];

describe.each([
  ...urls.filter(([method]) => needsBody(method)),
  ['POST', '/graphql', undefined] as const,
])('%s %s', (method, path, route) => {
  it.each(empty)('is 400 with %s, and says what is expected', async (_, sent) => {
    const response = await send(method, route ? await urlOf(route, path) : path, sent());
    const problem = (await response.json()) as Record<string, unknown>;
    // The graph has its own wording.
    const said = route ? due : { errors: [{ message: 'body is empty; a JSON body is expected' }] };
    expect([response.status, problem]).toMatchObject([400, said]);
  });
});

describe.each(
  drawSample(
    urls.filter(([method]) => !needsBody(method)),
    { small: 8 },
  ),
)('%s %s', (method, path, route) => {
  it('is answered with a Content-Type and no body', async () => {
    const response = await send(method, await urlOf(route, path), { type: 'application/json' });
    await response.text();
    // Another spelling of its address may have deleted it already.
    expect([200, ...(method === 'DELETE' ? [404] : [])]).toContain(response.status);
  });
});

it('a body of another type is still 415, and is not read', async () => {
  for (const body of ['x', new Blob(['x'.repeat(100_000)]).stream()])
    expect((await send('POST', '/search', { type: 'text/plain', body })).status).toBe(415);
});
