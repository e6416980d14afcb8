// Merges contacts that are one person: records of the others move to the survivor, and their values fill its empty fields.

import type { Space } from '../../database/space.ts';
import { defineStatement } from '../../database/statement.ts';
import { type Authority, isPermitted } from '../../permissions/authority.ts';
import { familyPermissions } from '../../permissions/permissions.ts';
import { type Fault, Problem } from '../../problem.ts';
import { buildMarkContactsSql } from '../noun/lock-contacts.ts';
import { addressColumnNames, contactColumnNames, contactFlags } from './columns.ts';
import type { ContactRelation, ContactWith } from './read.ts';
import { lockContacts, readWrittenContact, refreshContactEmails, refreshSearchRows } from './write.ts';

/** A field with two different values: the survivor's stays. An empty text counts as no value. */
export interface Conflict {
  contact_id: number;
  field: string;
  kept: string;
  dropped: string;
}

export interface MergeReport {
  /** The survivor after the merge. */
  contact: ContactWith;
  conflicts: Conflict[];
  /** How many records of each relation move, of those that the reader may read. */
  moved: { relation: string; count: number }[];
}

/** Tables whose records only refer to the contact by its id. */
const records = ['notes', 'interactions', 'transactions', 'donations', 'memberships', 'emails', 'sanctions'] as const;

const fields = contactColumnNames.filter((column) => !contactFlags.includes(column));
const valuesOf = (alias: string, columns: readonly string[]): string =>
  columns.map((column) => `('${column}', cast(${alias}.${column} as text))`).join(', ');

const conflicts = defineStatement(
  'merge.conflicts',
  `select o.id as contact_id, field.name as field, field.value as kept, other.value as dropped
     from contacts s
     left join addresses sa on sa.group_id = :group and sa.contact_id = s.id
     join contacts o on o.group_id = :group and o.id = any(:others)
     left join addresses oa on oa.group_id = :group and oa.contact_id = o.id
     cross join lateral (values ${valuesOf('s', fields)}, ${valuesOf('sa', addressColumnNames)}) field (name, value)
     join lateral (values ${valuesOf('o', fields)}, ${valuesOf('oa', addressColumnNames)}) other (name, value) on other.name = field.name
    where s.group_id = :group and s.id = :survivor and field.value <> other.value and field.value <> '' and other.value <> ''
    order by array_position(cast(:others as bigint[]), o.id), field.name`,
);

/** For a form that takes one answer, the survivor's stays, else the newest of the others'; the same for each reference value of other forms. */
const rankedAnswersSql = `select a.id, a.contact_id, row_number() over (
              partition by a.form_id, case when f.type in ('radio', 'select') then 0 else a.form_ref_id end
              order by a.contact_id = :survivor desc, a.updated_at desc, a.id desc) as place
       from answers a join forms f on f.group_id = :group and f.id = a.form_id
      where a.group_id = :group and (a.contact_id = any(:others) or a.contact_id = :survivor)`;

const counts = defineStatement(
  'merge.counts',
  [
    ...records.map(
      (table) =>
        `select '${table}' as relation, count(*) as count from ${table} where group_id = :group and contact_id = any(:others) and deleted_at is null${
          table === 'interactions' ? ' and (:seesAllInteractions or not only_super_admin)' : ''
        }`,
    ),
    `select 'answers' as relation, count(*) as count from (${rankedAnswersSql}) r where r.place = 1 and r.contact_id <> :survivor`,
    `select 'tags' as relation, count(distinct o.tag_id) as count from contact_tags o where o.group_id = :group and o.contact_id = any(:others)
        and not exists (select 1 from contact_tags s where s.group_id = :group and s.contact_id = :survivor and s.tag_id = o.tag_id)`,
    `select 'actions' as relation, count(distinct o.action_id) as count from contact_actions o where o.group_id = :group and o.contact_id = any(:others)
        and not exists (select 1 from contact_actions s where s.group_id = :group and s.contact_id = :survivor and s.action_id = o.action_id)`,
  ].join(' union all '),
);

const moveRecords = records.map((table) =>
  defineStatement(
    `merge.move_${table}`,
    `update ${table} set contact_id = :survivor where group_id = :group and contact_id = any(:others)`,
  ),
);
/** One note stays pinned: the survivor's, else the newest of the others'. */
const unpin = defineStatement(
  'merge.unpin',
  `update notes set pinned = false where group_id = :group and contact_id = any(:others) and pinned
      and id <> coalesce(
        (select min(-1) from notes where group_id = :group and contact_id = :survivor and pinned and deleted_at is null),
        (select id from notes where group_id = :group and contact_id = any(:others) and pinned and deleted_at is null order by created_at desc, id desc limit 1), -1)`,
);
const answers = defineStatement(
  'merge.answers',
  `with all_answers as (
     ${rankedAnswersSql}),
   removed as (delete from answers a using all_answers x where a.group_id = :group and a.id = x.id and x.place > 1 and a.contact_id <> :survivor)
   update answers a set contact_id = :survivor from all_answers x
    where a.group_id = :group and a.id = x.id and x.place = 1 and a.contact_id <> :survivor`,
);
const links = defineStatement(
  'merge.links',
  `with tags as (
     insert into contact_tags (group_id, contact_id, tag_id)
     select distinct cast(:group as bigint), cast(:survivor as bigint), tag_id from contact_tags where group_id = :group and contact_id = any(:others)
     on conflict do nothing)
   insert into contact_actions (group_id, contact_id, action_id)
   select distinct cast(:group as bigint), cast(:survivor as bigint), action_id from contact_actions where group_id = :group and contact_id = any(:others)
   on conflict do nothing`,
);
/**
 * Empty fields are filled by the first of the others, in the order they were named, that has a value; a flag is true when one of all has it.
 * The ids of the others lead to the survivor from now on, so its version becomes one that none of them had.
 */
