// Admission control: limits requests under way, queues the rest fairly by space, and refuses at once those that would wait too long.
import { performance } from 'node:perf_hooks';
import { metrics } from '../metrics.ts';
import { Problem } from '../problem.ts';

interface AdmissionOptions {
  /** Called now and then while requests are refused, with the number since the last call. */
  onRefused?(count: number): void;
  bounds?: AdmissionBounds;
}

/** The key of a queue: a space, or one key for all callers that are not known yet. */
export type QueueKey = number | 'unknown';

/** Times in milliseconds. As many requests are under way as end within `all.within`, and of one queue within `queue.within` at most. */
const usualBounds = {
  /** A request that would wait longer is refused. */
  longestWait: 1500,
  all: { within: 20, least: 16, most: 200 },
  /** Limits of one queue, while requests of several come: the fewest slots that keep the event loop busy for such a share of the time. */
  queue: { within: 10, least: 5, first: 40, most: 200, busy: { from: 0.88, to: 0.94 } },
  /** A request that takes longer waits for something other than a processor, and frees its slot. */
  longestSlot: 250,
  /** How often the throughput is measured, and overdue requests are looked for. */
  tick: 100,
  /** How long the throughput counts, and that there were several queues. */
  memory: 2000,
  /** How often refusals are reported. */
  reportEvery: 5000,
};
type AdmissionBounds = typeof usualBounds;

/** The assumed throughput per millisecond until it is measured: high, so that a short burst is not delayed. */
const assumedThroughput = 10;

interface Waiting {
  since: number;
  hasLeft: (() => boolean) | undefined;
  admit(): void;
  refuse(): void;
}

interface Slot {
  queue: SpaceQueue;
  since: number;
}

class SpaceQueue {
  readonly key: QueueKey;
  readonly waiting: Waiting[] = [];
  /** Requests in a slot. */
  underWay = 0;
  /** Requests that freed their slot and are not over. */
  away = 0;

  constructor(key: QueueKey) {
    this.key = key;
  }
}

/**
 * More requests than keep the processors busy only slow each other down. The others wait in a queue of their space. Queues are served round
 * robin, so that a flood from one space makes only that space wait. A request that would wait too long, by the number of requests before
 * it and the recent throughput, is refused before anything is done for it.
 */
export class Admission {
  readonly #onRefused: (count: number) => void;
  readonly #bounds: AdmissionBounds;
  /** Queues with requests that are not over. */
  readonly #queues = new Map<QueueKey, SpaceQueue>();
  /** Queues with waiting requests, in round-robin order. */
  readonly #waitingQueues = new Set<SpaceQueue>();
  /** Slots in use, in the order in which they were taken. */
  readonly #slots = new Set<Slot>();
  #waiting = 0;
  #away = 0;
  #ended = 0;
  #throughput = assumedThroughput;
  /** The slots of one queue, while requests of several come. */
  #slotsOfQueue: number;
  #utilization = performance.eventLoopUtilization();
  #recentKeys = new Set<QueueKey>();
  /** When requests of several queues last came, and when requests last waited. */
  #severalQueuesAt = Number.NEGATIVE_INFINITY;
  #waitedAt = Number.NEGATIVE_INFINITY;
  #timer: NodeJS.Timeout | undefined;
  #refused = 0;
  #reportedAt = Number.NEGATIVE_INFINITY;

  constructor({ onRefused = () => {}, bounds = usualBounds }: AdmissionOptions = {}) {
    this.#onRefused = onRefused;
    this.#bounds = bounds;
    this.#slotsOfQueue = bounds.queue.first;
  }

