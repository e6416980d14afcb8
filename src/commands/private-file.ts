// Files that commands write: they hold personal data, so nobody but their owner may read them.
import { once } from 'node:events';
import { createWriteStream, type Stats, type WriteStream } from 'node:fs';
import { lstat, rename, rm, stat } from 'node:fs/promises';

const unlessMissing = (error: NodeJS.ErrnoException): undefined => {
  if (error.code === 'ENOENT') return undefined;
  throw error;
};

/** Whether something is written to as it stands: a device or a pipe. */
const isChannel = (found: Stats | undefined): boolean =>
  found !== undefined && !found.isFile() && !found.isDirectory() && !found.isSymbolicLink();

const opened = async (stream: WriteStream): Promise<WriteStream> => {
  await once(stream, 'open');
  return stream;
};

/** A new file of mode 0600. Throws when anything is there. */
export const openNewFile = async (path: string): Promise<WriteStream> => {
  try {
    return await opened(createWriteStream(path, { flags: 'wx', mode: 0o600 }));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    throw new Error(`${path} is there already: name another file, or remove it`, { cause: error });
  }
};

/** A file that nobody else has open, whatever was there: what was made by others, and where a link led, is left alone. */
const openFresh = async (path: string): Promise<WriteStream> => {
  await rm(path, { force: true });
  return openNewFile(path);
};

/** Opens the device or pipe at a path, if there is one. Throws for a symbolic link to a file: the caller may mean the link or the file. */
const channelAt = async (path: string): Promise<WriteStream | undefined> => {
  const isLink = (await lstat(path).catch(unlessMissing))?.isSymbolicLink();
  const found = await stat(path).catch(unlessMissing);
  if (isChannel(found)) return opened(createWriteStream(path));
  if (isLink) throw new Error(`${path} is a symbolic link: name the file that is to be written`);
  return undefined;
};

/** Opens a file of mode 0600 in place of whatever file was there; a device or a pipe is written as it stands. */
export const openPrivateFile = async (path: string): Promise<WriteStream> =>
  (await channelAt(path)) ?? (await openFresh(path));

const close = async (stream: WriteStream): Promise<void> => {
  stream.end();
  await once(stream, 'finish');
};

/** Writes a file of mode 0600 that is there only when it is whole: it is written aside, as `<path>.part`. */
export const writePrivateFile = async (path: string, write: (target: WriteStream) => Promise<void>): Promise<void> => {
  const channel = await channelAt(path);
  if (channel) {
    await write(channel);
    return close(channel);
  }
  const part = `${path}.part`;
  const file = await openFresh(part);
  try {
    await write(file);
    await close(file);
    await rename(part, path);
  } catch (error) {
    file.destroy();
    await rm(part, { force: true });
    throw error;
  }
};
