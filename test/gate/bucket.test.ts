// The bucket of a space is shared by all processes: its bound, its order and every decision equal those of a reference.
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from 'vitest';
import { digestSecret, generateSecret } from '../../src/database/secret.ts';
import { Credentials } from '../../src/gate/credentials.ts';
import { createGate } from '../../src/gate/gate.ts';
import { createAccessToken } from '../../src/gate/token.ts';
import { type Answer, type Door, openApp } from '../harness/app.ts';
import { countWaiting, openSession } from '../harness/session.ts';
import { waitUntil } from '../harness/waiting.ts';
import { stopClock } from './clock.ts';

const run = promisify(execFile);
const hammer = fileURLToPath(new URL('hammer.mjs', import.meta.url));
const seconds = 5;

interface Decision {
  at: number;
  /** The position among concurrent requests. */
  place: number;
  cost: number;
  admitted: boolean;
  tokens: number;
}

/** The contract's bucket in ten lines: its decisions, given the times of the requests. */
const reference = (decisions: Decision[]): { admitted: boolean; tokens: number }[] => {
  let [tokens, filled] = [100, decisions[0]!.at];
  return decisions.map(({ at, cost, admitted: decided }) => {
    tokens = Math.min(100, tokens + Math.max(0, at - filled) * 10);
    filled = at;
    // The rounding of floats decides an exact tie, such as one token 0.1 s after none.
    const admitted = Math.abs(tokens - cost) < 1e-6 ? decided : tokens >= cost;
    if (admitted) tokens -= cost;
    return { admitted, tokens };
  });
};

describe('four processes of four connections on one space', () => {
  let door: Door;
  let decisions: Decision[];
  let undecided = 0;

  beforeAll(async () => {
    door = await openApp();
    const hash = digestSecret(await door.token(1, 1)).toString('hex');
    const outputs = await Promise.all(
      [1, 2, 3, 4].map(() => run('node', [hammer, door.databaseUrl, hash, String(seconds)], { maxBuffer: 1 << 28 })),
    );
    // Microseconds since the first decision, as whole numbers: a float of seconds since 1970 would lose them.
    const rows = outputs.flatMap(
      ({ stdout }) => JSON.parse(stdout) as [string, number, number, boolean | null, number][],
    );
    const all = rows.filter((row): row is [string, number, number, boolean, number] => row[3] !== null);
    undecided = rows.length - all.length;
    const micros = all.map(([at]) => BigInt(at.replace('.', '')));
    const first = [...micros].sort((a, b) => (a < b ? -1 : 1))[0]!;
    decisions = all.map(([, place, cost, admitted, tokens], index) => ({
      at: Number(micros[index]! - first) / 1e6,
      place,
      cost,
      admitted,
      tokens,
    }));
    decisions.sort((a, b) => a.at - b.at || a.place - b.place);
  });

  it('admit in no window more than 100 + 10·t', () => {
    const admitted = decisions.filter((decision) => decision.admitted);
    let excess = -Infinity;
    // With S the cost admitted before a moment, the worst window ends now and starts where 10·t − S was highest.
    let [sum, highest] = [0, -Infinity];
    for (const { at, cost } of admitted) {
      highest = Math.max(highest, 10 * at - sum);
      sum += cost;
      excess = Math.max(excess, sum + highest - 10 * at - 100);
    }
    expect(excess).toBeLessThanOrEqual(1e-6);
    expect(decisions.length).toBeGreaterThan(1000);
  });

  it('admit every available token: none is lost', () => {
    const sum = decisions.reduce((total, { admitted, cost }) => total + (admitted ? cost : 0), 0);
    expect(sum).toBeGreaterThanOrEqual(100 + 10 * decisions.at(-1)!.at - 5);
  });

  it('decide every time as the reference does', () => {
    const expected = reference(decisions);
    const differing = decisions.filter(
      ({ admitted, tokens }, index) =>
        admitted !== expected[index]!.admitted || Math.abs(tokens - expected[index]!.tokens) > 1e-6,
    );
    expect(differing).toEqual([]);
    // Both happened; how often depends on the machine.
    expect(decisions.filter(({ admitted }) => !admitted).length).toBeGreaterThan(0);
    expect(undecided).toBeGreaterThan(0);
  });
});

