// The catalogue of PostgreSQL proves tenancy: keys, indexes and references of a space's tables all start with the space.
import { beforeAll, describe, expect, it } from 'vitest';
import type { Attribute, Source } from '../../src/search/attribute.ts';
import { attributes } from '../../src/search/attributes.ts';
import { trigramTexts } from '../../src/search/record-conditions.ts';
import { type Door, type Json, openApp } from '../harness/app.ts';

/** Tables with group_id that do not belong to one space, and why. Their references still follow the rule. */
const notKeyedBySpace: Record<string, string> = {
  tokens: 'the digest of a token is looked up before any space is known, and its key stands alone',
};
/** Indexes that do not start with group_id, and why. */
const acrossSpaces: Record<string, string> = {
  members_user: 'the spaces of one user',
  invitations_pending: 'the invitations to one mail',
  invitations_secret: 'the invitation of one secret',
  contact_search_mobile_part: 'inverted, and parted by space',
  contact_search_tags: 'inverted; ids of tags differ between spaces',
  contact_search_actions: 'inverted; ids of actions differ between spaces',
  contact_search_forms: 'inverted; ids of forms differ between spaces',
  contact_search_form_refs: 'inverted; ids of reference values differ between spaces',
  notes_content: 'inverted; the notes of a small space are read by an index of the space',
  interactions_title: 'the same',
  interactions_comments: 'the same',
  emails_link_texts: 'the same',
  emails_when: 'a summary of blocks, by time alone',
  spending_minute: 'those of all spaces that are a day old',
};

let door: Door;
let tenants: string[];
/** Columns of every key and index, in order; an expression is empty. */
let indexes: { table: string; name: string; unique: boolean; columns: string[] }[];

const tenantTables = () => tenants.filter((table) => !(table in notKeyedBySpace));

beforeAll(async () => {
  door = await openApp();
  tenants = (
    await door.sql(
      `select c.relname as name from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname = 'group_id'
        where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition order by 1`,
    )
  ).map(({ name }) => name);
  indexes = await door.sql(
    `select t.relname as table, i.relname as name, x.indisunique as unique,
            array(select coalesce(a.attname::text, '') from unnest(x.indkey) with ordinality k (attnum, place)
                    left join pg_attribute a on a.attrelid = t.oid and a.attnum = k.attnum and k.attnum > 0
                   order by k.place) as columns
       from pg_index x join pg_class i on i.oid = x.indexrelid join pg_class t on t.oid = x.indrelid
      where t.relnamespace = 'public'::regnamespace and not t.relispartition order by 1, 2`,
  );
});

it('the tables of spaces are found, and every exception still exists', () => {
  expect(tenants).toEqual(expect.arrayContaining(['contacts', 'donations', 'members', 'team_users', 'tokens']));
  expect(tenants).toEqual(expect.arrayContaining(Object.keys(notKeyedBySpace)));
  expect(indexes.map(({ name }) => name)).toEqual(expect.arrayContaining(Object.keys(acrossSpaces)));
});

it('tables without a space are those of the whole installation', async () => {
  const all = await door.sql(
    `select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p', 'v', 'm', 'f')
        and not relispartition and not exists (select from pg_depend d where d.objid = pg_class.oid and d.deptype = 'e') order by 1`,
  );
  expect(all.map(({ name }) => name).filter((name) => !tenants.includes(name))).toEqual([
    // A view that the search reads contacts from; its readers restrict it to the space.
    'contact_changes',
    'job_leases',
    'schema_migrations',
    'spaces',
    'users',
  ]);
});

