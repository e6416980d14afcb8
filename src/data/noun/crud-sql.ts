// SQL that creates, updates and deletes records of a table, built from its description: one statement each, which locks, validates, writes and marks the contact.
import { buildLockContactsSql } from './lock-contacts.ts';

/** A column that is written by users. */
export interface ColumnSpec {
  /** SQL of the default when nothing, or null, is sent: `'EUR'`, `false`. It is null without it. */
  otherwise?: string;
  /** The table that it refers to, for living records of the same space. */
  refers?: ReferenceTarget;
  /** Whether the record that it refers to shows this one: a trigger moves its `updated_at` then. */
  isShownThere?: true;
}

export interface ReferenceTarget {
  table: string;
  /** The name of one of its records in errors: `transaction status`. */
  noun: string;
  /** Whether its records belong to a contact: then they live no longer than it. */
  onContact: boolean;
}

/** A rule of a record: SQL over its columns. A result of null, from a null in it, passes. */
interface RecordRule {
  holds: string;
  /** The column at fault and the message, for a 400. */
  column: string;
  message: string;
}

export interface TableSpec extends ReferenceTarget {
  columns: Readonly<Record<string, ColumnSpec>>;
  rules?: readonly RecordRule[];
  /** Whether search rows sum up the records of a contact. */
  summed?: true;
}

/** The columns of a row, in the order of selection. */
export const listSelectedColumns = ({ onContact, columns }: TableSpec): string[] => [
  'id',
  'group_id',
  ...(onContact ? ['contact_id'] : []),
  ...Object.keys(columns),
  'created_at',
  'updated_at',
];

export const qualifyColumns = (names: readonly string[], alias: string): string =>
  names.map((name) => `${alias}.${name}`).join(', ');

/** SQL that the contact of a record under this alias lives. */
export const buildLivingOwnerSql = (alias: string): string =>
  `exists (select 1 from contacts o where o.group_id = :group and o.id = ${alias}.contact_id and o.deleted_at is null)`;

/** SQL that a record under this alias lives: its contact does too. */
export const buildLivingSql = ({ onContact }: Pick<ReferenceTarget, 'onContact'>, alias: string): string =>
  `${alias}.deleted_at is null${onContact ? ` and ${buildLivingOwnerSql(alias)}` : ''}`;

export const listReferences = ({ columns }: TableSpec): [column: string, to: ReferenceTarget][] =>
  Object.entries(columns).flatMap(([column, { refers }]) =>
    refers ? [[column, refers] as [string, ReferenceTarget]] : [],
  );

/** The sent values, and the living records that they refer to: these are locked until the write, since they may be deleted meanwhile. */
const listGivenSql = (description: TableSpec): string[] => [
  `given as (select s.patch, v.* from (select cast(:sent as jsonb) as patch) s, jsonb_populate_record(cast(null as ${description.table}), s.patch) v)`,
  ...listReferences(description).map(
    ([
      column,
      to,
    ]) => `${column}_there as (select l.id from (select t.id from ${to.table} t join given g on g.${column} = t.id
      where t.group_id = :group and ${buildLivingSql(to, 't')} for ${description.columns[column]!.isShownThere ? 'no key update' : 'share'} of t) l)`,
  ),
];

/** Locks the record that shows this one before it, as who deletes that one does, so that none wait in a circle. */
const listShowingSql = ({ table, columns }: TableSpec): { name: string; sql: string }[] =>
  Object.entries(columns).flatMap(([column, { refers, isShownThere }]) =>
    refers && isShownThere
      ? [
          {
            name: `${column}_before`,
            sql: `${column}_before as (select l.id from (select t.id from ${refers.table} t
      where t.group_id = :group and t.id = (select r.${column} from ${table} r where r.group_id = :group and r.id = :id and r.deleted_at is null) for no key update of t) l)`,
          },
        ]
      : [],
  );

/** A condition that is met, and has PostgreSQL evaluate these CTEs before what it is about. */
const buildAfterSql = (names: readonly string[]): string =>
  names.map((name) => ` and (select count(*) from ${name}) >= 0`).join('');

/** The columns whose reference does not exist. */
const buildDanglingSql = (description: TableSpec, moved: (column: string) => string): string => {
  const cases = listReferences(description).map(
    ([column]) => `case when ${moved(column)} and not exists (select 1 from ${column}_there) then '${column}' end`,
  );
  return `array_remove(cast(array[${cases.join(', ')}] as text[]), null) as dangling`;
};

/** The record as it would be, with the indexes of the rules that it breaks. */
export const buildRulesSql = ({ rules = [] }: TableSpec): string => {
  const cases = rules.map(({ holds }, index) => `case when not (${holds}) then ${index} end`);
  return `validated as (select f.*, array_remove(cast(array[${cases.join(', ')}] as int[]), null) as broken from fresh f)`;
};

/** Marks the contact as changed: the call reads it from the written row, so that it runs after the write. */
const buildMarkSql = ({ summed }: TableSpec): string =>
  `(select count(*) from ${summed ? 'touch' : 'mark'}_contacts(:group, array(select contact_id from written), :userId)) as touched`;

/** The contact is locked before its records, as by writers of several records of it, so that none wait in a circle. */
const buildLockedContactSql = (which: string): string =>
  `locked as (${buildLockContactsSql(`c.id = ${which}`, { select: 'c.group_id, c.id' })})`;

const buildLockedOwnerSql = (table: string): string =>
  buildLockedContactSql(
    `(select r.contact_id from ${table} r where r.group_id = :group and r.id = :id and r.deleted_at is null)`,
  );

