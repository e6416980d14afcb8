// The longest headers that a stranger can send, filled with the texts that are worst for those who split or match them.
import type { Sent } from './attacks.ts';

/** Texts of this many characters by what they consist of. The first is harmless; the others once cost seconds somewhere. */
const texts: Record<string, (length: number) => string> = {
  letters: (length) => 'a'.repeat(length),
  'digits of a weight': (length) => `gzip;q=0.${'2'.repeat(length - 10)}x`,
  'blanks before a letter': (length) => `application/json${' '.repeat(length - 17)}x`,
  'blanks in a parameter': (length) => `application/json;${' '.repeat(length - 18)}x`,
  'commas alone': (length) => ','.repeat(length),
  'semicolons alone': (length) => `a/b${';'.repeat(length - 3)}`,
  'media ranges': (length) => 'a/b;q=.1,'.repeat(length / 9),
  quotes: (length) => `a/b;a=${'"'.repeat(length - 7)}x`,
  escapes: (length) => `a/b;a="${'\\'.repeat(length - 7)}`,
  dots: (length) => `Bearer ${'a.'.repeat(length / 2 - 4)}!`,
  tags: (length) => '"a", '.repeat(length / 5),
  'quote and spaces': (length) => `"${' '.repeat(length - 2)}x`,
};

const headers = [
  'Accept',
  'Accept-Encoding',
  'Accept-Language',
  'Authorization',
  'Content-Encoding',
  'Content-Type',
  'Idempotency-Key',
  'If-Match',
  'If-None-Match',
  'Last-Event-ID',
  'Origin',
  'traceparent',
  'X-Forwarded-For',
  'X-Muster-Space',
  'X-Request-Id',
];

const paths: [method: string, path: string, headers?: Record<string, string>][] = [
  ['GET', '/', { Accept: 'text/html' }],
  ['GET', '/openapi.json'],
  ['GET', '/docs'],
  ['GET', '/docs/guide'],
  ['GET', '/graphql', { Accept: 'text/html' }],
  ['GET', '/health/ready'],
  ['GET', '/contacts/1'],
  ['POST', '/graphql'],
  ['POST', '/search'],
  ['POST', '/join'],
  ['OPTIONS', '/search'],
];

export interface LongHeader {
  header: string;
  text: string;
  /** The method and the path. */
  place: string;
  /** The request with so many characters in the header, of a stranger or with this token. */
  request(length: number, bearer?: string): Sent;
}

/** Every header at every path with every text. The texts of one header and path follow one another, the harmless one first. */
export const longHeaders: LongHeader[] = paths.flatMap(([method, path, sent]) =>
  headers.flatMap((header) =>
    Object.entries(texts).map(([text, write]) => ({
      header,
      text,
      place: `${method} ${path}`,
      request: (length: number, bearer?: string): Sent => ({
        method,
        path,
        headers: {
          ...sent,
          ...(bearer && { Authorization: `Bearer ${bearer}` }),
          ...(method === 'POST' && { 'Content-Type': 'application/json' }),
          [header]: write(length),
        },
        ...(method === 'POST' && { body: '{}' }),
      }),
    })),
  ),
);
