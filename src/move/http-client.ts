// Asks a server that speaks the contract for JSON: within its bucket, with retries, and with bounds on time and size.
import { setTimeout as sleep } from 'node:timers/promises';

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

  /** Waits until the bucket probably has the points of a request besides the reserved part, and takes them. */
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

/** Bytes of a reply that are read. */
const maxReplyBytes = 128 * 1024 * 1024;
/** Time for a reply with its body. */
const replyTimeout = 60_000;
const maxTries = 8;
const firstDelay = 500;
const maxDelay = 30_000;
/** In seconds. A timer of more than 24 days would end at once. */
const maxRetryAfter = 3600;

/** A reply that the server will not change when it is asked again. */
export class SourceRefusal extends Error {
  readonly status: number;

  constructor(message: string, status: number) {
    super(message);
    this.status = status;
  }
}

interface ClientOptions {
  /** The address of the server, without a slash at its end. */
  address: string;
  token: string;
  /** Reports a delay or a retry. */
  note(text: string): void;
  /** Waits; tests wait less. */
  wait?: (milliseconds: number) => Promise<unknown>;
  signal?: AbortSignal | undefined;
}

const tlsAdvice =
  'The certificate of the server is not trusted. If it is your own, name the file of its authority in NODE_EXTRA_CA_CERTS';
const explanations: Record<string, string> = {
  ENOTFOUND: 'There is no host of this name',
  EAI_AGAIN: 'The name of the host cannot be resolved now',
  ECONNREFUSED: 'Nothing listens at this address',
  ECONNRESET: 'The connection was closed by the other side',
  UND_ERR_SOCKET: 'The connection was closed by the other side',
  DEPTH_ZERO_SELF_SIGNED_CERT: tlsAdvice,
  SELF_SIGNED_CERT_IN_CHAIN: tlsAdvice,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: tlsAdvice,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: tlsAdvice,
  CERT_HAS_EXPIRED: 'The certificate of the server has expired',
  ERR_TLS_CERT_ALTNAME_INVALID: 'The certificate of the server is for another name',
};
/** Faults of the address or of the certificate, which no retry mends. */
const isFinal = (code: string): boolean => code.includes('CERT') || code.includes('ISSUER') || code.includes('VERIFY');

const explainFailure = (error: unknown): { message: string; final: boolean } => {
  const { name, message, cause } = error as Error & { cause?: NodeJS.ErrnoException };
  const code = cause?.code ?? (error as NodeJS.ErrnoException).code ?? '';
  if (name === 'TimeoutError') return { message: `no reply within ${replyTimeout / 1000} s`, final: false };
  return { message: explanations[code] ?? cause?.message ?? message, final: isFinal(code) };
};

/** Reads a body, but no more of it than is allowed. */
const readBody = async (response: Response): Promise<string> => {
  const decoder = new TextDecoder();
  const parts: string[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += (chunk as Uint8Array).length;
    if (size > maxReplyBytes)
      throw new SourceRefusal(
        `The reply is longer than ${maxReplyBytes / 1024 / 1024} MiB. Use a smaller --page`,
        response.status,
      );
    parts.push(decoder.decode(chunk as Uint8Array, { stream: true }));
  }
  return parts.join('') + decoder.decode();
};

/** Seconds of the header Retry-After: a number, or a date; an hour at most. */
const readRetryAfter = (text: string | null): number | undefined => {
  if (text === null || text.trim() === '') return undefined;
  const seconds = Number(text);
  const wanted = Number.isNaN(seconds) ? (Date.parse(text) - Date.now()) / 1000 : seconds;
  return Number.isNaN(wanted) ? undefined : Math.min(maxRetryAfter, Math.max(0, wanted));
};

const describeProblem = (body: string): string => {
  try {
    const { title, detail, message } = JSON.parse(body) as Record<string, unknown>;
    const said = [detail, title, message].find((one) => typeof one === 'string' && one !== '');
    return typeof said === 'string' ? `: ${said.slice(0, 300)}` : '';
  } catch {
    return '';
  }
};

const refusals: Record<number, string> = {
  401: 'It does not accept the token. Check that the token is complete, not revoked and of this server',
  403: 'The user of the token may not read this. Use the token of an administrator of the space',
};

/** One try: JSON, or why there is none, and in how many seconds another try makes sense. */
type Try = { json: unknown } | { failure: string; after?: number | undefined };

export class SourceClient {
  readonly #options: Required<Pick<ClientOptions, 'wait'>> & ClientOptions;
  readonly #pace: BucketPace;
  /** By how many milliseconds the server's clock is ahead of ours. */
  clockOffset = 0;

  constructor(options: ClientOptions) {
    const wait = (milliseconds: number): Promise<void> => sleep(milliseconds, undefined, { signal: options.signal });
    this.#options = { wait, ...options };
    this.#pace = new BucketPace(this.#options.wait);
  }

  /** The JSON of a reply. It tries again after 429, 5xx, broken JSON and failures of the network. Throws `SourceRefusal` for other statuses. */
  async ask(method: 'GET' | 'POST', path: string, body?: unknown): Promise<unknown> {
    const { note, wait, signal } = this.#options;
    for (let tries = 1; ; tries++) {
      await this.#pace.take();
      const result = await this.#try(method, path, body);
      signal?.throwIfAborted();
      if ('json' in result) return result.json;
      if (tries === maxTries) throw new Error(`${method} ${path} failed ${maxTries} times: ${result.failure}`);
      const backOff = Math.min(maxDelay, firstDelay * 2 ** (tries - 1)) * (0.5 + Math.random() / 2);
      const delay = Math.max(backOff, (result.after ?? 0) * 1000);
      note(`${method} ${path}: ${result.failure}; trying again in ${(delay / 1000).toFixed(1)} s`);
      await wait(delay);
    }
  }

  async #try(method: string, path: string, body: unknown): Promise<Try> {
    const { address, token, signal } = this.#options;
    const timeout = AbortSignal.timeout(replyTimeout);
    try {
      const response = await fetch(`${address}${path}`, {
        method,
        // A redirect could send the token to another host.
        redirect: 'manual',
        signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
        headers: {
          Authorization: `Bearer ${token}`,
          Accept: 'application/json',
          ...(body !== undefined && { 'Content-Type': 'application/json' }),
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      this.#pace.learn(response.headers);
      const date = Date.parse(response.headers.get('date') ?? '');
      if (!Number.isNaN(date)) this.clockOffset = date - Date.now();
      return this.#readReply(response, `${method} ${path}`, await readBody(response));
    } catch (error) {
      if (error instanceof SourceRefusal || signal?.aborted) throw error;
      const { message, final } = explainFailure(error);
      if (final) throw new Error(`${address} cannot be read: ${message}`, { cause: error });
      return { failure: message };
    }
  }

  #readReply({ status, headers }: Response, request: string, body: string): Try {
    if (status >= 300 && status < 400)
      throw new SourceRefusal(
        `${request} is redirected to ${headers.get('location') ?? 'nowhere'}. A redirect is not followed, since it could send the token to another server: give the right address to --from`,
        status,
      );
    if (status === 429 || status >= 500)
      return {
        failure: `status ${status}${describeProblem(body)}`,
        after: readRetryAfter(headers.get('retry-after')) ?? (status === 429 ? 1 : undefined),
      };
    if (status >= 400)
      throw new SourceRefusal(
        `${request} has the status ${status}${describeProblem(body)}${refusals[status] ? `. ${refusals[status]}` : ''}`,
        status,
      );
    try {
      return { json: JSON.parse(body) };
    } catch {
      return { failure: 'the reply is not whole JSON' };
    }
  }
}
