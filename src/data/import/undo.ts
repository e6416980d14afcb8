// Undoes imports: deletes the contacts or records that they created, and restores the contacts that they changed.
import type { Space } from '../../database/space.ts';
import { defineStatement } from '../../database/statement.ts';
import { type Authority, requirePermission } from '../../permissions/authority.ts';
import type { PermissionName } from '../../permissions/permissions.ts';
import { createNotFoundProblem, Problem } from '../../problem.ts';
import { dropLinksToFormerMembers } from '../contact/check-references.ts';
import { adoptTagNames } from '../contact/child-rows.ts';
import { attributeConsents } from '../contact/consent.ts';
import type { ContactContent } from '../contact/patch.ts';
import { keepSuppressions } from '../contact/suppression.ts';
import { changeContacts, deleteContacts, lockContacts, restoreContacts } from '../contact/write.ts';
import { type AuditAction, addAuditLines } from '../noun/audit.ts';
import { buildLockContactsSql } from '../noun/lock-contacts.ts';
import { buildTakeBackSql, touchForRecords } from './bulk-sql.ts';
import { changeFamily, type Import, mergeFamily, readImport, requireUndoable } from './contacts.ts';
import { isFileImportRunning } from './import-file.ts';
import { defineForEach, type RecordType, type RecordTypeName, recordTypes } from './record-types.ts';
import { type UndoneMerge, undoMerge } from './undo-merge.ts';

/** Records of a contact that was merged since are the survivor's. */
const tracedRecords = defineStatement(
  'import.traced_records',
  `select r.record_id as id, coalesce(c.merged_into, r.contact_id) as contact_id, cast(r.mark as text) as mark
     from import_records r join contacts c on c.group_id = :group and c.id = r.contact_id
    where r.group_id = :group and r.import_id = :import and r.undone is null and r.record_id < :below order by r.record_id desc limit :limit`,
);
const takeBack = defineForEach('take_back', buildTakeBackSql);
const settle = defineStatement(
  'import.settle_records',
  `update import_records r set undone = case when r.touched is null then 0 else c.version end
     from contacts c where c.group_id = :group and c.id = r.contact_id
      and r.group_id = :group and r.import_id = :import and r.record_id = any(:ids)`,
);

const countLeft = defineStatement(
  'import.count_left_records',
  'select cast(count(*) as int) as count from import_records where group_id = :group and import_id = :import and undone is null',
);
const countDone = defineStatement(
  'import.count_undone_records',
  'select cast(count(*) as int) as deleted from import_records where group_id = :group and import_id = :import and undone is not null',
);

/** Marks are 64-bit hashes: text keeps them exact. */
interface TracedRecord {
  id: number;
  contact_id: number;
  mark: string;
}

/** Marks an import of records as undone, unless a batch that was still under way has left more records than those that were kept. */
const endUndo = (space: Space, id: number, kept: number): Promise<boolean> =>
  space.transaction(async (tx) => {
    await tx.rows(lock, { id });
    if ((await tx.row<{ count: number }>(countLeft, { import: id }))!.count > kept) return false;
    await tx.rows(undone, { id });
    return true;
  });

/**
 * Deletes the records of an import in batches, the latest first. `left` counts those that were changed or deleted since. Yields last what other runs
 * have deleted; what they have left is looked at again.
 */
