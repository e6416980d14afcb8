// The gate: who calls, and may they now? Authentication and the token bucket of a space (spec §5, §8) in one statement.
import type { Caller } from '../context.ts';
import type { BucketShape, BusyBucket, Database, GateRequest, GateRow } from '../data/database.ts';
import { inLines } from '../data/line.ts';
import { Problem } from '../problem.ts';
import { digest, isToken } from './token.ts';

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
export const retryAfter = ({ tokens, cost, refill }: BucketState): number =>
  Math.max(1, Math.ceil((cost - tokens) / refill));

/** The four headers of every rate-limited authenticated response (spec §8). */
export const rateHeaders = ({ tokens, cost, capacity, refill }: BucketState): Record<string, string> => ({
  'X-Ratelimit-Limit': `burst:${capacity};rate:${refill.toFixed(1)}`,
  'X-Ratelimit-Remaining': String(Math.floor(tokens)),
  'X-Ratelimit-Cost': String(cost),
  'X-Ratelimit-Reset': String(Math.round(((capacity - tokens) / refill) * 1000) / 1000),
});

/** Requests that go in by one statement. */
const abreast = 100;

/**
 * Requests that come while the database is asked about others go in together, by the next statement; each is decided alone, in the
 * order in which they came. None waits there for a bucket that another process has in hand: those whose bucket that is wait for it
 * in a line of their space.
 */
export const createGate = (database: Database, shape: BucketShape) => {
  const anybody = inLines<null, GateRequest, GateRow | BusyBucket | undefined>(
    (_, requests) => database.enterGate(requests, shape),
    abreast,
  );
  const ofSpace = inLines<number, GateRequest, GateRow | undefined>(
    (_, requests) => database.enterGateInTurn(requests, shape),
    abreast,
  );
  const enter = async (request: GateRequest): Promise<GateRow | undefined> => {
    const found = await anybody(null, request);
    return found?.admitted === null ? ofSpace(found.groupId, request) : found;
  };
  /** Lets a request of this cost in, or throws 401 or 429. The price is paid before any work, and never given back. */
  return async (authorization: string | null, cost: number): Promise<Entry> => {
    const token = /^Bearer +(\S+) *$/i.exec(authorization ?? '')?.[1];
    const found = token && isToken(token) ? await enter({ hash: digest(token), cost }) : undefined;
    if (!found) throw unauthenticated(authorization !== null);
    const { admitted, tokens, wroteAt, ...caller } = found;
    const bucket = { ...shape, tokens, cost };
    if (admitted) return { caller, bucket, wroteAt };
    const wait = retryAfter(bucket);
    throw new Problem(
      'rate-limited',
      `The bucket of this space holds ${Math.floor(tokens)} tokens and the request costs ${cost}; try again in ${wait} s`,
      {
        headers: { ...rateHeaders(bucket), 'Retry-After': String(wait) },
      },
    );
  };
};

export type Gate = ReturnType<typeof createGate>;
