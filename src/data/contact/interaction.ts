// Interactions with contacts, each with its files.

import type { Space } from '../../database/space.ts';
import { defineStatement } from '../../database/statement.ts';
import { defineList } from '../noun/define-list.ts';
import { describeRecordColumns, type RowOf } from '../noun/noun.ts';

export const interactionColumns = describeRecordColumns({
  id: { kind: 'id' },
  contact_id: { kind: 'id' },
  group_id: { kind: 'id' },
  user_id: { kind: 'id', nullable: true },
  type: { kind: 'code', description: 'What it was.' },
  sub_type: { kind: 'code', nullable: true, description: 'What it was, more closely.' },
  title: { kind: 'text', nullable: true, description: 'Title.' },
  comments: { kind: 'text', nullable: true, description: 'What was said of it.' },
  only_super_admin: { kind: 'flag', description: 'Whether only superadmins see it.' },
  created_at: { kind: 'instant', description: 'When it was recorded.' },
  updated_at: { kind: 'instant', description: 'When it was last changed.' },
});
export type InteractionRow = RowOf<typeof interactionColumns.columns> & { files: FileRow[] };

export const fileColumns = describeRecordColumns({
  id: { kind: 'id' },
  group_id: { kind: 'id' },
  interaction_id: { kind: 'id', nullable: true },
  owner_id: { kind: 'id', nullable: true },
  subject: { kind: 'text', nullable: true, description: 'What it is about.' },
  url: { kind: 'text', description: 'Where its bytes are.' },
  folder: { kind: 'text', nullable: true, description: 'Folder it is filed under.' },
  mime: { kind: 'code', nullable: true, description: 'Media type.' },
  name: { kind: 'text', description: 'Name of the file.' },
  created_at: { kind: 'instant', description: 'When it was added.' },
});
export type FileRow = RowOf<typeof fileColumns.columns>;

export const buildFilesSql = (interaction: string): string =>
  `select ${fileColumns.list} from files where group_id = :group and interaction_id = ${interaction} and deleted_at is null order by id`;
export const buildFilesJsonSql = (interaction: string): string =>
  `(select coalesce(json_agg(file), '[]') from (${buildFilesSql(interaction)}) file)`;
const ofContacts = defineStatement(
  'interaction.of_contacts',
  `select ${interactionColumns.list}, ${buildFilesJsonSql('i.id')} as files
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
  `select ${fileColumns.qualify('f')} from files f
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
  columns: interactionColumns.qualify('r'),
  computed: `${buildFilesJsonSql('page.id')} as files`,
  living: 'r.deleted_at is null',
  contact: 'r.contact_id',
  restricted: 'not r.only_super_admin',
  fields: interactionColumns.listFields(
    ['id', 'created_at', 'updated_at', 'contact_id', 'type', 'sub_type', 'title', 'comments', 'only_super_admin'],
    { authorId: 'user_id' },
  ),
  orders: ['id', 'createdAt', 'updatedAt'],
  indexed: ['id', 'createdAt'],
  groups: ['contactId', 'authorId', 'type', 'subType', 'onlySuperAdmin'],
});
