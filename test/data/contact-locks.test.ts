// Every statement that locks contacts does so in the order of their ids, so two writers of several contacts cannot deadlock.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { loadModule, parseSync } from 'libpg-query';
import { beforeAll, expect, it, vi } from 'vitest';
import { splitStatements } from '../../src/database/migrate.ts';
import type { Statement } from '../../src/database/statement.ts';
import { openApp } from '../harness/app.ts';

/** The statements that modules declare when they are loaded. */
const declared = vi.hoisted((): Statement[] => []);
vi.mock('../../src/database/statement.ts', async (load) => {
  const actual = await load<typeof import('../../src/database/statement.ts')>();
  const defineStatement = (name: string | null, sql: string): Statement => {
    const statement = actual.defineStatement(name, sql);
    declared.push(statement);
    return statement;
  };
  return { ...actual, defineStatement };
});

// biome-ignore lint/suspicious/noExplicitAny: a parse tree has a hundred shapes
type Node = any;

/** The tables of a FROM with their aliases. */
const listTables = (from: Node): { table: string; alias: string }[] => {
  if (from?.RangeVar)
    return [{ table: from.RangeVar.relname, alias: from.RangeVar.alias?.aliasname ?? from.RangeVar.relname }];
  const { larg, rarg } = from?.JoinExpr ?? {};
  return [larg, rarg].flatMap((side) => (side ? listTables(side) : []));
};

const nameOfColumn = (node: Node): string =>
  (node?.ColumnRef?.fields ?? []).map((field: Node) => field.String?.sval).join('.');

/** The queries that lock contacts, and whether each does so in the order of their ids. */
const findContactLocks = (node: Node): boolean[] => {
  if (typeof node !== 'object' || node === null) return [];
  const below = Object.values(node).flatMap(findContactLocks);
  const { lockingClause, fromClause = [], sortClause = [] } = node;
  if (!lockingClause) return below;
  const tables: { table: string; alias: string }[] = fromClause.flatMap(listTables);
  const named: string[] = lockingClause.flatMap(({ LockingClause: { lockedRels = [] } }: Node) =>
    lockedRels.map(({ RangeVar }: Node) => RangeVar.relname),
  );
  const contacts = tables.find(
    ({ table, alias }) => table === 'contacts' && (named.length === 0 || named.includes(alias)),
  );
  if (!contacts) return below;
  const [{ SortBy: first }] = [...sortClause, { SortBy: undefined }];
  const isOrdered =
    first !== undefined &&
    first.sortby_dir !== 'SORTBY_DESC' &&
    [`${contacts.alias}.id`, ...(tables.length === 1 ? ['id'] : [])].includes(nameOfColumn(first.node));
  return [...below, isOrdered];
};

/** Parses SQL. PostgreSQL knows numbered parameters only, so names become numbers. */
const parse = (sql: string): Node => parseSync(sql.replaceAll(/(?<![:\w]):[a-zA-Z]\w*/g, '$1'));

beforeAll(async () => {
  await loadModule();
  const folder = fileURLToPath(new URL('../../src/data', import.meta.url));
  for (const path of readdirSync(folder, { recursive: true, encoding: 'utf8' }))
    if (path.endsWith('.ts')) await import(join(folder, path));
});

it('all statements of src/data lock in order', () => {
  const locking = declared.flatMap(({ name, sql }) =>
    findContactLocks(parse(sql)).map((isOrdered) => ({ name, isOrdered })),
  );
  expect(locking.length).toBeGreaterThan(25);
  const faults = locking.filter(({ isOrdered }) => !isOrdered);
  expect(faults.map(({ name }) => `${name} locks contacts without order by c.id: use buildLockContactsSql`)).toEqual(
    [],
  );
});

/** The statements of a function's body that lock contacts, without what PL/pgSQL writes before them. */
const listLockingStatements = (body: string): string[] =>
  splitStatements(body)
    .filter((text) => /\bcontacts\b[\s\S]*\bfor (no key )?update/i.test(text))
    .map((text) =>
      text
        .replace(/^\s*begin\b/, '')
        .replace(/^\s*return query\b/, '')
        .replace(/^\s*perform\b/, 'select'),
    );

it('the functions of the database lock in order', async () => {
  const door = await openApp();
  const functions = await door.sql(
    `select p.proname as name, p.prosrc as body from pg_proc p
       join pg_language l on l.oid = p.prolang where p.pronamespace = current_schema::regnamespace and l.lanname in ('sql', 'plpgsql') and p.prokind = 'f'
        and p.prosrc ~* 'for (no key |)update'`,
  );
  const locking = functions.flatMap(({ name, body }) =>
    listLockingStatements(body).flatMap((sql) =>
      findContactLocks(parseSync(sql)).map((isOrdered) => ({ name, isOrdered })),
    ),
  );
  expect(locking.length).toBeGreaterThan(2);
  expect(locking).toContainEqual({ name: 'mark_contacts', isOrdered: true });
  expect(locking.filter(({ isOrdered }) => !isOrdered)).toEqual([]);
});

it.each([
  ['select id from contacts where group_id = :group order by id for no key update', [true]],
  [
    'select c.id from contacts c join notes n on n.contact_id = c.id where n.id = :id order by c.id for update of c',
    [true],
  ],
  ['with l as (select c.id from contacts c where c.id = any(:ids) for share) select * from l', [false]],
  ['select c.id from contacts c order by c.id desc for no key update', [false]],
  ['select c.id from contacts c order by c.surname, c.id for no key update', [false]],
  ['select c.id from contacts c join notes n on n.contact_id = c.id order by n.id for no key update', [false]],
  ['select c.id from contacts c join notes n on n.contact_id = c.id for update of n', []],
  ['select c.id from contacts c where c.id = :id', []],
])('%s yields %j', (sql, found) => {
  expect(findContactLocks(parse(sql))).toEqual(found);
});
