// The public keys of the identity provider: found by discovery, kept while it is away, and fetched anew no more often than strangers may cause.
import { createLocalJWKSet, errors, type JSONWebKeySet, type JWTVerifyGetKey } from 'jose';
import { isTrustedAddress } from '../config/setting-types.ts';
import { limits } from '../limits/limits.ts';
import { Problem } from '../problem.ts';

/** In milliseconds. */
const times = {
  /** How long an answer of the provider may take. */
  fetch: 5000,
  /** Older keys are fetched anew: one that the provider withdrew must not count for long. */
  maxAge: 600_000,
  /** Between two fetches, whatever their result: anybody can send a token with an unknown key. */
  coolDown: 30_000,
};

export class ProviderKeys {
  readonly #issuer: string;
  readonly #onFailure: (error: unknown) => void;
  #find: JWTVerifyGetKey | undefined;
  #text = '';
  #version = 0;
  #fetchedAt = Number.NEGATIVE_INFINITY;
  #triedAt = Number.NEGATIVE_INFINITY;
  #fetching: Promise<boolean> | undefined;

  constructor(issuer: string, onFailure: (error: unknown) => void) {
    this.#issuer = issuer;
    this.#onFailure = onFailure;
  }

  /** Grows when the keys change: what was verified before must be verified again. */
  get version(): number {
    return this.#version;
  }

  /** Has old keys fetched anew, and waits for nothing. */
  refreshOld(): void {
    if (performance.now() - this.#fetchedAt > times.maxAge) void this.#refresh();
  }

  /** The key that a token names. Throws 503 when no keys could be fetched yet. */
  find: JWTVerifyGetKey = async (header, token) => {
    if (performance.now() - this.#fetchedAt > times.maxAge) await this.#refresh();
    if (!this.#find) throw this.#createProblem();
    try {
      return await this.#find(header, token);
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey) || !(await this.#refresh())) throw error;
      return this.#find(header, token);
    }
  };

  /** Whether the keys were fetched just now. Concurrent calls share one fetch. */
  async #refresh(): Promise<boolean> {
    if (this.#fetching) return this.#fetching;
    if (performance.now() - this.#triedAt < times.coolDown) return false;
    this.#triedAt = performance.now();
    this.#fetching = this.#fetchKeys().then(
      () => true,
      (error) => {
        this.#onFailure(error);
        return false;
      },
    );
    const fetched = await this.#fetching;
    this.#fetching = undefined;
    return fetched;
  }

  async #fetchKeys(): Promise<void> {
    const { issuer, jwks_uri: address } = await fetchJson(
      `${this.#issuer.replace(/\/$/, '')}/.well-known/openid-configuration`,
    );
    if (issuer !== this.#issuer) throw new Error('The provider calls itself by another issuer than OIDC_ISSUER');
    if (typeof address !== 'string' || !isTrustedAddress(address))
      throw new Error('The jwks_uri of the provider is no URL that begins with https://');
    const keys = await fetchJson(address);
    const find = createLocalJWKSet(keys as unknown as JSONWebKeySet);
    const text = JSON.stringify(keys);
    if (text !== this.#text) this.#version++;
    this.#text = text;
    this.#find = find;
    this.#fetchedAt = performance.now();
  }

  #createProblem(): Problem {
    const wait = Math.max(1, Math.ceil((this.#triedAt + times.coolDown - performance.now()) / 1000));
    return new Problem('unavailable', 'The keys of the identity provider cannot be fetched; try again soon', {
      headers: { 'Retry-After': String(wait) },
    });
  }
}

/** Fetches a JSON object. Throws when it comes too late, is too long, or only after a redirect. */
const fetchJson = async (address: string): Promise<Record<string, unknown>> => {
  const response = await fetch(address, {
    headers: { Accept: 'application/json' },
    redirect: 'error',
    signal: AbortSignal.timeout(times.fetch),
  });
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  // Leaving the loop cancels the rest of the body.
  // Types of packages bring those of browsers, whose streams are not read by a loop.
  const body = response.body as unknown as AsyncIterable<Uint8Array> | null;
  for await (const piece of body ?? []) {
    bytes += piece.byteLength;
    if (bytes > limits.connection.providerBytes) throw new Error('The provider sent too many bytes');
    pieces.push(piece);
  }
  if (response.status !== 200) throw new Error(`The provider answered with status ${response.status}`);
  const value: unknown = JSON.parse(Buffer.concat(pieces).toString());
  if (typeof value !== 'object' || value === null) throw new Error('The provider sent no JSON object');
  return value as Record<string, unknown>;
};
