// Saved segments: reads them, alone and as searches use them.
import { defineStatement, type Scoped } from '../../database/statement.ts';
import { inlineSegments, listSegmentIds, type SegmentQuery } from '../../search/inline-segments.ts';
import type { ParsedQuery } from '../../search/parse.ts';
import { parseContactQuery } from '../../search/parse-contact-query.ts';
import { defineReadByIds } from '../noun/crud.ts';
import { defineList } from '../noun/define-list.ts';
import { describeRecordColumns, type RowOf } from '../noun/noun.ts';

/** A query of the graph as a resolver gets it: ids are numbers, and values of enums are those of the program. */
export type StoredQuery = object;

export const segmentColumns = describeRecordColumns({
  id: { kind: 'id' },
  name: {
    kind: 'text',
    description: 'Its name, which no other segment of the space has, whatever its case and accents.',
  },
  description: { kind: 'text', nullable: true, description: 'What it is for.' },
  query: { kind: 'json' },
  is_watched: { kind: 'flag', description: 'Whether it is recorded which contacts enter it and leave it.' },
  author_id: { kind: 'id', nullable: true },
  version: { kind: 'whole', description: 'Its version, which each change increases by one.' },
  created_at: { kind: 'instant', description: 'When it was created.' },
  updated_at: { kind: 'instant', description: 'When it was last changed.' },
});
export type SegmentRow = RowOf<typeof segmentColumns.columns> & { query: StoredQuery };

const columns = segmentColumns.qualify('r');

export const segmentList = defineList<SegmentRow>()({
  noun: 'segment',
  from: 'segments r',
  scoped: ['r'],
  columns,
  fields: segmentColumns.listFields(['id', 'created_at', 'updated_at', 'name', 'is_watched', 'author_id']),
  orders: ['id', 'name', 'createdAt', 'updatedAt'],
  isShort: true,
  groups: ['isWatched', 'authorId'],
});

/** A segment beside the one that it uses, or that uses it. */
export type RelatedSegment = SegmentRow & { of_id: number };

/** The segments that name one of these in their own query. */
export const readSegmentsUsing = defineReadByIds<RelatedSegment>(
  'segment.users',
  `select u.used_id as of_id, ${columns} from segment_uses u join segments r on r.group_id = :group and r.id = u.segment_id
    where u.group_id = :group and u.used_id = any(:ids) order by u.used_id, r.id`,
);
/** The segments that these name in their own queries. */
export const readUsedSegments = defineReadByIds<RelatedSegment>(
  'segment.used',
  `select u.segment_id as of_id, ${columns} from segment_uses u join segments r on r.group_id = :group and r.id = u.used_id
    where u.group_id = :group and u.segment_id = any(:ids) order by u.segment_id, r.id`,
);

/** When all contacts of these segments were last looked at; nothing of segments that were not evaluated yet. */
export const readEvaluationTimes = defineReadByIds<{ id: number; evaluated_at: string }>(
  'segment.evaluated_at',
  `select e.segment_id as id, e.evaluated_at from segment_evaluations e
    where e.group_id = :group and e.segment_id = any(:ids) and e.definition is not null`,
);

type QueryRow = Pick<SegmentRow, 'id' | 'name' | 'version' | 'query'>;

/** UNION drops what was reached before, so that it ends. */
const reached = (first: string): string => `reached (id) as (
     ${first}
     union select u.used_id from reached r join segment_uses u on u.group_id = :group and u.segment_id = r.id)`;
const selectReached = `select s.id, s.name, s.version, s.query from reached r join segments s on s.group_id = :group and s.id = r.id`;

const queries = defineStatement(
  'segment.queries',
  `with recursive ${reached('select unnest(cast(:ids as bigint[]))')} ${selectReached} order by s.id`,
);
const dependents = defineStatement(
  'segment.dependents',
  `with recursive dependents (id) as (
     select cast(:id as bigint)
     union select u.segment_id from dependents d join segment_uses u on u.group_id = :group and u.used_id = d.id),
   ${reached('select id from dependents')}
   ${selectReached.replace('s.query', 's.query, exists (select 1 from dependents d where d.id = s.id and d.id <> :id) as depends')} order by s.id`,
);

const parseRow = ({ query, ...row }: QueryRow): SegmentQuery => ({
  ...row,
  stored: query,
  query: parseContactQuery(query, ''),
});
const indexById = (rows: readonly SegmentQuery[]): Map<number, SegmentQuery> =>
  new Map(rows.map((row) => [row.id, row]));

/** The queries of these segments, and of those that they name, and so on; by id. */
export const readSegmentQueries = async (space: Scoped, ids: readonly number[]): Promise<Map<number, SegmentQuery>> =>
  indexById(ids.length > 0 ? (await space.rows<QueryRow>(queries, { ids })).map(parseRow) : []);

/** The segments that depend on this one, directly or through others; and the queries of all that these name. */
export const readDependentSegments = async (
  space: Scoped,
  id: number,
): Promise<{ dependents: SegmentQuery[]; segments: Map<number, SegmentQuery> }> => {
  const rows = await space.rows<QueryRow & { depends: boolean }>(dependents, { id });
  const parsed = rows.map(({ depends, ...row }) => ({ depends, segment: parseRow(row) }));
  return {
    dependents: parsed.filter(({ depends }) => depends).map(({ segment }) => segment),
    segments: indexById(parsed.map(({ segment }) => segment)),
  };
};

/** A query with the queries of its segments in their places, and the versions of these segments, by which two readings can be compared. */
export const inlineStoredSegments = async (
  space: Scoped,
  parsed: ParsedQuery,
): Promise<{ query: ParsedQuery; versions: [id: number, version: number][] }> => {
  const ids = listSegmentIds(parsed);
  if (ids.length === 0) return { query: parsed, versions: [] };
  const segments = await readSegmentQueries(space, ids);
  return {
    query: inlineSegments(parsed, segments),
    versions: [...segments.values()].map(({ id, version }) => [id, version]),
  };
};
