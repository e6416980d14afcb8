// Undoes merges: the merged contacts live again with what they had, and the survivor has what it had before, and what it was given since.
import { isDeepStrictEqual } from 'node:util';
import type { Space } from '../../database/space.ts';
import { defineStatement } from '../../database/statement.ts';
import { type Authority, isPermitted } from '../../permissions/authority.ts';
import { familyPermissions } from '../../permissions/permissions.ts';
import { Problem } from '../../problem.ts';
import { readStoredContacts } from '../contact/stored-contact.ts';
import { keepSuppressions } from '../contact/suppression.ts';
import { changeContacts, refreshContactEmails, refreshSearchRows } from '../contact/write.ts';
import { type AuditAction, addAuditLines } from '../noun/audit.ts';
import { buildLockContactsSql, buildMarkContactsSql } from '../noun/lock-contacts.ts';
import { mergeFamily, readImport, requireUndoable } from './contacts.ts';
import type { TakenValues } from './merge.ts';
import { recordTypeNames } from './record-types.ts';

export interface UndoneMerge {
  /** The survivor first, then the contacts that live again. */
  contacts: number[];
  /** How many values and records stay as they are, since somebody has changed or deleted them; of records those that the reader may read. */
  left: number;
}

/** The copy of a contact (merge.ts): `taken` of the survivor alone, records of the others. */
interface Traced {
  id: number;
  merged_into: number | null;
  taken: TakenValues | null;
  /** How many records of each type it had. */
  records: Record<string, number>;
}

const tracedSql = 'import_contacts t where t.group_id = :group and t.import_id = :import';
const listSql = (name: string): string => `cross join lateral jsonb_array_elements_text(t.before -> '${name}') x (id)`;

const lock = defineStatement(
  'undo_merge.lock',
  'select 1 from imports where group_id = :group and id = :import for update',
);
const read = defineStatement(
  'undo_merge.read',
  `select t.contact_id as id, cast(t.before ->> 'merged_into' as bigint) as merged_into, t.before -> 'taken' as taken,
          jsonb_build_object(${recordTypeNames.map((table) => `'${table}', coalesce(jsonb_array_length(t.before -> '${table}'), 0)`).join(', ')}) as records
     from ${tracedSql} order by t.contact_id`,
);
const lockContacts = defineStatement(
  'undo_merge.lock_contacts',
  buildLockContactsSql('c.id = any(:ids)', { select: 'c.id, c.version, c.deleted_at', includeDeleted: true }),
);
/** A later merge that moved what the survivor has, or the survivor itself. */
const later = defineStatement(
  'undo_merge.later',
  `select max(i.id) as id from imports i join import_contacts t on t.group_id = :group and t.import_id = i.id and t.contact_id = :survivor
    where i.group_id = :group and i.family = '${mergeFamily}' and i.id > :import and i.undone_at is null`,
);
/** Whether an opt-out of the survivor was lifted since: one that is there now was made later. */
const lifted = defineStatement(
  'undo_merge.lifted',
  `select 1 from consent_changes l where l.group_id = :group and l.contact_id = :survivor and l.form_id is null and l.after = 'false' and not exists (
     select 1 from ${tracedSql} and t.before -> 'lines' @> to_jsonb(l.id)) limit 1`,
);
/**
 * Answers are values: each contact has again those that it had, and the survivor keeps those that it was given since. The answers that the merge left alone tell
 * which. An answer on consent that was changed since does not come back: it may be the one that was withdrawn.
 */
const saidSql = `with said as materialized (
     select t.contact_id as owner, r.*, x.kept_id, f.kind = 'consent' as consents, case when f.type not in ('radio', 'select') then r.form_ref_id end as option,
            k.id is not null as same, k.id is not null and k.id = r.id as moves
       from import_contacts t
       cross join lateral jsonb_array_elements(t.before -> 'answers') e (answer)
       cross join lateral jsonb_populate_record(cast(null as answers), e.answer) r
       cross join lateral jsonb_to_record(e.answer) x (kept_id bigint, kept_at timestamptz)
       join form_refs o on o.group_id = :group and o.id = r.form_ref_id
       join forms f on f.group_id = :group and f.id = r.form_id
       left join answers k on k.group_id = :group and k.id = x.kept_id and k.contact_id = :survivor and k.updated_at = x.kept_at
      where t.group_id = :group and t.import_id = :import)`;
