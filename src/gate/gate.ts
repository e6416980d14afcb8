// The gate: who calls, and may they now? Authentication and the token bucket of a space (spec §5, §8) in one statement.
import { setTimeout as sleep } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import type { Caller } from '../context.ts';
import { createBatcher } from '../database/batcher.ts';
import type { BucketShape, BusyBucket, Database, GateRequest, GateRow } from '../database/database.ts';
import { Problem } from '../problem.ts';
import { Throttle } from './throttle.ts';
import { digestToken, isTokenForm } from './token.ts';

/** A caller who has been let in, and what the bucket of their space holds now. */
export interface Entry {
  caller: Caller;
  bucket: BucketState;
  /** How far in the database's log the writes of the token reach. */
  wroteAt: number;
}

export interface BucketState extends BucketShape {
  tokens: number;
  cost: number;
}

/** One refusal for all that is wrong with a token, so that nothing can be learnt by trying. */
const unauthenticated = (sent: boolean): Problem =>
  new Problem('unauthenticated', 'Send the header Authorization: Bearer <ACCESS_TOKEN> with a valid token', {
    headers: { 'WWW-Authenticate': sent ? 'Bearer realm="muster", error="invalid_token"' : 'Bearer realm="muster"' },
  });

/** Seconds until a refused request of this cost can succeed: whole, and at least one (spec §8.4). */
export const computeRetryAfter = ({ tokens, cost, refill }: BucketState): number =>
  Math.max(1, Math.ceil((cost - tokens) / refill));

/** The four headers of every rate-limited authenticated response (spec §8). */
export const formatRateHeaders = ({ tokens, cost, capacity, refill }: BucketState): Record<string, string> => ({
  'X-Ratelimit-Limit': `burst:${capacity};rate:${refill.toFixed(1)}`,
  'X-Ratelimit-Remaining': String(Math.floor(tokens)),
  'X-Ratelimit-Cost': String(cost),
  'X-Ratelimit-Reset': String(Math.round(((capacity - tokens) / refill) * 1000) / 1000),
});

/** What a request shows at the gate. */
export class Credentials {
  /** Whether there is a token at all, and whether it has the form of one. */
  readonly isSent: boolean;
  readonly hash: Buffer | undefined;
  readonly key: string;
  /** The client's network address. Bad tokens are not counted where there is none. */
  readonly address: (() => string) | undefined;

  constructor(authorization: string | null, address?: () => string) {
    const token = /^Bearer +(\S+) *$/i.exec(authorization ?? '')?.[1];
    this.isSent = authorization !== null;
    this.hash = token !== undefined && isTokenForm(token) ? digestToken(token) : undefined;
    this.key = this.hash?.toString('base64') ?? '';
    this.address = address;
  }
}

/** Requests that one statement lets in. */
const maxBatch = 100;
/** In milliseconds: after so long the statement that lets others in is not waited for. It waits for no lock, so that it is soon answered. */
const overtakeAfter = 250;
/** In milliseconds: how long the gate may take to tell that it works. */
const readyWithin = 1500;
/** A token that nobody has: no text has a digest of zeros, as far as anybody knows. */
const nobody: GateRequest = { hash: Buffer.alloc(32), cost: 0 };
/** Tokens that were good when they were last used. */
const maxKnown = 10_000;

/**
 * Lets requests in. Requests that arrive while the database is asked about others share the next statement; each is decided alone,
 * in the order of arrival. A bucket that another process holds is not waited for there, but in a queue of its space.
 */
export const createGate = (database: Database, shape: BucketShape) => {
  const anybody = createBatcher<null, GateRequest, GateRow | BusyBucket | undefined>(
    (_, requests) => database.enterGate(requests, shape),
    { maxBatch: maxBatch, overtakeAfterMs: overtakeAfter },
  );
  const ofSpace = createBatcher<number, GateRequest, GateRow | undefined>(
    (_, requests) => database.enterGateInTurn(requests, shape),
    { maxBatch: maxBatch },
  );
  const enter = async (request: GateRequest): Promise<GateRow | undefined> => {
    const found = await anybody(null, request);
    return found?.admitted === null ? ofSpace(found.groupId, request) : found;
  };
  /** The space of each, by the digest. */
  const known = new LRUCache<string, number>({ max: maxKnown });
  const throttle = new Throttle();

  /** What is behind a token. An address has few tries with tokens that are not known to be good. */
  const look = async ({ isSent, hash, key, address }: Credentials, cost: number): Promise<GateRow | undefined> => {
    if (!isSent) return undefined;
    const ask = async (): Promise<GateRow | undefined> => hash && enter({ hash, cost });
    const isTrusted = address === undefined || known.has(key);
    const found = isTrusted ? await ask() : await throttle.attempt(address(), ask);
    if (found) known.set(key, found.groupId);
    else known.delete(key);
    return found;
  };

  return {
    /**
     * The space of a token that was good when it was last used here. Only a hint, by which a body may be read before its sender is let
     * in: for everybody else nothing is read, parsed or remembered.
     */
    spaceOf: ({ key }: Credentials): number | undefined => known.get(key),

    /** Whether requests get through to the database, in the way that they all take. It is asked once for all who want to know. */
    async isReady(): Promise<boolean> {
      const answered = anybody(null, nobody).then(
        () => true,
        () => false,
      );
      return Promise.race([answered, sleep(readyWithin, false, { ref: false })]);
    },

    /**
     * Lets a request of this cost in, or throws 401 or 429. The price is paid before the work, and never given back; `paid` is what
     * the request has paid of it already.
     */
    async admit(credentials: Credentials, cost: number, paid = 0): Promise<Entry> {
      const found = await look(credentials, cost - paid);
      if (!found) throw unauthenticated(credentials.isSent);
      const { admitted, tokens, wroteAt, ...caller } = found;
      const bucket = { ...shape, tokens, cost };
      if (admitted) return { caller, bucket, wroteAt };
      const wait = computeRetryAfter(bucket);
      throw new Problem(
        'rate-limited',
        `The bucket of this space holds ${Math.floor(tokens)} tokens and the request costs ${cost}; try again in ${wait} s`,
        {
          headers: { ...formatRateHeaders(bucket), 'Retry-After': String(wait) },
        },
      );
    },
  };
};

export type Gate = ReturnType<typeof createGate>;
