// Documents that requests name by their hash: those that a client has sent before, and those that an operator trusts.
import { beforeAll, describe, expect, it } from 'vitest';
import { hashDocument, SentTexts } from '../../src/graphql/persisted-documents.ts';
import { limits } from '../../src/limits/limits.ts';
import { type Answer, type Door, type Json, openApp } from '../harness/app.ts';
import { isSmall } from '../harness/sizes.ts';

let door: Door;
beforeAll(async () => {
  door = await openApp();
});

type Send = { token?: string | null; headers?: Record<string, string>; to?: Door };

const send = async (body: Json, { token, headers = {}, to = door }: Send = {}, search?: string): Promise<Answer> => {
  const bearer = token === undefined ? await to.token(1, 1) : token;
  const response = await to.app.fetch(
    new Request(`http://muster.test/graphql${search ?? ''}`, {
      method: search === undefined ? 'POST' : 'GET',
      headers: { ...(bearer && { Authorization: `Bearer ${bearer}` }), 'Content-Type': 'application/json', ...headers },
      ...(search === undefined && { body: JSON.stringify(body) }),
    }),
  );
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, body: JSON.parse(text) };
};
const get = (parameters: Record<string, string>, more: Send = {}): Promise<Answer> =>
  send(undefined, more, `?${new URLSearchParams(parameters)}`);

const extensionsFor = (sha256Hash: string) => ({ persistedQuery: { version: 1, sha256Hash } });
/** A request by hash alone, as Apollo Client sends it first. */
const named = (text: string, more: Json = {}) => ({ extensions: extensionsFor(hashDocument(text)), ...more });
/** The same with the text, as it sends it after a miss. */
const registering = (text: string, more: Json = {}) => ({ query: text, ...named(text, more) });

/** A token of another space. */
const tokenElsewhere = async (to = door): Promise<string> => {
  const [{ user_id }] = await to.sql('select min(user_id) as user_id from members where group_id = 2');
  return to.token(2, user_id);
};

let count = 0;
/** A valid document that was never sent. */
const newText = (fields = '__typename'): string => `query New${++count} { ${fields} }`;

const codeOf = ({ body }: Answer): string | undefined => body.errors?.[0].extensions.code;
const costOf = ({ headers }: Answer): string | null => headers.get('x-ratelimit-cost');
const isMiss = (answer: Answer): boolean =>
  codeOf(answer) === 'PERSISTED_QUERY_NOT_FOUND' && answer.body.data === undefined;
const typename = { data: { __typename: 'Query' } };

describe('a document that is named by its hash', () => {
  it.each([
    'application/json',
    'application/graphql-response+json',
  ])('and was never sent is a miss that clients know, for one token, as %s', async (accept) => {
    const answer = await send(named(newText()), { headers: { Accept: accept } });
    expect([answer.status, answer.headers.get('content-type'), costOf(answer)]).toEqual([
      200,
      `${accept}; charset=utf-8`,
      '1',
    ]);
    expect(answer.body).toEqual({
      errors: [
        {
          message: 'PersistedQueryNotFound',
          extensions: { code: 'PERSISTED_QUERY_NOT_FOUND', status: 200, instance: expect.stringMatching(/^urn:uuid:/) },
        },
      ],
    });
  });

  it('is known once it was sent with the hash, by every way to name it', async () => {
    const text = newText();
    expect((await send(registering(text))).body).toEqual(typename);
    const hash = hashDocument(text);
    const asked: Promise<Answer>[] = [
      send(named(text)),
      send({ documentId: hash }),
      send({ documentId: `sha256:${hash}`, extensions: extensionsFor(hash) }),
      send({ extensions: { persistedQuery: { sha256Hash: hash } } }),
      get({ extensions: JSON.stringify(extensionsFor(hash)) }),
      get({ documentId: `sha256:${hash}` }),
    ];
    for (const answer of await Promise.all(asked)) expect([answer.status, answer.body]).toEqual([200, typename]);
  });

  it('is also known after a GET with its text, and after one with documentId', async () => {
    const [first, second] = [newText(), newText()];
    const extensions = JSON.stringify(extensionsFor(hashDocument(first)));
    expect((await get({ query: first, extensions })).body).toEqual(typename);
    expect((await get({ query: second, documentId: hashDocument(second) })).body).toEqual(typename);
    for (const text of [first, second]) expect((await send(named(text))).body).toEqual(typename);
  });

  it('has its variables, its operation and its price', async () => {
    const fields = Array.from({ length: 7 }, (_, index) => `a${index}: viewer { __typename }`).join(' ');
    const text = `query Dear { ${fields} } query Cheap($yes: Boolean!) { __typename @include(if: $yes) }`;
    const dear = await send(registering(text, { operationName: 'Dear' }));
    const again = await send(named(text, { operationName: 'Dear' }));
    expect([costOf(again), again.text]).toEqual([costOf(dear), dear.text]);
    expect(costOf(again)).toBe('7');
    const cheap = (yes: boolean) => send(named(text, { operationName: 'Cheap', variables: { yes } }));
    expect([costOf(await cheap(true)), (await cheap(true)).body]).toEqual(['1', typename]);
    expect((await cheap(false)).body).toEqual({ data: {} });
  });

  it('can be a mutation, which runs once under a key and never by GET', async () => {
    const text = 'mutation { createNote(input: { contactId: 1, content: "by hash" }) { __typename } }';
    const notes = async () => (await door.sql(`select 1 from notes where content = 'by hash'`)).length;
    const headers = { 'Idempotency-Key': 'by-hash' };
    const first = await send(registering(text), { headers });
    expect([first.body.errors, await notes()]).toEqual([undefined, 1]);
    const again = await send(named(text), { headers });
    expect([again.text, again.headers.get('idempotency-replayed'), await notes()]).toEqual([first.text, 'true', 1]);
    expect((await get({ documentId: hashDocument(text) })).status).toBe(405);
    expect(await notes()).toBe(1);
    expect([codeOf(await send(named(text))), await notes()]).toEqual([undefined, 2]);
  });

  it('is a miss in another space, and nothing without a token', async () => {
    const text = newText();
    await send(registering(text));
    expect(isMiss(await send(named(text), { token: await tokenElsewhere() }))).toBe(true);
    for (const one of [text, newText()]) {
      const { status, body } = await send(named(one), { token: null });
      expect([status, body.errors[0].extensions.code]).toEqual([401, 'unauthenticated']);
    }
    await send(registering(newText()), { token: null });
  });

  it('costs one statement of the gate when it is a miss', async () => {
    expect(await door.statements(() => send(named(newText())))).toHaveLength(1);
  });
});

