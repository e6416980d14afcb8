// Writes results as events, one after the other: in the distinct connections mode of GraphQL over SSE, or as the parts by which Apollo Client follows subscriptions.
import { setTimeout as sleep } from 'node:timers/promises';
import type { ExecutionResult } from 'graphql';
import { listAcceptedTypes } from '../http/negotiation.ts';

/** In milliseconds: proxies end a connection on which nothing comes for a minute or less. */
const heartbeatMs = 12_000;

export interface EventFormat {
  contentType: string;
  /** The first bytes, which tell the client that the stream is open, and by which id it goes on if nothing else comes. */
  begin(id: string | undefined): string;
  /** Something that is no event. */
  heartbeat: string;
  event(text: string, id: string | undefined): string;
  end: string;
}

const formatId = (id: string | undefined): string => (id === undefined ? '' : `id: ${id}\n`);
const serverSentEvents: EventFormat = {
  contentType: 'text/event-stream; charset=utf-8',
  // A block without data is no event, but its id counts.
  begin: (id) => `:\n${formatId(id)}\n`,
  heartbeat: ':\n\n',
  event: (text, id) => `event: next\n${formatId(id)}data: ${text}\n\n`,
  end: 'event: complete\ndata: \n\n',
};

/** Apollo Client reads a part once the next boundary has come. */
const boundary = '\r\n--graphql';
const formatPart = (text: string): string => `\r\nContent-Type: application/json\r\n\r\n${text}${boundary}`;
const multipart: EventFormat = {
  contentType: 'multipart/mixed; boundary="graphql"; subscriptionSpec=1.0',
  begin: () => boundary,
  heartbeat: formatPart('{}'),
  event: (text) => formatPart(`{"payload":${text}}`),
  end: '--\r\n',
};

/** The events that a client accepts; undefined for none. */
export const chooseEventFormat = (accept: string | null): EventFormat | undefined => {
  const types = listAcceptedTypes(accept);
  if (types.includes('text/event-stream')) return serverSentEvents;
  return types.includes('multipart/mixed') && /subscriptionspec/i.test(accept!) ? multipart : undefined;
};

const describeStream = ({ contentType }: EventFormat): Record<string, string> => ({
  'Content-Type': contentType,
  'Cache-Control': 'no-store, no-transform',
});

/** The header that keeps proxies from holding back what lasts. */
const unbuffered = 'X-Accel-Buffering';
/** Whether an answer goes on until its client or its subscription ends. */
export const isLasting = ({ headers }: Response): boolean => headers.has(unbuffered);

/** A whole answer as events, for a client that accepts nothing else. */
export const sendAsEvents = async (answer: Response, format: EventFormat): Promise<Response> => {
  const headers = new Headers(answer.headers);
  headers.delete('Content-Length');
  for (const [name, value] of Object.entries(describeStream(format))) headers.set(name, value);
  const text = format.event(await answer.text(), undefined);
  return new Response(`${format.begin(undefined)}${text}${format.end}`, { headers });
};

interface StreamOptions {
  format: EventFormat;
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

export const createStreamResponse = (options: StreamOptions): Response =>
  new Response(createEventStream(options), { headers: { ...describeStream(options.format), [unbuffered]: 'no' } });

/**
 * The body of an event stream. The next result is asked for when the last one was taken, so that nothing waits here for a slow reader. While there is
 * none, comments are sent.
 */
export const createEventStream = (options: StreamOptions): ReadableStream<Uint8Array> => {
  const { format, results, write, getEventId, explainEnd, onEnd } = options;
  let pending: Promise<IteratorResult<ExecutionResult>> | undefined;
  let isOver = false;
  const finish = (): void => {
    if (isOver) return;
    isOver = true;
    onEnd();
    // Its source may be waiting for something that does not come.
    void Promise.resolve(results.return?.()).catch(() => {});
  };
  const formatNext = (result: ExecutionResult): string => format.event(write(result), getEventId());
  const readNext = async (): Promise<string | undefined> => {
    pending ??= results.next();
    const timer = new AbortController();
    const beat = sleep(heartbeatMs, 'beat' as const, { signal: timer.signal, ref: false }).catch(() => 'beat' as const);
    try {
      const found = await Promise.race([pending, beat]);
      if (found === 'beat') return format.heartbeat;
      pending = undefined;
      return found.done ? undefined : formatNext(found.value);
    } finally {
      timer.abort();
    }
  };
  return new ReadableStream<Uint8Array>(
    {
      start: (controller) => controller.enqueue(encoder.encode(format.begin(getEventId()))),
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
        controller.enqueue(encoder.encode(`${last ? formatNext(last) : ''}${format.end}`));
        controller.close();
      },
      cancel: finish,
    },
    { highWaterMark: 1 },
  );
};
