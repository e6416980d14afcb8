// Writes interactions and their files; each write marks the contact as changed by the user.

import type { Space } from '../../database/space.ts';
import { defineStatement, type Values } from '../../database/statement.ts';
import { Problem } from '../../problem.ts';
import { buildLockContactsSql, findAfterMerge } from '../noun/lock-contacts.ts';
import { requireFound } from '../noun/references.ts';
import {
  buildFilesJsonSql,
  type FileRow,
  fileColumns,
  type InteractionRow,
  interactionColumns,
} from './interaction.ts';

/** The user who writes: interactions for superadmins only are missing for others. */
export interface Writer {
  userId: number;
  isSuperAdmin: boolean;
}

/** A file, and the address of its bytes. */
export type FileContent = Pick<FileRow, 'name' | 'url'> & Partial<Pick<FileRow, 'mime' | 'folder' | 'subject'>>;

const marked = (contact: string): string =>
  `(select count(*) from mark_contacts(:group, array(${contact}), :userId)) as marked`;

const create = defineStatement(
  'interaction.create',
  `with made as (
     insert into interactions (group_id, contact_id, user_id, type, sub_type, title, comments, only_super_admin)
     with locked as (
       ${buildLockContactsSql('c.id = :contactId')})
     select :group, l.id, :userId, p.type, p.sub_type, p.title, p.comments, coalesce(p.only_super_admin, false)
       from locked l cross join jsonb_populate_record(cast(null as interactions), cast(:content as jsonb)) p
     returning ${interactionColumns.list})
   select m.*, cast('[]' as json) as files, ${marked('select contact_id from made')} from made m`,
);
/** Files of an interaction that the same transaction has created. */
const addAll = defineStatement(
  'file.add_all',
  `with filed as (
     insert into files (group_id, interaction_id, owner_id, name, url, mime, folder, subject)
     select :group, :interactionId, :userId, f.name, f.url, f.mime, f.folder, f.subject from rows from (
       jsonb_to_recordset(cast(:files as jsonb)) as (name text, url text, mime text, folder text, subject text)
     ) with ordinality as f (name, url, mime, folder, subject, nth) order by f.nth
     returning ${fileColumns.list})
   select f.* from filed f order by f.id`,
);

/** The interaction to be changed; its contact is locked first. `which` is its id, `of` what is locked. */
const buildLockedInteractionSql = (which: string, of = 'c'): string => `locked as (
     ${buildLockContactsSql(`i.id = ${which} and i.deleted_at is null and (:isSuperAdmin or not i.only_super_admin)`, {
       select: 'i.id, i.contact_id',
       join: 'join interactions i on i.group_id = :group and i.contact_id = c.id',
       of,
     })})`;
const still =
  'i.group_id = :group and i.id = h.id and i.deleted_at is null and (:isSuperAdmin or not i.only_super_admin)';
