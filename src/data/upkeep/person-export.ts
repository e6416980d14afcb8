// Finds the contacts that are one person, and exports all that any table holds of them.
import type { Space } from '../../database/space.ts';
import { defineStatement } from '../../database/statement.ts';
import { createNotFoundProblem, Problem } from '../../problem.ts';
import { looseTables, type PersonTable, readPersonTables } from './person-tables.ts';

const find = defineStatement(
  'person.find',
  `with recursive person as (
     select c.id, c.merged_into from contacts c where c.group_id = :group and c.id = :id
     union
     select c.id, p.merged_into from person p join contacts c on c.group_id = :group and c.merged_into = p.id)
   select id, (select merged_into from contacts where group_id = :group and id = :id) as merged_into from person order by id`,
);
const lock = defineStatement(
  'person.lock',
  'select id from contacts where group_id = :group and id = any(:ids) order by id for update',
);

/** The ids of the contacts that are a person, deleted ones too. Throws 404 for a missing contact, 409 for one that was merged into another. */
export const readPersonIds = async (space: Space, id: number): Promise<number[]> => {
  const found = await space.rows<{ id: number; merged_into: number | null }>(find, { id });
  if (found.length === 0) throw createNotFoundProblem('contact', id);
  const { merged_into: survivor } = found[0]!;
  if (survivor !== null)
    throw new Problem('conflict', `Contact ${id} was merged into contact ${survivor}: name that one`, {
      errors: [{ location: 'contactId', message: `was merged into ${survivor}`, value: id }],
    });
  return found.map((one) => one.id);
};

/** The same, locked until the end of the transaction: nobody adds records to them. */
export const lockPerson = async (tx: Space, id: number): Promise<number[]> => {
  await tx.rows(lock, { ids: await readPersonIds(tx, id) });
  // A contact may have been merged into it while this waited.
  const ids = await readPersonIds(tx, id);
  await tx.rows(lock, { ids });
  return ids;
};

/** The rows of one table. */
interface ExportedTable {
  table: string;
  rows: Record<string, unknown>[];
}

/** The types that the audit log has for the records of a person, by their tables. */
const auditedTypes: Readonly<Record<string, string>> = {
  contacts: 'Contact',
  notes: 'Note',
  interactions: 'Interaction',
  files: 'File',
  transactions: 'Transaction',
  donations: 'Donation',
  memberships: 'Membership',
  sanctions: 'Sanction',
  emails: 'Email',
};

/** Audit lines about the person and their records. */
const buildAuditCondition = (owned: readonly PersonTable[]): string =>
  owned
    .flatMap(({ table, condition }) => {
      const type = auditedTypes[table];
      return type
        ? [
            `a.type = '${type}' and a.record_id in (select t.id from ${table} t where t.group_id = :group and ${condition})`,
          ]
        : [];
    })
    .join(' or ');

/** Answers that name a contact. Their bodies are left out, since they may show other people, and repeat what the other tables hold. */
const answersSql = `
  select jsonb_build_object('user_id', k.user_id, 'key', k.key, 'status', k.status, 'created_at', k.created_at) as row from idempotency_keys k
   where k.group_id = :group and k.body ~ ('\\m(' || array_to_string(cast(:contacts as bigint[]), '|') || ')\\M') order by k.created_at`;

/** Changes that still have values. */
const buildChangesSql = (table: string): string =>
  `select to_jsonb(t) as row from ${table} t where t.group_id = :group and t.contact_id = any(cast(:contacts as bigint[])) and (t.before is not null or t.after is not null)`;

/** Attempts of webhooks that have what a receiver said of a contact. Erasing empties it. */
const deliveriesSql = `
  select to_jsonb(t) as row from webhook_deliveries t
   where t.group_id = :group and t.contact_id = any(cast(:contacts as bigint[])) and (t.response is not null or t.error is not null) order by t.id`;

const buildRowsSql = ({ table, condition }: PersonTable): string =>
  `select to_jsonb(t) as row from ${table} t where t.group_id = :group and ${condition} order by to_jsonb(t) ->> 'id'`;

/** Yields the tables with rows of a person, one after the other. */
async function* readTables(space: Space, contacts: readonly number[]): AsyncGenerator<ExportedTable> {
  const { owned } = await readPersonTables(space);
  const queries = [
    ...[...owned].reverse().map((one) => [one.table, buildRowsSql(one)] as const),
    ...looseTables.map((one) => [one.table, buildRowsSql(one)] as const),
    [
      'audit_log',
      `select to_jsonb(a) as row from audit_log a where a.group_id = :group and (${buildAuditCondition(owned)}) order by a.id`,
    ] as const,
    ...['changes', 'change_queue'].map((table) => [table, buildChangesSql(table)] as const),
    ['webhook_deliveries', deliveriesSql] as const,
    ['idempotency_keys', answersSql] as const,
  ];
  for (const [table, sql] of queries) {
    const rows = await space.rows<{ row: Record<string, unknown> }>(defineStatement(null, sql), { contacts });
    if (rows.length > 0) yield { table, rows: rows.map(({ row }) => row) };
  }
}

/** All that any table holds of a person, as one JSON text. The person is locked, so that no writer changes a part of it meanwhile. Throws like `lockPerson`. */
export const exportPerson = (space: Space, id: number): Promise<string> =>
  space.transaction(async (tx) => {
    const tables: Record<string, unknown> = {};
    for await (const { table, rows } of readTables(tx, await lockPerson(tx, id))) tables[table] = rows;
    return JSON.stringify({ space: space.id, contact: id, tables }, null, 2);
  });