async function* undoRecords(
  space: Space,
  family: RecordType,
  id: number,
  by: number | null,
): AsyncGenerator<{ deleted: number; left: number }> {
  let below = Number.MAX_SAFE_INTEGER;
  let [kept, gone] = [0, 0];
  for (;;) {
    const step = await space.transaction(async (tx) => {
      await tx.rows(lock, { id });
      const rows = await tx.rows<TracedRecord>(tracedRecords, { import: id, below, limit: 1000 });
      const living = await lockContacts(tx, [...new Set(rows.map((row) => row.contact_id))]);
      const removed = await tx.rows<Omit<TracedRecord, 'mark'>>(takeBack.get(family.name)!, {
        ids: rows.map((row) => row.id),
        marks: rows.map((row) => row.mark),
        contacts: [...living.keys()],
      });
      const contacts = [...new Set(removed.map((row) => row.contact_id))];
      if (contacts.length > 0) await touchForRecords(tx, family, contacts, by);
      await tx.rows(settle, { import: id, ids: removed.map((row) => row.id) });
      return { rows, deleted: removed.length };
    });
    if (step.rows.length > 0) {
      below = step.rows.at(-1)!.id;
      kept += step.rows.length - step.deleted;
      gone += step.deleted;
      yield { deleted: step.deleted, left: step.rows.length - step.deleted };
    } else if (await endUndo(space, id, kept)) {
      const { deleted } = (await space.row<{ deleted: number }>(countDone, { import: id }))!;
      if (deleted > gone) yield { deleted: deleted - gone, left: 0 };
      return;
    } else {
      yield { deleted: 0, left: -kept };
      [below, kept] = [Number.MAX_SAFE_INTEGER, 0];
    }
  }
}

/** How many contacts or records were deleted, how many contacts were restored, and how many were left because they changed since. */
interface Undone {
  deleted: number;
  restored: number;
  left: number;
}

const countChangesSql = (column: string): string =>
  `select r.${column} from import_records r where r.group_id = :group and r.contact_id = t.contact_id and r.${column} > t.version`;
/** The copy of a contact as it can be written: its tags by the names that they have now, without answers whose reference value was deleted since. */
const writableSql = `case when t.before is not null then t.before
            || case when jsonb_exists(t.before, 'tags') then jsonb_build_object('tags', (
                 select coalesce(jsonb_agg(jsonb_build_object('name', coalesce(g.name, x.tag ->> 'name'))), '[]') from jsonb_array_elements(t.before -> 'tags') x (tag)
                   left join tags g on g.group_id = :group and g.id = cast(x.tag ->> 'id' as bigint))) else '{}' end
            || case when jsonb_exists(t.before, 'answers') then jsonb_build_object('answers', (
                 select coalesce(jsonb_agg(x.answer order by x.place), '[]') from jsonb_array_elements(t.before -> 'answers') with ordinality x (answer, place)
                   join form_refs f on f.group_id = :group and f.id = cast(x.answer ->> 'form_ref_id' as bigint))) else '{}' end end`;
/**
 * Reads the version that each contact has unless somebody else has changed it: an import of records that was undone has incremented it
 * without other changes. A contact that still has records of an import counts as changed.
 */
const traced = defineStatement(
  'import.traced',
  `select t.contact_id as id, ${writableSql} as before, t.version as noted, t.version + case when exists (${countChangesSql('touched')} and r.undone is null) then 0
            else (select count(*) from (${countChangesSql('touched')} union ${countChangesSql('undone')}) versions) end as version
     from import_contacts t where t.group_id = :group and t.import_id = :import order by t.contact_id desc limit :limit`,
);
/** Contacts whose external ids belong to others, who have them. */
const findHolders = defineStatement(
  'import.external_holders',
  `select g.id, h.id as holder from unnest(cast(:ids as bigint[]), cast(:keys as text[])) g (id, key)
     join contacts h on h.group_id = :group and h.external_id = g.key and h.deleted_at is null and h.id <> g.id`,
);
/** Contacts of one batch that give their external ids to each other: none may have one of another meanwhile. */
const freeExternalIds = defineStatement(
  'import.free_external_ids',
  'update contacts set external_id = null where group_id = :group and id = any(:ids)',
);
/** Two that undo one import take turns. A batch of the same import waits for them, or they wait for it. */
const lock = defineStatement(
  'import.lock_undo',
  'select id, undone_at, purged_at from imports where group_id = :group and id = :id for update',
);
/**
 * A contact of which a change is undone is as the import before left it, which can be undone too: what happened between them leaves a gap in its versions.
 * Each copy is looked up by its key, also before there are statistics of an import.
 */
