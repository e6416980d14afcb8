// The bucket of a space is one, whatever the number of processes: bound, order and every single decision are held to a reference.
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from 'vitest';
import { createToken, digest, newToken } from '../../src/gate/token.ts';
import { type Answer, type Door, openApp } from '../harness.ts';

const run = promisify(execFile);
const hammer = fileURLToPath(new URL('hammer.mjs', import.meta.url));
const seconds = 5;

interface Decision {
  at: number;
  /** Among those that were asked for at once. */
  place: number;
  cost: number;
  admitted: boolean;
  tokens: number;
}

/** The contract's bucket in ten lines: what it decides, given when it was asked. */
const reference = (decisions: Decision[]): { admitted: boolean; tokens: number }[] => {
  let [tokens, filled] = [100, decisions[0]!.at];
  return decisions.map(({ at, cost }) => {
    tokens = Math.min(100, tokens + Math.max(0, at - filled) * 10);
    filled = at;
    const admitted = tokens >= cost;
    if (admitted) tokens -= cost;
    return { admitted, tokens };
  });
};

describe('four processes of four connections on one space', () => {
  let door: Door;
  let decisions: Decision[];

  beforeAll(async () => {
    door = await openApp();
    const hash = digest(await door.token(1, 1)).toString('hex');
    const outputs = await Promise.all(
      [1, 2, 3, 4].map(() => run('node', [hammer, door.databaseUrl, hash, String(seconds)], { maxBuffer: 1 << 28 })),
    );
    // Microseconds since the first decision, as whole numbers: a float of seconds since 1970 would lose them.
    const all = outputs.flatMap(({ stdout }) => JSON.parse(stdout) as [string, number, number, boolean, number][]);
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

  it('admit what there is: no token is lost', () => {
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
    expect(decisions.filter(({ admitted }) => !admitted).length).toBeGreaterThan(100);
  });
});

describe('requests of one token that come together', () => {
  let door: Door;
  beforeAll(async () => {
    door = await openApp({ BUCKET_CAPACITY: 100, BUCKET_REFILL: 0.001 });
  });
  const many = async (count: number, tokens: (string | undefined)[] = [undefined]) => {
    const answers: Answer[] = [];
    const seen = await door.statements(async () => {
      const asked = Array.from({ length: count }, (_, at) =>
        door.rest('GET', '/users/1', undefined, tokens[at % tokens.length]),
      );
      answers.push(...(await Promise.all(asked)));
    });
    const gates = seen.filter((sql) => sql.includes('enter_gate')).length;
    return { answers, gates, statuses: answers.map(({ status }) => status) };
  };

  it('are let in by two statements, each with what is left after it', async () => {
    await fillBuckets(door);
    const { answers, gates, statuses } = await many(50);
    expect([gates, new Set(statuses)]).toEqual([2, new Set([200])]);
    const left = answers.map(({ headers }) => Number(headers.get('x-ratelimit-remaining')));
    expect(left).toEqual([...left].sort((a, b) => b - a));
    expect(left[0]! - left.at(-1)!).toBe(49);
  });

  it('are refused from where the bucket is empty, and no further', async () => {
    await fillBuckets(door);
    const { statuses } = await many(130);
    expect(statuses.indexOf(429)).toBeGreaterThanOrEqual(100);
    expect(statuses.lastIndexOf(200)).toBe(statuses.indexOf(429) - 1);
  });

  it('of another token go in by themselves', async () => {
    const other = await createToken(door.database, 1, 1);
    await fillBuckets(door);
    const { gates, statuses } = await many(30, [undefined, other, newToken()]);
    expect(gates).toBe(6);
    expect(statuses).toEqual(statuses.map((_, at) => (at % 3 === 2 ? 401 : 200)));
  });

  it('wait in line: a hundred at most go in at once', async () => {
    await fillBuckets(door);
    expect((await many(250)).gates).toBe(4);
  });

  it('all fail with the statement that was to let them in, and those after them do not', async () => {
    await fillBuckets(door);
    await door.database.knex.raw('alter function enter_gate rename to broken_gate');
    const { statuses } = await many(5);
    await door.database.knex.raw('alter function broken_gate rename to enter_gate');
    expect(new Set(statuses)).toEqual(new Set([500]));
    expect(new Set((await many(5)).statuses)).toEqual(new Set([200]));
  });
});

const fillBuckets = (door: Door) => door.database.knex.raw('delete from rate_buckets');
