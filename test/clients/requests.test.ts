// The TypeScript client against a listening server: typed requests, its errors, and retries that write once.
import { Readable } from 'node:stream';
import { parse } from 'graphql';
import { describe, expect, it } from 'vitest';
import {
  AuthenticationError,
  CreateContactDocument,
  CreateNoteDocument,
  createRetryingFetch,
  DeleteNoteDocument,
  type Fetch,
  InvalidRequestError,
  NetworkError,
  OutcomeUnknownError,
  problemStatuses,
  ReadContactDocument,
  ReadViewerDocument,
  TryLaterError,
  UnexpectedAnswerError,
  UpdateContactDocument,
  VersionConflictError,
} from '../../clients/typescript/src/index.ts';
import { openSession } from '../harness/session.ts';
import { expectRejection, shareServer } from './shared-server.ts';

const shared = shareServer();

const countNotes = async (content: string): Promise<number> =>
  (await shared.server.sql('select 1 from notes where content = ?', [content])).length;

describe('a request', () => {
  it('returns the data of a document, of a text or parsed, and knows the state of the bucket', async () => {
    const client = shared.open({ token: async () => shared.token, space: 1 });
    expect(client.rateLimit).toBeUndefined();
    const { viewer } = await client.request(ReadViewerDocument);
    expect(viewer.space).toEqual({ id: 'Space:1', name: expect.any(String) });
    expect(await client.request(parse('{ __typename }') as never)).toEqual({ __typename: 'Query' });
    expect(client.rateLimit).toEqual({
      capacity: 10_000,
      refillRate: 10,
      remaining: expect.any(Number),
      cost: 1,
      resetSeconds: expect.any(Number),
    });
    const withoutPrinter = shared.open({ print: undefined }).request(parse('{ __typename }') as never);
    expect(await expectRejection(withoutPrinter)).toBeInstanceOf(TypeError);
  });

  it('throws an error of the class of its problem, with every fault and its place', async () => {
    const wrong = await expectRejection(
      shared.open().request(CreateContactDocument, { input: { lastName: 'A', ageCategory: 9, tags: [{ name: ' ' }] } }),
    );
    expect(wrong).toBeInstanceOf(InvalidRequestError);
    expect(wrong).toMatchObject({ code: 'invalid-request', status: 400, path: ['createContact'] });
    expect(wrong.faults).toEqual([
      { location: 'input.ageCategory', message: 'must be from 0 to 6', value: 9 },
      { location: 'input.tags[0].name', message: 'must not be blank', value: ' ' },
    ]);
    // The second one was shortened by a program that shows it.
    for (const token of ['wrong', `${shared.token.slice(0, 9)}…`]) {
      const stranger = await expectRejection(shared.open({ token }).request(ReadViewerDocument));
      expect(stranger).toBeInstanceOf(AuthenticationError);
      expect(stranger).toMatchObject({ code: 'unauthenticated', status: 401, instance: expect.any(String) });
    }
    const invalid = await expectRejection(shared.open().request('{ nothing }'));
    expect(invalid).toMatchObject({ name: 'InvalidRequestError', code: 'invalid-document' });
    const { id, version } = await shared.createContact('Versioned');
    const update = { id, expectedVersion: version, firstName: 'Vera' };
    await shared.open().request(UpdateContactDocument, { input: update });
    const late = await expectRejection(shared.open().request(UpdateContactDocument, { input: update }));
    expect(late).toBeInstanceOf(VersionConflictError);
    expect(Object.keys(problemStatuses)).toContain(late.code);
    const lost = await expectRejection(
      shared.open({ url: 'http://127.0.0.1:1/graphql', retry: false }).request(ReadViewerDocument),
    );
    expect(lost).toBeInstanceOf(NetworkError);
    const start = async (): Promise<Response> =>
      new Response(
        new ReadableStream({
          start: (stream) => stream.enqueue(new TextEncoder().encode('{"data":')),
          pull: (stream) => stream.error(new TypeError('terminated')),
        }),
      );
    for (const retry of [false, { attempts: 1 }] as const)
      expect(await expectRejection(shared.open({ fetch: start, retry }).request(ReadViewerDocument))).toBeInstanceOf(
        NetworkError,
      );
    const page: Fetch = async () => new Response('<h1>Sign in</h1>', { status: 200 });
    expect(await expectRejection(shared.open({ fetch: page }).request(ReadViewerDocument))).toBeInstanceOf(
      UnexpectedAnswerError,
    );
    const refusal = {
      type: 'urn:muster:problem:not-found',
      title: 'Not found',
      status: 404,
      detail: 'There is no such path',
    };
    const rest: Fetch = async () => Response.json(refusal, { status: 404 });
    expect(await expectRejection(shared.open({ fetch: rest }).request(ReadViewerDocument))).toMatchObject({
      name: 'NotFoundError',
      code: 'not-found',
      message: 'There is no such path',
    });
  });

  it('has the data of what succeeded beside the errors, when it is executed', async () => {
    const document = `mutation { a: createTag(input: { name: "by parts" }) { tag { name } } b: deleteNote(input: { id: 999999 }) { deletedId } }`;
    const { data, errors, status } = await shared.open().execute(document);
    expect([status, data]).toEqual([200, { a: { tag: { name: 'by parts' } }, b: null }]);
    expect(errors).toMatchObject([{ code: 'not-found', status: 404, path: ['b'] }]);
  });

  it('ends with the reason of its signal or that of the client', async () => {
    const reason = new Error('enough');
    const client = new AbortController();
    client.abort(reason);
    await expect(shared.open({ signal: client.signal }).request(ReadViewerDocument)).rejects.toBe(reason);
    const waiting = new AbortController();
    const refuse: Fetch = async () => new Response('{}', { status: 503, headers: { 'Retry-After': '30' } });
    const stopped = shared.open({ fetch: refuse, retry: { onRetry: () => waiting.abort(reason) } });
    await expect(stopped.request(ReadViewerDocument, {}, { signal: waiting.signal })).rejects.toBe(reason);
  });

  it('shares a signal with many others, at work and between attempts, and Node sees no leak', async () => {
    const warnings: Error[] = [];
    const hear = (warning: Error): void => void warnings.push(warning);
    process.on('warning', hear);
    const reason = new Error('enough');
    const whole = new AbortController();
    const hang: Fetch = (_, { signal } = {}) =>
      new Promise((_, reject) => signal!.addEventListener('abort', () => reject(signal!.reason)));
    const refuse: Fetch = async () => new Response('{}', { status: 503, headers: { 'Retry-After': '30' } });
    const calls = [hang, refuse].flatMap((fetch) => {
      const client = shared.open({ signal: whole.signal, fetch });
      return Array.from({ length: 12 }, () => client.request(ReadViewerDocument));
    });
    setTimeout(() => whole.abort(reason), 50);
    const ended = await Promise.allSettled(calls);
    expect(ended).toEqual(calls.map(() => ({ status: 'rejected', reason })));
    process.off('warning', hear);
    expect(warnings).toEqual([]);
  });
});

