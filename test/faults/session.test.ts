// Limits of a statement: the settings of every session of the pool, and that PostgreSQL enforces them.
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, expect, it } from 'vitest';
import { defineStatement } from '../../src/database/statement.ts';
import { type Door, openApp } from '../harness/app.ts';

let door: Door;
beforeAll(async () => {
  door = await openApp();
});

it('every session of the pool has its limits, and uses UTC', async () => {
  const sql = `select pg_backend_pid() as pid, current_setting('statement_timeout') as statement,
      current_setting('lock_timeout') as lock, current_setting('idle_in_transaction_session_timeout') as idle,
      current_setting('client_connection_check_interval') as client, current_setting('timezone') as zone, pg_sleep(0.1)`;
  const sessions = await Promise.all(Array.from({ length: 5 }, () => door.sql(sql)));
  expect(new Set(sessions.map(([{ pid }]) => pid)).size).toBe(5);
  for (const [session] of sessions)
    expect(session).toMatchObject({ statement: '5s', lock: '2s', idle: '10s', client: '500ms', zone: 'UTC' });
});

it('a statement that takes too long is cancelled, and the caller is told to retry', async () => {
  const slow = defineStatement('test.slow', 'select pg_sleep(60), cast(:group as bigint)');
  await expect(door.database.space(1).rows(slow)).rejects.toMatchObject({
    code: 'timeout',
    status: 503,
    headers: { 'Retry-After': '1' },
  });
});

it('a statement whose process is gone is cancelled', async () => {
  const { client } = door.database.readers.knex;
  const connection = await client.acquireConnection();
  const { rows } = await connection.query('select pg_backend_pid() as pid');
  // Only the check of the connection can end it.
  await connection.query('set statement_timeout = 0');
  const lost = connection.query('select pg_sleep(600)').catch((error: Error) => error.message);
  const active = () => door.sql(`select from pg_stat_activity where pid = ? and state = 'active'`, [rows[0].pid]);
  while ((await active()).length === 0) await sleep(20);
  connection.connection.stream.destroy();
  expect(await lost).toMatch(/terminated/);
  for (const deadline = Date.now() + 15_000; (await active()).length > 0; await sleep(100))
    expect(Date.now(), 'it still runs').toBeLessThan(deadline);
  await client.releaseConnection(connection);
});

it('a write that the full disk of the database refuses has a line with its cause in the log, through both doors', async () => {
  await door.sql(`
    create function refuse() returns trigger language plpgsql as $$ begin raise disk_full; end $$;
    create trigger full_disk before insert on teams for each row when (new.name = 'Full') execute function refuse()`);
  const create = 'createTeam(input: { name: "Full" }) { team { name } }';
  await door.graphql(`mutation { a: ${create} b: ${create} c: createTeam(input: { name: "" }) { team { name } } }`);
  await door.rest('POST', '/teams', { data: { team: { name: 'Full' } } });
  const cause = { name: 'error', code: '53100', routine: 'exec_stmt_raise' };
  expect(door.logged.slice(-2).map((line) => JSON.parse(line))).toEqual([
    expect.objectContaining({ level: 50, status: 200, errors: [cause, cause], msg: 'request failed' }),
    expect.objectContaining({ level: 50, status: 503, errors: [cause], msg: 'request failed' }),
  ]);
});
