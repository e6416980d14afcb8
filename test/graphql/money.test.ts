// Transactions, donations and memberships written through the graph: what is stored, what is refused, and that searches follow.
import { beforeAll, describe, expect, it } from 'vitest';
import { type Door, type Json, openApp } from '../harness/app.ts';
import {
  createRoleToken,
  fetchRefusal,
  findUserWithRole,
  findWrongRows,
  markOf,
  runMutation,
  sendMutation,
} from './writing.ts';

let door: Door;
let contact: number;
let manager: string;
let own: Json;
let foreign: Json;

const settingsOf = async (space: number): Promise<Json> => {
  const first = async (table: string): Promise<number> =>
    (await door.sql(`select min(id) as id from ${table} where group_id = ? and deleted_at is null`, [space]))[0].id;
  return {
    contact: await first('contacts'),
    statusId: await first('transaction_statuses'),
    donationPriceId: await first('donation_prices'),
    membershipPriceId: await first('membership_prices'),
    transactionId: (
      await door.sql(
        `select min(t.id) as id from transactions t join contacts c on c.group_id = t.group_id and c.id = t.contact_id
          where t.group_id = ? and t.deleted_at is null and c.deleted_at is null`,
        [space],
      )
    )[0].id,
  };
};

beforeAll(async () => {
  door = await openApp();
  manager = await createRoleToken(door, 'manager');
  [own, foreign] = [await settingsOf(1), await settingsOf(2)];
  contact = (await runMutation(door, 'createContact', { lastName: 'Payer' })).id;
});

const families = {
  Transaction: {
    table: 'transactions',
    sent: () => ({
      amount: -1234,
      currency: 'CHF',
      date: '2026-03-04T05:06:07.123456+02:00',
      codeCampaign: 'SPRING',
      paymentMethodKind: 'card',
      statusId: own.statusId,
    }),
    kept: { date: '2026-03-04T03:06:07.123456Z' },
    least: { amount: 100, date: '2026-01-01T00:00:00Z' },
    references: ['statusId'],
    never: ['amount', 'date'],
    clears: ['codeCampaign', 'paymentMethodKind', 'statusId'],
  },
  Donation: {
    table: 'donations',
    sent: () => ({
      amount: 5000,
      currency: 'CHF',
      transactionDate: '2026-03-04T05:06:07Z',
      transactionId: own.transactionId,
      donationPriceId: own.donationPriceId,
    }),
    kept: {},
    least: { amount: 100, transactionDate: '2026-01-01T00:00:00Z' },
    references: ['transactionId', 'donationPriceId'],
    never: ['amount', 'transactionDate'],
    clears: ['transactionId', 'donationPriceId'],
  },
  Membership: {
    table: 'memberships',
    sent: () => ({
      amount: 3000,
      currency: 'CHF',
      startDate: '2026-01-01',
      endDate: '2026-01-01',
      transactionDate: '2025-12-31T23:59:59Z',
      transactionId: own.transactionId,
      membershipPriceId: own.membershipPriceId,
    }),
    kept: {},
    least: { amount: 100, startDate: '2026-01-01' },
    references: ['transactionId', 'membershipPriceId'],
    never: ['amount', 'startDate'],
    clears: ['endDate', 'transactionDate', 'transactionId', 'membershipPriceId'],
  },
};
const tables: Record<string, string> = {
  statusId: 'transaction_statuses',
  donationPriceId: 'donation_prices',
  membershipPriceId: 'membership_prices',
  transactionId: 'transactions',
};
const nouns: Record<string, string> = {
  statusId: 'transaction status',
  donationPriceId: 'donation price',
  membershipPriceId: 'membership price',
  transactionId: 'transaction',
};