describe('retries', () => {
  it('wait until the bucket has enough', async () => {
    await shared.open().request(ReadViewerDocument);
    await shared.server.sql('update rate_buckets set tokens = 0, refilled_at = now() where group_id = 1');
    shared.sent.length = 0;
    const waits: number[] = [];
    const client = shared.open({ retry: { onRetry: ({ delayMs }) => waits.push(delayMs) } });
    await client.request('{ explainSearch(exact: false) { matches } }');
    await shared.server.sql('update rate_buckets set tokens = 10000 where group_id = 1');
    expect(shared.sent.map(({ status }) => status)).toEqual([429, 200]);
    expect(waits).toHaveLength(1);
    expect(waits[0]).toBeGreaterThanOrEqual(1000);
  });

  it('write once when the answer is lost, and have that of the first attempt', async () => {
    let losses = 2;
    const lose: Fetch = async (input, init) => {
      const response = await shared.record(input, init);
      if (losses-- > 0) throw new TypeError('fetch failed');
      return response;
    };
    const { id } = await shared.createContact('Lost');
    shared.sent.length = 0;
    const client = shared.open({ fetch: lose, retry: { firstDelayMs: 1 } });
    const input = { contactId: id, content: 'once, whatever happens' };
    const { data, isReplayed } = await client.execute(CreateNoteDocument, { input });
    expect([data?.createNote?.note.content, isReplayed]).toEqual([input.content, true]);
    expect([
      shared.sent.length,
      new Set(shared.sent.map(({ key }) => key)).size,
      await countNotes(input.content),
    ]).toEqual([3, 1, 1]);
    await client.request(CreateNoteDocument, { input });
    expect(await countNotes(input.content)).toBe(2);
    for (let time = 0; time < 2; time++)
      await client.request(
        DeleteNoteDocument,
        { input: { id: data!.createNote!.note.id } },
        { idempotencyKey: 'delete-1' },
      );
  });

  it('wait for an attempt that is still under way', async () => {
    const { id, databaseId } = await shared.createContact('Slow');
    shared.sent.length = 0;
    const holder = await openSession(shared.server.databaseUrl);
    await holder.query('begin');
    await holder.query('select from contacts where group_id = 1 and id = $1 for update', [databaseId]);
    const statuses: (number | undefined)[] = [];
    const release = async (status: number | undefined): Promise<void> => {
      statuses.push(status);
      if (status === 409) await holder.query('rollback');
    };
    const client = shared.open({
      retry: { attemptMs: 300, firstDelayMs: 1, onRetry: ({ status }) => void release(status) },
    });
    const input = { contactId: id, content: 'written slowly' };
    expect((await client.request(CreateNoteDocument, { input })).createNote?.note.content).toBe(input.content);
    expect([statuses.slice(0, 2), await countNotes(input.content)]).toEqual([[undefined, 409], 1]);
  });

  it('end after the last attempt, or when the server asks for more time than there is', async () => {
    const refuse =
      (retryAfter: string): Fetch =>
      async () => {
        shared.sent.push({ key: null, status: 503 });
        const error = { message: 'Overloaded', extensions: { code: 'overloaded', status: 503 } };
        return Response.json({ errors: [error] }, { status: 503, headers: { 'Retry-After': retryAfter } });
      };
    const soon = await expectRejection(
      shared.open({ fetch: refuse('0'), retry: { attempts: 3 } }).request(ReadViewerDocument),
    );
    expect([soon.name, soon.code, shared.sent.length]).toEqual(['TryLaterError', 'overloaded', 3]);
    const late = await expectRejection(shared.open({ fetch: refuse('3600') }).request(ReadViewerDocument));
    expect(late).toBeInstanceOf(TryLaterError);
    expect([late.retryAfter, shared.sent.length]).toEqual([3600, 4]);
  });

  it('do not repeat a write without a key, which answers with secrets need', async () => {
    const document = `mutation ($label: String!) { createToken(input: { label: $label, scope: READ }) { token } }`;
    expect((await expectRejection(shared.open().request(document, { label: 'keyed' }))).status).toBe(422);
    const given = { idempotencyKey: false } as const;
    expect(await shared.open().request(document, { label: 'bare' }, given)).toMatchObject({
      createToken: { token: expect.any(String) },
    });
    const broken: Fetch = async (_, init) => {
      shared.sent.push({ key: new Headers(init?.headers).get('Idempotency-Key'), status: undefined });
      throw new TypeError('fetch failed');
    };
    shared.sent.length = 0;
    expect(
      await expectRejection(shared.open({ fetch: broken }).request(document, { label: 'lost' }, given)),
    ).toBeInstanceOf(NetworkError);
    expect(shared.sent).toEqual([{ key: null, status: undefined }]);
  });

  it('serve other libraries as a fetch, also for a Request', async () => {
    let faults = 1;
    const flaky = createRetryingFetch({
      firstDelayMs: 1,
      fetch: (input, init) =>
        faults-- > 0 ? Promise.reject(new TypeError('fetch failed')) : shared.record(input, init),
    });
    const headers = { ...shared.server.headers, 'Content-Type': 'application/json' };
    const body = JSON.stringify({ query: '{ __typename }' });
    const answer = await flaky(new Request(shared.server.url, { method: 'POST', headers, body }));
    expect(await answer.json()).toEqual({ data: { __typename: 'Query' } });
    expect(shared.sent).toEqual([{ key: expect.stringMatching(/^[0-9a-f]{32}$/), status: 200 }]);
  });

  it('send a stream once, of which a second attempt would send the rest', async () => {
    const sent: string[] = [];
    const busy = createRetryingFetch({
      firstDelayMs: 1,
      fetch: async (input, init) => {
        sent.push(await new Request(input, init).text());
        return new Response(null, { status: 429, headers: { 'Retry-After': '0' } });
      },
    });
    for (const body of [
      new Blob(['file']).stream(),
      Readable.from([Buffer.from('file')]),
      Readable.from([Buffer.from('file')])[Symbol.asyncIterator](),
    ]) {
      const init = { method: 'POST', body: body as ReadableStream, duplex: 'half' };
      expect((await busy(shared.server.url, init)).status).toBe(429);
    }
    expect(sent).toEqual(['file', 'file', 'file']);
  });
});

