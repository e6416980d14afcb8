// A network that swallows packets: no request of a client, also none with many mutations, waits longer than for a connection and for one statement.
import pg from 'pg';
import { beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { Database } from '../../src/database/database.ts';
import { type Answer, type Door, type Json, openApp } from '../harness/app.ts';
import { waitUntil } from '../harness/waiting.ts';
import { type FaultyProxy, startProxy } from './proxy.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

/** In milliseconds: far below the defaults, so that the test waits little. Ours is a second more than the server's limit of a statement. */
const waits = { statementTimeout: 500, acquireTimeout: 1000 };
const bound = waits.acquireTimeout + waits.statementTimeout + 1000;
/** A busy machine may delay a try: the best of these counts. */
const tries = 3;
const mutations = 10;

let direct: Door;
beforeAll(async () => {
  direct = await openApp();
  // A team of this name waits for a lock that a test holds.
  await direct.sql(`
    create function hold() returns trigger language plpgsql as $$ begin perform pg_advisory_xact_lock_shared(77); return new; end $$;
    create trigger holds before insert on teams for each row when (new.name like 'Held%') execute function hold()`);
});

interface Behind {
  door: Door;
  proxy: FaultyProxy;
}

/** An app behind a proxy, with open connections in its pools. */
const openBehindProxy = async (): Promise<Behind> => {
  const proxy = await startProxy(direct.databaseUrl);
  const database = new Database(proxy.url(direct.databaseUrl), { ...waits, poolSize: 12 });
  onTestFinished(async () => {
    await proxy.close();
    await database.close();
  });
  const door = await openApp({}, undefined, { ...direct, database });
  await Promise.all(
    Array.from({ length: 60 }, (_, n) => (n % 2 ? door.graphql(readQuery) : createTeams(door, ['Warm']))),
  );
  expect(proxy.open).toBeGreaterThan(6);
  return { door, proxy };
};

const readQuery = '{ users(first: 3) { nodes { id } } }';
const createTeams = (door: Door, names: readonly string[], headers?: Record<string, string>): Promise<Answer> =>
  door.graphql(
    `mutation { ${names.map((name, n) => `m${n}: createTeam(input: { name: "${name}" }) { team { name users { id } } }`).join(' ')} }`,
    undefined,
    undefined,
    headers,
  );
const addNote = (door: Door): Promise<Answer> =>
  door.graphql('mutation { createNote(input: { contactId: "Contact:1", content: "Lost" }) { note { id } } }');

const measure = async <Result>(work: () => Promise<Result>): Promise<{ took: number; result: Result }> => {
  const since = performance.now();
  const result = await work();
  return { took: performance.now() - since, result };
};

/** Repeats what yields the longest wait of a try, until one is within the bound. */
const expectWithinBound = async (tryOnce: () => Promise<number>): Promise<void> => {
  const longest: number[] = [];
  while (longest.length < tries && !(longest.at(-1)! <= bound)) longest.push(await tryOnce());
  expect(Math.min(...longest)).toBeLessThanOrEqual(bound);
};

const codes = ({ body }: Answer): Json[] => (body.errors ?? []).map(({ extensions }: Json) => extensions.code);

describe.each<[string, (proxy: FaultyProxy) => void]>([
  ['a network that carries nothing', (proxy) => proxy.blackhole()],
  ['connections that are lost, while new ones are carried', (proxy) => proxy.freeze()],
])('%s', (_, fail) => {
  it('delays no request longer than the bound, one after the other', async () => {
    await expectWithinBound(async () => {
      const { door, proxy } = await openBehindProxy();
      fail(proxy);
      const requests: (() => Promise<unknown>)[] = [
        () => door.rest('GET', '/users/1'),
        () => door.graphql(readQuery),
        () => door.rest('POST', '/teams', { data: { team: { name: 'Lost' } } }),
        () => addNote(door),
        () => createTeams(door, Array(mutations).fill('Lost')),
        () => Promise.all([addNote(door), addNote(door), door.rest('GET', '/users/1')]),
        () => door.database.recordTokenUses([1]).catch(() => {}),
      ];
      const took: number[] = [];
      for (const request of [...requests, ...requests]) took.push((await measure(request)).took);
      return Math.max(...took);
    });
  });

  it.each([
    ['without a key', undefined],
    ['with a key', 'black-hole'],
  ])('ends a document of mutations %s within the bound, and tells what was done', async (__, key) => {
    await expectWithinBound(async () => {
      const { door, proxy } = await openBehindProxy();
      const holder = new pg.Client({ connectionString: direct.databaseUrl });
      await holder.connect();
      await holder.query('select pg_advisory_lock(77)');
      const run = Math.random();
      const names = Array.from({ length: mutations }, (_, n) => (n === 1 ? `Held ${run}` : `Team ${run} ${n}`));
      const measured = measure(() => createTeams(door, names, key ? { 'Idempotency-Key': `${key}-${run}` } : {}));
      await waitUntil('the second mutation waits', async () => {
        const { rows } = await holder.query(
          `select 1 from pg_locks join pg_database d on d.oid = database
            where locktype = 'advisory' and objid = 77 and not granted and datname = current_database()`,
        );
        return rows.length > 0;
      });
      fail(proxy);
      const { took, result } = await measured;
      await holder.end();
      const stored = async () =>
        (await direct.sql('select name from teams where name like ?', [`% ${run}%`])).map(({ name }) => name);
      if (key) {
        expect([result.status, codes(result)]).toEqual([503, ['unavailable']]);
        expect(await stored()).toEqual([]);
      } else {
        const { data } = result.body;
        expect([result.status, data.m0.team.name]).toEqual([200, names[0]]);
        expect(names.slice(1).map((_, n) => data[`m${n + 1}`])).toEqual(names.slice(1).map(() => null));
        expect(codes(result)).toEqual(names.slice(1).map(() => 'unavailable'));
        expect(await stored()).toEqual([names[0]]);
      }
      return took;
    });
  });
});
