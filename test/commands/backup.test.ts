// muster backup and muster restore as processes: files, standard streams, kills, scratch databases, the embedded server.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, inject, it, vi } from 'vitest';
import { findEmbedded, startEmbedded } from '../../packages/embedded-server/server.ts';
import { createDatabase, type Door, openApp } from '../harness/app.ts';
import { buildCommandLine } from '../harness/command-line.ts';
import { runStatement } from '../harness/databases.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

let door: Door;
const { folder, program, environment, muster } = buildCommandLine(() => door.databaseUrl);
const file = join(folder, 'files/muster.backup');
let contacts: string;

const query = async (url: string, sql: string) => {
  const client = new pg.Client(url);
  await client.connect();
  return (await client.query(sql).finally(() => client.end())).rows;
};
const countContacts = async (url: string): Promise<string> =>
  (await query(url, 'select count(*) as count from contacts'))[0].count;

beforeAll(async () => {
  door = await openApp();
  contacts = await countContacts(door.databaseUrl);
  expect(await muster(`backup ${file}`)).toEqual({
    code: 0,
    out: '',
    err: expect.stringMatching(/^\/.+muster\.backup: 0\.\d MB in [\d.]+ s\n$/),
  });
});

describe('the file', () => {
  it('is private, whole, and replaced only when that is asked for', async () => {
    expect(fs.statSync(file).mode & 0o777).toBe(0o600);
    expect(fs.existsSync(`${file}.partial`)).toBe(false);
    const { ino } = fs.statSync(file);
    expect(await muster(`backup ${file}`)).toEqual({
      code: 1,
      out: '',
      err: `muster: ${file} already exists: name another file, or add --force to replace it\n`,
    });
    // A killed backup has left a part, which another person may have opened.
    fs.writeFileSync(`${file}.partial`, 'part', { mode: 0o644 });
    expect((await muster(`backup ${file} --force`)).code).toBe(0);
    const replaced = fs.statSync(file);
    expect([replaced.ino === ino, replaced.mode & 0o777]).toEqual([false, 0o600]);
    expect(fs.readdirSync(join(folder, 'files'))).toEqual(['muster.backup']);
    const link = join(folder, 'files/link');
    fs.symlinkSync(file, link);
    expect((await muster(`backup ${link} --force`)).err).toContain('link is not a regular file');
    fs.rmSync(link);
    expect((await muster(`backup ${folder}/nowhere/x`)).code).toBe(1);
  });

  it('may be a stream, in and out; what is already there is told with the way out', async () => {
    const target = await createDatabase('empty');
    const command = `set -o pipefail; "$0" "$1" backup - | DATABASE_URL="${target}" "$0" "$1" restore -`;
    const child = spawn('bash', ['--norc', '-c', command, process.execPath, program], { env: environment({}) });
    let said = '';
    child.stderr.on('data', (text) => (said += text));
    expect(await once(child, 'close')).toEqual([0, null]);
    expect(said).toMatch(/backup: 0\.\d MB in .* s\n(.*\n)*restored: [\d,]+ rows of 20.+ in .* s\n/);
    expect(await countContacts(target)).toBe(contacts);
    const again = await muster(`restore ${file}`, { DATABASE_URL: target });
    expect([again.code, again.err]).toEqual([
      1,
      expect.stringMatching(/^muster: The database has data \(.+\)\. Nothing was changed\. Create a new database.+\n$/),
    ]);
    expect((await muster(`restore ${folder}/nothing`)).err).toMatch(/nothing cannot be read: there is no such file\n$/);
  });
});

