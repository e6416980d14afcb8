// What a condition is over, by what stands in it: `s`, the search row; `m`, when and by whom the contact was last changed; `e`, the
// row that tells what became of its e-mails. Living contacts have one `s` and one `m`; one `e` only those with e-mails.

const joined = (table: string, alias: string): string =>
  `${table} ${alias} on ${alias}.group_id = :group and ${alias}.contact_id = s.contact_id`;

/** Of `s`, whose row it is: all there is to know of a contact where no search row is read. */
const whose = (alias: string): string => `cross join lateral (select ${alias}.contact_id) s`;

/** What follows FROM, and the condition that it is of the space. */
export interface Tables {
  from: string;
  space: string;
  /** Whether another table stands in for the search row. */
  isRowless: boolean;
}

/** Whether rows of e-mails are read: for all contacts that are to be found, or for some. */
export type Mailed = 'none' | 'some' | 'all';

const readsRow = /\bs\.(?!contact_id\b)/;
const readsChange = /\bm\./;

/** A stretch of the table that holds a column, by `rest`, and beside it what a condition reads. */
export const scanRange = (column: string | null, rest: string, condition: string): string => {
  const { from, space } = buildFromClause([column ?? '']);
  const stretch = (alias: string): string => `(select ${alias}.* from ${from} where ${space} and ${rest}) ${alias}`;
  if (!readsChange.test(column ?? ''))
    return `${stretch('s')}${readsChange.test(condition) ? ` join ${joined('contact_changes', 'm')}` : ''}`;
  return readsRow.test(condition)
    ? `${stretch('m')} join contact_search s on s.group_id = :group and s.contact_id = m.contact_id`
    : `${stretch('m')} ${whose('m')}`;
};

/** What all these texts are over: no more than they read. */
export const buildFromClause = (texts: readonly string[], mailed: Mailed = 'none'): Tables => {
  const changes = texts.some((text) => readsChange.test(text));
  const alone = !texts.some((text) => readsRow.test(text));
  if (alone && changes && mailed === 'none')
    return { from: `contact_changes m ${whose('m')}`, space: 'm.group_id = :group', isRowless: true };
  if (alone && !changes && mailed === 'all')
    return { from: `contact_emails e ${whose('e')}`, space: 'e.group_id = :group', isRowless: true };
  const change = changes ? ` join ${joined('contact_changes', 'm')}` : '';
  // A contact has at most one row of e-mails: what every match asks of it makes the join an inner one.
  const mails = mailed === 'none' ? '' : ` left join ${joined('contact_emails', 'e')}`;
  return { from: `contact_search s${change}${mails}`, space: 's.group_id = :group', isRowless: false };
};
