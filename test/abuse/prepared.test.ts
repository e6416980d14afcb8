// Searches that are not repeated leave no more prepared statements than a connection may have, and evict none that is in use.
import { beforeAll, expect, it } from 'vitest';
import { maxClientTexts, nameClientStatement, prepareStatement } from '../../src/database/statement.ts';
import { type Door, type Json, openApp } from '../harness/app.ts';

let door: Door;
beforeAll(async () => {
  door = await openApp();
  await door.token(1, 1);
});

/** Other statements of Muster that a connection may have. */
const own = 150;
const fields = [
  'firstName',
  'lastName',
  'gender',
  'birthDate',
  'email',
  'phone',
  'mobile',
  'lastChangedAt',
  'optedOut',
  'externalId',
];
const conditions: Json[] = [
  { firstName: { equals: 'Ann' } },
  { lastName: { equals: 'One' } },
  { email: { exists: true } },
  { phone: { exists: true } },
  { mobile: { exists: true } },
];

/** The search of a number: each has its own SQL text. */
const searchOf = (number: number): [query: string, variables: Json] => {
  const shown = fields.filter((_, bit) => number & (1 << bit));
  const and = conditions.filter((_, bit) => (number * 7) & (1 << bit));
  return [
    `query ($query: ContactQuery) { searchContacts(query: $query, first: 5) { nodes { id ${shown.join(' ')} } } }`,
    { query: and.length > 0 ? { and } : null },
  ];
};

const hot: [string, Json] = [
  'query ($query: ContactQuery) { searchContacts(query: $query, first: 5) { nodes { id marriedName birthCity birthCountry } } }',
  {
    query: {
      or: [{ birthDate: { exists: true } }, { email: { exists: true } }],
    },
  },
];

interface Prepared {
  name: string;
  statement: string;
  used: number;
}

/** The prepared statements of each connection of the pools, as the server and as the driver lists them. */
const listPrepared = async (): Promise<{ server: Prepared[]; driver: string[] }[]> => {
  const { database } = door;
  const all = [];
  for (const { knex } of database.pools) {
    const { free, used } = (knex.client as Json).pool;
    for (const { resource } of [...free, ...used] as { resource: Json }[]) {
      const sql =
        'select name, statement, generic_plans + custom_plans as used from pg_prepared_statements order by name';
      all.push({
        server: (await resource.query(sql)).rows as Prepared[],
        driver: Object.keys(resource.connection.parsedStatements),
      });
    }
  }
  return all;
};

it('1,000 searches, four at a time, leave a bounded number of statements on each connection, and a frequent one stays', async () => {
  const ask = async ([query, variables]: [string, Json]): Promise<void> => {
    const { body } = await door.graphql(query, variables);
    expect(body.errors, JSON.stringify(body.errors)).toBeUndefined();
  };
  for (let number = 1; number <= 1000; number += 4) {
    await Promise.all([0, 1, 2, 3].map((next) => ask(searchOf(number + next))));
    // It is first sent when all places are taken.
    if (number > 400) await ask(hot);
  }
  const connections = await listPrepared();
  expect(connections.length).toBeGreaterThan(2);
  for (const { server, driver } of connections) {
    expect(server.length).toBeLessThanOrEqual(maxClientTexts.texts + own);
    // Otherwise the driver would use a name that the server has dropped, or give it to another text.
    expect(server.map(({ name }) => name).sort()).toEqual(driver.sort());
  }
  const most = Math.max(...connections.map(({ server }) => server.filter(({ name }) => name.startsWith('~')).length));
  expect(most).toBe(maxClientTexts.texts);
  const hottest = connections.flatMap(({ server }) =>
    server.filter(({ statement }) => statement.includes('birth_country')),
  );
  expect(Math.max(...hottest.map(({ used }) => Number(used)))).toBeGreaterThan(20);
}, 240_000);

it('long texts leave as many characters as a connection may have', async () => {
  await door.database.readers.useConnection(async (run) => {
    const length = maxClientTexts.charactersOfOne;
    const most = Math.floor(maxClientTexts.characters / length);
    for (let number = 0; number < most + 5; number++) {
      const sql = `select ${number} as number`.padEnd(length);
      const name = nameClientStatement('long', sql);
      for (let time = 0; time < 2; time++) expect(await run(sql, {}, name)).toEqual([{ number }]);
    }
    const sql = `select name, length(statement) as length from pg_prepared_statements where name like '~long%'`;
    const left = await run<Prepared & { length: number }>(sql, {});
    expect(left).toHaveLength(most);
    expect(left.every((one) => one.length === length)).toBe(true);
  });
});

it('a text that is too long is not prepared', () => {
  const scoped = 'select :group';
  expect(prepareStatement('long', scoped.padEnd(maxClientTexts.charactersOfOne)).name).toMatch(/^~long/);
  expect(prepareStatement('long', scoped.padEnd(maxClientTexts.charactersOfOne + 1)).name).toBeNull();
});
