// In a small space one plan of a search serves all values, unless it is made for far fewer contacts. Everything else that uses the connection is planned for each.
import { expect, inject, it } from 'vitest';
import { Database } from '../../src/database/database.ts';
import { countUse, isSentOften, prepareStatement } from '../../src/database/statement.ts';
import { type Door, openApp } from '../harness/app.ts';
import { cleanUpAfterFile } from '../harness/cleanup.ts';
import { pretendManySpaces } from '../harness/statistics.ts';

const opened: Database[] = [];
cleanUpAfterFile(async () => {
  for (const database of opened) await database.close();
});

/** The same database with nothing remembered, and one connection for searches. */
const reopen = (door: Door): Promise<Door> => {
  const database = new Database(door.databaseUrl, { searchPool: { size: 1, perSpace: 1 } });
  opened.push(database);
  return openApp({}, undefined, { ...door, database });
};

const countByNames = async (door: Door): Promise<void> => {
  for (const startsWith of 'abcdefghijklmnopqrstuvwxyz0123456789àéîõ') {
    const document = `query ($startsWith: String!) { searchContacts(query: { lastName: { startsWith: $startsWith } }) { totalCount } }`;
    const { body } = await door.graphql(document, { startsWith });
    expect(body.errors).toBeUndefined();
  }
};

/** How often the statements of a noun were planned for their values, and how often not. */
const readPlans = async ({ database }: Door, noun = 'search.count') => {
  const sql = `select sum(generic_plans)::int as once, sum(custom_plans)::int as each from pg_prepared_statements where name like '~${noun}%'`;
  return (await database.searchPool.pool.run<{ once: number; each: number }>(sql, []))[0];
};

it('a text is sent often from its thirty-first time on', () => {
  const sql = `select ${Date.now()} where group_id = :group`;
  const often = Array.from({ length: 32 }, () => {
    countUse(prepareStatement('test', sql));
    return isSentOften(prepareStatement('test', sql));
  });
  expect(often.indexOf(true)).toBe(30);
  expect(often.slice(30)).toEqual([true, true]);
});

it.skipIf(inject('onCluster'))('a search of a small space that is sent often is planned once', async () => {
  const base = await openApp();
  await base.sql('analyze contact_search');
  const door = await reopen(base);
  await countByNames(door);
  // Other tests of the process may have sent the text before. The size is not known at first.
  const { once, each } = (await readPlans(door))!;
  expect(once + each).toBe(40);
  expect(once).toBeGreaterThanOrEqual(6);
  expect(each).toBeGreaterThan(0);
  expect(await door.database.searchPool.pool.run('show plan_cache_mode', [])).toEqual([
    { plan_cache_mode: 'force_custom_plan' },
  ]);
});

it.skipIf(inject('onCluster'))(
  'a counted list of a small space is planned once, but for one with a filter',
  async () => {
    const base = await openApp();
    await base.sql('analyze contact_search');
    const door = await reopen(base);
    for (const args of ['', '(filter: { amount: { gte: 1 } })'])
      for (let time = 0; time < 40; time++) {
        const { body } = await door.graphql(`{ donations${args} { totalCount nodes { id } } }`);
        expect(body.errors).toBeUndefined();
      }
    const { once, each } = (await readPlans(door, 'donation.json'))!;
    expect(once + each).toBe(80);
    expect(once).toBeGreaterThanOrEqual(9);
    expect(each).toBeGreaterThanOrEqual(40);
  },
);

it.skipIf(inject('onCluster'))('a space that is much larger than others is planned for each value', async () => {
  const base = await openApp();
  await pretendManySpaces(base);
  const door = await reopen(base);
  await countByNames(door);
  expect(await readPlans(door)).toEqual({ once: 0, each: 40 });
});
