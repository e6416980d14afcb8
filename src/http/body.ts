// Reads the body of a request: JSON in UTF-8 of a bounded size, refused before it fills the memory.
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { limits } from '../limits/limits.ts';
import { createAnswerTooLargeProblem, createInvalidProblem, Problem } from '../problem.ts';
import { checkJsonShape } from './json-shape.ts';
import { isTextType, shortenHeader } from './negotiation.ts';

const tooLarge = (limit: number): Problem => new Problem('too-large', `The body is larger than ${limit} bytes`);

/** Throws 415 for a body of another type than these, 400 for none. */
const requireBodyType = async (request: Request, types: readonly string[]): Promise<void> => {
  const contentType = request.headers.get('content-type');
  if (isTextType(contentType, types)) return;
  if (await isEmptyBody(request)) throw refuseMissingBody();
  throw new Problem(
    'unsupported-media-type',
    `Send the body as application/json in UTF-8, not ${contentType ? shortenHeader(contentType) : 'without a Content-Type'}`,
    { headers: { [request.method === 'PATCH' ? 'Accept-Patch' : 'Accept-Post']: types.join(', ') } },
  );
};

/** A client that goes away in the middle of its body is not a failure of the server. */
const cutOff = (): never => {
  throw createInvalidProblem([{ location: 'body', message: 'ended early' }]);
};

/** Uncompresses outside of the thread of requests, and no further than to the limit. */
const decompress = (bytes: Uint8Array, limit: number): Promise<Uint8Array> =>
  promisify(gunzip)(bytes, { maxOutputLength: limit }).catch(({ code }) => {
    if (code === 'ERR_BUFFER_TOO_LARGE') throw tooLarge(limit);
    throw new Problem('unsupported-media-type', 'The body is not compressed with gzip, as Content-Encoding says');
  });

/** Whether a body is compressed by gzip, as its headers say. Throws 415 for another encoding; `what` is the body. */
export const isSentAsGzip = ({ headers }: Request, what: string): boolean => {
  const encoding = headers.get('content-encoding')?.trim().toLowerCase() || 'identity';
  if (encoding === 'identity') return false;
  if (encoding === 'gzip' || encoding === 'x-gzip') return true;
  throw new Problem(
    'unsupported-media-type',
    `The ${what} may be encoded as gzip alone, not as ${shortenHeader(encoding)}`,
    { headers: { 'Accept-Encoding': 'gzip' } },
  );
};

/** The bytes of the body, uncompressed, at most `limit` of them. Throws 413 or 415. */
const readBytes = async (request: Request, limit: number): Promise<Uint8Array> =>
  isSentAsGzip(request, 'body')
    ? decompress(await readSentBytes(request, limit), limit)
    : readSentBytes(request, limit);

const readSentBytes = async (request: Request, limit: number): Promise<Uint8Array> => {
  const declared = request.headers.get('content-length');
  if (declared !== null) {
    if (Number(declared) > limit) throw tooLarge(limit);
    return new Uint8Array(await request.arrayBuffer().catch(cutOff));
  }
  const chunks: Uint8Array[] = [];
  let size = 0;
  const reader = request.body?.getReader();
  for (;;) {
    const { done, value } = (await reader?.read().catch(cutOff)) ?? { done: true };
    if (done || !value) return Buffer.concat(chunks);
    size += value.byteLength;
    if (size > limit) {
      reader?.cancel().catch(() => {});
      throw tooLarge(limit);
    }
    chunks.push(value);
  }
};

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** The text of the body. Throws 400 when it is not UTF-8. */
const readBodyText = async (request: Request, limit: number): Promise<string> => {
  const bytes = await readBytes(request, limit);
  try {
    return utf8.decode(bytes);
  } catch {
    throw createInvalidProblem([{ location: 'body', message: 'is not text in UTF-8' }]);
  }
};

const refuseMissingBody = (): Problem =>
  createInvalidProblem([{ location: 'body', message: 'is empty; a JSON body is expected' }]);

/** Whether the body is empty, judged by its first bytes. */
const isEmptyBody = async ({ headers, body }: Request): Promise<boolean> => {
  const declared = headers.get('content-length');
  if (declared !== null || !body) return !Number(declared);
  const reader = body.getReader();
  const { done } = await reader.read().catch(cutOff);
  reader.cancel().catch(() => {});
  return done;
};

/**
 * The value of a JSON body. Throws 400 when it is missing or invalid, 413 when it is too large, 415 when its Content-Type is another. `lists` is
 * the prefix of the path to a list or object that is too long.
 */
export const readJsonBody = async (
  request: Request,
  limit: number,
  { types = ['application/json'], lists = 'body' } = {},
): Promise<unknown> => {
  await requireBodyType(request, types);
  const text = await readBodyText(request, limit);
  if (text.trim() === '') throw refuseMissingBody();
  checkJsonShape(text, 'body', lists);
  try {
    return JSON.parse(text);
  } catch (error) {
    throw createInvalidProblem([{ location: 'body', message: `is not JSON: ${(error as Error).message}` }]);
  }
};

/** In characters: a shorter text goes out in one piece with its headers. */
const short = 4096;

/**
 * Encodes a long text to bytes, since Node would take three times its memory to write it as a string. Throws 422 when it is
 * longer than an answer may be.
 */
export const encodeLongText = (text: string | Uint8Array<ArrayBuffer>): string | Uint8Array<ArrayBuffer> => {
  const { answerBytes } = limits.request;
  if (text.length > answerBytes) throw createAnswerTooLargeProblem(answerBytes);
  if (typeof text !== 'string' || text.length < short) return text;
  const bytes = Buffer.from(text);
  if (bytes.byteLength > answerBytes) throw createAnswerTooLargeProblem(answerBytes);
  return bytes;
};
