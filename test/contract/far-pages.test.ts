// Pages and offsets up to the largest number that JSON carries exactly: past the end they are empty, at once, at both doors.
import { beforeAll, describe, expect, it } from 'vitest';
import { searchedByTree } from '../graphql/search-query.ts';
import { type Door, type Json, openApp } from '../harness/app.ts';

let door: Door;
beforeAll(async () => {
  door = await openApp();
});

const largest = Number.MAX_SAFE_INTEGER;
const far = [2 ** 31 - 1, 2 ** 31, 2 ** 32, 10 ** 15, largest];
const body = (page: unknown, more: Json = {}): Json => ({
  data: { advanced_search: { per_page: 1000, page, ...more } },
});
const sorted = [
  {},
  { sort_attr: 'surname' },
  { query: { $all: [{ $all: [{ $condition: { attr: 'surname', ope: 'ext' } }] }] } },
];

describe.each(far)('page %i', (page) => {
  it('of a search is empty over REST, whatever is selected, and no contact is looked up', async () => {
    for (const more of sorted) {
      const statements = await door.statements(async () => {
        const { status, body: found } = await door.rest('POST', '/search', body(page, more));
        expect([status, found.data]).toEqual([200, { contacts: [] }]);
      });
      expect(statements.filter((sql) => sql.includes('contact_search'))).toEqual([]);
    }
  });

  it('of a count has the total', async () => {
    const [{ total }] = await door.sql(
      'select count(*) as total from contacts where group_id = 1 and deleted_at is null',
    );
    expect((await door.rest('POST', '/kpi', body(page))).body.data).toEqual({ total: Number(total) });
  });

  it('is empty in the graph, as a variable and as a literal', async () => {
    const selection = '{ nodes { id } pageInfo { hasNextPage hasPreviousPage } }';
    const due = { nodes: [], pageInfo: { hasNextPage: false, hasPreviousPage: true } };
    expect((await searchedByTree(door, { page, first: 1000 }, selection)).body.data.searchContactsByTree).toEqual(due);
    const { body: literal } = await door.graphql(`{ searchContactsByTree(page: ${page}, first: 1000) ${selection} }`);
    expect(literal.data.searchContactsByTree).toEqual(due);
  });
});

const lists = ['/v1/membership_price_groups', '/v1/donation_prices', '/v1/transaction_statuses'];
describe.each(far)('offset %i', (offset) => {
  it.each(lists)('of %s is empty, with the total', async (path) => {
    const { total } = (await door.rest('GET', path)).body;
    expect(total).toBeGreaterThan(0);
    const { status, body: page } = await door.rest('GET', `${path}?offset=${offset}`);
    expect([status, page.data, page.total]).toEqual([200, [], total]);
  });

  it('of users and teams is empty', async () => {
    expect((await door.rest('GET', `/users?offset=${offset}`)).body.data.users).toEqual([]);
    expect((await door.rest('GET', `/teams?offset=${offset}`)).body.data.teams).toEqual([]);
  });
});

/** Lists of the graph, and the nouns of their cursors. */
const connections = {
  tags: 'tag',
  actions: 'action',
  templates: 'template',
  campaigns: 'campaign',
  users: 'user',
  teams: 'team',
  donationPrices: 'donation price',
  notes: 'note',
  forms: 'form',
  invitations: 'invitation',
};
describe.each(far)('a cursor at %i', (id) => {
  it.each(Object.entries(connections))('of %s has nothing after it, and all before', async (list, noun) => {
    const cursor = Buffer.from(JSON.stringify([`${noun} id asc`, null, id])).toString('base64url');
    const query = `query ($at: String) { one: ${list}(after: $at) { totalCount nodes { id } pageInfo { hasNextPage hasPreviousPage } }
      two: ${list}(last: 1, before: $at) { nodes { id } } }`;
    const { body: answer } = await door.graphql(query, { at: cursor });
    const pageInfo = { hasNextPage: false, hasPreviousPage: true };
    expect(answer.data.one).toEqual({ totalCount: expect.any(Number), nodes: [], pageInfo });
    expect(answer.data.one.totalCount).toBeGreaterThan(0);
    expect(answer.data.two.nodes).toHaveLength(1);
  });
});

describe('a number that is not a page or offset is refused with the place', () => {
  it.each([
    [-1, 'must be at least 0'],
    [-(2 ** 40), 'must be at least 0'],
    [2 ** 53, 'must be at most 9007199254740991'],
    [1e300, 'must be at most 9007199254740991'],
    [1.5, 'must be a whole number'],
    ['5', 'must be a whole number'],
    [true, 'must be a whole number'],
    [[1], 'must be a whole number'],
  ])('page %j', async (page, message) => {
    const { status, body: problem } = await door.rest('POST', '/search', body(page));
    const [fault] = problem.errors;
    expect([status, fault.location, fault.message]).toEqual([400, 'body.data.advanced_search.page', message]);
    const { body: answer } = await searchedByTree(door, { page });
    expect(JSON.stringify(answer.errors)).toContain(message);
  });

  it.each([
    ['-1', 'must be at least 0'],
    ['9007199254740992', 'must be at most 9007199254740991'],
    ['1e3', 'must be a whole number'],
    ['99999999999999999999', 'must be at most 9007199254740991'],
  ])('offset %s', async (offset, message) => {
    const { status, body: problem } = await door.rest('GET', `/v1/donation_prices?offset=${offset}`);
    expect([status, problem.errors[0].location, problem.errors[0].message]).toEqual([400, 'query.offset', message]);
  });
});

it('a deep page that exists is found', async () => {
  const [{ last, alive }] = await door.sql(
    'select max(id) as last, count(*) filter (where deleted_at is null) as alive from contacts where group_id = 1',
  );
  await door.sql(`insert into contacts (group_id, id, surname) values (1, ?, 'Deep')`, [last + 20_000]);
  await door.sql('select refresh_search(1, array[?]::bigint[])', [last + 20_000]);
  const found = async (page: number): Promise<number> =>
    (await door.rest('POST', '/search', { data: { advanced_search: { per_page: 1, page } } })).body.data.contacts
      .length;
  expect([await found(Number(alive)), await found(Number(alive) + 1), await found(15_000)]).toEqual([1, 0, 0]);
});
