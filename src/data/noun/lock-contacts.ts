// SQL that all writers of contacts share: the lock, which they take in the order of ids, and what marks contacts as changed, one or a million that show a record.
import type { Space } from '../../database/space.ts';
import { defineStatement } from '../../database/statement.ts';

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

/**
 * Runs a statement that locks the contact of a record, once more if it finds nothing. One that waits while this contact is merged, or while a merge is undone,
 * finds the record with neither of the two contacts, and the second one finds it with the other contact.
 */
export const findAfterMerge = async <Row>(find: () => Promise<Row | undefined>): Promise<Row | undefined> =>
  (await find()) ?? find();

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

/** Contacts that one statement marks. */
const batchSize = 5000;

/** How contacts are linked to what they show: the table with `contact_id`, its column, and what a new link locks. */
const links = {
  tag: { table: 'contact_tags', column: 'tag_id', locked: 'tags', key: 'id' },
  action: { table: 'contact_actions', column: 'action_id', locked: 'actions', key: 'id' },
  form: { table: 'answers', column: 'form_id', locked: 'form_refs', key: 'form_id' },
} as const;

const statementsOf = (noun: keyof typeof links) => {
  const { table, column, locked, key } = links[noun];
  const linked = `select distinct x.contact_id from ${table} x where x.group_id = :group and x.${column} = :id`;
  // Deleted contacts are marked too: otherwise one that is restored meanwhile would show the change without a new version.
  const marking = (which: string, limit?: number): string => `with locked as materialized (
     ${buildLockContactsSql(which, { includeDeleted: true, ...(limit && { limit }) })})
     update contacts c set ${buildMarkContactsSql({ version: 'c.version + 1', lastchange: false })} from locked l where c.group_id = :group and c.id = l.id`;
  return {
    /** The last contact of each full batch. */
    cuts: defineStatement(
      `shown.${noun}_cuts`,
      `select n.contact_id as cut from (
         select l.contact_id, row_number() over (order by l.contact_id) as place from (${linked}) l) n
        where n.place % ${batchSize} = 0 order by n.contact_id`,
    ),
    mark: defineStatement(
      `shown.${noun}_mark`,
      marking(`c.id in (${linked} and x.contact_id > :after and x.contact_id <= :upTo)`),
    ),
    /** Every new link takes this lock too, so that no contact is linked unseen from here on. */
    hold: defineStatement(
      `shown.${noun}_hold`,
      `select ${key} from ${locked} where group_id = :group and ${key} = :id order by id for update`,
    ),
    /** All writes of a transaction have the same time, so `updated_at` tells which contacts it has marked. */
    markRest: defineStatement(
      `shown.${noun}_mark_rest`,
      `${marking(`c.updated_at <> now() and c.id in (${linked})`, batchSize)} returning c.id`,
    ),
  };
};
const statements = { tag: statementsOf('tag'), action: statementsOf('action'), form: statementsOf('form') };

/**
 * Marks all contacts that show this record, in the transaction that changes it. Contacts are locked in the order of their ids and before
 * the record, as new links do; contacts that are linked meanwhile are marked once the record is locked.
 */
export const bumpVersionsShowing = async (tx: Space, noun: keyof typeof links, id: number): Promise<void> => {
  const { cuts, mark, hold, markRest } = statements[noun];
  const ends = (await tx.rows<{ cut: number }>(cuts, { id })).map(({ cut }) => cut);
  let after = -1;
  for (const upTo of [...ends, Number.MAX_SAFE_INTEGER]) {
    await tx.rows(mark, { id, after, upTo });
    after = upTo;
  }
  await tx.rows(hold, { id });
  while ((await tx.rows(markRest, { id })).length === batchSize);
};
