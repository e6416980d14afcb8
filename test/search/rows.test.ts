// The rows that search derives: each equals a fresh derivation; wrong rows are found and repaired, also beside writers.
import { beforeAll, beforeEach, describe, expect, inject, it } from 'vitest';
import { searchedColumns } from '../../src/data/contact/write.ts';
import { type Batch, SearchRows, type VerifyOptions, type WrongRow } from '../../src/data/search/verify.ts';
import { type Door, type Json, openApp } from '../harness/app.ts';
import { buildDatabaseUrl, runStatement } from '../harness/databases.ts';

let door: Door;
const ofSpace = 'group_id = 1 and deleted_at is null';

const walk = async (options: Partial<VerifyOptions> = {}, url = door.databaseUrl): Promise<Batch[]> => {
  const rows = await SearchRows.open(url);
  try {
    const batches: Batch[] = [];
    for await (const one of rows.readBatches({ batch: 100, again: true, repair: false, ...options })) batches.push(one);
    return batches;
  } finally {
    await rows.close();
  }
};
const wrongIn = (batches: Batch[]): (WrongRow & { space: number })[] =>
  batches.flatMap(({ space, wrong }) => wrong.map((row) => ({ space, ...row })));

const derivations = { contact_search: 'search_rows', contact_emails: 'email_rows' };
const versions = async (): Promise<Map<string, string>> => {
  const rows = await door.sql(
    Object.keys(derivations)
      .map((table) => `select '${table} ' || group_id || '/' || contact_id as key, xmin::text from ${table}`)
      .join(' union all '),
  );
  return new Map(rows.map(({ key, xmin }) => [key, xmin]));
};

