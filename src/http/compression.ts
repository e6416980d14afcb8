// Compresses long answers for clients that accept it, outside of the thread of requests.
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { encodeLongText } from './body.ts';
import { chooseEncoding } from './negotiation.ts';

/** The quick levels: the others gain a tenth, and take several times as long. */
const compressors = {
  br: (bytes: Uint8Array) => promisify(brotliCompress)(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } }),
  gzip: (bytes: Uint8Array) => promisify(gzip)(bytes, { level: 4 }),
};

/**
 * The body of an answer, compressed if it is long and the client accepts that, with the headers that say so. Never pass an answer that has a secret, such as a
 * new token: whoever sees the lengths of compressed answers that repeat their own text can guess it.
 */
export const encodeBody = async (
  text: string | Uint8Array<ArrayBuffer>,
  acceptEncoding: string | null,
): Promise<{ body: string | Uint8Array<ArrayBuffer>; headers: Record<string, string> }> => {
  const body = encodeLongText(text);
  if (typeof body === 'string') return { body, headers: {} };
  const encoding = chooseEncoding(acceptEncoding, ['br', 'gzip']);
  if (!encoding) return { body, headers: { Vary: 'Accept-Encoding' } };
  const compressed = await compressors[encoding](body);
  return { body: compressed, headers: { Vary: 'Accept-Encoding', 'Content-Encoding': encoding } };
};
