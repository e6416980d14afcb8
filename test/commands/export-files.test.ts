// muster export for spreadsheets: files as Excel opens them, some of the columns, the format by the name, a reader who leaves.
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { promisify } from 'node:util';
import { gunzipSync } from 'node:zlib';
import { parse } from 'csv-parse/sync';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { columnNames } from '../../packages/pages/column-names.ts';
import type { Json } from '../harness/app.ts';
import { countWaiting, openSession } from '../harness/session.ts';
import { waitUntil } from '../harness/waiting.ts';
import { createFiles, type Files } from '../import/files.ts';

vi.setConfig({ testTimeout: 60_000 });

let files: Files;
let space: string;
beforeAll(async () => {
  files = await createFiles();
  space = await files.createSpace();
  const people = [
    { surname: 'Dupré', firstname: 'Zoé', mail: 'zoe@example.org', phone: '+33 6 12 34 56 78', tags: ['a', 'b'] },
    {
      surname: 'Lœb; fils',
      firstname: 'two\nlines',
      birthdate: '1980-02-03',
      address: { city: 'Châtillon', postalcode: '01400' },
    },
    { surname: '=cmd|calc', mail: 'f@example.org' },
  ];
  const content = people.map((one) => `${JSON.stringify(one)}\n`).join('');
  await files.importFile('contacts', 'people.ndjson', content, '--space', space);
  await files.importFile('notes', 'n.csv', 'contact_mail,content\nzoe@example.org,"one\ntwo; é"\n', '--space', space);
});

const exported = async (name: string, ...args: string[]): Promise<Buffer> => {
  const path = files.path(name);
  const { code, err } = await files.muster('export', ...args, '--space', space, '--out', path);
  expect([code, err]).toEqual([0, expect.stringMatching(/ exported\n$/)]);
  return readFileSync(path);
};

describe('--excel', () => {
  it('writes a byte order mark, semicolons and CRLF in French, and an import reads that back without a change', async () => {
    const text = (await exported('excel.csv', '--excel', 'fr')).toString();
    expect(text.startsWith('\ufeffN° de fiche;Identifiant externe;Genre;')).toBe(true);
    expect(text.match(/\ufeff/g)).toHaveLength(1);
    const rows: Json[] = parse(text, { bom: true, columns: true, delimiter: ';', record_delimiter: '\r\n' });
    expect(
      rows.map((row) => ['Nom', 'Téléphone fixe', 'Étiquettes', 'Date de naissance'].map((head) => row[head])),
    ).toEqual([
      ['Dupré', '+33 6 12 34 56 78', 'a; b', ''],
      ['Lœb; fils', '', '', '1980-02-03'],
      ["'=cmd|calc", '', '', ''],
    ]);
    const back = await files.muster('import', 'contacts', files.path('excel.csv'), '--space', space);
    expect(back.err + back.out).toContain(
      'N° des actions, Réponses aux formulaires, Réponses aux champs personnalisés, Création (UTC), Dernière écriture (UTC), Dernière modification (UTC) (an export writes them, an import does not)',
    );
    expect(back.out).toContain('0 contacts created, 0 updated, 3 unchanged, 0 rows rejected');
  });

  it.each(['en', 'fr'] as const)('is known again by an import, column by column, in %s', async (language) => {
    const path = files.path(`known-${language}.csv`);
    await exported(`known-${language}.csv`, '--excel', language);
    const seen = await files.muster('import', 'inspect', path);
    expect([seen.code, seen.out + seen.err]).toEqual([0, expect.not.stringContaining('Unknown columns')]);
    for (const name of ['surname', 'birthdate', 'phone', 'address_postalcode', 'tags'])
      expect(seen.out + seen.err).toContain(`${columnNames[name]![language]}=${name}`);
    const back = await files.muster('import', 'contacts', path, '--space', space);
    expect(back.out).toContain('0 contacts created, 0 updated, 3 unchanged, 0 rows rejected');
  });

  it('goes for records too, and over commas in the name of the file', async () => {
    const text = (await exported('notes', 'notes', '--excel', 'en')).toString();
    const [note] = parse(text, { bom: true, columns: true }) as Json[];
    expect(note).toMatchObject({ contact_mail: 'zoe@example.org', content: 'one\ntwo; é', pinned: 'no' });
    expect(note!.created_at).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d$/);
    const back = await files.muster('import', 'inspect', files.path('notes'), '--type', 'notes');
    expect(back.out).not.toContain('not recognised');
  });

  it('is in the language of the shell when it names none', async () => {
    const text = (await exported('shell.csv', '--excel', '--columns', 'surname')).toString();
    expect(['\ufeffNom', '\ufeffLast name']).toContain(text.split('\r\n')[0]);
  });
});

