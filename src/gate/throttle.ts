// Bounds the cost of guessed tokens: an address that presents too many bad ones in a minute gets 429 before a lookup.
import { isIPv6 } from 'node:net';
import ipaddr from 'ipaddr.js';
import { LRUCache } from 'lru-cache';
import { createCacheKey, getOrMake } from '../limits/cache-key.ts';
import { limits } from '../limits/limits.ts';
import { Problem } from '../problem.ts';

const windowMs = 60_000;
/** Addresses remembered at once. An attacker with more addresses must be stopped in front of this server. */
const maxAddresses = 10_000;

interface Attempts {
  /** When the bad tokens of the last minute came, in milliseconds of `performance.now()`. */
  failures: number[];
  /** Lookups under way. Each counts as bad until it proves good, so that guessing in parallel gains nothing. */
  pending: number;
  waiting: (() => void)[];
}

const refusal = ([oldest = 0]: readonly number[], what: string): Problem => {
  const wait = Math.max(1, Math.ceil((oldest + windowMs - performance.now()) / 1000));
  return new Problem(
    'too-many-bad-tokens',
    `This address sent ${limits.connection.badTokens} ${what} within a minute; try again in ${wait} s`,
    { headers: { 'Retry-After': String(wait) } },
  );
};

/** An owner of an IPv6 address usually owns all of its /64. */
const keyOf = (address: string): string =>
  isIPv6(address) ? createCacheKey(...ipaddr.IPv6.parse(address).parts.slice(0, 4)) : address;

/** Whether an error is the caller's fault. */
export const isRefusal = (error: unknown): boolean => error instanceof Problem && error.status < 500;

export class Throttle {
  readonly #attempts = new LRUCache<string, Attempts>({ max: maxAddresses });
  readonly #what: string;

  /** `what` names the guesses that are counted, for the refusal. */
  constructor(what = 'bad tokens') {
    this.#what = what;
  }

  /**
   * Looks a token up for an address, or throws 429 when the address has used up its tries. `look` resolves to undefined for a
   * bad token, or throws a refusal, which counts too; null stands for one that opens nothing, but that nobody can have guessed. Further lookups wait while as many are under way as tries are left.
   */
  async attempt<Found>(
    address: string,
    look: () => Promise<Found | null | undefined>,
  ): Promise<Found | null | undefined> {
    const create = (): Attempts => ({ failures: [], pending: 0, waiting: [] });
    const attempts = getOrMake<string, Attempts>(this.#attempts, keyOf(address), create);
    const limit = limits.connection.badTokens;
    while (attempts.failures.length + attempts.pending >= limit) {
      const since = performance.now() - windowMs;
      attempts.failures = attempts.failures.filter((when) => when > since);
      if (attempts.failures.length >= limit) throw refusal(attempts.failures, this.#what);
      if (attempts.failures.length + attempts.pending < limit) break;
      await new Promise<void>((resolve) => attempts.waiting.push(resolve));
    }
    attempts.pending += 1;
    try {
      const found = await look();
      if (found === undefined) attempts.failures.push(performance.now());
      return found;
    } catch (error) {
      if (isRefusal(error)) attempts.failures.push(performance.now());
      throw error;
    } finally {
      attempts.pending -= 1;
      if (attempts.failures.length >= limit) for (const wake of attempts.waiting.splice(0)) wake();
      else attempts.waiting.shift()?.();
    }
  }
}
