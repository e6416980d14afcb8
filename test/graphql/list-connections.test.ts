// Lists of records of a space over GraphQL: pages by cursors in both directions, filters, orders, counts and totals, what is refused, and what it costs.
import { beforeAll, describe, expect, it } from 'vitest';
import { type Answer, type Door, type Json, openApp } from '../harness/app.ts';
import { drawSample } from '../harness/sizes.ts';
import { createRoleToken } from './writing.ts';

let door: Door;

/** The root fields, their types, and the orders of each. */
const lists = {
  donations: ['Donation', 'ID', 'AMOUNT', 'TRANSACTION_DATE', 'CREATED_AT', 'UPDATED_AT'],
  transactions: ['Transaction', 'ID', 'AMOUNT', 'DATE', 'CREATED_AT', 'UPDATED_AT'],
  memberships: ['Membership', 'ID', 'AMOUNT', 'START_DATE', 'END_DATE', 'TRANSACTION_DATE', 'CREATED_AT', 'UPDATED_AT'],
  notes: ['Note', 'ID', 'CREATED_AT', 'UPDATED_AT'],
  emails: ['Email', 'ID', 'CREATED_AT', 'OPENED_AT', 'CLICKED_AT', 'BOUNCED_AT', 'UNSUBSCRIBED_AT'],
  interactions: ['Interaction', 'ID', 'CREATED_AT', 'UPDATED_AT'],
  sanctions: ['Sanction', 'ID', 'START_DATE', 'END_DATE', 'CREATED_AT', 'UPDATED_AT'],
} as const;
type List = keyof typeof lists;
const names = Object.keys(lists) as List[];

beforeAll(async () => {
  door = await openApp();
  await door.sql(`insert into sanctions (group_id, contact_id, status, start_date, end_date)
    select c.group_id, c.id, 's' || n, case when n % 3 > 0 then timestamptz '2026-01-01' + n % 5 * interval '1 day' end, case when n % 2 > 0 then timestamptz '2026-03-01' end
      from contacts c cross join generate_series(1, 2) n where c.deleted_at is null and c.id % 2 = 0`);
});

const ask = (list: List, args: Json, selection: string, token?: string): Promise<Answer> => {
  const [type] = lists[list];
  return door.graphql(
    `query ($filter: ${type}Filter, $orderBy: ${type}Order, $first: Int, $last: Int, $after: String, $before: String) {
      ${list}(filter: $filter, orderBy: $orderBy, first: $first, last: $last, after: $after, before: $before) { ${selection} } }`,
    args,
    token,
  );
};
const page = async (list: List, args: Json = {}, selection?: string, token?: string): Promise<Json> => {
  const { body } = await ask(
    list,
    args,
    selection ??
      'totalCount edges { cursor node { id } } nodes { id } pageInfo { hasNextPage hasPreviousPage startCursor endCursor }',
    token,
  );
  if (body.errors) throw new Error(JSON.stringify(body.errors));
  return body.data[list];
};
const idsOf = ({ nodes }: Json): string[] => nodes.map(({ id }: Json) => id);
const faultsOf = async (list: List, args: Json): Promise<string[]> =>
  (await ask(list, args, 'nodes { id }')).body.errors[0].extensions.errors.map(
    ({ location, message }: Json) => `${location} ${message}`,
  );

