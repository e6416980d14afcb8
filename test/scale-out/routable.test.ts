// A cluster with rows by space can send every statement to one shard: each tenant table is compared with the bound space itself, and Citus plans one task.
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { listMigrations } from '../../src/database/migrate.ts';
import { createDatabase, type Door, openApp, type Recorded } from '../harness/app.ts';
import {
  checkScope,
  findConditionalCalls,
  findDependentInserts,
  findIndirect,
  findSharedLocks,
  onAllNodes,
} from '../search/scoped.ts';
import { findScattered, keepPlanned, readPlan } from './routable-plans.ts';
import { recordRootFields, recordRoutes, recordSearches } from './routable-statements.ts';

const space = 7_654_321;
const catalogue = {
  tables: new Set(['contacts', 'tags', 'contact_tags', 'notes', 'answers', 'forms', 'members', 'roles']),
  functions: new Set<string>(),
};
/** `$1` is the space, `$2` something else. The statement is sound in any case. */
const read = (sql: string): string[] => {
  const one = { sql, bindings: [space, 42] };
  expect(checkScope(one, space, catalogue)).toEqual([]);
  return findIndirect(one, space, catalogue).map((fault) =>
    fault.replace(' is held to the space through a join only', ''),
  );
};

describe('every table is compared with the space itself', () => {
  it.each([
    'select * from contacts where group_id = $1 and id = $2',
    'select * from contacts c where ($1 = c.group_id and c.id = $2)',
    'select * from contacts c where c.group_id = cast($1 as bigint)',
    'select t.name from contact_tags ct join tags t on t.group_id = $1 and t.id = ct.tag_id where ct.group_id = $1',
    'select t.name from contact_tags ct join tags t on t.group_id = ct.group_id where ct.group_id = $1 and t.group_id = $1',
    'select c.id from contacts c left join answers a on a.group_id = $1 and a.contact_id = c.id where c.group_id = $1',
    'select c.id from contacts c right join answers a on c.group_id = $1 where a.group_id = $1',
    'select id from contacts c where group_id = $1 and exists (select from answers a where a.group_id = $1 and a.contact_id = c.id)',
    'select (select count(*) from notes n where n.group_id = $1 and n.contact_id = c.id) from contacts c where c.group_id = $1',
    'select from contacts c cross join lateral (select id from notes where group_id = $1 and contact_id = c.id limit 1) n where c.group_id = $1',
    'select from contacts c, (select group_id from notes where group_id = $1 limit 1) n where n.group_id = c.group_id and c.group_id = $1',
    'with c as (select * from contacts where group_id = $1) select from c join notes n on n.group_id = $1 and n.contact_id = c.id',
    'select from contacts c join members m on m.group_id = c.group_id join roles r on r.group_id = m.group_id where c.group_id = $1',
    'insert into notes (group_id, contact_id) values ($1, $2)',
    'insert into notes (group_id, contact_id) select c.group_id, c.id from contacts c where c.group_id = $1',
    'with c as (update contacts set surname = $2 where group_id = $1 returning group_id, id) insert into notes (group_id, contact_id) select group_id, id from c',
    'update notes n set content = $2 from contacts c where n.group_id = $1 and c.group_id = $1 and c.id = n.contact_id',
  ])('%s', (sql) => {
    expect(read(sql)).toEqual([]);
  });
});

