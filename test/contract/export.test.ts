// POST /export: everything that a search finds, as NDJSON or CSV, streamed while it is read.
import { gunzipSync } from 'node:zlib';
import { parse } from 'csv-parse/sync';
import { beforeAll, describe, expect, it } from 'vitest';
import { createAccessToken } from '../../src/gate/token.ts';
import { limits } from '../../src/limits/limits.ts';
import { type Door, type Json, openApp } from '../harness/app.ts';
import { createAppCaller, createMember, createMemberRole } from '../harness/member.ts';

let door: Door;
beforeAll(async () => {
  door = await openApp();
});

const ask = async (search: Json, headers: Record<string, string> = {}, signal?: AbortSignal): Promise<Response> =>
  door.app.fetch(
    new Request('http://muster.test/export', {
      method: 'POST',
      headers: { Authorization: `Bearer ${await door.token(1, 1)}`, 'Content-Type': 'application/json', ...headers },
      body: JSON.stringify({ data: { advanced_search: search } }),
      ...(signal && { signal }),
    }),
  );
const lines = (text: string): Json[] =>
  text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));
const women = { $all: [{ $all: [{ $condition: { attr: 'gender', ope: 'eql', value: 'F' } }] }] };

describe('NDJSON', () => {
  it('has every contact that the search finds, in its order, each as the search returns it', async () => {
    const answer = await ask({ query: women, sort_attr: 'surname', sort_asc: true });
    expect([answer.status, answer.headers.get('content-type'), answer.headers.get('x-ratelimit-cost')]).toEqual([
      200,
      'application/x-ndjson; charset=utf-8',
      '5',
    ]);
    const contacts = lines(await answer.text());
    const { body } = await door.rest('POST', '/search', {
      data: { advanced_search: { query: women, sort_attr: 'surname', sort_asc: true, per_page: 1000 } },
    });
    expect(contacts.length).toBeGreaterThan(10);
    expect(contacts.map(({ id }) => id)).toEqual(body.data.contacts.map(({ id }: Json) => id));
    for (const [index, contact] of contacts.entries()) expect(contact).toMatchObject(body.data.contacts[index]);
  });

  it('continues beyond a page, without gap or repeat', async () => {
    await door.sql(`insert into contacts (group_id, surname) select 1, 'Many ' || n from generate_series(1, 2500) n`);
    await door.sql('select refresh_search(1, array(select id from contacts where group_id = 1))');
    const contacts = lines(await (await ask({})).text());
    const [{ ids }] = await door.sql(
      'select array(select id from contacts where group_id = 1 and deleted_at is null order by id) as ids',
    );
    expect(contacts.map(({ id }) => id)).toEqual(ids);
  });

  it('is compressed for clients that accept it', async () => {
    const answer = await ask({ query: women }, { 'Accept-Encoding': 'br, gzip' });
    expect(answer.headers.get('content-encoding')).toBe('gzip');
    const text = gunzipSync(Buffer.from(await answer.arrayBuffer())).toString();
    expect(text).toBe(await (await ask({ query: women }, { 'Accept-Encoding': 'gzip;q=0' })).text());
  });

  it('sends flags of every contact, where a search sends only those that are set', async () => {
    await door.sql('update contacts set phone_invalid = id % 2 = 0, mobile_invalid = id % 3 = 0 where group_id = 1');
    for (const contact of lines(await (await ask({})).text()))
      expect(contact).toMatchObject({
        phone_invalid: contact.id % 2 === 0,
        mobile_invalid: contact.id % 3 === 0,
        black_list: expect.any(Boolean),
      });
    const { body } = await door.rest('POST', '/search', { data: { advanced_search: { per_page: 1000 } } });
    for (const contact of body.data.contacts)
      expect([contact.phone_invalid, contact.mobile_invalid]).toEqual(
        [2, 3].map((divisor) => (contact.id % divisor === 0 ? true : undefined)),
      );
  });

  it('names the form and the value of each answer', async () => {
    const answered = lines(await (await ask({})).text()).flatMap(({ formdatas }) => formdatas);
    expect(answered.length).toBeGreaterThan(0);
    for (const { form, refvalue } of answered)
      expect([typeof form.label, typeof refvalue.label]).toEqual(['string', 'string']);
  });
});

describe('CSV', () => {
  it('has one header, a row per contact, and no formula', async () => {
    const { body } = await door.rest('POST', '/contacts', {
      surname: '=cmd|calc',
      firstname: '\n=1+1',
      mobile: '+33 6',
      address: { city: 'L"Isle, en\nDodon' },
      tags: ['a', 'b'],
    });
    const { id } = body.data.contact;
    // Writes trim it; an earlier version may have stored it.
    await door.sql(String.raw`update contacts set firstname = E'\n=1+1' where group_id = 1 and id = ?`, [id]);
    const query = { $all: [{ $all: [{ $condition: { attr: 'id', ope: 'eql', value: id } }] }] };
    const answer = await ask({ query }, { Accept: 'text/csv' });
    expect(answer.headers.get('content-type')).toMatch(/^text\/csv/);
    const rows = parse(await answer.text(), { columns: true }) as Json[];
    expect(rows).toHaveLength(1);
    expect(rows[0]).toMatchObject({
      id: String(id),
      surname: "'=cmd|calc",
      firstname: "'\n=1+1",
      mobile: '+33 6',
      address_city: 'L"Isle, en\nDodon',
      tags: 'a; b',
      black_list: 'false',
    });
    const all = parse(await (await ask({}, { Accept: 'text/csv' })).text(), { columns: true }) as Json[];
    expect(all.length).toBeGreaterThan(2500);
  });

  it('is only its header when no contact is found', async () => {
    const query = { $all: [{ $all: [{ $condition: { attr: 'surname', ope: 'eql', value: 'nobody at all' } }] }] };
    expect((await (await ask({ query }, { Accept: 'text/csv' })).text()).split('\r\n')).toHaveLength(2);
    expect(await (await ask({ query })).text()).toBe('');
  });
});

