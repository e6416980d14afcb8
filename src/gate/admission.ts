// Admission: how many requests are under way at once, whose turn is next, and who is refused at once because they would wait too long.
import { Problem } from '../problem.ts';

interface AdmissionOptions {
  /** Told now and then, while requests are refused, how many were since the last time. */
  onRefused?(count: number): void;
  bounds?: Bounds;
}

/** Whoever has a line: a space, or all who are not known yet. */
export type LineKey = number | 'unknown';

/** Times in milliseconds. Requests under way are as many as end within the time of all, and of a line within that of a line. */
const usual = {
  /** A request that would wait longer is refused. */
  longestWait: 1500,
  all: { within: 20, least: 16, most: 200 },
  /** Holds while requests of several lines come. */
  line: { within: 8, least: 6, most: 200 },
  /** What takes longer waits for something else than a processor, and gives its place up. */
  longestPlace: 250,
  /** How often it is measured how many requests end, and looked for those who have waited too long. */
  tick: 100,
  /** How long it is remembered that there were several lines, and how many requests ended. */
  memory: 2000,
  /** How often it is told that requests are refused. */
  reportEvery: 5000,
};
type Bounds = typeof usual;

/** Requests that end in a millisecond, until it is measured: many, so that a burst that is soon over is not held up. */
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
  /** Requests in a place. */
  underWay = 0;
  /** Requests that gave their place up and are not over. */
  away = 0;

  constructor(key: LineKey) {
    this.key = key;
  }
}

/**
 * More requests under way than keep the processors busy make none of them faster, and all of them late. The others wait in a line of
 * their space; the lines take turns, so that the flood of one space makes only that space wait. A request that would have to wait too
 * long, by the number of those before it and of those that ended lately, is refused before anything is done for it.
 */
export class Admission {
  readonly #onRefused: (count: number) => void;
  readonly #bounds: Bounds;
  /** Those with requests that are not over. */
  readonly #lines = new Map<LineKey, Line>();
  /** Those with requests waiting, in the order of their turns. */
  readonly #turns = new Set<Line>();
  /** Those that are taken, in the order in which they were. */
  readonly #places = new Set<AdmissionQueue>();
  #waiting = 0;
  #away = 0;
  #ended = 0;
  #pace = presumedPace;
  #comers = new Set<LineKey>();
  /** When requests of several lines came, and when requests waited, for the last time. */
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
   * Takes a place, at once or when it is the turn of the request. What it resolves to gives the place up, and is to be called
   * once. Throws 503 when the request would wait too long.
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

  /** Gives a place to the next. False when that was done before. */
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

  /** A line that had its turn goes behind the others, to come again; one that has all its places is passed over. */
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

  /** Whether whoever comes next to a line would wait too long. Those who gave up a place are before it too, at whatever they wait for. */
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

  /** While there are requests, looks after them now and then. */
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

  /** How many requests end tells what can be done only while others wait. */
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

/** Not all who are refused at one moment are to come again at one moment. */
const createRefusal = (): Problem =>
  new Problem('overloaded', 'More is asked of the server than it can answer in time; try again in a moment', {
    headers: { 'Retry-After': String(1 + Math.floor(Math.random() * 3)) },
  });