describe('is held to the space through a join only', () => {
  it.each([
    ['tags t', 'select from contact_tags ct join tags t on t.group_id = ct.group_id where ct.group_id = $1'],
    ['answers a', 'select from contacts c left join answers a on a.group_id = c.group_id where c.group_id = $1'],
    ['answers a', 'select from answers a join contacts c on c.group_id = $1 and a.group_id = c.group_id'],
    [
      'answers a',
      'select from contacts c where group_id = $1 and exists (select from answers a where a.group_id = c.group_id)',
    ],
    [
      'notes n',
      'select (select count(*) from notes n where n.group_id = c.group_id) from contacts c where c.group_id = $1',
    ],
    [
      'notes notes',
      'select from contacts c cross join lateral (select id from notes where c.group_id = notes.group_id limit 1) n where c.group_id = $1',
    ],
    [
      'notes n',
      'select from (select group_id from contacts where group_id = $1 limit 1) c join notes n on n.group_id = c.group_id',
    ],
    [
      'notes n',
      'with c as (select group_id from contacts where group_id = $1) select from c join notes n on n.group_id = c.group_id',
    ],
    ['notes n', 'select from (select $1 as group_id) g join notes n on n.group_id = g.group_id'],
    ['contacts c', 'select from members m join contacts c on c.group_id = m.group_id where m.group_id = $1'],
    ['notes n', 'update notes n set content = $2 from contacts c where n.group_id = c.group_id and c.group_id = $1'],
    ['notes n', 'delete from notes n using contacts c where n.group_id = c.group_id and c.group_id = $1'],
    [
      'notes n',
      'select from contacts c where group_id = $1 union all (select from contacts c join notes n on n.group_id = c.group_id where c.group_id = $1)',
    ],
    [
      'contacts c',
      'insert into notes (group_id) select c.group_id from answers a join contacts c on c.group_id = a.group_id where a.group_id = $1',
    ],
  ])('%s in %s', (table, sql) => {
    expect(read(sql)).toEqual([table]);
  });

  it('several in one statement, each told once', () => {
    const joins = 'join answers a on a.group_id = c.group_id join forms f on f.group_id = a.group_id';
    expect(read(`select from (select c.group_id from contacts c ${joins} where c.group_id = $1) x`)).toEqual([
      'answers a',
      'forms f',
    ]);
  });
});

describe('an insert in a CTE', () => {
  const locked = 'locked as (select id from contacts where group_id = $1 for no key update)';
  const written = 'insert into notes (group_id, contact_id)';
  it.each([
    `with written as (${written} with ${locked} select $1, id from locked returning id) select id from written`,
    `with written as (${written} select $1, unnest($2) returning id), changed as (update notes n set pinned = true from written w where n.id = w.id) select id from written`,
    `with ${locked} ${written} select $1, id from locked`,
  ])('contains the CTEs that it reads: %s', (sql) => {
    expect(findDependentInserts(sql)).toEqual([]);
  });

  it.each([
    [`with ${locked}, written as (${written} select $1, id from locked returning id) select id from written`],
    [`with ${locked}, written as (${written} select $1, $2 where exists (select 1 from locked)) select 1`],
  ])('that reads one beside it is told: %s', (sql) => {
    expect(findDependentInserts(sql)).toEqual(['written inserts rows of locked']);
  });
});

describe('a call of a function that is not immutable', () => {
  it.each([
    'update notes n set updated_at = now() where n.group_id = $1',
    'update notes n set updated_at = now() + make_interval(secs => $2), content = coalesce($3, content) where n.group_id = $1',
    'update users u set (city, updated_at) = (select p.city, case when p.city is null then now() else u.updated_at end from given p)',
    'insert into notes (group_id, created_at) select $1, coalesce($2, now())',
  ])('may be in an update: %s', (sql) => {
    expect(findConditionalCalls(sql)).toEqual([]);
  });

  it.each([
    'update notes n set updated_at = case when $2 then now() end where n.group_id = $1',
    'with one as (update notes n set updated_at = coalesce($2, now()) where n.group_id = $1 returning id) select id from one',
  ])('within CASE or COALESCE is told: %s', (sql) => {
    expect(findConditionalCalls(sql)).toEqual(['now() within CASE or COALESCE']);
  });
});

describe('a lock for share', () => {
  const members = 'select user_id from members m where m.group_id = $1 for key share of m';
  it.each([
    members.replace('key share', 'no key update'),
    'select id from contacts where group_id = $1 for share',
    `with locked as (${members}) select id from teams where group_id = $1 and (select count(*) from locked) >= 0 for update`,
  ])('may be in: %s', (sql) => {
    expect(findSharedLocks(sql)).toEqual([]);
  });

  it.each([
    members,
    `with locked as (${members}) select count(*) from locked`,
  ])('of rows with copies on all nodes alone is told: %s', (sql) => {
    expect(findSharedLocks(sql)).toEqual(['rows with copies on all nodes are locked for share']);
  });

  it('is in no function', () => {
    for (const { name, sql } of listMigrations().filter(({ repeatable }) => repeatable))
      expect(sql, name).not.toMatch(/\bfor\s+(key\s+)?share\b/i);
  });
});

