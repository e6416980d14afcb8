// The history of what people agreed to. Triggers write its lines; here they get who wrote them, follow a merge, and are read.
import type { Space } from '../../database/space.ts';
import { defineStatement } from '../../database/statement.ts';
import { defineList } from '../noun/define-list.ts';
import { describeRecordColumns, type RowOf } from '../noun/noun.ts';

export const consentColumns = describeRecordColumns({
  id: { kind: 'id' },
  contact_id: { kind: 'id' },
  form_id: { kind: 'id', nullable: true },
  before: {
    kind: 'text',
    nullable: true,
    description: 'The answer before, or whether they were opted out, `true` or `false`; null when there was none.',
  },
  after: {
    kind: 'text',
    nullable: true,
    description: 'The answer from then on, or whether they are opted out; null when the answer was withdrawn.',
  },
  user_id: { kind: 'id', nullable: true },
  token_id: { kind: 'id', nullable: true },
  operation: {
    kind: 'code',
    nullable: true,
    description:
      'The mutation, also for a write over REST, or the name of a command. Null when the database was written by hand.',
  },
  source: {
    kind: 'text',
    nullable: true,
    description:
      'Where it comes from, as the write says; otherwise the name of the import, or of the change of many contacts, that wrote it.',
  },
  import_id: { kind: 'id', nullable: true },
  created_at: { kind: 'instant', description: 'When it was written.' },
});
export type ConsentChange = RowOf<typeof consentColumns.columns>;

const note = defineStatement(
  'consent.note_source',
  `update consent_changes c set source = g.source from unnest(cast(:ids as bigint[]), cast(:sources as text[])) g (id, source)
    where c.group_id = :group and c.contact_id = g.id and c.operation is null`,
);
const attribute = defineStatement(
  'consent.attribute',
  `update consent_changes set user_id = :userId, operation = :operation, import_id = :importId,
          source = coalesce(source, (select i.name from imports i where i.group_id = :group and i.id = :importId))
    where group_id = :group and contact_id = any(:ids) and operation is null`,
);
/** An answer of the others that the survivor has not taken over is not withdrawn. */
const move = defineStatement(
  'consent.move',
  `with dropped as (
     delete from consent_changes where group_id = :group and contact_id = any(:others) and operation is null)
   update consent_changes set contact_id = :survivor where group_id = :group and contact_id = any(:others) and operation is not null`,
);

/** Writes the source of each contact to the lines that the transaction has added for them. */
export const noteConsentSources = async (tx: Space, sources: ReadonlyMap<number, string>): Promise<void> => {
  if (sources.size > 0) await tx.rows(note, { ids: [...sources.keys()], sources: [...sources.values()] });
};

/** Writes the import and its user to these lines. The name of the import is the source of those that have none. */
export const attributeConsents = (
  tx: Space,
  ids: readonly number[],
  origin: { userId: number | null; operation: string; importId: number },
): Promise<unknown> => tx.rows(attribute, { ids, ...origin });

/** Gives the history of merged contacts to the survivor. */
export const moveConsents = (tx: Space, survivor: number, others: readonly number[]): Promise<unknown> =>
  tx.rows(move, { survivor, others });

export const consentList = defineList<ConsentChange>()({
  noun: 'consent change',
  from: 'consent_changes r',
  scoped: ['r'],
  columns: consentColumns.qualify('r'),
  // A line of which both sides are equal is a change that its transaction took back.
  living: 'r.before is distinct from r.after',
  contact: 'r.contact_id',
  fields: consentColumns.listFields(
    ['id', 'contact_id', 'form_id', 'before', 'after', 'operation', 'source', 'import_id', 'created_at'],
    { authorId: 'user_id' },
  ),
  orders: ['id', 'createdAt'],
  indexed: ['id'],
  groups: ['formId', 'after', 'operation'],
});