const giveBack = defineStatement(
  'import.give_back',
  `update import_contacts t set version = t.version + n.shift
     from unnest(cast(:ids as bigint[]), cast(:versions as int[]), cast(:shifts as int[])) n (id, version, shift)
     cross join unnest(array(select i.id from imports i where i.group_id = :group and i.family in ('contacts', '${changeFamily}')
                                      and i.id <> :import and i.undone_at is null and i.purged_at is null)) o (id)
    where t.group_id = :group and t.import_id = o.id and t.contact_id = n.id and t.version < n.version`,
);
const notedSql = (set: string, condition: string): string =>
  `update notes n set ${set}, updated_at = now() from import_contacts t
    where t.group_id = :group and t.import_id = :import and t.contact_id = any(:ids) and n.group_id = :group and n.contact_id = t.contact_id and n.deleted_at is null and ${condition}`;
/** The notes that came with a contact. While it is unchanged, nobody else has written one since. */
const removeNotes = defineStatement(
  'import.remove_notes',
  notedSql('deleted_at = now()', `n.id > cast(t.before -> 'noted' ->> 'last' as bigint)`),
);
/** The mails that it replaced: the contact has one of them again, and was never known by another. */
const removeMails = defineStatement(
  'import.remove_mails',
  `delete from former_mails f using import_contacts t
    where t.group_id = :group and t.import_id = :import and t.contact_id = any(:ids) and f.group_id = :group and f.contact_id = t.contact_id
      and jsonb_exists(t.before -> 'noted', 'mails') and not jsonb_exists(t.before -> 'noted' -> 'mails', f.mail)`,
);
/** The note that was pinned before one of them. */
const pinAgain = defineStatement(
  'import.pin_again',
  notedSql('pinned = true', `not n.pinned and n.id = cast(t.before -> 'noted' ->> 'pinned' as bigint)`),
);
const forget = defineStatement(
  'import.forget',
  'delete from import_contacts where group_id = :group and import_id = :import and contact_id = any(:ids)',
);
/** A contact of another server that the undoing has deleted comes back when it is moved again. One that somebody else deletes does not: its instant is another one. */
const markMoved = defineStatement(
  'import.mark_moved',
  `update moved_records m set lastchange = c.deleted_at from contacts c
    where m.group_id = :group and m.kind = 'contact' and m.record_id = any(:ids) and c.group_id = :group and c.id = m.record_id`,
);
/** Deleted ones too, which a change of many contacts may have deleted. */
const lockTraced = defineStatement(
  'import.lock_traced',
  buildLockContactsSql('c.id = any(:ids) and c.merged_into is null', {
    select: 'c.id, c.version, c.external_id, c.deleted_at is not null as deleted',
    includeDeleted: true,
  }),
);
const undone = defineStatement(
  'import.undone',
  'update imports set undone_at = now() where group_id = :group and id = :id and undone_at is null',
);

const addDone = defineStatement(
  'import.add_undone',
  `insert into import_undos as u (group_id, import_id, deleted, restored, kept) values (:group, :import, :deleted, :restored, :left)
   on conflict (group_id, import_id) do update set deleted = u.deleted + excluded.deleted, restored = u.restored + excluded.restored, kept = u.kept + excluded.kept`,
);
const readDone = defineStatement(
  'import.read_undone',
  'select deleted, restored, kept as left from import_undos where group_id = :group and import_id = :import',
);

/** The permission to write records of each type: who may not delete one may not undo a thousand. */
const neededPermissions: Readonly<Record<RecordTypeName | typeof changeFamily | typeof mergeFamily, PermissionName>> = {
  [changeFamily]: 'contacts.write',
  [mergeFamily]: 'contacts.write',
  notes: 'notes.write',
  interactions: 'notes.write',
  transactions: 'money.write',
  donations: 'money.write',
  memberships: 'money.write',
  sanctions: 'sanctions.write',
  emails: 'campaigns.write',
};
const readHidden = defineStatement(
  'import.hidden',
  `select 1 from import_records r join interactions i on i.group_id = :group and i.id = r.record_id
    where r.group_id = :group and r.import_id = :import and i.only_super_admin limit 1`,
);

