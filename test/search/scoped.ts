// Whether a statement keeps to one space, read from its parse tree: every tenant table in it is restricted to the bound id of the space.
import { loadModule, parseSync } from 'libpg-query';
import type { Recorded } from '../harness/app.ts';
import { type Catalogue, type Node, Query } from './scoped-query.ts';

export type { Catalogue } from './scoped-query.ts';

await loadModule();

/**
 * Statements that may look beyond: to change the space in which a user's tokens act is to look into that other space, for a
 * user whom they hold to the caller's.
 */
const crossing = ['update tokens t set group_id = m.group_id', 'select m.group_id from members m join members here'];
export const isCrossing = ({ sql }: Recorded): boolean => crossing.some((start) => sql.startsWith(start));

/** A statement is asked about several times in turn: its tree is kept until the next one. */
let last: { sql: string; tree: Node } | undefined;
const parse = (sql: string): Node => {
  if (last?.sql !== sql) last = { sql, tree: parseSync(sql) };
  return last.tree;
};

const harmless = ['TransactionStmt', 'VariableSetStmt', 'VariableShowStmt'];

/** What a statement does beside the space. */
type Findings = Pick<Query, 'faults' | 'joined'>;

const readStatement = ({ sql, bindings }: Recorded, space: number, catalogue: Catalogue): Findings => {
  let statements: Node[];
  try {
    statements = parse(sql).stmts;
  } catch (error) {
    return { faults: [`does not parse: ${(error as Error).message}`], joined: [] };
  }
  if (statements.length !== 1) return { faults: [`${statements.length} statements in one`], joined: [] };
  const [{ stmt }] = statements;
  const query = new Query({ bindings, space, catalogue });
  if (!harmless.some((type) => stmt[type])) query.read(stmt.ExplainStmt?.query ?? stmt, undefined, new Map());
  return query;
};

/** Whether a member of this space belongs to others too: only this condition, which yields no row, may look at members of other spaces. */
const belongsElsewhere = {
  fault: 'members other is not held to the space',
  sql: /exists \(\s*select 1 from members other join spaces s on s\.id = other\.group_id and s\.deleted_at is null\s+where other\.user_id = m\.user_id and other\.group_id <> m\.group_id\)/g,
};

/** The faults of a statement that is run for a space; none when it keeps to that space. */
export const checkScope = (recorded: Recorded, space: number, catalogue: Catalogue): string[] => {
  const { faults } = readStatement(recorded, space, catalogue);
  const permitted = recorded.sql.match(belongsElsewhere.sql)?.length ?? 0;
  const looks = faults.filter((fault) => fault === belongsElsewhere.fault).length;
  return looks > permitted ? faults : faults.filter((fault) => fault !== belongsElsewhere.fault);
};

/** Tables with all their rows on every node of a cluster, as their comments say: a node reads them for any space. */
export const onAllNodes = ['apps', 'members', 'roles', 'schema_migrations', 'spaces', 'tokens', 'users'];

/**
 * The tables of a statement that are held to the space, but not by a comparison with its bound id: `a.group_id = c.group_id`, and not `a.group_id = $1`.
 * A cluster that has rows by space sends a statement to one node for the bound id alone. It does not follow a comparison of columns out of a subquery.
 */
export const findIndirect = (recorded: Recorded, space: number, catalogue: Catalogue): string[] =>
  readStatement(recorded, space, catalogue)
    .joined.filter(({ table }) => !onAllNodes.includes(table))
    .map(({ table, alias }) => `${table} ${alias} is held to the space through a join only`);

/** Statements of the job that evaluates watched segments, and of the command that moves in: both may wait until all nodes are back. */
const waiting = ['with found as materialized (', 'with numbered as materialized ('];

