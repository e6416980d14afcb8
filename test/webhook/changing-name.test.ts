// Names whose address changes from one question to the next: a message goes to the address that was checked, and never to a private one.
import dns, { type LookupAddress } from 'node:dns';
import { Agent } from 'node:https';
import { syncBuiltinESMExports } from 'node:module';
import type { Socket } from 'node:net';
import { afterEach, expect, it, vi } from 'vitest';
import { generateWebhookSecret } from '../../src/data/event/webhook.ts';
import { WebhookSender } from '../../src/jobs/webhook-send.ts';
import { openReceiver } from './receiver.ts';

const name = 'hooks.example.test';
const message = { id: 'msg_1', body: '{}' };
const [publicAddress, otherPublicAddress, privateAddress] = ['93.184.215.14', '2606:2800:21f::1', '127.0.0.1'];
const refusal = 'the name leads to an address of a private network';

afterEach(() => {
  vi.restoreAllMocks();
  syncBuiltinESMExports();
});

type Answer = (error: Error | null, address: string | LookupAddress[], family?: number) => void;

/** Answers questions for the name in turn, and those after them as the last one, to whomever asks. Returns the number of questions. */
const resolveTo = (...answers: string[][]): (() => number) => {
  let asked = 0;
  const answer = (hostname: string, options: { all?: boolean }, callback: Answer): void => {
    expect(hostname).toBe(name);
    const addresses = answers[Math.min(asked++, answers.length - 1)]!;
    const found = addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
    setImmediate(() => (options.all ? callback(null, found) : callback(null, found[0]!.address, found[0]!.family)));
  };
  vi.spyOn(dns, 'lookup').mockImplementation(answer as never);
  syncBuiltinESMExports();
  return () => asked;
};

/** Notes the addresses that sockets are about to connect to, and stops them there: no test speaks to the Internet. */
const stopSockets = (): string[] => {
  const reached: string[] = [];
  const prototype = Agent.prototype as unknown as { createConnection(...args: unknown[]): Socket };
  const connect = prototype.createConnection;
  vi.spyOn(prototype, 'createConnection').mockImplementation(function (this: unknown, ...args) {
    const socket = connect.apply(this, args);
    socket.on('lookup', (error, address) => {
      if (error) return;
      reached.push(address);
      socket.destroy(new Error('stopped by the test'));
    });
    return socket;
  });
  return reached;
};

const send = async (url: string, allowsPrivate = false) => {
  const sender = new WebhookSender({ allowsPrivate, timeoutMs: 5000 });
  const attempt = await sender.send(url, message, [generateWebhookSecret()]);
  sender.close();
  return attempt;
};

it('the address that was checked is connected to, though the name has a private one a moment later', async () => {
  const countQuestions = resolveTo([publicAddress], [privateAddress]);
  const reached = stopSockets();
  expect((await send(`https://${name}/hooks`)).error).toBe('stopped by the test');
  expect([reached, countQuestions()]).toEqual([[publicAddress], 1]);
  // The next message asks again, and is not sent.
  expect(await send(`https://${name}/hooks`)).toMatchObject({ status: null, error: refusal });
  expect([reached, countQuestions()]).toEqual([[publicAddress], 2]);
});

it('one private address among public ones is enough for a refusal', async () => {
  const reached = stopSockets();
  for (const address of [privateAddress, '10.0.0.1', '169.254.169.254', '::1', 'fd00::1', '::ffff:127.0.0.1']) {
    resolveTo([publicAddress, otherPublicAddress, address]);
    expect([address, (await send(`https://${name}/hooks`)).error]).toEqual([address, refusal]);
  }
  expect(reached).toEqual([]);
});

it('a receiver is reached at the first answer of the name server, which is asked once', async () => {
  const receiver = await openReceiver();
  const url = receiver.url.replace('127.0.0.1', name);
  // Nothing can listen at the second address, which is for documentation.
  const countQuestions = resolveTo(['127.0.0.1'], ['192.0.2.1']);
  // It answers, though it does not know the secret.
  expect(await send(url, true)).toMatchObject({ status: 401, error: null });
  expect(countQuestions()).toBe(1);
});
