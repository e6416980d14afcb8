// Writes and reads tar archives, as a stream: the frame of backups, so that common tools can open them.

/** In bytes: the unit of the format. */
const block = 512;
/** In bytes: the largest entry that is read. Those of a backup are much smaller. */
const maxEntry = 64 * 1024 * 1024;

export interface TarEntry {
  name: string;
  body: Buffer;
}

const formatOctal = (value: number, length: number): string => `${value.toString(8).padStart(length - 1, '0')}\0`;

const sumBytes = (header: Buffer): number => {
  let sum = 0;
  // The field of the sum itself counts as blanks.
  for (const [place, byte] of header.entries()) sum += place >= 148 && place < 156 ? 32 : byte;
  return sum;
};

/** An entry with its header, padded to whole blocks. */
export const formatTarEntry = (name: string, body: Buffer, changedAt: Date): Buffer => {
  const header = Buffer.alloc(block);
  header.write(name, 0, 100);
  header.write(formatOctal(0o600, 8), 100);
  header.write(formatOctal(0, 8) + formatOctal(0, 8), 108);
  header.write(formatOctal(body.length, 12) + formatOctal(Math.floor(changedAt.getTime() / 1000), 12), 124);
  header.write('0', 156);
  header.write('ustar\x0000', 257);
  header.write(`${formatOctal(sumBytes(header), 7)} `, 148);
  return Buffer.concat([header, body, Buffer.alloc((block - (body.length % block)) % block)]);
};

export const moreFollows = 'more follows its end, as when two backups are in one file';
export const tarEnd = Buffer.alloc(2 * block);

/** Reads exact numbers of bytes from a stream of pieces. */
class PieceReader {
  readonly #pieces: AsyncIterator<Buffer>;
  #waiting: Buffer[] = [];
  #length = 0;

  constructor(pieces: AsyncIterable<Buffer>) {
    this.#pieces = pieces[Symbol.asyncIterator]();
  }

  /** The next bytes; undefined when the stream ends before them. */
  async read(length: number): Promise<Buffer | undefined> {
    while (this.#length < length) {
      const { done, value } = await this.#pieces.next();
      if (done) return undefined;
      this.#waiting.push(value);
      this.#length += value.length;
    }
    const all = this.#waiting.length === 1 ? this.#waiting[0]! : Buffer.concat(this.#waiting);
    this.#waiting = [all.subarray(length)];
    this.#length = all.length - length;
    return all.subarray(0, length);
  }

  /** Reads to the end of the stream, so that its own checks are made. Returns whether all that is left is zero bytes. */
  async finish(): Promise<boolean> {
    const isZero = (piece: Buffer): boolean => piece.every((byte) => byte === 0);
    let isEmpty = this.#waiting.every(isZero);
    for (let next = await this.#pieces.next(); !next.done; next = await this.#pieces.next())
      isEmpty &&= isZero(next.value);
    return isEmpty;
  }
}

/** Yields the entries of an archive. Throws when it is none, or ends early. */
export async function* readTarEntries(pieces: AsyncIterable<Buffer>): AsyncGenerator<TarEntry> {
  const reader = new PieceReader(pieces);
  for (;;) {
    const header = await reader.read(block);
    if (!header) throw new Error('it ends too early');
    if (header.every((byte) => byte === 0)) {
      if (!(await reader.finish())) throw new Error(moreFollows);
      return;
    }
    const readText = (from: number, to: number): string => header.toString('utf8', from, to).split('\0')[0]!.trim();
    const size = Number.parseInt(readText(124, 136), 8);
    const isWhole = Number.parseInt(readText(148, 156), 8) === sumBytes(header) && size >= 0 && size <= maxEntry;
    if (!isWhole) throw new Error('it is damaged');
    const padded = await reader.read(Math.ceil(size / block) * block);
    if (!padded) throw new Error('it ends too early');
    yield { name: readText(0, 100), body: padded.subarray(0, size) };
  }
}
