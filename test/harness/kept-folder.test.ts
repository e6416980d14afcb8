// The folders of runs: copies that differ, nothing of an interrupted fill, and no folder of a stranger.
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { copyKept, getDataFolder, makeRunFolder } from './kept-folder.ts';

let place: string;
let filled: number;
beforeEach(() => {
  place = fs.mkdtempSync(join(tmpdir(), 'muster-kept-test-'));
  filled = 0;
});
afterEach(() => fs.rmSync(place, { recursive: true }));

const fill = async (folder: string): Promise<boolean> => {
  filled++;
  fs.mkdirSync(folder);
  fs.writeFileSync(join(folder, 'row'), 'as filled');
  return true;
};
/** What a run finds in its data folder. */
const run = async (name = 'one', how = fill): Promise<{ row: string; text: string }> => {
  const folder = await makeRunFolder(place);
  await copyKept(folder, place, name, how);
  const row = join(getDataFolder(folder), 'row');
  return { row, text: fs.readFileSync(row, 'utf8') };
};
const home = (): string => join(place, fs.readdirSync(place).find((name) => name.startsWith('muster-kept-'))!);

it('fills a folder once, and each run has a copy that it may spoil', async () => {
  const first = await run();
  fs.writeFileSync(first.row, 'spoilt');
  const second = await run();
  fs.writeFileSync(second.row, 'spoilt');
  expect((await run()).text).toBe('as filled');
  expect(filled).toBe(1);
});

it('keeps nothing of a run that fails while it fills, or that says so', async () => {
  await expect(
    run('one', async (folder) => (await fill(folder)) && Promise.reject(new Error('killed'))),
  ).rejects.toThrow();
  await run('one', async (folder) => !(await fill(folder)));
  expect(fs.readdirSync(home())).toEqual([]);
});

it('keeps the two folders that were used last', async () => {
  for (const [place, name] of ['one', 'two', 'one', 'three'].entries()) {
    await run(name);
    // Times that differ, on any file system.
    fs.utimesSync(join(home(), name), place, place);
    if (name === 'three') continue;
    expect(fs.readdirSync(home())).toContain(name);
  }
  await run('four');
  expect(fs.readdirSync(home()).sort()).toEqual(['four', 'three']);
});

it('lets runs that start at once fill and copy beside each other', async () => {
  const runs = await Promise.all(Array.from({ length: 8 }, (_, index) => run(`of ${index % 4}`)));
  expect(runs.map(({ text }) => text)).toEqual(runs.map(() => 'as filled'));
  expect(fs.readdirSync(home()).length).toBeLessThanOrEqual(2);
});

it('removes the folders of dead processes, and no others', async () => {
  const own = await makeRunFolder(place);
  const { pid } = spawnSync(process.execPath, ['-e', '']);
  const dead = own.replace(`-${process.pid}-`, `-${pid}-`);
  fs.mkdirSync(join(dead, 'data'), { recursive: true });
  const next = await makeRunFolder(place);
  expect(fs.readdirSync(place).sort()).toEqual([own, next].map((one) => basename(one)).sort());
});

it.each([
  ['that others may write to', (folder: string) => fs.chmodSync(folder, 0o777)],
  [
    'that is a link',
    (folder: string) => {
      fs.renameSync(folder, `${folder}-elsewhere`);
      fs.symlinkSync(`${folder}-elsewhere`, folder);
    },
  ],
  ...(process.getuid?.() === 0
    ? [['of somebody else', (folder: string) => fs.chownSync(folder, 65534, 65534)] as const]
    : []),
] as const)('uses no kept folder %s', async (_, attack) => {
  await run();
  fs.writeFileSync(join(home(), 'one/row'), 'planted');
  attack(home());
  expect((await run()).text).toBe('as filled');
  expect(filled).toBe(2);
});
