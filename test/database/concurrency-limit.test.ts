// Work that takes long leaves room for other work of its key, and is not left behind by it.
import { afterEach, expect, it, vi } from 'vitest';
import { KeyedSemaphore } from '../../src/database/concurrency-limit.ts';
import { Problem } from '../../src/problem.ts';

afterEach(() => void vi.useRealTimers());

const refusal = (): Problem => new Problem('too-many-searches', 'no room');

it('lets others pass long work that waits for room, and serves each kind in its order', async () => {
  const semaphore = new KeyedSemaphore({
    maxConcurrent: 2,
    long: { from: 250, max: 1 },
    maxQueue: 10,
    queueTimeoutMs: 5000,
    refusal,
    abandonment: refusal,
  });
  const begun: string[] = [];
  const leave = new Map<string, () => void>();
  const begin = (name: string, key = 1): void =>
    void semaphore.acquire(key, { expectedMs: name.startsWith('long') ? 300 : 0 }).then((end) => {
      begun.push(name);
      leave.set(name, end);
    });
  const end = async (name: string): Promise<void> => {
    leave.get(name)!();
    await new Promise(setImmediate);
  };
  for (const name of ['long 1', 'long 2', 'short 1', 'short 2', 'long 3']) begin(name);
  begin('long of another', 2);
  await new Promise(setImmediate);
  // The second long one has a slot and no room.
  expect(begun).toEqual(['long 1', 'short 1', 'long of another']);
  await end('short 1');
  expect(begun.slice(3)).toEqual(['short 2']);
  await end('long 1');
  expect(begun.slice(4)).toEqual(['long 2']);
  await end('short 2');
  // Only a long one waits, and another one runs.
  expect(begun).toHaveLength(5);
  await end('long 2');
  expect(begun.slice(5)).toEqual(['long 3']);
});

it('begins first what should take less time, and soon what has waited for long', async () => {
  vi.useFakeTimers({ toFake: ['performance', 'setTimeout', 'clearTimeout'] });
  const semaphore = new KeyedSemaphore({ maxConcurrent: 1, maxQueue: 10, queueTimeoutMs: 5000, refusal });
  const end = await semaphore.acquire(1);
  const begun: string[] = [];
  const wait = (name: string, expectedMs: number): void =>
    void semaphore.acquire(1, { expectedMs }).then((endNext) => {
      begun.push(name);
      endNext();
    });
  wait('any time', Number.POSITIVE_INFINITY);
  wait('200 ms', 200);
  wait('20 ms', 20);
  wait('another 20 ms', 20);
  vi.advanceTimersByTime(3900);
  wait('20 ms later', 20);
  end();
  await new Promise(setImmediate);
  expect(begun).toEqual(['20 ms', 'another 20 ms', 'any time', '200 ms', '20 ms later']);
});

it('refuses at once to wait for a client that has left already', async () => {
  const left = new Problem('too-many-searches', 'left');
  const semaphore = new KeyedSemaphore({
    maxConcurrent: 1,
    maxQueue: 10,
    queueTimeoutMs: 60_000,
    refusal,
    abandonment: () => left,
  });
  const end = await semaphore.acquire(1);
  await expect(semaphore.acquire(1, { signal: AbortSignal.abort() })).rejects.toBe(left);
  end();
  (await semaphore.acquire(1))();
});
