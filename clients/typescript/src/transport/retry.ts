// When to try again, and how long to wait before.

export interface RetryOptions {
  /** Attempts in all; 5. */
  attempts?: number;
  /** In milliseconds: when the last attempt has to begin; 60,000. A longer `Retry-After` ends the tries at once. */
  totalMs?: number;
  /** In milliseconds: how long one attempt may take; 30,000. */
  attemptMs?: number;
  /** In milliseconds: the first wait when the server names none; it doubles each time, up to ten seconds; 250. */
  firstDelayMs?: number;
}

export const defaultRetry: Required<RetryOptions> = {
  attempts: 5,
  totalMs: 60_000,
  attemptMs: 30_000,
  firstDelayMs: 250,
};

const longestDelayMs = 10_000;

/**
 * Milliseconds to wait before attempt number `attempt`, counted from 2. `Retry-After` is a least: clients that were refused together come
 * back spread over a quarter of it, or a second. Without it, the wait is drawn from a range that doubles.
 */
export const drawDelay = (attempt: number, retryAfter: number | undefined, firstDelayMs: number): number => {
  if (retryAfter !== undefined) return retryAfter * 1000 + Math.random() * Math.min(1000, 50 + retryAfter * 250);
  const range = Math.min(longestDelayMs, firstDelayMs * 2 ** (attempt - 2));
  return range / 2 + (Math.random() * range) / 2;
};

/** Waits, or throws the reason of the signal. */
export const wait = (ms: number, signal?: AbortSignal | null): Promise<void> =>
  new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const stop = (): void => {
      clearTimeout(timer);
      reject(signal!.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop);
      resolve();
    }, ms);
    signal?.addEventListener('abort', stop, { once: true });
  });
