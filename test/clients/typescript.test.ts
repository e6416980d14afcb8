// The TypeScript client against a listening server: typed requests, its errors, retries that write once, pages, and searches in both notations.
import { parse, print } from 'graphql';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import {
  AuthenticationError,
  allOf,
  anyOf,
  CountContactsDocument,
  CreateContactDocument,
  CreateNoteDocument,
  createClient,
  createRetryingFetch,
  DeleteNoteDocument,
  type Fetch,
  InvalidRequestError,
  ListContactsDocument,
  ListTagsDocument,
  type MusterClient,
  NetworkError,
  not,
  problemStatuses,
  QueryTreeError,
  ReadContactDocument,
  ReadViewerDocument,
  type Search,
  SearchContactsDocument,
  TryLaterError,
  UnexpectedAnswerError,
  UpdateContactDocument,
  VersionConflictError,
  where,
} from '../../clients/typescript/src/index.ts';
import { type ClientServer, startClientServer } from '../graphql/clients/client-server.ts';
import type { Json } from '../harness/app.ts';
import { session } from '../harness/session.ts';

let server: ClientServer;
let token: string;
/** Requests that a client has sent since the last test. */
let sent: { key: string | null; status: number | undefined }[] = [];
beforeAll(async () => {
  server = await startClientServer({ capacity: 100, refill: 1_000 });
  token = server.headers.Authorization.replace('Bearer ', '');
});
afterEach(() => {
  sent = [];
});

/** Sends a request, and keeps its key and the status of its answer. */
const record: Fetch = async (input, init) => {
  const request = { key: new Headers(init?.headers).get('Idempotency-Key'), status: undefined as number | undefined };
  sent.push(request);
  const response = await fetch(input, init);
  request.status = response.status;
  return response;
};

const open = (options: Partial<Parameters<typeof createClient>[0]> = {}): MusterClient =>
  createClient({ url: server.url, token, fetch: record, print, ...options });

const countNotes = async (content: string): Promise<number> =>
  (await server.sql('select 1 from notes where content = ?', [content])).length;

/** The error that a promise is rejected with. */
const catchError = async (promise: Promise<unknown>): Promise<Json> =>
  promise.then(
    () => expect.unreachable('it succeeded'),
    (error) => error,
  );

const createContact = async (lastName: string) =>
  (await open().request(CreateContactDocument, { input: { lastName } })).createContact!.contact;

