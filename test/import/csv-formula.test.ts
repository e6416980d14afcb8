// Cells of CSV that a spreadsheet would take for a formula: which are marked, and that no text is changed on its way there and back.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { describe, expect, it } from 'vitest';
import { columnNames } from '../../packages/pages/column-names.ts';
import { createCsvFormat, markFormulaText, unmarkFormulaText } from '../../src/import/csv-table.ts';
import { createRowNotes, createRowReader } from '../../src/import/row-reader.ts';
import { createProgress, readFileRows } from '../../src/import/rows.ts';
import type { Json } from '../harness/app.ts';
import { buildProgram } from '../harness/program.ts';
import { createChance } from '../search/random.ts';

const { place } = buildProgram();

describe('a cell', () => {
  it.each([
    '+33612345678',
    '+33 6 12 34 56 78',
    '+33\u00a06\u202f12',
    '+33 (0)6.12.34',
    '-1',
    '+1-2',
    '06 12 34 56 78',
    '(01) 02-03',
    '-',
    '+',
    '12/05',
    ' +33 6',
    '--1',
    '',
    'text',
    "it's",
    "'",
  ])('of %j is left as it is', (text) => {
    expect(markFormulaText(text)).toBe(text);
  });

  it.each([
    '=1',
    '=1+1',
    '@SUM(1)',
    '\t+33',
    '\r+33',
    '\n+33',
    '+33\t6',
    '+33\n6',
    '-1\r',
    '+A1',
    '-cmd|calc',
    '+1e9',
    '-1,5',
    '+33 6 ext',
    '+1*2',
    '+1%',
    '+"1"',
    '＋33 6',
    '－1',
    '＝1',
    '+１',
    ' =1',
    '\u00a0=1',
    '+1!A1',
    '-1&2',
    '+{1}',
    '+[1]',
    "'=1",
    "'+33",
    "''+33",
    "' =1",
  ])('of %j is marked as text', (text) => {
    expect(markFormulaText(text)).toBe(`'${text}`);
  });
});

/** Texts of what matters here, and of anything else. */
const drawn = (seed: number): string => {
  const draw = createChance(seed);
  const parts = ["'", '=', '+', '-', '@', '\t', '\r', '\n', ' ', '\u00a0', '\u202f', '＋', '1', '33', '(', '/', '.'];
  const others = ['a', '"', ',', ';', '|', '\\', 'é', '\u2028', '\ufeff', '😀', '%', '{', 'sep=;'];
  return Array.from({ length: draw.whole(7) }, () => draw.pick(draw.odds(0.75) ? parts : others)).join('');
};
const texts = [...new Set(Array.from({ length: 20_000 }, (_, seed) => drawn(seed)))];

describe('any text', () => {
  it('is what it was when its mark is taken away', () => {
    expect(texts.length).toBeGreaterThan(5000);
    for (const text of texts) expect(unmarkFormulaText(markFormulaText(text))).toBe(text);
  });

  it.each([
    ['for programs', undefined],
    ['for Excel in English', 'en'],
    ['for Excel in French', 'fr'],
  ] as const)('is what it was when it has been through a file, %s', async (_, excel) => {
    // A cell of blanks says nothing, and a row of such cells is none.
    const given = texts.filter((text) => text.trim() !== '');
    const contacts = given.map((firstname, id) => ({ id, firstname }));
    const names = ['id', 'firstname'];
    const head = excel ? columnNames.firstname![excel] : 'firstname';
    const content = createCsvFormat({ names, excel }).write(contacts, true);
    const path = join(place, `texts-${excel}.csv`);
    writeFileSync(path, content);
    const file = { format: 'csv', encoding: 'utf-8', bom: excel !== undefined } as const;
    const progress = createProgress(() => {});
    const read = createRowReader([
      [
        head,
        (record, text) => {
          record.firstname = text;
          return 'firstname';
        },
      ],
    ]);
    const back: unknown[] = [];
    for await (const { fields, fault } of readFileRows(path, file, progress))
      back.push(fault ?? read(fields, createRowNotes(), new Map()).firstname);
    expect(back).toEqual(given);
    // Whatever ends a line may end a row for other readers, where it is not quoted.
    const strict = parse(content, {
      bom: true,
      columns: true,
      delimiter: excel === 'fr' ? ';' : ',',
      record_delimiter: ['\r\n', '\n', '\r'],
    });
    expect((strict as Json[]).map((row) => unmarkFormulaText(row[head]))).toEqual(given);
  });
});
