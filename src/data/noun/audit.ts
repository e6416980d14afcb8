// The audit log: who wrote which records by which operation. Lines have no values, are written in the transaction of the write, and stay.
import type { Space } from '../../database/space.ts';
import { defineStatement } from '../../database/statement.ts';
import { defineList } from './define-list.ts';
import { describeRecordColumns, type RowOf } from './noun.ts';

/** The part of an audit line that is known before the write: the user or app, the token, the operation, the fields. */
export interface AuditAction {
  /** The root field of the mutation, or the name of a command. */
  operation: string;
  /** The number of a user or of an app; null for a command that runs as nobody. */
  userId: number | null;
  /** Null for a command. */
  tokenId: number | null;
  requestId: string | null;
  /** Paths of the fields that were sent, without their values. */
  fields: readonly string[];
}

/** The action of a command, which has neither a token nor fields. */
export const describeCommand = (operation: string, userId?: number | null): AuditAction => ({
  operation,
  userId: userId ?? null,
  tokenId: null,
  requestId: null,
  fields: [],
});

/** The records that a write changed; none without ids and counts. */
export interface AuditedRecords {
  /** The type in the graph. */
  type: string;
  /** One line is written for each. */
  ids?: readonly number[];
  /** When the records were last changed, as the database says it. An update that changed nothing left an earlier time, and has no line. */
  updatedAt?: string | null;
  /** In place of ids, or beside them, for operations on many records: how many there were of each kind. */
  counts?: Readonly<Record<string, number>>;
}

/** Describes one written record by its row. */
export const describeAudited = (type: string, row: { id: number; updated_at?: string | null }): AuditedRecords => ({
  type,
  ids: [row.id],
  updatedAt: row.updated_at ?? null,
});

export const auditColumns = describeRecordColumns({
  id: { kind: 'id' },
  created_at: { kind: 'instant', description: 'When the record was written.' },
  user_id: { kind: 'id', nullable: true },
  token_id: { kind: 'id', nullable: true },
  operation: { kind: 'code', description: 'The mutation, also for a write over REST, or the name of a command.' },
  request_id: { kind: 'code', nullable: true, description: 'The `X-Request-Id` of the request; null for a command.' },
  type: { kind: 'code', description: 'The type of the record.' },
  record_id: { kind: 'whole', nullable: true },
  fields: {
    kind: 'texts',
    description: 'Paths of the fields that were sent, such as `address.city`; defaults are among them.',
  },
  counts: { kind: 'json' },
});
export type AuditRow = RowOf<typeof auditColumns.columns> & { counts: Record<string, number> | null };

/** Fields of a line are bound as one text: no name of a field has a comma. */
export const joinAuditFields = (fields: readonly string[]): string => fields.join(',');

const addSql = `insert into audit_log (group_id, user_id, token_id, operation, request_id, type, record_id, fields, counts)
   select :group, :userId, :tokenId, :operation, :requestId, :type, r.id, string_to_array(cast(:fields as text), ','), cast(:counts as jsonb)
     from unnest(cast(:ids as bigint[])) with ordinality r (id, place)
    where cast(:updatedAt as timestamptz) is null or cast(:updatedAt as timestamptz) = now() order by r.place`;
const add = defineStatement('audit.add', addSql);

/** Changes of consent that the transaction has written get the operation too. */
const addOfContacts = defineStatement(
  'audit.add_of_contacts',
  `with consents as (
     update consent_changes set user_id = :userId, token_id = :tokenId, operation = :operation
      where group_id = :group and contact_id = any(cast(:ids as bigint[])) and operation is null)
   ${addSql}`,
);

/** Writes the lines of an operation in the transaction of its writes. */
export const addAuditLines = async (
  tx: Space,
  { fields, ...action }: AuditAction,
  { type, ids, updatedAt = null, counts }: AuditedRecords,
): Promise<void> => {
  const lines = ids ?? (counts ? [null] : []);
  if (lines.length === 0) return;
  const values = { ...action, type, ids: lines, updatedAt };
  await tx.rows(type === 'Contact' ? addOfContacts : add, {
    ...values,
    fields: joinAuditFields(fields),
    counts: counts ? JSON.stringify(counts) : null,
  });
};

export const auditList = defineList<AuditRow>()({
  noun: 'audit line',
  from: 'audit_log r',
  scoped: ['r'],
  columns: auditColumns.qualify('r'),
  // Lines of interactions for superadmins, and of their files, are hidden from others, and stay so when the record is gone.
  restricted: `(r.record_id is null or r.type not in ('Interaction', 'File')
    or r.type = 'Interaction' and exists (
      select 1 from interactions i where i.group_id = :group and i.id = r.record_id and not i.only_super_admin)
    or r.type = 'File' and exists (
      select 1 from files f join interactions i on i.group_id = :group and i.id = f.interaction_id and not i.only_super_admin
       where f.group_id = :group and f.id = r.record_id))`,
  fields: auditColumns.listFields(['id', 'created_at', 'user_id', 'operation', 'request_id', 'type'], {
    appId: 'user_id',
    recordDatabaseId: 'record_id',
  }),
  orders: ['id', 'createdAt'],
  indexed: ['id', 'createdAt'],
  groups: ['userId', 'operation', 'type'],
});
