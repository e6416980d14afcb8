// Signing in by OpenID Connect: verifies the tokens of an identity provider, and finds the session that each of them stands for.
import {
  errors,
  type JWTPayload,
  type JWTVerifyGetKey,
  type JWTVerifyOptions,
  type JWTVerifyResult,
  jwtVerify,
} from 'jose';
import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';
import type { Config } from '../config/config.ts';
import type { Database } from '../database/database.ts';
import { limits } from '../limits/limits.ts';
import { isScopeAtLeast } from '../permissions/authority.ts';
import { tokenScopes } from '../permissions/permissions.ts';
import { createInvalidProblem, Problem } from '../problem.ts';
import { type Credentials, spaceHeader } from './credentials.ts';
import { ProviderKeys } from './provider-keys.ts';

/** Asymmetric ones only: with a shared secret, whoever can verify a token can make one. */
const algorithms = ['RS256', 'PS256', 'ES256', 'EdDSA'];
/** Other kinds of JWTs, such as those that announce a logout, are signed by the same keys and open nothing. */
const types = [undefined, 'jwt', 'at+jwt', 'application/at+jwt'];
/** In seconds: how far the provider's clock may be from ours. */
const clockSkew = 60;
/** How many verified tokens are remembered. */
const maxVerified = 10_000;
/** In milliseconds: the log has a line of each kind no more often. */
const logPause = 60_000;

interface Claims {
  /** The version of the keys by which it was verified. */
  version: number;
  subject: string;
  mail: string | null;
  space: number | undefined;
  scope: (typeof tokenScopes)[number];
  issuedAt: Date;
  expiresAt: Date;
}

interface Verified {
  hash: Buffer;
  expiresAt: Date;
  version: number;
}

/** A fault of a token that its signature does not show. The message is for the log, and has no value of the token. */
class ClaimFault extends Error {}

/** Creates the sign-in; undefined without a provider. */
export const createSignIn = (database: Database, settings: Partial<Config>, log: Logger) => {
  const { OIDC_ISSUER: issuer, OIDC_AUDIENCE: audience, OIDC_USER_CLAIM, OIDC_SPACE_CLAIM: spaceClaim } = settings;
  if (!issuer || !audience) return undefined;
  const reportRefusal = limitLines((error) => log.info(describeFault(error), 'token of the identity provider refused'));
  const reportFailure = limitLines((error) => log.warn(describeFault(error), 'identity provider away'));
  const keys = new ProviderKeys(issuer, reportFailure);
  const verified = new LRUCache<string, Verified>({ max: maxVerified });
  /** Tokens that the provider signed and that are over: sent again within a minute, they take no signature. The clock may have been ahead. */
  const expired = new LRUCache<string, true>({ max: maxVerified, ttl: 60_000 });

  const verify = async (jwt: string): Promise<Claims> => {
    let version = 0;
    const findKey: JWTVerifyGetKey = async (header, token) => {
      try {
        return await keys.find(header, token);
      } finally {
        version = keys.version;
      }
    };
    const options = {
      algorithms,
      issuer,
      audience,
      clockTolerance: clockSkew,
      maxTokenAge: limits.connection.jwtHours * 3600,
      requiredClaims: ['exp', 'sub'],
    };
    const { payload, protectedHeader } = await jwtVerify(jwt, findKey, options).catch((error) =>
      error instanceof errors.JWKSMultipleMatchingKeys ? verifyByAny(jwt, error, options) : Promise.reject(error),
    );
    if (!types.includes(protectedHeader.typ?.toLowerCase())) throw new ClaimFault('typ is of no access token');
    // A token that is bound to a key of its client must not be used without it.
    if (payload.cnf !== undefined) throw new ClaimFault('cnf is present');
    if (payload.events !== undefined) throw new ClaimFault('events is present');
    return {
      version,
      subject: readSubject(payload),
      mail: OIDC_USER_CLAIM === 'sub' ? null : readVerifiedMail(payload),
      space: spaceClaim === undefined ? undefined : readSpaceClaim(payload, spaceClaim),
      scope: readScope(payload),
      issuedAt: new Date(payload.iat! * 1000),
      expiresAt: new Date(
        (Math.min(payload.exp!, payload.iat! + limits.connection.jwtHours * 3600) + clockSkew) * 1000,
      ),
    };
  };

  return {
    /** The hash of the session of a token that was verified before. It takes no statement and no signature. */
    findSession({ key }: Credentials): Buffer | undefined {
      const known = verified.get(key);
      if (known?.version === keys.version && known.expiresAt.getTime() > Date.now()) {
        keys.refreshOld();
        return known.hash;
      }
      verified.delete(key);
      return undefined;
    },

    /**
     * Verifies a token and opens the session of its person; yields the session's hash, undefined for a bad token, and null for one that the
     * provider signed, but that is over: its client is about to renew it. Throws 400 or 403 when
     * the person is a user, but the space is not clear or not theirs.
     */
    async openSession(credentials: Credentials): Promise<Buffer | null | undefined> {
      const { jwt = '', key } = credentials;
      if (expired.has(key)) return null;
      verified.delete(key);
      let claims: Claims;
      try {
        claims = await verify(jwt);
      } catch (error) {
        if (error instanceof Problem) throw error;
        reportRefusal(error);
        // The signature is checked before the time.
        if (!(error instanceof errors.JWTExpired)) return undefined;
        expired.set(key, true);
        return null;
      }
      const space = claims.space ?? credentials.readSpace();
      const session = await database.openSession({ ...claims, issuer, space: space ?? null });
      if (!session) {
        reportRefusal(new ClaimFault('no user is known by it'));
        return undefined;
      }
      if (!session.hash) throw createSpaceProblem(session.choices, space);
      verified.set(key, { hash: session.hash, expiresAt: claims.expiresAt, version: claims.version });
      return session.hash;
    },
  };
};

