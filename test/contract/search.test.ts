// Spec §4.13 and §2.3: what contact search answers, field by field; its paths and its price.
import { beforeAll, describe, expect, it } from 'vitest';
import { type Answer, type Door, type Json, openApp } from '../harness/app.ts';
import { insertFullContact } from './full-contact.ts';

let door: Door;
let full: Json;
let bare: number;

const rows = async (sql: string, ...values: unknown[]): Promise<Json> => (await door.sql(sql, values))[0];

beforeAll(async () => {
  door = await openApp();
  // A contact with something in every field, and one with as little as possible.
  full = await insertFullContact(door);
  bare = (await rows('insert into contacts (group_id) values (1) returning id')).id;
  await door.sql('select refresh_search(1, array[?]::bigint[])', [bare]);
});

const where = (attr: string, ope: string, value?: unknown): Json => ({
  $all: [{ $all: [{ $condition: { attr, ope, value } }] }],
});
const post = (path: string, advanced: Json, token?: string): Promise<Answer> =>
  door.rest('POST', path, { data: { advanced_search: { per_page: 10, ...advanced } } }, token);
const search = async (advanced: Json, token?: string): Promise<Json[]> => {
  const { status, body } = await post('/search', advanced, token);
  expect([status, body.status, Object.keys(body.data)]).toEqual([200, 'success', ['contacts']]);
  return body.data.contacts;
};

describe('a found contact', () => {
  const query = where('surname', 'eql', 'quillfeather');

  it('has every field of §2.3, and the second spellings', async () => {
    const { interactions: _, ...without } = full;
    for (const more of [{}, { include_interactions: false }, { include_interactions: null }])
      expect(await search({ query, ...more })).toEqual([without]);
  });

  it('has its interactions with their files when they are requested', async () => {
    expect(await search({ query, include_interactions: true })).toEqual([full]);
    const [nothing] = await search({ query: where('id', 'eql', bare), include_interactions: true });
    expect(nothing.interactions).toEqual([]);
  });

  it('shows superadmin-only fields to superadmins only', async () => {
    const [{ user_id }] = await door.sql(
      `select m.user_id from members m join roles r on r.group_id = m.group_id and r.id = m.role_id
        where m.group_id = 1 and r.type = 'user' order by 1 limit 1`,
    );
    const [seen] = await search({ query, include_interactions: true }, await door.token(1, user_id));
    expect(seen.interactions).toEqual([full.interactions[0]]);
  });

  it('omits fields without a value and unset flags of invalid data, except lists and black_list', async () => {
    const [contact] = await search({ query: where('id', 'eql', bare) });
    const lists = 'tags actions_ids action_ids formdatas customfields custom_fields'.split(' ');
    expect(Object.keys(contact).sort()).toEqual(
      ['id', 'group_id', 'CreatedAt', 'UpdatedAt', 'lastchange', 'black_list', ...lists].sort(),
    );
    expect(contact.black_list).toBe(false);
    for (const list of lists) expect(contact[list]).toEqual([]);
  });

  it('equals the answer of GET /contacts/{id}', async () => {
    for (const contact of await search({ per_page: 100, query: where('mail', 'ext') }))
      expect((await door.rest('GET', `/contacts/${contact.id}`)).body.data.contact).toEqual(contact);
  });

  it('has its newest note when none is pinned, and none when all are deleted', async () => {
    const query = where('id', 'eql', bare);
    for (const content of ['older', 'newest']) await door.rest('POST', `/contacts/${bare}/notes`, { content });
    expect((await search({ query }))[0].notes).toMatchObject({ data: 'newest', pinned: false, contact_id: bare });
    await door.sql('update notes set deleted_at = now() where contact_id = ?', [bare]);
    expect((await search({ query }))[0]).not.toHaveProperty('notes');
  });

  it.each([
    ['75001', 75001],
    ['01000', '01000'],
    ['12 bis', '12 bis'],
    ['0', 0],
    ['-0', '-0'],
    ['1e3', '1e3'],
    ['12345678901234567', '12345678901234567'],
  ])('has the address number %s as an integer only when nothing is lost', async (text, sent) => {
    await door.sql(
      `update addresses set house_number = ?, postal_code = ?, floor = ?, citycode = ?, invalid = 'npai' where contact_id = ?`,
      [text, text, text, text, full.id],
    );
    const [{ address }] = await search({ query });
    expect(address).toMatchObject({
      housenumber: sent,
      postalcode: sent,
      floor: sent,
      citycode: sent,
      invalid: 'npai',
    });
  });
});

it('a search right after a note was written finds the contact as changed', async () => {
  await door.sql(`update contacts set lastchange = '2001-01-01', updated_at = '2001-01-01' where id = ?`, [bare]);
  await door.sql('select refresh_search(1, array[?]::bigint[])', [bare]);
  const { id, created_at } = (await door.rest('POST', `/contacts/${bare}/notes`, { content: 'x' })).body;
  for (const attr of ['lastchange', 'UpdatedAt']) {
    const query = where(attr, 'gte', created_at);
    const [first] = await search({ query, sort_attr: 'lastchange', per_page: 1 });
    expect([first.id, first.lastchange, first.UpdatedAt, first.notes.id]).toEqual([bare, created_at, created_at, id]);
  }
  expect((await search({ query: where('user_id', 'eql', 1), sort_attr: 'lastchange' }))[0].id).toBe(bare);
});

describe('paths and price', () => {
  it.each(['/search', '/v1/search', '/search/', '/v1/search/'])('POST %s finds', async (path) => {
    const { status, body } = await post(path, { query: where('id', 'eql', bare) });
    expect([status, body.data.contacts.map(({ id }: Json) => id)]).toEqual([200, [bare]]);
  });

  it.each(['/kpi', '/v1/kpi', '/kpi/', '/v1/kpi/'])('POST %s counts; per_page may be left out', async (path) => {
    const query = where('id', 'any_of', [bare, full.id]);
    expect((await post(path, { query })).body).toEqual({ status: 'success', data: { total: 2 } });
    const { body } = await door.rest('POST', path, { data: { advanced_search: { query } } });
    expect(body).toEqual({ status: 'success', data: { total: 2 } });
  });

  it.each(['/search', '/kpi'])('POST %s costs 1 token, also when it is refused', async (path) => {
    for (const answer of [await post(path, {}), await post(path, { per_page: 0 })])
      expect([answer.headers.get('x-ratelimit-cost'), answer.headers.get('x-ratelimit-limit')]).toEqual([
        '1',
        'burst:1000000;rate:1000.0',
      ]);
  });

  it('needs a token', async () => {
    expect((await door.rest('POST', '/search', {}, null)).status).toBe(401);
    expect((await door.rest('GET', '/search')).headers.get('allow')).toBe('POST');
  });
});
