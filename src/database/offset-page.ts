// Lists by limit and offset, whose total and rows come from one snapshot.

export interface OffsetPage<Row> {
  total: number;
  items: Row[];
}

/** SQL that yields the total beside each row of a page, and at least one row: with an offset past the end its columns are null. */
export const buildOffsetPageSql = (columns: string, from: string, order: string): string =>
  `select counted.total, page.* from (select count(*) as total ${from}) counted
     left join lateral (select ${columns} ${from} order by ${order} limit :limit offset :offset) page on true`;

export const convertToOffsetPage = <Row extends { id: number }>(
  rows: (Row & { total: number })[],
): OffsetPage<Row> => ({
  total: rows[0]?.total ?? 0,
  items: rows.filter((row) => row.id !== null),
});
