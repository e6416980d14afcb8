// Exports all that any table holds of a person.
import type { Space } from '../../database/space.ts';
import { defineStatement } from '../../database/statement.ts';
import { lockPerson } from './person.ts';
import { looseTables, type PersonTable, readPersonTables } from './person-tables.ts';

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
