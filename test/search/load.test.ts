// The population in a database: every row is as it was written, through each way of binding values.
import pg from 'pg';
import { expect, it } from 'vitest';
import { Database } from '../../src/database/database.ts';
import { migrateDatabase } from '../../src/database/migrate.ts';
import { createDatabase } from '../harness/app.ts';
import { loadPopulation } from './load.ts';
import { parseMicros } from './oracle-dates.ts';
import { generatePopulation } from './population.ts';

type Sql = (text: string, values?: unknown[]) => Promise<Record<string, unknown>[]>;

const world = generatePopulation(1);

const asWritten = async (sql: Sql): Promise<void> => {
  await loadPopulation(sql, world);
  for (const [table, rows] of Object.entries(world.tables) as [string, Record<string, unknown>[]][]) {
    const columns = Object.keys(rows[0]!);
    const stored = await sql(`select to_jsonb(t) as row from ${table} t`);
    const line = (row: Record<string, unknown>) =>
      JSON.stringify(
        columns.map((column) => {
          const value = row[column];
          return typeof value === 'string' && /^\d{4}-\d\d-\d\dT/.test(value) ? String(parseMicros(value)) : value;
        }),
      );
    expect(stored.map(({ row }) => line(row as never)).sort()).toEqual(rows.map(line).sort());
  }
};

it('is as it was written, through knex', async () => {
  const url = await createDatabase('empty');
  await migrateDatabase(url);
  const database = new Database(url);
  try {
    await asWritten(async (text, values = []) => (await database.readers.knex.raw(text, values as never)).rows);
  } finally {
    await database.close();
  }
});

it('is as it was written, through pg', async () => {
  const url = await createDatabase('empty');
  await migrateDatabase(url);
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await asWritten(async (text, values) => (await client.query(text, values)).rows);
  } finally {
    await client.end();
  }
});
