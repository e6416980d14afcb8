// The settings lists written through the graph: price groups with their prices, donation prices, transaction statuses.
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, describe, expect, it } from 'vitest';
import { membershipPrices } from '../../src/data/money/settings.ts';
import { type Door, type Json, openApp } from '../harness/app.ts';
import { flattenConnections } from '../harness/plain-lists.ts';
import { createRoleToken, fetchRefusal, runMutation } from './writing.ts';

let door: Door;
let admin: string;
let group: number;
beforeAll(async () => {
  door = await openApp();
  admin = await createRoleToken(door, 'admin');
  group = (await runMutation(door, 'createMembershipPriceGroup', { name: 'Usual' }, admin)).id;
});

/** The ids of all items of a list. REST and the graph must both return them. */
const listed = async (list: string, path: string): Promise<number[]> => {
  const { body } = await door.graphql(`{ ${list}(first: 1000) { totalCount nodes { id: databaseId } } }`);
  const items = body.data[list].nodes.map(({ id }: Json) => id);
  expect(body.data[list].totalCount).toBe(items.length);
  expect((await door.rest('GET', `/v1/${path}?limit=1000`)).body.data.map(({ id }: Json) => id)).toEqual(items);
  return items;
};

const price = { name: 'Reduced', amount: 1234, currency: 'CHF', allowCustomAmount: true, hidden: true, kind: 'k' };
const cases = {
  MembershipPriceGroup: {
    noun: 'membership price group',
    table: 'membership_price_groups',
    list: () => listed('membershipPriceGroups', 'membership_price_groups'),
    sent: () => ({ name: 'Families', hidden: true }),
    least: () => ({ name: 'x' }),
    defaults: { hidden: false },
    never: ['name'],
  },
  MembershipPrice: {
    noun: 'membership price',
    table: 'membership_prices',
    list: async () =>
      (await door.rest('GET', '/v1/membership_price_groups?limit=1000')).body.data.flatMap(
        ({ membership_prices }: Json): number[] => membership_prices.map(({ id }: Json) => id),
      ),
    sent: () => ({ ...price, membershipPriceGroupId: group, duration: 'year', rollingPeriod: 'month' }),
    least: () => ({ name: 'x', amount: 0, membershipPriceGroupId: group }),
    defaults: {
      currency: 'EUR',
      allowCustomAmount: false,
      hidden: false,
      kind: null,
      duration: null,
      rollingPeriod: null,
    },
    never: ['name', 'amount', 'membershipPriceGroupId'],
  },
  DonationPrice: {
    noun: 'donation price',
    table: 'donation_prices',
    list: () => listed('donationPrices', 'donation_prices'),
    sent: () => price,
    least: () => ({ name: 'x', amount: 0 }),
    defaults: { currency: 'EUR', allowCustomAmount: false, hidden: false, kind: null },
    never: ['name', 'amount'],
  },
  TransactionStatus: {
    noun: 'transaction status',
    table: 'transaction_statuses',
    list: () => listed('transactionStatuses', 'transaction_statuses'),
    sent: () => ({ name: 'Paid', color: '#0a0', kind: 'paid', archived: true }),
    least: () => ({ name: 'x' }),
    defaults: { color: null, kind: null, archived: false },
    never: ['name'],
  },
};

