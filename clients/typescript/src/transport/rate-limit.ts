// The state of the space's bucket, as the headers of an answer tell it.

/** Points: a document costs some, and the bucket gains some each second. */
export interface RateLimitState {
  capacity: number;
  /** Points that it gains each second. */
  refillRate: number;
  remaining: number;
  /** What the request has cost. */
  cost: number;
  /** Seconds until the bucket is full. */
  resetSeconds: number;
}

/** Undefined for an answer that cost nothing, such as one to a bad token. */
export const readRateLimit = (headers: Headers): RateLimitState | undefined => {
  const read = (name: string): string => headers.get(`X-Ratelimit-${name}`) ?? '';
  // The limit is `burst:100;rate:10.0`.
  const [, capacity, refillRate] = /^burst:([\d.]+);rate:([\d.]+)$/.exec(read('Limit')) ?? [];
  const state = {
    capacity: Number(capacity),
    refillRate: Number(refillRate),
    remaining: Number.parseFloat(read('Remaining')),
    cost: Number.parseFloat(read('Cost')),
    resetSeconds: Number.parseFloat(read('Reset')),
  };
  return Object.values(state).every(Number.isFinite) ? state : undefined;
};

/** Seconds of `Retry-After`: a number, or a date. */
export const readRetryAfter = (headers: Headers): number | undefined => {
  const text = headers.get('Retry-After');
  if (text === null) return undefined;
  const seconds = /^\d+(\.\d+)?$/.test(text) ? Number(text) : (Date.parse(text) - Date.now()) / 1000;
  return Number.isNaN(seconds) ? undefined : Math.max(0, seconds);
};