const countChangedAnswers = defineStatement(
  'undo_merge.changed_answers',
  `${saidSql} select count(*) as count from said s where not s.same and (s.owner = :survivor or s.id = s.kept_id or s.consents)`,
);
/** The survivor loses the answers that move; the others lose those that do not come back. */
const withdrawAnswers = defineStatement(
  'undo_merge.withdraw_answers',
  `${saidSql} insert into consent_changes (group_id, contact_id, form_id, form_ref_id, option_id, before)
   select :group, case when s.moves then :survivor else s.owner end, s.form_id, s.option, s.form_ref_id, answer_text(:group, s.data, s.form_ref_id) from said s
    where s.consents and (s.moves or not s.same and s.owner <> :survivor) on conflict do nothing`,
);
/** The survivor keeps those that were changed since, or has deleted them; the others get what they had. */
const copyAnswers = defineStatement(
  'undo_merge.copy_answers',
  `${saidSql} insert into answers (group_id, contact_id, form_id, form_ref_id, survey_id, data, date, created_at, updated_at)
   select :group, s.owner, s.form_id, s.form_ref_id, s.survey_id, s.data, s.date, s.created_at, s.updated_at from said s
    where s.id = s.kept_id and not s.same and not s.consents order by s.id`,
);
/** Those that the merge dropped get their ids again: an earlier merge knows them by these. */
const returnAnswers = defineStatement(
  'undo_merge.answers',
  `${saidSql},
   moved as (
     update answers a set contact_id = s.owner from said s where a.group_id = :group and a.id = s.id and s.moves)
   insert into answers (group_id, id, contact_id, form_id, form_ref_id, survey_id, data, date, created_at, updated_at)
   select :group, s.id, s.owner, s.form_id, s.form_ref_id, s.survey_id, s.data, s.date, s.created_at, s.updated_at from said s
    where s.id <> s.kept_id and (s.same or s.owner <> :survivor and not s.consents)`,
);
const moveRecords = recordTypeNames.map((table) => ({
  table,
  move: defineStatement(
    `undo_merge.move_${table}`,
    `update ${table} r set contact_id = t.contact_id from import_contacts t ${listSql(table)}
      where t.group_id = :group and t.import_id = :import and r.group_id = :group and r.id = cast(x.id as bigint) and r.contact_id = :survivor returning r.id`,
  ),
}));
const pin = defineStatement(
  'undo_merge.pin',
  `update notes n set pinned = true from import_contacts t ${listSql('unpinned')}
    where t.group_id = :group and t.import_id = :import and n.group_id = :group and n.id = cast(x.id as bigint) and n.contact_id = t.contact_id
      and not exists (select 1 from notes o where o.group_id = :group and o.contact_id = n.contact_id and o.pinned and o.deleted_at is null)`,
);
/** The links, mails and pairs that the survivor has of the others, unless it had them before. The others have kept theirs. */
const removeLinks = defineStatement(
  'undo_merge.links',
  `with had as (select t.before from ${tracedSql} and t.contact_id = :survivor),
   tags as (
     delete from contact_tags x using had where x.group_id = :group and x.contact_id = :survivor and not had.before -> 'tags' @> to_jsonb(x.tag_id)
        and exists (select 1 from contact_tags o where o.group_id = :group and o.contact_id = any(:others) and o.tag_id = x.tag_id)),
   actions as (
     delete from contact_actions x using had where x.group_id = :group and x.contact_id = :survivor and not had.before -> 'actions' @> to_jsonb(x.action_id)
        and exists (select 1 from contact_actions o where o.group_id = :group and o.contact_id = any(:others) and o.action_id = x.action_id)),
   mails as (
     delete from former_mails x using had where x.group_id = :group and x.contact_id = :survivor and not had.before -> 'mails' @> to_jsonb(x.mail)
        and (exists (select 1 from former_mails o where o.group_id = :group and o.contact_id = any(:others) and o.mail = x.mail)
             or exists (select 1 from contacts o where o.group_id = :group and o.id = any(:others) and o.mail = x.mail)))
   delete from kept_apart x using had
    where x.group_id = :group and :survivor in (x.contact_id, x.other_id) and not had.before -> 'apart' @> to_jsonb(x.contact_id + x.other_id - :survivor)
      and exists (select 1 from kept_apart o where o.group_id = :group and (
        o.contact_id = any(:others) and o.other_id = x.contact_id + x.other_id - :survivor
        or o.other_id = any(:others) and o.contact_id = x.contact_id + x.other_id - :survivor))`,
);
/** Answers that come back to the others are none that they give now. Then their own lines follow. */
const returnLines = defineStatement(
  'undo_merge.lines',
  `with given as (
     delete from consent_changes where group_id = :group and contact_id = any(:others) and operation is null and before is null)
   update consent_changes l set contact_id = t.contact_id from import_contacts t ${listSql('lines')}
    where t.group_id = :group and t.import_id = :import and t.contact_id <> :survivor
      and l.group_id = :group and l.id = cast(x.id as bigint) and l.contact_id = :survivor`,
);
const findHolder = defineStatement(
  'undo_merge.external_holder',
  `select c.id, c.external_id from contacts o join contacts c on c.group_id = :group and c.external_id = o.external_id and c.deleted_at is null
    where o.group_id = :group and o.id = any(:others) limit 1`,
);
/** Their ids have led to the survivor, so their versions become ones that it never had. */
const revive = defineStatement(
  'undo_merge.revive',
  `update contacts c set merged_into = cast(t.before ->> 'merged_into' as bigint),
          deleted_at = case when c.id = any(:others) then null else c.deleted_at end,
          black_list = c.black_list or c.id = any(:others) and :optedOut,
          ${buildMarkContactsSql({ version: ':version', user: 'coalesce(:by, c.user_id)' })}
     from import_contacts t
    where t.group_id = :group and t.import_id = :import and c.group_id = :group and c.id = t.contact_id and c.id <> :survivor`,
);
/** A record that goes back is a change of whom it goes to. So watched segments, of which the survivor may be a member by it, look at all contacts. */
const forget = defineStatement(
  'undo_merge.forget',
  `with gone as (delete from import_contacts where group_id = :group and import_id = :import),
   doubted as (update segment_evaluations set due_at = now() where group_id = :group and evaluated_at is not null)
   update imports set undone_at = now() where group_id = :group and id = :import`,
);

