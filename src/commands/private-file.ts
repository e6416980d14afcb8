// Writes files of commands. They contain personal data, so only their owner may read them.
import { once } from 'node:events';
import { createWriteStream, type WriteStream } from 'node:fs';
import { lstat, rename, rm, stat } from 'node:fs/promises';

/** Undefined for a file that is not there. */
export const ignoreMissing = (error: NodeJS.ErrnoException): undefined => {
  if (error.code === 'ENOENT') return undefined;
  throw error;
};

const waitForOpen = async (stream: WriteStream): Promise<WriteStream> => {
  await once(stream, 'open');
  return stream;
};

/** Creates a file of mode 0600. Throws when the path exists. */
export const openNewFile = async (path: string): Promise<WriteStream> => {
  try {
    return await waitForOpen(createWriteStream(path, { flags: 'wx', mode: 0o600 }));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    throw new Error(`${path} already exists: name another file, or remove it`, { cause: error });
  }
};

/** Creates a file that nobody else has open. It removes an existing file or link first, and does not touch the target of a link. */
const openFresh = async (path: string): Promise<WriteStream> => {
  await rm(path, { force: true });
  return openNewFile(path);
};

/** Opens the device or pipe at a path, if there is one. Throws for a symbolic link to a file, since the user may mean the link or the file. */
const openDeviceOrPipe = async (path: string): Promise<WriteStream | undefined> => {
  const isLink = (await lstat(path).catch(ignoreMissing))?.isSymbolicLink();
  const found = await stat(path).catch(ignoreMissing);
  if (found && !found.isFile() && !found.isDirectory()) return waitForOpen(createWriteStream(path));
  if (isLink) throw new Error(`${path} is a symbolic link: name the file itself`);
  return undefined;
};

/** Opens a new file of mode 0600 in place of an existing one. It opens a device or pipe directly. */
export const openPrivateFile = async (path: string): Promise<WriteStream> =>
  (await openDeviceOrPipe(path)) ?? (await openFresh(path));

/** Names the file of an error of writing, which names none. */
export const nameFile = (path: string, error: unknown): unknown =>
  (error as NodeJS.ErrnoException | null)?.syscall === 'write'
    ? new Error(`${path} cannot be written: ${(error as Error).message}`, { cause: error })
    : error;

/** Writes lines of JSON to an open file beside long work. A failure is thrown by the next `write`, and by `end`. */
export const createLineWriter = (path: string, file: WriteStream) => {
  let failure: unknown;
  const fail = (error: Error | null | undefined): void => {
    if (error) failure ??= nameFile(path, error);
  };
  file.on('error', fail);
  return {
    write(line: object): void {
      if (failure) throw failure;
      file.write(`${JSON.stringify(line)}\n`);
    },
    async end(): Promise<void> {
      await new Promise<void>((resolve) => {
        file.end((error?: Error | null) => {
          fail(error);
          resolve();
        });
      });
      if (failure) throw failure;
    },
  };
};

const closeStream = async (stream: WriteStream): Promise<void> => {
  stream.end();
  await once(stream, 'finish');
};

/**
 * Writes a new file of mode 0600, and publishes it when it is complete. Several processes may write
 * the same one. Its name is that of the last one then, and the others must not publish, nor remove, what that has written so far.
 */
export const writeAndPublish = async (
  part: string,
  write: (target: WriteStream) => Promise<void>,
  publish: () => Promise<void>,
): Promise<void> => {
  const file = await openFresh(part);
  const { ino } = await stat(part);
  const isOurs = async (): Promise<boolean> => (await stat(part).catch(ignoreMissing))?.ino === ino;
  try {
    await write(file);
    if (!(await isOurs())) throw new Error(`Another process has replaced ${part}: it writes the same file`);
    await publish();
  } catch (error) {
    file.destroy();
    if (await isOurs()) await rm(part, { force: true });
    throw nameFile(part, error);
  }
};

/** Writes a file of mode 0600 as `<path>.part` and renames it, so that the path never has a partial file. */
export const writePrivateFile = async (path: string, write: (target: WriteStream) => Promise<void>): Promise<void> => {
  const channel = await openDeviceOrPipe(path);
  const writeAll = async (target: WriteStream): Promise<void> => {
    await write(target);
    await closeStream(target);
  };
  if (channel)
    return writeAll(channel).catch((error) => {
      throw nameFile(path, error);
    });
  const part = `${path}.part`;
  await writeAndPublish(part, writeAll, () => rename(part, path));
};
