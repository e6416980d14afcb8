// Backs up and restores databases of tests, in memory.
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import pg from 'pg';
import { afterAll } from 'vitest';
import { fileTables } from '../../src/data/import/import-file.ts';
import { derivedTables, deriveSearchRows, listContactRanges } from '../../src/data/search/derive.ts';
import { openBackup } from '../../src/database/backup/format.ts';
import { restoreBackup } from '../../src/database/backup/restore.ts';
import { useSession } from '../../src/database/backup/session.ts';
import { writeBackup } from '../../src/database/backup/write.ts';

const clients: pg.Client[] = [];
export const connectClient = async (url: string): Promise<pg.Client> => {
  const client = new pg.Client(url);
  client.on('error', () => {});
  await client.connect();
  clients.push(client);
  return client;
};
afterAll(() => Promise.all(clients.map((client) => client.end())));

export const { signal } = new AbortController();
/** Tables whose rows no backup has. */
export const leftOut = [...derivedTables, ...fileTables];
export const options = { version: '0.1.0', derived: leftOut };
export const compressPieces = (pieces: AsyncIterable<Buffer>): Promise<Buffer> =>
  pipeline(pieces, createGzip(), buffer);
export const createBackup = (url: string, also: Partial<Parameters<typeof writeBackup>[1]> = {}): Promise<Buffer> =>
  useSession(url, 'backup', signal, (client) => compressPieces(writeBackup(client, { ...options, ...also })));
export const restoreDatabase = (url: string, file: Buffer) =>
  useSession(url, 'restore', signal, async (client) =>
    restoreBackup(client, await openBackup(Readable.from([file])), {
      derived: leftOut,
      readsAgain: true,
      derive: async () => {
        for (const range of await listContactRanges(client)) await deriveSearchRows(client, range);
      },
    }),
  );

/** A digest of each table, whatever the order of its rows. */
export const digestTables = async (client: pg.Client, names: readonly string[]): Promise<Record<string, string>> => {
  const digests: Record<string, string> = {};
  for (const name of names) {
    const { rows } = await client.query(
      `select count(*) || ' ' || coalesce(sum(hashtextextended(t::text, 7)::numeric), 0) as digest from ${name} t`,
    );
    digests[name] = rows[0].digest;
  }
  return digests;
};
/** Rows of `search_words` are numbered, in the order in which they came. */
export const words = 'select group_id, kind, word, value from search_words order by 1, 2, 3, 4';
