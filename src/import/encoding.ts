// Detects and checks the encoding of a file, decodes its bytes, and encodes text back.
import { isUtf8 } from 'node:buffer';
import { beginsWith, findOtherKind } from './other-kinds.ts';

/** An encoding with its byte order, as read from the byte order mark. Users name one of `encodingNames`. */
export type Encoding = 'utf-8' | 'windows-1252' | 'utf-16le' | 'utf-16be';

/** The names of the WHATWG standard, in which Latin 1 means windows-1252. A byte order mark gives the byte order of UTF-16. */
const names = new Map<string, EncodingName>([
  ['utf-8', 'utf-8'],
  ['utf8', 'utf-8'],
  ['windows-1252', 'windows-1252'],
  ['cp1252', 'windows-1252'],
  ['latin1', 'windows-1252'],
  ['iso-8859-1', 'windows-1252'],
  ['utf-16', 'utf-16'],
  ['utf16', 'utf-16'],
]);
export const encodingNames = ['utf-8', 'windows-1252', 'utf-16'] as const;
export type EncodingName = (typeof encodingNames)[number];

/** The encoding of a name that a user typed. */
export const findEncodingName = (name: string): EncodingName | undefined => names.get(name.trim().toLowerCase());

/** The characters 0x80 to 0x9F of windows-1252. Several versions of Node decode them as control characters, and Node cannot encode them. */
const high =
  '\u20ac\u0081\u201a\u0192\u201e\u2026\u2020\u2021\u02c6\u2030\u0160\u2039\u0152\u008d\u017d\u008f' +
  '\u0090\u2018\u2019\u201c\u201d\u2022\u2013\u2014\u02dc\u2122\u0161\u203a\u0153\u009d\u017e\u0178';
const bytes = new Map([...high].map((character, index) => [character, String.fromCharCode(0x80 + index)]));

const decodeWindows1252 = (chunk: Buffer): string =>
  chunk.toString('latin1').replace(/[\x80-\x9f]/g, (character) => high[character.charCodeAt(0) - 0x80]!);

const marks: [Encoding, Buffer][] = [
  ['utf-8', Buffer.from([0xef, 0xbb, 0xbf])],
  ['utf-16le', Buffer.from([0xff, 0xfe])],
  ['utf-16be', Buffer.from([0xfe, 0xff])],
];
/** The encoding whose byte order mark these bytes begin with. */
const findByteOrderMark = (start: Buffer): Encoding | undefined =>
  marks.find(([, mark]) => beginsWith(start, mark))?.[0];

/** Decodes chunks of bytes and drops the byte order mark. Throws for bytes that are invalid in the encoding. */
export async function* decodeChunks(chunks: AsyncIterable<Buffer>, encoding: Encoding): AsyncGenerator<string> {
  if (encoding === 'windows-1252') {
    for await (const chunk of chunks) yield decodeWindows1252(chunk);
    return;
  }
  const decoder = new TextDecoder(encoding, { fatal: true });
  for await (const chunk of chunks) yield decoder.decode(chunk, { stream: true });
  yield decoder.decode();
}

/** Encodes text that was read in an encoding, back to the same bytes. */
export const encodeText = (text: string, encoding: Encoding): Buffer => {
  if (encoding === 'utf-8') return Buffer.from(text);
  if (encoding !== 'windows-1252') {
    const content = Buffer.from(text, 'utf16le');
    return encoding === 'utf-16be' ? content.swap16() : content;
  }
  const latin = text.replace(/[\u0100-\uffff]/g, (character) => bytes.get(character) ?? '?');
  return Buffer.from(latin, 'latin1');
};

/** The encoding of a file, and whether it begins with a byte order mark. */
export interface Encoded {
  encoding: Encoding;
  bom: boolean;
}

const newline = 0x0a;
/** Characters that are printed of a bad line. */
const maxExcerpt = 60;

