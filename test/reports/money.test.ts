// Conditions on money count euros alone, unless they name another currency; the number of records counts all of them.
import { beforeAll, describe, expect, it } from 'vitest';
import { migrateDatabase } from '../../src/database/migrate.ts';
import { findWrongRows } from '../graphql/writing.ts';
import { type Door, type Json, openApp } from '../harness/app.ts';

let door: Door;
/** By the amounts that they paid, each with its currency; there is nobody else in the space. */
const people: Record<string, [amount: number, currency: string][]> = {
  both: [
    [10_000, 'EUR'],
    [100_000, 'JPY'],
  ],
  euros: [
    [5_000, 'EUR'],
    [5_000, 'EUR'],
  ],
  yen: [[100_000, 'JPY']],
  refunded: [[-100_000, 'JPY']],
  nothing: [],
};
const names = new Map<number, string>();
let token: string;

beforeAll(async () => {
  door = await openApp();
  const [{ id: space }] = await door.sql(`insert into spaces (name) values ('money') returning id`);
  const [{ id: user }] = await door.sql(
    `insert into users (mail, firstname, surname) values ('till@example.org', 'T', 'T') returning id`,
  );
  const [{ id: role }] = await door.sql(
    `insert into roles (group_id, name, type) values (?, 'admin', 'superadmin') returning id`,
    [space],
  );
  await door.sql('insert into members (group_id, user_id, role_id) values (?, ?, ?)', [space, user, role]);
  token = await door.token(space, user);
  for (const [surname, paid] of Object.entries(people)) {
    const { id } = (await door.rest('POST', '/contacts', { data: { contact: { surname } } }, token)).body.data.contact;
    names.set(id, surname);
    for (const [amount, currency] of paid) {
      const text = `mutation ($id: ID!, $amount: SafeInt!, $currency: String) {
        createDonation(input: { contactId: $id, amount: $amount, currency: $currency, transactionDate: "2026-01-01T00:00:00Z" }) { donation { id } }
        createTransaction(input: { contactId: $id, amount: $amount, currency: $currency, date: "2026-01-01T00:00:00Z" }) { transaction { id } } }`;
      expect((await door.graphql(text, { id, amount, currency }, token)).body.errors).toBeUndefined();
    }
  }
});

const search = async (condition: Json, every = '$all'): Promise<Json> => {
  const query = {
    $all: [
      {
        [every]: [
          { $condition: condition },
          ...(every === '$all' ? [] : [{ $condition: { attr: 'surname', ope: 'eql', value: 'nobody' } }]),
        ],
      },
    ],
  };
  return door.rest('POST', '/search', { data: { advanced_search: { per_page: 100, query } } }, token);
};
const namesOf = (contacts: Json[]): string[] =>
  contacts.map(({ id }) => names.get(Number(String(id).replace(/^\w+:/, '')))!).sort();
const inGraph = async (query: Json): Promise<Json> =>
  (
    await door.graphql(
      'query ($query: ContactQuery) { searchContacts(first: 100, query: $query) { nodes { id } } }',
      { query },
      token,
    )
  ).body;

const cases: [attr: string, ope: string, operand: Json, graph: Json, found: string[]][] = [
  ['sum_amount', 'gte', { value: '1' }, { total: { gte: 100 } }, ['both', 'euros']],
  ['sum_amount', 'gte', { value: '100.01' }, { total: { gte: 10_001 } }, []],
  ['sum_amount', 'eql', { value: '100' }, { total: { equals: 10_000 } }, ['both', 'euros']],
  ['sum_amount', 'eql', { value: '0' }, { total: { equals: 0 } }, ['nothing', 'refunded', 'yen']],
  ['amount', 'gte', { value: '900' }, { amount: { gte: 90_000 } }, []],
  ['amount', 'gte', { value: '51' }, { amount: { gte: 5_100 } }, ['both']],
  ['amount', 'lte', { value: '1000000' }, { amount: { lte: 100_000_000 } }, ['both', 'euros']],
  ['amount', 'lte', { value: '-1' }, { amount: { lte: -100 } }, []],
  ['amount', 'range', { from: '-1', to: '60' }, { amount: { between: { from: -100, to: 6_000 } } }, ['euros']],
  ['amount', 'range', { from: '1000', to: '1000' }, { amount: { between: { from: 100_000, to: 100_000 } } }, []],
  ['amount', 'not_eql', { value: '50' }, { amount: { notEquals: 5_000 } }, ['both']],
  ['amount', 'not_eql', { value: '1' }, { amount: { notEquals: 100 } }, ['both', 'euros']],
  ['count_amount', 'gte', { value: '1' }, { count: { gte: 1 } }, ['both', 'euros', 'refunded', 'yen']],
  ['count_amount', 'eql', { value: '2' }, { count: { equals: 2 } }, ['both', 'euros']],
  ['amount', 'gte', { value: '900', currency: 'JPY' }, { amount: { gte: 900, currency: 'JPY' } }, ['both', 'yen']],
  ['amount', 'gte', { value: '100001', currency: 'JPY' }, { amount: { gte: 100_001, currency: 'JPY' } }, []],
  [
    'amount',
    'not_eql',
    { value: '5', currency: 'JPY' },
    { amount: { notEquals: 5, currency: 'JPY' } },
    ['both', 'refunded', 'yen'],
  ],
  ['amount', 'gte', { value: '51', currency: 'EUR' }, { amount: { gte: 5_100, currency: 'EUR' } }, ['both']],
  ['amount', 'gte', { value: '51', currency: null }, { amount: { gte: 5_100, currency: null } }, ['both']],
  [
    'sum_amount',
    'gte',
    { value: '100000', currency: 'JPY' },
    { total: { gte: 100_000, currency: 'JPY' } },
    ['both', 'yen'],
  ],
  [
    'sum_amount',
    'eql',
    { value: '0', currency: 'JPY' },
    { total: { equals: 0, currency: 'JPY' } },
    ['euros', 'nothing'],
  ],
  [
    'sum_amount',
    'not_eql',
    { value: '0', currency: 'JPY' },
    { total: { notEquals: 0, currency: 'JPY' } },
    ['both', 'refunded', 'yen'],
  ],
  [
    'sum_amount',
    'not_eql',
    { value: '100000', currency: 'JPY' },
    { total: { notEquals: 100_000, currency: 'JPY' } },
    ['euros', 'nothing', 'refunded'],
  ],
  ['sum_amount', 'lte', { value: '-1', currency: 'JPY' }, { total: { lte: -1, currency: 'JPY' } }, ['refunded']],
  [
    'sum_amount',
    'lte',
    { value: '10', currency: 'JPY' },
    { total: { lte: 10, currency: 'JPY' } },
    ['euros', 'nothing', 'refunded'],
  ],
  [
    'sum_amount',
    'range',
    { from: '0', to: '1.5', currency: 'USD' },
    { total: { between: { from: 0, to: 150 }, currency: 'USD' } },
    Object.keys(people).sort(),
  ],
];

