// Rows as one text with a line for each column: the driver reads it in a fraction of the time that rows take.
import { limits } from '../limits/limits.ts';
import { createAnswerTooLargeProblem } from '../problem.ts';

/** An expression over a row and its name. Its value is a number or a text without newlines, as PostgreSQL's JSON is. */
export interface EncodedColumn {
  name: string;
  sql: string;
}

export interface EncodedRows {
  lines: string | null;
  /** The size of the lines, which are null when it is too large. */
  bytes: number | null;
}

export const selectColumnsSql = (columns: readonly EncodedColumn[]): string =>
  columns.map(({ name, sql }) => `${sql} as ${name}`).join(', ');

/** More than this never leaves the database, since no answer may be that large. */
const mebibytes = Math.floor(limits.request.answerBytes / 2 ** 20);

/** SQL of one row that holds the columns of all rows of `from`, in its order. */
export const encodeRowsSql = (columns: readonly EncodedColumn[], from: string): string => {
  // A function such as concat would take at most a hundred values.
  const lines = columns.map(({ name }) => `coalesce(cast(r.${name} as text), '')`).join(" || '\n' || ");
  return `select case when octet_length(lines) >> 20 < ${mebibytes} then lines end as lines, octet_length(lines) as bytes
    from (select string_agg(${lines}, '\n') as lines from (select ${selectColumnsSql(columns)} ${from}) r) packed`;
};

/** The rows, each as the texts of its columns; null is ''. Throws 422 when they are larger than an answer may be. */
export const decodeRows = ([row]: EncodedRows[], columns: readonly EncodedColumn[]): string[][] => {
  if (row?.lines === null && row.bytes !== null) throw createAnswerTooLargeProblem(limits.request.answerBytes);
  const lines = row?.lines?.split('\n') ?? [];
  const found: string[][] = [];
  for (let start = 0; start < lines.length; start += columns.length)
    found.push(lines.slice(start, start + columns.length));
  return found;
};