describe('a text with a hash', () => {
  it('that is not its own is refused and not remembered', async () => {
    const [text, other] = [newText(), newText()];
    const answer = await send({ query: text, extensions: extensionsFor(hashDocument(other)) });
    expect([answer.status, codeOf(answer)]).toEqual([400, 'invalid-request']);
    expect(answer.body.errors[0].extensions.errors).toEqual([
      {
        location: 'extensions.persistedQuery.sha256Hash',
        message: 'is not the SHA-256 of query',
        value: hashDocument(other),
      },
    ]);
    for (const one of [text, other]) expect(isMiss(await send(named(one)))).toBe(true);
  });

  it.each([
    ['does not parse', 'query Broken { '],
    ['does not fit the schema', '{ nothing }'],
    ['has no such operation', 'query A { __typename } query B { __typename }'],
    ['is too long', `{ __typename } # ${'x'.repeat(limits.document.characters)}`],
    ['is too deep', `{ ${'a { '.repeat(20)} b ${'}'.repeat(20)} }`],
  ])('that %s is refused and not remembered', async (_, text) => {
    const { body } = await send(registering(text));
    expect([body.data, body.errors.length > 0]).toEqual([undefined, true]);
    expect(isMiss(await send(named(text)))).toBe(true);
  });

  it('that was not paid for is not remembered', async () => {
    const small = await openApp({ BUCKET_CAPACITY: 5, BUCKET_REFILL: 2 });
    const to = { to: small };
    const dear = newText(Array.from({ length: 5 }, (_, index) => `a${index}: viewer { __typename }`).join(' '));
    await send({ query: '{ __typename }' }, to);
    expect((await send(registering(dear), to)).status).toBe(429);
    await expect.poll(() => send(named(dear), to).then(isMiss), { interval: 600, timeout: 5000 }).toBe(true);
  });
});

it.each<[what: string, sent: Json, location: string, message: RegExp]>([
  ['no SHA-256', { documentId: 'abc' }, 'documentId', /must be a SHA-256/],
  ['an MD5', { documentId: 'd41d8cd98f00b204e9800998ecf8427e' }, 'documentId', /must be a SHA-256/],
  ['another prefix', { documentId: `md5:${'a'.repeat(64)}` }, 'documentId', /must be a SHA-256/],
  ['upper case', { documentId: 'A'.repeat(64) }, 'documentId', /lower-case/],
  ['a number', { documentId: 5 }, 'documentId', /must be a SHA-256/],
  ['no object', { extensions: { persistedQuery: 'x' } }, 'extensions.persistedQuery', /must be an object/],
  ['no hash', { extensions: { persistedQuery: {} } }, 'extensions.persistedQuery.sha256Hash', /must be a SHA-256/],
  [
    'another version',
    { extensions: { persistedQuery: { version: 2, sha256Hash: 'a'.repeat(64) } } },
    'extensions.persistedQuery.version',
    /must be 1/,
  ],
  [
    'two hashes',
    { documentId: 'b'.repeat(64), extensions: extensionsFor('a'.repeat(64)) },
    'documentId',
    /name two documents/,
  ],
])('a request with %s is refused with its place', async (_, sent, location, message) => {
  for (const query of [undefined, '{ __typename }']) {
    const { status, body } = await send({ ...sent, query });
    expect([status, body.errors[0].extensions.errors[0].location]).toEqual([400, location]);
    expect(body.errors[0].message).toMatch(message);
  }
});

