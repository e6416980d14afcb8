// What receivers of webhooks do with connections and bodies: a kept connection that they closed costs no attempt, and a status is an answer whatever follows it.
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { WebhookSender } from '../../src/jobs/webhook-send.ts';
import { limits } from '../../src/limits/limits.ts';

const open: Server[] = [];
const sockets = new Set<Socket>();
afterEach(() => {
  for (const socket of sockets) socket.destroy();
  for (const server of open.splice(0)) server.close();
});

const secret = `whsec_${Buffer.alloc(32, 1).toString('base64')}`;
const message = { id: 'msg_1', body: '{"type":"webhook.tested"}' };

/** A receiver that answers each message that it has read as `answer` says; `read` counts them. */
const openReceiver = async (answer: (socket: Socket, place: number) => void) => {
  const receiver = { url: '', read: 0, connections: 0 };
  const server = createServer((socket) => {
    sockets.add(socket);
    receiver.connections++;
    socket.on('error', () => {});
    socket.on('data', (data) => {
      if (data.includes(message.body) && socket.writable) answer(socket, receiver.read++);
    });
  });
  open.push(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  receiver.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  return receiver;
};

const createSender = (timeoutMs = 1000) => new WebhookSender({ allowsPrivate: true, timeoutMs });
const ok = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nOK';

describe('a kept connection', () => {
  it.each<[string, (socket: Socket) => void]>([
    ['reset', (socket) => socket.resetAndDestroy()],
    ['ended', (socket) => socket.end()],
    ['destroyed', (socket) => socket.destroy()],
  ])('that the receiver has %s costs no attempt', async (_, close) => {
    const receiver = await openReceiver((socket) => socket.write(ok));
    const sender = createSender();
    for (let time = 0; time < 5; time++) {
      // Several are kept, and all of them are closed.
      const some = await Promise.all([1, 2, 3].map(() => sender.send(receiver.url, message, [secret])));
      expect(some).toMatchObject(Array(3).fill({ status: 200, error: null }));
      for (const socket of sockets) close(socket);
      sockets.clear();
    }
    expect(receiver.read).toBe(15);
    sender.close();
  });

  it('that is closed as the next message comes costs none either', async () => {
    const receiver = await openReceiver((socket, place) => (place === 1 ? socket.resetAndDestroy() : socket.write(ok)));
    const sender = createSender();
    await sender.send(receiver.url, message, [secret]);
    expect(await sender.send(receiver.url, message, [secret])).toMatchObject({ status: 200, error: null });
    expect(receiver.connections).toBe(2);
    sender.close();
  });

  it('that is reset within the answer to a message does not get it twice', async () => {
    const receiver = await openReceiver((socket, place) => {
      if (place !== 1) return void socket.write(ok);
      socket.write('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nbegin');
      setTimeout(() => socket.resetAndDestroy(), 50);
    });
    const sender = createSender();
    await sender.send(receiver.url, message, [secret]);
    expect(await sender.send(receiver.url, message, [secret])).toMatchObject({ status: 200, response: 'begin' });
    await sender.send(receiver.url, message, [secret]);
    expect(receiver.read).toBe(3);
    sender.close();
  });

  it('that is new and closed is an attempt', async () => {
    const receiver = await openReceiver((socket) => socket.resetAndDestroy());
    const sender = createSender();
    expect(await sender.send(receiver.url, message, [secret])).toMatchObject({ status: null, error: 'ECONNRESET' });
    expect(receiver.read).toBe(1);
    sender.close();
  });
});

it.each([
  ['alone', ''],
  ['with bytes of the other protocol', 'more'],
])('a receiver that wants to change the protocol, %s, does not keep an attempt for ever', async (_, more) => {
  const upgrade = `HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n${more}`;
  const receiver = await openReceiver((socket) => socket.write(upgrade));
  const sender = createSender();
  expect(await sender.send(receiver.url, message, [secret])).toMatchObject({
    status: null,
    error: 'closed without an answer',
  });
  sender.close();
});

describe('the body of an answer', () => {
  const head = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n';
  it.each<[string, (socket: Socket) => void]>([
    ['is cut off', (socket) => socket.end(`HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nbegin`)],
    [
      'is reset',
      (socket) => void socket.write(`${head}5\r\nbegin\r\n`, () => setTimeout(() => socket.resetAndDestroy(), 50)),
    ],
    ['is no chunk', (socket) => socket.write(`${head}5\r\nbegin\r\nnonsense\r\n\r\nHTTP/1.1 nonsense\r\n\r\n`)],
    ['stops', (socket) => socket.write(`${head}5\r\nbegin\r\n`)],
    [
      'never ends',
      (socket) => {
        socket.write(`${head}5\r\nbegin\r\n`);
        const timer = setInterval(() => (socket.destroyed ? clearInterval(timer) : socket.write(`1\r\nx\r\n`)), 20);
      },
    ],
    [
      'floods',
      (socket) => {
        socket.write(`${head}5\r\nbegin\r\n`);
        const flood = (): void => {
          while (!socket.destroyed && socket.write(`10000\r\n${'x'.repeat(0x10000)}\r\n`));
        };
        socket.on('drain', flood);
        flood();
      },
    ],
  ])('that %s changes nothing of the status', async (_, answer) => {
    const receiver = await openReceiver(answer);
    const sender = createSender(400);
    const attempt = await sender.send(receiver.url, message, [secret]);
    expect(attempt).toMatchObject({ status: 200, error: null, response: expect.stringMatching(/^begin/) });
    expect(attempt.response!.length).toBeLessThanOrEqual(limits.webhook.responseBytes);
    expect(attempt.milliseconds).toBeLessThan(1500);
    expect(receiver.read).toBe(1);
    sender.close();
  });

  it('has a head before it: one that does not come is no answer', async () => {
    const receiver = await openReceiver((socket) => socket.write('HTTP/1.1 200 OK\r\nX-Begin: '));
    const sender = createSender(200);
    expect(await sender.send(receiver.url, message, [secret])).toMatchObject({
      status: null,
      error: 'no whole answer within 0.2 s',
    });
    sender.close();
  });
});