describe('a request', () => {
  it('returns the data of a document, of a text or parsed, and knows the state of the bucket', async () => {
    const client = open({ token: async () => token, space: 1 });
    expect(client.rateLimit).toBeUndefined();
    const { viewer } = await client.request(ReadViewerDocument);
    expect(viewer.space).toEqual({ id: 'Space:1', name: expect.any(String) });
    expect(await client.request(parse('{ __typename }') as never)).toEqual({ __typename: 'Query' });
    expect(client.rateLimit).toEqual({
      capacity: 100,
      refillRate: 1000,
      remaining: expect.any(Number),
      cost: 1,
      resetSeconds: expect.any(Number),
    });
    const withoutPrinter = open({ print: undefined }).request(parse('{ __typename }') as never);
    expect(await catchError(withoutPrinter)).toBeInstanceOf(TypeError);
  });

  it('throws an error of the class of its problem, with every fault and its place', async () => {
    const wrong = await catchError(
      open().request(CreateContactDocument, { input: { lastName: 'A', ageCategory: 9, tags: [{ name: ' ' }] } }),
    );
    expect(wrong).toBeInstanceOf(InvalidRequestError);
    expect(wrong).toMatchObject({ code: 'invalid-request', status: 400, path: ['createContact'] });
    expect(wrong.faults).toEqual([
      { location: 'input.ageCategory', message: 'must be from 0 to 6', value: 9 },
      { location: 'input.tags[0].name', message: 'must not be blank', value: ' ' },
    ]);
    const stranger = await catchError(open({ token: 'wrong' }).request(ReadViewerDocument));
    expect(stranger).toBeInstanceOf(AuthenticationError);
    expect(stranger).toMatchObject({ code: 'unauthenticated', status: 401, instance: expect.any(String) });
    const invalid = await catchError(open().request('{ nothing }'));
    expect(invalid).toMatchObject({ name: 'InvalidRequestError', code: 'invalid-document' });
    const { id, version } = await createContact('Versioned');
    const update = { id, expectedVersion: version, firstName: 'Vera' };
    await open().request(UpdateContactDocument, { input: update });
    const late = await catchError(open().request(UpdateContactDocument, { input: update }));
    expect(late).toBeInstanceOf(VersionConflictError);
    expect(Object.keys(problemStatuses)).toContain(late.code);
    const lost = await catchError(
      open({ url: 'http://127.0.0.1:1/graphql', retry: false }).request(ReadViewerDocument),
    );
    expect(lost).toBeInstanceOf(NetworkError);
    const page: Fetch = async () => new Response('<h1>Sign in</h1>', { status: 200 });
    expect(await catchError(open({ fetch: page }).request(ReadViewerDocument))).toBeInstanceOf(UnexpectedAnswerError);
    const refusal = {
      type: 'urn:muster:problem:not-found',
      title: 'Not found',
      status: 404,
      detail: 'There is no such path',
    };
    const rest: Fetch = async () => Response.json(refusal, { status: 404 });
    expect(await catchError(open({ fetch: rest }).request(ReadViewerDocument))).toMatchObject({
      name: 'NotFoundError',
      code: 'not-found',
      message: 'There is no such path',
    });
  });

  it('has the data of what succeeded beside the errors, when it is executed', async () => {
    const document = `mutation { a: createTag(input: { name: "by parts" }) { tag { name } } b: deleteNote(input: { id: 999999 }) { deletedId } }`;
    const { data, errors, status } = await open().execute(document);
    expect([status, data]).toEqual([200, { a: { tag: { name: 'by parts' } }, b: null }]);
    expect(errors).toMatchObject([{ code: 'not-found', status: 404, path: ['b'] }]);
  });

  it('ends with the reason of its signal or that of the client', async () => {
    const reason = new Error('enough');
    const client = new AbortController();
    client.abort(reason);
    await expect(open({ signal: client.signal }).request(ReadViewerDocument)).rejects.toBe(reason);
    const waiting = new AbortController();
    const refuse: Fetch = async () => new Response('{}', { status: 503, headers: { 'Retry-After': '30' } });
    const stopped = open({ fetch: refuse, retry: { onRetry: () => waiting.abort(reason) } });
    await expect(stopped.request(ReadViewerDocument, {}, { signal: waiting.signal })).rejects.toBe(reason);
  });
});

