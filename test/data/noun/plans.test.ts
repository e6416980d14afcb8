// Pages over a whole space are read from indexes: no plan sorts the records of a space.
import { beforeAll, describe, expect, it } from 'vitest';
import { readContactPage } from '../../../src/data/contact/read.ts';
import type { Space } from '../../../src/database/space.ts';
import { type Door, openApp, type Recorded } from '../../harness/app.ts';
import { nouns } from './nouns.ts';

let door: Door;
let space: Space;
/** Enough that a sort costs more than an index scan, whatever the planner assumes. */
const many = 5000;

beforeAll(async () => {
  door = await openApp();
  space = door.database.space(1);
  await door.sql(`insert into contacts (group_id, surname) select 1, 'One' from generate_series(1, ${6 * many}) n`);
  const contacts = `select array_agg(id) as ids from contacts where group_id = 1 and deleted_at is null`;
  const one = 'c.ids[1 + n % cardinality(c.ids)]';
  const created = `timestamptz '2020-01-01Z' + n * 7919 % 100000 * interval '1 minute'`;
  for (const [table, columns, values] of [
    ['transactions', 'amount, date', `n % 500, ${created}`],
    ['donations', 'amount, transaction_date', `n % 500, ${created}`],
    [
      'memberships',
      'amount, start_date, end_date',
      `1, date '2020-01-01' + n % 900, case when n % 3 > 0 then date '2023-01-01' + n % 900 end`,
    ],
    ['notes', 'content', `'note'`],
    ['interactions', 'type', `'call'`],
    [
      'emails',
      'opened_at, clicked_at, bounced_at, unsubscribed_at',
      `case when n % 3 > 0 then ${created} end, case when n % 9 = 0 then ${created} end, case when n % 9 = 1 then ${created} end, case when n % 9 = 2 then ${created} end`,
    ],
  ])
    await door.sql(
      `insert into ${table} (group_id, contact_id, created_at, ${columns}) select 1, ${one}, ${created}, ${values} from generate_series(1, ?) n, (${contacts}) c`,
      [many],
    );
  await door.sql('vacuum analyze');
});

// biome-ignore lint/suspicious/noExplicitAny: a plan is a tree of JSON
type Plan = any;

/** The nodes of a plan. */
const listNodes = (plan: Plan): Plan[] => [plan, ...(plan.Plans ?? []).flatMap(listNodes)];

/** The plan of a recorded statement for any values, which is what the pool of readers makes. */
const explain = ({ sql, bindings }: Recorded): Promise<Plan[]> =>
  door.database.readers.knex.transaction(async (transaction) => {
    const values = bindings.map((value) =>
      value === null ? 'null' : `'${Array.isArray(value) ? `{${value}}` : value}'`,
    );
    await transaction.raw(`prepare page as ${sql}`);
    const { rows } = await transaction.raw(`explain (format json) execute page(${values.join(', ')})`);
    await transaction.raw('deallocate page');
    return listNodes(rows[0]['QUERY PLAN'][0].Plan);
  });

describe.each(['transactions', 'donations', 'memberships', 'notes', 'interactions', 'emails'])('%s', (name) => {
  const { list } = nouns[name]!;

  it.each<[field: string, direction: 'asc' | 'desc']>(
    list.indexed.flatMap((field: string) => [
      [field, 'asc'],
      [field, 'desc'],
    ]),
  )('by %s %s are read from an index, on the pool for short statements', async (field, direction) => {
    const orderBy = { field, direction };
    const first = await list.readPage(space, { first: 20, orderBy });
    const middle = (await list.readPage(space, { first: 500, orderBy })).rows.at(-1).position;
    expect(first.rows).toHaveLength(20);
    for (const page of [{ first: 20 }, { last: 20 }, { first: 20, after: middle }, { last: 20, before: middle }]) {
      const [statement, ...others] = await door.recorded(() => list.readPage(space, { ...page, orderBy }));
      expect(others).toEqual([]);
      const nodes = await explain(statement!);
      const types = nodes.map((node) => node['Node Type']);
      expect(types.filter((type) => ['Seq Scan', 'Hash', 'Materialize'].includes(type))).toEqual([]);
      // The planner knows that the page is short, before it knows the values.
      expect(nodes[0]['Plan Rows']).toBeLessThan(100);
      // A sort may only order the few records that share a date, or those without one.
      for (const sort of nodes.filter((node) => node['Node Type'] === 'Sort'))
        expect(sort['Plan Rows']).toBeLessThan(many / 2);
    }
  });

  it.each<[field: string, direction: 'asc' | 'desc']>([
    ['id', 'asc'],
    ['id', 'desc'],
    ['createdAt', 'desc'],
  ])('of contacts by %s %s, their counts and totals, are read by the contact', async (field, direction) => {
    const found = await door.sql(
      'select id from contacts where group_id = 1 and deleted_at is null order by id limit 50',
    );
    const parents = { parent: 'contactId', ids: found.map(({ id }) => id) };
    const reads = [
      () => list.readPagesOf(space, { ...parents, first: 20, orderBy: { field, direction } }),
      () => list.readPagesOf(space, { ...parents, last: 5, orderBy: { field, direction } }),
      () => list.countOf(space, parents),
      () => list.readTotalsOf(space, { ...parents, groupBy: 'YEAR', of: 'createdAt' }),
    ];
    for (const read of reads) {
      const [statement, ...others] = await door.recorded(read);
      expect(others).toEqual([]);
      const nodes = await explain(statement!);
      const scans = nodes.filter(
        (node) => node['Relation Name'] === name || String(node['Index Name']).startsWith(name),
      );
      expect(scans.length).toBeGreaterThan(0);
      // PostgreSQL 18 may skip through an index that has another column first; each look names the contact.
      const looks = scans.filter((node) => node['Index Name']).map((node) => node['Index Cond']);
      expect(looks.length).toBeGreaterThan(0);
      for (const look of looks) expect(look).toContain('contact_id');
    }
  });
});

