// What events of subscriptions cost: tokens by their selection. An event waits while the bucket is empty, and none is lost.
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, expect, it } from 'vitest';
import { readConfig } from '../../src/config/config.ts';
import type { Caller } from '../../src/context.ts';
import { Credentials } from '../../src/gate/credentials.ts';
import { Subscriptions } from '../../src/graphql/subscriptions.ts';
import { limits } from '../../src/limits/limits.ts';
import { Problem } from '../../src/problem.ts';
import { type RunningServer, startServer } from '../../src/server/server.ts';
import { openLog } from '../../src/telemetry/log.ts';
import { type Door, openApp } from '../harness/app.ts';
import { waitUntil } from '../harness/waiting.ts';

const credentials = new Credentials(new Headers());
const caller = { groupId: 1, tokenId: 1 } as Caller;

/** A subscription whose gate answers with these, and then admits; what it paid. */
const openAt = (answers: (Problem | number)[] = []) => {
  const paid: number[] = [];
  const admit = async (_: unknown, cost: number) => {
    const answer = answers.shift() ?? 100;
    if (answer instanceof Problem) throw answer;
    paid.push(cost);
    return { caller, bucket: { tokens: answer, capacity: 100, refill: 1000, cost }, wroteAt: 0 };
  };
  const closing = new AbortController();
  const open = new Subscriptions({ admit }, closing.signal).open(caller, credentials);
  return { open, paid, closing };
};
const isEmpty = new Problem('rate-limited', 'empty', { headers: { 'Retry-After': '0.01' } });

it.each([
  [0, 3, 0],
  [0, 25, 7],
  [1000, 25, 12],
  [4000, 10, 11],
  [99_000, 1, 20],
])('events of %i records: %i of them take %i tokens beside that of the begin', async (records, events, tokens) => {
  const { open, paid, closing } = openAt();
  for (let event = 0; event < events; event++) await open.pay(records);
  expect(paid).toEqual(Array(tokens).fill(1));
  closing.abort();
});

it('an event waits for a token, ends with a token that is revoked, and with its stream', async () => {
  const { perToken } = { perToken: limits.document.nodesPerToken };
  const waiting = openAt([isEmpty, isEmpty, 10]);
  await waiting.open.pay(perToken);
  expect(waiting.paid).toEqual([1]);
  const revoked = openAt([isEmpty, new Problem('unauthenticated', 'revoked')]);
  await expect(revoked.open.pay(perToken)).rejects.toThrow('revoked');
  const closed = openAt(Array(100_000).fill(isEmpty));
  const paying = closed.open.pay(perToken);
  closed.open.close();
  await paying;
  expect(closed.paid).toEqual([]);
  for (const { closing } of [waiting, revoked]) closing.abort();
});

it('an empty bucket ends no stream: it pays its minutes once there are points, and ends with its token', async () => {
  const looks: number[] = [];
  const admit = async (_: unknown, cost: number) => {
    looks.push(cost);
    if (cost > 0 && looks.length < 20) throw isEmpty;
    if (looks.length > 30) throw new Problem('unauthenticated', 'revoked');
    return { caller, bucket: { tokens: 0, capacity: 100, refill: 1, cost }, wroteAt: 0 };
  };
  const open = new Subscriptions({ admit }, new AbortController().signal, 1).open(caller, credentials);
  await waitUntil('it has ended', () => open.signal.aborted);
  expect(open.reason!.code).toBe('unauthenticated');
  // Rights are looked at also while the bucket is empty, and no minute is left out.
  expect(looks.join('')).toBe('000000101010101010101' + '0000001' + '000');
});

let door: Door;
let server: RunningServer;
let token: string;
beforeAll(async () => {
  door = await openApp();
  token = await door.token(1, 1);
  const config = readConfig({ PORT: '0', BUCKET_CAPACITY: '4', BUCKET_REFILL: '1', DRAIN_SECONDS: '5' });
  server = await startServer(config, door.databaseUrl, openLog('silent').log);
  return () => server.stop();
});

const post = (query: string, accept: string): Promise<Response> =>
  fetch(`${server.url}/graphql`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json', Accept: accept },
    body: JSON.stringify({ query }),
  });

it('the events of many changes come slowly once the bucket is empty, and all of them in their order', async () => {
  const response = await post(
    'subscription { changes(filter: { types: [ACTION] }) { recordId node { id } } }',
    'text/event-stream',
  );
  let text = '';
  void response
    .body!.pipeTo(
      new WritableStream({
        write: (chunk) => {
          text += Buffer.from(chunk).toString('utf8');
        },
      }),
    )
    .catch(() => {});
  const ids = (): string[] => [...text.matchAll(/"recordId":"(Action:\d+)"/g)].map(([, id]) => id!);
  // A request to an app with a larger bucket would fill this one.
  const create = async (name: string): Promise<string> => {
    const [{ id }] = await door.sql('insert into actions (group_id, name) values (1, ?) returning id', [name]);
    return `Action:${id}`;
  };
  await waitUntil('it has begun', async () => {
    await create(`begun ${Math.random()}`);
    return ids().length > 0;
  });
  const before = ids().length;
  // Others have spent what the space had.
  while ((await post('{ viewer { user { id } } }', 'application/json')).status !== 429);
  const made: string[] = [];
  for (let n = 0; n < 16; n++) made.push(await create(`many ${n}`));
  await waitUntil('they come', () => ids().length >= before + 1);
  // Without a price all of them have come by now.
  await sleep(1000);
  expect(ids().length).toBeLessThan(before + made.length);
  await waitUntil('all came', () => ids().slice(-1)[0] === made.at(-1), 30_000);
  expect(ids().slice(-made.length)).toEqual(made);
}, 60_000);