describe('retries', () => {
  it('wait until the bucket has enough', async () => {
    const heavy = `{ ${Array.from({ length: 19 }, (_, index) => `e${index}: explainSearch(exact: false) { matches }`).join(' ')} }`;
    const waits: number[] = [];
    const client = open({ retry: { onRetry: ({ delayMs }) => waits.push(delayMs) } });
    await Promise.all([client.execute(heavy), client.execute(heavy)]);
    expect(sent.map(({ status }) => status).sort()).toEqual([200, 200, 429]);
    expect(waits).toHaveLength(1);
    expect(waits[0]).toBeGreaterThanOrEqual(1000);
  });

  it('write once when the answer is lost, and have that of the first attempt', async () => {
    let losses = 2;
    const lose: Fetch = async (input, init) => {
      const response = await record(input, init);
      if (losses-- > 0) throw new TypeError('fetch failed');
      return response;
    };
    const { id } = await createContact('Lost');
    sent = [];
    const client = open({ fetch: lose, retry: { firstDelayMs: 1 } });
    const input = { contactId: id, content: 'once, whatever happens' };
    const { data, isReplayed } = await client.execute(CreateNoteDocument, { input });
    expect([data?.createNote?.note.content, isReplayed]).toEqual([input.content, true]);
    expect([sent.length, new Set(sent.map(({ key }) => key)).size, await countNotes(input.content)]).toEqual([3, 1, 1]);
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
    const { id, databaseId } = await createContact('Slow');
    sent = [];
    const holder = await session(server.databaseUrl);
    await holder.query('begin');
    await holder.query('select from contacts where group_id = 1 and id = $1 for update', [databaseId]);
    const statuses: (number | undefined)[] = [];
    const release = async (status: number | undefined): Promise<void> => {
      statuses.push(status);
      if (status === 409) await holder.query('rollback');
    };
    const client = open({ retry: { attemptMs: 300, firstDelayMs: 1, onRetry: ({ status }) => void release(status) } });
    const input = { contactId: id, content: 'written slowly' };
    expect((await client.request(CreateNoteDocument, { input })).createNote?.note.content).toBe(input.content);
    expect([statuses.slice(0, 2), await countNotes(input.content)]).toEqual([[undefined, 409], 1]);
  });

  it('end after the last attempt, or when the server asks for more time than there is', async () => {
    const refuse =
      (retryAfter: string): Fetch =>
      async () => {
        sent.push({ key: null, status: 503 });
        const error = { message: 'Overloaded', extensions: { code: 'overloaded', status: 503 } };
        return Response.json({ errors: [error] }, { status: 503, headers: { 'Retry-After': retryAfter } });
      };
    const soon = await catchError(open({ fetch: refuse('0'), retry: { attempts: 3 } }).request(ReadViewerDocument));
    expect([soon.name, soon.code, sent.length]).toEqual(['TryLaterError', 'overloaded', 3]);
    const late = await catchError(open({ fetch: refuse('3600') }).request(ReadViewerDocument));
    expect(late).toBeInstanceOf(TryLaterError);
    expect([late.retryAfter, sent.length]).toEqual([3600, 4]);
  });

  it('do not repeat a write without a key, which answers with secrets need', async () => {
    const document = `mutation ($label: String!) { createToken(input: { label: $label, scope: READ }) { token } }`;
    expect((await catchError(open().request(document, { label: 'keyed' }))).status).toBe(422);
    const given = { idempotencyKey: false } as const;
    expect(await open().request(document, { label: 'bare' }, given)).toMatchObject({
      createToken: { token: expect.any(String) },
    });
    const broken: Fetch = async (_, init) => {
      sent.push({ key: new Headers(init?.headers).get('Idempotency-Key'), status: undefined });
      throw new TypeError('fetch failed');
    };
    sent = [];
    expect(await catchError(open({ fetch: broken }).request(document, { label: 'lost' }, given))).toBeInstanceOf(
      NetworkError,
    );
    expect(sent).toEqual([{ key: null, status: undefined }]);
  });

  it('serve other libraries as a fetch, also for a Request', async () => {
    let faults = 1;
    const flaky = createRetryingFetch({
      firstDelayMs: 1,
      fetch: (input, init) => (faults-- > 0 ? Promise.reject(new TypeError('fetch failed')) : record(input, init)),
    });
    const headers = { ...server.headers, 'Content-Type': 'application/json' };
    const body = JSON.stringify({ query: '{ __typename }' });
    const answer = await flaky(new Request(server.url, { method: 'POST', headers, body }));
    expect(await answer.json()).toEqual({ data: { __typename: 'Query' } });
    expect(sent).toEqual([{ key: expect.stringMatching(/^[0-9a-f]{32}$/), status: 200 }]);
  });
});

describe('pages', () => {
  it('are requested when they are wanted, and yield every record once', async () => {
    const client = open();
    const all = (await server.sql('select id from contacts where group_id = 1 and deleted_at is null')).map(
      ({ id }) => `Contact:${id}`,
    );
    const found: string[] = [];
    for await (const { id } of client.iterate(ListContactsDocument, {}, ({ contacts }) => contacts)) found.push(id);
    expect(found.toSorted()).toEqual(all.sort());
    expect(sent).toHaveLength(Math.ceil(all.length / 200));
    sent = [];
    const pages = client.iterate(ListContactsDocument, { first: 2 }, ({ contacts }) => contacts);
    for (const requests of [1, 1, 2]) {
      expect((await pages.next()).done).toBe(false);
      expect(sent).toHaveLength(requests);
    }
    await pages.return();
    expect([sent.length, (await pages.next()).done]).toEqual([2, true]);
  });

  it('come from edges too, and end with the signal', async () => {
    const document = `query ($first: Int, $after: String) { tags(first: $first, after: $after) { edges { node { name } } pageInfo { hasNextPage endCursor } } }`;
    const names: string[] = [];
    const stop = new AbortController();
    const read = async (options: Parameters<MusterClient['iterate']>[3]): Promise<void> => {
      for await (const { name } of open().iterate(
        document,
        {},
        (data: Json) => data.tags,
        options,
      ) as AsyncIterable<Json>)
        if (names.push(name) === 3) stop.abort(new Error('enough'));
    };
    await expect(read({ pageSize: 2, signal: stop.signal })).rejects.toThrow('enough');
    expect(names).toHaveLength(4);
    const cursorless = `query ($first: Int) { tags(first: $first) { nodes { name } pageInfo { hasNextPage } } }`;
    const broken = open().iterate(cursorless, { first: 1 } as Json, (data: Json) => data.tags);
    await broken.next();
    await expect(broken.next()).rejects.toThrow('no cursor');
    await expect(
      open()
        .iterate(ListTagsDocument, { first: 0 }, ({ tags }) => tags)
        .next(),
    ).rejects.toThrow(RangeError);
  });
});

