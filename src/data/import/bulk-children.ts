// Writes what some types of records bring along in bulk: files of interactions, and the one pinned note of a contact.

import type { Space } from '../../database/space.ts';
import { defineStatement, type Values } from '../../database/statement.ts';
import type { FileContent } from '../contact/interaction-write.ts';
import { recordTypes } from './record-types.ts';

const file = defineStatement(
  'import.files',
  `insert into files (group_id, interaction_id, owner_id, name, url, mime, folder, subject)
   select :group, i.interaction_id, :by, i.name, i.url, i.mime, i.folder, i.subject from rows from (
     jsonb_to_recordset(cast(:files as jsonb)) as (interaction_id bigint, name text, url text, mime text, folder text, subject text)
   ) with ordinality as i (interaction_id, name, url, mime, folder, subject, nth) order by i.nth`,
);
/** A note written by the same import still counts as its own: unpinning it is no change by a user. */
const { mark } = recordTypes.get('notes')!;
const unpin = defineStatement(
  'import.unpin',
  `with unpinned as (
     update notes n set pinned = false, updated_at = now() from notes o
      where n.group_id = :group and n.contact_id = any(:contacts) and n.pinned and n.deleted_at is null and not n.id = any(:pinned)
        and o.group_id = :group and o.id = n.id
     returning n.id, ${mark('o')} as before, ${mark('n')} as after)
   update import_records r set mark = u.after from unpinned u
    where r.group_id = :group and r.record_id = u.id and r.mark = u.before
      and exists (select 1 from imports i where i.group_id = :group and i.id = r.import_id and i.family = 'notes' and i.finished_at is null)`,
);

/** Adds files to interactions, each list in its order. */
export const addInteractionFiles = async (
  tx: Space,
  interactions: readonly { id: number; files: readonly FileContent[] }[],
  by: number | null,
): Promise<void> => {
  const rows = interactions.flatMap(({ id, files }) => files.map((one) => ({ interaction_id: id, ...one })));
  if (rows.length > 0) await tx.rows(file, { files: JSON.stringify(rows), by });
};

interface NoteOf {
  contact_id: number;
  columns: Values;
}

/** The last of several pinned notes of a contact stays pinned, as if they were written one after the other. */
export const keepLastPin = <Note extends NoteOf>(notes: readonly Note[]): Note[] => {
  const last = new Map(notes.filter(({ columns }) => columns.pinned).map((note) => [note.contact_id, note]));
  return notes.map((note) =>
    last.get(note.contact_id) === note ? note : { ...note, columns: { ...note.columns, pinned: false } },
  );
};

/** Unpins the notes that were pinned before on the contacts of these notes, where one of these is pinned. The contacts are locked. */
export const unpinOtherNotes = async (tx: Space, notes: readonly (NoteOf & { id: number })[]): Promise<void> => {
  const pinned = notes.filter(({ columns }) => columns.pinned);
  if (pinned.length > 0)
    await tx.rows(unpin, { contacts: pinned.map((note) => note.contact_id), pinned: pinned.map(({ id }) => id) });
};
