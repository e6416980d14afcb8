// Merges contacts that are one person: records of the others move to the survivor, and their values fill its empty fields. It is an import, so that it can be undone.
import { isDeepStrictEqual } from 'node:util';
import type { Space } from '../../database/space.ts';
import { defineStatement } from '../../database/statement.ts';
import { type Authority, isPermitted } from '../../permissions/authority.ts';
import { familyPermissions } from '../../permissions/permissions.ts';
import { type Fault, Problem } from '../../problem.ts';
import { type Conflict, combineContacts } from '../contact/combine.ts';
import { moveConsents } from '../contact/consent.ts';
import { moveFormerMails } from '../contact/former-mail.ts';
import { moveKeptApart, requireMergeable } from '../contact/kept-apart.ts';
import type { AddressParts, ColumnValue, ColumnValues } from '../contact/patch.ts';
import type { ContactRelation, ContactWith } from '../contact/read.ts';
import { readStoredContacts, type StoredContact } from '../contact/stored-contact.ts';
import {
  changeContacts,
  lockContacts,
  readWrittenContact,
  refreshContactEmails,
  refreshSearchRows,
} from '../contact/write.ts';
import { buildMarkContactsSql } from '../noun/lock-contacts.ts';
import { beginImport, claimImportBatch, countImportBatch, finishImport, mergeFamily } from './contacts.ts';
import { recordTypeNames } from './record-types.ts';

export interface MergeReport {
  /** The survivor after the merge. */
  contact: ContactWith;
  conflicts: Conflict[];
  /** How many records of each relation move, of those that the reader may read. */
  moved: { relation: string; count: number }[];
  /** The import that undoes it; null in a dry run. */
  mergeId: number | null;
}

/** A value that the survivor took: what it was before, and what it became. */
interface Taken<Value> {
  before: Value;
  after: Value;
}

/** The values that the survivor took from the others. */
export interface TakenValues {
  columns: Record<string, Taken<ColumnValue | undefined>>;
  address: Taken<AddressParts | null> | null;
  /** Whether it was opted out after the merge. */
  optedOut: boolean;
}

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
     join forms f on f.group_id = :group and f.id = d.form_id and f.deleted_at is null
    where d.contact_id <> d.kept_of and (d.form_ref_id, ${answerText('d')}) is distinct from (k.form_ref_id, ${answerText('k')})
    order by array_position(cast(:others as bigint[]), d.contact_id), d.form_id, d.id`,
);

const counts = defineStatement(
  'merge.counts',
  [
    ...recordTypeNames.map(
      (table) =>
        `select '${table}' as relation, count(*) as count from ${table} where group_id = :group and contact_id = any(:others) and deleted_at is null${
          table === 'interactions' ? ' and (:seesAllInteractions or not only_super_admin)' : ''
        }`,
    ),
    `select 'answers' as relation, count(*) as count from (${keptAnswersSql}) r
       join forms f on f.group_id = :group and f.id = r.form_id and f.deleted_at is null where r.contact_id = r.kept_of and r.contact_id <> :survivor`,
    `select 'tags' as relation, count(distinct o.tag_id) as count from contact_tags o where o.group_id = :group and o.contact_id = any(:others)
        and not exists (select 1 from contact_tags s where s.group_id = :group and s.contact_id = :survivor and s.tag_id = o.tag_id)`,
    `select 'actions' as relation, count(distinct o.action_id) as count from contact_actions o join actions a on a.group_id = :group and a.id = o.action_id and a.deleted_at is null
      where o.group_id = :group and o.contact_id = any(:others)
        and not exists (select 1 from contact_actions s where s.group_id = :group and s.contact_id = :survivor and s.action_id = o.action_id)`,
  ].join(' union all '),
);

const moveRecords = recordTypeNames.map((table) =>
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
        (select id from notes where group_id = :group and contact_id = any(:others) and pinned and deleted_at is null order by created_at desc, id desc limit 1), -1)
   returning id`,
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
const listSql = (table: string, column: string, condition = 'r.contact_id = c.id'): string =>
  `(select coalesce(jsonb_agg(r.${column}), '[]') from ${table} r where r.group_id = :group and ${condition})`;
