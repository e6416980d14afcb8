// Money written through the graph: search rows follow every write, also when two writes run at once.
import { beforeAll, describe, expect, it } from 'vitest';
import { type Door, type Json, openApp } from '../harness/app.ts';
import { buildCondition, ids } from './search-query.ts';
import { fetchRefusal, findWrongRows, runMutation, sendMutation } from './writing.ts';

let door: Door;
let contact: number;
beforeAll(async () => {
  door = await openApp();
  contact = (await runMutation(door, 'createContact', { lastName: 'Payer' })).id;
});

describe('searches find the new values', () => {
  let payer: number;
  const found = async (attribute: string, operator: string, more: Json): Promise<boolean> =>
    (await ids(door, { query: { and: [buildCondition(attribute, operator, more)] } })).includes(payer);
  beforeAll(async () => {
    payer = (await runMutation(door, 'createContact', { lastName: 'Searched' })).id;
  });

  it.each([
    ['Transaction', { date: '2019-05-06T00:00:00Z' }, 'transactions.sum_amount'],
    ['Donation', { transactionDate: '2019-05-06T00:00:00Z' }, 'donations.sum_amount'],
  ])('%s: sums of amounts, after every write', async (type, least, attribute) => {
    const findsSum = (euros: string): Promise<boolean> => found(attribute, 'eql', { value: euros });
    expect(await findsSum('0')).toBe(true);
    const { id } = await runMutation(door, `create${type}`, { contactId: payer, ...least, amount: 1999 });
    expect([await findsSum('0'), await findsSum('19.99')]).toEqual([false, true]);
    await runMutation(door, `create${type}`, { contactId: payer, ...least, amount: -1000 });
    expect(await findsSum('9.99')).toBe(true);
    await runMutation(door, `update${type}`, { id, amount: 2000 });
    expect(await findsSum('10')).toBe(true);
    await runMutation(door, `delete${type}`, { id });
    expect(await findsSum('-10')).toBe(true);
    expect(await findWrongRows(door)).toEqual([]);
  });

  it('Transaction: code and status', async () => {
    const findsCode = (): Promise<boolean> => found('transactions.code_campaign', 'eql', { value: 'only here' });
    const { id } = await runMutation(door, 'createTransaction', {
      contactId: payer,
      amount: 1,
      date: '2026-01-01T00:00:00Z',
      codeCampaign: 'Only Here',
    });
    expect(await findsCode()).toBe(true);
    await runMutation(door, 'updateTransaction', { id, codeCampaign: null });
    expect(await findsCode()).toBe(false);
  });

  it('Membership: its period', async () => {
    const member = (): Promise<boolean> => found('memberships.period', 'eql', { value: '1999' });
    const { id } = await runMutation(door, 'createMembership', {
      contactId: payer,
      amount: 1,
      startDate: '1999-12-31',
      endDate: '2000-12-31',
    });
    expect(await member()).toBe(true);
    await runMutation(door, 'updateMembership', { id, startDate: '2000-01-01' });
    expect(await member()).toBe(false);
    await runMutation(door, 'updateMembership', { id, startDate: '1999-06-01' });
    await runMutation(door, 'deleteMembership', { id });
    expect(await member()).toBe(false);
  });
});

describe('a membership', () => {
  it('does not end before it starts, whichever end is sent', async () => {
    const fault = { code: 'invalid-request', faults: ['input.endDate must not be before startDate'] };
    const input = { amount: 1, startDate: '2026-02-01', endDate: '2026-01-31' };
    expect(await fetchRefusal(door, 'createMembership', { contactId: contact, ...input })).toMatchObject(fault);
    const { id } = await runMutation(door, 'createMembership', { contactId: contact, ...input, endDate: '2026-02-28' });
    expect(await fetchRefusal(door, 'updateMembership', { id, endDate: '2026-01-31' })).toMatchObject(fault);
    expect(await fetchRefusal(door, 'updateMembership', { id, startDate: '2026-03-01' })).toMatchObject(fault);
    expect(await runMutation(door, 'updateMembership', { id, startDate: '2026-03-01', endDate: null })).toMatchObject({
      startDate: '2026-03-01',
      endDate: null,
    });
  });
});

describe('two concurrent writes', () => {
  it('leave the search row of the contact equal to its sources', async () => {
    const { id } = await runMutation(door, 'createTransaction', {
      contactId: contact,
      amount: 1,
      date: '2026-01-01T00:00:00Z',
    });
    for (let round = 0; round < 15; round++) {
      const answers = await Promise.all([
        sendMutation(door, 'updateTransaction', { id, amount: 1000 + round }),
        sendMutation(door, 'updateTransaction', { id, codeCampaign: `round ${round}` }),
        sendMutation(door, 'createDonation', {
          contactId: contact,
          amount: round,
          transactionDate: '2026-01-01T00:00:00Z',
          transactionId: id,
        }),
        sendMutation(door, 'updateTransaction', { id, amount: 2000 + round }),
      ]);
      expect(answers.flatMap(({ body }) => body.errors ?? [])).toEqual([]);
      const [row] = await door.sql('select amount, code_campaign from transactions where id = ?', [id]);
      expect([[1000 + round, 2000 + round].includes(row.amount), row.code_campaign]).toEqual([true, `round ${round}`]);
      expect(await findWrongRows(door)).toEqual([]);
    }
  });

  it('cannot move the ends of a membership past each other', async () => {
    for (let round = 0; round < 15; round++) {
      const { id } = await runMutation(door, 'createMembership', {
        contactId: contact,
        amount: 1,
        startDate: '2026-01-01',
        endDate: '2026-12-31',
      });
      const answers = await Promise.all([
        fetchRefusal(door, 'updateMembership', { id, startDate: '2026-09-01' }),
        fetchRefusal(door, 'updateMembership', { id, endDate: '2026-03-01' }),
      ]);
      const refused = answers.filter(({ code }) => code);
      expect(refused).toEqual([expect.objectContaining({ faults: ['input.endDate must not be before startDate'] })]);
    }
  });

  it('to delete and to change a record either change it first, or find it deleted', async () => {
    for (let round = 0; round < 10; round++) {
      const { id } = await runMutation(door, 'createDonation', {
        contactId: contact,
        amount: 7,
        transactionDate: '2026-01-01T00:00:00Z',
      });
      const [change, deletion] = await Promise.all([
        fetchRefusal(door, 'updateDonation', { id, amount: 8 }),
        fetchRefusal(door, 'deleteDonation', { id }),
      ]);
      expect([undefined, 'not-found']).toContain(change.code);
      expect(deletion.code).toBeUndefined();
      expect((await door.sql('select deleted_at from donations where id = ?', [id]))[0].deleted_at).not.toBeNull();
    }
    expect(await findWrongRows(door)).toEqual([]);
  });
});
