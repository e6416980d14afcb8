// Puts a population into an empty, migrated database, every table in one statement.
import type { Population } from './rows.ts';

/**
 * The rows are one literal of JSON in the text of the statement, with the characters that some driver may take for a placeholder or the
 * end of the literal escaped: so it does not matter which way of binding values stands behind `sql`.
 */
const literal = (rows: unknown[]): string =>
  `'${JSON.stringify(rows).replace(
    /[?'$]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )}'::jsonb`;

export const loadPopulation = async (
  sql: (text: string, values?: unknown[]) => Promise<unknown[]>,
  population: Population,
): Promise<void> => {
  for (const [table, rows] of Object.entries(population.tables) as [string, Record<string, unknown>[]][]) {
    if (rows.length === 0) continue;
    // Triggers have written the history of what was loaded.
    if (table === 'consent_changes') await sql('delete from consent_changes');
    // Only the columns given, so that the others keep their defaults.
    const columns = Object.keys(rows[0]!).join(', ');
    await sql(
      `insert into ${table} (${columns}) select ${columns} from jsonb_populate_recordset(null::${table}, ${literal(rows)})`,
    );
    if ('id' in rows[0]!)
      await sql(`select setval(pg_get_serial_sequence('${table}', 'id'), (select max(id) from ${table}))`);
  }
};
