// Connections hold no more than they may: so many of one address, and an answer that is not read is ended.
import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { Connections } from '../../src/connections.ts';
import { limits } from '../../src/limits.ts';
import { until } from '../waiting.ts';

const bounds = { ...limits.connection, connectionsPerAddress: 3, answerSeconds: 2, exportSeconds: 5, unreadBytes: 2e9 };
const large = Buffer.alloc(32 * 1024 * 1024, 'x');

let server: Server;
let port: number;
let clients: Socket[] = [];

/** A server that sends a large answer to everybody, and to those who ask for an export one that it calls so. */
const start = async (options: { isProxy?: boolean; bounds?: Partial<typeof bounds> } = {}): Promise<void> => {
  server = createServer();
  const connections = new Connections(server, {
    isProxy: () => options.isProxy ?? false,
    bounds: { ...bounds, ...options.bounds } as typeof limits.connection,
  });
  server.on('request', (request, response: ServerResponse) => {
    if (request.url === '/export') connections.sendExport(request);
    response.end(request.url === '/short' ? 'short' : large);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  port = (server.address() as AddressInfo).port;
};

/** A client that asks; `ended` is when the server closed its connection. */
const client = (path: string, read: 'all' | 'nothing' | 'slowly') => {
  const socket = connect(port, '127.0.0.1');
  clients.push(socket);
  socket.on('error', () => {});
  const state = { bytes: 0, open: true, socket };
  socket.on('close', () => {
    state.open = false;
  });
  socket.write(`GET ${path} HTTP/1.1\r\nHost: test\r\n\r\n`);
  if (read === 'nothing') socket.pause();
  else
    socket.on('data', (data) => {
      state.bytes += data.length;
      if (read === 'slowly') {
        socket.pause();
        setTimeout(() => socket.resume(), 50);
      }
    });
  return state;
};

afterEach(async () => {
  for (const socket of clients) socket.destroy();
  clients = [];
  server.closeAllConnections();
  server.close();
});

const openConnections = (): Promise<number> =>
  new Promise((resolve) => server.getConnections((_, count) => resolve(count)));

/** How long the server keeps the only connection, in milliseconds. A client that does not read does not learn of its end. */
const timeKept = async (): Promise<number> => {
  await until('it is connected', async () => (await openConnections()) === 1);
  const begun = performance.now();
  await until('the server has ended it', async () => (await openConnections()) === 0);
  return performance.now() - begun;
};

describe('an answer', () => {
  it.each(['nothing', 'slowly'] as const)('of which %s is read is ended in time', async (how) => {
    await start();
    const one = client('/', how);
    expect(await timeKept()).toBeGreaterThan(bounds.answerSeconds * 1000);
    expect(one.bytes).toBeLessThan(large.length);
  });

  it('that is an export has more time', async () => {
    await start();
    client('/export', 'nothing');
    expect(await timeKept()).toBeGreaterThan(bounds.exportSeconds * 1000 - 100);
  });

  it('that is read goes on to its end, and its connection stays', async () => {
    await start();
    const one = client('/', 'all');
    await until('all is read', () => one.bytes > large.length);
    one.socket.write('GET /short HTTP/1.1\r\nHost: test\r\n\r\n');
    const before = one.bytes;
    await until('the next is read', () => one.bytes > before);
    expect(one.open).toBe(true);
  });

  it('that is the largest of too many bytes left unread is ended first', async () => {
    await start({ bounds: { answerSeconds: 600, unreadBytes: 40_000_000, connectionsPerAddress: 10 } });
    const short = client('/short', 'all');
    const unread = [client('/', 'nothing'), client('/', 'nothing')];
    await until('one is ended', async () => (await openConnections()) === 2);
    expect(short.open).toBe(true);
    for (const { socket } of unread) socket.destroy();
  });
});

describe('connections of one address', () => {
  it('are so many; others are closed, and when one is gone there is room again', async () => {
    await start();
    const first = Array.from({ length: bounds.connectionsPerAddress }, () => client('/short', 'all'));
    await until('all are answered', () => first.every(({ bytes }) => bytes > 0));
    const over = client('/short', 'all');
    await until('one more is closed', () => !over.open);
    expect(over.bytes).toBe(0);
    first[0]!.socket.destroy();
    await until('there is room', () => {
      const again = client('/short', 'all');
      return until('it is answered or closed', () => again.bytes > 0 || !again.open).then(() => again.bytes > 0);
    });
  });

  it('are not counted where it is a proxy', async () => {
    await start({ isProxy: true });
    const all = Array.from({ length: 20 }, () => client('/short', 'all'));
    await until('all are answered', () => all.every(({ bytes }) => bytes > 0));
  });
});
