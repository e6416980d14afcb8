// Payments: a transaction with the donations and memberships that it pays, all or nothing, for whichever contacts.
import { beforeAll, describe, expect, it } from 'vitest';
import { type Door, type Json, openApp } from '../harness/app.ts';
import { buildCondition, ids } from './search-query.ts';
import { createRoleToken, fetchRefusal, findUserWithRole, findWrongRows, markOf, runMutation } from './writing.ts';

let door: Door;
let manager: string;
let payer: number;
let child: number;
let settings: Json;
let theirs: Json;

const settingsOf = async (space: number): Promise<Json> => {
  const first = async (table: string): Promise<number> =>
    (await door.sql(`select min(id) as id from ${table} where group_id = ? and deleted_at is null`, [space]))[0].id;
  return {
    contact: await first('contacts'),
    status: await first('transaction_statuses'),
    donationPrice: await first('donation_prices'),
    membershipPrice: await first('membership_prices'),
  };
};

beforeAll(async () => {
  door = await openApp();
  manager = await createRoleToken(door, 'manager');
  [settings, theirs] = [await settingsOf(1), await settingsOf(2)];
  payer = (await runMutation(door, 'createContact', { lastName: 'Payer' })).id;
  child = (await runMutation(door, 'createContact', { lastName: 'Child' })).id;
});

const date = '2026-11-21T09:30:00.5Z';
const pay = (input: Json): Promise<Json> =>
  runMutation(door, 'createPayment', { contactId: payer, date, ...input }, manager);
const refused = (input: Json): Promise<Json> =>
  fetchRefusal(door, 'createPayment', { contactId: payer, date, ...input }, manager);
const rows = async (): Promise<Json> =>
  Promise.all(['transactions', 'donations', 'memberships'].map((table) => door.sql(`select count(*) from ${table}`)));

it('a payment writes the transaction and its parts, each on its contact', async () => {
  const before = [await markOf(door, payer), await markOf(door, child)];
  const made = await pay({
    amount: 10_000,
    currency: 'CHF',
    codeCampaign: 'GALA',
    paymentMethodKind: 'check',
    statusId: settings.status,
    donations: [
      { amount: 1500, donationPriceId: settings.donationPrice },
      { amount: 500, contactId: child, currency: 'CHF' },
    ],
    memberships: [
      { amount: 3000, startDate: '2026-01-01', endDate: '2026-12-31', membershipPriceId: settings.membershipPrice },
      { amount: 5000, contactId: child, startDate: '2026-11-21' },
    ],
  });
  const of = { transactionId: made.id, currency: 'CHF', transactionDate: '2026-11-21T09:30:00.5Z' };
  expect(made).toMatchObject({
    contactId: payer,
    amount: 10_000,
    currency: 'CHF',
    date: '2026-11-21T09:30:00.5Z',
    codeCampaign: 'GALA',
    paymentMethodKind: 'check',
    statusId: settings.status,
    donations: [
      { ...of, contactId: payer, amount: 1500, donationPriceId: settings.donationPrice },
      { ...of, contactId: child, amount: 500, donationPriceId: null },
    ],
    memberships: [
      {
        ...of,
        contactId: payer,
        amount: 3000,
        startDate: '2026-01-01',
        endDate: '2026-12-31',
        membershipPriceId: settings.membershipPrice,
      },
      { ...of, contactId: child, amount: 5000, startDate: '2026-11-21', endDate: null, membershipPriceId: null },
    ],
  });
  // Each contact is marked once, however many of its records were written.
  const after = [await markOf(door, payer), await markOf(door, child)];
  expect(after.map(({ version }) => version)).toEqual(before.map(({ version }) => version + 1));
  expect(after.map(({ user_id }) => user_id)).toEqual([
    await findUserWithRole(door, 'manager'),
    await findUserWithRole(door, 'manager'),
  ]);
  expect(await findWrongRows(door)).toEqual([]);
});

it('a payment is found by the parts that each contact has of it', async () => {
  const found = async (attribute: string, value: string): Promise<number[]> =>
    (await ids(door, { query: { and: [buildCondition(attribute, 'eql', { value })] } })).filter((id) =>
      [payer, child].includes(id),
    );
  await pay({ amount: 123_456, donations: [{ amount: 123_455, contactId: child }] });
  expect(await found('transactions.amount', '1234.56')).toEqual([payer]);
  expect(await found('donations.amount', '1234.55')).toEqual([child]);
});

