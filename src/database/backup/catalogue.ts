// Reads the catalogue for backups: tables with their columns, sequences, and the foreign keys, indexes and triggers that loading puts aside.
import pg from 'pg';
import type { Migration } from '../migrate.ts';
import type { Trailer } from './format.ts';

export interface StoredTable {
  name: string;
  /** The columns that are written: generated ones are not. */
  columns: string[];
  isPartitioned: boolean;
  /** Whether its rows outlive a crash. */
  isLogged: boolean;
  /** In bytes. */
  size: number;
}

/** Tables in the schema of the migrations: no partitions, and nothing of extensions. */
const tables = `
  select c.relname as name, c.relkind = 'p' as "isPartitioned", c.relpersistence = 'p' as "isLogged",
         case c.relkind when 'p' then 0 else pg_relation_size(c.oid)::float8 end as size,
         array(select a.attname::text from pg_attribute a
                where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = '' order by a.attnum) as columns
    from pg_class c
   where c.relnamespace = (select relnamespace from pg_class where oid = 'schema_migrations'::regclass)
     and c.relkind in ('r', 'p') and not c.relispartition and c.relname <> 'schema_migrations'
     and not exists (select 1 from pg_depend where objid = c.oid and deptype = 'e')
   order by c.relname`;

/** The names of tables that migrations create. Others in the same schema belong to the operator. */
const findCreatedTables = (migrations: readonly Migration[]): Set<string> =>
  new Set(
    migrations.flatMap(({ sql }) =>
      [...sql.matchAll(/^[ \t]*create (?:unlogged )?table (?:if not exists )?(\w+)/gim)].map(([, name]) => name!),
    ),
  );

export interface StoredTables {
  /** The tables whose rows a backup has. */
  kept: StoredTable[];
  /** Names of tables that are filled again from the others, or may be empty. */
  emptied: string[];
  /** Names of tables that no migration creates. */
  foreign: string[];
}

/** Divides the tables of the database. Unlogged ones, which a crash empties, and derived ones need no backup. */
export const readTables = async (
  client: pg.Client,
  migrations: readonly Migration[],
  derived: readonly string[],
): Promise<StoredTables> => {
  const { rows } = await client.query<StoredTable>(tables);
  const created = findCreatedTables(migrations);
  const own = rows.filter(({ name }) => created.has(name));
  const isKept = ({ name, isLogged }: StoredTable): boolean => isLogged && !derived.includes(name);
  return {
    kept: own.filter(isKept),
    emptied: own.filter((table) => !isKept(table)).map(({ name }) => name),
    foreign: rows.flatMap(({ name }) => (created.has(name) ? [] : [name])),
  };
};

export const quoteNames = (names: readonly string[]): string => names.map(pg.escapeIdentifier).join(', ');

export const findFilledTables = async (client: pg.Client, names: readonly string[]): Promise<string[]> => {
  const filled: string[] = [];
  for (const name of names) {
    const { rows } = await client.query(`select exists (select 1 from ${pg.escapeIdentifier(name)}) as filled`);
    if (rows[0].filled) filled.push(name);
  }
  return filled;
};

type SequenceState = Trailer['sequences'][number];

const serialColumns = `
  select c.relname as table, a.attname as column, d.objid::regclass::text as sequence
    from pg_depend d
    join pg_class c on c.oid = d.refobjid
    join pg_attribute a on a.attrelid = c.oid and a.attnum = d.refobjsubid
   where d.classid = 'pg_class'::regclass and d.deptype in ('a', 'i') and c.relname = any($1)
     and c.relnamespace = (select relnamespace from pg_class where oid = 'schema_migrations'::regclass)
     and d.objid in (select oid from pg_class where relkind = 'S')
   order by 1, 2`;

/** The states of the sequences of these tables. They belong to no transaction, and may be ahead of the rows that it sees. */
export const readSequences = async (client: pg.Client, names: readonly string[]): Promise<SequenceState[]> => {
  const { rows } = await client.query<{ table: string; column: string; sequence: string }>(serialColumns, [names]);
  const states: SequenceState[] = [];
  for (const { table, column, sequence } of rows) {
    const { rows: state } = await client.query(
      `select last_value::text as "lastValue", is_called as "isCalled" from ${sequence}`,
    );
    states.push({ table, column, ...state[0] });
  }
  return states;
};

export const setSequences = async (client: pg.Client, states: readonly SequenceState[]): Promise<void> => {
  for (const { table, column, lastValue, isCalled } of states)
    await client.query('select setval(pg_get_serial_sequence($1, $2)::regclass, $3, $4)', [
      pg.escapeIdentifier(table),
      column,
      lastValue,
      isCalled,
    ]);
};

/** Foreign keys among these tables, and indexes that no constraint needs, with the statements that drop and create each. */
const obstacles = `
  select format('alter table %s drop constraint %I', conrelid::regclass, conname) as drop,
         format('alter table %s add constraint %I %s', conrelid::regclass, conname, pg_get_constraintdef(oid)) as create
    from pg_constraint where contype = 'f' and conparentid = 0 and conrelid = any($1::text[]::regclass[])
  union all
  select format('drop index %s', indexrelid::regclass), pg_get_indexdef(indexrelid)
    from pg_index join pg_class on pg_class.oid = indexrelid
   where indrelid = any($1::text[]::regclass[]) and relkind = 'i' and not indisunique and not indisexclusion and not relispartition`;

/**
 * Puts aside what makes loading slow, or depends on the order of tables: foreign keys, indexes, triggers. Returns a function that restores them,
 * which checks the foreign keys of all rows at once. The owner of the tables may do this; switching checks off needs a superuser.
 */
export const putObstaclesAside = async (client: pg.Client, names: readonly string[]): Promise<() => Promise<void>> => {
  const quoted = names.map(pg.escapeIdentifier);
  const { rows } = await client.query<{ drop: string; create: string }>(obstacles, [quoted]);
  for (const { drop } of rows) await client.query(drop);
  for (const name of quoted) await client.query(`alter table ${name} disable trigger user`);
  return async () => {
    for (const { create } of rows.toReversed()) await client.query(create);
    for (const name of quoted) await client.query(`alter table ${name} enable trigger user`);
  };
};
