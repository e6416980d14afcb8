// Finds the tables that hold data of a contact: by the foreign keys of the catalog, and by a list of those that have none.
import type { Space } from '../../database/space.ts';
import { defineStatement } from '../../database/statement.ts';

/** A table with the rows of a person: `condition` is about a row `t`, and `:contacts` are the person's contacts. */
export interface PersonTable {
  table: string;
  condition: string;
}

/** A reference from rows of somebody else to rows of the person. It is cleared. */
interface ForeignReference extends PersonTable {
  columns: string[];
}

interface PersonTables {
  /** A table comes before those that it refers to. */
  owned: PersonTable[];
  references: ForeignReference[];
  /** For each of them: the condition that a row of somebody, or of something, refers to a row `t` of it, which then cannot go alone. */
  referred: ReadonlyMap<string, string>;
}

interface ForeignKey {
  from: string;
  to: string;
  columns: string[];
  targets: string[];
  /** Whether a row is deleted with the one that it refers to. */
  cascades: boolean;
  /** The columns that may be null. */
  nullable: string[];
}

/** The catalog is the same for all spaces; the space is named because every statement names it. */
const foreignKeys = defineStatement(
  'person.foreign_keys',
  `select c.conrelid::regclass::text as from, c.confrelid::regclass::text as to, c.confdeltype = 'c' as cascades, cast(:group as bigint) as space,
          array(select quote_ident(a.attname) from unnest(c.conkey) with ordinality k (n, place)
                  join pg_attribute a on a.attrelid = c.conrelid and a.attnum = k.n order by place) as columns,
          array(select quote_ident(a.attname) from unnest(c.confkey) with ordinality k (n, place)
                  join pg_attribute a on a.attrelid = c.confrelid and a.attnum = k.n order by place) as targets,
          array(select quote_ident(a.attname) from pg_attribute a
                 where a.attrelid = c.conrelid and a.attnum = any(c.conkey) and not a.attnotnull) as nullable
     from pg_constraint c
    where c.contype = 'f' and c.conparentid = 0 and c.connamespace = quote_ident(current_schema())::regnamespace
    order by c.conrelid::regclass::text, c.conname`,
);

const root = 'contacts';
const rootCondition = 't.id = any(cast(:contacts as bigint[]))';

/** The condition that a row belongs to the person by one of these keys. `above` are the tables on the way, which it does not visit again. */
const buildCondition = (table: string, owners: ReadonlyMap<string, readonly ForeignKey[]>, above: string[]): string => {
  if (table === root) return rootCondition;
  const within = [...above, table];
  const ways = owners.get(table)!.flatMap(({ to, columns, targets }) => {
    if (within.includes(to)) return [];
    const column = columns[targets.indexOf('id')];
    if (to === root && column) return [`t.${column} = any(cast(:contacts as bigint[]))`];
    const condition = buildCondition(to, owners, within);
    return [
      `(${columns.map((one) => `t.${one}`).join(', ')}) in (select ${targets.map((one) => `t.${one}`).join(', ')} from ${to} t where t.group_id = :group and ${condition})`,
    ];
  });
  return `(${ways.join(' or ')})`;
};

const buildReferredCondition = (keys: readonly ForeignKey[]): string =>
  keys
    .map(({ from, columns, targets }) => {
      const same = columns
        .map((column, index) => `o.${column} = ${column === 'group_id' ? ':group' : `t.${targets[index]}`}`)
        .join(' and ');
      return `exists (select 1 from ${from} o where ${same})`;
    })
    .join(' or ') || 'false';

/** Sorts tables so that each comes before those that it refers to. */
const sortByReference = (tables: readonly string[], keys: readonly ForeignKey[]): string[] => {
  const sorted = new Set<string>();
  const visited = new Set<string>();
  const visit = (table: string): void => {
    if (visited.has(table)) return;
    visited.add(table);
    for (const { from, to } of keys) if (to === table && from !== table && tables.includes(from)) visit(from);
    sorted.add(table);
  };
  for (const table of tables) visit(table);
  return [...sorted];
};

/**
 * Follows foreign keys backwards from contacts. A table belongs to the person by the first key that is found, and by any other whose row cannot
 * stay: one that cascades, or may not be null. A further key is a reference.
 */
export const findPersonTables = (keys: readonly ForeignKey[]): PersonTables => {
  const owners = new Map<string, ForeignKey[]>([[root, []]]);
  const references: ForeignKey[] = [];
  const queue = [root];
  for (const table of queue)
    for (const key of keys) {
      if (key.to !== table || key.from === root) continue;
      const known = owners.get(key.from);
      const isFree = key.columns.some((column) => key.nullable.includes(column));
      if (known && isFree && !key.cascades) references.push(key);
      else if (known) known.push(key);
      else {
        owners.set(key.from, [key]);
        queue.push(key.from);
      }
    }
  const describe = (table: string): PersonTable => ({ table, condition: buildCondition(table, owners, []) });
  return {
    owned: sortByReference([...owners.keys()], keys).map(describe),
    referred: new Map(
      [...owners.keys()].map((table) => [
        table,
        buildReferredCondition(keys.filter(({ to, cascades }) => to === table && !cascades)),
      ]),
    ),
    references: references.map(({ from, to, columns, targets, nullable }) => ({
      table: from,
      columns: columns.filter((column) => nullable.includes(column)),
      condition: `(${columns.map((one) => `t.${one}`).join(', ')}) in (select ${targets.map((one) => `t.${one}`).join(', ')} from ${to} t where t.group_id = :group and ${buildCondition(to, owners, [])})`,
    })),
  };
};

export const readPersonTables = async (space: Space): Promise<PersonTables> =>
  findPersonTables(await space.rows<ForeignKey>(foreignKeys));

/** Tables with rows of a person that no foreign key leads from. */
export const looseTables: readonly PersonTable[] = [
  { table: 'contact_search', condition: 't.contact_id = any(cast(:contacts as bigint[]))' },
  { table: 'contact_emails', condition: 't.contact_id = any(cast(:contacts as bigint[]))' },
  { table: 'segment_members', condition: 't.contact_id = any(cast(:contacts as bigint[]))' },
  { table: 'import_contacts', condition: 't.contact_id = any(cast(:contacts as bigint[]))' },
  {
    table: 'import_keys',
    condition: `exists (select 1 from imports i where i.group_id = :group and i.id = t.import_id and (
        i.family = 'contacts' and t.record_id = any(cast(:contacts as bigint[]))
        or i.family = 'transactions' and t.record_id in (
          select x.id from transactions x where x.group_id = :group and x.contact_id = any(cast(:contacts as bigint[])))))`,
  },
];
