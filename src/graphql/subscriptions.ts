// The subscriptions of this process: how many there are, how long each may go on, and what it costs.
import { setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Caller } from '../context.ts';
import type { Credentials } from '../gate/credentials.ts';
import type { Gate } from '../gate/gate.ts';
import { limits } from '../limits/limits.ts';
import { convertToProblem, Problem } from '../problem.ts';
import { metrics } from '../telemetry/metrics.ts';

/** In milliseconds: how often it is looked whether a caller still has their rights; every so many looks cost a point. */
const checks = { everyMs: 10_000, perToken: 6 };

export interface OpenSubscription {
  /** Aborts when it is over. */
  signal: AbortSignal;
  /** Why it was ended; undefined when the client or the server just went away. */
  readonly reason: Problem | undefined;
  /** Pays for an event that may yield so many records; waits while the bucket is empty. Throws when the token is no longer valid. */
  pay(records: number): Promise<void>;
  close(): void;
}

/** The events that a subscription has paid for, and until when it leaves the bucket to others, in milliseconds of `performance.now()`. */
interface Account {
  records: number;
  restsUntil: number;
}

const countOf = <Key>(counts: Map<Key, number>, key: Key): number => counts.get(key) ?? 0;
const change = <Key>(counts: Map<Key, number>, key: Key, by: 1 | -1): void => {
  const count = countOf(counts, key) + by;
  if (count === 0) counts.delete(key);
  else counts.set(key, count);
};

const createTooManyProblem = (whose: string, most: number): Problem =>
  new Problem('too-many-subscriptions', `${whose} has ${most} subscriptions under way`, {
    headers: { 'Retry-After': '10' },
  });

/** The facts on which what a caller sees depends. */
const describeRights = ({ groupId, roleId, roleType, permissions, scope }: Caller): string =>
  JSON.stringify([groupId, roleId, roleType, permissions, scope]);

export class Subscriptions {
  readonly #gate: Pick<Gate, 'admit'>;
  readonly #closing: AbortSignal;
  readonly #everyMs: number;
  readonly #ofTokens = new Map<number, number>();
  readonly #ofSpaces = new Map<number, number>();
  #count = 0;

  /** `closing` aborts when the process is to stop. */
  constructor(gate: Pick<Gate, 'admit'>, closing: AbortSignal, everyMs = checks.everyMs) {
    this.#gate = gate;
    this.#closing = closing;
    this.#everyMs = everyMs;
    // Every subscription of the process listens.
    setMaxListeners(0, closing);
  }

  /** Opens a subscription of an admitted caller. Throws 429 when there are too many, 503 while the process stops. */
  open(caller: Caller, credentials: Credentials): OpenSubscription {
    const { perToken, perSpace, perProcess } = limits.subscription;
    const { tokenId, groupId } = caller;
    if (this.#closing.aborted)
      throw new Problem('unavailable', 'This process is about to stop; try again', { headers: { 'Retry-After': '1' } });
    if (countOf(this.#ofTokens, tokenId) >= perToken) throw createTooManyProblem('The token', perToken);
    if (countOf(this.#ofSpaces, groupId) >= perSpace) throw createTooManyProblem('The space', perSpace);
    if (this.#count >= perProcess) throw createTooManyProblem('The server', perProcess);
    this.#add(caller, 1);
    const ending = new AbortController();
    let reason: Problem | undefined;
    const close = (): void => {
      if (ending.signal.aborted) return;
      ending.abort();
      this.#closing.removeEventListener('abort', close);
      this.#add(caller, -1);
    };
    this.#closing.addEventListener('abort', close);
    void this.#watch(caller, credentials, ending.signal).then((found) => {
      reason = found;
      close();
    });
    // The point for its begin pays for the first events too.
    const account: Account = { records: limits.document.nodesPerToken, restsUntil: 0 };
    return {
      signal: ending.signal,
      pay: (records) => this.#pay(account, records + limits.subscription.recordsOfEvent, credentials, ending.signal),
      get reason() {
        return reason;
      },
      close,
    };
  }

  #add({ tokenId, groupId }: Caller, by: 1 | -1): void {
    change(this.#ofTokens, tokenId, by);
    change(this.#ofSpaces, groupId, by);
    this.#count += by;
    metrics.subscriptionsOpen.inc(by);
  }

  async #pay(account: Account, records: number, credentials: Credentials, signal: AbortSignal): Promise<void> {
    account.records -= records;
    while (account.records < 0 && !signal.aborted) {
      const rest = account.restsUntil - performance.now();
      if (rest > 0) await sleep(rest, undefined, { signal, ref: false }).catch(() => {});
      else account.restsUntil = performance.now() + 1000 * (await this.#payToken(account, credentials));
    }
  }

  /** Pays a point, if there is one. Resolves to the seconds to wait before the next: requests find the bucket half full, if they leave it so. */
  async #payToken(account: Account, credentials: Credentials): Promise<number> {
    try {
      const { tokens, capacity, refill } = (await this.#gate.admit(credentials, 1)).bucket;
      account.records += limits.document.nodesPerToken;
      return Math.max(0, capacity / 2 - tokens) / refill;
    } catch (error) {
      if (error instanceof Problem && error.code === 'rate-limited') return Number(error.headers['Retry-After']);
      throw error;
    }
  }

  /** Resolves to why the subscription must end, or to undefined when it has ended. Neither an outage of the database nor an empty bucket ends it. */
  async #watch(caller: Caller, credentials: Credentials, signal: AbortSignal): Promise<Problem | undefined> {
    const rights = describeRights(caller);
    for (let count = 1; ; count++) {
      await sleep(this.#everyMs, undefined, { signal, ref: false }).catch(() => {});
      if (signal.aborted) return undefined;
      try {
        const { caller: now } = await this.#gate.admit(credentials, 0);
        if (describeRights(now) !== rights)
          return new Problem('forbidden', 'What the caller may see has changed: subscribe again');
        if (count % checks.perToken === 0) await this.#gate.admit(credentials, 1);
      } catch (error) {
        const problem = convertToProblem(error);
        // The next look charges an empty bucket again.
        if (problem.code === 'rate-limited') count--;
        else if (problem.status < 500) return problem;
      }
    }
  }
}
