// muster import of files as spreadsheets save them: encodings, heads, blank rows.
import { writeFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
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

const names = ['Lœb', 'L’Œuvre', 'Müller – 5 €', '\u0081é'];
const csv = `surname\r\n${names.join('\r\n')}\r\n`;

describe('a file is read', () => {
  it.each<[string, Buffer, string[]]>([
    ['in windows-1252', encodeWindows1252(csv), ['--encoding', 'windows-1252']],
    ['in Latin 1, which means windows-1252, as on the web', encodeWindows1252(csv), ['--encoding', 'latin1']],
    ['in ISO 8859-1, which means it too', encodeWindows1252(csv), ['--encoding', 'ISO-8859-1']],
    ['in UTF-8', Buffer.from(csv), []],
    ['in UTF-8 with a byte order mark', Buffer.from(`\ufeff${csv}`), ['--encoding', 'utf8']],
    ['in UTF-16, little end first', encodeUtf16(csv, 'le'), ['--encoding', 'utf-16']],
    ['in UTF-16, big end first', encodeUtf16(csv, 'be'), ['--encoding', 'utf-16']],
  ])('%s', async (_, content, args) => {
    const space = await files.createSpace();
    const { code } = await files.importFile('contacts', 'encoded.csv', content, '--space', space, ...args);
    expect([code, await surnames(space)]).toEqual([0, names]);
    expect(
      (await files.importFile('contacts', 'encoded.csv.gz', gzipSync(content), '--space', space, ...args)).out,
    ).toContain('4 unchanged');
  });

  it('as lines of JSON, in which other ends of lines may stand', async () => {
    const space = await files.createSpace();
    const content = `\ufeff{"surname":"a\u2028b"}\r\n\r\n{"surname":"c\u0085d"}`;
    const { out } = await files.importFile('contacts', 'lines.ndjson', content, '--space', space);
    expect(out).toMatch(/: 2 rows in .*, 1 blank rows skipped\n$/);
    expect(await surnames(space)).toEqual(['a\u2028b', 'c\u0085d']);
  });
});

describe('a file is refused, before anything is written of it', () => {
  const long = `surname\n${'Somebody\n'.repeat(30_000)}`;
  it.each<[string, Buffer, string[], string]>([
    [
      'that is not UTF-8',
      Buffer.concat([Buffer.from(long), encodeWindows1252('Lœb;é\n'), Buffer.from('x\n')]),
      [],
      'line 30002 is not UTF-8. With --encoding windows-1252 it reads "Lœb;é": add that option if this is right',
    ],
    [
      'whose last character is cut off',
      Buffer.from('surname\nLé').subarray(0, 10),
      [],
      'line 2 is not UTF-8. With --encoding windows-1252',
    ],
    [
      'that is UTF-16',
      encodeUtf16(csv, 'le'),
      [],
      'it begins with the byte order mark of utf-16, not of utf-8: use --encoding utf-16',
    ],
    [
      'that is UTF-8',
      Buffer.from(`\ufeff${csv}`),
      ['--encoding', 'latin1'],
      'it begins with the byte order mark of utf-8, not of windows-1252: remove',
    ],
    ['that is no UTF-16', Buffer.from(csv), ['--encoding', 'utf-16'], 'it has no byte order mark'],
    [
      'that is UTF-16 in part',
      encodeUtf16(csv, 'le').subarray(0, -1),
      ['--encoding', 'utf-16'],
      'it is not valid UTF-16',
    ],
  ])('%s', async (_, content, args, said) => {
    const space = await files.createSpace();
    const done = await files.importFile('contacts', 'wrong.csv', content, '--space', space, '--batch', '1', ...args);
    expect([done.code, done.out, await importsOf(space)]).toEqual([1, '', []]);
    expect(done.err).toContain(`wrong.csv cannot be read: ${said}`);
  });

  it('in an encoding that nobody knows', async () => {
    const { code, err } = await files.importFile('contacts', 'x.csv', csv, '--space', '1', '--encoding', 'ebcdic');
    expect([code, err]).toEqual([2, expect.stringContaining('must be utf-8, windows-1252, utf-16, latin1')]);
  });

  it('with two columns of one name, unless they are left out', async () => {
    const space = await files.createSpace();
    const twice = 'Nom,Tel,Tel\nA,1,2\n';
    const map = (pairs: string) => files.importFile('contacts', 'twice.csv', twice, '--space', space, '--map', pairs);
    expect((await map('Nom=surname,Tel=phone')).err).toContain('it has two columns named Tel');
    expect((await map('Nom=surname')).code).toBe(0);
  });
});

describe('rows', () => {
  it('that are blank are skipped and counted, wherever they are', async () => {
    const space = await files.createSpace();
    const content =
      ';;\r\n\r\nsurname;mail;\r\n;;;;\r\nA;a@example.org;\r\n ; \u00a0;\r\n\r\nB;b@example.org\r\n;;;\r\n;;;\r\n';
    const { code, out, err } = await files.importFile('contacts', 'blank.csv', content, '--space', space);
    expect([code, await surnames(space)]).toEqual([0, ['A', 'B']]);
    expect(out).toMatch(/: 2 rows in .*, 0 rows rejected, 5 blank rows skipped\n$/);
    expect(err).toContain('ignored columns without a name: column 3\n');
  });

  it('with more cells than the head has are told, not cut', async () => {
    const space = await files.createSpace();
    const { err } = await files.importFile(
      'contacts',
      'long.csv',
      'surname,mail\nA,,\nB,b@example.org,c\n',
      '--space',
      space,
    );
    expect(err).toContain('line 3: the row has 3 cells, but the head has 2\n');
    expect(await surnames(space)).toEqual(['A']);
    const other = await files.createSpace();
    const unknown = await files.importFile('contacts', 'odd.csv', 'colour\nA,b\nB\n', '--space', other, '--batch', '1');
    expect([unknown.code, unknown.err]).toEqual([1, expect.stringContaining('Unknown columns for a contact: colour')]);
    expect(await importsOf(other)).toEqual([]);
  });
});

describe('heads', () => {
  it('are trimmed, also of a byte order mark and spaces that do not break', async () => {
    const space = await files.createSpace();
    const content = '\ufeff\ufeff surname\u00a0,\u00a0mail \n A ,a@example.org\n';
    expect((await files.importFile('contacts', 'heads.csv', content, '--space', space)).code).toBe(0);
    expect(await files.readLivingRows('contacts', space, 'mail')).toEqual([{ mail: 'a@example.org' }]);
  });

  const heads = ['Nom, prénom', 'a=b', 'c:d', '"x"', '{y}', 'l1\nl2'];
  const odd = `${heads.map((head) => `"${head.replaceAll('"', '""')}"`).join(';')}\nA;b;c;d@example.org;06;07\n`;
  const known = ['surname', 'firstname', 'married_name', 'mail', 'phone', 'mobile'];
  const json = JSON.stringify(Object.fromEntries(heads.map((head, index) => [head, known[index]])));
  it.each<[string, () => string]>([
    ['itself', () => json],
    [
      'in a file',
      () => {
        writeFileSync(files.path('map.json'), `\ufeff${json}`);
        return files.path('map.json');
      },
    ],
  ])('of any kind can be named by JSON %s', async (_, map) => {
    const space = await files.createSpace();
    const { code, err } = await files.importFile('contacts', 'odd.csv', odd, '--space', space, '--map', map());
    expect([code, err]).toEqual([0, expect.stringMatching(/^import \d+ begins\n$/)]);
    expect(await files.readLivingRows('contacts', space, known.join(', '))).toEqual([
      { surname: 'A', firstname: 'b', married_name: 'c', mail: 'd@example.org', phone: '06', mobile: '07' },
    ]);
  });

  it('of any kind are passed over by a map that does not name them', async () => {
    const space = await files.createSpace();
    const content = 'Nom,constructor,__proto__,toString\nA,b,c,d\n';
    const { code } = await files.importFile('contacts', 'own.csv', content, '--space', space, '--map', 'Nom=surname');
    expect([code, await surnames(space)]).toEqual([0, ['A']]);
    const wrong = await files.importFile('contacts', 'own.csv', content, '--space', space, '--map', 'Nom=constructor');
    expect(wrong.err).toContain('There is no column constructor');
  });

  it.each([
    ['{"a": 1}', 'must be a JSON object of strings'],
    ['{"a"', 'is not JSON'],
    ['Nom, prénom=surname', 'A name that contains a comma needs JSON'],
  ])('named by %s are refused', async (map, said) => {
    const { code, err } = await files.importFile('contacts', 'odd.csv', odd, '--space', '1', '--map', map);
    expect([code, err]).toEqual([2, expect.stringContaining(said)]);
  });

  it('that an export writes and an import does not are told once, by the name that they have in the file', async () => {
    const space = await files.createSpace();
    const content = 'id,surname,group_id,CreatedAt,Maj\n7,A,1,x,y\n8,B,1,x,y\n';
    const args = ['--space', space, '--map', 'id=id,surname=surname,Maj=UpdatedAt'];
    const told = 'ignored columns: Maj (an export writes them, an import does not); id (ids of another space; --ids';
    const { err } = await files.importFile('contacts', 'over.csv', content, ...args);
    expect(err.split(told)).toHaveLength(2);
    expect((await files.importFile('contacts', 'over.csv', content, ...args, '--ids')).err).not.toContain('; id (');
  });
});
