// Evaluates watched segments: finds who entered and who left, from the changes of the feed, or from all contacts where these do not tell.
import { randomUUID } from 'node:crypto';
import type { Database } from '../../database/database.ts';
import type { Space } from '../../database/space.ts';
import { defineStatement } from '../../database/statement.ts';
import { assignPositions, type FeedRow, findSpaces } from '../event/change.ts';
import { findContactIds } from '../search/find-all.ts';
import {
  type EvaluatedQuery,
  findMembersEnd,
  membersAtOnce,
  prepareEvaluation,
  removeMembers,
  writeMembersAmong,
  writeMembersOfRange,
} from './segment-members.ts';

/** Changes of contacts that one transaction evaluates. */
const changesAtOnce = 5000;
/** Beyond as many changes, reading all contacts is less work. */
const mostChanges = 50_000;
/** In seconds: how long the process that evaluates a segment has it alone. It asks for more with each transaction. */
const leaseSeconds = 60;
/** In seconds: the pause between evaluations of a segment whose members change by time alone. */
const usualInterval = 3600;

interface EvaluationRow {
  definition: string | null;
  epoch: string | null;
  position: number;
  due_at: string | null;
  leased_until: string;
}

/** Watched segments that nobody evaluates, and whose members may have changed: of one space, or of all. */
const buildDueSegments = (space: ':group' | 's.group_id'): string => `segments s
    left join segment_evaluations e on e.group_id = ${space} and e.segment_id = s.id
    left join change_feeds f on f.group_id = ${space}
   where s.is_watched and (e.leased_until is null or e.leased_until < now())
     and (e.evaluated_at is null or e.due_at <= now() or e.epoch is distinct from f.epoch or e.position < f.position)`;

const spacesToEvaluate = `
  select s.group_id from ${buildDueSegments('s.group_id')}
  union
  select e.group_id from segment_evaluations e
   where not exists (select 1 from segments s where s.group_id = e.group_id and s.id = e.segment_id and s.is_watched)`;

/** The spaces with segments to evaluate, or with members of segments that are watched no longer. */
export const findSpacesToEvaluate = (database: Database): Promise<number[]> =>
  findSpaces(database, spacesToEvaluate, 'segment.spaces');

const listDue = defineStatement(
  'segment.due',
  `select s.id from ${buildDueSegments(':group')} and s.group_id = :group order by s.id`,
);
const listUnwatched = defineStatement(
  'segment.unwatched',
  `select e.segment_id as id from segment_evaluations e
    where e.group_id = :group and not exists (select 1 from segments s where s.group_id = :group and s.id = e.segment_id and s.is_watched)`,
);
const forget = defineStatement(
  'segment.forget',
  `delete from segment_evaluations e where e.group_id = :group and e.segment_id = :id
      and not exists (select 1 from segments s where s.group_id = :group and s.id = e.segment_id and s.is_watched)`,
);
const add = defineStatement(
  'segment.add_evaluation',
  'insert into segment_evaluations (group_id, segment_id) values (:group, :id) on conflict do nothing',
);
/** One process at a time: the lease is taken when nobody has it, and asked for again in each transaction. */
const take = defineStatement(
  'segment.lease',
  `update segment_evaluations e set lease = cast(:lease as uuid), leased_until = now() + make_interval(secs => ${leaseSeconds})
    where e.group_id = :group and e.segment_id = :id and (e.leased_until is null or e.leased_until < now())
   returning e.definition, e.epoch, e.position, e.due_at, e.leased_until`,
);
const keep = defineStatement(
  'segment.keep_lease',
  `update segment_evaluations set leased_until = now() + make_interval(secs => ${leaseSeconds}), position = coalesce(:position, position)
    where group_id = :group and segment_id = :id and lease = cast(:lease as uuid) returning 1`,
);
const giveBack = defineStatement(
  'segment.give_back',
  `update segment_evaluations set lease = null, leased_until = null where group_id = :group and segment_id = :id and lease = cast(:lease as uuid)`,
);
/** It stays due when somebody has made it due since the lease was taken. */
const finish = defineStatement(
  'segment.finish',
  `update segment_evaluations e
      set definition = :definition, epoch = cast(:epoch as uuid), position = :position, evaluated_at = t.now,
          due_at = case when e.due_at is distinct from cast(:dueAt as timestamptz) then e.due_at else t.next end
     from (select now() as now, now() + make_interval(secs => cast(:seconds as double precision)) as next) t
    where e.group_id = :group and e.segment_id = :id and e.lease = cast(:lease as uuid) returning 1`,
);
/** From here on the members are those of no query, until all contacts were looked at: whoever is interrupted leaves them so. */
const doubtMembers = defineStatement(
  'segment.doubt_members',
  `update segment_evaluations set definition = null
    where group_id = :group and segment_id = :id and definition is not null and (cast(:lease as uuid) is null or lease = cast(:lease as uuid))`,
);
/** The changes after a position: how many are read, their contacts, and their last position. Two kinds of changes are of other contacts: a merge, whose survivor is found by their mails, and a payment for another donor. */
const readNext = defineStatement(
  'segment.next_changes',
  `with next as materialized (
     select c.position, c.type, c.record_id, c.contact_id, c.operation from changes c
      where c.group_id = :group and c.position > :position and c.position <= :end and c.type <> 'Segment' order by c.position limit ${changesAtOnce})
   select array(
            select n.contact_id from next n where n.contact_id is not null
            union
            select c.merged_into from next n join contacts c on c.group_id = :group and c.id = n.contact_id
             where n.operation = 'deleted' and c.merged_into is not null
            union
            select d.contact_id from next n join donations d on d.group_id = :group and d.transaction_id = n.record_id where n.type = 'Transaction') as contacts,
          (select count(*) from next) as read, (select max(n.position) from next n) as last`,
);
/** Whether a record that conditions name was changed: a form, a campaign. It is no contact's. */
const readShared = defineStatement(
  'segment.shared_changes',
  `select exists (
     select 1 from changes c where c.group_id = :group and c.position > :position and c.position <= :end
        and c.contact_id is null and c.type = any(cast(:types as text[])) and c.operation <> 'created') as any`,
);