it('a payment may have no parts, and parts below its amount', async () => {
  expect(await pay({ amount: 100 })).toMatchObject({ amount: 100, currency: 'EUR', donations: [], memberships: [] });
  expect(await pay({ amount: 100, donations: null, memberships: [], currency: null })).toMatchObject({
    currency: 'EUR',
    donations: [],
  });
  expect(await pay({ amount: 100, donations: [{ amount: 99 }] })).toMatchObject({ donations: [{ amount: 99 }] });
});

it('a payment may be a refund, in full or in part', async () => {
  const made = await pay({
    amount: -500,
    donations: [{ amount: -300 }],
    memberships: [{ amount: -200, startDate: '2026-01-01' }],
  });
  expect([made.donations[0].amount, made.memberships[0].amount]).toEqual([-300, -200]);
});

it.each([
  [{ amount: 99, donations: [{ amount: 60 }, { amount: 40 }] }, '100'],
  [{ amount: 99, donations: [{ amount: 60 }], memberships: [{ amount: 40, startDate: '2026-01-01' }] }, '100'],
  [{ amount: 100, donations: [{ amount: -1 }] }, '-1'],
  [{ amount: -100, donations: [{ amount: -101 }] }, '-101'],
  [{ amount: -100, donations: [{ amount: 1 }] }, '1'],
  [{ amount: 0, donations: [{ amount: 1 }] }, '1'],
  [{ amount: 2 ** 53 - 1, donations: [{ amount: 2 ** 53 - 1 }, { amount: 1 }] }, '9007199254740992'],
])('a payment has no parts above its amount: %j', async (input, sum) => {
  const before = await rows();
  expect(await refused(input)).toMatchObject({
    code: 'invalid-request',
    faults: [`input.amount must cover its donations and memberships, which add up to ${sum}`],
  });
  expect(await rows()).toEqual(before);
});

it.each([
  [
    { donations: [{ amount: 1 }, { amount: 1, currency: 'CHF' }] },
    'input.donations[1].currency must be that of the payment, EUR',
  ],
  [
    { currency: 'CHF', memberships: [{ amount: 1, startDate: '2026-01-01', currency: 'EUR' }] },
    'input.memberships[0].currency must be that of the payment, CHF',
  ],
  [
    { donations: [{ amount: 1, currency: 'chf' }] },
    'input.donations[0].currency must be three capital letters, such as EUR',
  ],
  [{ currency: 'chf' }, 'input.currency must be three capital letters, such as EUR'],
  [
    { memberships: [{ amount: 1, startDate: '2026-02-01', endDate: '2026-01-31' }] },
    'input.memberships[0].endDate must not be before startDate',
  ],
  [{ donations: Array.from({ length: 101 }, () => ({ amount: 1 })) }, 'input.donations must be at most 100'],
  [{ codeCampaign: 'x'.repeat(256) }, 'input.codeCampaign must be at most 255 characters'],
])('a refused payment lists the faults and their places: %#', async (input, fault) => {
  const before = await rows();
  expect(await refused({ amount: 1000, ...input })).toMatchObject({ code: 'invalid-request', faults: [fault] });
  expect(await rows()).toEqual(before);
});

describe('ids that are not in the space', () => {
  it('are reported all at once, and nothing is written', async () => {
    const before = [await rows(), await markOf(door, payer), await markOf(door, child)];
    const { code, message, faults } = await refused({
      amount: 10_000,
      statusId: theirs.status,
      donations: [
        { amount: 1, contactId: child },
        { amount: 1, contactId: theirs.contact, donationPriceId: settings.donationPrice },
        { amount: 1, donationPriceId: theirs.donationPrice },
      ],
      memberships: [
        { amount: 1, startDate: '2026-01-01', contactId: 987_654_321, membershipPriceId: theirs.membershipPrice },
      ],
    });
    expect([code, message]).toEqual(['unprocessable', '5 ids are not in the space, listed in errors']);
    expect(faults).toEqual([
      'input.statusId is not a transaction status of the space',
      'input.donations[1].contactId is not a contact of the space',
      'input.donations[2].donationPriceId is not a donation price of the space',
      'input.memberships[0].contactId is not a contact of the space',
      'input.memberships[0].membershipPriceId is not a membership price of the space',
    ]);
    expect([await rows(), await markOf(door, payer), await markOf(door, child)]).toEqual(before);
  });

  it('get one answer whether they are deleted, of another space, or missing', async () => {
    const gone = (await runMutation(door, 'createContact', { lastName: 'Gone' })).id;
    await runMutation(door, 'deleteContact', { id: gone });
    const answers = [];
    for (const contactId of [gone, theirs.contact, 987_654_321])
      answers.push(
        await refused({ contactId, amount: 1 }),
        await refused({ amount: 1, donations: [{ contactId, amount: 1 }] }),
      );
    const refusals = ['input.contactId', 'input.donations[0].contactId'].map((place) => ({
      code: 'unprocessable',
      message: `${place} is not a contact of the space`,
      faults: [`${place} is not a contact of the space`],
    }));
    expect(answers).toEqual([...refusals, ...refusals, ...refusals]);
  });
});