it('standard output that is full or closed is named, and nothing else is blamed', async () => {
  const run = async (line: string): Promise<[number, string]> => {
    const child = spawn('bash', ['--norc', '-c', `set -o pipefail; ${line}`, process.execPath, program], {
      env: environment({}),
    });
    let said = '';
    child.stderr.on('data', (text) => (said += text));
    const [code] = await once(child, 'close');
    return [code, said];
  };
  const full = 'ENOSPC: no space left on device, write';
  expect(await run('"$0" "$1" backup - > /dev/full')).toEqual([
    1,
    `muster: Standard output cannot be written (${full}) before the backup was complete\n`,
  ]);
  expect(await run('"$0" "$1" backup - | head -c 1 > /dev/null')).toEqual([
    1,
    'muster: Standard output was closed before the backup was complete\n',
  ]);
  for (const command of ['space list', 'export --space 1', 'doctor'])
    expect(await run(`"$0" "$1" ${command} > /dev/full`)).toEqual([
      1,
      `muster: standard output cannot be written: ${full}\n`,
    ]);
  // A reader that stops early changes no exit code, and no more pages are read for it.
  expect(await run('"$0" "$1" audit 2>&1 | true')).toEqual([2, '']);
  await door.sql(
    `insert into audit_log (group_id, operation, type) select 1, 'x', 'Contact' from generate_series(1, 10000)`,
  );
  const countScans = async (): Promise<number> =>
    Number(
      (await door.sql(`select seq_scan + idx_scan as count from pg_stat_user_tables where relname = 'audit_log'`))[0]
        .count,
    );
  const before = await countScans();
  expect(await run('"$0" "$1" audit --space 1 --limit 10000 | true')).toEqual([0, '']);
  expect((await countScans()) - before).toBeLessThan(5);
});

it('a database that is read-only is backed up, and told where something is written', async () => {
  await door.sql(
    `alter role current_user in database "${new URL(door.databaseUrl).pathname.slice(1)}" set default_transaction_read_only = on`,
  );
  try {
    expect(await muster(`backup ${folder}/files/readonly.backup`)).toMatchObject({ code: 0 });
    expect(await muster('space create --name X --mail ada@example.org --first-name Ada --last-name L')).toMatchObject({
      code: 1,
      err: 'muster: The database is read-only (cannot execute nextval() in a read-only transaction): name one in DATABASE_URL that can be written\n',
    });
  } finally {
    await door.sql(
      `alter role current_user in database "${new URL(door.databaseUrl).pathname.slice(1)}" reset default_transaction_read_only`,
    );
  }
});

it('a backup that is stopped leaves no file', async () => {
  const blocker = new pg.Client(door.databaseUrl);
  await blocker.connect();
  // A change of the schema is under way: the backup waits for it.
  await blocker.query('begin; lock table contacts in access exclusive mode');
  const stopped = join(folder, 'files/stopped');
  const child = spawn(process.execPath, [program, 'backup', stopped], { env: environment({}) });
  let said = '';
  child.stderr.on('data', (text) => (said += text));
  await vi.waitFor(() => expect(fs.existsSync(`${stopped}.partial`)).toBe(true), 20_000);
  child.kill('SIGTERM');
  expect([await once(child, 'close'), said]).toEqual([[143, null], 'muster: Stopped by SIGTERM\n']);
  expect(fs.readdirSync(join(folder, 'files')).filter((name) => name.startsWith('stopped'))).toEqual([]);
  await blocker.end();
});

it('a restore that is killed or stopped in the middle changes nothing, and the next one works', async () => {
  const target = await createDatabase('empty');
  const stopInTheMiddle = async (signal: NodeJS.Signals): Promise<[unknown, string]> => {
    const child = spawn(process.execPath, [program, 'restore', '-'], { env: environment({ DATABASE_URL: target }) });
    let said = '';
    child.stderr.on('data', (text) => (said += text));
    child.stdin.on('error', () => {});
    const bytes = fs.readFileSync(file);
    child.stdin.write(bytes.subarray(0, Math.floor(bytes.length * 0.7)));
    await vi.waitFor(async () => {
      const rows = await query(
        target,
        `select from pg_stat_activity where datname = current_database() and query like 'copy %from stdin' and wait_event = 'ClientRead'`,
      );
      expect(rows).toHaveLength(1);
    }, 20_000);
    child.kill(signal);
    const [code, killedBy] = await once(child, 'close');
    return [killedBy ?? code, said];
  };
  expect((await stopInTheMiddle('SIGKILL'))[0]).toBe('SIGKILL');
  expect(await stopInTheMiddle('SIGTERM')).toEqual([143, 'muster: Stopped by SIGTERM\n']);
  expect(await query(target, `select to_regclass('contacts') as contacts`)).toEqual([{ contacts: null }]);
  expect((await muster(`restore ${file}`, { DATABASE_URL: target })).code).toBe(0);
  expect(await countContacts(target)).toBe(contacts);
});

