// Work that takes long leaves room for other work of its key, and is not left behind by it.
import { expect, it } from 'vitest';
import { KeyedSemaphore } from '../../src/database/concurrency-limit.ts';
import { Problem } from '../../src/problem.ts';

const refusal = (): Problem => new Problem('too-many-searches', 'no room');

it('lets others pass long work that waits for room, and serves each kind in its order', async () => {
  const semaphore = new KeyedSemaphore({
    maxConcurrent: 2,
    maxLong: 1,
    maxQueue: 10,
    queueTimeoutMs: 5000,
    refusal,
    abandonment: refusal,
  });
  const begun: string[] = [];
  const leave = new Map<string, () => void>();
  const begin = (name: string, key = 1): void =>
    void semaphore.acquire(key, undefined, name.startsWith('long')).then((end) => {
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
  await expect(semaphore.acquire(1, AbortSignal.abort())).rejects.toBe(left);
  end();
  (await semaphore.acquire(1))();
});