describe('a search', () => {
  const searchByRest = async (query: unknown): Promise<Json> => {
    const headers = { ...server.headers, 'Content-Type': 'application/json' };
    const body = JSON.stringify({ data: { advanced_search: { per_page: 1000, query } } });
    const response = await fetch(new URL('/search', server.url), { method: 'POST', headers, body });
    return response.json();
  };

  const searches: Record<string, (form: number, options: number[]) => Search> = {
    'one condition': () => where(({ gender }) => gender.equals('F')),
    'conditions that must all hold': () =>
      where(({ address, birthDate }) => address.city.exists().and(birthDate.lte('now-18y'))),
    'two levels': () =>
      where(({ gender, tags, donations, birthDate }) =>
        allOf(
          gender.notEquals('M'),
          anyOf(tags.exists(), donations.total.gte(10_050)),
          birthDate.between('1940-01-01', new Date()),
        ),
      ),
    'the other way round': () =>
      where(({ memberships, email, mobile, lastChangedAt }) =>
        anyOf(
          allOf(memberships.year.gte(2025), email.exists(false)),
          mobile.contains('06'),
          lastChangedAt.gte('now-1y/M'),
        ),
      ),
    'lists, ids and parts of the year': () =>
      where(({ tags, lastChangedById, birthDate }) =>
        anyOf(
          tags.in(['Sympathisant', 'Bénévole']),
          lastChangedById.equals('User:1'),
          birthDate.inPeriod('12-15', '01-15'),
        ),
      ),
    'nested groups of one kind': () =>
      where(({ firstName, lastName }) =>
        firstName.startsWith('A').or(lastName.startsWith('B').or(lastName.startsWith('C'))),
      ),
    'answers by value': (form) => where(({ answer }) => answer(`Form:${form}`).exists()),
    'answers by options': (form, options) => where(({ answer }) => answer(form, options)),
  };

  it.each(Object.entries(searches))('finds the same contacts in both notations: %s', async (_, write) => {
    const [{ form_id: form, form_ref_id: option }] = await server.sql(
      'select form_id, form_ref_id from answers where group_id = 1 limit 1',
    );
    const search = write(Number(form), [Number(option)]);
    const found: number[] = [];
    const variables = { query: search.toGraphql(), first: 1000 };
    for await (const { databaseId } of open().iterate(SearchContactsDocument, variables, (data) => data.searchContacts))
      found.push(databaseId);
    const { data } = await searchByRest(search.toRest());
    expect(found.length).toBeGreaterThan(0);
    expect(data.contacts.map(({ id }: Json) => id)).toEqual(found);
    const { searchContacts: rest } = await open().request(CountContactsDocument, { query: not(search).toGraphql() });
    const [{ count }] = await server.sql('select count(*) from contacts where group_id = 1 and deleted_at is null');
    expect(rest.totalCount).toBe(Number(count) - found.length);
  });

  it('that the contract cannot say is refused with the place', () => {
    const city = where(({ address }) => address.city.equals('Lyon'));
    const name = where(({ lastName }) => lastName.equals('Dupont'));
    const deep = city.and(city.or(name.and(city)));
    for (const [search, place] of [
      [city.not(), 'query.not'],
      [deep, 'query.and[1].or[1].and'],
    ] as const) {
      expect(() => search.toRest()).toThrow(QueryTreeError);
      expect(() => search.toRest()).toThrow(place);
    }
    expect(city.not().not().toGraphql()).toEqual(city.toGraphql());
    expect(JSON.stringify(city)).toBe('{"address":{"city":{"equals":"Lyon"}}}');
    expect(where(({ donations }) => donations.total.gte(-5)).toRest()).toEqual({
      $all: [{ $all: [{ $condition: { attr: 'donations.sum_amount', ope: 'gte', value: '-0.05' } }] }],
    });
  });

  it('is a type error when it is wrong, and the server refuses what no compiler saw', async () => {
    const query = { birthDate: { contains: '1990' } } as Json;
    const error = await catchError(open().request(SearchContactsDocument, { query }));
    expect(error).toBeInstanceOf(InvalidRequestError);
  });
});

it('a document of the package reads a contact as it is', async () => {
  const { id } = await createContact('Read');
  const { contact } = await open().request(ReadContactDocument, { id });
  expect(contact).toMatchObject({ id, lastName: 'Read', version: expect.any(Number), tags: [] });
});