describe('--verify', () => {
  const scratch = () => `${new URL(door.databaseUrl).pathname.slice(1, 49)}_muster_verify`;
  const listScratch = () =>
    query(inject('serverUrl'), `select from pg_database where datname = '${scratch()}'`).then((rows) => rows.length);

  it('restores into a scratch database, counts, compares, and leaves nothing behind', async () => {
    // One that was killed has left its database.
    await runStatement(inject('serverUrl'), `create database ${scratch()}`);
    await runStatement(
      inject('serverUrl'),
      `comment on database ${scratch()} is 'scratch database of muster restore --verify'`,
    );
    const { code, out, err } = await muster(`restore --verify ${file}`);
    expect([code, err, await listScratch()]).toEqual([0, '', 0]);
    expect(out).toMatch(/^Muster \d+\.\d+\.\d+, PostgreSQL \d+\.\d+, 20\d\d-.+Z\n/);
    expect(out).toMatch(new RegExp(`^contacts +${contacts} rows$`, 'm'));
    expect(out).toMatch(
      /\ngood: all rows are those that were written, and the search rows of \d+ contacts are right\n$/,
    );
    expect(await countContacts(door.databaseUrl)).toBe(contacts);
  });

  it('says what is not good, drops what it has made, and never drops what it has not', async () => {
    const short = join(folder, 'files/short');
    fs.writeFileSync(short, fs.readFileSync(file).subarray(0, -2000));
    const { code, out, err } = await muster(`restore --verify ${short}`);
    expect([code, out, err, await listScratch()]).toEqual([
      1,
      '',
      'muster: The backup cannot be used: it ends too early\n',
      0,
    ]);
    await runStatement(inject('serverUrl'), `create database ${scratch()}`);
    const refused = await muster(`restore --verify ${file}`);
    expect([refused.code, refused.err, await listScratch()]).toEqual([1, expect.stringContaining(scratch()), 1]);
    await runStatement(inject('serverUrl'), `drop database ${scratch()}`);
  });
});

describe('the embedded database', () => {
  const data = join(folder, 'data');
  const embedded = { DATABASE_URL: undefined, MUSTER_DATA_DIR: data };
  const second = join(folder, 'files/embedded.backup');
  // Otherwise, as root, the cluster would be in another folder.
  beforeAll(() => fs.chmodSync(folder, 0o755));
  afterAll(() => fs.rmSync(data, { recursive: true, force: true }));

  it('is made by a restore, and backed up while it runs and while it does not', async () => {
    const missing = await muster(`backup ${second}`, embedded);
    expect([missing.code, missing.err]).toEqual([
      1,
      expect.stringMatching(/^muster: There is no database in .+data: set/),
    ]);
    expect(fs.existsSync(data)).toBe(false);
    expect((await muster(`restore ${file}`, embedded)).code).toBe(0);
    expect(await findEmbedded(data)).toBeUndefined();
    expect((await muster(`backup ${second}`, embedded)).code).toBe(0);
    expect(await findEmbedded(data)).toBeUndefined();
    const server = await startEmbedded(data);
    try {
      expect(await countContacts(server.url)).toBe(contacts);
      expect((await muster(`backup ${second} --force`, embedded)).code).toBe(0);
      const refused = await muster(`restore ${second}`, embedded);
      expect(refused.err).toMatch(/The database has data .+ Stop Muster, move .+data away, and run this again/);
      // The role of the owner may not create databases: the superuser of the cluster makes the scratch one.
      expect((await muster(`restore --verify ${second}`, embedded)).code).toBe(0);
      expect(await countContacts(server.url)).toBe(contacts);
    } finally {
      await server.stop();
    }
  });

  it('of another major version of PostgreSQL says what to do, and stays as it is', async () => {
    fs.writeFileSync(join(data, 'pg/PG_VERSION'), '17\n');
    for (const line of ['serve', `backup ${second} --force`]) {
      const { code, out, err } = await muster(line, embedded);
      expect([code, out]).toEqual([1, '']);
      expect(err).toMatch(
        /^muster: The database in .+data\/pg was made by PostgreSQL 17 and left untouched: this Muster brings 18\.\S+\. Run `muster backup muster\.backup` of the version that made it, move .+data away, and run `muster restore muster\.backup` of this version\.\n$/,
      );
    }
    expect(fs.readFileSync(join(data, 'pg/PG_VERSION'), 'utf8')).toBe('17\n');
  });
});
