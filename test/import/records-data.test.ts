// Batches of records as the database is asked for them: how many statements, two at once, and nothing of another space.
import { beforeAll, describe, expect, it } from 'vitest';
import { beginImport } from '../../src/data/import/contacts.ts';
import { readRecordPages } from '../../src/data/import/export-page.ts';
import { type RecordTypeName, recordTypes } from '../../src/data/import/record-types.ts';
import { importRecords, type RecordOptions, type RecordWrite } from '../../src/data/import/records.ts';
import { undoWholeImport } from '../../src/data/import/undo.ts';
import { describeCommand } from '../../src/data/noun/audit.ts';
import type { Space } from '../../src/database/space.ts';
import { runAndRollBack } from '../../src/database/space.ts';
import { type Door, type Json, openApp } from '../harness/app.ts';

let door: Door;
let mails: string[];
beforeAll(async () => {
  door = await openApp();
  mails = (
    await door.sql(
      `select min(mail) as mail from contacts where group_id = 1 and deleted_at is null and mail is not null group by lower(mail) having count(*) = 1 order by 1`,
    )
  ).map(({ mail }) => mail);
});

const columns: Record<RecordTypeName, Json> = {
  notes: { content: 'x', pinned: true },
  interactions: { type: 'call' },
  transactions: { amount: 5, date: '2024-01-01T00:00:00Z' },
  donations: { amount: 5, transaction_date: '2024-01-01T00:00:00Z' },
  memberships: { amount: 5, start_date: '2024-01-01' },
  sanctions: { status: 'x' },
  emails: { type: 'x' },
};
const labels: Partial<Record<RecordTypeName, Record<string, string>>> = {
  transactions: { transaction_status: 'Accounted' },
  donations: { donation_price: 'Accounted' },
  memberships: { membership_price: 'Accounted' },
  emails: { campaign: 'Accounted' },
};
const records = (name: RecordTypeName, count: number, more: Partial<RecordWrite> = {}): RecordWrite[] =>
  Array.from({ length: count }, (_, n) => ({
    contact: { way: 'mail', key: mails[n % mails.length]! },
    columns: columns[name],
    labels: labels[name] ?? {},
    transaction: null,
    files: name === 'interactions' ? [{ name: 'a', url: '/a' }] : [],
    key: String(n),
    ...more,
  }));
const nobody: RecordOptions = { by: 1, contacts: null, transactions: null };
const write = async (
  name: RecordTypeName,
  list: RecordWrite[],
  options = nobody,
  space: Space = door.database.space(1),
): Promise<Json> => {
  const { id } = await beginImport(space, { family: name, name: 'x', fingerprint: Buffer.from('x'), by: 1 }, false);
  const batch = await importRecords(space, recordTypes.get(name)!, list, { ...options, id, firstRow: 1, refused: 0 });
  return { id, ...batch };
};
const stale = async (): Promise<Json[]> =>
  [
    await door.sql(
      `select f.contact_id from search_rows(1, array(select id from contacts where group_id = 1)) f left join contact_search s on s.group_id = 1 and s.contact_id = f.contact_id where s is distinct from f`,
    ),
    await door.sql(
      `select f.contact_id from email_rows(1, array(select id from contacts where group_id = 1)) f left join contact_emails s on s.group_id = 1 and s.contact_id = f.contact_id where s is distinct from f`,
    ),
  ].flat();

