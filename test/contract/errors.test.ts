// Spec §7: errors have one form, list every fault, and reveal nothing of the internals.
import { beforeAll, describe, expect, it } from 'vitest';
import { problems } from '../../src/problem.ts';
import { type Door, openApp } from '../harness/app.ts';

let door: Door;
beforeAll(async () => {
  door = await openApp();
});

const raw = async (init: RequestInit & { path?: string }) => {
  const headers = new Headers(init.headers);
  headers.set('Authorization', `Bearer ${await door.token(1, 1)}`);
  return door.app.fetch(new Request(`http://muster.test${init.path ?? '/teams'}`, { ...init, headers }));
};
const json = { 'Content-Type': 'application/json' };

describe('a problem', () => {
  it('has the fields of §7, with the status of the response and an instance of its own', async () => {
    const answers = await Promise.all([door.rest('GET', '/users/999999'), door.rest('GET', '/users/999999')]);
    for (const { headers, body } of answers) {
      expect(headers.get('content-type')).toBe('application/problem+json');
      expect(body).toEqual({
        type: 'urn:muster:problem:not-found',
        title: 'Not found',
        status: 404,
        detail: expect.any(String),
        instance: expect.stringMatching(/^urn:uuid:/),
      });
    }
    expect(answers[0].body.instance).not.toBe(answers[1].body.instance);
  });

  it('with an internal cause reveals nothing of it; the log has the cause under the instance', async () => {
    await door.sql('alter table roles rename to roles_away');
    const { status, body } = await door
      .rest('GET', '/forms/survey')
      .finally(() => door.sql('alter table roles_away rename to roles'));
    expect(status).toBe(500);
    expect(JSON.stringify(body)).not.toMatch(/roles|relation|select/i);
    const line = door.logged.map((text) => JSON.parse(text)).find(({ id }) => body.instance === `urn:uuid:${id}`);
    expect(line).toMatchObject({ level: 50, status: 500, errors: [{ code: '42P01' }] });
  });

  it('with an internal cause is masked at GraphQL too, in a field, with the instance', async () => {
    await door.sql('alter table tags rename to tags_away');
    const query = '{ contacts(first: 50) { nodes { id: databaseId tags { name } } } }';
    const { status, body } = await door.graphql(query).finally(() => door.sql('alter table tags_away rename to tags'));
    expect(status).toBe(200);
    expect(JSON.stringify(body)).not.toMatch(/relation|select|tags_away|contact_tags/i);
    expect(body.errors[0].extensions).toMatchObject({
      code: 'internal',
      status: 500,
      instance: expect.stringMatching(/^urn:uuid:/),
    });
  });
});

describe('requests without a matching route', () => {
  it.each([
    '/nothing',
    '/v2/contacts/1',
    '/contact',
    '/users/1/teams',
    '/graphql/x',
    '//teams',
    '/v1/teams',
  ])('are 404 at %s, with or without a token', async (path) => {
    expect((await door.rest('GET', path)).status).toBe(404);
    expect((await door.rest('GET', path, undefined, null)).status).toBe(404);
  });

  it.each([
    ['PUT', '/teams', 'POST, PATCH, GET, HEAD'],
    ['DELETE', '/v1/donation_prices', 'GET, HEAD'],
    ['PATCH', '/users/invitation', 'GET, HEAD, POST'],
    ['POST', '/users/1', 'GET, HEAD, PATCH'],
    ['POST', '/forms/12', 'GET, HEAD'],
    ['GET', '/contacts', 'POST'],
    ['DELETE', '/v1/contacts', 'POST'],
    ['GET', '/contacts/upsert', 'POST'],
  ])('are 405 for %s %s, with Allow: %s', async (method, path, allow) => {
    const { status, headers } = await door.rest(method, path);
    expect([status, headers.get('allow')]).toEqual([405, allow]);
  });
});