it('a payment can be written by managers only', async () => {
  for (const role of ['user'])
    expect(
      (
        await fetchRefusal(
          door,
          'createPayment',
          { contactId: payer, amount: 1, date },
          await createRoleToken(door, role),
        )
      ).code,
    ).toBe('forbidden');
});

it('two concurrent payments for each other leave search rows equal to their sources', async () => {
  for (let round = 0; round < 10; round++) {
    const answers = await Promise.all([
      refused({ amount: 10, donations: [{ amount: 10, contactId: child }] }),
      refused({ contactId: child, amount: 20, donations: [{ amount: 20, contactId: payer }] }),
      refused({ contactId: child, amount: 30, donations: [{ amount: 10 }, { amount: 20, contactId: payer }] }),
    ]);
    expect(answers.map(({ message }) => message)).toEqual(Array(3).fill('not refused'));
    expect(await findWrongRows(door)).toEqual([]);
  }
});

it('a payment drops a part that was deleted, or whose contact was', async () => {
  const other = (await runMutation(door, 'createContact', { lastName: 'Other' })).id;
  const made = await pay({
    amount: 30,
    donations: [{ amount: 10 }, { amount: 10, contactId: other }, { amount: 10, contactId: child }],
  });
  await runMutation(door, 'deleteDonation', { id: made.donations[0].id }, manager);
  await runMutation(door, 'deleteContact', { id: other });
  const { body } = await door.graphql(
    `{ contact(id: ${payer}) { transactions { nodes { id: databaseId donations { nodes { id: databaseId contact { databaseId } } } } } } }`,
  );
  expect(body.data.contact.transactions.nodes.find(({ id }: Json) => id === made.id).donations.nodes).toEqual([
    { id: made.donations[2].id, contact: { databaseId: child } },
  ]);
});

describe('what somebody else has paid', () => {
  const readPayer = async (ids: Json, selection: string): Promise<Json> => {
    const { body } = await door.graphql(
      `query ($donation: ID!, $membership: ID!) {
        donation(id: $donation) { amount { amount } transaction { ${selection} } }
        membership(id: $membership) { amount { amount } transaction { ${selection} } } }`,
      ids,
    );
    expect(body.errors).toBeUndefined();
    return [body.data.donation.transaction, body.data.membership.transaction];
  };
  // The first two are written by the database, the last by resolvers.
  const selections = [
    'id',
    'codeCampaign contact { lastName }',
    'codeCampaign contact { lastName timeline(first: 1) { nodes { at } } }',
  ];

  it.each(
    selections,
  )('shows { %s } of the payment until its payer is deleted, and once they are restored', async (selection) => {
    const other = (await runMutation(door, 'createContact', { lastName: 'Other' })).id;
    const made = await pay({
      contactId: other,
      amount: 30,
      codeCampaign: 'GALA',
      donations: [{ amount: 10, contactId: child }],
      memberships: [{ amount: 10, contactId: child, startDate: '2026-01-01' }],
    });
    const ids = { donation: made.donations[0].id, membership: made.memberships[0].id };
    const shown = await readPayer(ids, selection);
    expect(shown).toEqual([expect.anything(), expect.anything()]);
    await runMutation(door, 'deleteContact', { id: other });
    expect(await readPayer(ids, selection)).toEqual([null, null]);
    await runMutation(door, 'restoreContact', { id: other });
    if (!selection.includes('timeline')) expect(await readPayer(ids, selection)).toEqual(shown);
    await runMutation(door, 'deleteTransaction', { id: made.id }, manager);
    expect(await readPayer(ids, selection)).toEqual([expect.anything(), expect.anything()]);
  });
});
