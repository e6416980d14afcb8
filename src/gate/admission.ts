// Admission control: limits requests under way, queues the rest fairly by space, and refuses at once those that would wait too long.
import { Problem } from '../problem.ts';
import { metrics } from '../telemetry/metrics.ts';
import { Throughput } from './throughput.ts';

const message = 'More is asked of the server than it can answer in time; try again in a moment';
/** One of each time to wait, shared by all requests: creating a problem takes as long as refusing a request. */
const problems = ['1', '2', '3'].map(
  (seconds) => new Problem('overloaded', message, { headers: { 'Retry-After': seconds } }),
);

interface AdmissionOptions {
  /** Called now and then while requests are refused, with the number since the last call. */
  onRefused?(count: number): void;
  bounds?: AdmissionBounds;
}

/** Times in milliseconds. As many requests work as end within `all.within`. */
const usualBounds = {
  /** A request that would wait longer is refused. */
  longestWait: 1500,
  all: { within: 20, least: 16, most: 200 },
  /** While requests of several queues come, as many of one queue work as end within this time, less a few slots for others. */
  queue: { within: 6, others: 5.5, least: 7.5, most: 200 },
  /**
   * Requests of one queue then enter in groups, which share a statement of the gate. A group has as many requests as end within this time.
   * When the part `from` of it is left, requests enter until it is full again.
   */
  entering: { within: 8, least: 4, most: 200, from: 0.25 },
  /** A request that takes longer waits for something other than a processor, and frees its slot. */
  longestSlot: 250,
  /** How often the throughput is measured, and overdue requests are looked for. */
  tick: 100,
  /** The time of the moving average of the throughput. */
  averagedOver: 700,
  /** How long the throughput counts, and that there were several queues. */
  memory: 2000,
  /** How often refusals are reported. */
  reportEvery: 5000,
};
type AdmissionBounds = typeof usualBounds;

/** The key of a queue: a space, or one key for all callers that are not known yet. */
export type QueueKey = number | 'unknown';

/** A request that waits for its turn. */
interface Turn {
  hasLeft: (() => boolean) | undefined;
  admit(): void;
  refuse(): void;
}

/** The requests of one space that are not over. */
class SpaceQueue {
  readonly key: QueueKey;
  /** Requests without a slot. */
  readonly waiting: (Turn & { since: number })[] = [];
  /** Requests that have passed the gate and wait to work. */
  readonly ready: Turn[] = [];
  /** Requests in a slot that do not work yet. */
  entering = 0;
  /** Whether more requests may enter, until the group is full. */
  isFilling = true;
  working = 0;
  /** Requests that freed their slot and are not over. */
  away = 0;

  constructor(key: QueueKey) {
    this.key = key;
  }
}

interface SlotState {
  queue: SpaceQueue;
  since: number;
  works: boolean;
}

/** The slot of an admitted request. The request enters first: it is read, and passes the gate. Then it works. */
export interface Slot {
  /** Waits until the request may work. Throws 503 when its client has left by then. A request that does nothing costly need not call it. */
  beginWork(): Promise<void> | undefined;
  /** Frees the slot; to be called once, at the end of the request. */
  free(): void;
}

/**
 * More requests than keep the processors busy only slow each other down. The others wait in a queue of their space. Queues are served round
 * robin, so that a flood from one space makes only that space wait. A request that would wait too long, by the number of requests before
 * it and the recent throughput, is refused before anything is done for it. Those next in line pass the gate while others work, so that no
 * slot for work waits for the gate.
 */
export class Admission {
  readonly #onRefused: (count: number) => void;
  readonly #bounds: AdmissionBounds;
  readonly #throughput: Throughput;
  /** Queues with requests that are not over. */
  readonly #queues = new Map<QueueKey, SpaceQueue>();
  /** Queues with waiting requests, in round-robin order. */
  readonly #waitingQueues = new Set<SpaceQueue>();
  /** Queues with ready requests, in round-robin order. */
  readonly #readyQueues = new Set<SpaceQueue>();
  /** Slots in use, in the order of `since`. */
  readonly #slots = new Set<SlotState>();
  #waiting = 0;
  #working = 0;
  #away = 0;
  /** The keys of queues with requests that came, or waited, since the last tick. */
  #recentKeys = new Set<QueueKey>();
  /** When requests of several queues last came or waited. */
  #severalQueuesAt = Number.NEGATIVE_INFINITY;
  #timer: NodeJS.Timeout | undefined;
  #refused = 0;
  #reportedAt = Number.NEGATIVE_INFINITY;