const fill = defineStatement(
  'merge.fill',
  `update contacts s set
     ${fields.map((column) => `${column} = coalesce(o.${column}, s.${column})`).join(', ')},
     ${contactFlags.map((column) => `${column} = o.${column}`).join(', ')},
     ${buildMarkContactsSql({ version: 'o.version + 1', user: ':by' })}
    from (select ${[
      ...fields.map(
        (column) =>
          `(array_agg(${column} order by place) filter (where cast(${column} as text) <> ''))[1] as ${column}`,
      ),
      ...contactFlags.map((column) => `bool_or(${column}) as ${column}`),
      'max(version) as version',
    ].join(', ')}
            from (select c.*, array_position(cast(:survivor as bigint) || cast(:others as bigint[]), c.id) as place from contacts c
                   where c.group_id = :group and (c.id = :survivor or c.id = any(:others))) c) o
   where s.group_id = :group and s.id = :survivor`,
);
const fillAddress = defineStatement(
  'merge.fill_address',
  `insert into addresses (group_id, contact_id, ${addressColumnNames.join(', ')})
   select :group, :survivor, ${addressColumnNames.map((column) => `a.${column}`).join(', ')} from addresses a
    where a.group_id = :group and a.contact_id = any(:others)
    order by array_position(cast(:others as bigint[]), a.contact_id) limit 1
   on conflict (group_id, contact_id) do nothing`,
);
/** Contacts that were merged into one of the others before follow it. This comes first, so that their external ids are free for the survivor. */
const deleteMerged = defineStatement(
  'merge.bury',
  `update contacts set merged_into = :survivor, deleted_at = least(deleted_at, now()), ${buildMarkContactsSql({ user: ':by', lastchange: false })}
    where group_id = :group and (id = any(:others) or merged_into = any(:others))`,
);

interface MergeOptions {
  survivor: number;
  others: number[];
  dryRun: boolean;
  by: number;
  /** Who reads the report: what they may not read is moved too, but not counted. */
  reader: Authority;
  /** Relations of the survivor that the answer includes. */
  parts: readonly ContactRelation[];
}

/**
 * Merges the others into the survivor in one transaction; with `dryRun` it only tells what would happen. From then on the ids of the others
 * lead to the survivor. Throws 422 for contacts that are missing or named twice.
 */
export const mergeContacts = (
  space: Space,
  { survivor, others, dryRun, by, reader, parts }: MergeOptions,
): Promise<MergeReport> =>
  space.transaction(async (tx) => {
    const living = await lockContacts(tx, [survivor, ...others]);
    const seen = new Set([survivor]);
    const faults = others.flatMap((id, index): Fault[] => {
      const twice = seen.has(id);
      seen.add(id);
      if (!twice && living.has(id)) return [];
      const message = twice ? 'is named twice' : 'is not a contact of the space';
      return [{ location: `input.ids[${index}]`, message, value: id }];
    });
    if (!living.has(survivor))
      faults.unshift({ location: 'input.survivorId', message: 'is not a contact of the space', value: survivor });
    if (faults.length > 0)
      throw new Problem('unprocessable', 'Not all of these are contacts that can be merged', { errors: faults });
    const seesAllInteractions = reader.roleType === 'superadmin';
    const merge = {
      conflicts: isPermitted(reader, 'contacts.read') ? await tx.rows<Conflict>(conflicts, { survivor, others }) : [],
      moved: (await tx.rows<MergeReport['moved'][number]>(counts, { survivor, others, seesAllInteractions })).filter(
        ({ relation, count }) => count > 0 && isPermitted(reader, familyPermissions[relation] ?? 'contacts.read'),
      ),
    };
    if (dryRun) return { ...merge, contact: await readWrittenContact(tx, survivor, parts) };
    await tx.rows(unpin, { survivor, others });
    for (const one of moveRecords) await tx.rows(one, { survivor, others });
    await tx.rows(answers, { survivor, others });
    await tx.rows(links, { survivor, others });
    await tx.rows(fillAddress, { survivor, others });
    await tx.rows(deleteMerged, { survivor, others, by });
    await tx.rows(fill, { survivor, others, by });
    await refreshSearchRows(tx, [survivor, ...others]);
    await refreshContactEmails(tx, [survivor, ...others]);
    return { ...merge, contact: await readWrittenContact(tx, survivor, parts) };
  });