describe.each(Object.entries(families))('%s', (type, { table, sent, kept, least, references, never, clears }) => {
  const noun = type.toLowerCase();
  const create = (input: Json, contactId = contact): Promise<Json> =>
    runMutation(door, `create${type}`, { contactId, ...input }, manager);
  const listed = async (of = contact): Promise<number[]> =>
    (await door.graphql(`{ contact(id: ${of}) { ${table} { nodes { id: databaseId } } } }`)).body.data.contact[
      table
    ].nodes.map(({ id }: Json) => id);

  it('stores every field, and marks the contact as changed by the user', async () => {
    const before = await markOf(door, contact);
    const made = await create(sent());
    expect(made).toMatchObject({ ...sent(), ...kept, contactId: contact });
    const after = await markOf(door, contact);
    expect(after.version).toBe(before.version + 1);
    expect(after.lastchange > before.lastchange).toBe(true);
    expect(after.user_id).toBe(await findUserWithRole(door, 'manager'));
    expect(await listed()).toContain(made.id);
    expect(await findWrongRows(door)).toEqual([]);
  });

  it('is in euros by default, and has nothing else that is not required', async () => {
    const made = await create(least);
    expect(made).toMatchObject({
      ...least,
      currency: 'EUR',
      ...Object.fromEntries(clears.map((name) => [name, null])),
    });
  });

  it('changes the named fields, and nothing else; null clears', async () => {
    const made = await create(sent());
    const before = await markOf(door, contact);
    const changed = await runMutation(door, `update${type}`, { id: made.id, amount: 77 }, manager);
    expect(changed).toEqual({ ...made, amount: 77, updatedAt: changed.updatedAt });
    expect(changed.updatedAt > made.updatedAt).toBe(true);
    expect((await markOf(door, contact)).version).toBe(before.version + 1);
    const nothing = Object.fromEntries([...clears, 'currency'].map((name) => [name, null]));
    const cleared = await runMutation(door, `update${type}`, { id: made.id, ...nothing }, manager);
    expect(cleared).toMatchObject({ ...nothing, currency: 'EUR', amount: 77 });
    expect(await findWrongRows(door)).toEqual([]);
  });

  it('is missing after its deletion: on its contact, for changes, and for another deletion', async () => {
    const { id } = await create(least);
    const before = await markOf(door, contact);
    expect(await runMutation(door, `delete${type}`, { id }, manager)).toEqual({ id, deletedId: `${type}:${id}` });
    expect((await markOf(door, contact)).version).toBe(before.version + 1);
    expect(await listed()).not.toContain(id);
    const missing = { code: 'not-found', message: `There is no ${noun} ${id}`, faults: undefined };
    expect(await fetchRefusal(door, `delete${type}`, { id }, manager)).toEqual(missing);
    expect(await fetchRefusal(door, `update${type}`, { id, amount: 1 }, manager)).toEqual(missing);
    expect((await door.sql(`select deleted_at from ${table} where id = ?`, [id]))[0].deleted_at).not.toBeNull();
    expect((await markOf(door, contact)).version).toBe(before.version + 1);
    expect(await findWrongRows(door)).toEqual([]);
  });

  it('is missing in another space, and on a deleted contact', async () => {
    const [{ id: theirs }] = await door.sql(
      `select min(id) as id from ${table} where group_id = 2 and deleted_at is null`,
    );
    const gone = (await runMutation(door, 'createContact', { lastName: 'Gone' })).id;
    const { id: orphan } = await create(least, gone);
    await runMutation(door, 'deleteContact', { id: gone });
    for (const id of [theirs, orphan, 987_654_321]) {
      const missing = { code: 'not-found', message: `There is no ${noun} ${id}`, faults: undefined };
      expect(await fetchRefusal(door, `update${type}`, { id, amount: 1 }, manager)).toEqual(missing);
      expect(await fetchRefusal(door, `delete${type}`, { id }, manager)).toEqual(missing);
    }
    for (const contactId of [foreign.contact, gone, 987_654_321])
      expect(await fetchRefusal(door, `create${type}`, { contactId, ...least }, manager)).toEqual({
        code: 'not-found',
        message: `There is no contact ${contactId}`,
        faults: undefined,
      });
  });

  it.each(
    references,
  )('accepts as %s only a living one of the space, and keeps one that is deleted later', async (name) => {
    const { id } = await create(least);
    const rows = await door.sql(`select count(*) from ${table}`);
    const [{ id: deleted }] = await door.sql(
      `insert into ${tables[name]} select (jsonb_populate_record(t, jsonb_build_object('id', (select max(id) + 1000 from ${tables[name]}), 'deleted_at', now()))).* from ${tables[name]} t
        where t.id = ? returning id`,
      [own[name]],
    );
    for (const value of [foreign[name], deleted, 987_654_321]) {
      const message = `input.${name} is not a ${nouns[name]} of the space`;
      const refused = { code: 'unprocessable', message, faults: [message] };
      expect(
        await fetchRefusal(door, `create${type}`, { contactId: contact, ...least, [name]: value }, manager),
      ).toEqual(refused);
      expect(await fetchRefusal(door, `update${type}`, { id, amount: 9, [name]: value }, manager)).toEqual(refused);
    }
    expect(await door.sql(`select count(*) from ${table}`)).toEqual(rows);
    expect((await door.sql(`select amount from ${table} where id = ?`, [id]))[0].amount).toBe(least.amount);
    await door.sql(`update ${tables[name]} set deleted_at = null where id = ?`, [deleted]);
    const pointing = { id, [name]: deleted };
    await runMutation(door, `update${type}`, pointing, manager);
    await door.sql(`update ${tables[name]} set deleted_at = now() where id = ?`, [deleted]);
    // Clients send whole records back: a reference that it has already is not a change.
    expect(await runMutation(door, `update${type}`, pointing, manager)).toMatchObject({ id, [name]: deleted });
    expect(
      (await fetchRefusal(door, `create${type}`, { contactId: contact, ...least, [name]: deleted }, manager)).code,
    ).toBe('unprocessable');
  });

  it.each(never)('has %s for ever, and from the start', async (name) => {
    const { id } = await create(least);
    expect(await fetchRefusal(door, `update${type}`, { id, [name]: null }, manager)).toMatchObject({
      code: 'invalid-request',
      faults: [`input.${name} must not be null`],
    });
    const without = { contactId: contact, ...least, [name]: undefined };
    expect(await fetchRefusal(door, `create${type}`, without, manager)).toMatchObject({
      code: 'invalid-request',
      faults: [`input.${name} is required`],
    });
  });

  it.each(['eur', 'EU', 'EURO', '€', '', 'E R'])('refuses the currency %j', async (currency) => {
    const fault = { code: 'invalid-request', faults: ['input.currency must be three capital letters, such as EUR'] };
    expect(
      await fetchRefusal(door, `create${type}`, { contactId: contact, ...least, currency }, manager),
    ).toMatchObject(fault);
    const { id } = await create(least);
    expect(await fetchRefusal(door, `update${type}`, { id, currency }, manager)).toMatchObject(fault);
  });

  it.each([1.5, '100', 2 ** 53, null])('refuses the amount %j', async (amount) => {
    const { body } = await sendMutation(door, `create${type}`, { contactId: contact, ...least, amount }, manager);
    expect(body.errors[0].message).toContain('input.amount');
  });

  it('keeps the largest amounts, positive and negative', async () => {
    for (const amount of [Number.MAX_SAFE_INTEGER, -Number.MAX_SAFE_INTEGER]) {
      const { id, ...made } = await create({ ...least, amount });
      expect(made.amount).toBe(amount);
      await runMutation(door, `delete${type}`, { id }, manager);
    }
  });

  it('can be written by managers and above', async () => {
    const { id } = await create(least);
    for (const role of ['user']) {
      const token = await createRoleToken(door, role);
      for (const [name, args] of [
        [`create${type}`, { contactId: contact, ...least }],
        [`update${type}`, { id, amount: 1 }],
        [`delete${type}`, { id }],
      ] as const)
        expect((await fetchRefusal(door, name, args, token)).code).toBe('forbidden');
    }
    expect(
      await runMutation(door, `update${type}`, { id, amount: 1 }, await createRoleToken(door, 'admin')),
    ).toMatchObject({
      amount: 1,
    });
  });

  it('is ordered by id, and read with one statement for many contacts', async () => {
    const other = (await runMutation(door, 'createContact', { lastName: 'Other' })).id;
    const made = [await create(least, other), await create(least, other), await create(least, other)].map(
      ({ id }) => id,
    );
    await runMutation(door, `update${type}`, { id: made[0], amount: 5 }, manager);
    expect(await listed(other)).toEqual(made);
    const statements = await door.statements(() =>
      door.graphql(`{ contacts(first: 300) { nodes { id: databaseId ${table} { nodes { id: databaseId } } } } }`),
    );
    expect(statements.filter((sql) => sql.includes(`from ${table} `))).toHaveLength(1);
  });
});
