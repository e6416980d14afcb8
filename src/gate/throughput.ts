// The throughput of the server, measured while requests wait: only then does it show the capacity.

/** Milliseconds. */
interface ThroughputBounds {
  /** The time of the moving average. A shorter one would refuse requests after a pause of some hundred milliseconds. */
  averagedOver: number;
  /** The measured value is dropped when no request has waited for this time. */
  memory: number;
}

/** The throughput until it is measured. A higher value would admit so many requests at once that none ends for a while. */
const assumedThroughput = 3;

export class Throughput {
  readonly #bounds: ThroughputBounds;
  #ended = 0;
  #perMs = assumedThroughput;
  #waitedAt = Number.NEGATIVE_INFINITY;

  constructor(bounds: ThroughputBounds) {
    this.#bounds = bounds;
  }

  /** Requests per millisecond. */
  get perMs(): number {
    return this.#perMs;
  }

  countEnded(): void {
    this.#ended++;
  }

  /** Updates the average. Call it at regular intervals, with the time since the last call in `elapsed`. */
  measure(now: number, elapsed: number, areWaiting: boolean): void {
    if (areWaiting) {
      this.#waitedAt = now;
      const part = Math.min(1, elapsed / this.#bounds.averagedOver);
      this.#perMs += part * (this.#ended / elapsed - this.#perMs);
    } else if (now - this.#waitedAt > this.#bounds.memory) this.#perMs = assumedThroughput;
    this.#ended = 0;
  }
}
