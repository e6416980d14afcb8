// How many requests end in a millisecond while others wait: what the server can do with the requests of now.

/** Milliseconds. */
export interface ThroughputBounds {
  /** It is averaged over about so long, so that a pause of some hundred milliseconds refuses nobody. */
  averagedOver: number;
  /** It is forgotten when no request has waited for so long. */
  memory: number;
}

/** What is assumed at first. A higher one lets in so many at once that for a while none of them ends. */
const assumedThroughput = 3;

export class Throughput {
  readonly #bounds: ThroughputBounds;
  #ended = 0;
  #perMs = assumedThroughput;
  #waitedAt = Number.NEGATIVE_INFINITY;

  constructor(bounds: ThroughputBounds) {
    this.#bounds = bounds;
  }

  get perMs(): number {
    return this.#perMs;
  }

  countEnded(): void {
    this.#ended++;
  }

  /** To be called now and then, with the time since the last call. Only while requests wait does it show what the server can do. */
  measure(now: number, elapsed: number, areWaiting: boolean): void {
    if (areWaiting) {
      this.#waitedAt = now;
      const part = Math.min(1, elapsed / this.#bounds.averagedOver);
      if (elapsed > 0) this.#perMs += part * (this.#ended / elapsed - this.#perMs);
    } else if (now - this.#waitedAt > this.#bounds.memory) this.#perMs = assumedThroughput;
    this.#ended = 0;
  }
}
