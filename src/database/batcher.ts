// Batches concurrent calls per key: calls made while a batch is in flight are sent together in the next one. So does a query of many requests of one space.
import { setImmediate as turn } from 'node:timers/promises';
import { getOrMake } from '../limits/cache-key.ts';
import { Problem } from '../problem.ts';
import { captureContext, runShared } from '../telemetry/tracing.ts';
import { isValuesFault } from './driver-error.ts';
import type { Pool } from './pool.ts';
import type { Scoped } from './statement.ts';

interface Waiting<Item, Answer> {
  item: Item;
  /** The context that spans of its request belong to. */
  context: ReturnType<typeof captureContext>;
  resolve(answer: Answer | Promise<Answer>): void;
  reject(error: unknown): void;
}

interface BatcherOptions {
  /** Items of a batch at most. */
  maxBatch: number;
  /** The next batch no longer waits for one that has taken this long, since its connection may be dead. Without it, it waits for the end. */
  overtakeAfterMs?: number;
}

/** Batches of one key that may be overtaken at once, since each holds a connection. */
const maxOvertaken = 3;

interface BatchQueue<Item, Answer> {
  waiting: Waiting<Item, Answer>[];
  isSending: boolean;
  overtaken: number;
}

/** Resolves, as soon as it is known, whether work takes longer than `ms`. */
const takesLonger = (work: Promise<void>, ms: number): Promise<boolean> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, ms, true);
    void work.then(() => {
      clearTimeout(timer);
      resolve(false);
    });
  });

/**
 * Returns a function that loads one item of a key. It is loaded at once, with items of the same moment, when no batch of the key is
 * in flight, else in the next batch, in order of arrival. `load` returns an answer for each item; when it throws, all items of the batch
 * fail with that error.
 */
export const createBatcher = <Key, Item, Answer>(
  load: (key: Key, items: Item[]) => Promise<(Answer | Promise<Answer>)[]>,
  { maxBatch, overtakeAfterMs }: BatcherOptions,
) => {
  const queues = new Map<Key, BatchQueue<Item, Answer>>();

  const send = async (key: Key, served: Waiting<Item, Answer>[]): Promise<void> => {
    try {
      const answers = await runShared(
        served.map(({ context }) => context),
        () =>
          load(
            key,
            served.map(({ item }) => item),
          ),
      );
      for (const [index, { resolve }] of served.entries()) resolve(answers[index]!);
    } catch (error) {
      for (const { reject } of served) reject(error);
    }
  };

  const forget = (key: Key, { isSending, overtaken }: BatchQueue<Item, Answer>): void => {
    if (!isSending && overtaken === 0) queues.delete(key);
  };

  const sendAll = async (key: Key, queue: BatchQueue<Item, Answer>): Promise<void> => {
    const { waiting } = queue;
    queue.isSending = true;
    while (waiting.length > 0) {
      // Requests that have already arrived are read in this turn of the event loop, and join the batch.
      if (waiting.length < maxBatch) await turn();
      const sent = send(key, waiting.splice(0, maxBatch));
      if (overtakeAfterMs === undefined || queue.overtaken === maxOvertaken) await sent;
      else if (await takesLonger(sent, overtakeAfterMs)) {
        queue.overtaken++;
        void sent.then(() => {
          queue.overtaken--;
          forget(key, queue);
        });
      }
    }
    queue.isSending = false;
    forget(key, queue);
  };

  return (key: Key, item: Item): Promise<Answer> =>
    new Promise((resolve, reject) => {
      const queue = queues.get(key) ?? { waiting: [], isSending: false, overtaken: 0 };
      queue.waiting.push({ item, context: captureContext(), resolve, reject });
      queues.set(key, queue);
      if (!queue.isSending) void sendAll(key, queue);
    });
};

/** In milliseconds: after this time the next batch no longer waits for the one under way. */
const overtakeAfterMs = 250;

/**
 * A query that one statement answers for many items. The first call runs immediately. Calls of the same space and pool that arrive
 * while it is running are batched into the next statement.
 */
export class BatchedQuery<Item, Answer> {
  readonly #load: (space: Scoped, items: Item[]) => Promise<Answer[]>;
  readonly #maxBatch: number;
  readonly #ofPools = new WeakMap<Pool, (group: number, item: Item) => Promise<Answer>>();

  /** Whether its statement stores changes. */
  readonly stores: boolean;

  /** `load` returns an answer for each of at most `maxBatch` items. */
  constructor(
    maxBatch: number,
    load: (space: Scoped, items: Item[]) => Promise<Answer[]>,
    { stores = false }: { stores?: boolean } = {},
  ) {
    this.stores = stores;
    this.#maxBatch = maxBatch;
    this.#load = load;
  }

  /** The answer for an item. Only Space calls this. */
  load(pool: Pool, group: number, item: Item): Promise<Answer> {
    const options = { maxBatch: this.#maxBatch, overtakeAfterMs };
    const loadOne = getOrMake(this.#ofPools, pool, () =>
      createBatcher<number, Item, Answer>((of, items) => this.#loadItems(pool.scopeTo(of), items), options),
    );
    return loadOne(group, item);
  }

  async #loadItems(space: Scoped, items: Item[]): Promise<(Answer | Promise<Answer>)[]> {
    try {
      return await this.#load(space, items);
    } catch (error) {
      // One item made the statement fail for all of them, or their answers are too large together.
      if (items.length === 1 || !(isValuesFault(error) || error instanceof Problem)) throw error;
      return items.map(async (item) => (await this.#load(space, [item]))[0]!);
    }
  }
}