describe.each(['donations', 'transactions'])('%s', (family) => {
  it.each(cases)('%s %s %j finds the right people, over both doors', async (attr, ope, operand, graph, found) => {
    const condition = { attr: `${family}.${attr}`, ope, ...operand };
    for (const every of ['$all', '$at_least_one'])
      expect(namesOf((await search(condition, every)).body.data.contacts)).toEqual(found);
    const { data, errors } = await inGraph({ and: [{ [family]: graph }] });
    expect(errors).toBeUndefined();
    expect(namesOf(data.searchContacts.nodes)).toEqual(found);
    const others = await inGraph({ and: [{ not: { [family]: graph } }] });
    expect(namesOf(others.data.searchContacts.nodes)).toEqual(
      Object.keys(people)
        .filter((one) => !found.includes(one))
        .sort(),
    );
  });

  it.each([
    ['sum_amount', { value: '1', currency: 'yen' }, 'currency', 'must be three capital letters, such as JPY'],
    ['amount', { value: '1', currency: ['JPY'] }, 'currency', 'must be three capital letters, such as JPY'],
    ['amount', { value: '1.5', currency: 'JPY' }, 'value', 'must be an amount in JPY, with at most 0 decimals'],
    ['amount', { value: '1.2345', currency: 'KWD' }, 'value', 'must be an amount in KWD, with at most 3 decimals'],
    ['amount', { value: '1.234' }, 'value', 'must be an amount in euros such as "99.90", with at most two decimals'],
    [
      'count_amount',
      { value: '1', currency: 'JPY' },
      'currency',
      `belongs beside an amount: ${family}.count_amount is none`,
    ],
  ])('%s gte %j is refused at %s', async (attr, operand, at, message) => {
    const { status, body } = await search({ attr: `${family}.${attr}`, ope: 'gte', ...operand });
    const location = `body.data.advanced_search.query.$all[0].$all[0].$condition.${at}`;
    expect([status, body.errors]).toMatchObject([400, [{ location, message }]]);
  });

  it.each([
    [{ total: { gte: 1, currency: 'yen' } }, 'total.currency', 'must be three capital letters, such as JPY'],
    [{ total: { gte: 1, lte: 2 } }, 'total', 'must have exactly one operator'],
    [{ amount: { currency: 'JPY' } }, 'amount', 'must be an object with exactly one field'],
    [{ amount: {} }, 'amount', 'must be an object with exactly one field'],
  ])('%j is refused in the graph', async (condition, at, message) => {
    const { errors } = await inGraph({ [family]: condition });
    expect(errors[0].extensions.errors).toMatchObject([{ location: `query.${family}.${at}`, message }]);
  });
});

it('search rows follow every change of a currency', async () => {
  const { id } = (await door.rest('POST', '/contacts', { data: { contact: { surname: 'changes' } } }, token)).body.data
    .contact;
  const create = `mutation ($id: ID!) { createDonation(input: { contactId: $id, amount: 7777, currency: "USD", transactionDate: "2026-01-01T00:00:00Z" }) { donation { id } } }`;
  const donation = (await door.graphql(create, { id }, token)).body.data.createDonation.donation.id;
  const find = async (): Promise<boolean> => {
    const { body } = await search({ attr: 'donations.sum_amount', ope: 'eql', value: '77.77' });
    return body.data.contacts.length === 1;
  };
  expect(await find()).toBe(false);
  const update = 'mutation ($id: ID!) { updateDonation(input: { id: $id, currency: "EUR" }) { donation { id } } }';
  expect((await door.graphql(update, { id: donation }, token)).body.errors).toBeUndefined();
  expect(await find()).toBe(true);
  expect(await findWrongRows(door)).toEqual([]);
});

it('the migration counts euros alone in rows of before', async () => {
  for (const family of ['donations', 'transactions'])
    await door.sql(
      `update contact_search s set ${family}_sum = r.sum, ${family}_min = r.least, ${family}_max = r.most
         from (select group_id, contact_id, sum(amount) as sum, min(amount) as least, max(amount) as most from ${family} where deleted_at is null group by 1, 2) r
        where s.group_id = r.group_id and s.contact_id = r.contact_id`,
    );
  expect((await findWrongRows(door)).length).toBeGreaterThan(0);
  await door.sql(`delete from schema_migrations where name like '0029%'`);
  await migrateDatabase(door.databaseUrl);
  expect(await findWrongRows(door)).toEqual([]);
});