describe.each([...recordTypes.keys()])('%s', (name) => {
  it('are written, read and taken back by as many statements whatever their number', async () => {
    const table = { transactions: 'transaction_statuses', donations: 'donation_prices' }[name as string];
    if (table)
      await door.sql(
        `insert into ${table} (group_id, name${table === 'donation_prices' ? ', amount' : ''}) values (1, 'Accounted'${table === 'donation_prices' ? ', 5' : ''})`,
      );
    if (name === 'memberships')
      await door.sql(
        `insert into membership_prices (group_id, membership_price_group_id, name, amount) select 1, min(id), 'Accounted', 5 from membership_price_groups where group_id = 1`,
      );
    // The first of all makes the campaign.
    expect((await write(name, records(name, 1))).created).toBe(1);
    const counts: number[] = [];
    let last: Json;
    for (const many of [2, 200])
      counts.push(
        (
          await door.statements(async () => {
            last = await write(name, records(name, many));
          })
        ).length,
      );
    expect(last.created).toBe(200);
    expect(counts[1]).toBe(counts[0]);
    expect(counts[0]).toBeLessThanOrEqual(14);
    const space = door.database.space(1);
    const rehearsed = await runAndRollBack(space, (tx) => write(name, records(name, 3), nobody, tx));
    expect(rehearsed).toMatchObject({ created: 3, refused: 0 });
    const pages: Json[] = [];
    for await (const page of readRecordPages(space, name)) pages.push(...page);
    const living = await door.sql(
      `select r.id from ${name} r join contacts c on c.group_id = 1 and c.id = r.contact_id and c.deleted_at is null where r.group_id = 1 and r.deleted_at is null order by r.id`,
    );
    expect(pages.map(({ id }) => id)).toEqual(living.map(({ id }) => id));
    expect(await stale()).toEqual([]);
    const by = { userId: 1, roleType: 'superadmin', scope: 'admin', permissions: null } as const;
    expect(await undoWholeImport(space, last.id, by, describeCommand('undoImport', 1))).toEqual({
      deleted: 200,
      restored: 0,
      left: 0,
    });
    expect(await stale()).toEqual([]);
  });

  it('of which two batches of the same contacts are written at once are all written', async () => {
    const list = records(name, 60);
    const both = await Promise.all([write(name, list), write(name, [...list].reverse())]);
    expect(both.map(({ created }) => created)).toEqual([60, 60]);
    expect(await stale()).toEqual([]);
  });

  it('hang on nobody of another space, whichever way they name them', async () => {
    const [other] = await door.sql(
      `select id, mail, external_id from contacts where group_id = 2 and deleted_at is null and mail is not null order by external_id nulls last limit 1`,
    );
    const keys = await beginImport(
      door.database.space(2),
      { family: 'contacts', name: 'x', fingerprint: Buffer.from('y'), by: null },
      false,
    );
    await door.sql('insert into import_keys (group_id, import_id, source_key, record_id) values (2, ?, ?, ?)', [
      keys.id,
      'k',
      other.id,
    ]);
    const named = [
      { way: 'id' as const, key: String(other.id) },
      { way: 'mail' as const, key: other.mail },
      { way: 'external' as const, key: String(other.external_id) },
      { way: 'file' as const, key: 'k' },
    ];
    const { results } = await write(
      name,
      named.flatMap((contact) => records(name, 1, { contact })),
      { ...nobody, contacts: keys.id },
    );
    expect(results.map(({ problem }: Json) => problem.errors[0].message)).toEqual(
      named.map(() => 'is no contact of the space'),
    );
  });
});

it('a transaction of another space, or a deleted one, pays nothing', async () => {
  const [foreign] = await door.sql('select id from transactions where group_id = 2 and deleted_at is null limit 1');
  const [gone] = await door.sql(
    'update transactions set deleted_at = now() where group_id = 1 and id = (select min(id) from transactions where group_id = 1) returning id',
  );
  for (const { id } of [foreign, gone]) {
    const list = records('donations', 2);
    const paid = { ...list[1]!, columns: { ...columns.donations, transaction_id: id } };
    const { results, created } = await write('donations', [list[0]!, paid]);
    expect(created).toBe(1);
    expect(results[1].problem.errors).toEqual([
      { location: 'transaction_id', message: 'is not a transaction of the space', value: id },
    ]);
  }
});

it('a campaign that two batches at once find missing is made once', async () => {
  const list = records('emails', 20, { labels: { campaign: 'At once' } });
  await Promise.all([
    write('emails', list),
    write('emails', list.slice(10)),
    write(
      'emails',
      records('emails', 1, { labels: { campaign: 'At once' }, contact: { way: 'mail', key: mails[30]! } }),
    ),
  ]);
  expect(await door.sql(`select count(*)::int as many from campaigns where group_id = 1 and name = 'At once'`)).toEqual(
    [{ many: 1 }],
  );
});