/** SQL of the columns of a new record, out of the sent values `g`. */
export const buildFreshColumnsSql = ({ columns }: TableSpec): string =>
  Object.entries(columns)
    .map(([name, { otherwise }]) => (otherwise ? `coalesce(g.${name}, ${otherwise}) as ${name}` : `g.${name}`))
    .join(', ');

/** CTEs up to `validated`: the new record, and what is wrong with it. No row without the contact. */
const buildNewRecordSql = (description: TableSpec): string => {
  const { onContact } = description;
  return [
    onContact ? buildLockedContactSql(':contactId') : 'locked as (select cast(:group as bigint) as group_id)',
    ...listGivenSql(description),
    `fresh as (select h.group_id, ${onContact ? 'h.id as contact_id, ' : ''}${buildFreshColumnsSql(description)},
         ${buildDanglingSql(description, (column) => `g.${column} is not null`)} from locked h cross join given g)`,
    buildRulesSql(description),
  ].join(',\n  ');
};

/**
 * Binds `sent`, `userId` and, for records of a contact, `contactId`. Yields the row, or none when the record was refused. The insert contains the
 * CTEs that it reads: a cluster sends the rows of others to all of its nodes.
 */
export const buildCreateSql = (description: TableSpec): string => {
  const { table, onContact, columns } = description;
  const own = ['group_id', ...(onContact ? ['contact_id'] : []), ...Object.keys(columns)];
  return `with written as (
  insert into ${table} (${own.join(', ')})
  with ${buildNewRecordSql(description)}
  select ${qualifyColumns(own, 'j')} from validated j where j.dangling = '{}' and j.broken = '{}'
  returning ${listSelectedColumns(description).join(', ')})
  select w.*${onContact ? `, ${buildMarkSql(description)}` : ''} from written w`;
};

/** Binds what creating binds. Yields what is wrong with a record that was refused; no row when there is no such contact. */
export const buildRefusalSql = (description: TableSpec): string =>
  `with ${buildNewRecordSql(description)} select j.dangling, j.broken from validated j`;

/**
 * Binds `id`, `sent` and `userId`. Yields no row when there is no such record. References that do not change may be to deleted records:
 * only new ones are validated. The record is locked before it is validated: the second of two writers sees the first one's values. An
 * unchanged record is not written, and its contact is not marked.
 */
export const buildUpdateSql = (description: TableSpec): string => {
  const { table, onContact, columns } = description;
  const names = Object.keys(columns);
  const fresh = names.map((name) => {
    const { otherwise } = columns[name]!;
    const sent = otherwise ? `coalesce(g.${name}, ${otherwise})` : `g.${name}`;
    return `case when jsonb_exists(g.patch, '${name}') then ${sent} else k.${name} end as ${name}`;
  });
  const showing = listShowingSql(description);
  const first = buildAfterSql([
    ...showing.map(({ name }) => name),
    ...listReferences(description).map(([column]) => `${column}_there`),
  ]);
  const changes = `(${qualifyColumns(names, 'k')}) is distinct from (${qualifyColumns(names, 'j')})`;
  const sound = `j.dangling = '{}' and j.broken = '{}'`;
  return `with ${[
    ...listGivenSql(description),
    ...showing.map(({ sql }) => sql),
    ...(onContact ? [buildLockedOwnerSql(table)] : []),
    `kept as (select r.* from ${table} r ${onContact ? 'join locked h on h.id = r.contact_id' : ''}
       where r.group_id = :group and r.id = :id and r.deleted_at is null${first} for no key update of r)`,
    `fresh as (select k.id, ${fresh.join(', ')},
         ${buildDanglingSql(description, (column) => `g.${column} is distinct from k.${column} and g.${column} is not null`)}
       from kept k cross join given g)`,
    buildRulesSql(description),
    `written as (update ${table} r set ${names.map((name) => `${name} = j.${name}`).join(', ')}, updated_at = now()
       from validated j join kept k on k.id = j.id where r.group_id = :group and r.id = j.id and ${sound} and ${changes}
       returning ${qualifyColumns(listSelectedColumns(description), 'r')})`,
    `present as (select * from written union all
       select ${qualifyColumns(listSelectedColumns(description), 'k')} from kept k join validated j on j.id = k.id where ${sound} and not (${changes}))`,
  ].join(',\n  ')}
  select j.dangling, j.broken, ${qualifyColumns(listSelectedColumns(description), 'w')}${onContact ? `, ${buildMarkSql(description)}` : ''}
    from validated j left join present w on true`;
};

/** Binds `id` and, for records of a contact, `userId`. Yields no row when there is no such record. */
export const buildDeleteSql = (description: TableSpec): string => {
  const { table, onContact } = description;
  const deleteSql = `update ${table} r set deleted_at = now(), updated_at = now()`;
  const which = 'r.group_id = :group and r.id = :id and r.deleted_at is null';
  if (!onContact) {
    const showing = listShowingSql(description);
    const before = showing.length > 0 ? `with ${showing.map(({ sql }) => sql).join(', ')} ` : '';
    return `${before}${deleteSql} where ${which}${buildAfterSql(showing.map(({ name }) => name))} returning r.id`;
  }
  return `with ${buildLockedOwnerSql(table)},
  written as (${deleteSql} from locked h where ${which} and r.contact_id = h.id returning r.id, r.contact_id)
  select w.id, ${buildMarkSql(description)} from written w`;
};
