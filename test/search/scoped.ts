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
export const crosses = ({ sql }: Recorded): boolean => crossing.some((start) => sql.startsWith(start));

const harmless = ['TransactionStmt', 'VariableSetStmt', 'VariableShowStmt'];

/** The faults of a statement that is run for a space; none when it keeps to that space. */
export const strayed = ({ sql, bindings }: Recorded, space: number, catalogue: Catalogue): string[] => {
  let statements: Node[];
  try {
    statements = (parseSync(sql) as Node).stmts;
  } catch (error) {
    return [`does not parse: ${(error as Error).message}`];
  }
  if (statements.length !== 1) return [`${statements.length} statements in one`];
  const [{ stmt }] = statements;
  if (harmless.some((type) => stmt[type])) return [];
  const query = new Query({ bindings, space, catalogue });
  query.read(stmt.ExplainStmt?.query ?? stmt, undefined, new Map());
  return query.faults;
};
