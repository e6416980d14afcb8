// The page of each problem tells the truth: it says what the error table says, and a request meets the problem and gets the answer of the page.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { generateSecret } from '../../src/database/secret.ts';
import { hashDocument } from '../../src/graphql/persisted-documents.ts';
import { readTrustedDocuments } from '../../src/graphql/trusted-documents.ts';
import { limits } from '../../src/limits/limits.ts';
import { type ProblemCode, problems } from '../../src/problem.ts';
import type { Client } from '../../src/server/app.ts';
import { createClient, type Door, type Json, openApp } from '../harness/app.ts';
import { createFolder } from '../harness/folders.ts';

let door: Door;
beforeAll(async () => {
  door = await openApp();
});

/** Sends a request line with headers, and a body behind an empty line. `TOKEN` stands for a valid token. */
const send = async (request: string, to: Door = door, client?: Client): Promise<Response> => {
  const [head = '', body] = request.split('\n\n');
  const [line = '', ...fields] = head.split('\n');
  const [method = '', path = ''] = line.split(' ');
  const token = await to.token(1, 1);
  const headers = fields.map((field): [string, string] => {
    const [name = '', value = ''] = field.split(': ');
    return [name, value.replace('TOKEN', token)];
  });
  return to.app.fetch(
    new Request(`http://muster.test${path}`, { method, headers, ...(body !== undefined && { body }) }),
    client,
  );
};

const authorized = 'Authorization: Bearer TOKEN\nContent-Type: application/json';
const post = (path: string, body: unknown): string => `POST ${path}\n${authorized}\n\n${JSON.stringify(body)}`;
const ask = (query: string, to?: Door): Promise<Response> =>
  send(`POST /graphql\n${authorized}\nAccept: application/graphql-response+json\n\n${JSON.stringify({ query })}`, to);
const nested = (levels: number): string => (levels === 0 ? 'id' : `contact { ${nested(levels - 1)} }`);

const codes = Object.keys(problems) as ProblemCode[];
const pages = new Map(readdirSync('docs/errors').map((name) => [name, readFileSync(`docs/errors/${name}`, 'utf8')]));
const readPage = (code: ProblemCode): string => pages.get(`${code}.md`) ?? '';
/** The request of a page, in HTTP or as a GraphQL document, and the answer; null where no single request meets the problem. */
const readExample = (code: ProblemCode): RegExpExecArray | null =>
  /^```(http|graphql)\n([\s\S]+?)\n```$[\s\S]+?^```json\n([\s\S]+?)\n```$/m.exec(readPage(code));

/** How to meet the problems that have no example on their page. Files name the tests that need more than a request. */
const met: Partial<Record<ProblemCode, string | ((to: Door) => Promise<Response>)>> = {
  'query-too-expensive': async () => {
    const small = await openApp({ BUCKET_CAPACITY: 2 }, undefined, door);
    return ask('{ contacts(first: 100) { nodes { donations(first: 100) { nodes { id } } } } }', small);
  },
  'query-too-large': () => ask(`{ note(id: "Note:1") { ${nested(40)} } }`),
  PERSISTED_QUERY_NOT_FOUND: () =>
    send(post('/graphql', { extensions: { persistedQuery: { version: 1, sha256Hash: hashDocument('{ nothing }') } } })),
  'changes-gone': 'test/data/change.test.ts',
  'answer-erased': 'test/data/erased-answers.test.ts',
  'too-many-subscriptions': async () => {
    const accepted = 'Accept: text/event-stream, application/json';
    const query = '{ "query": "subscription { contactChanged { operation } }" }';
    const subscribe = () => send(`POST /graphql\n${authorized}\n${accepted}\n\n${query}`);
    const streams: Response[] = [];
    onTestFinished(() => Promise.all(streams.map(({ body }) => body!.cancel())).then(() => {}));
    while (streams.length < limits.subscription.perToken) streams.push(await subscribe());
    return subscribe();
  },
  'not-acceptable': () => send(`GET /graphql?query={viewer{user{id}}}\n${authorized}\nAccept: image/png`),
  conflict: async () => {
    const create = 'mutation { createTag(input: { name: "twice" }) { tag { id } } }';
    await ask(create);
    return ask(create);
  },
  'precondition-failed': async () => {
    const [{ id }] = await door.sql(
      'select id from contacts where group_id = 1 and deleted_at is null order by id limit 1',
    );
    const body = JSON.stringify({ data: { contact: { firstname: 'Later' } } });
    return send(`PATCH /contacts/${id}\n${authorized}\nIf-Match: "1000000"\n\n${body}`);
  },
  'too-large': () => send(post('/kpi', { data: 'x'.repeat(2 * limits.request.bodyBytes) })),
  unprocessable: () =>
    send(post('/contacts', { data: { contact: { firstname: 'A', surname: 'B', action_ids: [999999] } } })),
  'rate-limited': async () => {
    const small = await openApp({ BUCKET_CAPACITY: 1, BUCKET_REFILL: 0.001 }, undefined, door);
    await send(`GET /teams\n${authorized}`, small);
    return send(`GET /teams\n${authorized}`, small);
  },
  'too-many-bad-tokens': async () => {
    const bad = () =>
      send(`GET /teams\nAuthorization: Bearer ${generateSecret('token')}`, door, createClient('192.0.2.7'));
    for (let count = 0; count < limits.connection.badTokens; count++) await bad();
    return bad();
  },
  internal: async () => {
    await door.sql('alter table roles rename to roles_away');
    return send(`GET /roles\n${authorized}`).finally(() => door.sql('alter table roles_away rename to roles'));
  },
  'too-many-searches': 'test/faults/search.test.ts',
  'too-many-exports': 'test/contract/export.test.ts',
  'too-many-large-operations': 'test/abuse/cost.test.ts',
  'answer-too-large': 'test/abuse/cost.test.ts',
  overloaded: 'test/faults/overload.test.ts',
  unavailable: 'test/faults/server.test.ts',
  timeout: 'test/faults/search-database.test.ts',
};

