// A table for Excel: each kind of cell in both languages, what stays away from numbers, and heads that an import knows again.
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { columnNames } from '../../packages/pages/column-names.ts';
import { languages } from '../../packages/pages/language.ts';
import { contactTableColumns, createCsvFormat } from '../../src/import/csv-table.ts';
import { createExcelPrinter, type ExcelKind } from '../../src/import/excel.ts';
import { listInWords, recognizeColumns } from '../../src/import/headings.ts';
import { buildProgram } from '../harness/program.ts';

const { place } = buildProgram();
const run = promisify(execFile);
const hasPython = await run('python3', ['--version']).then(
  () => true,
  () => false,
);

const answers = [
  { form: { label: 'Taille' }, refvalue: { label: 'M' }, data: '3' },
  { form: { label: 'Régime' }, data: 'sans gluten' },
];

describe('a cell', () => {
  it.each<[kind: ExcelKind, value: unknown, en: string, fr: string]>([
    ['day', '1980-02-03T00:00:00Z', '1980-02-03', '1980-02-03'],
    ['day', '1980-02-03', '1980-02-03', '1980-02-03'],
    ['instant', '2026-11-28T12:55:08.123456Z', '2026-11-28 12:55', '2026-11-28 12:55'],
    ['gender', 'M', 'male', 'masculin'],
    ['gender', 'F', 'female', 'féminin'],
    ['gender', 'O', 'other', 'autre'],
    ['gender', '', '', ''],
    ['other', true, 'yes', 'oui'],
    ['other', false, 'no', 'non'],
    ['other', 48.8566, '48.8566', '48,8566'],
    ['other', -0.5, '-0.5', '-0,5'],
    ['other', 7, '7', '7'],
    ['other', 'a.b', 'a.b', 'a.b'],
    ['other', [3, 14], '3, 14', '3, 14'],
    ['other', [], '', ''],
    ['other', answers, 'Taille: M, Régime: sans gluten', 'Taille : M, Régime : sans gluten'],
    ['other', [{ form: { label: 'Vide' } }], 'Vide', 'Vide'],
    ['other', undefined, '', ''],
    ['phone', null, '', ''],
  ])('of the kind %s has %j as %j, and in French as %j', (kind, value, en, fr) => {
    expect(languages.map((language) => createExcelPrinter(language)(value, kind))).toEqual([en, fr]);
  });

  it.each([
    ['0612345678', '06 12 34 56 78'],
    ['+33612345678', '+33 6 12 34 56 78'],
    ['+3361234567', '+33 61 23 45 67'],
    ['+14155550123', '+1 41 55 55 01 23'],
    ['+352621123456', '+352 6 21 12 34 56'],
    ['+590690123456', '+590 6 90 12 34 56'],
    ['3949', '39 49'],
    ['112', '1 12'],
    ['06 12 34 56 78', '06 12 34 56 78'],
    ['06.12.34.56.78', '06.12.34.56.78'],
    ['+33 (0)6 12', '+33 (0)6 12'],
    ['12', '12'],
    ['=1+1', '=1+1'],
  ])('of a phone, %s, is %s, which no program takes for a number', (phone, text) => {
    expect(createExcelPrinter('fr')(phone, 'phone')).toBe(text);
    expect(text.replace(/\D/g, '')).toBe(phone.replace(/\D/g, ''));
  });
});

const contact = {
  id: 7,
  gender: 'F',
  firstname: 'Zoé',
  surname: '=cmd|calc',
  birthdate: '1980-02-03T00:00:00Z',
  phone: '+33612345678',
  mobile: '0612345678',
  black_list: true,
  address: { city: 'Châtillon; Ain', postalcode: '01400', latitude: -21.22 },
  tags: [{ name: 'Bénévole, actif' }, { name: '@home' }],
  custom_fields: [{ form: { label: '+1' }, data: 'x' }],
  CreatedAt: '2026-11-28T12:55:08.123456Z',
};

const script = `
import csv, json, sys
with open(sys.argv[1], encoding='utf-8-sig', newline='') as file:
    print(json.dumps(list(csv.DictReader(file, delimiter=sys.argv[2]))))
`;

it.runIf(hasPython).each([
  [
    'fr',
    ';',
    {
      Genre: 'féminin',
      'Opposé à tout contact': 'oui',
      Latitude: '-21,22',
      'Création (UTC)': '2026-11-28 12:55',
      'Réponses aux champs personnalisés': "'+1 : x",
    },
  ],
  [
    'en',
    ',',
    {
      Gender: 'female',
      'Opted out of everything': 'yes',
      Latitude: '-21.22',
      'Created (UTC)': '2026-11-28 12:55',
      'Answers to custom fields': "'+1: x",
    },
  ],
] as const)('a file for Excel is read by another program, in %s (needs python3)', async (excel, separator, wanted) => {
  const path = join(place, `cells-${excel}.csv`);
  const format = createCsvFormat({ excel });
  writeFileSync(path, format.write([contact], true) + format.write([contact], false));
  const { stdout } = await run('python3', ['-c', script, path, separator]);
  const [row, again] = JSON.parse(stdout) as Record<string, string>[];
  expect(again).toEqual(row);
  expect(Object.keys(row!)).toEqual(Object.keys(columnNames).map((name) => columnNames[name]![excel]));
  const cell = (name: string): string | undefined => row![columnNames[name]![excel]];
  expect(row).toMatchObject(wanted);
  expect(cell('firstname')).toBe('Zoé');
  expect(cell('surname')).toBe("'=cmd|calc");
  expect(cell('birthdate')).toBe('1980-02-03');
  expect([cell('phone'), cell('mobile')]).toEqual(['+33 6 12 34 56 78', '06 12 34 56 78']);
  expect(cell('address_city')).toBe('Châtillon; Ain');
  expect(cell('tags')).toBe('Bénévole, actif; @home');
  expect(stdout).not.toMatch(/[[{]\\"|T00:00/);
});

describe('the heads of a file for Excel', () => {
  it('are there for every column, in its order, and differ', () => {
    expect(Object.keys(columnNames)).toEqual(Object.keys(contactTableColumns));
    for (const language of languages) {
      const heads = Object.values(columnNames).map((names) => names[language]);
      expect(new Set(heads).size).toBe(heads.length);
    }
  });

  it.each(languages)('mean their columns to an import, in %s, or lists in words', (language) => {
    const heads = Object.values(columnNames).map((names) => names[language]);
    const { columns, source } = recognizeColumns(heads, Object.keys(columnNames));
    expect(source).toBeUndefined();
    const meant = new Map(columns.map(({ column, known }) => [column, known]));
    for (const [name, names] of Object.entries(columnNames)) {
      const isList = ['action_ids', 'formdatas', 'custom_fields'].includes(name);
      expect([name, meant.get(names[language])]).toEqual([name, isList ? listInWords : name]);
    }
  });
});
