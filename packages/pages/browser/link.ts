// The fragment of a link that holds a whole segment: a version and the query, compressed. Browsers send no fragment to a server, so no log has it.
import type { Json } from './graph-query.ts';

const version = '1';
/** In characters: no segment is longer, and a text that unpacks to more is refused before it fills the memory. */
const maxLength = 512 * 1024;

/** Its message says why a link cannot be read. */
export class BrokenLink extends Error {
  declare message: 'version' | 'damaged';
}

const pipe = (bytes: Uint8Array<ArrayBuffer>, through: CompressionStream | DecompressionStream) =>
  new Blob([bytes])
    .stream()
    .pipeThrough(through as ReadableWritablePair<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>);

const encodeBase64 = (bytes: Uint8Array): string =>
  btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');

const decodeBase64 = (text: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (one) => one.charCodeAt(0));

/** The text of a query in a link: `1.q1YqU7…`. */
export const encodeLink = async (query: Json): Promise<string> => {
  const bytes = new TextEncoder().encode(JSON.stringify(query)) as Uint8Array<ArrayBuffer>;
  const packed = await new Response(pipe(bytes, new CompressionStream('deflate-raw'))).arrayBuffer();
  return `${version}.${encodeBase64(new Uint8Array(packed))}`;
};

const unpack = async (text: string): Promise<string> => {
  const reader = pipe(decodeBase64(text), new DecompressionStream('deflate-raw')).getReader();
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let read = '';
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return read + decoder.decode();
    read += decoder.decode(value, { stream: true });
    if (read.length > maxLength) {
      await reader.cancel();
      throw new BrokenLink('damaged');
    }
  }
};

/** The query of a link. Throws a BrokenLink for one that was cut off, changed, or made by a newer version. */
export const decodeLink = async (text: string): Promise<Json> => {
  const [given, packed] = text.split('.');
  if (given !== version) throw new BrokenLink(/^\d+$/.test(given ?? '') ? 'version' : 'damaged');
  try {
    return JSON.parse(await unpack(packed ?? ''));
  } catch {
    throw new BrokenLink('damaged');
  }
};
