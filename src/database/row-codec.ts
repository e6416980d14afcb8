// Rows as one text, a line for each column: received in a fraction of the time that rows take.
import { limits } from '../limits.ts';
import { createAnswerTooLargeProblem } from '../problem.ts';

/** What is selected of a row, and under which name: a text without line ends, as JSON of PostgreSQL is, or a number. */
export interface EncodedColumn {
  name: string;
  sql: string;
}

export interface PackedRow {
  lines: string | null;
  /** Of the lines, which are null when there are too many. */
  bytes: number | null;
}

export const selectColumnsSql = (columns: readonly EncodedColumn[]): string =>
  columns.map(({ name, sql }) => `${sql} as ${name}`).join(', ');

/** Lines of more than this never leave the database: no answer holds them. */
const mebibytes = Math.floor(limits.request.answerBytes / 2 ** 20);

/** SQL of the one row that has the columns of all rows of `from`, in its order. */
export const encodeRowsSql = (columns: readonly EncodedColumn[], from: string): string => {
  // Not by a function, which takes a hundred values at most.
  const lines = columns.map(({ name }) => `coalesce(cast(r.${name} as text), '')`).join(" || '\n' || ");
  return `select case when octet_length(lines) >> 20 < ${mebibytes} then lines end as lines, octet_length(lines) as bytes
    from (select string_agg(${lines}, '\n') as lines from (select ${selectColumnsSql(columns)} ${from}) r) packed`;
};

/** The rows again: the texts of their columns, in their order; null is empty. Throws 422 when they are more than an answer holds. */
export const decodeRows = ([row]: PackedRow[], columns: readonly EncodedColumn[]): string[][] => {
  if (row?.lines === null && row.bytes !== null) throw createAnswerTooLargeProblem(limits.request.answerBytes);
  const lines = row?.lines?.split('\n') ?? [];
  const found: string[][] = [];
  for (let start = 0; start < lines.length; start += columns.length)
    found.push(lines.slice(start, start + columns.length));
  return found;
};
