// Arguments of lists: values at the edges, bad ones with the place of each, and pages while records come and go.
import { beforeAll, describe, expect, it } from 'vitest';
import { campaigns } from '../../../src/data/contact/campaign.ts';
import { noteList } from '../../../src/data/contact/note.ts';
import { tagList } from '../../../src/data/contact/tag.ts';
import { donations, transactions } from '../../../src/data/money/records.ts';
import type { Space } from '../../../src/database/space.ts';
import { limits } from '../../../src/limits/limits.ts';
import { type Door, openApp } from '../../harness/app.ts';

let door: Door;
let space: Space;

beforeAll(async () => {
  door = await openApp();
  space = door.database.space(1);
});

const faultsOf = async (work: Promise<unknown>) => {
  const error = await work.then(
    () => expect.fail('it should have been refused'),
    (reason) => reason,
  );
  expect(error.code).toBe('invalid-request');
  return error.errors.map(({ location, message, value }: { location: string; message: string; value: unknown }) => ({
    location,
    message,
    value,
  }));
};

describe('a filter', () => {
  const countTags = (condition: object): Promise<number> => tagList.count(space, { filter: { name: condition } });

  it('takes wildcards for characters, and ignores case and accents', async () => {
    await door.sql(
      `insert into tags (group_id, name) values (1, '50%-Éluzq'), (1, '50 éluzq'), (1, 'a_b'), (1, 'aXb')`,
    );
    expect(await countTags({ contains: '%' })).toBe(1);
    expect(await countTags({ contains: '50%' })).toBe(1);
    expect(await countTags({ startsWith: 'A_' })).toBe(1);
    expect(await countTags({ contains: 'ELUZQ' })).toBe(2);
    expect(await countTags({ contains: '\\' })).toBe(0);
    // The full-width sign is folded to a plain one, after which it is still no wildcard.
    expect(await countTags({ startsWith: '50％' })).toBe(1);
  });

  it('does so for the texts that have an index of trigrams, too', async () => {
    await door.sql(
      `insert into notes (group_id, contact_id, content)
       select 1, (select min(id) from contacts where group_id = 1 and deleted_at is null), content
         from unnest(array['50%-Éluzq', '50 éluzq', 'a_bbb', 'aXbbb', 'back\\slash']) content`,
    );
    const countNotes = (condition: object): Promise<number> =>
      noteList.count(space, { filter: { content: condition } });
    expect(await countNotes({ contains: '50%-E' })).toBe(1);
    expect(await countNotes({ startsWith: '50％' })).toBe(1);
    expect(await countNotes({ contains: 'ELUZQ' })).toBe(2);
    expect(await countNotes({ startsWith: 'A_B' })).toBe(1);
    expect(await countNotes({ contains: 'K\\S' })).toBe(1);
    expect(await countNotes({ contains: '\\%\\' })).toBe(0);
  });

  it('finds nothing for an empty list, and everything without a condition', async () => {
    const all = await tagList.count(space);
    expect(await countTags({ in: [] })).toBe(0);
    for (const filter of [null, {}, { name: null }, { name: {} }, { name: undefined }, { name: { equals: undefined } }])
      expect(await tagList.count(space, { filter: filter as object })).toBe(all);
  });

  it('joins its conditions, several on one field too', async () => {
    const amounts = await door.sql(
      'select amount, currency from donations d where group_id = 1 and deleted_at is null and exists (select from contacts c where c.group_id = 1 and c.id = d.contact_id and c.deleted_at is null)',
    );
    const expected = amounts.filter(({ amount, currency }) => amount > 500 && amount <= 5000 && currency === 'EUR');
    expect(expected.length).toBeGreaterThan(0);
    const filter = { amount: { gt: 500, lte: 5000 }, currency: { equals: 'EUR' } };
    expect(await donations.list.count(space, { filter })).toBe(expected.length);
  });

  it('refuses null for an operator, unknown fields and operators, and names each', async () => {
    const filter = {
      contactId: { equals: null },
      amount: { gt: 1.5, like: 3 },
      name: { equals: 'x' },
      currency: { in: ['EUR', null] },
    };
    expect(await faultsOf(donations.list.readPage(space, { first: 1, filter: filter as never }))).toEqual([
      {
        location: 'filter.contactId.equals',
        message: 'must not be null; exists: false finds records without a value',
        value: null,
      },
      { location: 'filter.amount.gt', message: 'must be a whole number below 2^53', value: 1.5 },
      {
        location: 'filter.amount.like',
        message: expect.stringContaining('it has equals, gt, gte, lt, lte, exists'),
        value: 3,
      },
      {
        location: 'filter.name',
        message: expect.stringContaining('it has id, createdAt, updatedAt, contactId'),
        value: expect.anything(),
      },
      {
        location: 'filter.currency.in',
        message: 'must not be null; exists: false finds records without a value',
        value: expect.anything(),
      },
    ]);
    for (const inherited of ['constructor', 'toString', '__proto__'])
      expect(
        await faultsOf(donations.list.count(space, { filter: JSON.parse(`{"${inherited}": {"equals": 1}}`) })),
      ).toHaveLength(1);
  });

  it('binds its values: texts of statements depend on operators alone', async () => {
    const run = (content: string) => noteList.readPage(space, { first: 3, filter: { content: { contains: content } } });
    const [one] = await door.statements(() => run('abc'));
    const [other] = await door.statements(() => run(`'); drop table notes; -- :group ?`));
    expect(other).toBe(one);
    const sizes = await Promise.all(
      [1, 5, 30].map((first) => door.statements(() => noteList.readPage(space, { first }))),
    );
    expect(new Set(sizes.flat()).size).toBe(1);
  });
});

