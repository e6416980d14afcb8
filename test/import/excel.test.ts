// A list of 5,000 people as Excel saves it in France: brought in, killed, gone on with, undone, brought in, taken out for Excel, and brought in again.
import { execFile, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { beforeAll, expect, it, vi } from 'vitest';
import { columnNames } from '../../packages/pages/column-names.ts';
import { waitUntil } from '../harness/waiting.ts';
import { createFiles, type Files } from './files.ts';
import { generateFrenchSheet } from './french-spreadsheet.ts';

vi.setConfig({ testTimeout: 120_000 });

let files: Files;
let space: string;
beforeAll(async () => {
  files = await createFiles();
  space = await files.createSpace();
});

const sheet = generateFrenchSheet(5000);
const said = (out: string): number[] =>
  /: ([\d,]+) rows .* ([\d,]+) contacts created, ([\d,]+) updated, ([\d,]+) unchanged, ([\d,]+) rows rejected/
    .exec(out)!
    .slice(1)
    .map((figure) => Number(figure.replace(',', '')));
const people = async (): Promise<string[]> =>
  (await files.readLivingRows('contacts', space, 'surname, firstname, birthdate, phone, mobile'))
    .map((row) => JSON.stringify(row))
    .sort();

it('its bytes are those of every time', () => {
  expect(createHash('sha256').update(sheet.content).digest('hex')).toBe(
    '1063978fd6e770110d46e20531e692c74ac5f1a944479af48f21ec75f66a1f01',
  );
  expect(sheet).toMatchObject({ rows: 5000, blank: 25 });
  expect(Math.min(sheet.wrong, sheet.wrongMails)).toBeGreaterThan(20);
});

it('goes in, also when it is killed on the way, is undone, and goes in again', async () => {
  const path = files.path('Adhérents 2026.csv');
  writeFileSync(path, sheet.content);
  const rejects = files.path('rejets.csv');
  const args = [
    'import',
    'contacts',
    path,
    '--space',
    space,
    '--encoding',
    'windows-1252',
    '--days',
    'dmy',
    '--map',
    sheet.map,
  ];
  const { program, folder, env } = files.started;
  const child = spawn(process.execPath, [program, ...args, '--batch', '500'], { cwd: folder, env, stdio: 'ignore' });
  const batches = async (): Promise<number> =>
    (await files.door.sql('select count(*)::int as count from import_batches where group_id = ?', [space]))[0].count;
  await waitUntil('some is written', async () => (await batches()) >= 3);
  child.kill('SIGKILL');
  await once(child, 'close');
  expect(await batches()).toBeLessThan(10);
  const resumed = await files.muster(...args, '--batch', '500', '--resume');
  expect([resumed.code, resumed.err.startsWith('continuing import ')]).toEqual([1, true]);
  const [rows, created, updated, unchanged, left] = said(resumed.out) as [number, number, number, number, number];
  // Those with a mail that is none are people, or rows that are left out.
  const isStrict = left > sheet.wrong;
  const all = sheet.people + (isStrict ? 0 : sheet.wrongMails);
  expect([rows, created, left]).toEqual([sheet.rows, all, sheet.wrong + (isStrict ? sheet.wrongMails : 0)]);
  expect(updated + unchanged).toBe(rows - created - left);
  expect(resumed.out).toContain(', 25 blank rows skipped\n');
  const there = await people();
  expect(there).toHaveLength(all);
  expect(there.some((one) => one.includes('L’Hôpital-Bœuf'))).toBe(true);

  const undone = await files.undoImport(files.readImportId(resumed.out), space);
  expect(undone.out).toContain(`${all.toLocaleString('en-US')} contacts deleted, 0 restored, 0 kept`);
  expect(await people()).toEqual([]);

  const again = await files.muster(...args, '--rejects', rejects);
  expect(said(again.out)).toEqual([rows, created, expect.any(Number), expect.any(Number), left]);
  expect(await people()).toEqual(there);
  const lines = readFileSync(rejects).toString('latin1').split('\r\n');
  expect(lines).toHaveLength(1 + left + 1);
  const whole = new Set(sheet.content.toString('latin1').split('\r\n'));
  expect(lines.filter((line) => !whole.has(line))).toEqual([]);
});

/** What Python's own reader makes of a file. */
const script = `
import csv, json, sys
with open(sys.argv[1], encoding='utf-8-sig', newline='') as file:
    rows = list(csv.reader(file, delimiter=';'))
print(json.dumps({'head': rows[0], 'widths': sorted(set(map(len, rows))), 'rows': rows[1:]}))
`;

const run = promisify(execFile);
const hasPython = await run('python3', ['--version']).then(
  () => true,
  () => false,
);

it('comes out as Excel opens it, and goes in again without a change', async () => {
  const path = files.path('export.csv');
  expect((await files.muster('export', '--space', space, '--excel', 'fr', '--out', path)).code).toBe(0);
  const there = await people();
  const back = await files.muster('import', 'contacts', path, '--space', space);
  expect([back.code, said(back.out)]).toEqual([0, [there.length, 0, 0, there.length, 0]]);
  expect(await people()).toEqual(there);
});

it.runIf(hasPython)('is read by another program as it was exported (needs python3)', async () => {
  const path = files.path('export.csv');
  const there = await people();
  const { stdout } = await run('python3', ['-c', script, path], { maxBuffer: 1e9 });
  const { head, widths, rows } = JSON.parse(stdout) as { head: string[]; widths: number[]; rows: string[][] };
  expect([widths, rows.length]).toEqual([[head.length], there.length]);
  const columns = ['surname', 'firstname', 'birthdate', 'phone', 'mobile'];
  const cell = (row: string[], name: string): string | null => row[head.indexOf(columnNames[name]!.fr)] || null;
  const read = rows.map((row) => Object.fromEntries(columns.map((name) => [name, cell(row, name)])));
  expect(read.map((row) => JSON.stringify(row)).sort()).toEqual(there);
});
