// Admission control: limits requests under way, queues the rest fairly by space, and refuses at once those that would wait too long.
import { Problem } from '../problem.ts';

interface AdmissionOptions {
  /** Called now and then while requests are refused, with the number since the last call. */
  onRefused?(count: number): void;
  bounds?: Bounds;
}

/** The key of a queue: a space, or one key for all callers that are not known yet. */
export type LineKey = number | 'unknown';

/** Times in milliseconds. As many requests are under way as end within `all.within`, and of one queue within `line.within`. */
const usual = {
  /** A request that would wait longer is refused. */
  longestWait: 1500,
  all: { within: 20, least: 16, most: 200 },
  /** Limits of one queue, while requests of several come. */
  line: { within: 8, least: 6, most: 200 },
  /** A request that takes longer waits for something other than a processor, and frees its slot. */
  longestPlace: 250,
  /** How often the throughput is measured, and overdue requests are looked for. */
  tick: 100,
  /** How long the throughput counts, and that there were several queues. */
  memory: 2000,
  /** How often refusals are reported. */
  reportEvery: 5000,
};
type Bounds = typeof usual;

/** The assumed throughput per millisecond until it is measured: high, so that a short burst is not delayed. */
const presumedPace = 10;

interface Waiting {
  since: number;
  signal: AbortSignal | undefined;
  admit(): void;
  refuse(): void;
}

interface AdmissionQueue {
  line: Line;
  since: number;
}

class Line {
  readonly key: LineKey;
  readonly waiting: Waiting[] = [];
  /** Requests in a slot. */
  underWay = 0;
  /** Requests that freed their slot and are not over. */
  away = 0;

  constructor(key: LineKey) {
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
  readonly #bounds: Bounds;
  /** Queues with requests that are not over. */
  readonly #lines = new Map<LineKey, Line>();
  /** Queues with waiting requests, in round-robin order. */
  readonly #turns = new Set<Line>();
  /** Slots in use, in the order in which they were taken. */
  readonly #places = new Set<AdmissionQueue>();
  #waiting = 0;
  #away = 0;
  #ended = 0;
  #pace = presumedPace;
  #comers = new Set<LineKey>();
  /** When requests of several queues last came, and when requests last waited. */
  #severalAt = Number.NEGATIVE_INFINITY;
  #waitedAt = Number.NEGATIVE_INFINITY;
  #timer: NodeJS.Timeout | undefined;
  #refused = 0;
  #reportedAt = Number.NEGATIVE_INFINITY;

  constructor({ onRefused = () => {}, bounds = usual }: AdmissionOptions = {}) {
    this.#onRefused = onRefused;
    this.#bounds = bounds;
  }

  /**
   * Takes a slot, at once or after a wait, and resolves to the function that frees it, to be called once. Throws 503 when the request
   * would wait too long.
   */
  enter(key: LineKey, signal?: () => AbortSignal): (() => void) | Promise<() => void> {
    const line = this.#lines.get(key) ?? new Line(key);
    this.#lines.set(key, line);
    this.#comers.add(key);
    this.#watch();
    if (line.waiting.length === 0 && this.#hasPlace(line)) return this.#takePlace(line);
    if (this.#isTooLong(line)) {
      this.#forget(line);
      throw this.#countRefusal();
    }
    return new Promise((resolve, reject) => {
      line.waiting.push({
        since: performance.now(),
        signal: signal?.(),
        admit: () => resolve(this.#takePlace(line)),
        refuse: () => reject(this.#countRefusal()),
      });
      this.#turns.add(line);
      this.#waiting++;
    });
  }

  #takePlace(line: Line): () => void {
    const place = { line, since: performance.now() };
    this.#places.add(place);
    line.underWay++;
    return () => {
      this.#ended++;
      if (!this.#leave(place)) {
        line.away--;
        this.#away--;
      }
      this.#forget(line);
    };
  }

  /** Gives a slot to the next request. False when that was done before. */
  #leave(place: AdmissionQueue): boolean {
    if (!this.#places.delete(place)) return false;
    place.line.underWay--;
    this.#admitWaiting();
    return true;
  }

  #sendAway(place: AdmissionQueue): void {
    place.line.away++;
    this.#away++;
    this.#leave(place);
  }

  #forget({ key, underWay, away, waiting }: Line): void {
    if (underWay + away + waiting.length === 0) this.#lines.delete(key);
  }

  #hasPlace(line: Line): boolean {
    const { all, line: each } = this.#bounds;
    if (this.#places.size >= this.#placesWithin(all)) return false;
    const several = performance.now() - this.#severalAt < this.#bounds.memory;
    return !several || line.underWay < this.#placesWithin(each);
  }

  #placesWithin({ within, least, most }: Bounds['all']): number {
    return Math.min(most, Math.max(least, this.#pace * within));
  }

  /** A queue that was served goes behind the others; one with all its slots taken is skipped. */
  #admitWaiting(): void {
    for (const line of this.#turns) {
      if (this.#places.size >= this.#placesWithin(this.#bounds.all)) return;
      if (!this.#hasPlace(line)) continue;
      const next = line.waiting.shift()!;
      this.#waiting--;
      this.#turns.delete(line);
      if (line.waiting.length > 0) this.#turns.add(line);
      if (next.signal?.aborted) next.refuse();
      else next.admit();
    }
  }

  /** Whether the next request of a queue would wait too long. Requests that freed their slot still count as before it. */
  #isTooLong({ waiting, away }: Line): boolean {
    const before = Math.min(this.#waiting + this.#away, (waiting.length + away) * this.#lines.size);
    return before > this.#pace * this.#bounds.longestWait;
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
  #watch(): void {
    if (this.#timer) return;
    let since = performance.now();
    this.#measure(since, 0);
    this.#timer = setInterval(() => {
      const now = performance.now();
      this.#measure(now, now - since);
      since = now;
      for (const place of this.#places) {
        if (now - place.since < this.#bounds.longestPlace) break;
        this.#sendAway(place);
      }
      for (const line of this.#turns) this.#refuseLate(line, now - this.#bounds.longestWait);
      this.#admitWaiting();
      if (this.#comers.size > 0 || this.#lines.size > 0) return void this.#comers.clear();
      clearInterval(this.#timer);
      this.#timer = undefined;
    }, this.#bounds.tick).unref();
  }

  /** The throughput shows the capacity only while other requests wait. */
  #measure(now: number, elapsed: number): void {
    if (this.#comers.size > 1) this.#severalAt = now;
    if (this.#waiting > 0) {
      this.#waitedAt = now;
      this.#pace = (this.#pace + this.#ended / elapsed) / 2;
    } else if (now - this.#waitedAt > this.#bounds.memory) this.#pace = presumedPace;
    this.#ended = 0;
  }

  #refuseLate(line: Line, deadline: number): void {
    while (line.waiting.length > 0 && line.waiting[0]!.since < deadline) {
      line.waiting.shift()!.refuse();
      this.#waiting--;
    }
    if (line.waiting.length > 0) return;
    this.#turns.delete(line);
    this.#forget(line);
  }
}

/** Spreads retries: requests that are refused together should not come back together. */
const createRefusal = (): Problem =>
  new Problem('overloaded', 'More is asked of the server than it can answer in time; try again in a moment', {
    headers: { 'Retry-After': String(1 + Math.floor(Math.random() * 3)) },
  });
