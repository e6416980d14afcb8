// The history of what people agreed to. Triggers write its lines; here they get who wrote them, follow a merge, and are read.
import type { Space } from '../../database/space.ts';
import { defineStatement } from '../../database/statement.ts';
import { defineList } from '../noun/define-list.ts';

export interface ConsentChange {
  id: number;
  contact_id: number;
  /** Null for an opt-out. */
  form_id: number | null;
  before: string | null;
  after: string | null;
  user_id: number | null;
  token_id: number | null;
  operation: string | null;
  source: string | null;
  import_id: number | null;
  created_at: string;
}

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

const columns = 'id, contact_id, form_id, before, after, user_id, token_id, operation, source, import_id, created_at';

export const consentList = defineList<ConsentChange>()({
  noun: 'consent change',
  from: 'consent_changes r',
  scoped: ['r'],
  columns: columns.replaceAll(/\w+/g, 'r.$&'),
  // A line of which both sides are equal is a change that its transaction took back.
  living: 'r.before is distinct from r.after',
  contact: 'r.contact_id',
  fields: {
    id: { column: 'r.id', type: 'id' },
    contactId: { column: 'r.contact_id', type: 'id' },
    formId: { column: 'r.form_id', type: 'id', nullable: true },
    before: { column: 'r.before', type: 'text', nullable: true },
    after: { column: 'r.after', type: 'text', nullable: true },
    authorId: { column: 'r.user_id', type: 'id', nullable: true },
    operation: { column: 'r.operation', type: 'code', nullable: true },
    source: { column: 'r.source', type: 'text', nullable: true },
    importId: { column: 'r.import_id', type: 'id', nullable: true },
    createdAt: { column: 'r.created_at', type: 'instant' },
  },
  orders: ['id', 'createdAt'],
  indexed: ['id'],
  groups: ['formId', 'after', 'operation'],
});