/** The problem of an answer, as a REST problem or the first error of GraphQL. */
const readProblem = (body: Json): { code: string; status: number } =>
  body.errors?.[0]?.extensions ?? { code: body.type.split(':').at(-1), status: body.status };

/** The JSON of an answer as the pages show it. */
const formatAnswer = (body: Json): string =>
  JSON.stringify(body, (name, member) => (name === 'instance' ? undefined : member), 2);

describe('problems', () => {
  const withExamples = codes.filter(readExample);
  const file = join(createFolder(), 'list.json');
  const readTrusted = () => {
    const good = '{ __typename }';
    writeFileSync(file, JSON.stringify({ [hashDocument(good)]: good }));
    return readTrustedDocuments({ TRUSTED_DOCUMENTS: 'only', TRUSTED_DOCUMENTS_FILE: file, BUCKET_CAPACITY: 100 });
  };

  it.each(withExamples)('%s: its example gets the answer of the page', async (code) => {
    const [, language, request, answer] = readExample(code)!;
    const to = code === 'PERSISTED_QUERY_ONLY' ? await openApp({}, await readTrusted(), door) : door;
    const response = await (language === 'graphql' ? ask : send)(request!, to);
    expect(formatAnswer(await response.json())).toBe(answer);
    expect(response.status).toBe(problems[code][0]);
  });

  it.each(codes.filter((code) => typeof met[code] === 'function'))('%s: a request meets it', async (code) => {
    const response = await (met[code] as (to: Door) => Promise<Response>)(door);
    const body = await response.json();
    expect(readProblem(body)).toMatchObject({ code, status: problems[code][0] });
    if (body.type) expect([body.title, response.status]).toEqual([problems[code][1], problems[code][0]]);
  });

  it('that need more than a request are met in the tests that are named here', () => {
    const named = codes.filter((code) => typeof met[code] === 'string');
    const absent = named.filter((code) => !readFileSync(met[code] as string, 'utf8').includes(code));
    expect(absent).toEqual([]);
  });

  it('are all met, each in one way', () => {
    expect([...withExamples, ...Object.keys(met)].sort()).toEqual([...codes].sort());
  });
});

describe('pages', () => {
  it('are one for each code', () => {
    expect([...pages.keys()].sort()).toEqual(codes.map((code) => `${code}.md`).sort());
  });

  it.each(codes)('%s: its page says what the error table says, why it occurs, and what to do', (code) => {
    const [status, title, when] = problems[code];
    const page = readPage(code);
    const [head, why, what, ...others] = page.split(/^## /m);
    expect(head).toBe(`# ${title}\n\n\`${code}\`, status ${status}. ${when}\n\n`);
    expect(why).toMatch(/^Why it occurs\n\n(- .+\n)+\n$/);
    expect(what).toMatch(
      /^What to do\n\n(- .+\n)+\nIs it worth sending again\? (No|Yes|Only after a change): .+\.\n\n/,
    );
    expect(others.map((part) => part.split('\n')[0])).toEqual(readExample(code) ? ['Example'] : []);
    expect(page).toMatch(/\n\n\[All errors\]\(\.\.\/errors\.md\)\n$/);
  });
});