describe('a statement of a function', () => {
  const statements = listMigrations()
    .filter(({ repeatable }) => repeatable)
    .flatMap(({ sql }) => sql.replaceAll(/--.*/g, '').split(';'));
  /** Tables that are read beside the rows of a trigger, which only their node has. */
  const findTablesBesideRows = (sql: string): string[] =>
    /\b(?:from|join)\s+(?:new|old)_rows\b/.test(sql)
      ? Array.from(sql.matchAll(/(?<!distinct )\b(?:from|join)\s+([a-z_]+)\b(?!\()/g), ([, name]) => name!).filter(
          (name) => !['new_rows', 'old_rows', 'lateral'].includes(name),
        )
      : [];
  const hasConflictVariable = (sql: string): boolean => /\bon conflict\b.*\btg_/s.test(sql);

  it('joins no table with the rows of its trigger', () => {
    expect(findTablesBesideRows('select from new_rows n join forms f on f.group_id = n.group_id')).toEqual(['forms']);
    expect(statements.flatMap(findTablesBesideRows)).toEqual([]);
  });

  it('names no variable of its trigger where rows conflict: a second step of Citus does not know it', () => {
    expect(hasConflictVariable('insert into a select 1 on conflict (id) do update set b = tg_op')).toBe(true);
    expect(statements.filter(hasConflictVariable)).toEqual([]);
  });
});

describe('the database', () => {
  let client: pg.Client;
  beforeAll(async () => {
    client = new pg.Client(await createDatabase());
    await client.connect();
  });
  afterAll(() => client.end());

  it('says of the same tables that they are on all nodes', async () => {
    const { rows } = await client.query(
      `select relname as name from pg_class where relnamespace = 'public'::regnamespace and obj_description(oid, 'pg_class') = 'Cluster: on all nodes' order by 1`,
    );
    expect(rows.map(({ name }) => name)).toEqual(onAllNodes);
  });
});

const onCluster = inject('onCluster');
describe.runIf(onCluster)(`on a cluster${onCluster ? '' : ' (skipped: CITUS_URL names none)'}`, () => {
  let door: Door;
  let client: pg.Client;
  beforeAll(async () => {
    door = await openApp();
    client = new pg.Client(door.databaseUrl);
    await client.connect();
  });
  afterAll(() => client.end());

  /** Every statement with what is wrong with its plan. */
  const findWrong = async (statements: Recorded[]): Promise<{ faults: string[]; sql: string }[]> => {
    const wrong: { faults: string[]; sql: string }[] = [];
    for (const one of statements) {
      const faults = await readPlan(client, one).then(findScattered, (error) => [error.message]);
      if (faults.length > 0) wrong.push({ faults, sql: one.sql });
    }
    return wrong;
  };

  it.each([
    ['a table without its space', 'select * from contacts', ['Task Count: 4']],
    [
      'a subquery that a join holds',
      'select (select count(*) from notes n where n.group_id = c.group_id) from contacts c where c.group_id = $1',
      ['Task Count: 4'],
    ],
    [
      'a text and a number of an insert',
      'insert into tags (group_id, name) select $1, $2 where exists (select from contacts where group_id = $1)',
      [],
    ],
  ])('%s has its plan read', async (_, sql, faults) => {
    const bindings = [1, 'it’s $1'].slice(0, new Set(sql.match(/\$\d/g)).size);
    expect(await findWrong([{ sql, bindings }])).toEqual(faults.length > 0 ? [{ faults, sql }] : []);
  });

  it.each([
    ['every root field', 250, recordRootFields],
    ['every route', 50, recordRoutes],
    ['searches by every attribute', 500, recordSearches],
  ] as const)(
    'the statements of %s are one task each',
    async (_, least, record) => {
      const statements = keepPlanned(await record(door, 1));
      expect(statements.length).toBeGreaterThan(least);
      expect(await findWrong(statements)).toEqual([]);
    },
    600_000,
  );
});