it('a document of the package reads a contact as it is', async () => {
  const { id } = await shared.createContact('Read');
  const { contact } = await shared.open().request(ReadContactDocument, { id });
  expect(contact).toMatchObject({ id, lastName: 'Read', version: expect.any(Number), tags: [] });
});

describe('a write whose outcome is unknown', () => {
  const unknown = { code: 'unavailable', status: 503, instance: 'urn:uuid:1', outcome: 'unknown' };
  const lose =
    (attempts: (string | null)[], status: number, headers = {}): Fetch =>
    async (_, init) => {
      attempts.push(new Headers(init!.headers).get('Idempotency-Key'));
      const body = { errors: [{ message: 'lost', extensions: unknown }], ...(status === 200 && { data: { x: null } }) };
      return Response.json(body, { status, headers });
    };

  it.each([
    200, 503,
  ])('and that has no key is not repeated after %i, and is no error of which nothing was done', async (status) => {
    const attempts: (string | null)[] = [];
    const client = shared.open({ fetch: lose(attempts, status), retry: { firstDelayMs: 1 } });
    const error = await expectRejection(client.request('mutation { x }', {}, { idempotencyKey: false }));
    expect(error).toBeInstanceOf(OutcomeUnknownError);
    expect(error).not.toBeInstanceOf(TryLaterError);
    expect(error).toMatchObject({ code: 'unavailable', errors: [{ outcome: 'unknown' }] });
    expect(attempts).toEqual([null]);
  });

  it('is repeated under its key', async () => {
    const attempts: (string | null)[] = [];
    const fetch = lose(attempts, 503, { 'Retry-After': '0' });
    const client = shared.open({ fetch, retry: { firstDelayMs: 1, attempts: 3 } });
    expect(await expectRejection(client.request('mutation { x }', {}))).toBeInstanceOf(OutcomeUnknownError);
    expect([attempts.length, new Set(attempts).size]).toEqual([3, 1]);
  });
});
