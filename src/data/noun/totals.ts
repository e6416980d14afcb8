// Totals of lists: how many records there are, and what their amounts add up to, by a period or by the values of a field.
import { type Query, queryBuilder, type Sql } from '../../database/statement.ts';
import { limits } from '../../limits/limits.ts';
import { createInvalidProblem, Problem } from '../../problem.ts';
import { type ListDescription, type Parents, selectRecords, type Viewer } from './describe.ts';
import type { ListField } from './fields.ts';

/** Periods by which totals can be grouped, and how a key names one. */
export const periods = { YEAR: 'YYYY', MONTH: 'YYYY-MM', DAY: 'YYYY-MM-DD' } as const;
export type Period = keyof typeof periods;

/** The total of the records of one group and one currency. */
export interface Total {
  /** `2024`, `2024-03`, `2024-03-31` in UTC, or the value of the field as text; null for records without one. */
  key: string | null;
  /** Null for records without amounts. */
  currency: string | null;
  count: number;
  /** In minor units of the currency; null for records without amounts. */
  sum: number | null;
}

/** Totals that a list has at most. */
const maxTotals = limits.list.page;
/** Totals that the lists of many parents have together at most. */
const maxTotalsOfAll = limits.document.nodes;

/** A row of the statement. */
export type TotalRow = Omit<Total, 'sum'> & { sum: string | null; parent_id?: number };

/** By what totals are grouped, checked: a field, and the period that its values are cut to. */
interface Grouping {
  field: ListField;
  period: Period | null;
}

/** Throws 400 for what totals cannot be grouped by. */
export const readGrouping = (
  { fields, groups = [] }: ListDescription,
  { groupBy, of }: { groupBy: string; of?: string | null | undefined },
): Grouping => {
  const fault = (location: string, message: string, value: unknown) =>
    createInvalidProblem([{ location, message, ...(value != null && { value }) }]);
  const dates = Object.keys(fields).filter((name) => ['instant', 'day'].includes(fields[name]!.type));
  if (Object.hasOwn(periods, groupBy)) {
    if (of == null || !dates.includes(of)) throw fault('of', `must be a date of this list: ${dates.join(', ')}`, of);
    return { field: fields[of]!, period: groupBy as Period };
  }
  const allowed = [...Object.keys(periods), ...groups].join(', ');
  if (!groups.includes(groupBy)) throw fault('groupBy', `is nothing to group by: there are ${allowed}`, groupBy);
  if (of != null) throw fault('of', 'is for periods only', of);
  return { field: fields[groupBy]!, period: null };
};

/** SQL of the value that groups have in common, and of the key that names it. */
const buildGroupSql = ({ field: { column, type }, period }: Grouping): { value: string; key: string } => {
  if (!period) return { value: column, key: 'cast(grouped.value as text)' };
  const utc = type === 'instant' ? `${column} at time zone 'UTC'` : `cast(${column} as timestamp)`;
  return { value: `date_trunc('${period}', ${utc})`, key: `to_char(grouped.value, '${periods[period]}')` };
};

/**
 * The totals of a list, or of the list of each parent, one more than are allowed. Amounts of two currencies are never added. The limit stands
 * outside, or the planner would expect to read few records.
 */
export const buildTotalsQuery = (
  description: ListDescription,
  conditions: readonly Sql[],
  { grouping, viewer }: { grouping: Grouping; viewer: Viewer },
  parents: Parents | null = null,
): Query => {
  const { amount } = description;
  const { value, key } = buildGroupSql(grouping);
  const [currency, sum] = amount ? [amount.currency, `sum(${amount.column})`] : ['cast(null as text)', 'null'];
  const grouped = selectRecords(description, conditions, viewer)
    .select(queryBuilder.raw(`${value} as value, ${currency} as currency, count(*) as count, ${sum} as sum`))
    .groupByRaw('1, 2');
  if (parents)
    grouped
      .whereRaw(`${parents.column} = any(cast(? as bigint[]))`, [parents.ids as never])
      .select(queryBuilder.raw(`${parents.column} as parent_id`))
      .groupByRaw(parents.column);
  const columns = `${key} collate "C" as key, currency collate "C" as currency, count, cast(sum as text) as sum`;
  const most = parents ? Math.min(maxTotals * parents.ids.length, maxTotalsOfAll) : maxTotals;
  return queryBuilder
    .select(queryBuilder.raw(parents ? `${columns}, parent_id` : columns))
    .from(queryBuilder.raw('(?) grouped', [grouped as never]))
    .orderByRaw('1 nulls last, 2 limit ?', [most + 1]) as Query;
};

const refuseTooMany = (most: number): Problem =>
  new Problem('answer-too-large', `There are more than ${most} totals; group by longer periods, or filter`);

/** Throws 422 for too many groups, and for a sum that no number is exact for. */
export const convertToTotals = (rows: readonly TotalRow[]): Total[] => {
  if (rows.length > maxTotals) throw refuseTooMany(maxTotals);
  return rows.map(({ parent_id: _, ...row }) => {
    const sum = row.sum === null ? null : Number(row.sum);
    if (sum !== null && !Number.isSafeInteger(sum))
      throw new Problem(
        'answer-too-large',
        `The sum of ${row.key} is larger than 2^53; group by shorter periods, or filter`,
      );
    return { ...row, sum };
  });
};

/** The totals of each parent's list. Throws like `convertToTotals`. */
export const convertToTotalsOf = (rows: readonly TotalRow[], ids: readonly number[]): Map<number, Total[]> => {
  if (rows.length > maxTotalsOfAll) throw refuseTooMany(maxTotalsOfAll);
  const found = new Map(ids.map((id): [number, TotalRow[]] => [id, []]));
  for (const row of rows) found.get(row.parent_id!)!.push(row);
  return new Map([...found].map(([id, own]) => [id, convertToTotals(own)]));
};
