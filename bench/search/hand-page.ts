// Hand-written SQL for a page: along the index of its order, or by sorting all matches.

export type Page = (where: string) => string;

const last = String.fromCodePoint(0x10ffff);
export const matchPrefix = (column: string, start: string): string =>
  `s.${column} >= '${start}' and s.${column} < '${start}${last}'`;

const from = 'select s.contact_id from contact_search s where s.group_id = $1';

/**
 * Reads rows in order until the page is full. Rows without a value come last, from their own range of the index, which
 * is read only when the others did not fill the page.
 */
export const walkIndex = (column: string, empty = `''`, size = 50, page = 0): Page => {
  const filled = empty === `''` ? '>' : '<';
  const reach = size * (page + 1);
  return (where) => `select contact_id from (
    (${from} and s.${column} ${filled} ${empty} and ${where} order by s.${column}, s.contact_id limit ${reach}) union all
    (${from} and s.${column} = ${empty} and ${where} order by s.contact_id limit ${reach})
  ) page limit ${size} offset ${size * page}`;
};

export const walkChanges: Page = (where) => `select s.contact_id from contact_changes m
  join contact_search s on s.group_id = $1 and s.contact_id = m.contact_id
  where m.group_id = $1 and ${where} order by m.lastchange desc, s.contact_id limit 50`;

export const sortFoundByChange: Page = (where) =>
  `with found as materialized (${from} and ${where})
    select f.contact_id from found f join contact_changes m on m.group_id = $1 and m.contact_id = f.contact_id
     order by m.lastchange desc, f.contact_id limit 50`;

/** For few matches: finds all of them before it sorts, whatever the planner expects. */
export const sortFound =
  (column: string): Page =>
  (where) =>
    `with found as materialized (select s.contact_id, s.${column} from contact_search s where s.group_id = $1 and ${where})
    select contact_id from found order by nullif(${column}, ''), contact_id limit 50`;
