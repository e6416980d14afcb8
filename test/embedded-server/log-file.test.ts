// The log of the embedded PostgreSQL: starts, stops, crashes and logins, no statement and no value of users, and bounded in size.
import fs from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { createDemoPlan } from '../../packages/demo-data/index.ts';
import { logLimit, truncateLongLog } from '../../packages/embedded-server/log-file.ts';
import { superuser } from '../../packages/embedded-server/owner-role.ts';
import { findEmbedded } from '../../packages/embedded-server/server.ts';
import { seedDatabase } from '../../src/commands/seed.ts';
import { migrateDatabase } from '../../src/database/migrate.ts';
import { createTempFolder, queryDatabase, readPostmasterPid, startCluster } from './clusters.ts';

const canary = 'canary-4711@example.org';

test('errors, slow statements, terminations and crashes leave no value in the log', async () => {
  const folder = createTempFolder();
  const server = await startCluster(folder);
  const log = () => fs.readFileSync(join(folder, 'pg.log'), 'utf8');
  await migrateDatabase(server.url);
  await seedDatabase(server.url, createDemoPlan(5, 1));
  const admin = (await findEmbedded(folder, 'muster', superuser))!;
  for (const text of [
    `insert into users (mail) values ('${canary}'), ('${canary}')`,
    `select '${canary}'::int`,
    `select cast('${canary}' as timestamptz)`,
    `select "${canary}"`,
    `insert into contacts (group_id, surname) values (1, '${canary}'), (999999, '${canary}')`,
    `do $$ begin raise exception '${canary}' using detail = '${canary}'; end $$`,
    `set statement_timeout = 50; select pg_sleep(1), '${canary}'`,
    `selct '${canary}'`,
  ])
    await expect(queryDatabase(server.url, text), text).rejects.toThrow();
  await queryDatabase(server.url, `do $$ begin raise warning '${canary}'; raise notice '${canary}'; end $$`);

  const killed = queryDatabase(server.url, `select pg_sleep(30), '${canary}'`);
  const pidOf = async () =>
    (await queryDatabase(admin, `select pid from pg_stat_activity where query like 'select pg_sleep(30)%'`))[0]?.pid;
  await vi.waitFor(async () => expect(await pidOf()).toEqual(expect.any(Number)));
  const pid = await pidOf();
  await Promise.all([expect(killed).rejects.toThrow(), queryDatabase(admin, `select pg_terminate_backend(${pid})`)]);
  expect(log()).toContain('terminating connection');

  const crashed = queryDatabase(server.url, `select pg_sleep(30), '${canary}'`);
  await vi.waitFor(async () => expect(await pidOf()).toEqual(expect.any(Number)));
  const victim = await pidOf();
  process.kill(victim, 'SIGKILL');
  await expect(crashed).rejects.toThrow();
  await vi.waitFor(
    async () => expect(await queryDatabase(server.url, 'select 1 as one')).toEqual([{ one: 1 }]),
    10_000,
  );
  expect(log()).not.toContain('canary');
  // The log still has what an operator looks for.
  expect(log()).toMatch(/starting PostgreSQL/);
  expect(log()).toMatch(new RegExp(`\\(PID ${victim}\\) was terminated by signal 9`));
  await server.stop();
  expect(log()).toMatch(/database system is shut down/);
});

test('a log that has grown long is cut down to its end by the next start, and while the server runs', async () => {
  const folder = createTempFolder();
  const log = join(folder, 'pg.log');
  const line = `${'x'.repeat(99)}\n`;
  const long = `${line.repeat(Math.ceil(logLimit / 100) + 1)}the last line\n`;
  fs.writeFileSync(log, long);
  const server = await startCluster(folder);
  const after = fs.readFileSync(log, 'utf8');
  expect(after.length).toBeLessThan(logLimit / 3);
  expect(after.startsWith(line)).toBe(true);
  expect(after).toMatch(/the last line\n.*starting PostgreSQL/);

  // PostgreSQL keeps the file open, and writes on behind the remaining part.
  fs.appendFileSync(log, long);
  truncateLongLog(log);
  process.kill(readPostmasterPid(join(folder, 'pg')), 'SIGHUP');
  await vi.waitFor(() => expect(fs.readFileSync(log, 'utf8')).toMatch(/the last line\n.*received SIGHUP/), 5000);
  expect(fs.statSync(log).size).toBeLessThan(logLimit / 3);
  await server.stop();
});

test('a symbolic link in place of the log is not followed', () => {
  const folder = createTempFolder();
  const victim = join(folder, 'victim');
  fs.writeFileSync(victim, 'x'.repeat(logLimit + 1), { mode: 0o644 });
  fs.symlinkSync(victim, join(folder, 'pg.log'));
  truncateLongLog(join(folder, 'pg.log'));
  expect(fs.statSync(victim)).toMatchObject({ size: logLimit + 1 });
});