/** Throws 403 when somebody may not delete the records of an import. */
const requireWriting = async (
  space: Space,
  authority: Authority,
  { id, family }: { id: number; family: string },
): Promise<void> => {
  const needed = neededPermissions[family as RecordTypeName];
  if (needed) requirePermission(authority, needed, `Undoing an import of ${family}`);
  if (family !== 'interactions' || authority.roleType === 'superadmin') return;
  if (await space.row(readHidden, { import: id }))
    throw new Problem('forbidden', 'Only a superadmin may undo an import of interactions for superadmins');
};

interface Traced {
  id: number;
  version: number;
  /** The version that the import left. */
  noted: number;
  before:
    | (Omit<ContactContent, 'answers' | 'notes'> & {
        noted?: object;
        answers?: (Record<string, never> & { custom: boolean })[];
      })
    | null;
}

/** The content that restores a contact: the parts that were copied. */
const restoreContent = ({ answers, noted: _, ...content }: NonNullable<Traced['before']>): ContactContent => {
  if (!answers) return content;
  const said = (custom: boolean) => answers.flatMap(({ custom: is, ...answer }) => (is === custom ? [answer] : []));
  return {
    ...content,
    answers: [
      { replaces: 'answers', answers: said(false) as never },
      { replaces: 'custom_fields', answers: said(true) as never },
    ],
  };
};

interface LockedContact {
  id: number;
  version: number;
  external_id: string | null;
  deleted: boolean;
}

/**
 * Tells which contacts were not changed since: those that the import made, those that it changed, with what they were before, and those that it deleted. One whose
 * external id somebody else has now is left as it is.
 */
const chooseUndone = async (tx: Space, rows: readonly Traced[], found: readonly LockedContact[]) => {
  const present = new Map(found.map((one) => [one.id, one]));
  const unchanged = rows.filter((row) => present.get(row.id)?.version === row.version);
  const keys = unchanged.flatMap(({ id, before }): [number, string][] => {
    if (!before) return [];
    const { deleted, external_id: now } = present.get(id)!;
    const key = deleted ? now : before.columns.external_id;
    return typeof key === 'string' && (deleted || key !== now) ? [[id, key]] : [];
  });
  const holders =
    keys.length === 0
      ? []
      : await tx.rows<{ id: number; holder: number }>(findHolders, {
          ids: keys.map(([id]) => id),
          keys: keys.map(([, key]) => key),
        });
  const made = new Set(unchanged.flatMap(({ id, before }) => (before ? [] : [id])));
  const giving = new Set(keys.flatMap(([id]) => (present.get(id)!.deleted ? [] : [id])));
  const left = new Set(holders.flatMap(({ id, holder }) => (made.has(holder) || giving.has(holder) ? [] : [id])));
  const freed = holders.flatMap(({ holder }) => (giving.has(holder) && !left.has(holder) ? [holder] : []));
  if (freed.length > 0) await tx.rows(freeExternalIds, { ids: freed });
  const same = unchanged.filter(({ id }) => !left.has(id));
  return {
    same,
    made: [...made],
    changed: same.flatMap(({ id, before }) =>
      before && !present.get(id)!.deleted ? [{ id, content: restoreContent(before) }] : [],
    ),
    dead: same.flatMap(({ id }) => (present.get(id)!.deleted ? [id] : [])),
  };
};

/**
 * Undoes an import in batches: deletes what it created, and restores what it changed. Contacts that changed since are left as they are. It
 * can be resumed after an interruption, and then yields first what was done before. The first transaction, before anything is undone, has the audit line: so one that is interrupted has
 * it too. Without a reader it counts for the operator. Throws 404 when there is no such import, 403 when the reader may not delete what it wrote.
 */