export type SignIn = ReturnType<typeof createSignIn>;

/** Verifies a token that does not say which of several keys has signed it. */
const verifyByAny = async (
  jwt: string,
  keys: AsyncIterable<CryptoKey>,
  options: JWTVerifyOptions,
): Promise<JWTVerifyResult> => {
  for await (const key of keys)
    try {
      return await jwtVerify(jwt, key, options);
    } catch (error) {
      if (!(error instanceof errors.JWSSignatureVerificationFailed)) throw error;
    }
  throw new errors.JWSSignatureVerificationFailed();
};

/** OpenID Connect allows ASCII alone: no two texts mean one subject. */
const readSubject = ({ sub = '' }: JWTPayload): string => {
  if (!/^[\x20-\x7e]{1,255}$/.test(sub) || sub.trim() === '')
    throw new ClaimFault('sub is no text of 1 to 255 characters');
  return sub;
};

/** The mail, when the provider says that it is the person's. */
const readVerifiedMail = ({ email, email_verified: isVerified }: JWTPayload): string | null => {
  // Some providers write booleans as texts.
  if (
    (isVerified !== true && isVerified !== 'true') ||
    typeof email !== 'string' ||
    !/^[^\s\p{C}]{3,254}$/u.test(email)
  )
    return null;
  // The Kelvin sign is a k in lower case, so a mail of it would pass for another person's.
  const isPlain = email.toLowerCase() === email.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
  return isPlain ? email : null;
};

const readSpaceClaim = (payload: JWTPayload, name: string): number | undefined => {
  const value = payload[name];
  if (value === undefined) return undefined;
  if (Number.isSafeInteger(value) && (value as number) >= 0) return value as number;
  throw new ClaimFault('the claim of OIDC_SPACE_CLAIM is no number of a space');
};

/** Scopes that say nothing about what the token may do here: those of OpenID Connect, and one for the service as a whole. */
const neutralScopes: ReadonlySet<string> = new Set([
  'openid',
  'profile',
  'email',
  'address',
  'phone',
  'offline_access',
  'muster',
]);

/**
 * The scope of a claim: the widest that it names, as in `muster:read`; `admin` when it has neutral names alone. A claim that has
 * other names, or none, grants something that is not known here, and so no more than reading.
 */
const readScopeClaim = (name: string, value: unknown): Claims['scope'] => {
  const texts: unknown[] = [value].flat();
  if (!texts.every((text) => typeof text === 'string')) throw new ClaimFault(`${name} is no text`);
  const names = texts.join(' ').split(/\s+/).filter(Boolean);
  const widest = tokenScopes.findLast((one) => names.includes(`muster:${one}`));
  return widest ?? (names.length > 0 && names.every((one) => neutralScopes.has(one)) ? 'admin' : 'read');
};

/** The claims that providers write scopes to, in any case: one that is overlooked would grant everything. */
const scopeClaims: ReadonlySet<string> = new Set(['scope', 'scopes', 'scp']);

/** The least scope of these claims; `admin` without any. */
const readScope = (payload: JWTPayload): Claims['scope'] =>
  Object.entries(payload)
    .filter(([name]) => scopeClaims.has(name.toLowerCase()))
    .map(([name, value]) => readScopeClaim(name.toLowerCase(), value))
    .reduce((one, other) => (isScopeAtLeast(one, other) ? other : one), 'admin');

/** The person is known, so they are told what they need to know about their own spaces, and nothing about others. */
const createSpaceProblem = (choices: number[], space: number | undefined): Problem => {
  if (space !== undefined) return new Problem('forbidden', `The user of this token is not in space ${space}`);
  if (choices.length === 0) return new Problem('forbidden', 'The user of this token is in no space');
  const message = `is missing: the user is in several spaces, send one of ${choices.join(', ')}`;
  return createInvalidProblem([{ location: `header.${spaceHeader}`, message }]);
};

/** Calls `write` once in a while, however often it is asked to. */
const limitLines = (write: (error: unknown) => void) => {
  let writtenAt = Number.NEGATIVE_INFINITY;
  return (error: unknown): void => {
    if (performance.now() - writtenAt < logPause) return;
    writtenAt = performance.now();
    write(error);
  };
};

/** A fault without values of a token: messages of the library may quote those. */
const describeFault = (error: unknown): Record<string, unknown> => {
  if (error instanceof errors.JWTClaimValidationFailed || error instanceof errors.JWTExpired)
    return { code: error.code, claim: error.claim };
  if (error instanceof errors.JOSEError) return { code: error.code };
  const { name, message, cause } = error as Error;
  const { code, message: detail } = (cause ?? {}) as { code?: string; message?: string };
  return { name, reason: message, cause: code ?? detail };
};
