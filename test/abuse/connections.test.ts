// Connections are bounded: so many per address, and a response that the client does not read is ended.
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { pipeline, Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { chooseEventFormat, createEventStream } from '../../src/graphql/event-stream.ts';
import { limits } from '../../src/limits/limits.ts';
import { Connections } from '../../src/server/connections.ts';
import { waitUntil } from '../harness/waiting.ts';

vi.setConfig({ testTimeout: 30_000 });

const bounds = {
  ...limits.connection,
  connectionsPerAddress: 3,
  answerSeconds: 2,
  exportSeconds: 8,
  exportIdleSeconds: 3,
  unreadBytes: 2e9,
};
const large = Buffer.alloc(32 * 1024 * 1024, 'x');
const slice = Buffer.alloc(32 * 1024, 'x');

let server: Server;
let port: number;
let clients: Socket[] = [];
/** Whether the source of an export was cancelled because nobody reads it, and the errors it had. */
let ended = false;
let failures: unknown[] = [];
/** What was asked of the source of an event stream, and how often it ended. */
let streamed = { results: 0, ends: 0 };

/** Sends an endless event stream, as the server does. */
const sendStream = (connections: Connections, request: IncomingMessage, response: ServerResponse): void => {
  const next = async () => {
    streamed.results++;
    return { done: false, value: {} };
  };
  const body = createEventStream({
    format: chooseEventFormat('text/event-stream')!,
    results: { next },
    write: () => slice.toString(),
    getEventId: () => undefined,
    explainEnd: () => undefined,
    onEnd: () => void streamed.ends++,
  });
  connections.keepStream(request);
  pipeline(Readable.fromWeb(body as never), response, () => {});
};

/** A server that answers with a large response, and on /export with an endless or a failing one. */
const start = async (options: { isProxy?: boolean; bounds?: Partial<typeof bounds> } = {}): Promise<void> => {
  server = createServer();
  const connections = new Connections(server, {
    isProxy: () => options.isProxy ?? false,
    bounds: { ...bounds, ...options.bounds } as typeof limits.connection,
  });
  server.on('request', (request, response: ServerResponse) => {
    const { url = '' } = request;
    if (url === '/stream') return void sendStream(connections, request, response);
    if (!url.startsWith('/export')) return void response.end(url === '/short' ? 'short' : large);
    let slices = 0;
    const source = new ReadableStream<Uint8Array>({
      async pull(controller) {
        if (url === '/export/late' && slices === 4) await sleep(bounds.exportIdleSeconds * 1000 + 2500);
        // The client has read everything sent by then: Node takes a reset that comes with data for an end, though the network does not.
        if (url === '/export/fails' && slices === 4) await sleep(300).then(() => Promise.reject(new Error('failed')));
        if (url === '/export/late' && slices === 8) return controller.close();
        slices++;
        controller.enqueue(slice);
      },
      cancel() {
        ended = true;
      },
    });
    const body = connections.sendExport(request, source, (error) => failures.push(error));
    pipeline(Readable.fromWeb(body as never), response, () => {});
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  port = (server.address() as AddressInfo).port;
};

/** A client that sends a request; `ended` is when the server closed its connection. */
const client = (path: string, read: 'all' | 'nothing' | 'slowly', version = '1.1') => {
  const socket = connect(port, '127.0.0.1');
  clients.push(socket);
  socket.on('error', () => {});
  const state = { bytes: 0, text: '', open: true, isReading: true, code: '', socket };
  socket.on('error', ({ code }: NodeJS.ErrnoException) => {
    state.code = code!;
  });
  socket.on('close', () => {
    state.open = false;
  });
  socket.write(`GET ${path} HTTP/${version}\r\nHost: test\r\n\r\n`);
  if (read === 'nothing') socket.pause();
  else
    socket.on('data', (data) => {
      state.bytes += data.length;
      state.text = (state.text + data).slice(-1000);
      if (read === 'slowly') {
        socket.pause();
        setTimeout(() => state.isReading && socket.resume(), 50);
      }
    });
  return state;
};

afterEach(async () => {
  for (const socket of clients) socket.destroy();
  clients = [];
  ended = false;
  failures = [];
  streamed = { results: 0, ends: 0 };
  server.closeAllConnections();
  server.close();
});

const openConnections = (): Promise<number> =>
  new Promise((resolve) => server.getConnections((_, count) => resolve(count)));

/** How long the server keeps the only connection, in milliseconds. A client that does not read does not notice its end. */
const measureTimeOpen = async (): Promise<number> => {
  await waitUntil('it is connected', async () => (await openConnections()) === 1);
  const begun = performance.now();
  await waitUntil('the server has ended it', async () => (await openConnections()) === 0);
  return performance.now() - begun;
};

describe('a response', () => {
  it.each(['nothing', 'slowly'] as const)('of which %s is read is ended in time', async (how) => {
    await start();
    const one = client('/', how);
    expect(await measureTimeOpen()).toBeGreaterThan(bounds.answerSeconds * 1000);
    expect(one.bytes).toBeLessThan(large.length);
  });

  it('to an export is ended, with its work, when its client has stopped reading', async () => {
    await start();
    const one = client('/export', 'all');
    await waitUntil('a part is read', () => one.bytes > 10 * slice.length);
    one.socket.pause();
    const kept = await measureTimeOpen();
    expect(kept).toBeGreaterThan(bounds.exportIdleSeconds * 1000 - 100);
    expect(kept).toBeLessThan(bounds.exportSeconds * 1000);
    await waitUntil('the source is cancelled', () => ended);
    one.socket.resume();
    await waitUntil('the client is closed', () => !one.open);
    expect([one.text.endsWith('0\r\n\r\n'), failures]).toEqual([false, []]);
  });

  it('to an export has more time while its client reads, even slowly, though not for ever', async () => {
    await start();
    const one = client('/export', 'slowly');
    expect(await measureTimeOpen()).toBeGreaterThan(bounds.exportSeconds * 1000 - 100);
    expect(one.bytes).toBeGreaterThan(slice.length);
  });

  it('that is an event stream goes on while its client reads, even slowly, and ends when it stops', async () => {
    await start({ bounds: { answerSeconds: 1, exportSeconds: 2, exportIdleSeconds: 4 } });
    const one = client('/stream', 'slowly');
    await sleep(6000);
    expect([await openConnections(), streamed.ends]).toEqual([1, 0]);
    one.isReading = false;
    await sleep(1500);
    // Nothing is read from its source for a client that does not read.
    const { results } = streamed;
    await waitUntil('the server has ended it', async () => (await openConnections()) === 0);
    await sleep(300);
    expect(streamed).toEqual({ results: expect.any(Number), ends: 1 });
    expect(streamed.results - results).toBeLessThan(3);
  });

  it('to an export is not ended because the server is slow', async () => {
    await start();
    const one = client('/export/late', 'all');
    await waitUntil('all is read', () => one.text.endsWith('0\r\n\r\n'));
    expect([one.bytes > 8 * slice.length, one.open]).toEqual([true, true]);
  });

  it.each([
    '1.0',
    '1.1',
  ])('to an export that fails is reset, so that nobody takes it for complete (HTTP/%s)', async (version) => {
    await start();
    const one = client('/export/fails', 'all', version);
    await waitUntil('the connection is closed', () => !one.open);
    expect([one.code, one.text.includes('failed'), one.text.endsWith('0\r\n\r\n')]).toEqual([
      'ECONNRESET',
      false,
      false,
    ]);
    expect(failures).toEqual([new Error('failed')]);
  });

  it('that is read continues to its end, and its connection stays', async () => {
    await start();
    const one = client('/', 'all');
    await waitUntil('all is read', () => one.bytes > large.length);
    one.socket.write('GET /short HTTP/1.1\r\nHost: test\r\n\r\n');
    const before = one.bytes;
    await waitUntil('the next is read', () => one.bytes > before);
    expect(one.open).toBe(true);
  });

  it('is ended first when it is the largest and too many bytes are unread', async () => {
    await start({ bounds: { answerSeconds: 600, unreadBytes: 40_000_000, connectionsPerAddress: 10 } });
    const short = client('/short', 'all');
    const unread = [client('/', 'nothing'), client('/', 'nothing')];
    await waitUntil('one connection is ended', async () => (await openConnections()) === 2);
    expect(short.open).toBe(true);
    for (const { socket } of unread) socket.destroy();
  });
});

describe('answers to requests that a client sends without waiting', () => {
  const request = (path: string) => `GET ${path} HTTP/1.1\r\nHost: test\r\n\r\n`;

  it('count among the unread bytes while they wait for the one before them', async () => {
    await start({ bounds: { answerSeconds: 600, unreadBytes: 40_000_000 } });
    const one = client('/stream', 'slowly');
    one.socket.write(request('/').repeat(2));
    await measureTimeOpen();
    expect(one.bytes).toBeLessThan(large.length);
  });

  it('take nothing from the time that the one before them has', async () => {
    await start();
    const one = client('/stream', 'slowly');
    one.socket.write(request('/short'));
    await sleep((bounds.answerSeconds + 3) * 1000);
    expect(one.open).toBe(true);
  });
});

describe('connections from one address', () => {
  it('are limited; further ones are closed, and when one closes there is room again', async () => {
    await start();
    const first = Array.from({ length: bounds.connectionsPerAddress }, () => client('/short', 'all'));
    await waitUntil('all are answered', () => first.every(({ bytes }) => bytes > 0));
    const over = client('/short', 'all');
    await waitUntil('one more is closed', () => !over.open);
    expect(over.bytes).toBe(0);
    first[0]!.socket.destroy();
    await waitUntil('a connection is accepted', () => {
      const again = client('/short', 'all');
      return waitUntil('it is answered or closed', () => again.bytes > 0 || !again.open).then(() => again.bytes > 0);
    });
  });

  it('are not counted when the address is a proxy', async () => {
    await start({ isProxy: true });
    const all = Array.from({ length: 20 }, () => client('/short', 'all'));
    await waitUntil('all are answered', () => all.every(({ bytes }) => bytes > 0));
  });
});