/** Somebody else has the segment now: what is left is theirs. */
class LeaseLost extends Error {}

/** Evaluates one segment, unless another process does so. */
const evaluate = async (space: Space, id: number, signal: AbortSignal | undefined): Promise<void> => {
  const lease = randomUUID();

  /** Does work in a transaction, if the segment is still this process's, and moves the position with it. */
  const write = async <Result>(position: number | null, work: (tx: Space) => Promise<Result>): Promise<Result> => {
    if (signal?.aborted) throw new LeaseLost();
    return space.transaction(async (tx) => {
      if (!(await tx.row(keep, { id, lease, position }))) throw new LeaseLost();
      return work(tx);
    });
  };

  const needsAll = async (row: EvaluationRow, feed: FeedRow, query: EvaluatedQuery): Promise<boolean> => {
    const { position, epoch, definition } = row;
    const leasedAt = Date.parse(row.leased_until) - leaseSeconds * 1000;
    const isDue = row.due_at !== null && Date.parse(row.due_at) <= leasedAt;
    if (definition !== query.definition || epoch !== feed.epoch || isDue) return true;
    if (position + 1 < feed.first_position || feed.position - position > mostChanges) return true;
    if (query.sharedTypes.length === 0) return false;
    const values = { position, end: feed.position, types: query.sharedTypes };
    return (await space.onPrimary<{ any: boolean }>(readShared, values))[0]!.any;
  };

  const end = (
    { due_at: dueAt }: EvaluationRow,
    definition: string | null,
    { epoch, position }: FeedRow,
    dependsOnTime = false,
  ): Promise<unknown> => {
    const seconds = dependsOnTime ? usualInterval : null;
    return write(null, (tx) => tx.rows(finish, { id, lease, definition, epoch, position, seconds, dueAt }));
  };

  /** Looks at all contacts. For a new query nothing is told: nobody has entered the segment by that. */
  const evaluateAll = async (row: EvaluationRow, feed: FeedRow, query: EvaluatedQuery): Promise<void> => {
    const how = { segmentId: id, families: query.families, announces: row.definition === query.definition };
    if (!how.announces) await write(null, (tx) => tx.rows(doubtMembers, { id, lease }));
    const ids = await findContactIds(space, query.search);
    let [from, place] = [-1, 0];
    for (;;) {
      const to = await write(null, async (tx) => {
        const last = ids[place + membersAtOnce - 1] ?? null;
        const ends = [last, await findMembersEnd(tx, id, from)].filter((one) => one !== null);
        const until = ends.length > 0 ? Math.min(...ends) : null;
        let next = place;
        while (next < ids.length && (until === null || ids[next]! <= until)) next++;
        await writeMembersOfRange(tx, how, { from, to: until, ids: Array.from(ids.subarray(place, next)) });
        place = next;
        return until;
      });
      if (to === null) break;
      from = to;
    }
    await end(row, query.definition, feed, query.dependsOnTime);
  };

  /** Looks at the contacts that were changed, in the order of the feed. */
  const evaluateChanges = async ({ position }: EvaluationRow, feed: FeedRow, query: EvaluatedQuery): Promise<void> => {
    const how = { segmentId: id, families: query.families, announces: true };
    for (let at = position; at < feed.position; ) {
      const values = { position: at, end: feed.position };
      const found = await space.onPrimary<{ contacts: number[]; read: number; last: number | null }>(readNext, values);
      const { contacts, read, last } = found[0]!;
      const until = read < changesAtOnce ? feed.position : last!;
      await write(until, async (tx) => {
        if (contacts.length > 0) await writeMembersAmong(tx, how, query.search.plan.getFilter(), contacts);
      });
      at = until;
    }
  };

  // The end of the feed comes first: a change that is committed later is evaluated again.
  const feed = await assignPositions(space);
  const row = await space.transaction(async (tx) => {
    await tx.rows(add, { id });
    return tx.row<EvaluationRow>(take, { id, lease });
  });
  if (!row) return;
  try {
    const query = await prepareEvaluation(space, id);
    // A query with a fault finds nobody it should: its members stay as they are, until it is sound and all contacts are looked at.
    if ('faults' in query) await end(row, null, feed);
    else if (await needsAll(row, feed, query)) await evaluateAll(row, feed, query);
    else await evaluateChanges(row, feed, query);
  } catch (error) {
    if (!(error instanceof LeaseLost)) throw error;
  } finally {
    await space.transaction((tx) => tx.rows(giveBack, { id, lease }));
  }
};

/** Evaluates the watched segments of a space whose members may have changed, one after the other, until `signal` aborts. Other processes may do so at once. */
export const evaluateSegments = async (space: Space, signal?: AbortSignal): Promise<void> => {
  for (const { id } of await space.onPrimary<{ id: number }>(listUnwatched, {})) {
    const removeSome = (tx: Space): Promise<boolean> =>
      tx.rows(doubtMembers, { id, lease: null }).then(() => removeMembers(tx, id));
    while (!signal?.aborted && !(await space.transaction(removeSome)));
    if (!signal?.aborted) await space.transaction((tx) => tx.rows(forget, { id }));
  }
  await assignPositions(space);
  for (const { id } of await space.onPrimary<{ id: number }>(listDue, {})) {
    if (signal?.aborted) return;
    await evaluate(space, id, signal);
  }
};
