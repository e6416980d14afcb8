// muster import as runs that are known: their ids, their list, going on with one, and dry runs, of which nothing stays.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { sessionSettings } from '../../src/database/pool.ts';
import type { Json } from '../harness/app.ts';
import { countWaiting, openSession } from '../harness/session.ts';
import { waitUntil } from '../harness/waiting.ts';
import { createFiles, type Files } from './files.ts';

vi.setConfig({ testTimeout: 60_000 });

let files: Files;
beforeAll(async () => {
  files = await createFiles();
});
const importsOf = (space: string): Promise<Json[]> =>
  files.door.sql('select id from imports where group_id = ? order by id', [space]);

describe('an import', () => {
  it('tells its id when it begins', async () => {
    const space = await files.createSpace();
    const { out, err } = await files.importFile('contacts', 'a.csv', 'surname\nA\n', '--space', space);
    expect(err).toBe(`import ${files.readImportId(out)} begins\n`);
  });

  it('has its id on the screen before its first batch is written', async () => {
    const space = await files.createSpace();
    const { program, folder, env } = files.started;
    const other = await openSession(files.door.databaseUrl);
    await other.query('begin; lock table import_batches in exclusive mode');
    writeFileSync(files.path('cut.csv'), 'surname\nA\n');
    const args = [program, 'import', 'contacts', files.path('cut.csv'), '--space', space];
    const child = spawn(process.execPath, args, { cwd: folder, env });
    let err = '';
    child.stderr.on('data', (chunk) => {
      err += chunk;
    });
    await waitUntil('it tells its id', () => /^import \d+ begins\n$/.test(err));
    child.kill('SIGKILL');
    await once(child, 'close');
    await other.query('rollback');
    const [{ id }] = await importsOf(space);
    expect(err).toBe(`import ${id} begins\n`);
    const { err: going } = await files.muster(...args.slice(1), '--resume');
    expect(going).toBe(`continuing import ${id}\n`);
  });

  it('waits longer for a lock than a request does', async () => {
    const space = await files.createSpace();
    const [other, watch] = [await openSession(files.door.databaseUrl), await openSession(files.door.databaseUrl)];
    await other.query('begin; lock table import_batches in exclusive mode');
    const running = files.importFile('contacts', 'long.csv', 'surname\nA\n', '--space', space);
    await waitUntil('it waits', async () => (await countWaiting(watch)) > 0);
    await sleep(sessionSettings.lock_timeout + 500);
    await other.query('rollback');
    expect((await running).code).toBe(0);
  });

  it('that never was cannot go on', async () => {
    const space = await files.createSpace();
    const { code, out, err } = await files.importFile(
      'contacts',
      'none.csv',
      'surname\nA\n',
      '--space',
      space,
      '--resume',
    );
    expect([code, out, await importsOf(space)]).toEqual([1, '', []]);
    expect(err).toContain(
      `There is no import of ${files.path('none.csv')} with these options to resume. Leave --resume out`,
    );
  });

  it('in the name of a user who is not there is refused, as is undoing one', async () => {
    const space = await files.createSpace();
    const args = ['--space', space, '--user', '987654'];
    for (const more of [[], ['--dry-run']]) {
      const { code, err } = await files.importFile('contacts', 'u.csv', 'surname\nA\n', ...args, ...more);
      expect([code, err]).toEqual([1, 'muster: There is no user 987654\n']);
    }
    expect((await files.undoImport('1', space, '--user', '987654')).err).toBe('muster: There is no user 987654\n');
    expect(await importsOf(space)).toEqual([]);
    const elsewhere = await files.importFile('contacts', 'u.csv', 'surname\nA\n', '--space', '987654', '--dry-run');
    expect([elsewhere.code, elsewhere.err]).toEqual([1, 'muster: There is no space 987654\n']);
  });
});

describe('import list', () => {
  it('tells of the imports of one space, the latest first', async () => {
    const { space, contacts } = await files.createPeopledSpace();
    const notes = await files.importFile(
      'notes',
      'n.csv',
      'contact_mail,content\nada@example.org,x\n,y\n',
      '--space',
      space,
    );
    const again = await files.muster(
      'import',
      'contacts',
      files.path('people.csv'),
      '--space',
      space,
      '--map',
      'mail=mail',
    );
    await files.undoImport(files.readImportId(notes.out), space);
    await files.door.sql('update imports set finished_at = null where id = ?', [files.readImportId(again.out)]);
    await files.importFile('contacts', 'other.csv', 'surname\nA\n', '--space', await files.createSpace());
    const list = async (...args: string[]): Promise<Json[]> =>
      (await files.muster('import', 'list', '--space', space, '--json', ...args)).out
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line));
    const [name, begun] = [files.path('people.csv'), expect.stringMatching(/^\d{4}-\d{2}-\d{2}T[\d:.]+Z$/)];
    const nothing = { created: 0, updated: 0, unchanged: 0, refused: 0 };
    const all = [
      {
        id: Number(files.readImportId(again.out)),
        family: 'contacts',
        name,
        begun,
        state: 'not finished',
        ...nothing,
        unchanged: 3,
      },
      {
        id: Number(files.readImportId(notes.out)),
        family: 'notes',
        name: files.path('n.csv'),
        begun,
        state: 'undone',
        ...nothing,
        created: 1,
        refused: 1,
      },
      { id: Number(contacts), family: 'contacts', name, begun, state: 'finished', ...nothing, created: 3 },
    ];
    expect(await list()).toEqual(all);
    expect(await list('--limit', '2')).toEqual(all.slice(0, 2));
    const table = await files.muster('import', 'list', '--space', space, '--limit', '2');
    const readId = (nth: number): string => String(all[nth]!.id);
    const minute = expect.stringMatching(/^\d{4}-\d{2}-\d{2} \d{2}:\d{2}$/);
    expect(table.out.split('\n').map((line) => line.trim().split(/ {2,}/))).toEqual([
      ['IMPORT', 'RECORDS', 'FILE', 'BEGUN', 'STATE', 'CREATED', 'UPDATED', 'UNCHANGED', 'REFUSED'],
      [readId(0), 'contacts', 'people.csv', minute, 'not finished', '0', '0', '3', '0'],
      [readId(1), 'notes', 'n.csv', minute, 'undone', '1', '0', '0', '1'],
      [''],
    ]);
    expect(table.err).toBe('the latest 2 of 3; use --limit for more\n');
  });
});