export async function* undoImport(
  space: Space,
  id: number,
  by: number | null,
  action: AuditAction,
  reader: Authority | null = null,
): AsyncGenerator<Undone> {
  const found = await readImport(space, id);
  const records = recordTypes.get(found.family as RecordTypeName);
  if (reader) await requireWriting(space, reader, found);
  requireUndoable(found, !records);
  if (found.family === changeFamily && !found.finished_at)
    throw new Problem('conflict', `The change ${id} is under way: wait for its end, or cancel it`);
  if (!found.finished_at && (await isFileImportRunning(space, id)))
    throw new Problem('conflict', `The import ${id} is under way: wait for its end, or cancel it`);
  if (found.family === mergeFamily) {
    const { contacts, left } = await undoMerge(space, id, by, action, reader);
    yield { deleted: 0, restored: contacts.length - 1, left };
    return;
  }
  await space.transaction(async (tx) => {
    requireUndoable((await tx.row<Import>(lock, { id }))!, !records);
    await addAuditLines(tx, action, { type: 'Import', ids: [id] });
  });
  if (records) {
    for await (const step of undoRecords(space, records, id, by)) yield { ...step, restored: 0 };
    return;
  }
  const done = await space.row<Undone>(readDone, { import: id });
  if (done) yield done;
  for (;;) {
    const step = await space.transaction(async (tx) => {
      const state = (await tx.row<Import>(lock, { id }))!;
      // Another caller may have come to its end.
      if (!state.undone_at) requireUndoable(state, true);
      const rows = await tx.rows<Traced>(traced, { import: id, limit: 500 });
      const ids = rows.map((row) => row.id);
      const found = await tx.rows<LockedContact>(lockTraced, { ids });
      const { made, dead, same, ...chosen } = await chooseUndone(tx, rows, found);
      // Contacts that are deleted free their external ids.
      await deleteContacts(tx, made, null);
      if (made.length > 0) await tx.rows(markMoved, { ids: made });
      const contents = await dropLinksToFormerMembers(
        tx,
        chosen.changed.map(({ content }) => content),
      );
      const changed = chosen.changed.map(({ id }, place) => ({ id, content: contents[place]! }));
      await adoptTagNames(tx, contents);
      if (contents.some(({ columns }) => columns.black_list === false)) await tx.rows(keepSuppressions);
      await changeContacts(tx, changed, by);
      const raised = await restoreContacts(tx, dead, by);
      const taken = same.map((row) => row.id);
      const noted = same.flatMap((row) => (row.before?.noted ? [row.id] : []));
      if (noted.length > 0)
        for (const one of [removeNotes, pinAgain, removeMails]) await tx.rows(one, { import: id, ids: noted });
      await attributeConsents(tx, taken, { userId: by, operation: action.operation, importId: id });
      const versions = {
        versions: same.map((row) => row.noted),
        shifts: same.map((row) => row.version + 2 - row.noted),
      };
      if (same.length > 0) await tx.rows(giveBack, { import: id, ids: taken, ...versions });
      await tx.rows(forget, { import: id, ids });
      const counts = {
        deleted: made.length,
        restored: changed.length + raised.length,
        left: rows.length - same.length,
      };
      await tx.rows(rows.length === 0 ? undone : addDone, { id, import: id, ...counts });
      return { rows: rows.length, ...counts };
    });
    const { rows, ...counts } = step;
    if (rows === 0) return;
    yield counts;
  }
}

/** Undoes an import in one call. */
export const undoWholeImport = async (
  space: Space,
  id: number,
  caller: Authority & { userId: number },
  action: AuditAction,
): Promise<Undone> => {
  const sum = { deleted: 0, restored: 0, left: 0 };
  for await (const step of undoImport(space, id, caller.userId, action, caller))
    for (const key of ['deleted', 'restored', 'left'] as const) sum[key] += step[key];
  // Another caller may have undone a part of it.
  return (await space.row<Undone>(readDone, { import: id })) ?? sum;
};

/** Undoes a change of many contacts, as `undoWholeImport` does. Throws 404 when there is none of this id. */
export const undoContactChange = async (
  ...[space, id, ...rest]: Parameters<typeof undoWholeImport>
): Promise<Undone> => {
  if ((await readImport(space, id)).family !== changeFamily) throw createNotFoundProblem('contact change', id);
  return undoWholeImport(space, id, ...rest);
};

/** Undoes a merge of contacts. Throws 404 when there is none of this id. */
export const undoContactMerge = async (...[space, id, ...rest]: Parameters<typeof undoMerge>): Promise<UndoneMerge> => {
  if ((await readImport(space, id)).family !== mergeFamily) throw createNotFoundProblem('merge of contacts', id);
  return undoMerge(space, id, ...rest);
};