describe.each(Object.entries(cases))('%s', (type, { noun, table, list, sent, least, defaults, never }) => {
  const create = (input: Json): Promise<Json> => runMutation(door, `create${type}`, input, admin);

  it('is listed with every field sent, changed by the named fields, and missing once it is deleted', async () => {
    const made = await create(sent());
    expect(made).toMatchObject(sent());
    expect(await list()).toContain(made.id);
    const changed = await runMutation(door, `update${type}`, { id: made.id, name: 'Renamed' }, admin);
    expect(changed).toEqual({ ...made, name: 'Renamed', updatedAt: changed.updatedAt });
    const cleared = Object.fromEntries(Object.keys(defaults).map((name) => [name, null]));
    expect(await runMutation(door, `update${type}`, { id: made.id, ...cleared }, admin)).toMatchObject({
      name: 'Renamed',
      ...defaults,
    });
    const deletion = await runMutation(door, `delete${type}`, { id: made.id }, admin);
    expect(deletion).toEqual({ id: made.id, deletedId: `${type}:${made.id}` });
    expect(await list()).not.toContain(made.id);
    const missing = { code: 'not-found', message: `There is no ${noun} ${made.id}`, faults: undefined };
    expect(await fetchRefusal(door, `delete${type}`, { id: made.id }, admin)).toEqual(missing);
    expect(await fetchRefusal(door, `update${type}`, { id: made.id, name: 'y' }, admin)).toEqual(missing);
    expect((await door.sql(`select deleted_at from ${table} where id = ?`, [made.id]))[0].deleted_at).not.toBeNull();
  });

  it('has its defaults when only required fields are sent', async () => {
    expect(await create(least())).toMatchObject({ ...least(), ...defaults });
  });

  it.each(never)('always has %s', async (name) => {
    const { id } = await create(least());
    expect((await fetchRefusal(door, `update${type}`, { id, [name]: null }, admin)).faults).toEqual([
      `input.${name} must not be null`,
    ]);
    const without = { ...least(), [name]: undefined };
    expect((await fetchRefusal(door, `create${type}`, without, admin)).faults).toEqual([`input.${name} is required`]);
  });

  it.each([
    ['', 'must not be blank'],
    [' \t', 'must not be blank'],
    ['x'.repeat(256), 'must be at most 255 characters'],
    ['a\u0000', 'must not contain U+0000 or a lone surrogate'],
  ])('refuses the name %j', async (name, message) => {
    const faults = [`input.name ${message}`];
    expect(await fetchRefusal(door, `create${type}`, { ...least(), name }, admin)).toMatchObject({
      code: 'invalid-request',
      faults,
    });
    const { id } = await create(least());
    expect(await fetchRefusal(door, `update${type}`, { id, name }, admin)).toMatchObject({ faults });
  });

  it('is missing in another space', async () => {
    const [{ id }] = await door.sql(`select min(id) as id from ${table} where group_id = 2`);
    const missing = { code: 'not-found', message: `There is no ${noun} ${id}` };
    expect(await fetchRefusal(door, `update${type}`, { id, name: 'x' }, admin)).toMatchObject(missing);
    expect(await fetchRefusal(door, `delete${type}`, { id }, admin)).toMatchObject(missing);
  });

  it.each(['manager', 'user', 'custom'])('cannot be written by a %s', async (role) => {
    const { id } = await create(least());
    const token = await createRoleToken(door, role);
    for (const [name, args] of [
      [`create${type}`, least()],
      [`update${type}`, { id, name: 'y' }],
      [`delete${type}`, { id }],
    ] as const)
      expect((await fetchRefusal(door, name, args, token)).code).toBe('forbidden');
  });
});

describe('prices', () => {
  it.each(['MembershipPrice', 'DonationPrice'] as const)('%s cannot be negative, and has a currency', async (type) => {
    const least = cases[type].least();
    const { id } = await runMutation(door, `create${type}`, least, admin);
    for (const [input, fault] of [
      [{ amount: -1 }, 'input.amount must be at least 0'],
      [{ currency: 'eur' }, 'input.currency must be three capital letters, such as EUR'],
    ] as const) {
      expect((await fetchRefusal(door, `create${type}`, { ...least, ...input }, admin)).faults).toEqual([fault]);
      expect((await fetchRefusal(door, `update${type}`, { id, ...input }, admin)).faults).toEqual([fault]);
    }
  });

  it('belong to a living group of the space', async () => {
    const [{ id: theirs }] = await door.sql('select min(id) as id from membership_price_groups where group_id = 2');
    const { id: gone } = await runMutation(door, 'createMembershipPriceGroup', { name: 'gone' }, admin);
    await runMutation(door, 'deleteMembershipPriceGroup', { id: gone }, admin);
    const { id } = await runMutation(door, 'createMembershipPrice', cases.MembershipPrice.least(), admin);
    for (const membershipPriceGroupId of [theirs, gone, 987_654_321]) {
      const fault = 'input.membershipPriceGroupId is not a membership price group of the space';
      const refused = { code: 'unprocessable', message: fault, faults: [fault] };
      const input = { name: 'x', amount: 1, membershipPriceGroupId };
      expect(await fetchRefusal(door, 'createMembershipPrice', input, admin)).toEqual(refused);
      expect(await fetchRefusal(door, 'updateMembershipPrice', { id, ...input }, admin)).toEqual(refused);
    }
    const { id: other } = await runMutation(door, 'createMembershipPriceGroup', { name: 'Other' }, admin);
    expect(
      await runMutation(door, 'updateMembershipPrice', { id, membershipPriceGroupId: other }, admin),
    ).toMatchObject({
      membershipPriceGroupId: other,
      name: 'x',
    });
  });
});