describe.each(drawSample(names, { small: 8 }))('%s', (list) => {
  const [type, ...orders] = lists[list];

  it.each(
    orders.flatMap((field) => ['ASC', 'DESC'].map((direction) => [field, direction] as const)),
  )('are read once each by %s %s, forwards and backwards', async (field, direction) => {
    const orderBy = { field, direction };
    const { totalCount } = await page(list);
    const forwards: string[] = [];
    for (let after: string | null = null; ; ) {
      const one = await page(list, { orderBy, first: 113, after });
      expect(one.edges.map(({ node }: Json) => node.id)).toEqual(idsOf(one));
      expect(one.pageInfo).toMatchObject({
        hasNextPage: forwards.length + one.nodes.length < totalCount,
        hasPreviousPage: after !== null,
        startCursor: one.edges[0].cursor,
        endCursor: one.edges.at(-1).cursor,
      });
      forwards.push(...idsOf(one));
      if (!one.pageInfo.hasNextPage) break;
      after = one.pageInfo.endCursor;
    }
    expect([new Set(forwards).size, forwards.length]).toEqual([totalCount, totalCount]);
    const backwards: string[] = [];
    for (let before: string | null = null; ; ) {
      const one = await page(list, { orderBy, last: 128, before });
      backwards.unshift(...idsOf(one));
      if (!one.pageInfo.hasPreviousPage) break;
      before = one.pageInfo.startCursor;
    }
    expect(backwards).toEqual(forwards);
  });

  it('are 20 by id unless the client says more, and none of another space', async () => {
    const [{ total }] = await door.sql(
      `select count(*) as total from ${list} r join contacts c on c.group_id = r.group_id and c.id = r.contact_id and c.deleted_at is null
        where r.group_id = 1 and r.deleted_at is null`,
    );
    const usual = await page(list);
    expect([usual.nodes.length, usual.totalCount]).toEqual([20, total]);
    expect(idsOf(usual)[0]).toMatch(new RegExp(`^${type}:\\d+$`));
    const [{ id: foreign }] = await door.sql(`select min(id) as id from ${list} where group_id = 2`);
    expect(idsOf(await page(list, { filter: { id: { in: [`${type}:${foreign}`, idsOf(usual)[0]] } } }))).toEqual([
      idsOf(usual)[0],
    ]);
  });

  it('read nothing that is not selected', async () => {
    const count = async (selection: string): Promise<number> =>
      (await door.statements(() => page(list, {}, selection))).filter((sql) => !/enter_gate/.test(sql)).length;
    await count('__typename');
    expect([await count('__typename'), await count('totalCount'), await count('nodes { id }')]).toEqual([0, 1, 1]);
    expect(await count('nodes { id contact { id } }')).toBe(1);
    expect(await count('edges { node { id } } nodes { id } pageInfo { endCursor } totalCount')).toBe(1);
  });
});

describe('a filter', () => {
  const among = async (list: List, where: string): Promise<string[]> =>
    (
      await door.sql(
        `select r.id from ${list} r join contacts c on c.group_id = r.group_id and c.id = r.contact_id and c.deleted_at is null
          where r.group_id = 1 and r.deleted_at is null and ${where} order by r.id`,
      )
    ).map(({ id }) => `${lists[list][0]}:${id}`);

  it.each<[List, Json, string]>([
    ['donations', { amount: { gte: 2000, lt: 5000 } }, 'amount >= 2000 and amount < 5000'],
    ['donations', { currency: { in: ['EUR', 'CHF'] }, transactionId: { exists: false } }, 'transaction_id is null'],
    [
      'donations',
      { transactionDate: { gte: '2026-01-01T00:00:00+01:00' } },
      `transaction_date >= '2025-12-31T23:00:00Z'`,
    ],
    [
      'memberships',
      { startDate: { lte: '2026-01-01' }, endDate: { exists: true } },
      `start_date <= '2026-01-01' and end_date is not null`,
    ],
    ['notes', { pinned: { equals: true } }, 'pinned'],
    ['notes', { content: { contains: 'É' } }, `strpos(fold(content), 'e') > 0`],
    [
      'emails',
      { openedAt: { exists: false }, campaignId: { exists: true } },
      'opened_at is null and campaign_id is not null',
    ],
    ['sanctions', { status: { equals: 's1' }, startDate: { exists: null } as Json }, `status = 's1'`],
    ['donations', { id: { in: [] } }, 'false'],
  ])('of %s, %j, finds what its words say', async (list, filter, where) => {
    if (filter.startDate?.exists === null) delete filter.startDate;
    const found = await page(list, { filter, first: 1000 });
    const due = await among(list, where);
    expect([idsOf(found), found.totalCount]).toEqual([due.slice(0, 1000), due.length]);
  });

  it('takes ids in all three spellings, of the type that it says', async () => {
    const [{ contact_id: contact }] = await door.sql(
      'select contact_id from donations d where group_id = 1 and deleted_at is null and exists (select from contacts c where c.group_id = 1 and c.id = d.contact_id and c.deleted_at is null) limit 1',
    );
    const due = await among('donations', `contact_id = ${contact}`);
    for (const id of [contact, String(contact), `Contact:${contact}`])
      expect(idsOf(await page('donations', { filter: { contactId: { equals: id } } }))).toEqual(due);
    expect(
      await faultsOf('donations', { filter: { contactId: { equals: `Donation:${contact}` }, id: { in: ['x'] } } }),
    ).toEqual([
      'filter.contactId.equals must be the id of a Contact, not of a Donation',
      expect.stringMatching(/^filter\.id\.in\[0\] must be an id such as Donation:42/),
    ]);
  });
});

