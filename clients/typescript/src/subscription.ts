// Follows a subscription over one stream after the other: a connection that breaks goes on where it ended.
import {
  AuthenticationError,
  MusterError,
  NetworkError,
  ProblemError,
  TryLaterError,
  UnexpectedAnswerError,
} from './errors.ts';
import { readEvents } from './transport/event-stream.ts';
import { drawDelay, wait } from './transport/retry.ts';

export interface SubscribeOptions<Data, Variables> {
  signal?: AbortSignal;
  /**
   * The variables with which to go on after a result, such as its cursor. With it, a broken stream is opened again, as often as needed, and no result is
   * missed; without it, a broken stream throws a NetworkError.
   */
  resume?(data: Data): Partial<Variables>;
  /** Hears of each broken stream, for a message to the user. */
  onReconnect?(event: { attempt: number; delayMs: number; cause: unknown }): void;
  /** Hears of each stream that is open. */
  onConnect?(): void;
  /** In milliseconds: how long a stream may be silent, without a comment even, until it counts as broken; 60,000. */
  idleMs?: number;
}

/** What a stream is made of. */
export interface Stream<Data> {
  open(variables: object): Promise<Response>;
  /** The data of a result, or the error that it has. */
  read(text: string): Data;
}

const firstDelayMs = 500;
/** Attempts after which waits do not grow any more. */
const longestBackoff = 8;

/** A refusal would be repeated, and so would an answer that is none of Muster, unless a proxy says that the server is away. */
const isWorthReconnecting = (error: unknown): boolean => {
  if (error instanceof UnexpectedAnswerError) return error.status >= 500;
  return error instanceof TryLaterError || !(error instanceof ProblemError);
};

/** Yields the results of a subscription until the server completes it. Throws a ProblemError when the server refuses it. */
export async function* followStream<Data, Variables>(
  { open, read }: Stream<Data>,
  given: object,
  { signal, resume, onReconnect, onConnect, idleMs = 60_000 }: SubscribeOptions<Data, Variables>,
): AsyncGenerator<Data, void, undefined> {
  let variables = given;
  for (let attempt = 1; ; attempt++) {
    let cause: unknown;
    let response: Response | undefined;
    /** Whether the caller's own functions or loop are at work, whose errors no other stream would mend. */
    let isCallers = false;
    try {
      response = await open(variables);
      isCallers = true;
      onConnect?.();
      isCallers = false;
      for await (const { name, data } of readEvents(response.body!, idleMs)) {
        if (name === 'complete') return;
        if (name !== 'next') continue;
        const result = read(data);
        attempt = 1;
        isCallers = true;
        // Before the result is handed out: it may be the last one that the loop wants.
        if (resume) variables = { ...variables, ...resume(result) };
        yield result;
        isCallers = false;
      }
      cause = new NetworkError('The stream ended before it was complete');
    } catch (error) {
      signal?.throwIfAborted();
      if (isCallers) throw error;
      // The token of an open stream may have expired, and the next one has another.
      const mayBeRenewed = resume && response && error instanceof AuthenticationError;
      if (!mayBeRenewed && !isWorthReconnecting(error)) throw error;
      cause = error;
    }
    if (!resume) throw cause instanceof MusterError ? cause : new NetworkError('The stream broke', { cause });
    const retryAfter = cause instanceof TryLaterError ? cause.retryAfter : undefined;
    const delayMs = drawDelay(Math.min(attempt + 1, longestBackoff), retryAfter, firstDelayMs);
    onReconnect?.({ attempt, delayMs, cause });
    await wait(delayMs, signal);
  }
}