/** Throws 409 unless the survivor lives, and no later merge has moved what it has. */
const requireLastMerge = async (tx: Space, id: number, survivor: number, lives: boolean): Promise<void> => {
  const { id: next } = (await tx.row<{ id: number | null }>(later, { import: id, survivor }))!;
  if (next !== null)
    throw new Problem('conflict', `Contact ${survivor} was merged again later: undo the merge ${next} first`);
  if (!lives)
    throw new Problem(
      'conflict',
      `Contact ${survivor}, which stayed in the merge ${id}, was deleted: restore it first`,
    );
};

/**
 * Gives the survivor the values back that it had before, as far as they are still those of the merge. Yields how many are not, and whether an opt-out was
 * made since: whose it is nobody can tell, so it is that of all of them.
 */
const returnValues = async (
  tx: Space,
  { id, survivor, by }: { id: number; survivor: number; by: number | null },
  { columns, address, optedOut }: TakenValues,
): Promise<{ left: number; optedOut: boolean }> => {
  const now = (await readStoredContacts(tx, [survivor], [])).get(survivor)!;
  const isOptedOut = now.columns.black_list === true;
  const optedOutSince = isOptedOut && (!optedOut || (await tx.row(lifted, { import: id, survivor })) !== undefined);
  const same = Object.entries(columns).filter(
    ([name, { after }]) => isDeepStrictEqual(now.columns[name], after) && !(name === 'black_list' && optedOutSince),
  );
  const hasAddress = address !== null && isDeepStrictEqual(now.address, address.after);
  const content = {
    columns: Object.fromEntries(same.map(([name, { before }]) => [name, before])),
    ...(hasAddress && { address: address.before }),
  };
  if (content.columns.black_list === false) await tx.rows(keepSuppressions);
  await changeContacts(tx, [{ id: survivor, content }], by, { movesRecords: true });
  const left = Object.keys(columns).length - same.length + Number(address !== null && !hasAddress);
  return { left, optedOut: optedOutSince };
};

