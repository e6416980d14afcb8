// `muster doctor` and `muster config`: what they find in a healthy and in a broken installation, and that they print no secrets.
import { beforeAll, expect, it } from 'vitest';
import { countConnections } from '../../src/commands/doctor-server.ts';
import { readConfig, settingRows } from '../../src/config/config.ts';
import { redactUrl, reportSettings } from '../../src/config/setting-report.ts';
import { type Door, type Json, openApp } from '../harness/app.ts';
import { runHere } from '../harness/run-here.ts';

let door: Door;
beforeAll(async () => {
  door = await openApp();
  await door.token(1, 1);
});

const examine = async (args: string[] = [], env: Record<string, string> = {}): Promise<Json> => {
  const { out, ...result } = await runHere(door.databaseUrl, ['doctor', '--json', ...args], env);
  const report = JSON.parse(out);
  const statuses = Object.fromEntries(report.findings.map(({ name, status }: Json) => [name, status]));
  const todos = Object.fromEntries(report.findings.map(({ name, todo }: Json) => [name, todo]));
  return { ...result, ...report, out, statuses, todos };
};

it('a healthy installation has no failure', async () => {
  const { code, statuses, failures, out } = await examine(['--deep']);
  expect(Object.values(statuses)).not.toContain('fail');
  expect([code, failures]).toEqual([0, 0]);
  expect(statuses).toMatchObject({
    node: 'ok',
    settings: 'ok',
    database: 'ok',
    version: 'ok',
    writable: 'ok',
    encoding: 'ok',
    connections: 'ok',
    clock: 'ok',
    extensions: 'ok',
    migrations: 'ok',
    privileges: 'ok',
    indexes: 'ok',
    access: 'ok',
    sweep: 'ok',
    'search rows': 'ok',
  });
  expect(out).toMatch(/The search rows of \d{3} contacts are correct/);
  expect(out).not.toContain(new URL(door.databaseUrl).password || 'no password');
});

it('a table that the role lacks a right to is found, with the grant', async () => {
  await door.sql(`create table orphan (id int)`);
  await door.sql(`revoke delete on orphan from current_user`);
  const { code, statuses, todos } = await examine();
  expect([code, statuses.privileges]).toEqual([1, 'fail']);
  expect(todos.privileges).toContain('grant select, insert, update, delete');
});

it('each fault is found, with what mends it', async () => {
  await door.sql(
    `delete from contact_search where (group_id, contact_id) in (select group_id, contact_id from contact_search limit 2)`,
  );
  await door.sql(`update tokens set revoked_at = now() - interval '40 days'`);
  const { code, statuses, todos, out } = await examine([], { POOL_SIZE: '500', MUSTER_DATA_DRI: 'x' });
  expect(code).toBe(1);
  expect(statuses).toMatchObject({
    settings: 'warn',
    connections: 'fail',
    'search rows': 'fail',
    access: 'warn',
    sweep: 'warn',
    migrations: 'ok',
  });
  expect(todos).toMatchObject({
    'search rows': 'muster search rebuild',
    access: 'muster token create --space 1 --user 1',
  });
  expect(out).toContain('is MUSTER_DATA_DIR meant?');
  expect(out).toMatch(/1 × 1 × \(POOL_SIZE 500 \+ 2 × SEARCH_POOL_SIZE 4 \+ 2 for jobs\) = 510 connections at most/);

  await door.sql(`delete from schema_migrations where name = (select min(name) from schema_migrations)`);
  const pending = await examine();
  expect([pending.statuses.migrations, pending.todos.migrations]).toEqual(['fail', 'muster migrate']);
  expect(pending.statuses).not.toHaveProperty('access');
  await door.sql(`insert into schema_migrations (name, checksum) values ('9999_later.sql', 'x')`);
  expect((await examine()).todos.migrations).toMatch(/^Run the version/);
});

it('a server that does not answer, and settings that cannot be used, are failures in plain words', async () => {
  const gone = await runHere('postgresql://muster:hunter2@127.0.0.1:1/muster', ['doctor']);
  expect([gone.code, gone.out]).toEqual([1, expect.stringMatching(/FAIL {2}database +The database cannot be reached/)]);
  const wrong = await runHere('mysql://root:hunter2@db/muster', ['doctor'], { PORT: 'x' });
  expect([wrong.code, wrong.out]).toEqual([
    1,
    expect.stringMatching(/FAIL {2}settings +.*PORT must be a whole number/),
  ]);
  expect(gone.out + gone.err + wrong.out + wrong.err).not.toContain('hunter2');
});

it('the sum of connections follows the shares of the workers', () => {
  const settings = { POOL_SIZE: '10', WORKERS: '4' };
  expect(countConnections(readConfig(settings)).sum).toBe(4 * (4 + 2 * 2 + 2));
  expect(countConnections(readConfig({ ...settings, JOBS: 'off' })).sum).toBe(4 * (4 + 2 * 2));
});

it('config prints every setting, its source and its faults, and no secret', async () => {
  const url = 'postgresql://muster:hunter2@db:5432/muster?sslpassword=hunter2&sslmode=require';
  const env = { PORT: '8080', WORKERS: 'many', SETUP_MAIL: 'ana@example.org', CORS_ORIGINS: 'https://app.example.org' };
  const { code, out, err } = await runHere(url, ['config', '--print'], env);
  expect(code).toBe(1);
  expect(err).toContain('WORKERS must be auto, or a whole number between 1 and 128, but is many');
  expect(out).toMatch(/^PORT +8080$/m);
  expect(out).toMatch(/^HOST +127\.0\.0\.1 {2}\(default\)$/m);
  expect(out).toMatch(/^SETUP_MAIL +\(hidden\)$/m);
  expect(out).toMatch(
    /^DATABASE_URL +postgresql:\/\/muster:\*\*\*@db:5432\/muster\?sslpassword=\*\*\*&sslmode=require$/m,
  );
  expect(out + err).not.toMatch(/hunter2|ana@/);
  for (const { name } of settingRows) expect(out).toMatch(new RegExp(`^${name} `, 'm'));
  const json = JSON.parse((await runHere(url, ['config', '--json'], env)).out);
  expect(json.settings).toContainEqual({ name: 'PORT', value: '8080', source: 'environment' });
  expect(json.faults.map(({ name }: Json) => name)).toEqual(['WORKERS']);
});

it('a setting is hidden unless it says otherwise, and none that may hold a secret is shown as it is', () => {
  const secret = /URL|PASSWORD|SECRET|KEY|TOKEN|MAIL|NAME/;
  // The page of an app, in which Muster fills the secret in later.
  const pages = ['INVITATION_URL'];
  const plain = settingRows.filter(({ shown }) => shown === 'plain').map(({ name }) => name);
  expect(plain.filter((name) => secret.test(name) && !pages.includes(name))).toEqual([]);
  const tell = (text: string): string[] =>
    reportSettings(Object.fromEntries(settingRows.map(({ name }) => [name, text]))).flatMap(({ name, value }) =>
      value?.includes('hunter2') ? [name] : [],
    );
  expect(tell('no address: hunter2').sort()).toEqual([...plain].sort());
  expect(tell('postgresql://a:hunter2@b/c')).toEqual([]);
  expect(redactUrl('no address: hunter2')).toBe('(hidden)');
});
