// Notes on contacts.
import { notFound } from '../problem.ts';
import { type Space, statement } from './space.ts';

export interface NoteRow {
  id: number;
  contact_id: number;
  group_id: number;
  user_id: number | null;
  content: string;
  pinned: boolean;
  created_at: string;
  updated_at: string;
}

const columns = 'id, contact_id, group_id, user_id, content, pinned, created_at, updated_at';
/**
 * The contact is touched in the same statement: a note of a user is a change of what is on the contact. So is its search
 * row, of which a note changes no more than that; to derive it anew would be a second statement.
 */
const create = statement(
  'note.create',
  `with touched as (
     update contacts set lastchange = now(), updated_at = now(), version = version + 1, user_id = :userId
      where group_id = :group and id = :contactId and deleted_at is null returning group_id, id, lastchange, updated_at, user_id),
   searchable as (
     update contact_search s set lastchange = t.lastchange, updated_at = t.updated_at, user_id = coalesce(t.user_id, -1)
       from touched t where s.group_id = :group and s.contact_id = t.id)
   insert into notes (group_id, contact_id, user_id, content, pinned)
   select group_id, id, :userId, :content, :pinned from touched returning ${columns}`,
);
/** The notes of contacts, of each the pinned ones first, then the newest; `of` is the comparison that says of which. */
export const notesSql = (of: string): string =>
  `select ${columns} from notes where group_id = :group and contact_id ${of} and deleted_at is null
    order by contact_id, pinned desc, created_at desc, id desc`;

/** Writes a note on a contact. Throws 404 when the contact is missing. */
export const createNote = async (
  space: Space,
  note: { contactId: number; userId: number; content: string; pinned: boolean },
): Promise<NoteRow> => {
  const created = await space.row<NoteRow>(create, note);
  if (!created) throw notFound('contact', note.contactId);
  return created;
};
