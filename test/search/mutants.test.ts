// Tests the comparison with the oracle: it must notice each mutant of the compiler, and of the SQL below it.
import { randomUUID } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import pg from 'pg';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { Database } from '../../src/database/database.ts';
import { migrateDatabase, splitStatements } from '../../src/database/migrate.ts';
import type { PageStrategy } from '../../src/search/page-plan.ts';
import type { SortPosition } from '../../src/search/sort.ts';
import { buildDatabaseUrl, runStatement } from '../harness/databases.ts';
import { drawSample } from '../harness/sizes.ts';
import { analyzeSql } from '../harness/statistics.ts';
import { buildGroup, drawOrderedPair, nameOf, orders, sides } from './asking.ts';
import { allCells } from './cells.ts';
import { drawCondition, generateSearches } from './generate.ts';
import { loadPopulation } from './load.ts';
import type { Mutant } from './mutant.ts';
import { mutants } from './mutants.ts';
import { type AdvancedSearch, findMatches, findMatchingPage as oracle } from './oracle.ts';
import { generatePopulation, now } from './population.ts';
import { createChance, seedOf } from './random.ts';

type Compiler = Pick<typeof import('../../src/data/search/find.ts'), 'findContacts' | 'countFoundContacts'> &
  Pick<typeof import('./plan-query.ts'), 'findQueryFaults' | 'planPlacedQuery'>;

const seed = 1;
const people = generatePopulation(seed);
const root = fileURLToPath(new URL('../..', import.meta.url));
const opened: (() => Promise<unknown>)[] = [];
let folder: string;
/** With people, and none of the rows that the search derives from them. */
let before: string;
let plain: Database;

const withClient = async (url: string, work: (client: pg.Client) => Promise<unknown>): Promise<void> => {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await work(client);
  } finally {
    await client.end();
  }
};

/** The URL of a new database. On a cluster it is one of the coordinator alone: Citus has sessions in its databases, which thus cannot be cloned. */
const createDatabase = async (template = ''): Promise<string> => {
  const name = `muster_test_${randomUUID().replaceAll('-', '')}`;
  await runStatement(
    inject('serverUrl'),
    `create database ${name}${template && ` template ${template.split('/').at(-1)} strategy file_copy`}`,
  );
  opened.push(() => runStatement(inject('adminUrl'), `drop database ${name} with (force)`));
  return buildDatabaseUrl(inject('serverUrl'), name);
};

/** The people in a database of their own, with what is derived from them after this SQL has changed the functions. */
const derived = async (change = ''): Promise<Database> => {
  const url = await createDatabase(before);
  const database = new Database(url);
  opened.push(() => database.close());
  await withClient(url, async (client) => {
    await client.query(change);
    // Its stored columns are computed again.
    await client.query('update answers set data = data');
    for (const refresh of ['refresh_search', 'refresh_emails'])
      await client.query(
        `select ${refresh}(s.id, array(select c.id from contacts c where c.group_id = s.id)) from spaces s`,
      );
    await client.query(analyzeSql);
  });
  return database;
};

beforeAll(async () => {
  // Packages must be found from this folder.
  folder = await mkdtemp(join(root, 'node_modules/.mutants-'));
  before = await createDatabase();
  await migrateDatabase(before);
  await withClient(before, (client) => loadPopulation(async (text) => (await client.query(text)).rows, people));
  plain = await derived();
});
afterAll(async () => {
  for (const close of opened.reverse()) await close();
  await rm(folder, { recursive: true });
});

/** The functions of a file with the mutant among them: its other statements have been run. */
const mutated = async ({ file, from, to }: Mutant): Promise<string> =>
  splitStatements((await readFile(join(root, file), 'utf8')).replace(from, () => to))
    .filter((statement) => /^create or replace function/m.test(statement))
    .join(';\n');

let built = 0;
/** The compiler, bundled from the sources with one text replaced. */
const compilerWith = async (mutant?: Mutant): Promise<Compiler> => {
  const outfile = join(folder, `${built++}.mjs`);
  await build({
    stdin: {
      contents: `export * from './src/data/search/find.ts'; export * from './test/search/plan-query.ts';`,
      resolveDir: root,
    },
    outfile,
    bundle: true,
    packages: 'external',
    platform: 'node',
    format: 'esm',
    logLevel: 'error',
    plugins: [
      {
        name: 'mutate',
        setup: ({ onLoad }) =>
          onLoad({ filter: /\.ts$/ }, async ({ path }) => {
            const contents = await readFile(path, 'utf8');
            const hit = mutant && path === join(root, mutant.file);
            return { contents: hit ? contents.replace(mutant.from, () => mutant.to) : contents, loader: 'ts' };
          }),
      },
    ],
  });
  return import(/* @vite-ignore */ pathToFileURL(outfile).href);
};

const answers = new Map<string, unknown>();
const known = <T>(key: string, work: () => T): T => {
  if (!answers.has(key)) answers.set(key, work());
  return answers.get(key) as T;
};

const strategies: (PageStrategy | 'matching' | 'failing')[] = [
  ...(['bounded scan', 'unbounded scan', 'scan from the end', 'sort', 'matching', 'failing'] as const),
];
let asked = 0;

