// Admission by itself: the order of the queue, which requests are refused, and that slots are never lost.
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { Admission, type QueueKey, type Slot } from '../../src/gate/admission.ts';
import { waitUntil } from '../harness/waiting.ts';

const bounds = {
  longestWait: 200,
  all: { within: 0, least: 4, most: 4 },
  queue: { within: 0, others: 1, least: 3, most: 3 },
  entering: { within: 0, least: 3, most: 3, from: 0.25 },
  longestSlot: 1000,
  tick: 10,
  averagedOver: 20,
  memory: 1000,
  reportEvery: 50,
};

/** Requests that take `ms` each once they have a slot. */
const visitors = (admission: Admission, ms: number) => {
  const admitted: QueueKey[] = [];
  let most = 0;
  let underWay = 0;
  const visit = async (key: QueueKey, signal?: AbortSignal): Promise<'served' | 'refused'> => {
    try {
      const slot = await admission.acquireSlot(key, signal && (() => signal.aborted));
      try {
        await slot.beginWork();
      } catch (refusal) {
        slot.free();
        throw refusal;
      }
      admitted.push(key);
      most = Math.max(most, ++underWay);
      await sleep(ms);
      underWay--;
      slot.free();
      return 'served';
    } catch (error) {
      expect(error).toMatchObject({ code: 'overloaded', status: 503 });
      return 'refused';
    }
  };
  return { visit, admitted, most: () => most };
};
const count = (outcomes: string[], wanted: string): number => outcomes.filter((one) => one === wanted).length;

