// Leases: one process at a time has a piece of work, also when many ask at once; work that failed waits, that of a killed process is done again; and a process that works on jobs.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { afterEach, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { Pool } from '../../src/database/pool.ts';
import { countWaiting, freeLease, type Lease, postponeWork, renewLease, takeLeases } from '../../src/jobs/leases.ts';
import { type Door, type Json, openApp } from '../harness/app.ts';
import { waitUntil } from '../harness/waiting.ts';
import { openReceiver, startJobs } from '../webhook/receiver.ts';
import { createQuery } from '../webhook/webhook-door.ts';

let door: Door;
let pool: Pool;
beforeAll(async () => {
  door = await openApp({ WEBHOOK_PRIVATE_ADDRESSES: true });
  pool = door.database.jobPool;
});
afterEach(() => door.sql('delete from job_leases'));

const want = (keys: string[], room = 10) => keys.map((key) => ({ key, room }));
const take = async (keys: string[], most = 10): Promise<Lease[]> => takeLeases(pool, 'test', want(keys), most);
/** What is left of the lease or the pause in seconds, and how often the work failed. */
const readRows = (name = 'test') =>
  door.sql(
    'select key, failures, extract(epoch from until - now())::float8 as left from job_leases where name = ? order by key',
    [name],
  );
const expire = () => door.sql(`update job_leases set until = now() - interval '1 s'`);

describe('a lease', () => {
  it('is of one holder until it is given back', async () => {
    const [lease, ...more] = await take(['1/7']);
    expect([lease!.key, more]).toEqual(['1/7', []]);
    expect(await take(['1/7'])).toEqual([]);
    expect(await takeLeases(pool, 'another', want(['1/7']), 1)).toHaveLength(1);
    await freeLease(pool, lease!);
    expect(await take(['1/7'])).toHaveLength(1);
  });

  it('is taken on as much work as is asked for', async () => {
    const keys = ['1', '2', '3', '4', '5'];
    const taken = [
      ...(await take(keys, 2)),
      ...(await take(keys, 2)),
      ...(await take(keys, 2)),
      ...(await take(keys, 2)),
    ];
    expect(taken.map(({ key }) => key).sort()).toEqual(keys);
  });

  it('is taken on the work of every space, and of none on more than there is room for', async () => {
    const wanted = [...want(['1/1', '1/2', '1/3', '1/4', '1/5'], 3), ...want(['2/1', '2/2'], 0), ...want(['3/1'])];
    const listSpaces = async (most: number) =>
      (await takeLeases(pool, 'test', wanted, most)).map(({ key }) => key.split('/')[0]).sort();
    expect(await listSpaces(2)).toEqual(['1', '3']);
    expect(await listSpaces(10)).toEqual(['1', '1', '1']);
  });

  it('lasts half a minute from when it was taken or renewed', async () => {
    const [lease] = await take(['1']);
    const [{ left }] = await readRows();
    expect([left > 25, left <= 30]).toEqual([true, true]);
    await expire();
    await renewLease(pool, lease!);
    expect((await readRows())[0].left).toBeGreaterThan(25);
  });

  it('of a process that was killed is taken by another, and the first one no longer touches it', async () => {
    const [lost] = await take(['1']);
    await expire();
    const [lease] = await take(['1']);
    const [before] = await door.sql('select * from job_leases');
    expect(before.holder).toBe(lease!.holder);
    for (const touch of [renewLease, freeLease, postponeWork]) await touch(pool, lost!);
    expect(await door.sql('select * from job_leases')).toEqual([before]);
  });

  it('leaves nothing behind of work that is not found any more', async () => {
    const [gone] = await take(['gone']);
    await postponeWork(pool, gone!);
    await door.sql(`update job_leases set until = now() - interval '61 minutes'`);
    const [lease] = await take(['1']);
    await freeLease(pool, lease!);
    expect(await readRows()).toEqual([]);
  });
});

it('work that failed waits twice as long after each failure, up to a minute, and at once after a success', async () => {
  const pauses: number[] = [];
  const fail = async (): Promise<void> => {
    const [lease] = await take(['1']);
    await postponeWork(pool, lease!);
    expect(await take(['1'])).toEqual([]);
    pauses.push(Math.ceil((await readRows())[0].left));
    await expire();
  };
  for (let count = 0; count < 8; count++) await fail();
  expect(pauses).toEqual([1, 2, 4, 8, 16, 32, 64, 64]);
  await door.sql('update job_leases set failures = 100000');
  await fail();
  const [lease] = await take(['1']);
  await freeLease(pool, lease!);
  await fail();
  expect(pauses.slice(8)).toEqual([64, 1]);
});

it('work waits while nobody does it, also when it failed', async () => {
  const keys = ['1', '2', '3', '4'];
  const [, failed] = [...(await take(['1'])), ...(await take(['2']))];
  await take(['3']);
  await postponeWork(pool, failed!);
  expect(await countWaiting(pool, 'test', keys)).toBe(2);
  await expire();
  expect(await countWaiting(pool, 'test', keys)).toBe(4);
  expect(await countWaiting(pool, 'test', [])).toBe(0);
});

