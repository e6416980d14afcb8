// Creates, changes and deletes saved segments. Writers of one space wait for each other, so that two of them cannot make segments depend on themselves.
import { isDeepStrictEqual } from 'node:util';
import { lockSpace } from '../../database/lock-on-node.ts';
import type { Space } from '../../database/space.ts';
import { defineStatement } from '../../database/statement.ts';
import { limits } from '../../limits/limits.ts';
import { type Authority, requirePermission } from '../../permissions/authority.ts';
import { familyPermissions } from '../../permissions/permissions.ts';
import { createInvalidProblem, createNotFoundProblem, Problem } from '../../problem.ts';
import { inlineSegments, listSegmentIds } from '../../search/inline-segments.ts';
import { listConditions, type ParsedQuery } from '../../search/parse.ts';
import { parseContactQuery } from '../../search/parse-contact-query.ts';
import type { Precondition } from '../noun/precondition.ts';
import { requireFound } from '../noun/references.ts';
import {
  inlineStoredSegments,
  readDependentSegments,
  readSegmentQueries,
  readSegmentsUsing,
  type SegmentRow,
  type StoredQuery,
} from './segment.ts';

/** A segment as it is written. */
interface SegmentContent {
  name: string;
  description: string | null;
  query: StoredQuery;
  isWatched: boolean;
}

/** A statement of its own after the lock, so that it sees what the writer before has changed. */
const read = defineStatement(
  'segment.read',
  `select id, name, description, query, is_watched, author_id, version, created_at, updated_at
     from segments where group_id = :group and id = :id`,
);
const count = defineStatement('segment.count', 'select count(*) as segments from segments where group_id = :group');
const create = defineStatement(
  'segment.create',
  `insert into segments (group_id, name, description, query, is_watched, author_id)
   values (:group, :name, :description, cast(:query as jsonb), :isWatched, :authorId) returning id`,
);
const update = defineStatement(
  'segment.update',
  `update segments set name = :name, description = :description, query = cast(:query as jsonb), is_watched = :isWatched,
          version = version + 1, updated_at = now()
    where group_id = :group and id = :id returning id`,
);
const replaceUses = defineStatement(
  'segment.replace_uses',
  `with gone as (
     delete from segment_uses where group_id = :group and segment_id = :id and used_id <> all (cast(:uses as bigint[])))
   insert into segment_uses (group_id, segment_id, used_id)
   select :group, :id, unnest(cast(:uses as bigint[])) on conflict do nothing`,
);
const remove = defineStatement(
  'segment.delete',
  'delete from segments where group_id = :group and id = :id returning query, version',
);

/** Throws 403 for a stored query with a condition on records that the caller may not read, also in a segment that it names. */
const requireReadable = async (tx: Space, stored: StoredQuery, caller: Authority): Promise<void> => {
  const { query } = await inlineStoredSegments(tx, parseContactQuery(stored, ''));
  for (const { attribute } of listConditions(query.group)) {
    const permission = familyPermissions[attribute.split('.')[0]!];
    if (permission) requirePermission(caller, permission, `A segment with a condition on ${attribute}`);
  }
};

const orNameTaken =
  (name: string) =>
  (error: unknown): never => {
    if (!(error instanceof Problem) || error.code !== 'conflict') throw error;
    throw new Problem('conflict', 'There is a segment of this name', {
      errors: [{ location: 'input.name', message: 'is the name of another segment', value: name }],
    });
  };

/** The query without fields that say nothing, as JSON. Throws 400 when that is too long. */
const formatQuery = (query: StoredQuery): string => {
  const text = JSON.stringify(query, (_, value) => value ?? undefined);
  const limit = limits.search.segmentCharacters;
  if (text.length <= limit) return text;
  const message = `must be at most ${limit} characters as JSON; it has ${text.length}`;
  throw createInvalidProblem([{ location: 'input.query', message }]);
};

const refuseQuery = (faults: ParsedQuery['faults']): never => {
  throw createInvalidProblem(faults.map((fault) => ({ ...fault, location: `input.query${fault.location}` })));
};

/** Yields the ids of the segments that a query names. Throws 400 when one of them is missing, or they nest too deeply or hold too much. */
const checkNewQuery = async (tx: Space, name: string, query: ParsedQuery): Promise<number[]> => {
  const uses = listSegmentIds(query);
  // It has no id yet, so nothing can name it.
  const { faults } = inlineSegments(query, await readSegmentQueries(tx, uses), [{ id: -1, name }]);
  return faults.length > 0 ? refuseQuery(faults) : uses;
};

