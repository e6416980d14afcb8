// The bucket of a space is one, whatever the number of processes: bound, order and every single decision are held to a reference.
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from 'vitest';
import { digest } from '../../src/gate/token.ts';
import { type Door, openApp } from '../harness.ts';

const run = promisify(execFile);
const hammer = fileURLToPath(new URL('hammer.mjs', import.meta.url));
const seconds = 5;

interface Decision {
  at: number;
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
    const all = outputs.flatMap(({ stdout }) => JSON.parse(stdout) as [string, number, boolean, number][]);
    const micros = all.map(([at]) => BigInt(at.replace('.', '')));
    const first = [...micros].sort((a, b) => (a < b ? -1 : 1))[0]!;
    decisions = all.map(([, cost, admitted, tokens], index) => ({
      at: Number(micros[index]! - first) / 1e6,
      cost,
      admitted,
      tokens,
    }));
    decisions.sort((a, b) => a.at - b.at || b.tokens - a.tokens);
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
