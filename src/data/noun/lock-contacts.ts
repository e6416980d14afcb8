// SQL that all writers of contacts share: the lock, which they take in the order of ids, and what marks a contact as changed.

interface LockOptions {
  /** Columns of the contacts `c` and of the joined tables. */
  select?: string;
  join?: string;
  /** The aliases whose rows are locked: `c` without it. */
  of?: string;
  includeDeleted?: boolean;
  limit?: number;
  /** Leaves out contacts that another transaction has locked, instead of waiting for it. */
  skipLocked?: boolean;
}

/**
 * SQL that locks the contacts `c` which meet a condition, until the end of the transaction. They are locked in the order of their
 * ids: two writers of several contacts never wait for each other in a circle.
 */
export const buildLockContactsSql = (
  condition: string,
  { select = 'c.id', join = '', of = 'c', includeDeleted = false, limit, skipLocked = false }: LockOptions = {},
): string =>
  `select ${select} from contacts c${join && ` ${join}`} where c.group_id = :group and ${condition}${includeDeleted ? '' : ' and c.deleted_at is null'}
      order by c.id${limit ? ` limit ${limit}` : ''} for no key update of ${of}${skipLocked ? ' skip locked' : ''}`;

interface MarkOptions {
  /** SQL of the new version: one more, unless several changes are written at once. */
  version?: string;
  /** SQL of the user who changed the contact; without it the last one stays. */
  user?: string;
  /** False where no user changed the contact itself. */
  lastchange?: boolean;
}

/** SQL of the columns that an update of contacts sets beside what it changes. */
export const buildMarkContactsSql = ({ version = 'version + 1', user, lastchange = true }: MarkOptions = {}): string =>
  `${lastchange ? 'lastchange = now(), ' : ''}updated_at = now(), version = ${version}${user ? `, user_id = ${user}` : ''}`;
