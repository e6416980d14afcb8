// Merges contacts that are one person: records of the others move to the survivor, and their values fill its empty fields.

import type { Space } from '../../database/space.ts';
import { defineStatement } from '../../database/statement.ts';
import { type Authority, isPermitted } from '../../permissions/authority.ts';
import { familyPermissions } from '../../permissions/permissions.ts';
import { type Fault, Problem } from '../../problem.ts';
import { buildMarkContactsSql } from '../noun/lock-contacts.ts';
import { type Conflict, combineContacts } from './combine.ts';
import { moveConsents } from './consent.ts';
import { moveFormerMails } from './former-mail.ts';
import { moveKeptApart, requireMergeable } from './kept-apart.ts';
import type { ContactRelation, ContactWith } from './read.ts';
import { readStoredContacts } from './stored-contact.ts';
import { changeContacts, lockContacts, readWrittenContact, refreshContactEmails, refreshSearchRows } from './write.ts';

export interface MergeReport {
  /** The survivor after the merge. */
  contact: ContactWith;
  conflicts: Conflict[];
  /** How many records of each relation move, of those that the reader may read. */
  moved: { relation: string; count: number }[];
}

/** Tables whose records only refer to the contact by its id. */
const records = ['notes', 'interactions', 'transactions', 'donations', 'memberships', 'emails', 'sanctions'] as const;

/**
 * The contact whose answers to a form stay, those to each reference value of a form that takes many: where a form takes one answer, the one with the
 * latest date; else the survivor, else whoever answered last.
 */
const keptAnswersSql = `select a.id, a.contact_id, a.form_id, a.form_ref_id, a.data, first_value(a.id) over answered as kept_id,
            first_value(a.contact_id) over answered as kept_of
       from answers a join forms f on f.group_id = :group and f.id = a.form_id
      where a.group_id = :group and (a.contact_id = any(:others) or a.contact_id = :survivor)
     window answered as (partition by a.form_id, case when f.type in ('radio', 'select') then 0 else a.form_ref_id end
              order by case when f.type in ('radio', 'select') then a.date end desc nulls last, a.contact_id = :survivor desc, a.updated_at desc, a.id desc)`;

/** An answer in words: its text, else the value that was chosen. */
const answerText = (alias: string): string =>
  `coalesce(nullif(${alias}.data, ''), (select coalesce(nullif(r.value, ''), r.label) from form_refs r where r.group_id = :group and r.id = ${alias}.form_ref_id))`;

const droppedAnswers = defineStatement(
  'merge.dropped_answers',
  `select d.contact_id, 'Form:' || d.form_id as field, ${answerText('k')} as kept, ${answerText('d')} as dropped
     from (${keptAnswersSql}) d join answers k on k.group_id = :group and k.id = d.kept_id
    where d.contact_id <> d.kept_of and (d.form_ref_id, ${answerText('d')}) is distinct from (k.form_ref_id, ${answerText('k')})
    order by array_position(cast(:others as bigint[]), d.contact_id), d.form_id, d.id`,
);

const counts = defineStatement(
  'merge.counts',
  [
    ...records.map(
      (table) =>
        `select '${table}' as relation, count(*) as count from ${table} where group_id = :group and contact_id = any(:others) and deleted_at is null${
          table === 'interactions' ? ' and (:seesAllInteractions or not only_super_admin)' : ''
        }`,
    ),
    `select 'answers' as relation, count(*) as count from (${keptAnswersSql}) r where r.contact_id = r.kept_of and r.contact_id <> :survivor`,
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
     ${keptAnswersSql}),
   removed as (delete from answers a using all_answers x where a.group_id = :group and a.id = x.id and x.contact_id <> x.kept_of)
   update answers a set contact_id = :survivor from all_answers x
    where a.group_id = :group and a.id = x.id and x.contact_id = x.kept_of and a.contact_id <> :survivor`,
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
  /** The reader of the report: records that they may not read are moved too, but not counted. */
  reader: Authority;
  /** Relations of the survivor that the answer includes. */
  parts: readonly ContactRelation[];
}

/**
 * Merges the others into the survivor in one transaction; with `dryRun` it only tells what would happen. From then on the ids of the others
 * lead to the survivor. Throws 422 for contacts that are missing or named twice, 409 for two that are kept apart.
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
    await requireMergeable(tx, [survivor, ...others]);
    // The ids of the others lead to the survivor from now on, so its version becomes one that none of them had.
    const version = living.get(survivor)!;
    const versions = Math.max(version, ...others.map((id) => living.get(id)! + 1)) + 1 - version;
    const seesAllInteractions = reader.roleType === 'superadmin';
    const stored = await readStoredContacts(tx, [survivor, ...others], []);
    const { conflicts, ...content } = combineContacts([survivor, ...others].map((id) => ({ id, ...stored.get(id)! })));
    const merge = {
      conflicts: isPermitted(reader, 'contacts.read')
        ? [...conflicts, ...(await tx.rows<Conflict>(droppedAnswers, { survivor, others }))]
        : [],
      moved: (await tx.rows<MergeReport['moved'][number]>(counts, { survivor, others, seesAllInteractions })).filter(
        ({ relation, count }) => count > 0 && isPermitted(reader, familyPermissions[relation] ?? 'contacts.read'),
      ),
    };
    if (dryRun) return { ...merge, contact: await readWrittenContact(tx, survivor, parts) };
    await tx.rows(unpin, { survivor, others });
    for (const one of moveRecords) await tx.rows(one, { survivor, others });
    await tx.rows(answers, { survivor, others });
    await tx.rows(links, { survivor, others });
    await tx.rows(deleteMerged, { survivor, others, by });
    await moveFormerMails(tx, survivor, others);
    await moveKeptApart(tx, survivor, others);
    await moveConsents(tx, survivor, others);
    await refreshSearchRows(tx, others);
    await changeContacts(tx, [{ id: survivor, content: { ...content, address: content.address ?? {} }, versions }], by);
    await refreshContactEmails(tx, [survivor, ...others]);
    return { ...merge, contact: await readWrittenContact(tx, survivor, parts) };
  });
