// Every operation of openapi.json with bodies, addresses and headers that careless clients send: no failure of the server, and each answer is one that the document has.
import { beforeAll, describe, expect, it } from 'vitest';
import { routes } from '../../src/rest/routes/index.ts';
import { type Door, type Json, openApp } from '../harness/app.ts';
import { expectAnswer } from '../harness/openapi.ts';
import { chooseCount } from '../harness/sizes.ts';
import { type Ids, prepareIds, requests } from '../requests/index.ts';
import { type Chance, createChance, seedOf } from '../search/random.ts';

let door: Door;
let ids: Ids;
beforeAll(async () => {
  door = await openApp();
  ids = await prepareIds(door, 1);
});

const texts = [
  '',
  ' ',
  '\t',
  '\u00a0',
  '\u200b',
  '\0',
  '\ud800',
  '0',
  '-1',
  '1e999',
  'null',
  'true',
  '٣',
  'é́',
  "'; --",
  '%00',
  '\u202e',
];
const strange: readonly unknown[] = [
  ...texts,
  'x'.repeat(300),
  'x'.repeat(70_000),
  null,
  true,
  0,
  -1,
  -0,
  1.5,
  1e308,
  2 ** 53,
  [],
  [[]],
  [null],
  [''],
  {},
  { id: '' },
  { id: null },
  { toString: 1, constructor: {} },
  JSON.parse('{"__proto__":{"id":1}}'),
  '2026-02-30',
  '9999-12-31T23:59:59.999999999+14:00',
];

/** The paths to all values of a body, itself included. */
const listPlaces = (value: Json, above: (string | number)[] = []): (string | number)[][] =>
  typeof value !== 'object' || value === null
    ? [above]
    : [
        above,
        ...Object.entries(value).flatMap(([key, inner]) =>
          listPlaces(inner, [...above, Array.isArray(value) ? Number(key) : key]),
        ),
      ];

type Change = (value: Json, chance: Chance) => unknown;
const left = Symbol('left out');
const changes: readonly Change[] = [
  (_, chance) => chance.pick(strange),
  (_, chance) => chance.pick(strange),
  () => left,
  (value) => [value],
  (value) => [value, value],
  (value) => ({ data: value }),
  (value) => (typeof value === 'string' ? `${value}\u00a0` : value),
  (value) =>
    typeof value === 'number' ? `${value}` : typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : value,
  (value, chance) => (Array.isArray(value) ? Array(chance.pick([201, 1001])).fill(value[0] ?? null) : value),
  (value) =>
    typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value, unknown: value, ID: 1 } : value,
];

const changeAt = (
  value: Json,
  [step, ...rest]: readonly (string | number)[],
  change: (value: Json) => unknown,
): unknown => {
  if (step === undefined) return change(value);
  const copy = Array.isArray(value) ? [...value] : { ...value };
  const inner = changeAt(value?.[step], rest, change);
  if (inner === left) delete copy[step];
  else copy[step] = inner;
  return copy;
};

const headers = [
  {},
  {},
  {},
  { 'If-Match': '"1"' },
  { 'If-Match': 'W/"1", *' },
  { 'If-None-Match': '*' },
  { 'Idempotency-Key': 'fuzz' },
  { 'Idempotency-Key': ' ' },
  { 'Accept-Encoding': 'gzip;q=0.5, br' },
  { Accept: 'text/html' },
  { 'Content-Type': 'application/json; charset=latin1' },
  { 'X-Muster-Space': '2' },
];
const segments = ['', '0', '-1', '01', '1.5', '9007199254740993', '%00', '%E9', 'x', '..%2f1', '٣', '1%20'];

const send = async (method: string, path: string, body: unknown, more: Record<string, string>): Promise<number> => {
  const text = body === undefined || body === left ? undefined : JSON.stringify(body);
  const sent = { 'Content-Type': 'application/json', ...more };
  const token = await door.token(1, 1);
  const response = await door.app.fetch(
    new Request(`http://muster.test${path}`, {
      method,
      headers: { Authorization: `Bearer ${token}`, ...sent },
      ...(text !== undefined && { body: text }),
    }),
  );
  // What is compressed has the same schema, and cannot be read here.
  const isCompressed = response.headers.has('content-encoding');
  const answered = await response.text();
  const type = response.headers.get('content-type') ?? '';
  const what = `${method} ${path} ${JSON.stringify(more)} ${text?.slice(0, 500)}`;
  expect(response.status, `${what}: ${answered.slice(0, 300)}`).toBeLessThan(500);
  if (isCompressed) return response.status;
  try {
    expectAnswer(
      { method, path: new URL(response.url || `http://muster.test${path}`).pathname, headers: sent, body: text },
      {
        status: response.status,
        headers: response.headers,
        body: /json/.test(type) && !/ndjson/.test(type) ? JSON.parse(answered) : answered,
        text: answered,
      },
    );
  } catch (error) {
    throw new Error(`${what}: ${(error as Error).message}`);
  }
  return response.status;
};

describe.each(routes.map((route) => [`${route.method} ${route.path}`, route] as const))('%s', (name, route) => {
  it('fails never, and answers as the document says', async () => {
    const chance = createChance(seedOf(name, Number.parseInt(process.env.TEST_SEED!.slice(0, 8), 16) || 1));
    const request = requests[route.operation]!(ids);
    const fill = (path: string, isStrange: boolean): string =>
      path.replace(/\{(\w+)#?\}/g, (_, part) => (isStrange ? chance.pick(segments) : String(request.path[part])));
    const statuses = new Set<number>();
    for (let time = 0; time < chooseCount(20, 150, 600); time++) {
      let { body } = request as Json;
      for (let count = chance.whole(3); body !== undefined && count >= 0; count--) {
        const place = chance.pick(listPlaces(body));
        const change = chance.pick(changes);
        body = changeAt(body, place, (value) => change(value, chance));
      }
      const query = chance.odds(0.2) ? `?limit=${encodeURIComponent(chance.pick(texts).toWellFormed())}&offset=1` : '';
      const path = fill(chance.pick([route.path, ...(route.aliases ?? [])]), chance.odds(0.1));
      statuses.add(await send(route.method, path + query, body, chance.pick(headers) as Record<string, string>));
    }
    expect(statuses.size).toBeGreaterThan(1);
  });
});
