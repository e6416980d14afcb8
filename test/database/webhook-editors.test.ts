// Webhooks of before migration 0021 have the last editor that the audit log knows.
import pg from 'pg';
import { expect, it, onTestFinished } from 'vitest';
import { migrateDatabase } from '../../src/database/migrate.ts';
import { createDatabase } from '../harness/app.ts';

it('finds the last editor of each webhook in the audit log', async () => {
  const url = await createDatabase('migrated');
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  onTestFinished(() => client.end());
  await client.query(
    `alter table webhooks drop column editor_id; delete from schema_migrations where name like '0021%'`,
  );
  await client.query(
    `insert into webhooks (group_id, id, name, url, events, secret, user_id, position)
     select g, n, 'A webhook', 'https://example.org', '{}', 'whsec_', 1, 0 from generate_series(1, 2) g, generate_series(1, 3) n`,
  );
  const lines: [space: number, user: number | null, operation: string, id: number][] = [
    [1, 1, 'createWebhook', 1],
    [1, 2, 'updateWebhook', 1],
    [1, 3, 'updateWebhook', 1],
    [1, null, 'updateWebhook', 1],
    [1, 4, 'rotateWebhookSecret', 1],
    [1, 999_999_999, 'updateWebhook', 2],
    [2, 4, 'updateWebhook', 1],
  ];
  for (const line of lines)
    await client.query(
      `insert into audit_log (group_id, user_id, operation, type, record_id) values ($1, $2, $3, 'Webhook', $4)`,
      line,
    );
  await migrateDatabase(url);
  const { rows } = await client.query('select group_id, id, editor_id from webhooks order by group_id, id');
  // A user who is gone for good is nobody whose rights could count.
  expect(rows.map((row) => Object.values(row).map((value) => value && Number(value)))).toEqual([
    [1, 1, 3],
    [1, 2, null],
    [1, 3, null],
    [2, 1, 4],
    [2, 2, null],
    [2, 3, null],
  ]);
});
