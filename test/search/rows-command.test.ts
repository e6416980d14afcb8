// The commands muster search rebuild and verify: their output and their exit codes.
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { createDatabase, type Door, openApp } from '../harness/app.ts';
import { buildProgram } from '../harness/program.ts';
import { buildWaitingSql } from '../harness/session.ts';
import { waitUntil } from '../harness/waiting.ts';

vi.setConfig({ testTimeout: 60_000 });

const { folder, program } = buildProgram();
let door: Door;
let ids: number[];
beforeAll(async () => {
  door = await openApp();
  ids = (await door.sql('select id from contacts where group_id = 1 and deleted_at is null order by id limit 60')).map(
    ({ id }) => id,
  );
});

const env = (DATABASE_URL = door.databaseUrl) => ({ PATH: process.env.PATH, DATABASE_URL });
const muster = (line: string, url?: string): Promise<{ code: number; out: string; err: string }> =>
  new Promise((resolve) => {
    execFile(process.execPath, [program, ...line.split(' ')], { cwd: folder, env: env(url) }, (error, out, err) =>
      resolve({ code: error ? Number(error.code ?? -1) : 0, out, err }),
    );
  });

const damage = async (): Promise<void> => {
  await door.sql('delete from contact_search where group_id = 1 and contact_id = any(?)', [ids.slice(0, 23)]);
  await door.sql(`update contact_search set surname = 'x', filled = 0 where group_id = 1 and contact_id = ?`, [
    ids[30],
  ]);
  await door.sql('insert into contact_emails select 1, ?, 1, 1, now(), now(), now() on conflict do nothing', [ids[31]]);
  await door.sql('delete from emails where group_id = 1 and contact_id = ?', [ids[31]]);
};
const total = async (): Promise<string> =>
  (await door.sql('select count(*) as total from contacts'))[0].total.toLocaleString('en-US');

it.each([
  ['search --help', ['rebuild', 'verify', '--help']],
  ['search rebuild --help', ['--space', '--batch', '1000', 'Migrates', 'safe while the server runs']],
  ['search verify --help', ['--space', '--batch', '--repair', 'exit code', 'without locks']],
])('%s says what there is', async (line, mentioned) => {
  const { code, out, err } = await muster(line, 'postgres://nobody@127.0.0.1:1/nothing');
  expect([code, err]).toEqual([0, '']);
  for (const part of mentioned) expect(out.replaceAll(/\s+/g, ' ')).toContain(part);
});

it.each([
  ['search', 'search [options] [command]'],
  ['search rebuild --batch 0', 'must be a whole number from 1 to 100000'],
  ['search verify --space x', 'must be a whole number'],
  ['search rebuild --repair', "unknown option '--repair'"],
])('%s is wrong usage', async (line, message) => {
  const { code, out, err } = await muster(line);
  expect([code, out]).toEqual([2, '']);
  expect(err).toContain(message);
});

it.each(['rebuild', 'verify'])('%s fails on a space that is not there', async (name) => {
  const { code, out, err } = await muster(`search ${name} --space 99`);
  expect([code, out, err]).toEqual([1, '', 'muster: There is no space 99\n']);
});

it.each(['rebuild', 'verify'])('%s of an empty database migrates it', async (name) => {
  const { code, err } = await muster(`search ${name}`, await createDatabase('empty'));
  expect([code, err]).toEqual([0, '']);
});

describe('rows that are wrong', () => {
  it('verify lists them and exits with 1; rebuild counts what it wrote; then verify exits with 0', async () => {
    await damage();
    const verified = await muster('search verify');
    expect([verified.code, verified.err]).toEqual([1, '']);
    expect(verified.out.split('\n')).toEqual([
      expect.stringMatching(/^space 1, [\d,]+ contacts: some rows are wrong$/),
      `  search rows missing (23): ${ids.slice(0, 20).join(', ')} and 3 more`,
      `  search rows stale (1): ${ids[30]} (filled, surname)`,
      `  e-mail search rows left over (1): ${ids[31]}`,
      expect.stringMatching(/^space 2, \d+ contacts: all rows are correct$/),
      'To repair them: muster search verify --repair',
      '',
    ]);
    const other = await muster('search verify --space 2');
    expect([other.code, other.out]).toEqual([0, expect.not.stringContaining('space 1')]);

    expect(await muster('search rebuild --batch 7')).toEqual({
      code: 0,
      out: `${await total()} contacts of 2 spaces: 24 search rows written, 0 removed; 0 e-mail search rows written, 1 removed\n`,
      err: '',
    });
    const after = await muster('search verify');
    expect([after.code, after.err, after.out]).toEqual([0, '', expect.not.stringContaining('some rows')]);
  });

  it('verify --repair exits with 1, since something was wrong, and leaves nothing wrong', async () => {
    await damage();
    const repaired = await muster('search verify --repair');
    expect([repaired.code, repaired.err]).toEqual([1, '']);
    expect(repaired.out).toContain('The wrong rows are repaired.');
    expect((await muster('search verify')).code).toBe(0);
  });
});

it('rebuild told to stop keeps what it did, and goes on the next time', async () => {
  await damage();
  const holder = await door.database.readers.knex.transaction();
  await holder.raw('select from contacts where group_id = 1 and id = ? for update', [ids[15]!]);
  const child = spawn(process.execPath, [program, 'search', 'rebuild', '--batch', '10'], { cwd: folder, env: env() });
  let err = '';
  child.stderr.on('data', (text) => (err += text));
  const ended = once(child, 'close');
  const count = async (sql: string): Promise<number> => (await door.sql(sql)).length;
  await waitUntil('it waits', async () => (await count(buildWaitingSql('muster search'))) === 1);
  child.kill('SIGINT');
  expect([(await ended)[0], err]).toEqual([1, 'muster: stopped; the finished batches are kept\n']);
  const sessions = `select from pg_stat_activity where datname = current_database() and application_name = 'muster search'`;
  await waitUntil('its sessions are closed', async () => (await count(sessions)) === 0);
  await holder.rollback();
  const left = await muster('search verify');
  expect([left.code, left.out]).toEqual([1, expect.stringContaining('search rows missing (13)')]);
  expect((await muster('search rebuild')).out).toContain('14 search rows written');
  expect((await muster('search verify')).code).toBe(0);
});
