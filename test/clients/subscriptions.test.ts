// Subscriptions of the TypeScript client over streams that are cut anywhere, break, fall silent or are refused.
import { describe, expect, it } from 'vitest';
import {
  createClient,
  type Fetch,
  type MusterClient,
  NetworkError,
  UnexpectedAnswerError,
} from '../../clients/typescript/src/index.ts';
import type { Json } from '../harness/app.ts';

const open = (fetch: Fetch): MusterClient =>
  createClient({ url: 'http://muster.test/graphql', token: 'secret', fetch });

describe('a subscription', () => {
  const document = 'subscription ($after: Int) { numbers(after: $after) }';
  const format = (number: number): string => `event: next\ndata: ${JSON.stringify({ data: { number } })}\n\n`;
  const complete = 'event: complete\ndata: \n\n';

  /** A server of event streams: each request gets the next list of chunks, whose stream then ends, or stays open without a word. */
  const stream = (...streams: (string[] | 'silent')[]) => {
    const asked: Json[] = [];
    const fetch: Fetch = async (_, init) => {
      asked.push(JSON.parse(String(init?.body)).variables);
      const chunks = streams.shift();
      if (!chunks)
        return Response.json(
          { errors: [{ message: 'No', extensions: { code: 'forbidden', status: 403 } }] },
          { status: 403 },
        );
      const body = new ReadableStream<Uint8Array>({
        start: (controller) => {
          // As a real fetch does: the body fails when the request is aborted.
          init?.signal?.addEventListener('abort', () => controller.error(init.signal!.reason));
          if (chunks === 'silent') return;
          for (const chunk of chunks) controller.enqueue(new TextEncoder().encode(chunk));
          controller.close();
        },
      });
      return new Response(body, { headers: { 'Content-Type': 'text/event-stream' } });
    };
    return { asked, client: open(fetch) };
  };
  const read = async (client: MusterClient, options: Parameters<MusterClient['subscribe']>[2]): Promise<number[]> => {
    const numbers: number[] = [];
    for await (const { number } of client.subscribe(document, {}, options as Json) as AsyncIterable<Json>)
      numbers.push(number);
    return numbers;
  };
  const resume = ({ number }: Json): Json => ({ after: number });

  it('yields results however the stream is cut, and ends when it is complete', async () => {
    const whole = `: ping\n\n${format(1)}:\n\n${format(2).replaceAll('\n', '\r\n')}${complete}${format(3)}`;
    for (const size of [1, 3, 7, 1000]) {
      const chunks = whole.match(new RegExp(`[^]{1,${size}}`, 'g'))!;
      expect(await read(stream(chunks).client, {})).toEqual([1, 2]);
    }
  });

  it('goes on after the last result when its stream ends or falls silent', async () => {
    const { client, asked } = stream([format(1), format(2)], [], 'silent', [format(3), complete]);
    const attempts: number[] = [];
    const numbers = await read(client, {
      resume,
      idleMs: 50,
      onReconnect: ({ attempt }: Json) => attempts.push(attempt),
    } as Json);
    expect([numbers, asked, attempts]).toEqual([
      [1, 2, 3],
      [{}, { after: 2 }, { after: 2 }, { after: 2 }],
      [1, 2, 3],
    ]);
  }, 10_000);

  it('throws what the function of the caller throws, and asks no more', async () => {
    const thrown = new Error('no cursor');
    const fail = () => {
      throw thrown;
    };
    for (const options of [{ resume: fail }, { resume, onConnect: fail }]) {
      const { client, asked } = stream([format(1)], [format(2)]);
      await expect(read(client, options as Json)).rejects.toBe(thrown);
      expect(asked).toEqual([{}]);
    }
  });

  it('throws the refusal of its first stream as it is, also one that is for now', async () => {
    const json = { errors: [{ message: 'Later', extensions: { code: 'rate-limited', status: 429 } }] };
    const client = createClient({
      url: 'http://muster.test/graphql',
      token: 'secret',
      retry: false,
      fetch: async () => Response.json(json, { status: 429, headers: { 'Retry-After': '7' } }),
    });
    await expect(read(client, {})).rejects.toMatchObject({ name: 'TryLaterError', retryAfter: 7 });
  });

  it('goes on with the next token when that of an open stream has expired', async () => {
    const expired = `event: next\ndata: ${JSON.stringify({ errors: [{ message: 'No', extensions: { code: 'unauthenticated', status: 401 } }] })}\n\n`;
    const { client, asked } = stream([format(1), expired], [format(2), complete]);
    expect([await read(client, { resume } as Json), asked]).toEqual([
      [1, 2],
      [{}, { after: 1 }],
    ]);
    await expect(read(stream([expired]).client, {})).rejects.toMatchObject({ name: 'AuthenticationError' });
  });

  it('throws what the server refuses, and a broken stream without a way to go on', async () => {
    await expect(read(stream().client, { resume } as Json)).rejects.toMatchObject({ name: 'ForbiddenError' });
    await expect(read(stream([format(1)]).client, {})).rejects.toThrow(NetworkError);
    const failed = `event: next\ndata: ${JSON.stringify({ errors: [{ message: 'Gone', extensions: { code: 'changes-gone', status: 410 } }] })}\n\n`;
    await expect(read(stream([failed]).client, { resume } as Json)).rejects.toMatchObject({ code: 'changes-gone' });
    const result: Fetch = async () => Response.json({ data: {} });
    await expect(read(open(result), { resume } as Json)).rejects.toBeInstanceOf(UnexpectedAnswerError);
    const stop = new AbortController();
    const stopped = read(stream('silent').client, { signal: stop.signal } as Json);
    setTimeout(() => stop.abort(new Error('enough')), 20);
    await expect(stopped).rejects.toThrow('enough');
  });
});
