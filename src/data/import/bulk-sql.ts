// SQL for many records of one type: writes a batch, reads a page of an export, deletes what an import wrote, and marks the contacts of these.

import type { Space } from '../../database/space.ts';
import { defineStatement } from '../../database/statement.ts';
import { refreshContactEmails } from '../contact/write.ts';
import {
  buildFreshColumnsSql,
  buildLivingSql,
  buildRulesSql,
  listReferences,
  qualifyColumns,
} from '../noun/crud-sql.ts';
import { buildMarkContactsSql } from '../noun/lock-contacts.ts';
import { type RecordType, recordTypes } from './record-types.ts';

/**
 * Does what `touch_contacts` does for any change, but skips what the records cannot have changed: for a file of donations that saves two
 * thirds of the time. The contacts are locked already, in the order of their ids.
 */
const touchSql = ({ name, table, summed }: RecordType): string => {
  const mark = `update contacts c set ${buildMarkContactsSql({ version: 'c.version + 1', user: 'coalesce(:by, c.user_id)' })}
      where c.group_id = :group and c.id = any(:ids) and c.deleted_at is null`;
  if (!summed) return mark;
  return `with moved as (${mark} returning c.id)
   update contact_search s set ${name}_count = r.count, ${name}_sum = r.sum, ${name}_min = r.least, ${name}_max = r.most
     from moved m cross join lateral (
       select cast(count(*) as int) as count, cast(coalesce(sum(d.amount) filter (where d.currency = 'EUR'), 0) as bigint) as sum,
              coalesce(min(d.amount) filter (where d.currency = 'EUR'), case when count(*) > 0 then 9223372036854775807 else 0 end) as least,
              coalesce(max(d.amount) filter (where d.currency = 'EUR'), case when count(*) > 0 then -9223372036854775807 else 0 end) as most
         from ${table} d where d.group_id = :group and d.contact_id = m.id and d.deleted_at is null) r
    where s.group_id = :group and s.contact_id = m.id`;
};

const touches = new Map(
  [...recordTypes.values()]
    .filter((family) => family.touches)
    .map((family) => [family.name, defineStatement(`${family.name}.touch`, touchSql(family))] as const),
);

/** Runs after a write of many records, in its transaction; `by` null keeps the last editor of the contacts. They are locked. */
export const touchForRecords = (
  tx: Space,
  { name }: RecordType,
  contacts: readonly number[],
  by: number | null,
): Promise<unknown> => {
  const touch = touches.get(name);
  return touch ? tx.rows(touch, { ids: contacts, by }) : refreshContactEmails(tx, contacts);
};

/** The records that the columns of a batch refer to: locked until the write, since they may be deleted meanwhile. */
const targets = (family: RecordType): string[] =>
  listReferences(family).map(
    ([column, to]) => `${column}_there as materialized (select l.id from (select t.id from ${to.table} t
       where t.group_id = :group and t.id in (select g.${column} from given g) and ${buildLivingSql(to, 't')} for share of t) l)`,
  );

const givenSql = ({ table, columns }: RecordType): string =>
  `given as materialized (select i.n, i.contact_id, ${qualifyColumns(Object.keys(columns), 'p')}
       from jsonb_to_recordset(cast(:records as jsonb)) as i (n int, contact_id bigint, columns jsonb)
       cross join lateral jsonb_populate_record(cast(null as ${table}), i.columns) p)`;

/**
 * Binds `records`: JSON of `{n, contact_id, columns}`, of contacts that are locked. Yields those that may not be written, with the columns that point at
 * what is not there, and the rules that they break. The targets of the others are locked. Nothing is joined: of rows out of JSON the planner knows too
 * little to join them well.
 */