describe('every table of a space', () => {
  it('has no row without a space', async () => {
    const nullable = await door.sql(
      `select c.table_name from information_schema.columns c join information_schema.tables t using (table_schema, table_name)
        where table_schema = 'public' and table_type = 'BASE TABLE' and column_name = 'group_id' and (is_nullable = 'YES' or data_type <> 'bigint')`,
    );
    expect(nullable).toEqual([]);
  });

  it('starts all its keys and indexes with the space', () => {
    const keyed = indexes.filter(({ table }) => tenantTables().includes(table));
    const astray = keyed.filter(({ name, columns }) => columns[0] !== 'group_id' && !(name in acrossSpaces));
    expect(astray).toEqual([]);
    expect(keyed.filter(({ name, unique }) => unique && name in acrossSpaces)).toEqual([]);
  });

  it('has a primary key', async () => {
    const without = await door.sql(
      `select c.relname from pg_class c where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p')
          and not exists (select from pg_constraint p where p.conrelid = c.oid and p.contype = 'p')`,
    );
    expect(without).toEqual([]);
  });

  it('identifies its records by space and id', () => {
    const withId = indexes.filter(({ table, columns }) => tenantTables().includes(table) && columns.includes('id'));
    const keyedById = indexes.filter(({ unique, columns }) => unique && columns.join() === 'group_id,id');
    const tables = new Set(withId.map(({ table }) => table));
    expect(tables.size).toBeGreaterThan(20);
    expect([...tables].filter((table) => !keyedById.some((key) => key.table === table))).toEqual([]);
  });
});

describe('references', () => {
  let references: { table: string; target: string; columns: string[]; targets: string[]; validated: boolean }[];

  beforeAll(async () => {
    const columnsOf = (relation: string, key: string): string =>
      `array(select a.attname::text from unnest(${key}) with ordinality k (attnum, place)
               join pg_attribute a on a.attrelid = ${relation} and a.attnum = k.attnum order by k.place)`;
    references = await door.sql(
      `select f.conrelid::regclass::text as table, f.confrelid::regclass::text as target, f.convalidated as validated,
              ${columnsOf('f.conrelid', 'f.conkey')} as columns, ${columnsOf('f.confrelid', 'f.confkey')} as targets
         from pg_constraint f where f.contype = 'f' and f.connamespace = 'public'::regnamespace order by 1, 2`,
    );
  });

  it('between tables of spaces have the space on both sides, at the same position', () => {
    const within = references.filter(({ table, target }) => tenants.includes(table) && tenants.includes(target));
    expect(within.length).toBeGreaterThan(20);
    expect(
      within.filter(
        ({ columns, targets }) => !columns.includes('group_id') || targets[columns.indexOf('group_id')] !== 'group_id',
      ),
    ).toEqual([]);
  });

  it('connect every table of a space to the space itself', () => {
    const reaches = (table: string, seen: string[] = []): boolean =>
      references.some(
        (one) =>
          one.table === table &&
          one.columns.includes('group_id') &&
          !seen.includes(one.target) &&
          (one.target === 'spaces' || reaches(one.target, [...seen, table])),
      );
    // A bucket, and what callers spent, outlive nothing and are written at every request: a reference would lock the space's row each time. Derived rows are written for
    // locked contacts, and a trigger or a rebuild deletes them. The position of a paged reader is written at every page, and swept after ten minutes.
    // Lines of the audit log, and changes, are written at every write, and outlive what they name. What was found of a segment is removed after the segment, by a job.
    expect(tenants.filter((table) => !reaches(table))).toEqual([
      'app_buckets',
      'audit_log',
      'change_feeds',
      'change_queue',
      'changes',
      'contact_emails',
      'contact_search',
      'rate_buckets',
      'search_traversals',
      'search_words',
      'segment_evaluations',
      'segment_members',
      'spending',
    ]);
  });

  it('are all enforced', () => {
    expect(references.filter(({ validated }) => !validated)).toEqual([]);
  });
});

