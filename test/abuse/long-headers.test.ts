// A long header costs a stranger's request about what it costs without its worst text, at every path: nothing grows with the square of its length.
import { beforeAll, expect, it } from 'vitest';
import { type LongHeader, longHeaders } from '../../bench/abuse/long-headers.ts';
import { createClient, type Door, openApp } from '../harness/app.ts';

let door: Door;
beforeAll(async () => {
  door = await openApp();
});

const length = 15_000;
let lastAddress = 0;

/** The time of a request. An address of its own spares it the counter of bad tokens. */
const time = async (one: LongHeader, bearer?: string): Promise<number> => {
  const { path, ...sent } = one.request(length, bearer);
  const request = new Request(`http://muster.test${path}`, sent);
  lastAddress++;
  const begun = performance.now();
  const response = await door.app.fetch(
    request,
    createClient(`10.${lastAddress >> 16}.${(lastAddress >> 8) & 255}.${lastAddress & 255}`),
  );
  await response.arrayBuffer();
  return performance.now() - begun;
};

const places = [...new Set(longHeaders.map(({ place }) => place))];

/** Those that cost far more than a harmless text of that length in the header that is dearest with one. */
const findDear = async (rows: LongHeader[], bearer?: string): Promise<unknown[]> => {
  const best = new Map<LongHeader, number>();
  for (let round = 0; round < 5; round++)
    for (const one of rows) best.set(one, Math.min(best.get(one) ?? Number.POSITIVE_INFINITY, await time(one, bearer)));
  const harmless = Math.max(...rows.filter(({ text }) => text === 'letters').map((one) => best.get(one)!));
  return rows
    .map((one) => [one.header, one.text, best.get(one)! / harmless] as const)
    .filter(([, , times]) => times > 20);
};

it.each(places)('%s costs the same with the worst text of any header', async (place) => {
  expect(await findDear(longHeaders.filter((one) => one.place === place))).toEqual([]);
});

/** They are read for those with a token alone. */
const ofMembers = ['Accept', 'Accept-Encoding', 'Content-Type', 'Content-Encoding', 'Idempotency-Key'];

it.each(['GET /contacts/1', 'POST /graphql', 'POST /search'])('so does %s with a token', async (place) => {
  const rows = longHeaders.filter((one) => one.place === place && ofMembers.includes(one.header));
  expect(await findDear(rows, await door.token(1, 1))).toEqual([]);
});
