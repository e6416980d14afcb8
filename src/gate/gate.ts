// The gate: authentication and the bucket of a space (spec §5, §8), in one statement.
import { setTimeout as sleep } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import type { Caller } from '../context.ts';
import { createBatcher } from '../database/batcher.ts';
import type { Database } from '../database/database.ts';
import type { BucketShape, BusyBucket, GateRequest, GateRow } from '../database/gate.ts';
import { limitRole } from '../permissions/authority.ts';
import { Problem } from '../problem.ts';
import type { Credentials } from './credentials.ts';
import type { SignIn } from './openid.ts';
import { isRefusal, Throttle } from './throttle.ts';
import type { TokenUses } from './token-uses.ts';

/** An admitted caller, and the state of the space's bucket. */
export interface Entry {
  caller: Caller;
  bucket: BucketState;
  /** The position in the database's log of the token's last write. */
  wroteAt: number;
}

interface BucketState extends BucketShape {
  tokens: number;
  cost: number;
}

/** One refusal for every fault of a token, so that guessing teaches nothing. */
const unauthenticated = (sent: boolean): Problem =>
  new Problem('unauthenticated', 'Send the header Authorization: Bearer <ACCESS_TOKEN> with a valid access token', {
    headers: { 'WWW-Authenticate': sent ? 'Bearer realm="muster", error="invalid_token"' : 'Bearer realm="muster"' },
  });

/** Seconds until a refused request of this cost can succeed: whole, and at least one (spec §8.4). */
export const computeRetryAfter = ({ tokens, cost, refill }: BucketState): number =>
  Math.max(1, Math.ceil((cost - tokens) / refill));

/** Whole points; none where an app pays off a request. */
export const countTokens = (tokens: number): number => Math.max(0, Math.floor(tokens));

/** The four headers of every rate-limited authenticated response (spec §8). */
export const formatRateHeaders = ({ tokens, cost, capacity, refill }: BucketState): Record<string, string> => ({
  'X-Ratelimit-Limit': `burst:${capacity};rate:${refill.toFixed(1)}`,
  'X-Ratelimit-Remaining': String(countTokens(tokens)),
  'X-Ratelimit-Cost': String(cost),
  'X-Ratelimit-Reset': String(Math.round(((capacity - tokens) / refill) * 1000) / 1000),
});

/** Describes the part of the bucket that an app can use. A price beyond all of it is paid by the full share, and paid off later. */
const describeShare = ({ capacity, refill, cost }: BucketState, share: number, tokens: number): BucketState => {
  const own = { capacity: (capacity * share) / 100, refill: (refill * share) / 100 };
  return { ...own, tokens, cost: Math.min(cost, own.capacity) };
};

/** Requests that one statement admits at most. */
const maxBatch = 100;
/** In milliseconds: a statement that takes longer is no longer waited for. It takes no lock, so it is usually answered soon. */
const overtakeAfter = 250;
/** In milliseconds: how long the readiness check waits for the gate. */
const readyWithin = 1500;
/** The digest of no token: nobody knows a text whose digest is zeros. */
const nobody: GateRequest = { hash: Buffer.alloc(32), cost: 0 };
/** How many tokens that were valid at their last use are remembered. */
const maxKnown = 10_000;

interface GateOptions {
  /** Whether more is asked of this space than is served. */
  isCrowded?(space: number): boolean;
  signIn?: SignIn | undefined;
  uses?: TokenUses;
}

/**
 * Creates the gate. Requests that arrive while a statement is in flight share the next one; each is decided alone, in order of
 * arrival. A crowded space has statements of its own, so that others do not wait for them. On a cluster every space has them, so that a
 * statement runs on one node, and no space fails with the node of another. A request whose bucket another process holds waits in a queue of
 * its space, not in the shared statement. With `signIn`, tokens of an identity provider are accepted too: each stands for a session, which is
 * a row like that of an own token.
 */