describe('columns', () => {
  const columns = (where: string): Promise<Json[]> =>
    door.sql(
      `select c.table_name as table, c.column_name as column, c.data_type as type from information_schema.columns c
        where c.table_schema = 'public' and ${where}
          and not exists (select from pg_depend d where d.objid = format('%I', c.table_name)::regclass and d.deptype = 'e') order by 1, 2`,
    );

  it('named id or *_id are bigint, and every id is checked to stay below 2^53', async () => {
    const ids = await columns(String.raw`(c.column_name = 'id' or c.column_name like '%\_id')
       and c.column_name not in ('external_id', 'request_id')`);
    expect(ids.filter(({ type }) => type !== 'bigint')).toEqual([]);
    const checked = await door.sql(
      `select c.relname as table from pg_constraint k join pg_class c on c.oid = k.conrelid
        where contype = 'c' and pg_get_constraintdef(k.oid) like '%(id >= 0) AND (id <= ''9007199254740991''%'`,
    );
    const tables = ids.filter(({ column }) => column === 'id').map(({ table }) => table);
    expect(checked.map(({ table }) => table).sort()).toEqual(tables.sort());
  });

  it('that hold money are bigint, never fractions', async () => {
    const amounts = await columns(`c.column_name ilike '%amount%' and c.data_type <> 'boolean'`);
    expect(amounts.length).toBeGreaterThan(3);
    expect(amounts.filter(({ type }) => type !== 'bigint')).toEqual([]);
  });

  it('that contain an instant have a time zone', async () => {
    expect(await columns(`c.data_type = 'timestamp without time zone'`)).toEqual([]);
  });
});

describe('the texts that searches read', () => {
  const listTexts = (families: Source['of'][]): { table: string; column: string }[] =>
    Object.values(attributes as Record<string, Attribute>).flatMap(({ kind, source }) => {
      if (kind !== 'text' || !families.includes(source.of) || !('column' in source)) return [];
      // Payments are joined as `p`.
      const [alias, column] = source.column.includes('.') ? source.column.split('.') : ['r', source.column];
      const family = source.of === 'record' ? source.family : source.of === 'contact' ? 'contacts' : 'addresses';
      return [{ table: alias === 'p' ? 'transactions' : family, column: column! }];
    });

  it('of contacts and addresses each have an index, and statistics', async () => {
    const texts = listTexts(['contact', 'address']);
    expect(texts.length).toBeGreaterThan(15);
    const indexes = await door.sql(
      `select cast(indrelid::regclass as text) as table, pg_get_indexdef(indexrelid, 2, false) as key, indpred is null as "isWhole"
         from pg_index where pg_get_indexdef(indexrelid, 2, false) like 'fold(%'`,
    );
    const statistics = (await door.sql(`select pg_get_statisticsobjdef(oid) as text from pg_statistic_ext`)).map(
      ({ text }) => text,
    );
    for (const { table, column } of texts) {
      const index = indexes.find((one) => one.table === table && one.key === `fold(${column})`);
      expect(index, `${table}.${column}`).toBeDefined();
      const own = statistics.filter((text) => text.endsWith(`(fold(${column}) COLLATE "C") FROM ${table}`));
      expect(own, `${table}.${column}`).toHaveLength(index!.isWhole ? 0 : 1);
    }
  });

  it('of records each have statistics', async () => {
    const texts = listTexts(['record']);
    expect(texts.length).toBeGreaterThan(8);
    const statistics = await door.sql(
      `select cast(stxrelid::regclass as text) as table, array_to_string(pg_get_statisticsobjdef_expressions(oid), '') as of from pg_statistic_ext`,
    );
    const wanted = texts.map(({ table, column }) => ({
      table,
      of: `(${column === 'clicked_urls' ? 'fold_links' : 'fold_inline'}(${column}) COLLATE "C")`,
    }));
    expect(statistics).toEqual(expect.arrayContaining(wanted));
  });
});

it('the texts of records that searches take as indexed by trigrams are', async () => {
  const made = await door.sql(
    `select pg_get_indexdef(indexrelid, 1, false) as key from pg_index
      where indrelid in ('notes'::regclass, 'interactions'::regclass) and indpred is null and pg_get_indexdef(indexrelid) like '%gin_trgm_ops%'`,
  );
  expect(made.map(({ key }) => key).sort()).toEqual(
    trigramTexts.map((text) => `${text.replace('r.', 'fold(')})`).sort(),
  );
});
