// muster import of rows with faults: how these are told, in the words of the file, and the file of the rows that are left out.
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { gunzipSync, gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import type { Json } from '../harness/app.ts';
import { createFiles, type Files } from './files.ts';
import { encodeUtf16, encodeWindows1252 } from './french-spreadsheet.ts';

vi.setConfig({ testTimeout: 60_000 });

let files: Files;
beforeAll(async () => {
  files = await createFiles();
});
const surnames = async (space: string): Promise<string[]> =>
  (await files.readLivingRows('contacts', space, 'surname')).map(({ surname }) => surname);
const importsOf = (space: string): Promise<Json[]> =>
  files.door.sql('select id from imports where group_id = ?', [space]);

describe('rows with faults', () => {
  const csv =
    'firstname,surname,gender,birthdate,form:consent:No such form\nA,One,F,1980-01-01,\nB,Two,X,tomorrow,\nC,Three,,,yes\nD,Four,M,,\n';

  it('are told by a dry run, which writes nothing', async () => {
    const space = await files.createSpace();
    const { code, out, err } = await files.importFile('contacts', 'faults.csv', csv, '--space', space, '--dry-run');
    expect([code, err]).toEqual([
      1,
      [
        'line 3: gender "X" must be one of F, M, O',
        'line 3: birthdate "tomorrow" must be a date such as 2026-11-21, years 0001 to 9999',
        'line 4: form:consent:No such form "yes" is not a form of kind consent',
        'faults by kind:',
        '  1 × gender must be one of F, M, O',
        '  1 × birthdate must be a date such as 2026-11-21, years 0001 to 9999',
        '  1 × form:consent:No such form is not a form of kind consent',
        '',
      ].join('\n'),
    ]);
    expect(out).toMatch(
      /^dry run, nothing was written: 4 rows in .* s, 2 contacts created, 0 updated, 0 unchanged, 2 rows rejected\n$/,
    );
    expect(await surnames(space)).toEqual([]);
  });

  // The last faults are written when all rows are read.
  it('are an error when the file of faults cannot be written', async () => {
    const space = await files.createSpace();
    const full = ['--space', space, '--faults', '/dev/full'];
    const { code, err } = await files.importFile('contacts', 'faults.csv', csv, ...full);
    expect(code).toBe(1);
    expect(err).toContain('/dev/full cannot be written: ENOSPC');
    expect(err).toContain('was interrupted');
  });

  it('are left out and told, with all of them in a file; the others are written', async () => {
    const space = await files.createSpace();
    const faults = files.path('faults.ndjson');
    const { code, out } = await files.importFile('contacts', 'faults.csv', csv, '--space', space, '--faults', faults);
    expect(code).toBe(1);
    expect(out).toContain('2 contacts created, 0 updated, 0 unchanged, 2 rows rejected');
    const told = readFileSync(faults, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(told.map(({ line, faults: some }: Json) => [line, some.map(({ column }: Json) => column).sort()])).toEqual([
      [3, ['birthdate', 'gender']],
      [4, ['form:consent:No such form']],
    ]);
    expect(told[1].faults[0]).toEqual({
      column: 'form:consent:No such form',
      message: 'is not a form of kind consent',
      value: 'yes',
    });
    expect(await surnames(space)).toEqual(['One', 'Four']);
  });
});

describe('rows that are left out', () => {
  const map = 'Nom=surname,Né le=birthdate,Genre=gender,Réf=external_id,Accord=form:consent:No such form';
  const head = 'Nom;Né le;Genre;Réf;Accord;Rien\r\n';
  const [day, both, form, key] = [
    '"Dupré; Zoé";31/02/1980;F;;;"a\r\nb"\r\n',
    'Lœb;hier;X;;;\r\n',
    'Noël;01/02/1980;M;;oui;\r\n',
    'Éva;;;E1;;\r\n',
  ];
  const content = `${head};;;;;\r\n${day}A;01/02/1980;F;E1;;\r\n${both}${key}${form}`;
  const args = (space: string, ...more: string[]): string[] => [
    '--space',
    space,
    '--encoding',
    'windows-1252',
    '--days',
    'dmy',
    '--map',
    map,
    ...more,
  ];

  it('are told with their line, the column as the file has it, and the value; then how many of each kind', async () => {
    const space = await files.createSpace();
    const faults = files.path('f.ndjson');
    const { code, err } = await files.importFile(
      'contacts',
      'left.csv',
      encodeWindows1252(content),
      ...args(space, '--faults', faults),
    );
    const date = 'must be a date such as 21/11/2026 or 2026-11-21 with --days dmy, years 0001 to 9999';
    expect([code, err.replace(/^import .*\n/, '').split('\n')]).toEqual([
      1,
      [
        `line 3: Né le "31/02/1980" ${date}`,
        `line 6: Né le "hier" ${date}`,
        'line 6: Genre "X" must be one of F, M, O',
        'line 7: Réf "E1" belongs to another contact; --key external_id would match that contact',
        'line 8: Accord "oui" is not a form of kind consent',
        'faults by kind:',
        `  2 × Né le ${date}`,
        '  1 × Genre must be one of F, M, O',
        '  1 × Réf belongs to another contact; --key external_id would match that contact',
        '  1 × Accord is not a form of kind consent',
        '',
      ],
    ]);
    const lines = readFileSync(faults, 'utf8').trim().split('\n');
    expect(JSON.parse(lines[1]!)).toEqual({
      line: 6,
      faults: [
        { column: 'Né le', message: expect.stringContaining('must be a date'), value: 'hier' },
        { column: 'Genre', message: 'must be one of F, M, O', value: 'X' },
      ],
    });
  });

  it('cannot send commands to a terminal', async () => {
    const space = await files.createSpace();
    const { err } = await files.importFile(
      'contacts',
      'esc.csv',
      'gender\n"\u001b]0;x\u0007\u009b2J\n"\n',
      '--space',
      space,
    );
    expect(err).toContain('line 2: gender "\\u001b]0;x\\u0007\\u009b2J\\n" must be one of F, M, O\n');
    const head = 'a\u001b[2J\u009dx\u202e';
    const shown = 'a\\u001b[2J\\u009dx\\u202e';
    const heads = (...args: string[]) =>
      files.importFile('contacts', 'esc.csv', `${head}\nX\n`, '--space', space, ...args);
    expect((await heads()).err).toContain(`Unknown columns for a contact: ${shown}. Name them`);
    expect((await heads('--map', JSON.stringify({ [head]: 'gender' }))).err).toContain(
      `line 2: ${shown} "X" must be one of F, M, O\nfaults by kind:\n  1 × ${shown} must be`,
    );
  });

  it.each([
    ['as they stood in the file', (bytes: Buffer) => bytes, 'r.csv', (bytes: Buffer) => bytes],
    ['compressed too', (bytes: Buffer) => gzipSync(bytes), 'r.csv.gz', (bytes: Buffer) => gunzipSync(bytes)],
  ])('go to a file of their own, %s', async (_, pack, name, unpack) => {
    const space = await files.createSpace();
    const rejects = files.path(`${space}-${name}`);
    const source = name.replace('r.', 'left.');
    await files.importFile('contacts', source, pack(encodeWindows1252(content)), ...args(space, '--rejects', rejects));
    expect(statSync(rejects).mode & 0o777).toBe(0o600);
    expect(unpack(readFileSync(rejects))).toEqual(encodeWindows1252(`${head}${day}${both}${key}${form}`));
    // Nothing is overwritten, and nothing was done before that was clear.
    const again = await files.importFile(
      'contacts',
      source,
      pack(encodeWindows1252(content)),
      ...args(space, '--rejects', rejects),
    );
    expect([again.code, again.err]).toEqual([1, expect.stringContaining(`${rejects} already exists`)]);
    expect(await importsOf(space)).toHaveLength(1);
    // The same file, mended, and sent as it is.
    const mended = encodeWindows1252(`${head}${day}${both}${key}${form}`)
      .toString('latin1')
      .replace('31/02', '28/02')
      .replace('hier;X', '01/01/1990;O')
      .replace('E1', 'E2')
      .replace('oui', '');
    writeFileSync(rejects, pack(Buffer.from(mended, 'latin1')));
    const { code } = await files.muster('import', 'contacts', rejects, ...args(space));
    expect([code, await surnames(space)]).toEqual([0, ['A', 'Dupré; Zoé', 'Lœb', 'Éva', 'Noël']]);
  });

  it.each<[string, Buffer, Buffer, string[]]>([
    [
      'UTF-8 with a byte order mark, its last row without an end',
      Buffer.from('\ufeffsurname,gender\nA,F\n"é\n",X'),
      Buffer.from('\ufeffsurname,gender\n"é\n",X\n'),
      [],
    ],
    [
      'UTF-16',
      encodeUtf16('surname\tgender\r\né\tX\r\nA\tF\r\n', 'be'),
      encodeUtf16('surname\tgender\r\né\tX\r\n', 'be'),
      ['--encoding', 'utf-16'],
    ],
    [
      'JSON',
      Buffer.from('{"surname":"A"}\n\n{"gender": "é"}\n[1]\n{\n'),
      Buffer.from('{"gender": "é"}\n[1]\n{\n'),
      ['--format', 'ndjson'],
    ],
  ])('of %s stay what they are', async (_, content, left, more) => {
    const space = await files.createSpace();
    const rejects = files.path(`${space}.rejects`);
    await files.importFile('contacts', 'other.csv', content, '--space', space, '--rejects', rejects, ...more);
    expect(readFileSync(rejects)).toEqual(left);
  });

  it.each([
    ['the file that is read', (path: string) => ['--rejects', path]],
    [
      'the file that is read, by another name',
      (path: string) => ['--faults', path.replace('/files/', '/files/../files/')],
    ],
    ['that of the faults', (path: string) => ['--faults', `${path}.left`, '--rejects', `${path}.left`]],
  ])('never go over %s', async (_, more) => {
    const space = await files.createSpace();
    const path = files.path('own.csv');
    const { code, err } = await files.importFile('contacts', 'own.csv', 'gender\nX\n', '--space', space, ...more(path));
    expect([code, err]).toEqual([
      1,
      expect.stringContaining('is named twice: the file to import, --faults and --rejects'),
    ]);
    expect(readFileSync(path, 'utf8')).toBe('gender\nX\n');
  });

  it('leave no file when there are none', async () => {
    const space = await files.createSpace();
    const rejects = files.path('none.csv');
    await files.importFile('contacts', 'good.csv', 'surname\nA\n', '--space', space, '--rejects', rejects);
    expect(existsSync(rejects)).toBe(false);
  });
});
