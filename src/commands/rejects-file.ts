// The file of rejected rows, unchanged, so that somebody can correct and import them.
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { type Encoded, encodeText } from '../import/encoding.ts';
import { openNewFile } from './private-file.ts';

interface RejectsFile {
  /** Writes the head before the first row. */
  write(head: string, rows: readonly string[]): Promise<void>;
  /** Closes the file, and removes it when it has no rows. */
  end(): Promise<void>;
}

/** Creates the file, compressed when its name ends in .gz. Throws when the path exists. */
export const openRejectsFile = async (path: string, { encoding, bom }: Encoded): Promise<RejectsFile> => {
  const file = await openNewFile(path);
  const zip = path.endsWith('.gz') ? createGzip() : undefined;
  const target = zip ?? file;
  let failure: Error | undefined;
  const fail = ({ message }: Error): void => {
    failure = new Error(`${path} cannot be written: ${message}`);
  };
  file.on('error', fail);
  const written = zip ? pipeline(zip, file) : once(file, 'close');
  written.catch(fail);
  let rows = 0;
  return {
    async write(head, some) {
      if (failure) throw failure;
      if (some.length === 0) return;
      const text = `${rows === 0 ? (bom ? '\ufeff' : '') + head : ''}${some.join('')}`;
      rows += some.length;
      if (!target.write(encodeText(text, encoding))) await Promise.race([once(target, 'drain'), written]);
    },
    async end() {
      target.end();
      await written.catch(() => {});
      if (rows === 0) await rm(path, { force: true });
      if (failure) throw failure;
    },
  };
};