/** The nodes of the plan of a page with a filter, for its values, which is what the pool of searches makes; it is run, too. */
const explainFiltered = async (list: Plan, options: object): Promise<Plan[]> => {
  const [page] = await door.recorded(() => list.readPage(space, { first: 20, ...options }));
  const values = page!.bindings.map((value) => `'${value}'`);
  const text = page!.sql.replace(/\$(\d+)/g, (_, place) => values[place - 1]!);
  const [explained] = await door.sql(`explain (analyze, format json) ${text}`);
  return listNodes(explained!['QUERY PLAN'][0].Plan);
};

it('an index by date is not read to its end for the many e-mails of a campaign that stand there', async () => {
  const [campaign] = await door.sql(`insert into campaigns (group_id, name) values (1, 'Old') returning id`);
  await door.sql(
    `insert into emails (group_id, contact_id, campaign_id, created_at)
     select 1, (select min(id) from contacts where group_id = 1 and deleted_at is null), case when n <= ${2 * many} then cast(? as bigint) end,
       case when n <= ${2 * many} then timestamptz '2010-01-01Z' else timestamptz '2020-01-01Z' end from generate_series(1, ${6 * many}) n`,
    [campaign!.id],
  );
  await door.sql('vacuum analyze emails');
  const filter = { campaignId: { equals: campaign!.id } };
  const orderBy = { field: 'createdAt', direction: 'desc' };
  const { list } = nouns.emails!;
  const nodes = await explainFiltered(list, { filter, orderBy });
  const scans = nodes.filter((node) => node['Index Name'] === 'emails_created');
  expect(scans.length).toBeGreaterThan(0);
  for (const scan of scans)
    expect(scan['Actual Rows'] + (scan['Rows Removed by Filter'] ?? 0)).toBeLessThanOrEqual(many);
  const { rows } = await list.readPage(space, { filter, orderBy, first: 20 });
  expect(rows.map(({ row }: Plan) => row.campaign_id)).toEqual(Array(20).fill(campaign!.id));
});

it.each([
  ['notes', 'content', { contains: 'Zürich' }],
  ['notes', 'content', { startsWith: 'Zürich' }],
  ['interactions', 'title', { contains: 'Zürich' }],
  ['interactions', 'comments', { startsWith: 'Zü' }],
])('the %s with a rare text in %s (%o) are found by its trigrams', async (name, field, condition) => {
  const nodes = await explainFiltered(nouns[name]!.list, { filter: { [field]: condition } });
  expect(nodes.map((node) => node['Index Name'])).toContain(`${name}_${field}`);
});

it.each([
  ['first contacts', { after: -1, before: null, backwards: false }],
  ['last contacts', { after: -1, before: null, backwards: true }],
  ['contacts between two', { after: 100, before: 4000, backwards: false }],
])('the %s are read from an index, by a plan that knows that they are few', async (_, bounds) => {
  const [statement] = await door.recorded(() => readContactPage(space, { ...bounds, limit: 21 }));
  const nodes = await explain(statement!);
  expect(nodes.map((node) => node['Node Type'])).toEqual(expect.arrayContaining(['Index Scan']));
  expect(nodes.filter((node) => /Sort|Gather|Bitmap|Seq/.test(node['Node Type']))).toEqual([]);
  // A tenth of the inner limit, since the outer one is not known.
  expect(nodes[0]['Plan Rows']).toBeLessThanOrEqual(101);
});