/** Whether the number of records that are gone may be told. Nobody can say any more who may see interactions that are gone. */
const mayCount = (reader: Authority | null, table: string): boolean =>
  !reader ||
  (isPermitted(reader, familyPermissions[table] ?? 'contacts.read') &&
    (table !== 'interactions' || reader.roleType === 'superadmin'));

/**
 * Undoes a merge in one transaction. Records go back to whom they came from, with what was changed of them since; those that were added since stay with the
 * survivor. Throws 409 when it cannot be undone: it was undone, its copies are gone, a later merge comes first, or the survivor is deleted. `reader` is null for the operator, who may read everything.
 */
export const undoMerge = (
  space: Space,
  id: number,
  by: number | null,
  action: AuditAction,
  reader: Authority | null,
): Promise<UndoneMerge> =>
  space.transaction(
    async (tx) => {
      await tx.rows(lock, { import: id });
      requireUndoable(await readImport(tx, id), true);
      const traced = await tx.rows<Traced>(read, { import: id });
      const ids = traced.map((one) => one.id);
      const found = await tx.rows<{ id: number; version: number; deleted_at: string | null }>(lockContacts, { ids });
      const { id: survivor = 0, taken } = traced.find((one) => one.taken) ?? {};
      const state = found.find((one) => one.id === survivor);
      if (!taken || !state)
        throw new Problem('conflict', `The merge ${id} cannot be undone any more: its contacts were erased`);
      await requireLastMerge(tx, id, survivor, state.deleted_at === null);
      const others = traced.flatMap((one) => (one.taken || one.merged_into !== null ? [] : [one.id]));
      const values = { import: id, id, survivor, others, by };
      const { left, optedOut } = await returnValues(tx, values, taken);
      const [holder] = await tx.rows<{ id: number; external_id: string }>(findHolder, { others });
      if (holder)
        throw new Problem(
          'conflict',
          `Contact ${holder.id} has the external id ${holder.external_id} of a contact of the merge ${id}: give it another one first`,
        );
      const changed = (await tx.row<{ count: number }>(countChangedAnswers, values))!;
      for (const one of [withdrawAnswers, copyAnswers, returnAnswers]) await tx.rows(one, values);
      let gone = 0;
      for (const { table, move } of moveRecords) {
        const moved = (await tx.rows(move, values)).length;
        const had = traced.reduce((sum, { records }) => sum + records[table]!, 0);
        if (mayCount(reader, table)) gone += had - moved;
      }
      for (const one of [pin, removeLinks, returnLines]) await tx.rows(one, values);
      await tx.rows(revive, { ...values, optedOut, version: state.version + 1 });
      const contacts = [survivor, ...others];
      await refreshSearchRows(tx, contacts);
      await refreshContactEmails(tx, contacts);
      await tx.rows(forget, values);
      await addAuditLines(tx, action, { type: 'Contact', ids: contacts });
      return { contacts, left: left + changed.count + gone };
    },
    { repeats: true },
  );