/** The names of relations that a part of a statement reads and does not define itself. */
const listRead = (node: Node, own: ReadonlySet<string>): string[] => {
  if (Array.isArray(node)) return node.flatMap((one) => listRead(one, own));
  if (!node || typeof node !== 'object') return [];
  const ctes: Node[] = node.withClause?.ctes ?? [];
  const known = new Set([...own, ...ctes.map(({ CommonTableExpr: cte }) => cte.ctename)]);
  const name = node.RangeVar && !node.RangeVar.schemaname && !own.has(node.RangeVar.relname) && node.RangeVar.relname;
  const { lockedRels: _, ...parts } = node;
  return [...(name ? [name] : []), ...Object.values(parts).flatMap((one) => listRead(one, known))];
};

/** CTEs of a statement that insert the rows of another one: a cluster sends these to all of its nodes, and so fails when one of them is away. */
export const findDependentInserts = (sql: string): string[] => {
  if (waiting.some((start) => sql.trimStart().startsWith(start))) return [];
  const [{ stmt }] = parse(sql).stmts;
  const ctes: Node[] = (Object.values(stmt) as Node[])[0].withClause?.ctes ?? [];
  const names = new Set(ctes.map(({ CommonTableExpr: cte }) => cte.ctename));
  return ctes
    .map(({ CommonTableExpr: cte }) => cte)
    .filter(({ ctequery }) => ctequery.InsertStmt)
    .flatMap(({ ctename, ctequery }) =>
      listRead(ctequery.InsertStmt.selectStmt, new Set())
        .filter((read) => names.has(read))
        .map((read) => `${ctename} inserts rows of ${read}`),
    );
};

/** Functions that are not immutable: a cluster calls them before it sends a statement to a node. */
const notImmutable = ['now', 'transaction_timestamp', 'statement_timestamp', 'clock_timestamp', 'random', 'nextval'];

/** The calls of these within CASE or COALESCE in what an UPDATE sets, where a cluster refuses them. Subqueries may call them: they run on the node. */
export const findConditionalCalls = (sql: string): string[] => {
  const search = (node: Node, place: { isTarget: boolean; isConditional: boolean }): string[] => {
    if (Array.isArray(node)) return node.flatMap((one) => search(one, place));
    if (!node || typeof node !== 'object') return [];
    if (node.SubLink) return search(node.SubLink.subselect, { isTarget: false, isConditional: false });
    const name: string | undefined = node.FuncCall?.funcname.at(-1).String?.sval;
    const found =
      place.isConditional && name && notImmutable.includes(name) ? [`${name}() within CASE or COALESCE`] : [];
    return [
      ...found,
      ...Object.entries(node).flatMap(([key, one]) => {
        if (key === 'UpdateStmt')
          return Object.entries(one as Node).flatMap(([part, of]) =>
            search(of, { isTarget: part === 'targetList', isConditional: false }),
          );
        const isConditional = place.isConditional || (place.isTarget && ['CaseExpr', 'CoalesceExpr'].includes(key));
        return search(one as Node, { ...place, isConditional });
      }),
    ];
  };
  return search(parse(sql).stmts, { isTarget: false, isConditional: false });
};

/**
 * The shared locks of a statement that reads only tables with copies on all nodes. A cluster takes such a lock in two steps, and two sessions that
 * have taken the first one wait for each other.
 */
export const findSharedLocks = (sql: string): string[] => {
  const search = (node: Node): string[] => {
    if (!node || typeof node !== 'object') return [];
    const strength: string | undefined = node.LockingClause?.strength;
    return [
      ...(strength && ['LCS_FORSHARE', 'LCS_FORKEYSHARE'].includes(strength) ? [strength] : []),
      ...Object.values(node).flatMap((one) => search(one as Node)),
    ];
  };
  const { stmts } = parse(sql);
  const ofTheSpace = listRead(stmts, new Set()).filter((table) => !onAllNodes.includes(table));
  return ofTheSpace.length > 0 ? [] : search(stmts).map(() => 'rows with copies on all nodes are locked for share');
};
