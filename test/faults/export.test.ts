// An export that breaks off, for any reason, never looks complete to its client.
import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { limits } from '../../src/limits/limits.ts';
import { createDatabase } from '../harness/app.ts';
import { createToken, type Serving, spawnServer } from '../harness/serving.ts';
import { openSession } from '../harness/session.ts';
import { analyzeSql } from '../harness/statistics.ts';
import { waitUntil } from '../harness/waiting.ts';
import { startProxy } from './proxy.ts';

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

let databaseUrl: string;
let token: string;
let total: number;

/** So many contacts that the buffers on the way cannot hold them all. */
beforeAll(async () => {
  databaseUrl = await createDatabase();
  token = await createToken(databaseUrl);
  const client = new pg.Client(databaseUrl);
  await client.connect();
  await client.query(
    `insert into contacts (group_id, surname, firstname) select 1, repeat('s', 250), repeat('f', 250) from generate_series(1, 30000)`,
  );
  await client.query('select refresh_search(1, array(select id from contacts where group_id = 1))');
  await client.query(analyzeSql);
  total = Number(
    (await client.query('select count(*) from contacts where group_id = 1 and deleted_at is null')).rows[0].count,
  );
  await client.end();
});

/** Requests an export, and reads only its beginning, into `seen`. */
const beginExport = async ({ url }: Serving, version: string, headers: readonly string[] = []) => {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  const seen = { bytes: 0, tail: '', code: '', closed: false };
  socket.on('error', ({ code }: NodeJS.ErrnoException) => {
    seen.code = code!;
  });
  socket.on('close', () => {
    seen.closed = true;
  });
  const body = '{"data":{"advanced_search":{}}}';
  const head = [`POST /export HTTP/${version}`, 'Host: muster.test', `Authorization: Bearer ${token}`, ...headers];
  socket.write(
    `${[...head, 'Content-Type: application/json', `Content-Length: ${body.length}`].join('\r\n')}\r\n\r\n${body}`,
  );
  const take = (data: Buffer): void => {
    seen.bytes += data.length;
    seen.tail = (seen.tail + data.toString('latin1')).slice(-2000);
  };
  take((await once(socket, 'data'))[0]);
  socket.pause();
  socket.on('data', take);
  return { socket, seen };
};
type Begun = Awaited<ReturnType<typeof beginExport>>;

/** Reads until nothing more arrives. */
const readToEnd = async ({ socket, seen }: Begun): Promise<void> => {
  socket.resume();
  for (let before = -1; before < seen.bytes && !seen.closed; ) {
    before = seen.bytes;
    await sleep(700);
  }
};

const start = async (env: Record<string, string>): Promise<Serving> => {
  const server = await spawnServer({ GRAPHIQL: 'false', ...env });
  if (!server.url) throw new Error(server.said.err);
  return server;
};

const ways = [
  ['HTTP/1.1', '1.1', []],
  ['HTTP/1.0, where the end of the connection ends a body', '1.0', []],
  ['gzip', '1.1', ['Accept-Encoding: gzip']],
] as const;

describe.each(ways)('over %s', (_, version, headers) => {
  it('an export whose database goes away is reset, and its failure is logged without values', async () => {
    const proxy = await startProxy(databaseUrl);
    onTestFinished(() => proxy.close());
    const server = await start({ DATABASE_URL: proxy.url(databaseUrl) });
    const begun = await beginExport(server, version, headers);
    // Node takes a reset that comes with data for an end, so it is sent after the client has read everything.
    proxy.freeze({ all: true });
    await readToEnd(begun);
    expect(begun.seen.closed).toBe(false);
    await proxy.close();
    await waitUntil('the client is closed', () => begun.seen.closed);
    const { bytes, tail, code } = begun.seen;
    expect([code, tail.endsWith('0\r\n\r\n'), bytes < total * 500]).toEqual(['ECONNRESET', false, true]);
    expect(tail).not.toMatch(/Error|ECONN|select /);
    await waitUntil('it is logged', () => server.logged().some(({ msg }) => msg === 'export cut off'));
    expect(server.said.err).toBe('');
  });

  it('an export in progress when the server has to stop is reset', async () => {
    const proxy = await startProxy(databaseUrl);
    onTestFinished(() => proxy.close());
    const server = await start({ DATABASE_URL: proxy.url(databaseUrl), DRAIN_SECONDS: '3' });
    const begun = await beginExport(server, version, headers);
    // It cannot finish by itself.
    proxy.freeze({ all: true });
    server.child.kill('SIGTERM');
    expect(await server.ended).toBe(0);
    await readToEnd(begun);
    const { bytes, tail } = begun.seen;
    expect([begun.seen.closed, tail.endsWith('0\r\n\r\n'), bytes < total * 500]).toEqual([true, false, true]);
  });
});

it('an export whose client is gone leaves nothing running in the database', async () => {
  const server = await start({ DATABASE_URL: databaseUrl });
  const { socket } = await beginExport(server, '1.1');
  socket.destroy();
  const watch = await openSession(databaseUrl);
  const active = `select from pg_stat_activity where datname = current_database() and application_name = 'muster' and state <> 'idle'`;
  await waitUntil('nothing runs', async () => (await watch.query(active)).rowCount === 0);
  const before = (await server.ask(token, 'GET', '/health/ready')).status;
  await sleep(300);
  expect([before, (await watch.query(active)).rowCount]).toEqual([200, 0]);
  // Its place is free again.
  const others = await Promise.all(Array.from({ length: limits.search.exports }, () => beginExport(server, '1.1')));
  for (const { seen } of others) expect(seen.tail).toMatch(/^HTTP\/1.1 200|"group_id":1/);
});
