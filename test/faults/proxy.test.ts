// The proxy for tests stalls, swallows, delays and cuts connections as documented.
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { beforeEach, describe, expect, inject, it, onTestFinished } from 'vitest';
import { waitUntil } from '../harness/waiting.ts';
import { type FaultyProxy, startProxy } from './proxy.ts';

let proxy: FaultyProxy;
let behind: Socket[];

/** A server that echoes, and a proxy in front of it. */
beforeEach(async () => {
  behind = [];
  const server = createServer((socket) => {
    behind.push(socket);
    socket.on('error', () => {});
    socket.on('data', (data) => socket.write(data));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  proxy = await startProxy((server.address() as AddressInfo).port);
  onTestFinished(async () => {
    await proxy.close();
    for (const socket of behind) socket.destroy();
    server.close();
  });
});

const client = async () => {
  const socket = connect(proxy.port, '127.0.0.1');
  const seen = { text: '', code: '', closed: false, socket };
  socket.on('data', (data) => {
    seen.text += data;
  });
  socket.on('error', ({ code }: NodeJS.ErrnoException) => {
    seen.code = code!;
  });
  socket.on('close', () => {
    seen.closed = true;
  });
  await once(socket, 'connect');
  return seen;
};
/** Sends a word, and waits for its echo. */
const expectEcho = async (to: Awaited<ReturnType<typeof client>>, word: string): Promise<void> => {
  to.socket.write(word);
  await waitUntil(`${word} comes back`, () => to.text.endsWith(word));
};

describe('the proxy', () => {
  it('carries a database', async () => {
    const through = await startProxy(inject('serverUrl'));
    onTestFinished(() => through.close());
    const database = new pg.Client(through.url(inject('serverUrl')));
    database.on('error', () => {});
    await database.connect();
    const long = 'x'.repeat(5_000_000);
    expect((await database.query('select cast($1 as text) as value', [long])).rows[0].value).toBe(long);
    expect(through.open).toBe(1);
    await database.end();
    await waitUntil('the connection is closed', () => through.open === 0);
  });

  it('freezes open connections, one or all, and loses nothing', async () => {
    const [one, two] = [await client(), await client()];
    await expectEcho(one, 'a');
    await expectEcho(two, 'a');
    expect(proxy.freezeOne()).toBe(true);
    one.socket.write('b');
    await expectEcho(two, 'b');
    await sleep(100);
    expect(one.text).toBe('a');
    proxy.freeze();
    expect(proxy.freezeOne()).toBe(false);
    two.socket.write('c');
    const three = await client();
    await expectEcho(three, 'x');
    proxy.freeze({ all: true });
    const four = await client();
    four.socket.write('y');
    await sleep(100);
    expect([one.text, two.text, four.text]).toEqual(['a', 'ab', '']);
    proxy.thaw();
    await waitUntil('all is carried', () => one.text === 'ab' && two.text === 'abc' && four.text === 'y');
  });

  it('swallows bytes without an error', async () => {
    const one = await client();
    await expectEcho(one, 'a');
    proxy.blackhole();
    one.socket.write('b');
    const two = await client();
    two.socket.write('b');
    await sleep(100);
    expect([one.text, two.text, one.closed, two.closed]).toEqual(['a', '', false, false]);
    proxy.thaw();
    await waitUntil('both are cut', () => one.closed && two.closed);
    await expectEcho(await client(), 'c');
  });

  it('delays both ways, in order', async () => {
    const one = await client();
    proxy.delay(100);
    const begun = performance.now();
    one.socket.write('a');
    await sleep(10);
    one.socket.write('b');
    await waitUntil('both are back', () => one.text === 'ab');
    expect(performance.now() - begun).toBeGreaterThan(190);
    proxy.delay(0);
    await expectEcho(one, 'c');
    expect(one.text).toBe('abc');
  });

  it('cuts both sides with a reset', async () => {
    const one = await client();
    await expectEcho(one, 'a');
    const [server] = behind as [Socket];
    const failed = once(server, 'error');
    proxy.cut();
    expect((await failed)[0].code).toBe('ECONNRESET');
    await waitUntil('the client is closed', () => one.closed);
    expect([one.code, proxy.open]).toEqual(['ECONNRESET', 0]);
  });
});