export const buildFindRefusedSql = (family: RecordType): string => {
  const missing = listReferences(family).map(
    ([column]) =>
      `case when g.${column} is not null and g.${column} not in (select t.id from ${column}_there t) then '${column}' end`,
  );
  return `with ${[
    givenSql(family),
    ...targets(family),
    `fresh as (select g.n, cast(:group as bigint) as group_id, ${buildFreshColumnsSql(family)},
         array_remove(cast(array[${missing.join(', ')}] as text[]), null) as dangling from given g)`,
    buildRulesSql(family),
  ].join(',\n  ')}
  select j.n, j.dangling, j.broken from validated j where j.dangling <> '{}' or j.broken <> '{}'`;
};

/** Binds `records`, all of which may be written. Yields their ids, in the order of `n`. */
export const buildCreateManySql = (family: RecordType): string => {
  const { table, columns } = family;
  return `with written as (
  insert into ${table} (${['group_id', 'contact_id', ...Object.keys(columns)].join(', ')})
  with ${givenSql(family)}
  select :group, g.contact_id, ${buildFreshColumnsSql(family)} from given g order by g.n
  returning id)
  select w.id from written w order by w.id`;
};

/** Binds `import` and `ids`. Remembers what was written, and which version its contact has now. */
export const buildTraceSql = ({ table, touches, mark }: RecordType): string =>
  `insert into import_records (group_id, import_id, record_id, contact_id, mark, touched)
   select :group, :import, r.id, r.contact_id, ${mark('r')}, ${touches ? 'c.version' : 'null'}
     from ${table} r join contacts c on c.group_id = :group and c.id = r.contact_id
    where r.group_id = :group and r.id = any(:ids)`;

/** Binds `ids` and `marks`. Soft-deletes the records that nobody has changed; their contacts are locked, and live. */
export const buildTakeBackSql = ({ table, touches, mark }: RecordType): string =>
  `with unchanged as (
     select r.id from ${table} r join unnest(cast(:ids as bigint[]), cast(:marks as bigint[])) g (id, mark) on g.id = r.id and g.mark = ${mark('r')}
      where r.group_id = :group and r.deleted_at is null and r.contact_id = any(:contacts)),
   removed as (
     update ${table} r set deleted_at = now()${touches ? ', updated_at = now()' : ''}
       from unchanged u
      where r.group_id = :group and r.id = u.id and r.deleted_at is null
     returning r.id, r.contact_id)${
       table === 'interactions'
         ? `,
   removed_files as (
     update files f set deleted_at = now() from removed g
      where f.group_id = :group and f.interaction_id = g.id and f.deleted_at is null)`
         : ''
}
   select id, contact_id from removed`;

const files = `(select json_agg(json_build_object('name', f.name, 'url', f.url, 'mime', f.mime, 'folder', f.folder, 'subject', f.subject) order by f.id)
     from files f where f.group_id = :group and f.interaction_id = r.id and f.deleted_at is null) as files`;

/** The transaction of a record, if an export has it: its import would refuse a record of another. */
const exportedTransaction = `(select p.id from transactions p join contacts o on o.group_id = :group and o.id = p.contact_id and o.deleted_at is null
     where p.group_id = :group and p.id = r.transaction_id and p.deleted_at is null) as transaction_id`;

/** Binds `after` and `limit`. The living records of living contacts in the order of their ids, with the names of what they point at. */
export const buildExportPageSql = (family: RecordType): string => {
  const { table, columns, label, shown } = family;
  const own = Object.keys(columns).flatMap((name) => {
    if (name === 'transaction_id') return [exportedTransaction];
    if (name !== label?.column) return [`r.${name}`];
    const texts = Object.entries(label.texts).map(
      ([column, text]) =>
        `(select ${text} from ${label.target.table} t where t.group_id = :group and t.id = r.${name}) as ${column}`,
    );
    return [`r.${name}`, ...texts];
  });
  return `select r.id, r.contact_id, c.external_id as contact_external_id, c.mail as contact_mail, ${[
    ...own,
    ...(table === 'interactions' ? [files] : []),
    ...shown.map((name) => `r.${name}`),
  ].join(', ')}
     from ${table} r join contacts c on c.group_id = :group and c.id = r.contact_id and c.deleted_at is null
    where r.group_id = :group and r.id > :after and r.deleted_at is null order by r.id limit :limit`;
};