/**
 * Writes down, before anything moves, what undoing needs: of each contact that the merge buries the records that it has, and whom it led to; of the
 * survivor what it has of what the others may add. Answers go with the answer that stays in their place, which is itself where it stays.
 */
const trace = defineStatement(
  'merge.trace',
  `with said as materialized (
     select x.contact_id, x.kept_of, to_jsonb(a) - 'folded' || jsonb_build_object('kept_id', k.id, 'kept_at', k.updated_at) as answer
       from (${keptAnswersSql}) x
       join answers a on a.group_id = :group and a.id = x.id
       join answers k on k.group_id = :group and k.id = case when x.contact_id = x.kept_of then x.id else x.kept_id end),
   records as materialized (
     select contact_id, jsonb_object_agg(name, ids) as ids from (${recordTypeNames
       .map(
         (table) =>
           `select contact_id, '${table}' as name, jsonb_agg(id) as ids from ${table} where group_id = :group and contact_id = any(:others) group by contact_id`,
       )
       .join(' union all ')}) r (contact_id, name, ids) group by contact_id)
   insert into import_contacts (group_id, import_id, contact_id, version, before)
   select :group, :import, c.id, c.version, jsonb_build_object(
            'lines', ${listSql('consent_changes', 'id')},
            'answers', (select coalesce(jsonb_agg(s.answer), '[]') from said s where s.contact_id = c.id and (c.id <> :survivor or s.kept_of <> :survivor))) ||
          case when c.id = :survivor then jsonb_build_object(
            'taken', cast(:taken as jsonb),
            'tags', ${listSql('contact_tags', 'tag_id')},
            'actions', ${listSql('contact_actions', 'action_id')},
            'mails', ${listSql('former_mails', 'mail')},
            'apart', ${listSql('kept_apart', 'contact_id', 'r.other_id = c.id')} || ${listSql('kept_apart', 'other_id')})
          else jsonb_build_object(
            'merged_into', c.merged_into,
            'unpinned', ${listSql('notes', 'id', 'r.contact_id = c.id and r.id = any(:unpinned)')}) ||
            coalesce((select r.ids from records r where r.contact_id = c.id), '{}') end
     from contacts c where c.group_id = :group and (c.id = :survivor or c.id = any(:others) or c.merged_into = any(:others))`,
);

const listTaken = (
  before: StoredContact,
  after: { columns: ColumnValues; address: AddressParts | null },
): TakenValues => {
  const columns = Object.entries(after.columns).flatMap(([name, value]) =>
    isDeepStrictEqual(before.columns[name], value) ? [] : [[name, { before: before.columns[name], after: value }]],
  );
  const isSame = isDeepStrictEqual(before.address, after.address);
  return {
    columns: Object.fromEntries(columns),
    address: isSame ? null : { before: before.address, after: after.address },
    optedOut: after.columns.black_list === true,
  };
};

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
    if (dryRun) return { ...merge, mergeId: null, contact: await readWrittenContact(tx, survivor, parts) };
    const source = { family: mergeFamily, name: `merge into contact ${survivor}`, by };
    const { id: mergeId } = await beginImport(tx, source, false);
    const unpinned = (await tx.rows<{ id: number }>(unpin, { survivor, others })).map(({ id }) => id);
    const taken = JSON.stringify(listTaken(stored.get(survivor)!, content));
    await tx.rows(trace, { import: mergeId, survivor, others, unpinned, taken });
    for (const one of moveRecords) await tx.rows(one, { survivor, others });
    await tx.rows(answers, { survivor, others });
    await tx.rows(links, { survivor, others });
    await tx.rows(deleteMerged, { survivor, others, by });
    await moveFormerMails(tx, survivor, others);
    await moveKeptApart(tx, survivor, others);
    await moveConsents(tx, survivor, others);
    await refreshSearchRows(tx, others);
    const merged = { id: survivor, content: { ...content, address: content.address ?? {} }, versions };
    await changeContacts(tx, [merged], by, { movesRecords: true });
    await refreshContactEmails(tx, [survivor, ...others]);
    await claimImportBatch(tx, mergeId, 1);
    await countImportBatch(tx, mergeId, 1, { created: 0, updated: others.length, unchanged: 0, refused: 0 });
    await finishImport(tx, mergeId);
    return { ...merge, mergeId, contact: await readWrittenContact(tx, survivor, parts) };
  });