  constructor({ onRefused = () => {}, bounds = usualBounds }: AdmissionOptions = {}) {
    this.#onRefused = onRefused;
    this.#bounds = bounds;
    this.#throughput = new Throughput(bounds);
  }

  /**
   * Takes a slot, at once or after a wait. Throws 503 when the request would wait too long, or when its turn comes and its client `hasLeft`.
   * (Listening to an AbortSignal of each request costs a tenth of the throughput.)
   */
  acquireSlot(key: QueueKey, hasLeft?: () => boolean): Slot | Promise<Slot> {
    const queue = this.#queues.get(key) ?? new SpaceQueue(key);
    this.#queues.set(key, queue);
    this.#recentKeys.add(key);
    this.#startTimer();
    if (queue.waiting.length === 0 && this.#mayEnter(queue)) return this.#takeSlot(queue, hasLeft);
    if (this.#isTooLong(queue)) {
      this.#dropIdle(queue);
      throw this.#countRefusal();
    }
    return new Promise((resolve, reject) => {
      queue.waiting.push({
        since: performance.now(),
        hasLeft,
        admit: () => resolve(this.#takeSlot(queue, hasLeft)),
        refuse: () => reject(this.#countRefusal()),
      });
      this.#waitingQueues.add(queue);
      this.#waiting++;
    });
  }

  /** Whether any requests wait for a slot. */
  get isCrowded(): boolean {
    return this.#waiting > 0;
  }

  /** Whether requests of this queue wait for a slot. */
  isWaiting(key: QueueKey): boolean {
    return (this.#queues.get(key)?.waiting.length ?? 0) > 0;
  }

  report(): void {
    metrics.admissionWaiting.set(this.#waiting);
    metrics.admissionSlots.set({ state: 'used' }, this.#slots.size);
    metrics.admissionSlots.set({ state: 'allowed' }, Math.round(this.#slotsWithin(this.#bounds.all)));
    metrics.admissionSlots.set({ state: 'away' }, this.#away);
  }

  #takeSlot(queue: SpaceQueue, hasLeft: (() => boolean) | undefined): Slot {
    const slot: SlotState = { queue, since: performance.now(), works: false };
    this.#slots.add(slot);
    queue.entering++;
    return {
      beginWork: () => this.#beginWork(slot, hasLeft),
      free: () => {
        this.#throughput.countEnded();
        if (!this.#freeSlot(slot)) {
          queue.away--;
          this.#away--;
        }
        this.#dropIdle(queue);
      },
    };
  }

  #beginWork(slot: SlotState, hasLeft: (() => boolean) | undefined): Promise<void> | undefined {
    const { queue } = slot;
    if (slot.works) return undefined;
    if (queue.ready.length === 0 && this.#mayWork(queue)) {
      this.#setWorking(slot);
      this.#serveWaiting();
      return undefined;
    }
    return new Promise((resolve, reject) => {
      const admit = (): void => {
        this.#setWorking(slot);
        resolve();
      };
      queue.ready.push({ hasLeft, admit, refuse: () => reject(this.#countRefusal()) });
      this.#readyQueues.add(queue);
    });
  }

  /** Its time begins anew. A slot that was freed is not counted. */
  #setWorking(slot: SlotState): void {
    slot.works = true;
    if (!this.#slots.delete(slot)) return;
    slot.since = performance.now();
    this.#slots.add(slot);
    slot.queue.entering--;
    slot.queue.working++;
    this.#working++;
  }

  /** Gives a slot to the next request. False when that was done before. */
  #freeSlot(slot: SlotState): boolean {
    if (!this.#slots.delete(slot)) return false;
    if (slot.works) {
      slot.queue.working--;
      this.#working--;
    } else slot.queue.entering--;
    this.#serveNext();
    return true;
  }

  #dropIdle({ key, entering, working, away, waiting }: SpaceQueue): void {
    if (entering + working + away + waiting.length === 0) this.#queues.delete(key);
  }

  get #areSeveral(): boolean {
    return performance.now() - this.#severalQueuesAt < this.#bounds.memory;
  }

  #mayEnter(queue: SpaceQueue): boolean {
    const slots = this.#slotsWithin(this.#bounds.all);
    if (!this.#areSeveral) return this.#slots.size < slots;
    // A group that is full stays closed until no more than a part of it is left.
    const group = this.#slotsWithin(this.#bounds.entering);
    if (queue.entering <= group * this.#bounds.entering.from) queue.isFilling = true;
    else if (queue.entering >= group) queue.isFilling = false;
    return queue.isFilling && this.#slots.size - this.#working < 2 * slots;
  }

  #mayWork(queue: SpaceQueue): boolean {
    if (this.#working >= this.#slotsWithin(this.#bounds.all)) return false;
    if (!this.#areSeveral) return true;
    const slots = this.#slotsWithin(this.#bounds.queue) - this.#bounds.queue.others;
    // Beside a request of another queue, half as many begin.
    const isAlone = this.#slots.size === queue.entering + queue.working;
    // A fraction of a slot is granted at random: the third whole slot alone adds a fifth to the throughput.
    return queue.working + Math.random() < (isAlone ? slots : slots / 2);
  }

  #slotsWithin({ within, least, most }: AdmissionBounds['all']): number {
    return Math.min(most, Math.max(least, this.#throughput.perMs * within));
  }

  #serveNext(): void {
    this.#serveInTurn(this.#readyQueues, ({ ready }) => ready, this.#mayWork);
    this.#serveWaiting();
  }

  #serveWaiting(): void {
    this.#waiting -= this.#serveInTurn(this.#waitingQueues, ({ waiting }) => waiting, this.#mayEnter);
  }

  /** Serves the first request of each queue that may, again and again. Returns how many were served. */
  #serveInTurn(
    queues: Set<SpaceQueue>,
    listOf: (queue: SpaceQueue) => Turn[],
    may: (queue: SpaceQueue) => boolean,
  ): number {
    let served = 0;
    for (const queue of queues) {
      if (!may.call(this, queue)) continue;
      const list = listOf(queue);
      const next = list.shift()!;
      served++;
      // A queue that was served goes behind the others.
      queues.delete(queue);
      if (list.length > 0) queues.add(queue);
      if (next.hasLeft?.()) next.refuse();
      else next.admit();
    }
    return served;
  }

  /** Whether the next request of a queue would wait too long. Requests that freed their slot still count as before it. */
  #isTooLong({ waiting, away }: SpaceQueue): boolean {
    const before = Math.min(this.#waiting + this.#away, (waiting.length + away) * this.#queues.size);
    return before > this.#throughput.perMs * this.#bounds.longestWait;
  }

  #countRefusal(): Problem {
    this.#refused++;
    const now = performance.now();
    if (now - this.#reportedAt > this.#bounds.reportEvery) {
      this.#reportedAt = now;
      this.#onRefused(this.#refused);
      this.#refused = 0;
    }
    // The time to wait is drawn: requests that are refused together should not come back together.
    return problems[Math.floor(Math.random() * problems.length)]!;
  }

  /** Measures and cleans up now and then, while there are requests. */
  #startTimer(): void {
    if (this.#timer) return;
    let since = performance.now();
    this.#throughput.measure(since, 0, false);
    this.#timer = setInterval(() => {
      const now = performance.now();
      this.#throughput.measure(now, now - since, this.#waiting > 0);
      if (this.#recentKeys.size > 1) this.#severalQueuesAt = now;
      since = now;
      for (const slot of this.#slots) {
        if (now - slot.since < this.#bounds.longestSlot) break;
        slot.queue.away++;
        this.#away++;
        this.#freeSlot(slot);
      }
      for (const queue of this.#waitingQueues) this.#refuseOverdue(queue, now - this.#bounds.longestWait);
      this.#serveNext();
      const isIdle = this.#recentKeys.size === 0 && this.#queues.size === 0;
      this.#recentKeys = new Set([...this.#waitingQueues].map(({ key }) => key));
      if (!isIdle) return;
      clearInterval(this.#timer);
      this.#timer = undefined;
    }, this.#bounds.tick).unref();
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
