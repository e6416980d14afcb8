// How a condition reaches rows beside the search row `s`: what reads all that match, and what reads one contact after the other, want different SQL.

/**
 * `join`: for what every match must satisfy; PostgreSQL joins it, from either side. `set`: for one of several alternatives;
 * all its contacts are gathered first, once. `probe`: contact by contact, for a walk that will soon be over.
 */
export type Reach = 'join' | 'set' | 'probe';

/** Rows of which at least one must be there: where they are, which contact they belong to, and what they are like. */
export interface Rows {
  from: string;
  contact: string;
  where: string;
}

/** Whether a contact has any of these rows. False, never null, so that it can be negated. */
export const buildExistsSql = (reach: Reach, { from, contact, where }: Rows): string => {
  switch (reach) {
    case 'join':
      return `exists (select from ${from} where ${contact} = s.contact_id and ${where})`;
    case 'set':
      return `s.contact_id in (select ${contact} from ${from} where ${where})`;
    case 'probe':
      return `coalesce((select true from ${from} where ${contact} = s.contact_id and ${where} limit 1), false)`;
  }
};