describe('a page', () => {
  it.each<[arguments_: object, location: string]>([
    [{}, 'first'],
    [{ first: -1 }, 'first'],
    [{ first: 1.5 }, 'first'],
    [{ last: limits.list.page + 1 }, 'last'],
    [{ first: 1, last: 1 }, 'last'],
    [{ first: 1, orderBy: { field: 'currency', direction: 'asc' } }, 'orderBy.field'],
    [{ first: 1, orderBy: { field: 'constructor', direction: 'asc' } }, 'orderBy.field'],
    [{ first: 1, after: { key: '1', id: 1 } }, 'after'],
    [{ first: 1, after: { key: null, id: 1.5 } }, 'after'],
    [{ last: 1, before: { key: null, id: 1 }, orderBy: { field: 'amount', direction: 'asc' } }, 'before'],
    [{ first: 1, after: { key: '1; drop', id: 1 }, orderBy: { field: 'amount', direction: 'asc' } }, 'after'],
    [{ first: 1, after: { key: 'yesterday', id: 1 }, orderBy: { field: 'createdAt', direction: 'asc' } }, 'after'],
    [
      { first: 1, after: { key: '2024-02-31 00:00:00+00', id: 1 }, orderBy: { field: 'createdAt', direction: 'asc' } },
      '',
    ],
  ])('%j is refused at %s', async (options, location) => {
    const work = donations.list.readPage(space, options as never);
    if (location === '') await expect(work).rejects.toMatchObject({ code: 'invalid-request' });
    else expect((await faultsOf(work)).map((fault: { location: string }) => fault.location)).toEqual([location]);
  });

  it('has exact keys: microseconds, and amounts up to 2^53', async () => {
    const [{ id: contact }] = await door.sql(
      'select min(id) as id from contacts where group_id = 1 and deleted_at is null',
    );
    const amounts = [9007199254740989, 9007199254740990, 9007199254740991];
    for (const [index, amount] of amounts.entries())
      await door.sql(
        `insert into transactions (group_id, contact_id, amount, date, code_campaign) values (1, ?, ?, ?, 'exact')`,
        [contact, amount, `2030-01-01T00:00:00.00000${index}Z`],
      );
    const filter = { codeCampaign: { equals: 'exact' } };
    for (const field of ['amount', 'date']) {
      const seen: number[] = [];
      for (let after = null, more = true; more; ) {
        const orderBy = { field, direction: 'asc' as const };
        const page: Awaited<ReturnType<typeof transactions.list.readPage>> = await transactions.list.readPage(space, {
          filter,
          orderBy,
          first: 1,
          after,
        });
        seen.push(page.rows[0]!.row.amount);
        after = page.rows[0]!.position as never;
        more = page.hasNextPage;
      }
      expect(seen).toEqual(amounts);
    }
    await expect(transactions.list.readTotals(space, { filter, groupBy: 'YEAR', of: 'date' })).rejects.toMatchObject({
      code: 'answer-too-large',
    });
  });

  it('shows nobody twice and misses nobody while records are written and deleted', async () => {
    const insert = (name: string, sent: string | null) =>
      door.sql('insert into campaigns (group_id, name, sent_at) values (2, ?, ?) returning id', [name, sent]);
    const other = door.database.space(2);
    for (let nth = 0; nth < 60; nth++) await insert(`kept-${nth}`, nth % 3 ? `2024-01-0${1 + (nth % 5)}` : null);
    const orderBy = { field: 'sentAt', direction: 'desc' as const };
    const seen: string[] = [];
    for (let after = null, more = true; more; ) {
      const page: Awaited<ReturnType<typeof campaigns.list.readPage>> = await campaigns.list.readPage(other, {
        first: 7,
        after,
        orderBy,
      });
      seen.push(...page.rows.map(({ row }) => row.name));
      const last = page.rows.at(-1)!;
      after = last.position as never;
      more = page.hasNextPage;
      // The record of the cursor goes, and others come before it and after it.
      if (!last.row.name.startsWith('kept')) continue;
      const [late] = await insert(`late-${seen.length}`, '2023-01-01');
      await insert(`early-${seen.length}`, '2025-01-01');
      await door.sql('update campaigns set deleted_at = now() where id in (?, ?)', [late.id, last.row.id]);
    }
    const kept = seen.filter((name) => name.startsWith('kept'));
    expect(new Set(kept).size).toBe(kept.length);
    expect(kept).toHaveLength(60);
  });
});