describe('an export is refused', () => {
  it.each([
    ['a faulty search', { query: { $all: [{ $condition: {} }] } }, {}, 400],
    ['another format', {}, { Accept: 'image/png' }, 406],
    ['nobody', {}, { Authorization: 'Bearer none' }, 401],
  ])('%s, before anything is sent', async (_, search, headers, status) => {
    const answer = await ask(search, headers as Record<string, string>);
    expect([answer.status, answer.headers.get('content-type')]).toEqual([status, 'application/problem+json']);
    await answer.text();
  });
});

const pagesAmong = (seen: string[]): number => seen.filter((sql) => sql.includes('with ordinality page')).length;

it('an export reads a page when its client has read the one before, and none when the client is gone', async () => {
  const seen = await door.statements(async () => {
    const reader = (await ask({})).body!.getReader();
    await reader.read();
    await new Promise((resolve) => setTimeout(resolve, 500));
    await reader.cancel();
  });
  expect(pagesAmong(seen)).toBe(1);
  const whole = await door.statements(async () => void (await (await ask({})).text()));
  expect(pagesAmong(whole)).toBe(15);
});

it('an export runs beside few others of its space: one more waits, and is refused when none ends', async () => {
  const others = await Promise.all(Array.from({ length: limits.search.exports }, () => ask({})));
  const [{ user_id }] = await door.sql('select user_id from members where group_id = 2 limit 1');
  const elsewhere = { Authorization: `Bearer ${await door.token(2, user_id)}` };
  const [refused, foreign] = await Promise.all([ask({}), ask({}, elsewhere)]);
  expect([refused.status, refused.headers.get('retry-after'), ((await refused.json()) as Json).type]).toEqual([
    429,
    '10',
    'urn:muster:problem:too-many-exports',
  ]);
  expect(foreign.status).toBe(200);
  const waiting = ask({});
  await others[0]!.body!.cancel();
  expect((await waiting).status).toBe(200);
  await Promise.all([(await waiting).text(), foreign.text(), ...others.slice(1).map((other) => other.text())]);
});

describe('a caller who loses rights while their export is under way', () => {
  /** Reads the first page, and the rest after `between`: the ids of the contacts, or the error that cuts the export off. */
  const exportAround = async (token: string, between: () => Promise<unknown>): Promise<string[] | Error> => {
    const answer = await ask({ query: { $all: [] } }, { Authorization: `Bearer ${token}` });
    const reader = answer.body!.getReader();
    const pieces = [(await reader.read()).value!];
    await between();
    try {
      for (let piece = await reader.read(); !piece.done; piece = await reader.read()) pieces.push(piece.value);
    } catch (error) {
      return error as Error;
    }
    return lines(Buffer.concat(pieces).toString()).map(({ id }) => id);
  };
  const refused = expect.objectContaining({ code: 'forbidden' });

  beforeAll(async () => {
    await door.sql(`insert into contacts (group_id, surname) select 1, 'More ' || n from generate_series(1, 2500) n`);
    await door.sql('select refresh_search(1, array(select id from contacts where group_id = 1))');
  });

  it.each<[string, string]>([
    ['their membership', 'delete from members where user_id = ?'],
    ['their account', 'update users set deleted_at = now() where id = ?'],
    ['the permission', `update roles set type = 'manager' where id = (select role_id from members where user_id = ?)`],
    [
      'a part of what they see',
      `update roles set type = 'admin' where id = (select role_id from members where user_id = ?)`,
    ],
    ['their token', 'update tokens set revoked_at = now() where user_id = ?'],
  ])('as %s, gets no further page', async (_, sql) => {
    const { user } = await createMemberRole(door, { type: 'superadmin' });
    const token = await createAccessToken(door.database, 1, user);
    expect(await exportAround(token, () => door.sql(sql, [user]))).toEqual(refused);
  });

  it('as their space, gets no further page', async () => {
    const token = await createMember(door, { type: 'admin' });
    try {
      const got = await exportAround(token, () => door.sql('update spaces set deleted_at = now() where id = 1'));
      expect(got).toEqual(refused);
    } finally {
      await door.sql('update spaces set deleted_at = null where id = 1');
    }
  });

  it.each<[string, string]>([
    ['whose token expires', 'update tokens set expires_at = now() where user_id = ?'],
    ['who may more', `update roles set type = 'superadmin' where id = (select role_id from members where user_id = ?)`],
  ])('and one %s gets all of it', async (_, sql) => {
    const { user } = await createMemberRole(door, { type: 'admin' });
    const token = await createAccessToken(door.database, 1, user);
    const [{ count }] = await door.sql(
      'select count(*)::int as count from contacts where group_id = 1 and deleted_at is null',
    );
    expect(await exportAround(token, () => door.sql(sql, [user]))).toHaveLength(count);
  });

  it('is an app that is deleted, too', async () => {
    const { id, token } = await createAppCaller(door, {
      permissions: ['contacts.read', 'contacts.export'],
      share: 100,
    });
    expect(await exportAround(token, async () => {})).toEqual(expect.any(Array));
    await door.sql('delete from app_buckets where app_id = ?', [id]);
    const got = await exportAround(token, () => door.sql('update apps set deleted_at = now() where id = ?', [id]));
    expect(got).toEqual(refused);
  });
});
