// The sweep deletes expired rows, keeps all others, and makes nobody wait.
import { pino } from 'pino';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { readConfig } from '../../src/config/config.ts';
import { batchSize, deleteExpiredRows, expiredTables, sweepExpiredRows } from '../../src/data/upkeep/expired-rows.ts';
import { Database } from '../../src/database/database.ts';
import { createAccessToken } from '../../src/gate/token.ts';
import { startServer } from '../../src/server/server.ts';
import { type Door, openApp } from '../harness/app.ts';
import { waitUntil } from '../harness/waiting.ts';

const shape = { capacity: 100, refill: 10 };

let door: Door;
beforeEach(async () => {
  door = await openApp({ BUCKET_CAPACITY: shape.capacity, BUCKET_REFILL: shape.refill });
});

const sweepNow = (database = door.database) => deleteExpiredRows(database.readers, { shape });
const nothing = Object.fromEntries(expiredTables.map((kind) => [kind, 0]));

const keepAnswers = async (space: number, count: number, age: string, name: string): Promise<void> => {
  for (let first = 1; first <= count; first += 5000)
    await door.sql(
      `insert into idempotency_keys select ?, 1, ? || '-' || n, sha256('x'), 200, '{}', '', now() - cast(? as interval) from generate_series(cast(? as integer), ?) n`,
      [space, name, age, first, Math.min(count, first + 4999)],
    );
};
const keysLeft = async (): Promise<Record<string, number>> =>
  Object.fromEntries(
    (
      await door.sql(
        `select group_id || ' ' || split_part(key, '-', 1) as what, count(*)::int as count from idempotency_keys group by 1 order by 1`,
      )
    ).map(({ what, count }) => [what, count]),
  );

