// Interactions with contacts, each with its files.

import type { Space } from '../../database/space.ts';
import { defineStatement } from '../../database/statement.ts';
import { defineList } from '../noun/define-list.ts';
import { commonFields } from '../noun/fields.ts';

export interface InteractionRow {
  id: number;
  contact_id: number;
  group_id: number;
  user_id: number | null;
  type: string;
  sub_type: string | null;
  title: string | null;
  comments: string | null;
  only_super_admin: boolean;
  created_at: string;
  updated_at: string;
  files: FileRow[];
}

export interface FileRow {
  id: number;
  group_id: number;
  interaction_id: number | null;
  owner_id: number | null;
  subject: string | null;
  url: string;
  folder: string | null;
  mime: string | null;
  name: string;
  created_at: string;
}

export const interactionColumns =
  'id, contact_id, group_id, user_id, type, sub_type, title, comments, only_super_admin, created_at, updated_at';
export const fileColumns = 'id, group_id, interaction_id, owner_id, subject, url, folder, mime, name, created_at';

/** SQL of the files of an interaction. */
export const buildFilesSql = (interaction: string): string =>
  `select ${fileColumns} from files where group_id = :group and interaction_id = ${interaction} and deleted_at is null order by id`;
const buildFilesJsonSql = (interaction: string): string =>
  `(select coalesce(json_agg(file), '[]') from (${buildFilesSql(interaction)}) file)`;
const ofContacts = defineStatement(
  'interaction.of_contacts',
  `select ${interactionColumns}, ${buildFilesJsonSql('i.id')} as files
     from interactions i where group_id = :group and contact_id = any(:ids) and deleted_at is null
      and (:all or not only_super_admin) order by contact_id, id`,
);

/** The interactions of these contacts; those for superadmins only when `all`. */
export const readInteractionsOfContacts = (
  space: Space,
  ids: readonly number[],
  all: boolean,
): Promise<InteractionRow[]> => space.rows(ofContacts, { ids, all });

const filesByIds = defineStatement(
  'file.by_ids',
  `select ${fileColumns.replaceAll(/\w+/g, 'f.$&')} from files f
     join interactions i on i.group_id = :group and i.id = f.interaction_id and i.deleted_at is null and (:all or not i.only_super_admin)
     join contacts c on c.group_id = :group and c.id = i.contact_id and c.deleted_at is null
    where f.group_id = :group and f.id = any(:ids) and f.deleted_at is null`,
);

/** The files with these ids; those of interactions for superadmins only when `all`. */
export const readFilesByIds = (space: Space, ids: readonly number[], all: boolean): Promise<FileRow[]> =>
  space.rows(filesByIds, { ids, all });

export const interactionList = defineList<InteractionRow>()({
  noun: 'interaction',
  from: 'interactions r',
  scoped: ['r'],
  columns: interactionColumns.replaceAll(/\w+/g, 'r.$&'),
  computed: `${buildFilesJsonSql('page.id')} as files`,
  living: 'r.deleted_at is null',
  contact: 'r.contact_id',
  restricted: 'not r.only_super_admin',
  fields: {
    ...commonFields,
    contactId: { column: 'r.contact_id', type: 'id' },
    authorId: { column: 'r.user_id', type: 'id', nullable: true },
    type: { column: 'r.type', type: 'code' },
    subType: { column: 'r.sub_type', type: 'code', nullable: true },
    title: { column: 'r.title', type: 'text', nullable: true },
    comments: { column: 'r.comments', type: 'text', nullable: true },
    onlySuperAdmin: { column: 'r.only_super_admin', type: 'boolean' },
  },
  orders: ['id', 'createdAt', 'updatedAt'],
  indexed: ['id', 'createdAt'],
  groups: ['contactId', 'authorId', 'type', 'subType', 'onlySuperAdmin'],
});
