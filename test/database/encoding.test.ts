// Databases whose encoding cannot store every text, or whose locale knows no letters: refused before anything is made in them, with what to do. Backups are verified in one of our own.
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { migrateDatabase } from '../../src/database/migrate.ts';
import { createDatabase } from '../harness/app.ts';
import { createFolder } from '../harness/folders.ts';
import { runHere } from '../harness/run-here.ts';
import { logMissing, missing, startPrimary } from '../scale-out/cluster.ts';

vi.setConfig({ testTimeout: 60_000 });

const createBackup = async (): Promise<string> => {
  const file = join(createFolder(), 'all.backup');
  expect((await runHere(await createDatabase(), ['backup', file])).code).toBe(0);
  return file;
};

it.skipIf(logMissing('encodings', missing)).each([
  ['LATIN1', 'The encoding of the database is LATIN1, and Muster needs UTF8'],
  ['SQL_ASCII', 'The encoding of the database is SQL_ASCII, and Muster needs UTF8'],
  ['UTF8', 'The locale of the database knows no capital letters but A to Z'],
])(
  'on a server of %s without a locale, a database is refused, and one that is made as told is right',
  async (encoding, fault) => {
    const server = await startPrimary(encoding, 'C');
    const [file, url] = [await createBackup(), server.url('muster')];
    const told = `${fault}: create another with "createdb --template template0 --encoding UTF8 --locale C.UTF-8 muster"`;
    await expect(migrateDatabase(url)).rejects.toThrow(told);
    const setup = ['setup', '--name', 'A', '--mail', 'a@example.org', '--first-name', 'A', '--last-name', 'B'];
    for (const args of [['migrate'], setup, ['seed'], ['restore', file]])
      expect([args, await runHere(url, args)]).toEqual([
        args,
        expect.objectContaining({ code: 1, err: expect.stringContaining(told) }),
      ]);
    const { findings } = JSON.parse((await runHere(url, ['doctor', '--json'])).out);
    expect(findings).toContainEqual(expect.objectContaining({ name: 'encoding', status: 'fail' }));
    const made = await server.sql(`select relname from pg_class where relnamespace = 'public'::regnamespace`);
    expect(made).toEqual([]);

    expect(await runHere(url, ['restore', '--verify', file])).toMatchObject({
      code: 0,
      out: expect.stringContaining('good: '),
    });
    await server.sql(`create database right_one template template0 encoding 'UTF8' locale 'C.UTF-8'`);
    expect(await runHere(server.url('right_one'), ['restore', file])).toMatchObject({ code: 0 });
  },
);
