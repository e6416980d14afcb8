// The change feed of a space: what changed, in the order in which it became visible. Triggers write the outbox; positions are given when somebody reads.
import type pg from 'pg';
import type { Database } from '../../database/database.ts';
import type { Space } from '../../database/space.ts';
import { defineStatement } from '../../database/statement.ts';
import { limits } from '../../limits/limits.ts';
import { Problem } from '../../problem.ts';
import { type Visibility, visibleSql } from './visibility.ts';

const changeOperations = ['created', 'updated', 'deleted', 'restored', 'entered', 'left'] as const;
/** The operations of the records of a type: contacts enter segments alone. */
export const listOperations = (type: string): ChangeOperation[] =>
  changeOperations.filter((operation) => type === 'Segment' || !['entered', 'left'].includes(operation));

export type ChangeOperation = (typeof changeOperations)[number];

export interface ChangeRow {
  position: number;
  created_at: string;
  /** The type of the record in the graph. */
  type: string;
  record_id: number;
  /** The contact that the record belongs to, or is. */
  contact_id: number | null;
  operation: ChangeOperation;
  /** Columns and parts that an update changed; the families of records that a segment asks for, of a contact that entered or left it. */
  fields: string[];
  before: Readonly<Record<string, unknown>> | null;
  after: Readonly<Record<string, unknown>> | null;
}

/** A place in the feed of a space. Positions come again after a restore, in another epoch. */
export interface FeedPosition {
  epoch: string;
  position: number;
}

/** The end of a feed, and the first position that is kept. */
export interface FeedRow extends FeedPosition {
  first_position: number;
}

/** Rows of the outbox that one statement numbers at most. */
const numberedAtOnce = 10_000;
const number = defineStatement('change.number', `select number_changes(:group, ${numberedAtOnce}) as count`);
const readFeed = defineStatement(
  'change.feed',
  'select f.epoch, f.position, f.first_position from change_feeds f where f.group_id = :group',
);
const openFeed = defineStatement(
  'change.open_feed',
  'insert into change_feeds (group_id) values (:group) on conflict do nothing',
);

/** Gives positions to all that is committed, and yields where the feed ends then. */
export const assignPositions = async (space: Space): Promise<FeedRow> => {
  for (let count = numberedAtOnce; count === numberedAtOnce; )
    count = (await space.onPrimary<{ count: number }>(number, {}))[0]!.count;
  const [feed] = await space.onPrimary<FeedRow>(readFeed, {});
  if (feed) return feed;
  await space.onPrimary(openFeed, {});
  return (await space.onPrimary<FeedRow>(readFeed, {}))[0]!;
};

/** The spaces of which a job has something to do. */
export const findSpaces = async (database: Database, sql: string, name: string): Promise<number[]> =>
  (await database.jobPool.run<{ group_id: number }>(sql, {}, name)).map(({ group_id }) => group_id);

/** The spaces with changes that have no position yet. */
export const findSpacesWithChanges = (database: Database): Promise<number[]> =>
  findSpaces(database, 'select s as group_id from spaces_with_changes() s', 'change.spaces');

/** The changes that a caller may see, and wants to. */
export interface ChangeFilter extends Visibility {
  operations?: readonly string[] | null | undefined;
  /** Columns and parts: an update of none of them is left out. */
  fields?: readonly string[] | null | undefined;
  /** Contacts whose records changed. A record that a merge or its undoing moves counts for its former contact, too. */
  contactIds?: readonly number[] | null | undefined;
}

/**
 * Changes that a caller may see, among the next ones after a position: no more than `scanned` are looked at, so that a narrow filter costs no more than
 * a wide one.
 */
const readSql = (wanted: string): string => `
  with scanned as materialized (
    select c.* from changes c where c.group_id = :group and c.position > :position and c.position <= :end order by c.position limit :scanned),
  seen as (
    select s.* from scanned s
     where ${visibleSql} and ${wanted}
     order by s.position limit :first)
  select n.position, n.created_at, n.type, n.record_id, n.contact_id, n.operation, n.fields, n.before, n.after,
         (select max(position) from scanned) as scanned_to, (select count(*) from scanned) as scanned,
         (select f.first_position from change_feeds f where f.group_id = :group) as first_position
    from (select true) one left join seen n on true order by n.position`;
const read = defineStatement(
  'change.read',
  readSql(`(cast(:operations as text[]) is null or s.operation = any(cast(:operations as text[])))
       and (cast(:fields as text[]) is null or s.operation <> 'updated' or s.fields && cast(:fields as text[]))
       and (cast(:contactIds as bigint[]) is null or s.contact_id = any(cast(:contactIds as bigint[])) or 'contact_id' = any(s.fields) and exists (
             select 1 from changes l where l.group_id = :group and l.contact_id = any(cast(:contactIds as bigint[]))
                and l.type = s.type and l.record_id = s.record_id and l.position < s.position))`),
);

interface ChangePage {
  rows: ChangeRow[];
  /** The place after which the next page begins: that of the last change that was looked at. */
  end: FeedPosition;
  hasMore: boolean;
}

const createGoneProblem = (why: string): Problem =>
  new Problem('changes-gone', `${why}: read the records again, and then go on from the cursor of changes(first: 0)`);

/** Throws 410 for a position whose next changes are deleted, or that belongs to the time before a restore. */
const requireKept = (after: FeedPosition, feed: FeedRow): void => {
  if (after.epoch !== feed.epoch || after.position > feed.position)
    throw createGoneProblem('The database was restored since this cursor was given');
  if (after.position + 1 < feed.first_position)
    throw createGoneProblem('The changes after this cursor are no longer kept');
};

/**
 * Reads changes after a position; without one, the page is empty and ends where the feed does. All that was committed before the call is in the feed.
 * Throws 410 `changes-gone`.
 */
export const readChanges = async (
  space: Space,
  { after, first, filter }: { after: FeedPosition | null; first: number; filter: ChangeFilter },
): Promise<ChangePage> => {
  const feed = await assignPositions(space);
  if (!after) return { rows: [], end: { epoch: feed.epoch, position: feed.position }, hasMore: false };
  requireKept(after, feed);
  const { epoch } = feed;
  if (first === 0) return { rows: [], end: after, hasMore: after.position < feed.position };
  const scanned = Math.max(first, limits.change.scanned);
  const { operations = null, fields = null, contactIds = null, ...visibility } = filter;
  const range = { position: after.position, end: feed.position, first, scanned };
  const values = { ...range, ...visibility, operations, fields, contactIds };
  type FoundRow = ChangeRow & { scanned_to: number | null; scanned: number; first_position: number };
  const found = await space.onPrimary<FoundRow>(read, values);
  const [{ scanned_to: scannedTo, scanned: looked, first_position }] = found as [FoundRow];
  // Retention may have deleted the next changes since the feed was looked at.
  requireKept(after, { ...feed, first_position });
  const rows = found
    .filter(({ position }) => position !== null)
    .map(({ scanned_to: _, scanned: __, first_position: ___, ...row }): ChangeRow => row);
  const isFull = rows.length === first;
  const position = isFull ? rows.at(-1)!.position : looked < scanned ? feed.position : (scannedTo ?? feed.position);
  return { rows, end: { epoch, position }, hasMore: position < feed.position };
};

/** Begins a new epoch of every feed, which refuses all cursors that were given before: after a restore, positions come again, and such a cursor would pass over changes. */
export const renewFeeds = async (client: pg.Client): Promise<void> => {
  await client.query('update change_feeds set epoch = gen_random_uuid()');
};
