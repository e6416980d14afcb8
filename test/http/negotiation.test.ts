// What clients send in `Accept`, `Accept-Encoding`, `Accept-Language` and `Content-Type`, and what it means.
import { expect, it } from 'vitest';
import { chooseMediaType } from '../../src/graphql/media-type.ts';
import { acceptsGzip, isTextType } from '../../src/http/negotiation.ts';
import { limits } from '../../src/limits/limits.ts';
import { chooseExportFormat, formats } from '../../src/rest/export.ts';
import { chooseLanguage } from '../../src/server/serve-pages.ts';

const long = (text: string): string => text.padEnd(limits.request.headerCharacters + 1);

it.each([
  ['gzip', true],
  ['gzip, deflate, br, zstd', true],
  ['br;q=1.0, gzip;q=0.8, *;q=0.1', true],
  ['GZIP', true],
  ['*', true],
  ['gzip;q=0', false],
  ['br, gzip;q=0.000', false],
  ['identity', false],
  ['gzip;q=x', false],
  ['', false],
  [null, false],
  [long('gzip'), false],
])('gzip is accepted by %j: %s', (header, accepted) => {
  expect(acceptsGzip(header)).toBe(accepted);
});

it.each([
  ['application/json', true],
  ['application/json;', true],
  ['Application/JSON ; charset=UTF-8', true],
  ['application/json;charset="utf-8"', true],
  ['application/json; charset=utf8', true],
  ['application/json; charset=latin1', false],
  ['application/json, text/plain', false],
  ['application/jsonx', false],
  ['text/plain', false],
  ['', false],
  [null, false],
  [long('application/json;'), false],
])('JSON in UTF-8 is what %j says: %s', (header, is) => {
  expect(isTextType(header, ['application/json'])).toBe(is);
});

it.each([
  [null, 'ndjson'],
  ['', 'ndjson'],
  ['*/*', 'ndjson'],
  ['application/*', 'ndjson'],
  ['application/json', 'ndjson'],
  ['application/json, text/plain, */*', 'ndjson'],
  ['application/x-ndjson; charset=utf-8', 'ndjson'],
  ['text/csv', 'csv'],
  ['text/csv;charset=utf-8', 'csv'],
  ['text/csv; charset=iso-8859-1', 'csv'],
  ['text/csv, */*', 'csv'],
  ['text/csv, application/json;q=0.9', 'csv'],
  ['text/csv;q=0.5, application/x-ndjson', 'ndjson'],
  [long('text/csv,'), 'ndjson'],
] as const)('an export for %j is %s', (header, name) => {
  expect(chooseExportFormat(header)).toBe(formats[name]);
});

it.each([
  [
    'application/graphql-response+json; charset=utf-8, application/json; charset=utf-8',
    'application/graphql-response+json',
  ],
  ['application/json; charset=utf-8', 'application/json'],
  ['application/json;q=0, */*', 'application/graphql-response+json'],
  ['application/json;odata=verbose', 'application/json'],
  ['text/html, application/xhtml+xml, */*;q=0.8', 'application/json'],
  ['text/html', undefined],
  ['text/event-stream', undefined],
])('GraphQL for %j is %s', (header, type) => {
  expect(chooseMediaType(header)).toBe(type);
});

it.each([
  [null, null, 'en'],
  [null, 'fr', 'fr'],
  [null, 'fr-CA, en;q=0.8', 'fr'],
  [null, 'en;q=0.5, fr;q=0.9', 'fr'],
  [null, 'de, fr;q=0, en', 'en'],
  [null, 'de', 'en'],
  ['en', 'fr', 'en'],
  ['xx', 'fr', 'fr'],
])('a page named %j for %j is in %s', (named, header, language) => {
  expect(chooseLanguage(named, header)).toBe(language);
});
