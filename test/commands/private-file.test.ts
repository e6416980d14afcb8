// The files that commands write beside long work.
import { createWriteStream, existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Writable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { expect, it } from 'vitest';
import { writeBackupFile } from '../../src/commands/backup-file.ts';
import { createLineWriter, writePrivateFile } from '../../src/commands/private-file.ts';
import { createFolder } from '../harness/folders.ts';

it('a file of lines that cannot be written is an error at its next line, and at its end', async () => {
  const lines = createLineWriter('rejects.ndjson', createWriteStream('/dev/full'));
  const failure = /^rejects\.ndjson cannot be written: ENOSPC/;
  lines.write({ id: 1 });
  await expect(lines.end()).rejects.toThrow(failure);
  expect(() => lines.write({ id: 2 })).toThrow(failure);
  await expect(lines.end()).rejects.toThrow(failure);
});

it('a file or a device whose disk is full is named', async () => {
  const fill = (): Promise<void> => finished(createWriteStream('/dev/full').end('text'));
  const path = join(createFolder(), 'people.csv');
  await expect(writePrivateFile(path, fill)).rejects.toThrow(`${path}.part cannot be written: ENOSPC`);
  await expect(writePrivateFile('/dev/full', async (target) => void target.write('text'))).rejects.toThrow(
    '/dev/full cannot be written: ENOSPC',
  );
});

type WriteFile = (path: string, write: (target: Writable) => Promise<void>) => Promise<unknown>;
const endFile = (target: Writable): Promise<void> => finished(target.end());

it.each<[string, WriteFile, typeof endFile]>([
  ['a backup', (path, write) => writeBackupFile(path, true, write), endFile],
  ['an export', writePrivateFile, async () => {}],
])('%s that another one to the same file overtakes says so, and leaves alone what that has written', async (_, writeFile, end) => {
  const path = join(createFolder(), 'all');
  let finishLast = (): void => {};
  let last: Promise<unknown> | undefined;
  const first = writeFile(path, async (target) => {
    await new Promise<void>((isOpen) => {
      last = writeFile(path, async (other) => {
        other.write('begun, ');
        isOpen();
        await new Promise<void>((resolve) => (finishLast = resolve));
        other.write('and ended');
        await end(other);
      });
    });
    await end(target);
  });
  await expect(first).rejects.toThrow('it writes the same file');
  expect(existsSync(path)).toBe(false);
  finishLast();
  await last;
  expect([readFileSync(path, 'utf8'), readdirSync(join(path, '..'))]).toEqual(['begun, and ended', ['all']]);
});