describe('totals', () => {
  it('add up each currency by itself, by period and by field', async () => {
    const { totals } = await page(
      'donations',
      {},
      'totals(groupBy: MONTH, of: TRANSACTION_DATE) { key count sum { amount currency } }',
    );
    const due = await door.sql(
      `select to_char(transaction_date at time zone 'UTC', 'YYYY-MM') as key, count(*) as count, sum(amount) as amount, currency
         from donations d where group_id = 1 and deleted_at is null
          and exists (select from contacts c where c.group_id = 1 and c.id = d.contact_id and c.deleted_at is null)
        group by 1, 4 order by 1, 4`,
    );
    expect(totals.length).toBeGreaterThan(3);
    expect(totals).toEqual(
      due.map(({ key, count, amount, currency }) => ({ key, count, sum: { amount: Number(amount), currency } })),
    );
    const { totals: pinned } = await page('notes', {}, 'totals(groupBy: PINNED) { key count }');
    expect(pinned.map(({ key }: Json) => key)).toEqual(['false', 'true']);
  });

  it('need a date for a period', async () => {
    const { body } = await ask('donations', {}, 'totals(groupBy: YEAR) { key }');
    expect(body.errors[0].extensions.errors[0].location).toBe('of');
  });
});

describe('what is refused', () => {
  it.each<[Json, string]>([
    [{ first: 5, last: 5 }, 'last must not be given together with first'],
    [{ first: -1 }, 'first must be a whole number from 0 to 1000'],
    [{ last: 1001 }, 'last must be a whole number from 0 to 1000'],
    [{ after: 'x' }, 'after is not a cursor that this server gave for this list'],
    [
      { before: Buffer.from('["notes id asc",null,1]').toString('base64url') },
      'before is not a cursor that this server gave for this list',
    ],
    [
      { filter: { amount: { equals: null } } },
      'filter.amount.equals must not be null; exists: false finds records without a value',
    ],
  ])('%j', async (args, fault) => {
    expect(await faultsOf('donations', args)).toEqual([fault]);
  });

  it('a cursor of another order', async () => {
    const { pageInfo } = await page('donations', { first: 1 });
    expect(await faultsOf('donations', { orderBy: { field: 'AMOUNT' }, after: pageInfo.endCursor })).toEqual([
      'after is not a cursor that this server gave for this list',
    ]);
  });
});

it('interactions for superadmins are hidden from all others: in pages, counts and totals', async () => {
  await door.sql(
    `insert into interactions (group_id, contact_id, type, only_super_admin) select 1, min(id), 'secret', true from contacts where group_id = 1 and deleted_at is null`,
  );
  const filter = { type: { equals: 'secret' } };
  const selection = 'totalCount nodes { type } totals(groupBy: TYPE) { key count }';
  expect(await page('interactions', { filter }, selection)).toEqual({
    totalCount: 1,
    nodes: [{ type: 'secret' }],
    totals: [{ key: 'secret', count: 1 }],
  });
  expect(await page('interactions', { filter }, selection, await createRoleToken(door, 'admin'))).toEqual({
    totalCount: 0,
    nodes: [],
    totals: [],
  });
});
