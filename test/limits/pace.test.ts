// Pace: pieces of long work run in their order, and requests that are not paced run in between.
import { setImmediate as tick } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { countArrivedRequest, Pace } from '../../src/limits/pace.ts';

/** Holds the thread, as a long piece does. */
const work = (ms: number): void => {
  const end = performance.now() + ms;
  while (performance.now() < end);
};

it('runs pieces in the order in which they were asked for, each to its end', async () => {
  const pace = new Pace();
  const seen: string[] = [];
  const pieces = ['a', 'b', 'c'].map(async (name) => {
    await pace.turn();
    seen.push(`${name} begins`);
    await Promise.resolve();
    seen.push(`${name} ends`);
  });
  await Promise.all(pieces);
  expect(seen).toEqual(['a begins', 'a ends', 'b begins', 'b ends', 'c begins', 'c ends']);
});

it('lets the event loop run between pieces that take long', async () => {
  const pace = new Pace();
  let ticks = 0;
  let isDone = false;
  const loop = (async () => {
    while (!isDone) {
      await tick();
      ticks++;
    }
  })();
  const between: number[] = [];
  for (let piece = 0; piece < 5; piece++) {
    await pace.turn();
    between.push(ticks);
    work(5);
  }
  isDone = true;
  await loop;
  expect(new Set(between).size).toBe(5);
});

it('waits for requests that are not paced, once it counts as paced, and ends what it began', async () => {
  const seen: string[] = [];
  const pace = new Pace(async () => () => void seen.push('left'));
  await countArrivedRequest(async () => {
    await pace.begin();
    const short = countArrivedRequest(async () => {
      await tick();
      seen.push('short request');
    });
    await pace.turn();
    seen.push('piece');
    await short;
    pace.end();
    pace.end();
  });
  expect(seen).toEqual(['short request', 'piece', 'left']);
});

it('calls back when no piece is left', async () => {
  const pace = new Pace();
  const seen: string[] = [];
  const idle = new Promise<void>((resolve) =>
    pace.whenIdle(() => {
      seen.push('idle');
      resolve();
    }),
  );
  await pace.turn();
  seen.push('piece');
  await idle;
  expect(seen).toEqual(['piece', 'idle']);
});