describe('the seeded spaces', () => {
  beforeAll(async () => {
    door = await openApp();
  });

  it.each(Object.entries(derivations))('every row of %s equals its derivation', async (table, derive) => {
    for (const space of [1, 2]) {
      const fresh = `select to_jsonb(r) from ${derive}(${space}, array(select id from contacts where group_id = ${space})) r`;
      const kept = `select to_jsonb(r) from ${table} r where group_id = ${space}`;
      expect((await door.sql(kept)).length).toBeGreaterThan(5);
      for (const [one, other] of [
        [fresh, kept],
        [kept, fresh],
      ])
        expect(await door.sql(`(${one}) except (${other})`)).toEqual([]);
    }
  });

  it('are derived again when a column changes that their derivation reads, and no other', async () => {
    const [{ text }] = await door.sql(`select prosrc as text from pg_proc where proname = 'search_rows'`);
    const listRead = (alias: string): string[] => {
      const names = new Set(
        [...text.matchAll(new RegExp(`\\b${alias}\\.(\\w+)`, 'g'))].map(([, name]) => name as string),
      );
      return [...names].filter((name) => !['id', 'group_id', 'contact_id', 'deleted_at'].includes(name)).sort();
    };
    expect(listRead('c')).toEqual([...searchedColumns.contacts].sort());
    expect(listRead('a')).toEqual([...searchedColumns.addresses].sort());
    const [{ id }] = await door.sql(`select id from contacts where ${ofSpace} order by id limit 1`);
    const derives = async (input: string): Promise<boolean> => {
      const update = `mutation { updateContact(input: { id: "Contact:${id}", ${input} }) { contact { id } } }`;
      const statements = await door.statements(async () => {
        expect((await door.graphql(update)).body.errors).toBeUndefined();
      });
      return statements.some((sql) => sql.includes('refresh_search'));
    };
    expect(await derives('nationality: "Kept apart", address: { street: "Quai" }')).toBe(false);
    expect(await derives('address: { city: "Brest" }')).toBe(true);
    expect(await derives('birthDate: "1970-01-02"')).toBe(true);
    expect(wrongIn(await walk())).toEqual([]);
  });

  it('rows of new contacts are the same as of any other that has neither paid nor given', async () => {
    const rowsOf = (paid: boolean) =>
      door.sql(
        `select to_jsonb(r) as row from search_rows(1, array(select id from contacts c where group_id = 1
            and not exists (select from transactions t where t.group_id = 1 and t.contact_id = c.id)
            and not exists (select from donations d where d.group_id = 1 and d.contact_id = c.id)), ${paid}) r order by contact_id`,
      );
    const rows = await rowsOf(false);
    expect(rows).toEqual(await rowsOf(true));
    for (const list of ['tag_ids', 'action_ids', 'form_ids', 'form_ref_ids'])
      expect(rows.filter(({ row }) => row[list].length > 0).length, list).toBeGreaterThan(2);
  });

  it.each([
    ['contact_search', 'refresh_search'],
    ['contact_emails', 'refresh_emails'],
    ['contact_emails', 'refresh_email_events'],
    ['contact_search', 'add_search'],
  ] as const)('no column of %s is forgotten by %s', async (table, make) => {
    const columns = await door.sql(
      `select attname as name, case format_type(atttypid, atttypmod)
          when 'boolean' then format('not %1$I', attname)
          when 'date' then $$'1900-01-01'$$ when 'timestamp with time zone' then $$'1900-01-01'$$
          when 'text[]' then $$'{another}'$$
          when 'text' then $$'another'$$ when '"char"' then $$'-'$$ when 'bigint[]' then $$'{987654321}'$$
          else format('%1$I # 3', attname) end as other
         from pg_attribute where attrelid = ?::regclass and attnum > 0 and attname not in ('group_id', 'contact_id')
          and (? <> 'refresh_email_events' or attname <> all('{created_min,created_max,mailings,emails,types,user_ids,lacks_type,lacks_user}'))`,
      [table, make],
    );
    expect(columns.length).toBeGreaterThan(5);
    const undo = new Error('undone');
    const made = door.database.readers.knex.transaction(async (transaction) => {
      // Those who have neither paid nor given are derived alike by all.
      const of = `group_id = 1 and contact_id in (select contact_id from contact_search where group_id = 1 and transactions_count + donations_count = 0)`;
      const read = async (): Promise<Json[]> =>
        (await transaction.raw(`select * from ${table} where ${of} order by contact_id`)).rows;
      const right = await read();
      expect(right.length).toBeGreaterThan(5);
      const ids = right.map(({ contact_id }) => contact_id);
      if (make === 'add_search') await transaction.raw(`delete from ${table} where ${of}`);
      for (const { name, other } of make === 'add_search' ? [] : columns) {
        await transaction.raw(`update ${table} set ${name} = ${other} where group_id = 1 and contact_id = any(?)`, [
          ids,
        ]);
      }
      await transaction.raw(`select ${make}(1, ?::bigint[])`, [ids]);
      expect(await read()).toEqual(right);
      throw undo;
    });
    await expect(made).rejects.toBe(undo);
  });

  it('a contact that is deleted for good takes its rows along', async () => {
    const lost = await door.sql(
      'select contact_id as id from contact_search join contact_emails using (group_id, contact_id) where group_id = 1 limit 3',
    );
    const ids = lost.map(({ id }) => id);
    const left = `select (select count(*) from contact_search where group_id = 1 and contact_id = any(:ids)) as searched,
                         (select count(*) from contact_emails where group_id = 1 and contact_id = any(:ids)) as mailed`;
    const undo = new Error('undone');
    const deleted = door.database.readers.knex.transaction(async (transaction) => {
      await transaction.raw('update contacts set merged_into = null where group_id = 1 and merged_into = any(:ids)', {
        ids,
      });
      expect((await transaction.raw(left, { ids })).rows).toEqual([{ searched: 3, mailed: 3 }]);
      await transaction.raw('delete from memberships where group_id = 1 and contact_id = any(:ids)', { ids });
      await transaction.raw('delete from donations where group_id = 1 and contact_id = any(:ids)', { ids });
      await transaction.raw('delete from contacts where group_id = 1 and id = any(:ids)', { ids });
      expect((await transaction.raw(left, { ids })).rows).toEqual([{ searched: 0, mailed: 0 }]);
      throw undo;
    });
    await expect(deleted).rejects.toBe(undo);
  });

  it.each([1, 7, 100, 100_000])('all contacts are read once, in batches of %i', async (batch) => {
    const batches = await walk({ batch });
    const [{ total }] = await door.sql('select count(*) as total from contacts');
    expect(wrongIn(batches)).toEqual([]);
    expect(batches.reduce((sum, { contacts }) => sum + contacts, 0)).toBe(total);
    expect(Math.max(...batches.map(({ contacts }) => contacts))).toBeLessThanOrEqual(batch);
  });

  it('can be read alone; an empty one is reported; one that does not exist is named', async () => {
    await door.sql(`insert into spaces (id, name) values (77, 'Empty')`);
    expect(new Set((await walk({ space: 2 })).map(({ space }) => space))).toEqual(new Set([2]));
    expect(await walk({ space: 77 })).toEqual([{ space: 77, contacts: 0, wrong: [] }]);
    const rows = await SearchRows.open(door.databaseUrl);
    await expect(rows.size(99)).rejects.toThrow('There is no space 99');
    await rows.close();
  });
});