const interaction = interactionColumns.qualify('i');
const patched = 'jsonb_populate_record(i, cast(:patch as jsonb)) p';
const patchable = 'type, sub_type, title, comments, only_super_admin';
const [is, becomes] = ['i', 'p'].map((alias) => patchable.replaceAll(/\w+/g, `${alias}.$&`)) as [string, string];
const changes = `exists (select 1 from ${patched} where (${becomes}) is distinct from (${is}))`;
/** An interaction that already has these values is neither written nor marked. */
const update = defineStatement(
  'interaction.update',
  `with ${buildLockedInteractionSql(':id')},
   changed as (
     update interactions i set (${patchable}, updated_at) = (select ${becomes}, now() from ${patched})
       from locked h where ${still} and ${changes} returning ${interaction}),
   present as (
     select * from changed union all select ${interaction} from interactions i join locked h on ${still} where not ${changes})
   select m.*, ${buildFilesJsonSql('m.id')} as files, ${marked('select contact_id from changed')} from present m`,
);
const remove = defineStatement(
  'interaction.delete',
  `with ${buildLockedInteractionSql(':id')},
   removed as (
     update interactions i set deleted_at = now(), updated_at = now() from locked h where ${still} returning i.id, i.contact_id),
   removed_files as (
     update files f set deleted_at = now() from removed g
      where f.group_id = :group and f.interaction_id = g.id and f.deleted_at is null)
   select id, ${marked('select contact_id from removed')} from removed`,
);
/** The interaction is locked too, so that it is not deleted while a file is added. */
const add = defineStatement(
  'file.add',
  `with filed as (
     insert into files (group_id, interaction_id, owner_id, name, url, mime, folder, subject)
     with ${buildLockedInteractionSql(':interactionId', 'c, i')}
     select :group, l.id, :userId, :name, :url, :mime, :folder, :subject from locked l returning ${fileColumns.list}),
   changed as (
     update interactions i set updated_at = now() from filed f where i.group_id = :group and i.id = f.interaction_id returning i.contact_id)
   select f.*, ${marked('select contact_id from changed')} from filed f`,
);
const removeFile = defineStatement(
  'file.delete',
  `with ${buildLockedInteractionSql('(select f.interaction_id from files f where f.group_id = :group and f.id = :id and f.deleted_at is null)')},
   removed as (
     update files f set deleted_at = now() from locked h
      where f.group_id = :group and f.id = :id and f.interaction_id = h.id and f.deleted_at is null returning f.id, f.interaction_id),
   changed as (
     update interactions i set updated_at = now() from removed g
      where i.group_id = :group and i.id = g.interaction_id returning i.contact_id)
   select g.id, ${marked('select contact_id from changed')} from removed g`,
);

const refuseHiding = ({ isSuperAdmin }: Writer, { only_super_admin }: Values): void => {
  if (only_super_admin !== true || isSuperAdmin) return;
  throw new Problem('forbidden', 'Only a superadmin may keep an interaction for superadmins');
};

/**
 * Records an interaction with its files. `content` has its columns. Throws 404 when the contact is missing, 403 when the writer may not
 * restrict it to superadmins.
 */
export const createInteraction = async (
  space: Space,
  writer: Writer,
  { contactId, content, files: given }: { contactId: number; content: Values; files: readonly FileContent[] },
): Promise<InteractionRow> => {
  refuseHiding(writer, content);
  const { userId } = writer;
  const write = async (at: Space): Promise<InteractionRow> => {
    const values = { contactId, userId, content: JSON.stringify(content) };
    const made = requireFound('contact', contactId, await at.row<InteractionRow>(create, values));
    if (given.length === 0) return made;
    const filed = { interactionId: made.id, userId, files: JSON.stringify(given) };
    return { ...made, files: await at.rows<FileRow>(addAll, filed) };
  };
  return given.length === 0 ? write(space) : space.transaction(write);
};

/** Updates the columns that `patch` names. Throws 404 when the interaction is missing, 403 when the caller may not restrict it to superadmins. */
export const updateInteraction = async (
  space: Space,
  writer: Writer,
  id: number,
  patch: Values,
): Promise<InteractionRow> => {
  refuseHiding(writer, patch);
  const values = { id, patch: JSON.stringify(patch), ...writer };
  return requireFound('interaction', id, await findAfterMerge(() => space.row<InteractionRow>(update, values)));
};

/** Soft-deletes an interaction and its files. Throws 404 when it is missing. */
export const deleteInteraction = async (space: Space, writer: Writer, id: number): Promise<number> => {
  requireFound('interaction', id, await findAfterMerge(() => space.row(remove, { id, ...writer })));
  return id;
};

/** Adds a file to an interaction. Throws 404 when the interaction is missing. */
export const addInteractionFile = async (
  space: Space,
  writer: Writer,
  interactionId: number,
  { name, url, mime = null, folder = null, subject = null }: FileContent,
): Promise<FileRow> => {
  const values = { interactionId, name, url, mime, folder, subject, ...writer };
  return requireFound('interaction', interactionId, await findAfterMerge(() => space.row<FileRow>(add, values)));
};

/** Soft-deletes a file of an interaction. Throws 404 when it is missing. */
export const deleteInteractionFile = async (space: Space, writer: Writer, id: number): Promise<number> => {
  requireFound('file', id, await findAfterMerge(() => space.row(removeFile, { id, ...writer })));
  return id;
};