/** Whether a search has another answer than the oracle's; each is asked by the next strategy. */
const differs = async (compiler: Compiler, database: Database, body: AdvancedSearch): Promise<boolean> => {
  const space = database.space(1);
  if (compiler.findQueryFaults(body.query).length > 0) return true;
  const search = {
    plan: await compiler.planPlacedQuery(space, body.query),
    order: { sort: (body.sort_attr ?? null) as never, ascending: !body.sort_attr || body.sort_asc === true },
    words: `mutant ${asked}`,
  };
  const strategy = strategies[asked++ % strategies.length]!;
  const key = JSON.stringify(body);
  if (strategy === 'matching' || strategy === 'failing') {
    const total = known(`total ${key}`, () => findMatches(people, body.query, now).size);
    return (await compiler.countFoundContacts(space, search, strategy)) !== total;
  }
  const ids = known(key, () => oracle(people, body, now));
  const rows = await compiler.findContacts(space, search, {
    start: { page: body.page ?? 0, token: 1 },
    limit: body.per_page,
    strategy,
    side: sides[Math.floor(asked / strategies.length) % sides.length],
  });
  return JSON.stringify(rows.map(({ id }) => id)) !== JSON.stringify(ids);
};

/** Whether the pages of everybody, by number or each after the one before, are another sequence than the oracle's. */
const wanders = async (compiler: Compiler, database: Database, index: number): Promise<boolean> => {
  const order = orders[index % orders.length]!;
  const strategy = strategies[index % 4] as PageStrategy;
  const body = { per_page: 1000, ...(order.sort && { sort_attr: order.sort, sort_asc: order.ascending }) };
  const whole = known(nameOf(order), () => oracle(people, body, now));
  const plan = await compiler.planPlacedQuery(database.space(1), undefined);
  const search = { plan, order, words: `pages ${asked++}` };
  const ids: number[] = [];
  let after: SortPosition | null = null;
  for (let page = 0; page < 40; page++) {
    const start = index % 2 ? { after } : { page: page === 0 ? 2 : page - 1, token: 1 };
    const rows = await compiler.findContacts(database.space(1), search, { start, limit: 31, strategy });
    if (index % 2 || page > 0) ids.push(...rows.map(({ id }) => id));
    after = rows.at(-1) ?? after;
    if (rows.length === 0) break;
  }
  return JSON.stringify(ids) !== JSON.stringify(whole);
};

/** By what a mutant is found out; undefined for one that survives. */
const killer = async (compiler: Compiler, database: Database, { file, asks }: Mutant): Promise<string | undefined> => {
  const pages = async (): Promise<string | undefined> => {
    for (let index = 0; index < 3 * orders.length; index++)
      if (await wanders(compiler, database, index)) return `pages by ${nameOf(orders[index % orders.length]!)}`;
    return;
  };
  const searches = async (cells: typeof allCells, count: number): Promise<string | undefined> => {
    for (let index = 0; index < count; index++)
      for (const cell of cells)
        if (await differs(compiler, database, generateSearches(cell, count, seed)[index]!))
          return `${cell.attr} ${cell.ope}`;
    return;
  };
  const ordered = async (): Promise<string | undefined> => {
    const draw = createChance(seedOf('ordered', seed));
    for (let index = 0; index < 12 * orders.length; index++) {
      const pair = drawOrderedPair(orders[index % orders.length]!, draw, index % 2 ? '$all' : '$at_least_one');
      if (await differs(compiler, database, pair)) return 'a page by what it asks for';
    }
    return;
  };
  const near = allCells.filter(({ attr, ope }) => asks.test(`${attr} ${ope}`));
  const pairs = async (): Promise<string | undefined> => {
    const draw = createChance(seedOf('pairs', seed));
    for (let index = 0; index < 60 && near.length > 0; index++) {
      const conditions = [near, near].map((cells) => drawCondition(draw, draw.pick(cells)));
      const query = { $all: [buildGroup(conditions, draw.odds(0.5) ? '$all' : '$at_least_one')] };
      if (await differs(compiler, database, { per_page: 1000, query })) return 'two of its conditions';
    }
    return;
  };
  const [one, other] = /sort|page-plan|data/.test(file)
    ? [pages, () => searches(near, 4)]
    : [() => searches(near, 12), pages];
  return (await one()) ?? (await other()) ?? (await pairs()) ?? (await ordered()) ?? (await searches(allCells, 2));
};

it('the texts to replace stand where they should', async () => {
  expect(mutants.length).toBeGreaterThanOrEqual(20);
  expect(new Set(mutants.map(({ name }) => name)).size).toBe(mutants.length);
  for (const { name, file, from, to } of mutants) {
    const times = (await readFile(join(root, file), 'utf8')).split(from).length - 1;
    expect({ name, times, changes: from !== to }).toEqual({ name, times: 1, changes: true });
  }
});

it('the sources as they are differ in nothing', async () => {
  const compiler = await compilerWith();
  expect(
    await killer(compiler, plain, { ...mutants[0]!, asks: /^(surname|form|emails.type|donations.amount) / }),
  ).toBeUndefined();
}, 120_000);

it('all that are tried but one at most are found out', async () => {
  const survivors: string[] = [];
  for (const mutant of drawSample(mutants, { small: 3, all: 3 })) {
    const inSql = mutant.file.endsWith('.sql');
    const database = inSql ? await derived(await mutated(mutant)) : plain;
    // One that cannot run throws here, for it would prove nothing.
    const found = await killer(await compilerWith(inSql ? undefined : mutant), database, mutant);
    if (!found) survivors.push(`${mutant.file}: ${mutant.name}`);
  }
  if (survivors.length > 0) console.log(`Survivors:\n${survivors.join('\n')}`);
  expect(survivors.slice(1)).toEqual([]);
}, 240_000);
