// The format of backups: a tar in gzip with a manifest, the rows of each table as COPY writes them, and a trailer with their digests.
import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { z } from 'zod';
import { moreFollows, readTarEntries, type TarEntry } from './tar.ts';

export const formatVersion = 1;
export const manifestName = 'manifest.json';
export const trailerName = 'trailer.json';

/** The first part of a backup, before the rows. */
const manifestForm = z.object({
  format: z.literal('muster-backup'),
  formatVersion: z.number(),
  /** The version of Muster. */
  muster: z.string(),
  createdAt: z.string(),
  /** The version of PostgreSQL. */
  postgresql: z.string(),
  /** The numbered migrations of the database, in order. */
  migrations: z.array(z.object({ name: z.string(), checksum: z.string() })),
  tables: z.array(z.object({ name: z.string(), columns: z.array(z.string()) })),
});
export type Manifest = z.infer<typeof manifestForm>;

/** The rows of a table: their number, and the SHA-256 of their text. */
const contentForm = z.object({ rows: z.number(), bytes: z.number(), sha256: z.string() });
export type TableContent = z.infer<typeof contentForm>;

const trailerForm = z.object({
  /** The SHA-256 of the manifest. */
  manifest: z.string(),
  tables: z.record(z.string(), contentForm),
  /** The state of the sequence of each identity column. */
  sequences: z.array(z.object({ table: z.string(), column: z.string(), lastValue: z.string(), isCalled: z.boolean() })),
});
export type Trailer = z.infer<typeof trailerForm>;

export const digestText = (text: Buffer): string => createHash('sha256').update(text).digest('hex');

/** The name of a part of a table's rows. Parts are in order, and together they are what COPY wrote. */
export const formatPartName = (table: string, part: number): string =>
  `tables/${table}/${String(part).padStart(6, '0')}.copy`;

export class DamagedBackup extends Error {
  constructor(reason: string, cause?: unknown) {
    super(`The backup cannot be used: ${reason}`, { cause });
  }
}

/** Reads the entries of a file. Every fault of the compression or the frame is a `DamagedBackup`. */
async function* readEntries(source: Readable): AsyncGenerator<TarEntry> {
  const gunzip = createGunzip();
  let hasEntry = false;
  let read = 0;
  source.on('data', (chunk: Buffer) => (read += chunk.length));
  const piped = pipeline(source, gunzip);
  // Reading throws the error too.
  piped.catch(() => {});
  try {
    for await (const entry of readTarEntries(gunzip)) {
      hasEntry = true;
      yield entry;
    }
    await piped;
    // Gunzip ignores zero bytes that follow.
    if (gunzip.bytesWritten < read) throw new DamagedBackup(moreFollows);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'Z_BUF_ERROR') throw new DamagedBackup('it ends too early', error);
    if (code === 'Z_DATA_ERROR' && /header check/.test(message))
      throw new DamagedBackup(hasEntry ? moreFollows : 'it is no backup of Muster', error);
    if (code?.startsWith('Z_')) throw new DamagedBackup('it is damaged', error);
    if (code) throw error;
    throw error instanceof DamagedBackup ? error : new DamagedBackup(message, error);
  } finally {
    source.destroy();
  }
}

const parseEntry = <Form extends z.ZodType>(form: Form, { name, body }: TarEntry): z.infer<Form> => {
  try {
    return form.parse(JSON.parse(body.toString('utf8')));
  } catch (error) {
    throw new DamagedBackup(`its ${name} is not valid`, error);
  }
};

export const openBackup = async (source: Readable) => {
  const entries = readEntries(source);
  const first = await entries.next();
  if (first.done || first.value.name !== manifestName) throw new DamagedBackup('it is no backup of Muster');
  const manifestDigest = digestText(first.value.body);
  const { format, formatVersion: version } = parseEntry(
    z.object({ format: z.string(), formatVersion: z.number() }),
    first.value,
  );
  if (format === 'muster-backup' && version > formatVersion)
    throw new Error(`The backup has format ${version}, which only a newer version of Muster reads`);
  const manifest = parseEntry(manifestForm, first.value);
  let trailer: Trailer | undefined;
  async function* readPieces(): AsyncGenerator<{ table: string; text: Buffer }> {
    let [last, part] = ['', 0];
    for await (const entry of entries) {
      if (entry.name === trailerName) trailer = parseEntry(trailerForm, entry);
      else {
        const table = entry.name.split('/')[1] ?? '';
        part = table === last ? part + 1 : 1;
        last = table;
        if (trailer || entry.name !== formatPartName(table, part))
          throw new DamagedBackup(`its entry ${entry.name} is not where it should be`);
        yield { table, text: entry.body };
      }
    }
  }
  return {
    manifest,
    /** The rows, table by table, in pieces. They are only known to be right once `readTrailer` has returned. */
    pieces: readPieces(),
    /** The trailer, after all pieces. */
    readTrailer: (): Trailer => {
      if (!trailer) throw new DamagedBackup('it ends too early');
      if (trailer.manifest !== manifestDigest) throw new DamagedBackup('its manifest is damaged');
      return trailer;
    },
  };
};

export type BackupReader = Awaited<ReturnType<typeof openBackup>>;
