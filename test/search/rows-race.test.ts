import type { Knex } from 'knex';
import { beforeAll, describe, expect, it } from 'vitest';
import { SearchRows, type VerifyOptions, type WrongRow } from '../../src/data/search/verify.ts';
import { type Door, type Json, openApp } from '../harness/app.ts';
import { buildWaitingSql } from '../harness/session.ts';
import { isSmall } from '../harness/sizes.ts';
import { waitUntil } from '../harness/waiting.ts';

let door: Door;
let ids: number[];
beforeAll(async () => {
  door = await openApp();
  ids = (await door.sql('select id from contacts where group_id = 1 and deleted_at is null order by id limit 40')).map(
    ({ id }) => id,
  );
});

const wrong = async (options: Partial<VerifyOptions> = {}): Promise<WrongRow[]> => {
  const rows = await SearchRows.open(door.databaseUrl);
  try {
    const found: WrongRow[] = [];
    for await (const batch of rows.readBatches({ batch: 100, again: true, repair: false, ...options }))
      found.push(...batch.wrong);
    return found;
  } finally {
    await rows.close();
  }
};

/** Until somebody waits for a lock in a session of this name. */
const waiting = async (name: string): Promise<void> => {
  await waitUntil('somebody waits', async () => (await door.sql(buildWaitingSql(name))).length > 0);
};

describe('of two transactions that change one contact', () => {
  let contact: number;
  let tag: number;
  beforeAll(async () => {
    [contact] = ids as [number];
    await door.sql('delete from contact_tags where group_id = 1 and contact_id = ?', [contact]);
    [{ id: tag }] = (await door.sql('select min(id) as id from tags where group_id = 1')) as [{ id: number }];
  });

  const refresh = (transaction: Knex.Transaction) =>
    transaction.raw('select refresh_search(1, array[?]::bigint[])', [contact]);
  const writes: Record<string, [sql: string, column: string, value: unknown]> = {
    tag: ['insert into contact_tags values (1, :contact, :tag)', 'tag_ids', null],
    surname: [`update contacts set surname = 'Dupré' where group_id = 1 and id = :contact`, 'surname', 'dupre'],
    city: [`update addresses set city = 'Évry' where group_id = 1 and contact_id = :contact`, 'city', 'evry'],
    donation: [
      `insert into donations (group_id, contact_id, amount, transaction_date) values (1, :contact, 424242, now())`,
      'donations_max',
      424242,
    ],
  };

  const names = Object.keys(writes);
  const pairs = names.flatMap((first) => names.filter((other) => other !== first).map((second) => [first, second]));
  it.each(pairs)('the row has both: %s first, then %s', async (...pair) => {
    await door.sql('delete from contact_tags where group_id = 1 and contact_id = ?', [contact]);
    await door.sql(`update contacts set surname = 'Before' where group_id = 1 and id = ?`, [contact]);
    await door.sql('delete from addresses where group_id = 1 and contact_id = ?', [contact]);
    await door.sql(`insert into addresses (group_id, contact_id, city) values (1, ?, 'Before')`, [contact]);
    await door.sql('delete from donations where group_id = 1 and contact_id = ?', [contact]);
    await door.sql('select refresh_search(1, array[?]::bigint[])', [contact]);

    const [first, second] = [
      await door.database.readers.knex.transaction(),
      await door.database.readers.knex.transaction(),
    ];
    const [one, other] = pair.map((name) => writes[name!]!) as [Json, Json];
    await first.raw(one[0], { contact, tag });
    // Both have written before either derives, unless the second must wait to write at all.
    const written = second.raw(other[0], { contact, tag });
    await first.raw('select 1');
    const derived = refresh(first);
    const [, late] = [await derived, written.then(() => refresh(second)).then(() => second.commit())];
    await waiting('muster');
    await first.commit();
    await late;
    const [row] = await door.sql('select * from contact_search where group_id = 1 and contact_id = ?', [contact]);
    for (const [, column, value] of [one, other]) expect(row[column]).toEqual(value ?? [tag]);
    expect(await wrong()).toEqual([]);
  });
});

it('a repair waits for a lock on a contact, and does not block writers of other contacts', async () => {
  const [free, locked] = ids.slice(5, 7) as [number, number];
  await door.sql('delete from contact_search where group_id = 1 and contact_id = any(?)', [[free, locked]]);
  const holder = await door.database.readers.knex.transaction();
  await holder.raw('select from contacts where group_id = 1 and id = ? for update', [locked]);
  const repair = wrong({ repair: true });
  for (let round = 0; round < 3; round++) {
    await waiting('muster search');
    expect((await door.rest('POST', `/contacts/${free}/notes`, { content: 'meanwhile' })).status).toBe(201);
  }
  await holder.rollback();
  expect((await repair).map(({ id, kind }) => [id, kind])).toEqual([
    [free, 'missing'],
    [locked, 'missing'],
  ]);
  expect(await wrong()).toEqual([]);
});

it.skipIf(isSmall)('beside writers nothing false is reported, not even at the first look', async () => {
  let over = false;
  let written = 0;
  const writers = [0, 1, 2, 3].map(async (writer) => {
    for (let turn = writer; !over; turn += 4, written++) {
      const id = ids[turn % ids.length]!;
      if (writer < 2) {
        expect((await door.rest('POST', `/contacts/${id}/notes`, { content: `${turn}` })).status).toBe(201);
        continue;
      }
      await door.database.readers.knex.transaction(async (transaction) => {
        const sql =
          writer === 2
            ? `update contacts set surname = 'Turn ${turn}' where group_id = 1 and id = ?`
            : 'update emails set opened_at = now() where group_id = 1 and contact_id = ?';
        await transaction.raw(sql, [id]);
        await transaction.raw('select refresh_search(1, array[?]::bigint[]), refresh_emails(1, array[?]::bigint[])', [
          id,
          id,
        ]);
      });
    }
  });
  const rounds: WrongRow[][] = [];
  try {
    for (let round = 0; round < 12; round++)
      rounds.push(await wrong({ again: false, batch: 10 + round * 10, space: 1 }));
  } finally {
    over = true;
    await Promise.all(writers);
  }
  expect(rounds).toEqual(rounds.map(() => []));
  expect(written).toBeGreaterThan(20);
  expect(await wrong()).toEqual([]);
});