describe('the sweep deletes', () => {
  it('responses stored under keys, after a day, in every space', async () => {
    await keepAnswers(1, 30, '25 hours', 'old');
    await keepAnswers(2, 7, '24 hours 1 second', 'old');
    await keepAnswers(1, 5, '23 hours 59 minutes', 'young');
    expect(await sweepNow()).toEqual({ ...nothing, idempotency_keys: 37 });
    expect(await keysLeft()).toEqual({ '1 young': 5 });
    expect(await sweepNow()).toEqual(nothing);
  });

  it('positions of paged readers, after ten minutes', async () => {
    const page = (per_page: number) => door.rest('POST', '/search', { data: { advanced_search: { per_page } } });
    for (const size of [5, 6, 7]) await page(size);
    await door.sql(
      `update search_traversals set read_at = now() - interval '10 minutes 1 second' where ended_id <> (select max(ended_id) from search_traversals)`,
    );
    expect(await sweepNow()).toEqual({ ...nothing, search_traversals: 2 });
    expect(await door.sql('select count(*)::int as count from search_traversals')).toEqual([{ count: 1 }]);
  });

  it('uploaded files, after a day, or an hour when they have not come whole, with all that belongs to them', async () => {
    await door.sql(
      `insert into import_files (group_id, id, user_id, name, size, created_at, begun_at)
       values (1, 1, 1, 'old', 1, now() - interval '25 hours', now()), (1, 2, 1, 'young', 1, now() - interval '23 hours', null),
              (2, 3, 1, 'cut', null, now() - interval '61 minutes', null), (2, 4, 1, 'coming', null, now() - interval '59 minutes', null)`,
    );
    await door.sql(`insert into import_file_chunks select group_id, id, 0, 'x' from import_files`);
    await door.sql(`insert into import_rejects select group_id, id, 1, 2, 'x', '[]' from import_files`);
    expect(await sweepNow()).toEqual({ ...nothing, import_files: 2 });
    for (const [table, key] of [
      ['import_files', 'id'],
      ['import_file_chunks', 'file_id'],
      ['import_rejects', 'file_id'],
    ])
      expect(await door.sql(`select ${key} as id from ${table} order by 1`)).toEqual([{ id: 2 }, { id: 4 }]);
  });

  it('an uploaded file whose import is under way, which ends', async () => {
    await door.sql(
      `insert into import_files (group_id, id, user_id, name, size, created_at, begun_at) select 1, n, 1, 'old', 1, now() - interval '25 hours', now() from generate_series(1, 2) n`,
    );
    await door.sql(
      `insert into imports (group_id, id, family, name, fingerprint, finished_at)
       select g, n, 'contacts', 'old', 'x', case when n = 2 then cast('2020-01-01' as timestamptz) end from generate_series(1, 3) n, generate_series(1, 2) g`,
    );
    expect(await sweepNow()).toEqual({ ...nothing, import_files: 2 });
    expect(
      await door.sql(
        `select group_id, id, finished_at > now() - interval '1 hour' as ended from imports order by group_id, id`,
      ),
    ).toEqual(
      [1, 2].flatMap((space) =>
        [1, 2, 3].map((id) => ({
          group_id: space,
          id,
          ended: id === 2 ? false : space === 1 && id === 1 ? true : null,
        })),
      ),
    );
  });

  it('tokens that were revoked or expired more than a month ago; requests with them are answered as before', async () => {
    const make = async (change: string): Promise<string> => {
      const token = await createAccessToken(door.database, 1, 1);
      await door.sql(`update tokens set ${change} where id = (select max(id) from tokens)`);
      return token;
    };
    const old = [
      await make(`revoked_at = now() - interval '31 days'`),
      await make(`expires_at = now() - interval '31 days'`),
      await make(`revoked_at = now() - interval '31 days', expires_at = now() + interval '1 day'`),
    ];
    const lasting = [
      await make(`revoked_at = now() - interval '29 days'`),
      await make(`expires_at = now() - interval '29 days'`),
      await make(`expires_at = now() + interval '1 day', created_at = now() - interval '1 year'`),
      await make(`created_at = now() - interval '1 year'`),
    ];
    const answers = () =>
      Promise.all(
        [...old, ...lasting].map(async (token) => {
          const { status, body } = await door.rest('GET', '/users/1', undefined, token);
          return [status, body.type ?? body.id];
        }),
      );
    const before = await answers();
    expect(before.map(([status]) => status)).toEqual([401, 401, 401, 401, 401, 200, 200]);
    const [{ count }] = await door.sql('select count(*)::int as count from tokens');
    expect(await sweepNow()).toEqual({ ...nothing, tokens: 3 });
    expect(await answers()).toEqual(before);
    expect(await door.sql('select count(*)::int as count from tokens')).toEqual([{ count: count - 3 }]);
  });

  it('buckets that would be full again, of spaces that were idle for an hour', async () => {
    const buckets = () => door.sql('select group_id, tokens from rate_buckets order by group_id');
    const readRateLimit = () => door.graphql('{ rateLimit { capacity remaining cost } }');
    const fresh = await readRateLimit();
    expect(fresh.body.data.rateLimit).toMatchObject({ capacity: 100 });
    const setBucket = (tokens: number, age: string) =>
      door.sql(`update rate_buckets set tokens = ${tokens}, refilled_at = now() - interval '${age}'`);
    await setBucket(0, '59 minutes');
    expect(await sweepNow()).toEqual(nothing);
    // A bucket that refills slowly is not full after this time.
    await setBucket(0, '61 minutes');
    expect(await deleteExpiredRows(door.database.readers, { shape: { capacity: 100, refill: 0.02 } })).toEqual(nothing);
    expect(await sweepNow()).toEqual({ ...nothing, rate_buckets: 1 });
    expect(await buckets()).toEqual([]);
    expect((await readRateLimit()).body).toEqual(fresh.body);
    await door.sql(`update rate_buckets set refilled_at = now() + interval '2 hours'`);
    expect(await sweepNow()).toEqual(nothing);
  });

  it('what callers spent more than a day ago, and shares of apps that were idle as long', async () => {
    await door.sql(
      `insert into spending (group_id, caller_id, minute, tokens) select 1, 1, now() - make_interval(hours => h), 1 from unnest(array[1, 23, 25]) h`,
    );
    await door.sql(
      `insert into app_buckets select 1, 1000000000 + h, 0, now() - make_interval(hours => h) from unnest(array[1, 23, 25]) h`,
    );
    expect(await sweepNow()).toEqual({ ...nothing, spending: 1, app_buckets: 1 });
  });

  it('nothing else: every other table stays the same', async () => {
    const tables = (
      await door.sql(
        `select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r'`,
      )
    )
      .map(({ name }) => name)
      .filter((name) => !(expiredTables as string[]).includes(name));
    const counts = () =>
      Promise.all(
        tables.map(async (name) => [name, (await door.sql(`select count(*)::int as count from ${name}`))[0].count]),
      );
    const before = await counts();
    expect(before.length).toBeGreaterThan(40);
    await keepAnswers(1, 3, '2 days', 'old');
    await sweepNow();
    expect(await counts()).toEqual(before);
  });
});

