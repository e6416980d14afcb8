// How the bytes of a file are text: which encodings there are, whether a file keeps to one, and the way there and back.
import { isUtf8 } from 'node:buffer';

/** As the byte order mark settles it; what users name is in `encodingNamed`. */
export type Encoding = 'utf-8' | 'windows-1252' | 'utf-16le' | 'utf-16be';

/** Names of the web (WHATWG), where Latin 1 means windows-1252 too; of UTF-16 the file itself says in which order its bytes are. */
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

/** The encoding that a user means. */
export const findEncodingName = (name: string): EncodingName | undefined => names.get(name.trim().toLowerCase());

/** What 0x80 to 0x9F are in windows-1252. TextDecoder of several versions of Node reads them as control characters, and nothing of Node writes them. */
const high =
  '\u20ac\u0081\u201a\u0192\u201e\u2026\u2020\u2021\u02c6\u2030\u0160\u2039\u0152\u008d\u017d\u008f' +
  '\u0090\u2018\u2019\u201c\u201d\u2022\u2013\u2014\u02dc\u2122\u0161\u203a\u0153\u009d\u017e\u0178';
const bytes = new Map([...high].map((character, index) => [character, String.fromCharCode(0x80 + index)]));

const fromWindows = (chunk: Buffer): string =>
  chunk.toString('latin1').replace(/[\x80-\x9f]/g, (character) => high[character.charCodeAt(0) - 0x80]!);

const marks: [Encoding, Buffer][] = [
  ['utf-8', Buffer.from([0xef, 0xbb, 0xbf])],
  ['utf-16le', Buffer.from([0xff, 0xfe])],
  ['utf-16be', Buffer.from([0xfe, 0xff])],
];
/** The encoding whose byte order mark these bytes begin with. */
const marked = (start: Buffer): Encoding | undefined =>
  marks.find(([, mark]) => start.subarray(0, mark.length).equals(mark))?.[0];

/** The text of chunks of bytes, without a byte order mark. Throws where they are not of the encoding. */
export async function* decodeChunks(chunks: AsyncIterable<Buffer>, encoding: Encoding): AsyncGenerator<string> {
  if (encoding === 'windows-1252') {
    for await (const chunk of chunks) yield fromWindows(chunk);
    return;
  }
  const decoder = new TextDecoder(encoding, { fatal: true });
  for await (const chunk of chunks) yield decoder.decode(chunk, { stream: true });
  yield decoder.decode();
}

/** The bytes of text that was read in an encoding: the very ones that it was read from. */
export const encodeText = (text: string, encoding: Encoding): Buffer => {
  if (encoding === 'utf-8') return Buffer.from(text);
  if (encoding !== 'windows-1252') {
    const content = Buffer.from(text, 'utf16le');
    return encoding === 'utf-16be' ? content.swap16() : content;
  }
  const latin = text.replace(/[\u0100-\uffff]/g, (character) => bytes.get(character) ?? '?');
  return Buffer.from(latin, 'latin1');
};

/** What a file's text is encoded in, and whether it begins with a byte order mark. */
export interface Encoded {
  encoding: Encoding;
  bom: boolean;
}

const newline = 0x0a;
/** Characters shown of a line that cannot be read. */
const shown = 60;

/** Holds bytes to UTF-8. Throws with the first line that is not, and with how it would read otherwise. */
async function holdToUtf8(chunks: AsyncIterable<Buffer>): Promise<void> {
  let line = 1;
  // Between chunks a character may be cut: what follows the last whole line is looked at together with what comes.
  let rest: Buffer[] = [];
  const check = (text: Buffer): void => {
    if (isUtf8(text)) return;
    for (let from = 0; from < text.length; line++) {
      const end = text.indexOf(newline, from);
      const one = text.subarray(from, end < 0 ? text.length : end + 1);
      if (!isUtf8(one)) {
        const reading = fromWindows(one).trim();
        const start = reading.length > shown ? `${reading.slice(0, shown)}…` : reading;
        throw new Error(
          `line ${line} is not UTF-8. With --encoding windows-1252 it would be ${JSON.stringify(start)}: say so if that is right`,
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

/** Reads a whole file, and finds out what its text is encoded in. Throws when it is not in the encoding that is named. */
export const detectEncoding = async (chunks: AsyncIterable<Buffer>, name: EncodingName): Promise<Encoded> => {
  let mark: Encoding | undefined;
  let encoding: Encoding | undefined;
  const begin = (start: Buffer): void => {
    mark = marked(start);
    if (mark && mark !== name && !mark.startsWith(name))
      throw new Error(
        `it begins as ${mark.replace(/[bl]e$/, '')} does, not ${name}: ${mark === 'utf-8' ? 'leave --encoding out' : 'say --encoding utf-16'}`,
      );
    if (name === 'utf-16' && !mark)
      throw new Error('it has no byte order mark, by which UTF-16 is known: save it as UTF-8');
    encoding = mark ?? (name as Encoding);
  };
  const begun = (async function* () {
    for await (const chunk of chunks) {
      if (!encoding) begin(chunk);
      yield chunk;
    }
  })();
  if (name === 'utf-8') await holdToUtf8(begun);
  let decoder: TextDecoder | undefined;
  try {
    for await (const chunk of begun) {
      if (name !== 'utf-16') continue;
      decoder ??= new TextDecoder(encoding, { fatal: true });
      decoder.decode(chunk, { stream: true });
    }
    decoder?.decode();
  } catch (error) {
    throw error instanceof TypeError ? new Error('it is not UTF-16 all through', { cause: error }) : error;
  }
  return { encoding: encoding ?? (name === 'utf-16' ? 'utf-16le' : name), bom: mark !== undefined };
};