describe('requests', () => {
  it('run as many at once as there are slots, in the order of their queue', async () => {
    const { visit, admitted, most } = visitors(new Admission({ bounds }), 5);
    expect(count(await Promise.all(Array.from({ length: 40 }, () => visit(1))), 'served')).toBe(40);
    expect(most()).toBe(4);
    expect(admitted).toHaveLength(40);
  });

  it('in another queue do not wait for the queue of a flood', async () => {
    const { visit, admitted } = visitors(new Admission({ bounds: { ...bounds, longestWait: 10_000 } }), 5);
    const flood = Promise.all(Array.from({ length: 100 }, () => visit(1)));
    await visit(2);
    // One slot had to become free.
    expect(admitted.indexOf(2)).toBeLessThanOrEqual(8);
    await flood;
  });

  it('of one queue leave slots free while others arrive too', async () => {
    const admission = new Admission({ bounds: { ...bounds, longestWait: 10_000 } });
    const { visit } = visitors(admission, 20);
    const flood = Promise.all(Array.from({ length: 60 }, () => visit(1)));
    await visit(2);
    await sleep(50);
    for (let n = 0; n < 5; n++) {
      const slot = admission.acquireSlot(2);
      // Admitted at once, without a promise.
      expect(slot).not.toBeInstanceOf(Promise);
      expect((slot as Slot).beginWork()).toBeUndefined();
      await sleep(10);
      (slot as Slot).free();
    }
    await flood;
  });

  it('of one queue begin half as often while others are served', async () => {
    const queue = { within: 0, others: 0, least: 4, most: 4 };
    const admission = new Admission({
      bounds: { ...bounds, queue, all: { within: 0, least: 8, most: 8 }, longestWait: 10_000 },
    });
    const other = admission.acquireSlot(2) as Slot;
    const { visit, most } = visitors(admission, 5);
    // The first tick finds that requests of two queues came.
    await Promise.all([visit(1), sleep(50)]);
    const beside = visitors(admission, 5);
    await Promise.all(Array.from({ length: 40 }, () => beside.visit(1)));
    expect(beside.most()).toBe(2);
    other.free();
    await Promise.all(Array.from({ length: 40 }, () => visit(1)));
    expect(most()).toBe(4);
  });

  it('of one queue have more slots the sooner they end, while others arrive too', async () => {
    const admission = new Admission({
      bounds: {
        ...bounds,
        tick: 50,
        all: { within: 0, least: 40, most: 40 },
        queue: { within: 20, others: 1, least: 3, most: 30 },
        entering: { within: 20, least: 3, most: 30, from: 0.25 },
        averagedOver: 100,
        longestWait: 10_000,
      },
    });
    let isOver = false;
    const other = visitors(admission, 1);
    const asking = (async () => {
      for (; !isOver; await sleep(20)) await other.visit(2);
    })();
    const measureMost = async (ms: number): Promise<number> => {
      const flood = visitors(admission, ms);
      const end = performance.now() + 1000;
      const keepAsking = async (): Promise<void> => {
        while (performance.now() < end) await flood.visit(1);
      };
      await Promise.all(Array.from({ length: 60 }, keepAsking));
      return flood.most();
    };
    // Others than the first see what was measured.
    await measureMost(100);
    expect(await measureMost(100)).toBeLessThan(8);
    await measureMost(2);
    expect(await measureMost(2)).toBeGreaterThan(15);
    isOver = true;
    await asking;
  });

  it('of one queue enter in groups, and work in the order in which they are ready', async () => {
    const admission = new Admission({
      bounds: {
        ...bounds,
        queue: { within: 0, others: 1, least: 8, most: 8 },
        entering: { within: 0, least: 8, most: 8, from: 0.25 },
        all: { within: 0, least: 7, most: 7 },
        longestWait: 10_000,
      },
    });
    (await admission.acquireSlot(2)).free();
    const [groups, order]: [number[], number[]] = [[], []];
    let entered = 0;
    const visit = async (n: number): Promise<void> => {
      const slot = await admission.acquireSlot(1);
      if (entered++ === 0)
        setImmediate(() => {
          groups.push(entered);
          entered = 0;
        });
      // The gate: those of a turn pass it together.
      await new Promise((resolve) => setImmediate(resolve));
      await slot.beginWork();
      order.push(n);
      await sleep(5);
      slot.free();
    };
    await Promise.all(Array.from({ length: 100 }, (_, n) => visit(n)));
    expect(order).toEqual(Array.from({ length: 100 }, (_, n) => n));
    expect(100 / groups.length).toBeGreaterThan(2);
    expect(Math.max(...groups)).toBeLessThanOrEqual(8);
  });

  it('that would wait too long are refused at once, and admitted ones wait no longer than permitted', async () => {
    const refused = vi.fn();
    const admission = new Admission({ bounds, onRefused: refused });
    const { visit } = visitors(admission, 20);
    const outcomes: Promise<string>[] = [];
    // Twice as many as can be served: four in 20 ms.
    for (const end = performance.now() + 1500; performance.now() < end; await sleep(50))
      outcomes.push(...Array.from({ length: 20 }, () => visit(1)));
    const all = await Promise.all(outcomes);
    expect(count(all, 'refused')).toBeGreaterThan(50);
    // Slots are not left empty because too many were refused.
    expect(count(all, 'served')).toBeGreaterThan(all.length / 4);
    expect(refused.mock.calls.length).toBeGreaterThan(1);
    expect(refused.mock.calls.length).toBeLessThan(60);
  });

  it('that wait for something else lose their slots, and end later without harm', async () => {
    const admission = new Admission({ bounds: { ...bounds, longestSlot: 50, memory: 30 } });
    const slow = visitors(admission, 400);
    const stuck = Promise.all(Array.from({ length: 4 }, () => slow.visit(1)));
    const quick = visitors(admission, 1);
    expect(await quick.visit(1)).toBe('served');
    expect(await stuck).toEqual(Array(4).fill('served'));
    await sleep(100);
    const after = visitors(admission, 5);
    expect(count(await Promise.all(Array.from({ length: 20 }, () => after.visit(3))), 'served')).toBe(20);
    expect(after.most()).toBe(4);
  });

  it('whose clients are gone take no slot', async () => {
    const { visit, admitted } = visitors(new Admission({ bounds }), 20);
    const gone = new AbortController();
    const all = Array.from({ length: 4 }, () => visit(1));
    const left = visit(1, gone.signal);
    gone.abort();
    expect(await left).toBe('refused');
    expect(count(await Promise.all(all), 'served')).toBe(4);
    expect(admitted).toHaveLength(4);
  });
});

it('nothing remains of finished requests', async () => {
  const started = vi.spyOn(globalThis, 'setInterval');
  const stopped = vi.spyOn(globalThis, 'clearInterval');
  onTestFinished(() => void vi.restoreAllMocks());
  const admission = new Admission({ bounds });
  const { visit } = visitors(admission, 1);
  await Promise.all(Array.from({ length: 300 }, (_, n) => visit(n % 50)));
  const [timer, ...others] = started.mock.results.map(({ value }) => value);
  expect([timer, others]).toEqual([expect.anything(), []]);
  await waitUntil('its timer is stopped', () => stopped.mock.calls.some(([one]) => one === timer));
});
