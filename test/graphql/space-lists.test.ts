// Lists of the space that are no records of contacts, over GraphQL: pages in both directions, filters, enums, totals, roles, and what is not shown.
import { beforeAll, describe, expect, it } from 'vitest';
import { type Door, type Json, openApp } from '../harness/app.ts';
import { drawSample } from '../harness/sizes.ts';
import { createRoleToken } from './writing.ts';

let door: Door;

/** The root fields with their types, and SQL of the ids of their records. */
const living = (table: string): string => `select id from ${table} where group_id = 1 and deleted_at is null`;
const lists: Record<string, [type: string, sql: string]> = {
  tags: ['Tag', 'select id from tags where group_id = 1'],
  actions: ['Action', living('actions')],
  campaigns: ['Campaign', living('campaigns')],
  templates: ['Template', living('templates')],
  imports: ['Import', 'select id from imports where group_id = 1'],
  invitations: ['Invitation', living('invitations')],
  teams: ['Team', living('teams')],
  users: [
    'User',
    'select u.id from users u join members m on m.user_id = u.id where m.group_id = 1 and u.deleted_at is null',
  ],
  forms: ['Form', living('forms')],
  membershipPriceGroups: ['MembershipPriceGroup', living('membership_price_groups')],
  donationPrices: ['DonationPrice', living('donation_prices')],
  transactionStatuses: ['TransactionStatus', living('transaction_statuses')],
  answers: [
    'Answer',
    `select a.id from answers a join forms f on f.group_id = 1 and f.id = a.form_id and f.deleted_at is null
       join contacts c on c.group_id = 1 and c.id = a.contact_id and c.deleted_at is null where a.group_id = 1`,
  ],
};
const names = Object.keys(lists);

beforeAll(async () => {
  door = await openApp();
  for (const space of [1, 2]) {
    // Ties in every order, and records without a value.
    const instant = `timestamptz '2026-01-01' + n % 4 * interval '1 day'`;
    const rows: Record<string, [columns: string, values: string]> = {
      tags: ['name, color, created_at', `'tag ' || n % 7 || '-' || n, case when n % 2 = 0 then 'red' end, ${instant}`],
      actions: ['name, starts_at', `'Action ' || n % 3, case when n % 2 = 0 then ${instant} end`],
      campaigns: [
        'name, sent_at, performance_rating',
        `'Été ' || n % 3, case when n % 2 = 0 then ${instant} end, case when n % 3 = 0 then n % 2 end`,
      ],
      templates: ['name, created_at', `'template ' || n % 3, ${instant}`],
      imports: ['name, fingerprint, created_at', `'import ' || n % 3, '', ${instant}`],
      invitations: [
        'email, role_id, last_sent',
        `'guest-' || n || '@example.org', (select min(id) from roles where group_id = ${space}), ${instant}`,
      ],
      teams: ['name, created_at', `'team ' || n % 3, ${instant}`],
      forms: ['kind, label, type', `case when n % 2 = 0 then 'survey' else 'tasks' end, 'question ' || n, 'text'`],
      membership_price_groups: ['name, hidden', `'group ' || n % 3, n % 2 = 0`],
      donation_prices: ['name, amount', `'price ' || n % 3, n % 4`],
      transaction_statuses: ['name, kind', `'status ' || n % 3, case when n % 2 = 0 then 'kind' end`],
    };
    for (const [table, [columns, values]] of Object.entries(rows))
      await door.sql(
        `insert into ${table} (group_id, ${columns}) select ${space}, ${values} from generate_series(1, 40) n`,
      );
  }
});

const ask = async (list: string, args: Json, selection: string, token?: string) => {
  const [type] = lists[list]!;
  return door.graphql(
    `query ($filter: ${type}Filter, $orderBy: ${type}Order, $first: Int, $last: Int, $after: String, $before: String) {
      ${list}(filter: $filter, orderBy: $orderBy, first: $first, last: $last, after: $after, before: $before) { ${selection} } }`,
    args,
    token,
  );
};
const page = async (list: string, args: Json = {}, selection?: string): Promise<Json> => {
  const whole =
    'totalCount edges { cursor node { id } } nodes { id } pageInfo { hasNextPage hasPreviousPage startCursor endCursor }';
  const { body } = await ask(list, args, selection ?? whole);
  if (body.errors) throw new Error(JSON.stringify(body.errors));
  return body.data[list];
};
const idsOf = ({ nodes }: Json): string[] => nodes.map(({ id }: Json) => id);
const stored = async (list: string): Promise<string[]> =>
  (await door.sql(lists[list]![1])).map(({ id }) => `${lists[list]![0]}:${id}`).sort();

