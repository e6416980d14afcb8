// Keeps requests within the bucket of a server (spec §8), so that it does not refuse them and leaves tokens to its other clients.

/** The bucket of the contract, until the server says another one. */
const contractBucket = { burst: 100, rate: 10 };
/** The part of the bucket that is left to other clients of the space. */
const reserved = 0.2;

export class BucketPace {
  readonly #wait: (milliseconds: number) => Promise<unknown>;
  #bucket = contractBucket;
  #cost = 1;
  /** The tokens when the server last said them, less the requests that were sent since. */
  #tokens = contractBucket.burst;
  #at = performance.now();

  constructor(wait: (milliseconds: number) => Promise<unknown>) {
    this.#wait = wait;
  }

  #estimate(): number {
    const refilled = ((performance.now() - this.#at) / 1000) * this.#bucket.rate;
    return Math.min(this.#bucket.burst, this.#tokens + refilled);
  }

  /** Waits until the bucket probably has the tokens of a request besides the reserved part, and takes them. */
  async take(): Promise<void> {
    const { burst, rate } = this.#bucket;
    // A bucket that holds only few requests has no part to reserve.
    const floor = Math.min(burst * reserved, Math.max(0, burst - this.#cost));
    const missing = floor + this.#cost - this.#estimate();
    if (missing > 0) await this.#wait((missing / rate) * 1000);
    const now = this.#estimate();
    this.#at = performance.now();
    this.#tokens = Math.max(0, now - this.#cost);
  }

  /** Learns the state of the bucket from a reply. Headers that are missing or unreadable change nothing. */
  learn(headers: Headers): void {
    const shape = /burst:(\d+(?:\.\d+)?);\s*rate:(\d+(?:\.\d+)?)/.exec(headers.get('x-ratelimit-limit') ?? '');
    const [burst, rate] = [Number(shape?.[1]), Number(shape?.[2])];
    if (burst > 0 && rate > 0) this.#bucket = { burst, rate };
    const cost = Number.parseFloat(headers.get('x-ratelimit-cost') ?? '');
    if (cost > 0) this.#cost = cost;
    const remaining = Number.parseFloat(headers.get('x-ratelimit-remaining') ?? '');
    if (remaining >= 0) {
      this.#tokens = remaining;
      this.#at = performance.now();
    }
  }
}