it('many processes that ask at once never have the same work together, and all of it is done', async () => {
  const keys = Array.from({ length: 20 }, (_, index) => String(index));
  const held = new Set<string>();
  const done = new Map<string, number>();
  const end = performance.now() + 2000;
  const work = async (): Promise<void> => {
    const own = Pool.connect(door.databaseUrl, { size: 1 });
    onTestFinished(() => own.close());
    while (performance.now() < end) {
      const leases = await takeLeases(own, 'test', want(keys), 5);
      for (const { key } of leases) {
        expect(held).not.toContain(key);
        held.add(key);
      }
      await sleep(Math.random() * 5);
      for (const lease of leases) {
        held.delete(lease.key);
        done.set(lease.key, (done.get(lease.key) ?? 0) + 1);
        await freeLease(own, lease);
      }
    }
  };
  await Promise.all(Array.from({ length: 8 }, work));
  expect(done.size).toBe(keys.length);
  expect(Math.min(...done.values())).toBeGreaterThan(5);
});

describe('a process that works on jobs', () => {
  // Whoever evaluates a segment gives positions, too.
  beforeAll(() => door.sql('update segments set is_watched = false'));

  const readJob = () => readRows('publish-changes');
  const isDone = async () => (await door.sql('select from change_queue')).length === 0;

  it('gives positions to changes that nobody reads, and stops at once', async () => {
    await door.sql(`insert into actions (group_id, name) values (1, 'published by a job'), (2, 'too')`);
    const { failures, stop } = startJobs(door);
    await waitUntil('it is done', isDone);
    const began = performance.now();
    await stop();
    expect(performance.now() - began).toBeLessThan(1000);
    expect(failures).toEqual([]);
    const rows = await door.sql(`select group_id from changes where type = 'Action' order by 1`);
    expect(rows.map(({ group_id }) => group_id)).toEqual([1, 2]);
  });

  it('reports a job that fails, and does it again after a pause', async () => {
    await door.sql('alter function number_changes rename to number_changes_away');
    await door.sql(`insert into actions (group_id, name) values (1, 'failed at first')`);
    const { failures, stop } = startJobs(door);
    await waitUntil('it has failed', async () => (await readJob())[0]?.failures === 1);
    await door.sql('alter function number_changes_away rename to number_changes');
    const waited = performance.now();
    await waitUntil('it is done', isDone);
    expect(performance.now() - waited).toBeGreaterThan(500);
    await stop();
    expect(failures).toMatchObject([{ code: '42883' }]);
  });

  it('sends the webhooks of a space also while many receivers of another hang', async () => {
    let hanging = 0;
    const silent = createServer(() => hanging++).listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const url = `http://127.0.0.1:${(silent.address() as AddressInfo).port}/`;
    const receiver = await openReceiver();
    const createWebhook = async (token: string, to: string): Promise<Json> => {
      const input = { name: 'Test', url: to, events: ['CONTACT_CREATED'] };
      return (await door.graphql(createQuery, { input }, token)).body.data.createWebhook;
    };
    const createContact = (token: string) =>
      door.graphql('mutation { createContact(input: { firstName: "Ada" }) { contact { id } } }', {}, token);
    const [{ id }] = await door.sql(
      `select min(user_id) as id from members m join roles r on r.group_id = 2 and r.id = m.role_id and r.type = 'superadmin' where m.group_id = 2`,
    );
    const [token, other] = [await door.token(1, 1), await door.token(2, id)];
    for (let count = 0; count < 12; count++) await createWebhook(token, url);
    receiver.secret = (await createWebhook(other, receiver.url)).secret;
    // Longer than the test may take.
    const { stop } = startJobs(door, { timeout: 30 });
    await createContact(token);
    await waitUntil('many hang', () => hanging >= 7);
    await createContact(other);
    await waitUntil('the other one comes', () => receiver.received.length === 1, 20_000);
    silent.close();
    silent.closeAllConnections();
    await stop();
  });

  it('keeps its lease while it works', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    onTestFinished(() => void vi.useRealTimers());
    const other = new pg.Client(door.databaseUrl);
    await other.connect();
    onTestFinished(() => other.end());
    await other.query('begin; select 1 from change_feeds where group_id = 1 for update');
    await door.sql(`insert into actions (group_id, name) values (1, 'takes long')`);
    const { failures, stop } = startJobs(door);
    await waitUntil('it works', async () => (await readJob()).length > 0);
    await door.sql(`update job_leases set until = now() + interval '10 s'`);
    vi.advanceTimersByTime(10_000);
    await waitUntil('it has renewed its lease', async () => (await readJob())[0].left > 25);
    await other.query('commit');
    await waitUntil('it is done', isDone);
    await stop();
    expect([failures, await readJob()]).toEqual([[], []]);
  });
});