describe.each(drawSample(names, { small: 8 }))('%s', (list) => {
  const [type] = lists[list]!;

  it('are read once each in every order, forwards and backwards', async () => {
    const due = await stored(list);
    const { body } = await door.graphql(`{ __type(name: "${type}OrderField") { enumValues { name } } }`);
    const orders: string[] = body.data.__type.enumValues.map(({ name }: Json) => name);
    expect(orders).toContain('ID');
    const size = Math.ceil(due.length / 3.5);
    for (const orderBy of orders.flatMap((field) => ['ASC', 'DESC'].map((direction) => ({ field, direction })))) {
      const forwards: string[] = [];
      for (let after: string | null = null, more = true; more; ) {
        const one = await page(list, { orderBy, first: size, after });
        expect([one.totalCount, one.edges.map(({ node }: Json) => node.id)]).toEqual([due.length, idsOf(one)]);
        expect(one.pageInfo.hasPreviousPage).toBe(after !== null);
        forwards.push(...idsOf(one));
        [after, more] = [one.pageInfo.endCursor, one.pageInfo.hasNextPage];
      }
      expect([...forwards].sort()).toEqual(due);
      const backwards: string[] = [];
      for (let before: string | null = null, more = true; more; ) {
        const one = await page(list, { orderBy, last: size + 1, before });
        backwards.unshift(...idsOf(one));
        [before, more] = [one.pageInfo.startCursor, one.pageInfo.hasPreviousPage];
      }
      expect(backwards).toEqual(forwards);
    }
  });

  it('are 20 by id unless the client says more, and a filter finds none of another space', async () => {
    const usual = await page(list);
    expect(usual.nodes).toHaveLength(20);
    const foreign = await door.sql(
      lists[list]![1].replaceAll('group_id = 1', 'group_id = 2').replace(/$/, ' except ') + lists[list]![1],
    );
    expect(foreign.length).toBeGreaterThan(0);
    const theirs = foreign.slice(0, 500).map(({ id }) => `${type}:${id}`);
    const found = await page(list, { first: 1000, filter: { id: { in: [...theirs, idsOf(usual)[0]] } } });
    expect([idsOf(found), found.totalCount]).toEqual([[idsOf(usual)[0]], 1]);
  });

  it('read nothing that is not selected', async () => {
    const count = async (selection: string): Promise<number> =>
      (await door.statements(() => page(list, {}, selection))).filter((sql) => !/enter_gate/.test(sql)).length;
    await count('__typename');
    expect([await count('__typename'), await count('totalCount'), await count('nodes { id }')]).toEqual([0, 1, 1]);
  });
});

describe('enums', () => {
  it('are values of filters, and keys of totals', async () => {
    const { nodes, totalCount } = await page(
      'forms',
      { first: 1000, filter: { kind: { in: ['SURVEY', 'CUSTOM_FIELDS'] }, type: { equals: 'TEXT' } } },
      'totalCount nodes { kind type }',
    );
    expect(new Set(nodes.map(({ kind, type }: Json) => `${kind} ${type}`))).toEqual(
      new Set(['SURVEY TEXT', 'CUSTOM_FIELDS TEXT']),
    );
    const { totals } = await page(
      'forms',
      { filter: { type: { equals: 'TEXT' } } },
      'totals(groupBy: KIND) { key count }',
    );
    const of = (key: string): number => totals.find((one: Json) => one.key === key)?.count;
    expect(of('SURVEY') + of('CUSTOM_FIELDS')).toBe(totalCount);
    const admins = await page(
      'users',
      { first: 1000, filter: { roleType: { equals: 'ADMIN' } } },
      'nodes { role { type } }',
    );
    expect(new Set(admins.nodes.map(({ role }: Json) => role.type))).toEqual(new Set(['ADMIN']));
    const answers = await page('answers', { filter: { kind: { equals: 'CUSTOM_FIELDS' } } }, 'nodes { form { kind } }');
    expect(answers.nodes.length).toBeGreaterThan(0);
    expect(answers.nodes.every(({ form }: Json) => form.kind === 'CUSTOM_FIELDS')).toBe(true);
  });

  it('refuse the spelling of legacy clients', async () => {
    const { body } = await ask('forms', { filter: { kind: { equals: 'survey' } } }, 'totalCount');
    expect(body.errors[0].message).toMatch(/SURVEY/);
  });
});

describe('what needs a role', () => {
  it.each(['campaigns', 'templates', 'imports'])('%s', async (list) => {
    const selections = ['totalCount', 'nodes { id }', 'totals(groupBy: YEAR, of: CREATED_AT) { key }', '__typename'];
    const token = await createRoleToken(door, 'user');
    for (const selection of selections) {
      const { body } = await ask(list, {}, selection, token);
      expect([body.errors[0].extensions.code, body.data]).toEqual(['forbidden', null]);
    }
    const [id] = idsOf(await page(list));
    const single = `{ ${list.slice(0, -1)}(id: "${id}") { id } }`;
    expect((await door.graphql(single, {}, token)).body.errors[0].extensions.code).toBe('forbidden');
    expect((await door.graphql(single)).body.data).toEqual({ [list.slice(0, -1)]: { id } });
  });
});

describe('users', () => {
  it('are not found or ordered by what only some callers may see', async () => {
    const { body } = await door.graphql(
      '{ filter: __type(name: "UserFilter") { inputFields { name } } order: __type(name: "UserOrderField") { enumValues { name } } }',
    );
    const fields = body.data.filter.inputFields.map(({ name }: Json) => name);
    for (const name of ['address', 'city', 'postalCode', 'birthDate', 'location', 'twoFactorEnabled'])
      expect(fields).not.toContain(name);
    expect(body.data.order.enumValues.map(({ name }: Json) => name).sort()).toEqual([
      'CREATED_AT',
      'EMAIL',
      'FIRST_NAME',
      'ID',
      'LAST_NAME',
      'UPDATED_AT',
    ]);
  });
});