describe('totals', () => {
  it('are refused with what may be asked, and when there are too many', async () => {
    const refuse = async (options: object) => (await faultsOf(donations.list.readTotals(space, options as never)))[0];
    expect(await refuse({ groupBy: 'WEEK' })).toMatchObject({
      location: 'groupBy',
      message: expect.stringContaining('YEAR, MONTH, DAY, contactId'),
    });
    expect(await refuse({ groupBy: 'amount' })).toMatchObject({ location: 'groupBy' });
    expect(await refuse({ groupBy: 'MONTH' })).toMatchObject({
      location: 'of',
      message: expect.stringContaining('transactionDate'),
    });
    expect(await refuse({ groupBy: 'MONTH', of: 'amount' })).toMatchObject({ location: 'of' });
    expect(await refuse({ groupBy: 'currency', of: 'createdAt' })).toMatchObject({ location: 'of' });
    await door.sql(
      `insert into notes (group_id, contact_id, content, created_at) select 1, (select min(id) from contacts where group_id = 1 and deleted_at is null), 'x', timestamptz '1990-01-01Z' + n * interval '1 day' from generate_series(1, ?) n`,
      [limits.list.page + 1],
    );
    await expect(noteList.readTotals(space, { groupBy: 'DAY', of: 'createdAt' })).rejects.toMatchObject({
      code: 'answer-too-large',
    });
    const filter = { createdAt: { lt: '1992-09-28T00:00:00Z' } };
    const days = await noteList.readTotals(space, { groupBy: 'DAY', of: 'createdAt', filter });
    expect(days[0]).toEqual({ key: '1990-01-02', currency: null, count: 1, sum: null });
    expect(days).toHaveLength(1000);
  });
});
