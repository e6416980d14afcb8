// A file that a client sends: its name, and its bytes, which are uncompressed, of a bounded size, and a text.
import { pipeline, Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { chunkSize } from '../data/import/import-file.ts';
import { isSentAsGzip } from '../http/body.ts';
import { shortenHeader } from '../http/negotiation.ts';
import { beginsWith, findOtherKind, saveAsCsv } from '../import/other-kinds.ts';
import { limits } from '../limits/limits.ts';
import { createInvalidProblem, Problem } from '../problem.ts';

const { fileBytes } = limits.import;

const refuseFile = (message: string): Problem => createInvalidProblem([{ location: 'body', message }]);

const marksOfUtf16 = [Buffer.from([0xff, 0xfe]), Buffer.from([0xfe, 0xff])];

/** Tells a client that goes away from a failure of the server. */
async function* readSent(body: ReadableStream<Uint8Array> | null): AsyncGenerator<Buffer> {
  try {
    for await (const chunk of body ?? []) yield Buffer.from(chunk);
  } catch {
    throw refuseFile('ended early');
  }
}

/** Throws 413 beyond the limit. */
async function* limitSize(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let size = 0;
  for await (const chunk of chunks) {
    size += chunk.length;
    if (size > fileBytes)
      throw new Problem('too-large', `The file is larger than ${fileBytes} bytes: divide it into several files`);
    yield chunk;
  }
}

/** Joins and divides pieces, so that each but the last has one size. */
async function* cutEvenly(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let waiting: Buffer[] = [];
  let size = 0;
  for await (const chunk of chunks) {
    waiting.push(chunk);
    size += chunk.length;
    if (size < chunkSize) continue;
    let whole = Buffer.concat(waiting);
    for (; whole.length >= chunkSize; whole = whole.subarray(chunkSize)) yield whole.subarray(0, chunkSize);
    waiting = [whole];
    size = whole.length;
  }
  if (size > 0) yield Buffer.concat(waiting);
}

/** Uncompresses what begins like gzip, and leaves the rest as it is. */
async function* unzip(chunks: AsyncGenerator<Buffer>): AsyncGenerator<Buffer> {
  const { value: first, done } = await chunks.next();
  if (done) return;
  const whole = (async function* () {
    yield first;
    yield* chunks;
  })();
  if (first[0] !== 0x1f || first[1] !== 0x8b) {
    yield* whole;
    return;
  }
  try {
    for await (const chunk of pipeline(Readable.from(whole), createGunzip(), () => {})) yield chunk;
  } catch (error) {
    if (String((error as NodeJS.ErrnoException).code).startsWith('Z_'))
      throw refuseFile('is compressed with gzip, but it is incomplete or damaged');
    throw error;
  }
}

/** Throws 400 for what is no text, and for nothing. A text has no byte zero, unless it is UTF-16, which has a mark. */
async function* requireText(pieces: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let isUtf16: boolean | undefined;
  for await (const piece of pieces) {
    const other = isUtf16 === undefined && findOtherKind(piece);
    if (other) throw refuseFile(other);
    isUtf16 ??= marksOfUtf16.some((mark) => beginsWith(piece, mark));
    if (!isUtf16 && piece.includes(0)) throw refuseFile(`is not a text, and so not CSV: ${saveAsCsv}`);
    yield piece;
  }
  if (isUtf16 === undefined) throw refuseFile('is empty: a CSV file is expected');
}

/** Types by which browsers send CSV: some name one of their own, or none. */
const fileTypes = [
  'text/csv',
  'text/plain',
  'text/tab-separated-values',
  'application/csv',
  'application/gzip',
  'application/vnd.ms-excel',
  'application/octet-stream',
];

/** Throws 415 for a body that is no file, or compressed otherwise than by gzip. */
const requireFile = (request: Request): void => {
  const type = request.headers.get('content-type');
  if (type && !fileTypes.includes(type.split(';')[0]!.trim().toLowerCase()))
    throw new Problem(
      'unsupported-media-type',
      `Send the bytes of the file as text/csv, not as ${shortenHeader(type)}`,
      { headers: { 'Accept-Post': fileTypes.join(', ') } },
    );
  // The first bytes tell whether the file is compressed.
  isSentAsGzip(request, 'file');
};

/** The file that a request sends. Its pieces are read when they are asked for. */
export const readUploadedFile = (request: Request, url: URL): { name: string; pieces: AsyncGenerator<Buffer> } => {
  const name = url.searchParams.get('name')?.trim() ?? '';
  const { lineCharacters } = limits.value;
  if (name === '' || name.length > lineCharacters || /\p{Cc}/u.test(name))
    throw createInvalidProblem([
      {
        location: 'query.name',
        message: `must be the name of the file, 1 to ${lineCharacters} characters`,
        value: name,
      },
    ]);
  requireFile(request);
  // A file that is compressed already may be compressed on its way too.
  const sent = unzip(cutEvenly(limitSize(readSent(request.body))));
  return { name, pieces: requireText(cutEvenly(limitSize(unzip(cutEvenly(limitSize(sent)))))) };
};