describe('--columns', () => {
  it('chooses columns, in their order', async () => {
    const text = (await exported('some.csv', '--columns', 'surname, tags,id', '--excel', 'en')).toString();
    const [head, ...rows]: string[][] = parse(text, { bom: true });
    expect(head).toEqual(['Last name', 'Tags', 'Contact number']);
    expect(rows.map((row) => row.slice(0, 2))).toEqual([
      ['Dupré', 'a; b'],
      ['Lœb; fils', ''],
      ["'=cmd|calc", ''],
    ]);
    expect((await exported('note.csv', 'notes', '--columns', 'content')).toString()).toBe(
      'content\r\n"one\ntwo; é"\r\n',
    );
  });
});

describe('the name of the file says what it is', () => {
  it.each([
    ['x.csv', 'id,external_id'],
    ['x.CSV', 'id,external_id'],
    ['x.ndjson', '{'],
    ['x.jsonl', '{'],
    ['x.txt', '{'],
  ])('%s', async (name, start) => {
    expect((await exported(name)).toString().startsWith(start)).toBe(true);
  });

  it.each([
    ['z.csv.gz', ['--excel', 'fr'], '\ufeffN° de fiche;'],
    ['z.ndjson.gz', [], '{'],
    ['z.gz', ['--format', 'csv'], 'id,'],
  ])('%s is compressed, whole and for its owner alone', async (name, args, start) => {
    const content = await exported(name, ...args);
    const text = gunzipSync(content).toString();
    expect([text.startsWith(start), text.includes('Dupré')]).toEqual([true, true]);
    expect(statSync(files.path(name)).mode & 0o777).toBe(0o600);
  });

  it.each([
    [
      'a format that the name contradicts',
      ['--format', 'ndjson', '--out', 'c.csv'],
      'c.csv means csv, but --format says ndjson',
    ],
    [
      'Excel’s CSV in a file of NDJSON',
      ['--excel', '--out', 'c.ndjson'],
      'c.ndjson means ndjson, but --excel means CSV',
    ],
    ['Excel’s CSV as NDJSON', ['--excel', '--format', 'ndjson'], '--excel means CSV, but --format says ndjson'],
    [
      'Excel in a language that there is not',
      ['--excel', 'de'],
      "argument 'de' is invalid. Allowed choices are en, fr",
    ],
    ['columns of NDJSON', ['--columns', 'id'], '--columns works with CSV only'],
    [
      'columns that there are not',
      ['--columns', 'id,name,id', '--excel'],
      'named twice: name, id. The columns are id, external_id',
    ],
    [
      'columns of another family',
      ['notes', '--columns', 'surname', '--excel'],
      'surname. The columns are id, contact_id',
    ],
    ['interactions in CSV', ['--interactions', '--format', 'csv'], '--interactions works with NDJSON only'],
  ])('%s is wrong usage', async (_, args, said) => {
    const { code, out, err } = await files.muster('export', ...args, '--space', space);
    expect([code, out, existsSync('c.csv')]).toEqual([2, '', false]);
    expect(err).toContain(said);
  });
});

it('a reader who has seen enough ends an export without a word', async () => {
  const { program, folder, env } = files.started;
  // Of a page more than a pipe holds, so that the export is still writing when its reader leaves.
  const command = `set -o pipefail; ${process.execPath} ${program} export --space 1 | head -c 10`;
  const run = promisify(execFile)('bash', ['--norc', '-c', command], { cwd: folder, env });
  expect(await run).toMatchObject({ stdout: expect.stringMatching(/^\{.{9}$/), stderr: '' });
});

it('a signal ends an export, and leaves no part of its file behind', async () => {
  const { program, folder, env } = files.started;
  const [other, watch] = [await openSession(files.door.databaseUrl), await openSession(files.door.databaseUrl)];
  await other.query('begin; lock table tags in access exclusive mode');
  const target = files.path('stopped.csv');
  const child = spawn(process.execPath, [program, 'export', '--space', '1', '--out', target], { cwd: folder, env });
  await waitUntil('it is in the middle', async () => (await countWaiting(watch)) > 0);
  expect(existsSync(`${target}.part`)).toBe(true);
  child.kill('SIGINT');
  const [code] = await once(child, 'close');
  await other.query('rollback');
  expect([code, existsSync(target), existsSync(`${target}.part`)]).toEqual([130, false, false]);
});
