// Notes on contacts; at most one note of each contact is pinned.

import { BatchedQuery } from '../../database/batcher.ts';
import type { Space } from '../../database/space.ts';
import { defineStatement, type Scoped, type Statement } from '../../database/statement.ts';
import { createNotFoundProblem, Problem } from '../../problem.ts';
import { type AuditAction, joinAuditFields } from '../noun/audit.ts';
import { defineList } from '../noun/define-list.ts';
import { buildLockContactsSql, buildMarkContactsSql, findAfterMerge } from '../noun/lock-contacts.ts';
import { describeRecordColumns, type RowOf } from '../noun/noun.ts';
import { requireFound } from '../noun/references.ts';

export const noteColumns = describeRecordColumns({
  id: { kind: 'id' },
  contact_id: { kind: 'id' },
  group_id: { kind: 'id' },
  user_id: { kind: 'id', nullable: true },
  content: { kind: 'text', description: 'The text, as it was sent.' },
  pinned: { kind: 'flag', description: 'Whether the note is pinned on the contact.' },
  created_at: { kind: 'instant', description: 'When it was written.' },
  updated_at: { kind: 'instant', description: 'When it was last changed.' },
});
export type NoteRow = RowOf<typeof noteColumns.columns>;

/** The user who changes a note: its author may, and managers of the space may change those of others. */
export interface Editor {
  userId: number;
  manages: boolean;
}

const note = noteColumns.qualify('n');
const givenNotes = `given as (
       select * from unnest(cast(:contactIds as bigint[]), cast(:userIds as bigint[]), cast(:contents as text[]), cast(:pins as boolean[]),
                            cast(:operations as text[]), cast(:tokenIds as bigint[]), cast(:requestIds as text[]), cast(:fields as text[]))
         with ordinality g (contact_id, user_id, content, pinned, operation, token_id, request_id, fields, place))`;
/**
 * Creates notes in their order, each on an existing contact, and marks their contacts in the same statement, as `mark_contacts` does: a
 * user's note is a change of the contact. The statement also writes their audit lines, since the notes of many requests share it. The insert
 * contains the CTEs that it reads: a cluster sends the rows of others to all of its nodes.
 */
const defineCreateNotes = (name: string, skipLocked: boolean) =>
  defineStatement(
    name,
    `with ${givenNotes},
   written as (
     insert into notes (group_id, contact_id, user_id, content, pinned)
     with ${givenNotes},
     locked as materialized (
       ${buildLockContactsSql('c.id = any(:contactIds)', { skipLocked })})
     select :group, g.contact_id, g.user_id, g.content, g.pinned from given g join locked l on l.id = g.contact_id order by g.place
     returning ${noteColumns.list}),
   marked as (
     update contacts c set ${buildMarkContactsSql({ version: 'version + w.times', user: 'w.user_id' })}
       from (select contact_id, cast(count(*) as int) as times, (array_agg(user_id order by id desc))[1] as user_id from written group by contact_id) w
      where c.group_id = :group and c.id = w.contact_id),
   lines as (
     select n.id, ${['user_id', 'token_id', 'operation', 'request_id', 'fields'].map((column) => `g.${column}`).join(', ')}
       from (select id, row_number() over (order by id) as place from written) n
       join (select g.*, row_number() over (order by g.place) as nth from given g where g.contact_id in (select contact_id from written)) g on g.nth = n.place)
   select ${noteColumns.qualify('w')},
          (select add_audit_lines(:group, 'Note', coalesce(jsonb_agg(l order by l.id), '[]')) is null from lines l) as audited
     from written w order by w.id`,
  );
const create = defineCreateNotes('note.create', false);
/** Skips locked contacts, so that one of them delays only the notes on it, not the whole batch. */
const createSkippingLocked = defineCreateNotes('note.create_on_free', true);
const unpin = defineStatement(
  'note.unpin',
  `update notes set pinned = false, updated_at = now() where group_id = :group and contact_id = any(:ids) and pinned and deleted_at is null`,
);
/** The second of two that pin must wait before its statement begins: only then does it see, and unpin, the note that the first has pinned. */
const lockContact = defineStatement('note.lock_contact', buildLockContactsSql('c.id = :contactId'));
const joinNotes = 'join notes n on n.group_id = :group and n.contact_id = c.id';
const lockContactOf = defineStatement(
  'note.lock_contact_of',
  buildLockContactsSql('n.id = :id', { join: joinNotes, includeDeleted: true }),
);
/** The contact is locked before the note. A note that the user may not change is left alone, and told from a missing one. */
const buildEditSql = (set: string, when = 'true'): string => `with found as (
     ${buildLockContactsSql('n.id = :id and n.deleted_at is null', {
       select: 'n.id, :manages or coalesce(n.user_id = :userId, false) as allowed',
       join: joinNotes,
     })}),
   changed as (
     update notes n set ${set} from found f
      where n.group_id = :group and n.id = f.id and f.allowed and n.deleted_at is null and ${when}
     returning ${note})`;
const marked = '(select count(*) from mark_contacts(:group, array(select contact_id from changed), :userId)) as marked';
const patched = 'jsonb_populate_record(n, cast(:patch as jsonb)) p';
const changes = `exists (select 1 from ${patched} where (p.content, p.pinned) is distinct from (n.content, n.pinned))`;
/** A note that already has these values is neither written nor marked. */
const update = defineStatement(
  'note.update',
  `${buildEditSql(`(content, pinned, updated_at) = (select p.content, p.pinned, now() from ${patched})`, changes)},
   unpinned as (
     update notes n set pinned = false, updated_at = now() from changed c
      where n.group_id = :group and n.contact_id = c.contact_id and n.id <> c.id and :pins and n.pinned and n.deleted_at is null),
   present as (
     select * from changed union all
     select ${note} from notes n join found f on f.id = n.id where n.group_id = :group and f.allowed and not ${changes})
   select f.allowed, present.*, ${marked} from found f left join present on true`,
);
const remove = defineStatement(
  'note.delete',
  `${buildEditSql('deleted_at = now(), updated_at = now()')}
   select f.allowed, changed.*, ${marked} from found f left join changed on true`,
);
/** The notes of contacts, pinned ones first, then the newest; `of` is the comparison with the contacts' ids. */
export const buildNotesSql = (of: string): string =>
  `select ${noteColumns.list} from notes where group_id = :group and contact_id ${of} and deleted_at is null
    order by contact_id, pinned desc, created_at desc, id desc`;

