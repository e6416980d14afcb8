// The tables that a condition is over, by what stands in it: `s`, the search row; `m`, when and by whom the contact was last changed; `e`, the
// row of what became of its e-mails; `home`, its address. A living contact has one `s` and one `m`, and one `e` if it has e-mails.

const joinOnContact = (table: string, alias: string): string =>
  `${table} ${alias} on ${alias}.group_id = :group and ${alias}.contact_id = s.contact_id`;

/** An `s` that is no more than the id of the contact, where no search row is read. */
const selectContactId = (alias: string): string => `cross join lateral (select ${alias}.contact_id) s`;

/** The text after FROM, and the condition that keeps it within the space. */
export interface Tables {
  from: string;
  space: string;
  /** Whether another table stands in for the search row. */
  skipsSearchRow: boolean;
}

/** Whether rows of e-mails are read: for no contact, for some, or for every match. */
export type EmailRows = 'none' | 'optional' | 'required';

const readsRow = /\bs\.(?!contact_id\b)/;
const readsChange = /\bm\./;
const readsHome = /\bhome\./;

/** The change of each contact `s` of a range, contact by contact: a join could read those of the whole space first. */
const probeChanges = `cross join lateral (select c.* from contact_changes c where c.group_id = :group and c.contact_id = s.contact_id offset 0) m`;

/** An index range of the table that holds a column, cut out by `rest`, joined to what a condition reads beside it. */
export const scanRange = (column: string | null, rest: string, condition: string): string => {
  const { from, space } = buildFromClause([column ?? '']);
  const selectRange = (alias: string): string => `(select ${alias}.* from ${from} where ${space} and ${rest}) ${alias}`;
  if (!readsChange.test(column ?? ''))
    return `${selectRange('s')}${readsChange.test(condition) ? ` ${probeChanges}` : ''}`;
  return readsRow.test(condition)
    ? `${selectRange('m')} join contact_search s on s.group_id = :group and s.contact_id = m.contact_id`
    : `${selectRange('m')} ${selectContactId('m')}`;
};

/** The tables that these texts read, and no more. */
export const buildFromClause = (texts: readonly string[], emails: EmailRows = 'none'): Tables => {
  const needsChanges = texts.some((text) => readsChange.test(text));
  const needsRow = texts.some((text) => readsRow.test(text));
  const home = texts.some((text) => readsHome.test(text)) ? ` join ${joinOnContact('addresses', 'home')}` : '';
  if (!needsRow && needsChanges && emails === 'none')
    return {
      from: `contact_changes m ${selectContactId('m')}${home}`,
      space: 'm.group_id = :group',
      skipsSearchRow: true,
    };
  if (!needsRow && !needsChanges && emails === 'required')
    return {
      from: `contact_emails e ${selectContactId('e')}${home}`,
      space: 'e.group_id = :group',
      skipsSearchRow: true,
    };
  const changes = needsChanges ? ` join ${joinOnContact('contact_changes', 'm')}` : '';
  // A contact has at most one row of e-mails. If every match needs it, the planner makes this an inner join.
  const emailRows = emails === 'none' ? '' : ` left join ${joinOnContact('contact_emails', 'e')}`;
  return { from: `contact_search s${changes}${emailRows}${home}`, space: 's.group_id = :group', skipsSearchRow: false };
};