  /**
   * Takes a slot, at once or after a wait, and resolves to the function that frees it, to be called once. Throws 503 when the request
   * would wait too long, or when its turn comes and its client `hasLeft`. (Listening to an AbortSignal of each request costs a tenth of
   * the throughput.)
   */
  acquireSlot(key: QueueKey, hasLeft?: () => boolean): (() => void) | Promise<() => void> {
    const queue = this.#queues.get(key) ?? new SpaceQueue(key);
    this.#queues.set(key, queue);
    this.#recentKeys.add(key);
    this.#startTimer();
    if (queue.waiting.length === 0 && this.#hasSlot(queue)) return this.#takeSlot(queue);
    if (this.#isTooLong(queue)) {
      this.#dropIdle(queue);
      throw this.#countRefusal();
    }
    return new Promise((resolve, reject) => {
      queue.waiting.push({
        since: performance.now(),
        hasLeft,
        admit: () => resolve(this.#takeSlot(queue)),
        refuse: () => reject(this.#countRefusal()),
      });
      this.#waitingQueues.add(queue);
      this.#waiting++;
    });
  }

  /** Whether requests of this queue wait for a slot. */
  isWaiting(key: QueueKey): boolean {
    return (this.#queues.get(key)?.waiting.length ?? 0) > 0;
  }

  /** Sets the gauges of the queue and the slots. */
  report(): void {
    metrics.admissionWaiting.set(this.#waiting);
    metrics.admissionSlots.set({ state: 'used' }, this.#slots.size);
    metrics.admissionSlots.set({ state: 'allowed' }, Math.round(this.#slotsWithin(this.#bounds.all)));
    metrics.admissionSlots.set({ state: 'away' }, this.#away);
  }

  #takeSlot(queue: SpaceQueue): () => void {
    const slot = { queue, since: performance.now() };
    this.#slots.add(slot);
    queue.underWay++;
    return () => {
      this.#ended++;
      if (!this.#freeSlot(slot)) {
        queue.away--;
        this.#away--;
      }
      this.#dropIdle(queue);
    };
  }

  /** Gives a slot to the next request. False when that was done before. */
  #freeSlot(slot: Slot): boolean {
    if (!this.#slots.delete(slot)) return false;
    slot.queue.underWay--;
    this.#admitWaiting();
    return true;
  }

  #freeSlowSlot(slot: Slot): void {
    slot.queue.away++;
    this.#away++;
    this.#freeSlot(slot);
  }

  #dropIdle({ key, underWay, away, waiting }: SpaceQueue): void {
    if (underWay + away + waiting.length === 0) this.#queues.delete(key);
  }

  #hasSlot(queue: SpaceQueue): boolean {
    if (this.#slots.size >= this.#slotsWithin(this.#bounds.all)) return false;
    const several = performance.now() - this.#severalQueuesAt < this.#bounds.memory;
    return !several || queue.underWay < this.#slotsOfQueue;
  }

  #slotsWithin({ within, least, most }: AdmissionBounds['all']): number {
    return Math.min(most, Math.max(least, this.#throughput * within));
  }

  /** A queue that was served goes behind the others; one with all its slots taken is skipped. */
  #admitWaiting(): void {
    for (const queue of this.#waitingQueues) {
      if (this.#slots.size >= this.#slotsWithin(this.#bounds.all)) return;
      if (!this.#hasSlot(queue)) continue;
      const next = queue.waiting.shift()!;
      this.#waiting--;
      this.#waitingQueues.delete(queue);
      if (queue.waiting.length > 0) this.#waitingQueues.add(queue);
      if (next.hasLeft?.()) next.refuse();
      else next.admit();
    }
  }

  /** Whether the next request of a queue would wait too long. Requests that freed their slot still count as before it. */
  #isTooLong({ waiting, away }: SpaceQueue): boolean {
    const before = Math.min(this.#waiting + this.#away, (waiting.length + away) * this.#queues.size);
    return before > this.#throughput * this.#bounds.longestWait;
  }

  #countRefusal(): Problem {
    this.#refused++;
    const now = performance.now();
    if (now - this.#reportedAt > this.#bounds.reportEvery) {
      this.#reportedAt = now;
      this.#onRefused(this.#refused);
      this.#refused = 0;
    }
    return createRefusal();
  }

  /** Measures and cleans up now and then, while there are requests. */
  #startTimer(): void {
    if (this.#timer) return;
    let since = performance.now();
    this.#measure(since, 0);
    this.#timer = setInterval(() => {
      const now = performance.now();
      this.#measure(now, now - since);
      since = now;
      for (const slot of this.#slots) {
        if (now - slot.since < this.#bounds.longestSlot) break;
        this.#freeSlowSlot(slot);
      }
      for (const queue of this.#waitingQueues) this.#refuseOverdue(queue, now - this.#bounds.longestWait);
      this.#admitWaiting();
      if (this.#recentKeys.size > 0 || this.#queues.size > 0) return void this.#recentKeys.clear();
      clearInterval(this.#timer);
      this.#timer = undefined;
    }, this.#bounds.tick).unref();
  }

  /** The throughput and the event loop show the capacity only while other requests wait. */
  #measure(now: number, elapsed: number): void {
    if (this.#recentKeys.size > 1) this.#severalQueuesAt = now;
    const before = this.#utilization;
    this.#utilization = performance.eventLoopUtilization();
    if (this.#waiting > 0) {
      this.#waitedAt = now;
      this.#throughput = (this.#throughput + this.#ended / elapsed) / 2;
      this.#adjustSlotsOfQueue(performance.eventLoopUtilization(this.#utilization, before).utilization);
    } else if (now - this.#waitedAt > this.#bounds.memory) {
      this.#throughput = assumedThroughput;
      this.#slotsOfQueue = this.#bounds.queue.first;
    }
    this.#ended = 0;
  }

  /** More slots than keep the event loop busy only delay other queues; how many that are depends on the requests and on the machine. */
  #adjustSlotsOfQueue(utilization: number): void {
    const { queue } = this.#bounds;
    const step = Math.ceil(this.#slotsOfQueue / 8);
    if (utilization > queue.busy.to) this.#slotsOfQueue -= step;
    else if (utilization < queue.busy.from) this.#slotsOfQueue += step;
    this.#slotsOfQueue = Math.max(queue.least, Math.min(this.#slotsOfQueue, this.#slotsWithin(queue)));
  }

  #refuseOverdue(queue: SpaceQueue, deadline: number): void {
    while (queue.waiting.length > 0 && queue.waiting[0]!.since < deadline) {
      queue.waiting.shift()!.refuse();
      this.#waiting--;
    }
    if (queue.waiting.length > 0) return;
    this.#waitingQueues.delete(queue);
    this.#dropIdle(queue);
  }
}

/** Spreads retries: requests that are refused together should not come back together. */
const createRefusal = (): Problem =>
  new Problem('overloaded', 'More is asked of the server than it can answer in time; try again in a moment', {
    headers: { 'Retry-After': String(1 + Math.floor(Math.random() * 3)) },
  });
