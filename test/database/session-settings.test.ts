// The settings of sessions, whatever the role, the database or the address says; and those that cannot be made right.
import { randomUUID } from 'node:crypto';
import { expect, inject, it, onTestFinished } from 'vitest';
import { Database } from '../../src/database/database.ts';
import { openClient } from '../../src/database/open-client.ts';
import { fixedSettings } from '../../src/database/session-settings.ts';
import { createDatabase } from '../harness/app.ts';
import { runStatement } from '../harness/databases.ts';
import { runHere } from '../harness/run-here.ts';

const nameOf = (url: string): string => new URL(url).pathname.slice(1);

const openDatabase = (url: string): Database => {
  const database = new Database(url);
  onTestFinished(() => database.close());
  return database;
};

/** A value of each setting that is not ours. */
const others: Partial<Record<keyof typeof fixedSettings, string>> = {
  timezone: `'Asia/Kathmandu'`,
  datestyle: `'German, DMY'`,
  intervalstyle: 'iso_8601',
  extra_float_digits: '0',
  bytea_output: 'escape',
  array_nulls: 'off',
  standard_conforming_strings: 'off',
  transform_null_equals: 'on',
  quote_all_identifiers: 'on',
  gin_fuzzy_search_limit: '1',
  default_transaction_isolation: `'repeatable read'`,
  synchronous_commit: 'off',
  exit_on_error: 'on',
};

const setOthers = async (url: string): Promise<void> => {
  const sql = Object.entries(others).map(([name, value]) => `alter database ${nameOf(url)} set ${name} = ${value}`);
  await runStatement(url, sql.join('; '));
};

const show = `select array_agg(current_setting(name) order by place) as shown
  from unnest(cast($1 as text[])) with ordinality s (name, place)`;

it.each([
  '',
  '?options=-c%20datestyle%3DGerman',
])('every pool and every connection of a command has the same (address with "%s")', async (more) => {
  const url = await createDatabase();
  await setOthers(url);
  const [names, due] = [Object.keys(fixedSettings), Object.values(fixedSettings)];
  for (const pool of openDatabase(url + more).pools)
    expect([pool.name, await pool.run(show, [names])]).toEqual([pool.name, [{ shown: due }]]);
  const client = await openClient(url + more, 'test');
  onTestFinished(() => client.end());
  const limits = ['statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout', 'idle_session_timeout'];
  expect((await client.query(show, [[...names, ...limits]])).rows).toEqual([{ shown: [...due, '0', '0', '0', '0'] }]);
});

it.each([
  ['extra_float_digits', '3'],
  ['synchronous_commit', 'remote_write'],
])('%s = %s, which is as good, stays', async (name, value) => {
  const url = await createDatabase();
  await runStatement(url, `alter database ${nameOf(url)} set ${name} = ${value}`);
  expect(await openDatabase(url).readers.run(show, [[name]])).toEqual([{ shown: [value] }]);
});

it('doctor tells what the sessions of Muster override, and plans that are switched off', async () => {
  const url = await createDatabase();
  const find = async (): Promise<unknown> =>
    JSON.parse((await runHere(url, ['doctor', '--json'])).out).findings.find(
      ({ name }: { name: string }) => name === 'session',
    );
  await setOthers(url);
  expect(await find()).toMatchObject({
    status: 'ok',
    found: expect.stringContaining(
      'DateStyle = German, DMY, IntervalStyle = iso_8601, TimeZone = Asia/Kathmandu, array_nulls = off, ',
    ),
  });
  await runStatement(url, `alter database ${nameOf(url)} set enable_indexscan = off`);
  expect(await find()).toMatchObject({ status: 'warn', found: expect.stringContaining('enable_indexscan = off') });
});

it('a role whose triggers a superuser has switched off is refused, and leaves no connection open', async () => {
  const [url, adminUrl] = [await createDatabase(), inject('adminUrl')];
  const role = `quiet_${randomUUID().slice(0, 8)}`;
  await runStatement(
    adminUrl,
    `create role ${role} login password 'quiet' in role ${decodeURIComponent(new URL(url).username)}; alter role ${role} set session_replication_role = replica`,
  );
  onTestFinished(() => runStatement(adminUrl, `drop owned by ${role}; drop role ${role}`));
  const quiet = Object.assign(new URL(url), { username: role, password: 'quiet' }).href;

  const database = openDatabase(quiet);
  await expect(database.canServe()).rejects.toMatchObject({ code: 'unavailable', status: 503 });
  const client = await openClient(url, 'test');
  onTestFinished(() => client.end());
  const open = await client.query('select from pg_stat_activity where usename = $1', [role]);
  expect(open.rowCount).toBe(0);

  const cure = `alter role ${role} in database ${nameOf(url)} set session_replication_role = 'origin';`;
  const { code, err } = await runHere(quiet, ['migrate']);
  expect([code, err]).toEqual([
    1,
    `muster: Answers would depend on settings of the role or the database (session_replication_role = replica), and only a superuser may set them. Mend it: ${cure}\n`,
  ]);
  const { findings } = JSON.parse((await runHere(quiet, ['doctor', '--json'])).out);
  expect(findings.at(-1)).toMatchObject({ name: 'database', status: 'fail', todo: cure });
  await runStatement(adminUrl, cure);
  expect((await runHere(quiet, ['migrate'])).code).toBe(0);
});

it('a database whose operator has stopped writes is left to them: reads go on, and writes get 503', async () => {
  const url = await createDatabase();
  await runStatement(url, `alter database ${nameOf(url)} set default_transaction_read_only = on`);
  const database = openDatabase(url);
  expect(await database.hasSpace(1)).toBe(true);
  await expect(database.recordTokenUses([1])).rejects.toMatchObject({ code: 'unavailable' });
});