/** The same for a segment that others may use: it must not depend on itself, and they must stay within the limits. */
const checkChangedQuery = async (
  tx: Space,
  { id, name, version }: Pick<SegmentRow, 'id' | 'name' | 'version'>,
  query: ParsedQuery,
): Promise<number[]> => {
  const uses = listSegmentIds(query);
  const next = { id, name, version, stored: {}, query };
  const used = await readSegmentQueries(tx, uses);
  const { faults } = inlineSegments(query, used.set(id, next), [next]);
  if (faults.length > 0) refuseQuery(faults);
  const { dependents, segments } = await readDependentSegments(tx, id);
  const changed = new Map([...segments, ...used]);
  const broken = dependents.flatMap((one) => {
    const [fault] = inlineSegments(one.query, changed, [one]).faults;
    const wasSound = inlineSegments(one.query, segments, [one]).faults.length === 0;
    return fault && wasSound
      ? [{ location: '', message: `would break the segment “${one.name}”: ${fault.message}` }]
      : [];
  });
  return broken.length > 0 ? refuseQuery(broken) : uses;
};

const readOne = async (tx: Space, id: number): Promise<SegmentRow> =>
  requireFound('segment', id, await tx.row<SegmentRow>(read, { id }));

/** Creates a segment. Throws 409 when the name is taken or the space has too many, 400 for faults of the segments in its query. */
export const createSegment = (space: Space, content: SegmentContent, authorId: number): Promise<SegmentRow> =>
  space.transaction(async (tx) => {
    const query = formatQuery(content.query);
    await tx.rows(lockSpace);
    const { segments } = (await tx.row<{ segments: number }>(count))!;
    const limit = limits.search.segments;
    if (segments >= limit) throw new Problem('conflict', `The space has ${limit} segments, the most that it may have`);
    const uses = await checkNewQuery(tx, content.name, parseContactQuery(JSON.parse(query), ''));
    const values = { ...content, query, authorId };
    const { id } = (await tx.row<{ id: number }>(create, values).catch(orNameTaken(content.name)))!;
    await tx.rows(replaceUses, { id, uses });
    return readOne(tx, id);
  });

/**
 * Changes what is given of a segment, unless it is so already. Throws 404 when it is missing, 412 when it is not as `expected`,
 * 403 when it asks for records that the caller may not read, 409 when the name is taken, and 400 when its query would make a segment depend on itself, or break one that uses it.
 */
export const updateSegment = (
  space: Space,
  id: number,
  patch: Partial<SegmentContent>,
  caller: Authority,
  expected?: Precondition,
): Promise<SegmentRow> =>
  space.transaction(async (tx) => {
    await tx.rows(lockSpace);
    const before = await readOne(tx, id);
    await requireReadable(tx, before.query, caller);
    expected?.check('segment', before.version);
    const given = Object.fromEntries(Object.entries(patch).filter(([, value]) => value !== undefined));
    const present = { ...before, isWatched: before.is_watched };
    const content: SegmentContent = { ...present, ...given };
    const query = formatQuery(content.query);
    const isSameQuery = isDeepStrictEqual(JSON.parse(query), before.query);
    const { name, description, isWatched } = content;
    const isSame = isDeepStrictEqual(
      [name, description, isWatched],
      [before.name, before.description, before.is_watched],
    );
    if (isSame && isSameQuery) return before;
    if (!isSameQuery) {
      const uses = await checkChangedQuery(tx, { ...before, name }, parseContactQuery(JSON.parse(query), ''));
      await tx.rows(replaceUses, { id, uses });
    }
    await tx.rows(update, { id, name, description, query, isWatched }).catch(orNameTaken(name));
    return readOne(tx, id);
  });

/**
 * Deletes a segment. Throws 404 when it is missing, 403 when it asks for records that the caller may not read, 412 when it is not as `expected`,
 * and 409 with the names of the segments that use it.
 */
export const deleteSegment = (space: Space, id: number, caller: Authority, expected?: Precondition): Promise<number> =>
  space.transaction(async (tx) => {
    await tx.rows(lockSpace);
    const users = await readSegmentsUsing(tx, [id]);
    if (users.length > 0) {
      const names = users.map(({ name }) => `“${name}”`).join(', ');
      throw new Problem('conflict', `The segment is used by ${names}: change or delete these first`, {
        errors: users.map((user) => ({
          location: 'input.id',
          message: `is used by the segment “${user.name}” (Segment:${user.id})`,
          value: id,
        })),
      });
    }
    const removed = await tx.row<Pick<SegmentRow, 'query' | 'version'>>(remove, { id });
    if (!removed) throw createNotFoundProblem('segment', id);
    await requireReadable(tx, removed.query, caller);
    expected?.check('segment', removed.version);
    return id;
  });
