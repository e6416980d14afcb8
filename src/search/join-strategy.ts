// How a condition reaches rows beside the search row `s`. Reading all matches and testing one contact after the other want different SQL.
import { createCacheKey } from '../limits/cache-key.ts';

/**
 * `join`: for what every match must satisfy; PostgreSQL joins it from either side. `set`: for one of several alternatives;
 * all its contacts are gathered once, first. `probe`: contact by contact, for an index scan that ends soon.
 */
export type JoinStrategy = 'join' | 'set' | 'probe';

/** Rows of which at least one must be there: their table, the contact that they belong to, and the condition on them. */
interface JoinedRows {
  from: string;
  contact: string;
  where: string;
}

/** A condition on rows, taken apart: several on one table are joined to one, which reads the table once. */
export interface RowsTest {
  join: JoinStrategy;
  from: string;
  contact: string;
  /** The condition of every row, such as its space. */
  scope: string;
  test: string;
  /** Whether the contact must have no such row. */
  negated: boolean;
  /** Whether a contact has at most one row, so that two conditions on rows are two on this one. */
  isSingle: boolean;
  /** Whether `test` is of several conditions. */
  isMerged?: boolean;
}

/** Conditions on rows of many kinds have their own indexes, and few of them are read faster each by its own. */
const manyTests = 5;

/** Folding a text takes longer than comparing it, so each column is folded once for a row. */
const foldOnce = (from: string, test: string): Pick<RowsTest, 'from' | 'test'> => {
  const alias = from.slice(from.lastIndexOf(' ') + 1);
  const folds = [...test.matchAll(/fold_inline\((\w+)\.(\w+)\)/g)];
  const columns = [...new Set(folds.flatMap(([, table, name]) => (table === alias ? [name!] : [])))];
  if (columns.length === 0) return { from, test };
  const folded = columns.map((name) => `fold_inline(${alias}.${name}) collate "C" as ${name}`).join(', ');
  return {
    // Without the OFFSET, the planner would put the expressions back.
    from: `${from} cross join lateral (select ${folded} offset 0) folded`,
    test: columns.reduce(
      (text, name) =>
        text
          .replaceAll(`fold_inline(${alias}.${name}) collate "C"`, `folded.${name}`)
          .replaceAll(`fold_inline(${alias}.${name})`, `folded.${name}`),
      test,
    ),
  };
};

export const buildRowsSql = ({ join, contact, scope, negated, isMerged, ...rows }: RowsTest): string => {
  const { from, test } = isMerged ? foldOnce(rows.from, rows.test) : rows;
  const sql = buildExistsSql(join, { from, contact, where: `${scope} and ${test}` });
  return negated ? `not (${sql})` : sql;
};

/** The conditions of a group with those on one table joined. Rows that several conditions ask for may differ, unless there is one alone. */
export const mergeRowsTests = (tests: readonly RowsTest[], every: boolean): RowsTest[] => {
  const groups = new Map<string, RowsTest[]>();
  for (const one of tests) {
    const key = createCacheKey(one.join, one.from, one.scope, one.negated);
    groups.set(key, [...(groups.get(key) ?? []), one]);
  }
  return [...groups.values()].flatMap((group) => {
    const [first] = group as [RowsTest];
    const anyOf = every === first.negated;
    const isMerged = first.isSingle ? group.length > 1 : anyOf && group.length >= manyTests;
    if (!isMerged) return group;
    const test = `(${group.map((one) => one.test).join(anyOf ? '\n or ' : '\n and ')})`;
    return [{ ...first, test, isMerged: true }];
  });
};

/** Whether a contact has any of these rows. False and never null, so that it can be negated. */
export const buildExistsSql = (strategy: JoinStrategy, { from, contact, where }: JoinedRows): string => {
  switch (strategy) {
    case 'join':
      return `exists (select 1 from ${from} where ${contact} = s.contact_id and ${where})`;
    case 'set':
      return `s.contact_id in (select ${contact} from ${from} where ${where})`;
    case 'probe':
      return `coalesce((select true from ${from} where ${contact} = s.contact_id and ${where} limit 1), false)`;
  }
};