describe('concurrent requests', () => {
  let door: Door;
  let elsewhere: string;
  beforeAll(async () => {
    door = await openApp({ BUCKET_CAPACITY: 100, BUCKET_REFILL: 0.001 });
    const [{ user_id }] = await door.sql('select min(user_id) as user_id from members where group_id = 2');
    elsewhere = await door.token(2, user_id);
  });
  const get = (token?: string): Promise<Answer> => door.rest('GET', '/teams', undefined, token);
  const sendMany = async (count: number, tokens: (string | undefined)[] = [undefined]) => {
    const answers: Answer[] = [];
    const seen = await door.statements(async () => {
      answers.push(...(await Promise.all(Array.from({ length: count }, (_, at) => get(tokens[at % tokens.length])))));
    });
    const gates = seen.filter((sql) => sql.includes('enter_gate')).length;
    return { answers, gates, statuses: answers.map(({ status }) => status) };
  };
  const remainingOf = (answers: Answer[]): number[] =>
    answers.map(({ headers }) => Number(headers.get('x-ratelimit-remaining')));

  it('are admitted by one statement, each with the tokens left after it', async () => {
    await fillBuckets(door);
    const { answers, gates, statuses } = await sendMany(50);
    expect([gates, new Set(statuses)]).toEqual([1, new Set([200])]);
    expect(remainingOf(answers)).toEqual([...remainingOf(answers)].sort((a, b) => b - a));
    expect(remainingOf(answers)[0]! - remainingOf(answers).at(-1)!).toBe(49);
  });

  it('are refused from where the bucket is empty, and no earlier', async () => {
    await fillBuckets(door);
    const gate = createGate(door.database, { capacity: 100, refill: 0.001 });
    const credentials = new Credentials(new Headers({ Authorization: `Bearer ${await door.token(1, 1)}` }));
    const enter = () =>
      gate.admit(credentials, 1).then(
        () => 200,
        ({ status }) => status,
      );
    const statuses = await Promise.all(Array.from({ length: 130 }, enter));
    expect(statuses).toEqual(Array.from({ length: 130 }, (_, at) => (at < 100 ? 200 : 429)));
  });

  it('with different tokens and spaces share a statement, each with its own bucket', async () => {
    const other = await createAccessToken(door.database, 1, 2);
    await fillBuckets(door);
    const { answers, gates, statuses } = await sendMany(40, [undefined, other, generateSecret('token'), elsewhere]);
    // One statement, except for requests that wait for a slot first.
    expect(gates).toBeLessThan(answers.length / 3);
    expect(statuses).toEqual(statuses.map((_, at) => (at % 4 === 2 ? 401 : 200)));
    const of = (rest: number) => answers.filter((_, at) => at % 4 === rest);
    expect(remainingOf(of(3))).toEqual(Array.from({ length: 10 }, (_, at) => 99 - at));
    expect(remainingOf([...of(0), ...of(1)]).sort((a, b) => b - a)).toEqual(
      Array.from({ length: 20 }, (_, at) => 99 - at),
    );
  });

  it('are queued: one statement admits at most a hundred', async () => {
    await fillBuckets(door);
    const gate = createGate(door.database, { capacity: 100, refill: 0.001 });
    const credentials = new Credentials(new Headers({ Authorization: `Bearer ${await door.token(1, 1)}` }));
    const enter = () => gate.admit(credentials, 1).catch(() => {});
    const seen = await door.statements(() => Promise.all(Array.from({ length: 250 }, enter)));
    expect(seen.filter((sql) => sql.includes('enter_gate'))).toHaveLength(3);
  });

  it('wait on one connection for a bucket that is locked, and nobody of another space waits with them', async () => {
    await fillBuckets(door);
    await sendMany(2, [undefined, elsewhere]);
    const [holder, watch] = [await openSession(door.databaseUrl), await openSession(door.databaseUrl)];
    await holder.query('begin; select from rate_buckets where group_id = 1 for update');
    const held = Promise.all(Array.from({ length: 30 }, () => get()));
    await waitUntil('they wait', async () => (await countWaiting(watch)) === 1);
    const { statuses } = await sendMany(30, [elsewhere, generateSecret('token')]);
    expect(statuses).toEqual(statuses.map((_, at) => (at % 2 ? 401 : 200)));
    expect(await countWaiting(watch)).toBe(1);
    await holder.query('rollback');
    expect(remainingOf(await held)).toEqual(Array.from({ length: 30 }, (_, at) => 98 - at));
  });

  it('all fail with the statement that was to admit them, and later ones do not', async () => {
    await fillBuckets(door);
    await door.database.readers.knex.raw('alter function enter_gate rename to broken_gate');
    const { statuses } = await sendMany(5);
    await door.database.readers.knex.raw('alter function broken_gate rename to enter_gate');
    expect(new Set(statuses)).toEqual(new Set([500]));
    expect(new Set((await sendMany(5)).statuses)).toEqual(new Set([200]));
  });
});

const fillBuckets = (door: Door) => door.database.readers.knex.raw('delete from rate_buckets');

describe('a clock that was set back by an hour', () => {
  it.each([0, 2])('neither shuts a bucket of %i tokens nor fills it', async (held) => {
    const door = await openApp({ BUCKET_CAPACITY: 100, BUCKET_REFILL: 4 });
    const clock = await stopClock(door);
    /** How many of ten requests are admitted. */
    const admitted = async (): Promise<number> => {
      let count = 0;
      for (let asked = 0; asked < 10; asked++) if ((await door.rest('GET', '/teams')).status === 200) count++;
      return count;
    };
    await clock.fill(held);
    await clock.advance(-3600);
    expect(await admitted()).toBe(held);
    for (let step = 0; step < 4; step++) {
      await clock.advance(0.5);
      expect(await admitted()).toBe(2);
    }
  });
});
