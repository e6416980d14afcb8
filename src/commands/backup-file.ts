// Writes a backup to a file that is never partial, or to standard output; reads one from a file or from standard input.
import { createReadStream } from 'node:fs';
import { link, lstat, open, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { PassThrough, type Readable, type Writable } from 'node:stream';
import { ignoreMissing, writeAndPublish } from './private-file.ts';

/** Standard input or output. */
export const standardStream = '-';

/** Throws when a file must not be written, before any work is done. */
export const checkTarget = async (path: string, isForced: boolean): Promise<void> => {
  if (path === standardStream) {
    if (process.stdout.isTTY)
      throw new Error('A backup is not text for a terminal: redirect the output, or name a file');
    return;
  }
  const found = await lstat(path).catch(ignoreMissing);
  if (found && !found.isFile())
    throw new Error(`${path} is not a regular file: name another one, or use - and redirect the output`);
  if (found && !isForced) throw new Error(`${path} already exists: name another file, or add --force to replace it`);
};

const syncPath = async (path: string): Promise<void> => {
  const handle = await open(path, 'r');
  await handle.sync().finally(() => handle.close());
};

/** Gives the finished file its name. Without --force, a file that has come to be there meanwhile stays. */
const publishFile = async (partial: string, path: string, isForced: boolean): Promise<void> => {
  await syncPath(partial);
  if (isForced) await rename(partial, path);
  else {
    try {
      await link(partial, path);
      await rm(partial);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'EEXIST') throw new Error(`${path} exists meanwhile: add --force to replace it`, { cause: error });
      // Some file systems have no links.
      await checkTarget(path, false);
      await rename(partial, path);
    }
  }
  await syncPath(dirname(path));
};

/** Writes `<path>.partial` with mode 0600, and renames it when it is complete and on the disk. Returns the size. */
export const writeBackupFile = async (
  path: string,
  isForced: boolean,
  write: (target: Writable) => Promise<void>,
): Promise<number> => {
  if (path === standardStream) {
    // The end of the pipeline must not close standard output.
    const through = new PassThrough();
    let bytes = 0;
    through.on('data', (chunk: Buffer) => (bytes += chunk.length));
    through.pipe(process.stdout, { end: false });
    const broken = new Promise<never>((_, reject) =>
      process.stdout.once('error', ({ code, message }: NodeJS.ErrnoException) =>
        reject(
          new Error(
            `Standard output ${code === 'EPIPE' ? 'was closed' : `cannot be written (${message})`} before the backup was complete`,
          ),
        ),
      ),
    );
    await Promise.race([write(through), broken]);
    return bytes;
  }
  const partial = `${path}.partial`;
  let size = 0;
  await writeAndPublish(partial, write, async () => {
    size = (await stat(partial)).size;
    await publishFile(partial, path, isForced);
  });
  return size;
};

/** Opens a backup for reading, with its size if that is known. */
export const openBackupFile = async (path: string): Promise<{ source: Readable; size?: number }> => {
  if (path === standardStream) {
    if (process.stdin.isTTY) throw new Error('Nothing is sent to standard input: name a file, or redirect the input');
    return { source: process.stdin };
  }
  const found = await stat(path).catch((error: NodeJS.ErrnoException) => {
    throw new Error(`${path} cannot be read: ${error.code === 'ENOENT' ? 'there is no such file' : error.message}`);
  });
  if (found.isDirectory()) throw new Error(`${path} is a folder: name a file`);
  const source = createReadStream(path);
  return found.isFile() ? { source, size: found.size } : { source };
};