/** Throws at the first line that is not UTF-8. The error shows the line as windows-1252, which no file with the mark of UTF-8 can be read as. */
async function requireUtf8(chunks: AsyncIterable<Buffer>, isMarked: () => boolean): Promise<void> {
  let line = 1;
  // A chunk may end within a character: bytes after its last line end are checked with the next chunk.
  let rest: Buffer[] = [];
  const check = (text: Buffer): void => {
    if (isUtf8(text)) return;
    for (let from = 0; from < text.length; line++) {
      const end = text.indexOf(newline, from);
      const one = text.subarray(from, end < 0 ? text.length : end + 1);
      if (!isUtf8(one)) {
        const reading = decodeWindows1252(one).trim();
        const start = reading.length > maxExcerpt ? `${reading.slice(0, maxExcerpt)}…` : reading;
        throw new Error(
          isMarked()
            ? `line ${line} is not UTF-8, but the file begins with the byte order mark of utf-8: save it all as UTF-8. As windows-1252 the line reads ${JSON.stringify(start)}`
            : `line ${line} is not UTF-8. With --encoding windows-1252 it reads ${JSON.stringify(start)}: add that option if this is right`,
        );
      }
      from += one.length;
    }
  };
  for await (const chunk of chunks) {
    const end = chunk.lastIndexOf(newline) + 1;
    if (end === 0) {
      rest.push(chunk);
      continue;
    }
    const whole = Buffer.concat([...rest, chunk.subarray(0, end)]);
    check(whole);
    for (let at = whole.indexOf(newline); at >= 0; at = whole.indexOf(newline, at + 1)) line++;
    rest = [chunk.subarray(end)];
  }
  check(Buffer.concat(rest));
}

/** Finds the encoding of a file that nobody has named: that of its mark, else UTF-8 when it can be that, otherwise that of Windows. */
export const guessEncodingName = async (chunks: AsyncIterable<Buffer>): Promise<EncodingName> => {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let isFirst = true;
  try {
    for await (const chunk of chunks) {
      const mark = isFirst && findByteOrderMark(chunk);
      if (mark) return mark === 'utf-8' ? 'utf-8' : 'utf-16';
      isFirst = false;
      decoder.decode(chunk, { stream: true });
    }
    decoder.decode();
    return 'utf-8';
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    return 'windows-1252';
  }
};

/** Detects the encoding of a file and checks the whole file. Throws when it is not in the named encoding, or no text at all. */
export const detectEncoding = async (chunks: AsyncIterable<Buffer>, name: EncodingName): Promise<Encoded> => {
  let mark: Encoding | undefined;
  let encoding: Encoding | undefined;
  const readMark = (start: Buffer): void => {
    const other = findOtherKind(start);
    if (other) throw new Error(`it ${other}`);
    mark = findByteOrderMark(start);
    if (mark && mark !== name && !mark.startsWith(name))
      throw new Error(
        `it begins with the byte order mark of ${mark.replace(/[bl]e$/, '')}, not of ${name}: ${mark === 'utf-8' ? 'remove --encoding' : 'use --encoding utf-16'}`,
      );
    if (name === 'utf-16' && !mark) throw new Error('it has no byte order mark, which UTF-16 needs: save it as UTF-8');
    encoding = mark ?? (name as Encoding);
  };
  const chunksWithMark = (async function* () {
    for await (const chunk of chunks) {
      if (!encoding) readMark(chunk);
      yield chunk;
    }
  })();
  if (name === 'utf-8') await requireUtf8(chunksWithMark, () => mark !== undefined);
  let decoder: TextDecoder | undefined;
  try {
    for await (const chunk of chunksWithMark) {
      if (name !== 'utf-16') continue;
      decoder ??= new TextDecoder(encoding, { fatal: true });
      decoder.decode(chunk, { stream: true });
    }
    decoder?.decode();
  } catch (error) {
    throw error instanceof TypeError ? new Error('it is not valid UTF-16', { cause: error }) : error;
  }
  return { encoding: encoding ?? (name === 'utf-16' ? 'utf-16le' : name), bom: mark !== undefined };
};