describe('a price group', () => {
  const groupOf = async (count: number): Promise<{ id: number; prices: number[] }> => {
    const { id } = await runMutation(door, 'createMembershipPriceGroup', { name: 'Group' }, admin);
    const prices = [];
    for (let price = 0; price < count; price++)
      prices.push(
        (await runMutation(door, 'createMembershipPrice', { name: 'p', amount: 1, membershipPriceGroupId: id }, admin))
          .id,
      );
    return { id, prices };
  };

  it('is deleted with its own prices, and no others', async () => {
    const [gone, kept] = [await groupOf(2), await groupOf(1)];
    await runMutation(door, 'deleteMembershipPriceGroup', { id: gone.id }, admin);
    const alive = await cases.MembershipPrice.list();
    expect([...gone.prices, ...kept.prices].filter((id) => alive.includes(id))).toEqual(kept.prices);
    for (const id of gone.prices)
      expect((await fetchRefusal(door, 'deleteMembershipPrice', { id }, admin)).message).toBe(
        `There is no membership price ${id}`,
      );
  });

  it('waits, when it is deleted, for a concurrent new price, and deletes that too', async () => {
    const { id } = await groupOf(1);
    let deletion: Promise<Json> | undefined;
    const { id: late } = await door.database.space(1).transaction(async (tx) => {
      const made = await membershipPrices.create(tx, 1, { name: 'late', amount: 1, membershipPriceGroupId: id });
      deletion = fetchRefusal(door, 'deleteMembershipPriceGroup', { id }, admin);
      await Promise.race([deletion, sleep(300)]);
      return made;
    });
    expect((await deletion).code).toBeUndefined();
    expect(
      (await door.sql('select deleted_at from membership_prices where id = ?', [late]))[0].deleted_at,
    ).not.toBeNull();
  });

  it('has no living price after it was deleted while others added some', async () => {
    for (let round = 0; round < 5; round++) {
      const { id } = await groupOf(1);
      const input = { name: 'late', amount: 1, membershipPriceGroupId: id };
      const [deletion, ...others] = await Promise.all([
        fetchRefusal(door, 'deleteMembershipPriceGroup', { id }, admin),
        ...[0, 1, 2].map(() => fetchRefusal(door, 'createMembershipPrice', input, admin)),
      ]);
      expect(deletion.code).toBeUndefined();
      for (const { code } of others) expect([undefined, 'unprocessable']).toContain(code);
      const living = 'select id from membership_prices where membership_price_group_id = ? and deleted_at is null';
      expect(await door.sql(living, [id])).toEqual([]);
    }
  });
});

it('a deleted setting stays on the records that refer to it', async () => {
  const { id: contactId } = await runMutation(door, 'createContact', { lastName: 'Old' });
  const { id: groupId } = await runMutation(door, 'createMembershipPriceGroup', { name: 'Old' }, admin);
  const input = { name: 'Old price', amount: 1, membershipPriceGroupId: groupId };
  const [status, donationPrice, membershipPrice] = [
    await runMutation(door, 'createTransactionStatus', { name: 'Old status' }, admin),
    await runMutation(door, 'createDonationPrice', { name: 'Old price', amount: 1 }, admin),
    await runMutation(door, 'createMembershipPrice', input, admin),
  ];
  await runMutation(door, 'createPayment', {
    contactId,
    amount: 2,
    date: '2026-01-01T00:00:00Z',
    statusId: status.id,
    donations: [{ amount: 1, donationPriceId: donationPrice.id }],
    memberships: [{ amount: 1, startDate: '2026-01-01', membershipPriceId: membershipPrice.id }],
  });
  await runMutation(door, 'deleteTransactionStatus', { id: status.id }, admin);
  await runMutation(door, 'deleteDonationPrice', { id: donationPrice.id }, admin);
  await runMutation(door, 'deleteMembershipPriceGroup', { id: groupId }, admin);
  const { body } = await door.graphql(`{ contact(id: ${contactId}) {
    transactions { nodes { status { databaseId name } } } donations { nodes { donationPrice { name } } } memberships { nodes { membershipPrice { name } } } } }`);
  expect(flattenConnections(body.data.contact)).toEqual({
    transactions: [{ status: { databaseId: status.id, name: 'Old status' } }],
    donations: [{ donationPrice: { name: 'Old price' } }],
    memberships: [{ membershipPrice: { name: 'Old price' } }],
  });
});
