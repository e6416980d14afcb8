// How a condition reaches rows beside the search row `s`. Reading all matches and testing one contact after the other want different SQL.

/**
 * `join`: for what every match must satisfy; PostgreSQL joins it from either side. `set`: for one of several alternatives;
 * all its contacts are gathered once, first. `probe`: contact by contact, for an index scan that ends soon.
 */
export type JoinStrategy = 'join' | 'set' | 'probe';

/** Rows of which at least one must be there: their table, the contact that they belong to, and the condition on them. */
export interface JoinedRows {
  from: string;
  contact: string;
  where: string;
}

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