interface NewNote {
  contactId: number;
  userId: number;
  content: string;
  pinned: boolean;
  action: Omit<AuditAction, 'userId'>;
}

/** The written notes, each at the index of its input. */
const write = async (space: Scoped, how: Statement, notes: readonly NewNote[]): Promise<(NoteRow | undefined)[]> => {
  const written = await space.rows<NoteRow>(how, {
    contactIds: notes.map(({ contactId }) => contactId),
    userIds: notes.map(({ userId }) => userId),
    contents: notes.map(({ content }) => content),
    pins: notes.map(({ pinned }) => pinned),
    operations: notes.map(({ action }) => action.operation),
    tokenIds: notes.map(({ action }) => action.tokenId),
    requestIds: notes.map(({ action }) => action.requestId),
    fields: notes.map(({ action }) => joinAuditFields(action.fields)),
  });
  // Either all notes of a contact are written or none.
  const found = new Set(written.map(({ contact_id }) => contact_id));
  let next = 0;
  return notes.map(({ contactId }) => (found.has(contactId) ? written[next++] : undefined));
};

const onFree = new BatchedQuery<NewNote, NoteRow | undefined>(
  100,
  (space, notes) => write(space, createSkippingLocked, notes),
  { stores: true },
);

/** Writes a note on a contact; a pinned one unpins the others. Throws 404 when the contact is missing. */
export const createNote = async (space: Space, note: NewNote): Promise<NoteRow> => {
  const writeOn = async (at: Space): Promise<NoteRow> => {
    const [created] = await write(at, create, [note]);
    return requireFound('contact', note.contactId, created);
  };
  if (!note.pinned) return (await space.runBatched(onFree, note)) ?? writeOn(space);
  const writePinned = async (tx: Space): Promise<NoteRow> => {
    await tx.row(lockContact, { contactId: note.contactId });
    await tx.rows(unpin, { ids: [note.contactId] });
    return writeOn(tx);
  };
  return space.transaction(writePinned, { repeats: true });
};

const add = defineStatement(
  'note.add',
  `insert into notes (group_id, contact_id, user_id, content, pinned)
   select :group, g.contact_id, :userId, g.content, g.pinned
     from unnest(cast(:contactIds as bigint[]), cast(:contents as text[]), cast(:pins as boolean[])) with ordinality g (contact_id, content, pinned, place)
    order by g.place`,
);

/** Writes notes on contacts that the same transaction has locked and marked as changed. The last of several pinned ones stays pinned. */
export const addContactNotes = async (
  tx: Space,
  notes: readonly Omit<NewNote, 'userId' | 'action'>[],
  userId: number | null,
): Promise<void> => {
  if (notes.length === 0) return;
  const last = new Map(notes.filter(({ pinned }) => pinned).map((note) => [note.contactId, note]));
  if (last.size > 0) await tx.rows(unpin, { ids: [...last.keys()] });
  await tx.rows(add, {
    contactIds: notes.map(({ contactId }) => contactId),
    contents: notes.map(({ content }) => content),
    pins: notes.map((note) => last.get(note.contactId) === note),
    userId,
  });
};

type Edited = { allowed: boolean } & (NoteRow | Record<keyof NoteRow, null>);

const edited = (row: Edited | undefined, id: number): NoteRow => {
  if (row && !row.allowed) throw new Problem('forbidden', 'This needs the author of the note, or the role manager');
  if (!row || row.id === null) throw createNotFoundProblem('note', id);
  return row;
};

/**
 * Updates the given fields of a note; pinning it unpins the other notes of its contact. Throws 404 when the note is missing, 403 when the
 * editor may not change it.
 */
export const updateNote = (
  space: Space,
  id: number,
  patch: { content?: string; pinned?: boolean },
  editor: Editor,
): Promise<NoteRow> => {
  const pins = patch.pinned === true;
  const values = { id, patch: JSON.stringify(patch), pins, ...editor };
  const write = async (at: Space): Promise<NoteRow> =>
    edited(await findAfterMerge(() => at.row<Edited>(update, values)), id);
  if (!pins) return write(space);
  return space.transaction(async (tx) => {
    await tx.row(lockContactOf, { id });
    return write(tx);
  });
};

/** Soft-deletes a note. Throws 404 when it is missing, 403 when the editor may not delete it. */
export const deleteNote = async (space: Space, id: number, editor: Editor): Promise<number> =>
  edited(await findAfterMerge(() => space.row<Edited>(remove, { id, ...editor })), id).id;

export const noteList = defineList<NoteRow>()({
  noun: 'note',
  from: 'notes r',
  scoped: ['r'],
  columns: noteColumns.qualify('r'),
  living: 'r.deleted_at is null',
  contact: 'r.contact_id',
  fields: noteColumns.listFields(['id', 'created_at', 'updated_at', 'contact_id', 'content', 'pinned'], {
    authorId: 'user_id',
  }),
  orders: ['id', 'createdAt', 'updatedAt'],
  indexed: ['id', 'createdAt'],
  groups: ['contactId', 'authorId', 'pinned'],
});
