// A server gets more requests than it can answer: most are refused at once, admitted ones are answered soon, and another space hardly notices.
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, expect, it, onTestFinished, vi } from 'vitest';
import { createDatabase } from '../harness/app.ts';
import { type Answer, createToken, spawnServer } from '../harness/serving.ts';
import { openSession } from '../harness/session.ts';
import { startProxy } from './proxy.ts';

vi.setConfig({ testTimeout: 60_000 });

let databaseUrl: string;
let busy: string;

beforeAll(async () => {
  databaseUrl = await createDatabase();
  busy = await createToken(databaseUrl);
});

it('overload is reported within the time that a request may wait, and spaces are served in turn', async () => {
  const client = await openSession(databaseUrl);
  const { rows } = await client.query('select min(user_id)::int as id from members where group_id = 2');
  const other = await createToken(databaseUrl, 2, rows[0].id);
  const proxy = await startProxy(databaseUrl);
  onTestFinished(() => proxy.close());
  const server = await spawnServer({ DATABASE_URL: proxy.url(databaseUrl), LOG_LEVEL: 'warn' });
  const read = (token: string) => server.ask(token, 'GET', '/teams');
  // The server has seen both tokens now, and each has a queue of its own.
  for (const token of [busy, other]) expect((await read(token)).status).toBe(200);
  // The database answers so slowly that about fifty requests a second can be answered.
  proxy.delay(50);
  const ask = (n: number) =>
    n % 2
      ? read(busy)
      : server.ask(busy, 'POST', '/graphql', { query: '{ viewer { space { databaseId } } }' }, { Accept: graphqlType });
  const flood = Promise.all(Array.from({ length: 400 }, (_, n) => ask(n)));
  await sleep(300);
  const beside = [await server.ask(other, 'GET', '/health/live'), await read(other), await read(other)];
  expect(beside.map(({ status }) => status)).toEqual([200, 200, 200]);
  const answers = await flood;
  const refused = answers.filter(({ status }) => status === 503);
  // The first requests are admitted before the server knows how slow the database is, and may find no connection in time.
  const overloaded = refused.filter(({ body }) =>
    (body.title ?? body.errors[0].extensions.code).match(/^overloaded$/i),
  );
  overloaded.forEach(expectOverloaded);
  expect(overloaded.length).toBeGreaterThan(5);
  expect(answers.filter(({ status }) => status === 200).length).toBeGreaterThan(10);
  expect(refused.length + answers.filter(({ status }) => status === 200).length).toBe(400);
  // The log has one line for many refusals.
  const said = server.logged().filter(({ msg }) => msg === 'overloaded');
  expect(said.length).toBeGreaterThan(0);
  expect(said.length).toBeLessThan(10);
});

const graphqlType = 'application/graphql-response+json';

/** Each door reports it in its own format; GraphQL in the requested media type. */
const expectOverloaded = ({ body, headers }: Answer): void => {
  const type = headers.get('content-type');
  if (body.errors) {
    expect(body.errors[0].extensions).toMatchObject({ code: 'overloaded', status: 503 });
    expect(type).toBe(`${graphqlType}; charset=utf-8`);
  } else {
    expect(body).toMatchObject({ type: 'urn:muster:problem:overloaded', status: 503 });
    expect(type).toBe('application/problem+json');
  }
  expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
  expect(headers.get('x-request-id')).toMatch(/^[\da-f-]{36}$/);
  expect(headers.get('x-content-type-options')).toBe('nosniff');
};