describe('bodies', () => {
  it('may be announced as JSON and be missing: legacy clients do so on GET and DELETE', async () => {
    const { id } = (await door.rest('POST', '/teams', { data: { team: { name: 'x' } } })).body.data.team;
    expect((await raw({ method: 'DELETE', path: `/teams/${id}`, headers: json })).status).toBe(200);
    expect((await raw({ method: 'GET', headers: json })).status).toBe(200);
  });

  it.each([
    '',
    '{',
    'null',
    '[]',
    '5',
    '"x"',
    '{"data":null}',
    '{"data":{"team":[]}}',
    'data=1',
    '\u0000',
    '['.repeat(100_000),
  ])('of the wrong shape are 400: %#', async (body) => {
    const response = await raw({ method: 'POST', body, headers: json });
    expect(response.status).toBe(400);
    expect((await response.json()).errors[0].location).toMatch(/^body/);
  });

  it('that are not UTF-8 are 400', async () => {
    expect((await raw({ method: 'POST', body: new Uint8Array([0x22, 0xff, 0x22]), headers: json })).status).toBe(400);
  });

  it.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data',
    'application/json; charset=latin1',
    'application/xml',
    '',
  ])('of type "%s" are 415', async (type) => {
    expect((await raw({ method: 'POST', body: '{}', headers: { 'Content-Type': type } })).status).toBe(415);
  });

  it.each([
    'application/json',
    'Application/JSON; charset=UTF-8',
    'application/json;charset="utf-8"',
    'application/json; charset=utf8',
    'application/json;',
  ])('of type %s are accepted', async (type) => {
    const response = await raw({
      method: 'POST',
      body: '{"data":{"team":{"name":"x"}}}',
      headers: { 'Content-Type': type },
    });
    expect(response.status).toBe(200);
  });

  it('that are said to be compressed, and are not, are 415', async () => {
    expect((await raw({ method: 'POST', body: '{}', headers: { ...json, 'Content-Encoding': 'gzip' } })).status).toBe(
      415,
    );
  });

  it('of more than 1 MiB are 413, whether the length is declared or not', async () => {
    const large = 'x'.repeat(2 * 1024 * 1024);
    const declared = await raw({
      method: 'POST',
      body: large,
      headers: { ...json, 'Content-Length': String(large.length) },
    });
    const chunked = await raw({
      method: 'POST',
      body: new Blob([large]).stream(),
      headers: json,
      duplex: 'half',
    } as RequestInit);
    expect([declared.status, chunked.status]).toEqual([413, 413]);
    const whole = JSON.stringify({ data: { team: { name: 'x', padding: '' } } });
    const fitting = whole.replace('"padding":""', `"padding":"${'x'.repeat(1024 * 1024 - whole.length)}"`);
    expect(fitting.length).toBe(1024 * 1024);
    expect((await raw({ method: 'POST', body: fitting, headers: json })).status).toBe(200);
    expect((await raw({ method: 'POST', body: `${fitting} `, headers: json })).status).toBe(413);
  });

  it('do not change prototypes', async () => {
    const { status } = await door.rest(
      'POST',
      '/teams',
      '{"data":{"team":{"name":"x","__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}}}',
    );
    expect(status).toBe(200);
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });
});

describe('every response', () => {
  it('forbids caching, framing and sniffing', async () => {
    for (const { headers } of [
      await door.rest('GET', '/users/1'),
      await door.rest('GET', '/nothing'),
      await door.graphql('{ __typename }'),
    ]) {
      expect(Object.fromEntries(headers)).toMatchObject({
        'cache-control': 'no-store',
        'x-content-type-options': 'nosniff',
        'content-security-policy': expect.stringContaining("default-src 'none'"),
      });
    }
  });

  it('is one line in the log, without paths, bodies or personal data', async () => {
    const from = door.logged.length;
    await door.rest('PATCH', '/users/1', { data: { mail: 'canary@example.org', firstname: 'Canary' } });
    await door.graphql('query Canary { users(first: 1) { items: nodes { mail: email } } }', { canary: 'Canary' });
    const lines = door.logged.slice(from).map((line) => JSON.parse(line));
    expect(lines.map(({ method, route, status, space }) => [method, route, status, space])).toEqual([
      ['PATCH', 'PATCH /users/{id}', 200, 1],
      ['POST', 'POST /graphql', 200, 1],
    ]);
    expect(JSON.stringify(lines)).not.toMatch(/canary/i);
  });
});

it('the error table has one title per code, and statuses of errors, but for one that clients expect with 200', () => {
  const titles = Object.values(problems).map(([, title]) => title);
  expect(new Set(titles).size).toBe(titles.length);
  const { PERSISTED_QUERY_NOT_FOUND, ...others } = problems;
  expect(PERSISTED_QUERY_NOT_FOUND[0]).toBe(200);
  for (const [status] of Object.values(others)) expect(status).toBeGreaterThanOrEqual(400);
});