describe('a list of trusted documents', () => {
  const listed = 'query Listed { __typename }';
  const texts = new Map([[hashDocument(listed), listed]]);
  let only: Door;
  let too: Door;
  beforeAll(async () => {
    only = await openApp({}, { only: true, texts });
    too = await openApp({}, { only: false, texts });
  });

  it('names its documents in every space, without a text sent before', async () => {
    for (const to of [only, too])
      for (const token of [await to.token(1, 1), await tokenElsewhere(to)]) {
        expect((await send(named(listed), { to, token })).body).toEqual(typename);
        expect((await send({ documentId: `sha256:${hashDocument(listed)}` }, { to, token })).body).toEqual(typename);
        expect((await send(registering(listed), { to, token })).body).toEqual(typename);
      }
  });

  it.each([
    'application/json',
    'application/graphql-response+json',
  ])('refuses every other text for one token where there is nothing else, as %s', async (accept) => {
    const more = { to: only, headers: { Accept: accept } };
    const refused = ['{ __typename }', `${listed} `, '{', '', '{ __schema { description } }', 'x'.repeat(100_000)];
    for (const query of refused) {
      const answer = await send({ query }, more);
      expect([answer.status, codeOf(answer), costOf(answer)]).toEqual([403, 'PERSISTED_QUERY_ONLY', '1']);
      expect(answer.body.data).toBeUndefined();
    }
    expect((await send({ query: listed }, more)).body).toEqual(typename);
    expect(codeOf(await get({ query: '{ __typename }' }, more))).toBe('PERSISTED_QUERY_ONLY');
  });

  it('learns nothing from clients where there is nothing else', async () => {
    const text = newText();
    expect(codeOf(await send(registering(text), { to: only }))).toBe('PERSISTED_QUERY_ONLY');
    expect(isMiss(await send(named(text), { to: only }))).toBe(true);
    expect((await only.rest('GET', '/teams')).status).toBe(200);
  });

  it('leaves other documents as they are where they are allowed too', async () => {
    const text = newText();
    expect((await send({ query: text }, { to: too })).body).toEqual(typename);
    expect(isMiss(await send(named(text), { to: too }))).toBe(true);
    expect((await send(registering(text), { to: too })).body).toEqual(typename);
    expect((await send(named(text), { to: too })).body).toEqual(typename);
  });
});

describe('the memory of sent texts', () => {
  const most = limits.document.persistedBytes;
  const long = (index: number): string => `${index} `.padEnd(limits.document.characters);

  it.skipIf(isSmall)('has a limit in bytes, however short and however many they are', () => {
    const memory = new SentTexts();
    for (let index = 0; index < 100_000; index++) memory.add(index % 5000, String(index), '{__typename}');
    expect(memory.bytes).toBeLessThanOrEqual(most);
    expect(memory.bytes).toBeGreaterThan(most * 0.99);
  });

  it('forgets texts of the space with the most of them, and never those of another', () => {
    const memory = new SentTexts();
    for (let index = 0; index < 20; index++) memory.add(1, `mine ${index}`, long(index));
    for (let index = 0; index < 3000; index++) memory.add(2, `flood ${index}`, long(index));
    for (let index = 0; index < 20; index++) expect(memory.get(1, `mine ${index}`)).toBe(long(index));
    expect(memory.get(2, 'flood 0')).toBeUndefined();
    expect(memory.get(2, 'flood 2999')).toBe(long(2999));
    expect(memory.bytes).toBeLessThanOrEqual(most);
  });

  it('keeps those in use', () => {
    const memory = new SentTexts();
    memory.add(1, 'used', long(0));
    memory.add(1, 'unused', long(0));
    for (let index = 0; index < 3000; index++) {
      memory.add(1, String(index), long(index));
      memory.get(1, 'used');
    }
    expect([memory.get(1, 'used'), memory.get(1, 'unused')]).toEqual([long(0), undefined]);
  });

  it('counts a text once, and gives a space nothing of another', () => {
    const memory = new SentTexts();
    memory.add(1, 'one', long(1));
    const { bytes } = memory;
    memory.add(1, 'one', long(1));
    expect([memory.bytes, memory.get(2, 'one')]).toEqual([bytes, undefined]);
  });
});
