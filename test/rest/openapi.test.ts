// The OpenAPI document: linted, small, complete; its examples run on the demo data; and the check of all tests against it can fail.
import { readFileSync } from 'node:fs';
import { BaseResolver, createConfig, lintDocument, makeDocumentFromString } from '@redocly/openapi-core';
import spectral from '@stoplight/spectral-core';
import rulesets from '@stoplight/spectral-rulesets';
import { beforeAll, describe, expect, it } from 'vitest';
import { joinPath } from '../../src/rest/join.ts';
import { routes } from '../../src/rest/routes/index.ts';
import { type Answer, type Door, type Json, openApp } from '../harness/app.ts';
import { expectContract, openapi } from '../harness/openapi.ts';

const text = readFileSync('openapi.json', 'utf8');
/** Every operation of the document with its method and path. */
const operations = Object.entries<Json>(openapi.paths).flatMap(([path, item]) =>
  Object.entries<Json>(item).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
);
const idOf = ({ operation }: { operation: Json }): string => operation.operationId;

describe('the document', () => {
  it('is below 220 KiB, with named schemas', () => {
    expect(text.length).toBeLessThan(220 * 1024);
    expect(Object.keys(openapi.components.schemas)).toEqual(
      expect.arrayContaining([
        'Contact',
        'FoundContact',
        'ContactInput',
        'Note',
        'Team',
        'User',
        'SearchQuery',
        'Problem',
      ]),
    );
    const sizes = Object.values(openapi.paths).map((item) => JSON.stringify(item).length);
    expect(Math.max(...sizes)).toBeLessThan(8_000);
  });

  it('has every path of the route table, each operation with an id, a tag, a description, security and its statuses', () => {
    const shapeOf = (path: string): string => path.replace(/\{\w+#?\}/g, '{}');
    const due = routes.flatMap(({ method, path, aliases = [] }) =>
      [path, ...aliases].map((one) => `${method} ${shapeOf(one)}`),
    );
    const found = operations.map(({ method, path }) => `${method} ${shapeOf(path)}`);
    expect(found.toSorted()).toEqual([...new Set([...due, `POST ${joinPath}`])].toSorted());
    expect(new Set(operations.map(idOf)).size).toBe(operations.length);
    const tags = openapi.tags.map(({ name }: Json) => name);
    for (const { operation } of operations) {
      expect(tags).toContain(operation.tags[0]);
      expect(operation.description).toMatch(/\w/);
      expect(Object.keys(operation.responses)).toEqual(expect.arrayContaining(['400', '429', '500', '503']));
    }
    const open = operations.filter(({ operation }) => (operation.security ?? openapi.security).length === 0);
    expect(open.map(({ path }) => path)).toEqual([joinPath]);
  });

  it('has texts alone for the degrees of a team, whose address takes no numbers at this door', async () => {
    const door = await openApp();
    const team = { name: 'Degrees', address: { longitude: 4.2 } };
    expect((await door.rest('POST', '/teams', { data: { team } })).status).toBe(400);
    const { longitude } = openapi.components.schemas.TeamAddressInput.properties;
    expect(longitude).toMatchObject({ type: ['string', 'null'], maxLength: 255 });
  });

  it('has one path for forms by kind and by id', () => {
    const { parameters, responses } = openapi.paths['/forms/{formIdOrType}'].get;
    expect(parameters[0].schema.anyOf).toEqual([
      { $ref: '#/components/schemas/Id' },
      { $ref: '#/components/schemas/FormKind' },
    ]);
    expect(responses[200].content['application/json'].schema.anyOf).toHaveLength(2);
  });
});

describe('names that generators of clients make', () => {
  /** All objects below a value. */
  const listObjects = (value: Json): Json[] =>
    typeof value !== 'object' || value === null ? [] : [value, ...Object.values(value).flatMap(listObjects)];

  it('of the values of an enum are distinct: they are of one type, apart from null', () => {
    const mixed = listObjects(openapi)
      .filter((one) => Array.isArray(one.enum))
      .filter(
        (one) =>
          new Set(one.enum.filter((value: unknown) => value !== null).map((value: unknown) => typeof value)).size > 1,
      );
    expect(mixed).toEqual([]);
  });

  it('of the fields of an object differ by more than their case, where their forms have no name', () => {
    const clashes = listObjects(openapi.components.schemas).flatMap(({ properties }) => {
      if (typeof properties !== 'object' || properties === null) return [];
      const inline = Object.entries<Json>(properties).flatMap(([name, { $ref, type }]) =>
        $ref || (typeof type === 'string' && type !== 'object') ? [] : [name.toLowerCase().replaceAll('_', '')],
      );
      return inline.filter((name, index) => inline.indexOf(name) !== index);
    });
    expect(clashes).toEqual([]);
  });
});

describe('the linters', () => {
  it('of Redocly find nothing', async () => {
    const config = await createConfig({ extends: ['recommended'] });
    const document = makeDocumentFromString(text, '/openapi.json');
    const problems = await lintDocument({ document, config, externalRefResolver: new BaseResolver(config.resolve) });
    expect(problems.map(({ ruleId, message }) => `${ruleId}: ${message}`)).toEqual([]);
  });

  it('of Spectral find nothing', async () => {
    const linter = new spectral.Spectral();
    linter.setRuleset({
      extends: [[rulesets.oas, 'recommended']],
      rules: {
        // The document describes the servers of whoever installs Muster, and the project does not know their addresses.
        'info-contact': 'off',
        // Redocly's rule checks the same examples, ten times as fast.
        'oas3-valid-media-example': 'off',
      },
    } as never);
    const problems = await linter.run(text);
    expect(problems.map(({ code, message, path }) => `${code}: ${message} ${path.join('/')}`)).toEqual([]);
  });
});

describe('the examples', () => {
  let door: Door;
  beforeAll(async () => {
    door = await openApp();
  });

  /** The address and the body that an operation's examples make. */
  const readExample = ({ path, operation }: (typeof operations)[number]): { path: string; body: Json } => {
    const query = new URLSearchParams();
    const values: Record<string, string> = {};
    for (const { in: place, name, example } of operation.parameters ?? []) {
      if (example === undefined) continue;
      if (place === 'path') values[name] = String(example);
      else query.set(name, String(example));
    }
    const filled = path.replace(/\{(\w+)\}/g, (_, name) => values[name]!);
    const { example } = operation.requestBody?.content['application/json'].examples ?? {};
    return { path: query.size > 0 ? `${filled}?${query}` : filled, body: example?.value };
  };

  it('of all operations are answered with the status of their success', async () => {
    const own = operations.filter(({ path }) => path !== joinPath);
    // What an example deletes, others read. Twins delete the same record.
    const last = own.toSorted((one, other) => Number(one.method === 'DELETE') - Number(other.method === 'DELETE'));
    const gone = new Set<string>();
    for (const one of last) {
      const { path, body } = readExample(one);
      const { status } = await door.rest(one.method, path, body);
      const due = Object.keys(one.operation.responses).find((code) => code.startsWith('2'));
      const again = one.method === 'DELETE' && gone.has(path.replace('/v1/', '/'));
      expect([idOf(one), status]).toEqual([idOf(one), again ? 404 : Number(due)]);
      if (one.method === 'DELETE') gone.add(path.replace('/v1/', '/'));
    }
  });
});

describe('the check of requests and answers', () => {
  const sent = { method: 'GET', path: '/contacts/1', headers: {}, body: undefined };
  const bucket = { 'X-Request-Id': 'r', 'X-Ratelimit-Limit': 'burst:100;rate:10.0' };
  const answer = (status: number, body: Json, more: Record<string, string> = {}): Answer => ({
    status,
    headers: new Headers({ 'Content-Type': 'application/json; charset=utf-8', ETag: '"1"', ...bucket, ...more }),
    body,
    text: JSON.stringify(body),
  });
  const contact = { id: 1, group_id: 1 };
  const found = { status: 'success', data: { contact } };

  it('refuses another status, header or body than the document has', () => {
    expect(() => expectContract(sent, answer(201, found))).toThrow('answered 201');
    expect(() => expectContract(sent, answer(200, found))).toThrow("must have required property 'CreatedAt'");
    expect(() => expectContract(sent, answer(200, found, { ETag: '', Allow: 'GET' }))).toThrow('came with Allow');
    const wrong = { type: 'urn:muster:problem:none', title: 't', status: 404, detail: 'd', instance: 'urn:uuid:1' };
    expect(() => expectContract(sent, answer(404, wrong, { 'Content-Type': 'application/problem+json' }))).toThrow();
  });

  it('refuses a request that was answered with success, and is none for the document', async () => {
    const door = await openApp();
    const search = (condition: Json): Json => ({
      data: { advanced_search: { per_page: 1, query: { $all: [{ $all: [{ $condition: condition }] }] } } },
    });
    const {
      status,
      body,
      headers,
      text: said,
    } = await door.rest('POST', '/search', search({ attr: 'gender', ope: 'ext' }));
    const check = (condition: Json) => () =>
      expectContract(
        { method: 'POST', path: '/search', headers: {}, body: JSON.stringify(search(condition)) },
        { status, body, headers, text: said },
      );
    expect(check({ attr: 'gender', ope: 'ext' })).not.toThrow();
    expect(check({ attr: 'gender', ope: 'lte', value: 'F' })).toThrow('the request POST /search');
    expect(check({ attr: 'gender', ope: 'eql', value: 'X' })).toThrow('the request POST /search');
    expect(check({ attr: 'birthdate', ope: 'range', from: 'now' })).toThrow('the request POST /search');
    expect(check({ attr: 'form', ope: 'ext' })).toThrow('the request POST /search');
  });
});