describe('rows that are wrong', () => {
  let damage: Json[];

  beforeEach(async () => {
    door = await openApp();
    const ids = async (table: string): Promise<number[]> =>
      (
        await door.sql(
          `select id from contacts c where ${ofSpace} and exists (select from ${table} t where t.group_id = 1 and t.contact_id = c.id) order by id`,
        )
      ).map(({ id }) => id);
    const [gone, unmailed, opened, spared] = (await ids('emails')) as [number, number, number, number];
    const tagged = (await ids('contact_tags')).filter((id) => ![gone, unmailed, opened, spared].includes(id));
    const [lost, changed, lean, ...others] = tagged as [number, number, number];
    const [foreign] = await door.sql('select max(id) as id from contacts where group_id = 2 and deleted_at is null');
    const at = async (sql: string, ...values: unknown[]): Promise<unknown> => door.sql(sql, values);
    await at('delete from contact_search where group_id = 1 and contact_id = ?', lost);
    await at(`update contact_search set surname = 'x', tag_ids = '{}' where group_id = 1 and contact_id = ?`, changed);
    await at('update contacts set deleted_at = now() where group_id = 1 and id = ?', gone);
    await at(`update contact_search set filled = filled # 64 where group_id = 2 and contact_id = ?`, foreign.id);
    await at('delete from contact_emails where group_id = 1 and contact_id = ?', unmailed);
    await at('update contact_emails set with_value = with_value # 4 where group_id = 1 and contact_id = ?', opened);
    await at('update emails set deleted_at = now() where group_id = 1 and contact_id = ?', spared);
    // Its contact is not even in the table: foreign keys do not hold while triggers are off, as in a restore, on each node of a cluster.
    await runStatement(
      buildDatabaseUrl(inject('adminUrl'), new URL(door.databaseUrl).pathname.slice(1)),
      `begin; set local citus.propagate_set_commands = 'local'; set local session_replication_role = replica;
       delete from contacts where group_id = 1 and id = ${lean};
       delete from contact_emails where group_id = 1 and contact_id = ${lean};
       delete from emails where group_id = 1 and contact_id = ${lean}; commit`,
    );
    expect(others.length).toBeGreaterThan(10);
    const row = (space: number, table: string, id: number, kind: string, ...columns: string[]): Json => ({
      space,
      table,
      id,
      kind,
      columns,
    });
    damage = [
      row(1, 'contact_search', lost, 'missing'),
      row(1, 'contact_search', changed, 'stale', 'surname', 'tag_ids'),
      row(1, 'contact_search', gone, 'left over'),
      row(1, 'contact_search', lean, 'left over'),
      row(1, 'contact_emails', unmailed, 'missing'),
      row(1, 'contact_emails', opened, 'stale', 'with_value'),
      row(1, 'contact_emails', spared, 'left over'),
      row(1, 'contact_emails', gone, 'left over'),
      row(2, 'contact_search', foreign.id, 'stale', 'filled'),
    ];
  });

  const same = (found: Json[]): void => {
    expect(found).toHaveLength(damage.length);
    expect(found).toEqual(expect.arrayContaining(damage));
  };

  it.each([
    true,
    false,
  ])('are found, each with what is wrong with it, and left as they are (looking again: %s)', async (again) => {
    const before = await versions();
    same(wrongIn(await walk({ again })));
    same(wrongIn(await walk({ again, batch: 3 })));
    expect(await versions()).toEqual(before);
  });

  it('are repaired, and no other row is written', async () => {
    const before = await versions();
    same(wrongIn(await walk({ again: false, repair: true })));
    expect(wrongIn(await walk())).toEqual([]);
    const after = await versions();
    const touched = [...new Set([...before.keys(), ...after.keys()])].filter(
      (key) => before.get(key) !== after.get(key),
    );
    expect(touched.sort()).toEqual(damage.map(({ table, space, id }) => `${table} ${space}/${id}`).sort());
  });

  it('of one space are repaired alone', async () => {
    const own = damage.filter(({ space }) => space === 2);
    expect(wrongIn(await walk({ space: 2, repair: true }))).toEqual(own);
    expect(wrongIn(await walk())).toHaveLength(damage.length - own.length);
  });
});

it('a change of the rules by which text is folded is found and followed, in answers too', async () => {
  door = await openApp();
  for (const name of ['fold', 'fold_inline'])
    await door.sql(
      `create or replace function ${name}(text) returns text language sql immutable strict as $$ select replace(lower($1), 'e', '3') $$`,
    );
  const folded = `left(fold(coalesce(data, '')), 160)`;
  const due = await door.sql(
    `select distinct group_id, contact_id from answers where folded <> ${folded} collate "C" order by 1, 2`,
  );
  const before = wrongIn(await walk());
  expect(due.length).toBeGreaterThan(10);
  expect(before.filter(({ table }) => table === 'answers')).toEqual(
    due.map(({ group_id, contact_id }) => ({
      space: group_id,
      table: 'answers',
      id: contact_id,
      kind: 'stale',
      columns: ['folded'],
    })),
  );
  expect(before.filter(({ columns }) => columns.includes('surname')).length).toBeGreaterThan(10);
  await walk({ repair: true });
  expect(wrongIn(await walk())).toEqual([]);
  expect(await door.sql(`select from answers where folded <> ${folded} collate "C"`)).toEqual([]);
});
