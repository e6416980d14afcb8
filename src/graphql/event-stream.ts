// Writes the results of a subscription as server-sent events, in the distinct connections mode of GraphQL over SSE: events `next`, then one `complete`.
import { setTimeout as sleep } from 'node:timers/promises';
import type { ExecutionResult } from 'graphql';

/** In milliseconds: proxies end a connection on which nothing comes for a minute or less. */
const heartbeatMs = 12_000;

interface StreamOptions {
  results: AsyncIterator<ExecutionResult>;
  /** Serializes a result, with its internal errors masked. */
  write(result: ExecutionResult): string;
  /** The id of the event, with which a client goes on after it has lost the connection. */
  getEventId(): string | undefined;
  /** The result that tells why a stream ends before its time; undefined when it just ends. */
  explainEnd(error: unknown): ExecutionResult | undefined;
  /** Called once, when the stream is over or the client is gone. */
  onEnd(): void;
}

const encoder = new TextEncoder();
const heartbeat = ':\n\n';

/**
 * The body of an event stream. The next result is asked for when the last one was taken, so that nothing waits here for a slow reader. While there is
 * none, comments are sent.
 */
export const createEventStream = (options: StreamOptions): ReadableStream<Uint8Array> => {
  const { results, write, getEventId, explainEnd, onEnd } = options;
  let pending: Promise<IteratorResult<ExecutionResult>> | undefined;
  let isOver = false;
  const finish = (): void => {
    if (isOver) return;
    isOver = true;
    onEnd();
    // Its source may be waiting for something that does not come.
    void Promise.resolve(results.return?.()).catch(() => {});
  };
  const formatNext = (result: ExecutionResult): string => {
    const id = getEventId();
    return `event: next\n${id === undefined ? '' : `id: ${id}\n`}data: ${write(result)}\n\n`;
  };
  const readNext = async (): Promise<string | undefined> => {
    pending ??= results.next();
    const timer = new AbortController();
    const beat = sleep(heartbeatMs, 'beat' as const, { signal: timer.signal, ref: false }).catch(() => 'beat' as const);
    try {
      const found = await Promise.race([pending, beat]);
      if (found === 'beat') return heartbeat;
      pending = undefined;
      return found.done ? undefined : formatNext(found.value);
    } finally {
      timer.abort();
    }
  };
  return new ReadableStream<Uint8Array>(
    {
      // The first bytes tell the client that the stream is open.
      start: (controller) => controller.enqueue(encoder.encode(heartbeat)),
      async pull(controller) {
        let text: string | undefined;
        let reason: unknown;
        try {
          text = await readNext();
        } catch (error) {
          reason = error;
        }
        if (isOver) return;
        if (text !== undefined) return controller.enqueue(encoder.encode(text));
        const last = explainEnd(reason);
        finish();
        controller.enqueue(encoder.encode(`${last ? formatNext(last) : ''}event: complete\ndata: \n\n`));
        controller.close();
      },
      cancel: finish,
    },
    { highWaterMark: 1 },
  );
};