describe('locked rows are skipped, without waiting', () => {
  it.each([
    ['a bucket', 'rate_buckets', `refilled_at = now() - interval '2 hours'`],
    ['an answer', 'idempotency_keys', `created_at = now() - interval '2 days'`],
  ] as const)('%s', async (_, table, aging) => {
    await door.graphql('{ viewer { space { databaseId } } }');
    await keepAnswers(1, 1, '1 minute', 'held');
    await door.sql(`update ${table} set ${aging}`);
    const holder = await door.database.readers.knex.transaction();
    await holder.raw(`select from ${table} where group_id = 1 for update`);
    expect(await sweepNow()).toEqual(nothing);
    await holder.rollback();
    expect(await sweepNow()).toEqual({ ...nothing, [table]: 1 });
  });
});

describe('one process at a time', () => {
  it('sweeps; another gives up at once', async () => {
    await keepAnswers(1, 10, '2 days', 'old');
    const other = await door.database.readers.knex.transaction();
    await other.raw('select pg_advisory_xact_lock(7063842112)');
    expect(await sweepNow()).toBeUndefined();
    expect(await keysLeft()).toEqual({ '1 old': 10 });
    await other.rollback();
    expect(await sweepNow()).toEqual({ ...nothing, idempotency_keys: 10 });
  });

  it('deletes all rows once, without an error, when several start together', async () => {
    await keepAnswers(1, 20_000, '2 days', 'old');
    const others = [1, 2, 3].map(() => new Database(door.databaseUrl));
    onTestFinished(async () => void (await Promise.all(others.map((database) => database.close()))));
    let total = 0;
    for (let round = 0; round < 20 && total < 20_000; round++)
      for (const swept of await Promise.all(others.map(sweepNow))) total += swept?.idempotency_keys ?? 0;
    expect(await keysLeft()).toEqual({});
    // The server of the app may have swept some of them.
    expect(total).toBeLessThanOrEqual(20_000);
  });
});

it('a hundred thousand rows are deleted in batches, and requests are answered meanwhile', async () => {
  await keepAnswers(1, 60_000, '2 days', 'old');
  await keepAnswers(2, 40_000, '2 days', 'old');
  await keepAnswers(2, 10, '1 hour', 'young');
  let sweeping = true;
  let answered = 0;
  const asking = (async () => {
    while (sweeping) {
      const key = `during-${answered}`;
      const { status } = await door.rest('POST', '/teams', { data: { team: { name: key } } }, undefined, {
        'Idempotency-Key': key,
      });
      expect([200, 429]).toContain(status);
      answered++;
    }
  })();
  const statements = await door.statements(async () => {
    // A slow machine may need several tries.
    for (let left = 100_000; left > 0; ) left -= (await sweepNow())!.idempotency_keys;
  });
  sweeping = false;
  await asking;
  expect(answered).toBeGreaterThan(5);
  expect(statements.filter((sql) => /delete from idempotency_keys/.test(sql)).length).toBeGreaterThanOrEqual(
    100_000 / batchSize,
  );
  const { '2 young': young, '1 old': first, '2 old': second } = await keysLeft();
  expect([young, first, second]).toEqual([10, undefined, undefined]);
});

describe('the regular sweep', () => {
  it('repeats; only the first of several failures in a row is reported, and it continues after them', async () => {
    const failures: unknown[] = [];
    const sweeping = sweepExpiredRows(door.database, { shape, every: 5, onFailure: (error) => failures.push(error) });
    onTestFinished(sweeping.stop);
    const addAndSweep = async () => {
      await keepAnswers(1, 3, '2 days', 'old');
      await waitUntil('it sweeps', async () => Object.keys(await keysLeft()).length === 0);
    };
    await addAndSweep();
    const countStatements = async () =>
      (await door.statements(() => new Promise((done) => setTimeout(done, 300)))).length;
    await door.sql('alter table rate_buckets rename to elsewhere');
    expect(await countStatements()).toBeGreaterThan(8);
    expect(failures).toHaveLength(1);
    await door.sql('alter table elsewhere rename to rate_buckets');
    await addAndSweep();
    expect(failures).toHaveLength(1);
    await sweeping.stop();
    expect(await countStatements()).toBe(0);
  });

  it('runs as long as the server, whose log reports when it cannot', async () => {
    await keepAnswers(1, 3, '2 days', 'old');
    const lines: string[] = [];
    const log = pino({ base: null }, { write: (line: string) => void lines.push(line) });
    const server = await startServer(readConfig({ PORT: '0', DRAIN_SECONDS: '0' }), door.databaseUrl, log, 20);
    await waitUntil('it sweeps', async () => Object.keys(await keysLeft()).length === 0);
    await door.sql('alter table idempotency_keys rename to elsewhere');
    await waitUntil('the failure is logged', () => lines.some((line) => /"code":"42P01".*"msg":"sweep"/.test(line)));
    await server.stop();
    expect(lines.filter((line) => /"msg":"sweep"/.test(line))).toHaveLength(1);
  });
});
