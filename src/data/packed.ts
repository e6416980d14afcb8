// Rows as one text, a line for each column: received in a fraction of the time that rows take.

/** What is selected of a row, and under which name: a text without line ends, as JSON of PostgreSQL is, or a number. */
export interface Column {
  name: string;
  sql: string;
}

export interface PackedRow {
  lines: string | null;
}

export const selected = (columns: readonly Column[]): string =>
  columns.map(({ name, sql }) => `${sql} as ${name}`).join(', ');

/** SQL of the one row that has the columns of all rows of `from`, in its order. */
export const packedSql = (columns: readonly Column[], from: string): string => {
  // Not by a function, which takes a hundred values at most.
  const lines = columns.map(({ name }) => `coalesce(cast(r.${name} as text), '')`).join(" || '\n' || ");
  return `select string_agg(${lines}, '\n') as lines from (select ${selected(columns)} ${from}) r`;
};

/** The rows again: the texts of their columns, in their order; null is empty. */
export const unpacked = ([row]: PackedRow[], columns: readonly Column[]): string[][] => {
  const lines = row?.lines?.split('\n') ?? [];
  const found: string[][] = [];
  for (let start = 0; start < lines.length; start += columns.length)
    found.push(lines.slice(start, start + columns.length));
  return found;
};