describe('a dry run', () => {
  const count = 1200;
  /** Rows of later batches mean contacts of earlier ones, and some are refused by the database. */
  const people = `external_id,surname,mail,gender,form:consent:None\n${Array.from({ length: count }, (_, n) => {
    const person = n % 800;
    return `${n % 97 === 0 ? 'twice' : `e${person}`},S${person},m${person}@example.org,${n % 131 === 0 ? 'X' : 'F'},${n % 199 === 5 ? 'yes' : ''}`;
  }).join('\n')}\n`;
  const said = (out: string): string => /\d[\d,]* rows.*/.exec(out)![0].replace(/in [\d.]+ s/, '');
  /** What of a space could have changed, but for ids that were given out. */
  const state = (space: string): Promise<Json[]> =>
    files.door.sql(
      `select ${['contacts', 'imports', 'contact_search', 'campaigns', 'import_contacts'].map((table) => `(select count(*) from ${table} where group_id = ${space}) as ${table}`).join(', ')},
              (select sum(version) from contacts where group_id = ${space}) as versions`,
    );

  it.each([
    ['upserts', []],
    ['contacts that are always created', ['--mode', 'create']],
    ['contacts by a key', ['--key', 'external_id']],
  ])('of %s tells what a run would do, and does nothing', async (_, more) => {
    const space = await files.createSpace();
    await files.importFile(
      'contacts',
      'some.csv',
      'surname,mail\nS3,m3@example.org\nS4,m4@example.org\n',
      '--space',
      space,
    );
    const before = await state(space);
    const args = ['--space', space, '--batch', '100', ...more];
    const dry = await files.importFile('contacts', 'p.csv', people, ...args, '--dry-run');
    expect(dry.out).toMatch(/^dry run, nothing was written: 1,200 rows /);
    expect(await state(space)).toEqual(before);
    const real = await files.importFile('contacts', 'p.csv', people, ...args);
    expect([dry.code, said(dry.out)]).toEqual([1, said(real.out)]);
    expect(said(dry.out)).not.toMatch(/ 0 contacts created|, 0 rows rejected/);
    expect(dry.err).toBe(real.err.replace(/^import \d+ begins\n/m, ''));
  });

  it('of records makes nothing either, and finds what earlier rows of the file make', async () => {
    const { space } = await files.createPeopledSpace();
    const before = await state(space);
    const csv = `contact_mail,campaign,campaign_subject\n${'ada@example.org,Autumn,Hello\n'.repeat(30)}ada@example.org,Autumn,\n`;
    const dry = await files.importFile('emails', 'e.csv', csv, '--space', space, '--batch', '10', '--dry-run');
    expect([dry.code, dry.out]).toEqual([0, expect.stringContaining('31 emails created, 0 rows rejected')]);
    expect(await state(space)).toEqual(before);
  });

  it('that a signal ends leaves nothing', async () => {
    const space = await files.createSpace();
    const before = await state(space);
    const { program, folder, env } = files.started;
    const [other, watch] = [await openSession(files.door.databaseUrl), await openSession(files.door.databaseUrl)];
    await other.query('begin; lock table import_contacts in exclusive mode');
    writeFileSync(files.path('stopped.csv'), people);
    const args = [program, 'import', 'contacts', files.path('stopped.csv'), '--space', space, '--dry-run'];
    const child = spawn(process.execPath, args, { cwd: folder, env });
    let err = '';
    child.stderr.on('data', (chunk) => {
      err += chunk;
    });
    await waitUntil('it is in the middle', async () => (await countWaiting(watch)) > 0);
    child.kill('SIGINT');
    expect((await once(child, 'close'))[0]).toBe(130);
    await other.query('rollback');
    expect(err).toContain('Stopped by SIGINT\nNothing was written.\n');
    expect(await state(space)).toEqual(before);
  });

  it('that breaks off leaves nothing', async () => {
    const space = await files.createSpace();
    const before = await state(space);
    writeFileSync(files.path('torn.csv'), people);
    await files.door.sql(`create or replace function tear() returns trigger language plpgsql as $$ begin
      raise exception 'not today'; end $$`);
    await files.door.sql(
      `create trigger tear before insert on contacts for each row when (new.group_id = ${space} and new.surname = 'S600') execute function tear()`,
    );
    const { code, err } = await files.muster(
      'import',
      'contacts',
      files.path('torn.csv'),
      '--space',
      space,
      '--dry-run',
      '--batch',
      '100',
    );
    expect([code, err]).toEqual([1, expect.stringMatching(/not today \(SQLSTATE P0001\)\nNothing was written\.\n$/)]);
    expect(await state(space)).toEqual(before);
  });
});