export const createGate = (database: Database, shape: BucketShape, options: GateOptions = {}) => {
  const { isCrowded = () => false, signIn, uses } = options;
  /** The key is a space, or a token of an unknown space; null for all of them. */
  const together = createBatcher<number | string | null, GateRequest, GateRow | BusyBucket | undefined>(
    (_, requests) => database.enterGate(requests, shape),
    { maxBatch, overtakeAfterMs: overtakeAfter },
  );
  const ofSpace = createBatcher<number, GateRequest, GateRow | undefined>(
    (_, requests) => database.enterGateInTurn(requests, shape),
    { maxBatch },
  );
  /** The space of each token, by its digest. */
  const known = new LRUCache<string, number>({ max: maxKnown });
  const enter = async (request: GateRequest, key: string): Promise<GateRow | undefined> => {
    const space = known.get(key);
    const isAlone = database.isCluster || (space !== undefined && isCrowded(space));
    const found = await together(isAlone ? (space ?? key) : null, request);
    return found?.admitted === null ? ofSpace(found.groupId, request) : found;
  };
  const throttle = new Throttle();
  let checking: Promise<boolean> | undefined;

  const enterSession = async (credentials: Credentials, cost: number): Promise<GateRow | null | undefined> => {
    if (!signIn || credentials.jwt === undefined) return undefined;
    const recent = signIn.findSession(credentials);
    const found = recent && (await enter({ hash: recent, cost }, credentials.key));
    if (found) return found;
    const opened = await signIn.openSession(credentials);
    return opened && enter({ hash: opened, cost }, credentials.key);
  };

  /** Resolves a token. An address has few tries with tokens that are not known to be valid. */
  const look = async (credentials: Credentials, cost: number): Promise<GateRow | null | undefined> => {
    const { isSent, hash, key, address } = credentials;
    if (!isSent) return undefined;
    const ask = async (): Promise<GateRow | null | undefined> =>
      hash ? enter({ hash, cost }, key) : enterSession(credentials, cost);
    const isTrusted = address === undefined || known.has(key);
    try {
      const found = isTrusted ? await ask() : await throttle.attempt(address(), ask);
      if (found) known.set(key, found.groupId);
      else known.delete(key);
      return found;
    } catch (error) {
      if (isRefusal(error)) known.delete(key);
      throw error;
    }
  };

  return {
    /**
     * The space of a token that was valid at its last use here. It is only a hint: the body of such a request may be read before it is
     * admitted. For other requests nothing is read, parsed or remembered.
     */
    spaceOf: ({ key }: Credentials): number | undefined => known.get(key),

    /** Whether a valid token could be used: the gate answers, by the path of every request, and may write. Concurrent calls share one check. */
    isReady(): Promise<boolean> {
      // One after the other, so that the check takes one connection.
      checking ??= together(null, nobody)
        .then(() => database.canServe())
        .catch(() => false)
        .finally(() => {
          checking = undefined;
        });
      return Promise.race([checking, sleep(readyWithin, false, { ref: false })]);
    },

    /**
     * Admits a request of this cost, or throws 401, 403 or 429. The price is paid before the work and never refunded; `paid` is the part
     * that the request has paid already.
     */
    async admit(credentials: Credentials, cost: number, paid = 0): Promise<Entry> {
      const found = await look(credentials, cost - paid);
      if (!found) throw unauthenticated(credentials.isSent);
      const named = credentials.readSpace();
      if (named !== undefined && named !== found.groupId)
        throw new Problem('forbidden', `This access token is not for space ${named}`);
      const { tokenId, userId, groupId, roleId, permissions, scope, admitted, tokens, wroteAt, share, ownTokens } =
        found;
      uses?.note(found, admitted ? cost - paid : 0);
      const ofSpace = { capacity: shape.capacity, refill: shape.refill, tokens, cost };
      const ofApp = share === null ? undefined : describeShare(ofSpace, share, ownTokens!);
      const bucket = ofApp ? { ...ofApp, tokens: Math.min(tokens, ofApp.tokens), cost } : ofSpace;
      if (admitted) {
        const roleType = limitRole(found.roleType, scope);
        const isApp = ofApp !== undefined;
        return { caller: { tokenId, userId, groupId, roleId, roleType, permissions, scope, isApp }, bucket, wroteAt };
      }
      const short = [ofSpace, ofApp].flatMap((one) => (one && one.tokens < one.cost ? [computeRetryAfter(one)] : []));
      const wait = Math.max(1, ...short);
      const reason =
        ofApp && ofApp.tokens < ofApp.cost && computeRetryAfter(ofApp) === wait
          ? `This app can use ${share} % of the bucket of this space: its share holds ${countTokens(ofApp.tokens)} points`
          : `The bucket of this space holds ${countTokens(tokens)} points`;
      throw new Problem('rate-limited', `${reason} and the request costs ${cost}; try again in ${wait} s`, {
        headers: { ...formatRateHeaders(bucket), 'Retry-After': String(wait) },
      });
    },
  };
};

export type Gate = ReturnType<typeof createGate>;
