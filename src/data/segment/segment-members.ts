// The contacts of watched segments as they were last found: the query that they match, and one statement that writes who entered and who left, and the changes that tell of it.

import { hash } from 'node:crypto';
import type { Space } from '../../database/space.ts';
import { defineStatement, prepareStatement } from '../../database/statement.ts';
import { familyPermissions } from '../../permissions/permissions.ts';
import type { Fault } from '../../problem.ts';
import type { Source } from '../../search/attribute.ts';
import { getAttribute } from '../../search/attributes.ts';
import type { Where } from '../../search/compile.ts';
import { formatMicros, getCurrentMicros } from '../../search/datetime.ts';
import { inlineSegments } from '../../search/inline-segments.ts';
import { buildMatchesSql } from '../../search/page-plan.ts';
import { findDateFaults, listConditions, resolveQuery } from '../../search/parse.ts';
import { isLookedUp } from '../../search/places.ts';
import { locateCentres } from '../search/centres.ts';
import { findFormFaults } from '../search/check-forms.ts';
import type { Search } from '../search/find.ts';
import { createSearchPlan } from '../search/search-plan.ts';
import { readSegmentQueries } from './segment.ts';

export interface EvaluatedQuery {
  search: Search;
  /** A digest of its query and of those of its segments. */
  definition: string;
  /** The families of records that it asks for. */
  families: string[];
  /** Types of records of the space, not of a contact, whose change changes the members. */
  sharedTypes: string[];
  /** Whether members change by time alone, or by where other contacts live. */
  dependsOnTime: boolean;
}

const typesOfSources: Partial<Record<Source['of'], readonly string[]>> = {
  tags: ['Tag'],
  actions: ['Action'],
  actionNames: ['Action'],
  answers: ['Form'],
  campaign: ['Campaign', 'Template'],
};

/** When a contact was last written, which also changes where nothing is published. */
const unpublished = new Set(['lastchange', 'UpdatedAt', 'user_id']);

/** Prepares the evaluation of a segment at this instant, or yields the faults of its query. */
export const prepareEvaluation = async (space: Space, id: number): Promise<EvaluatedQuery | { faults: Fault[] }> => {
  const segments = await readSegmentQueries(space, [id]);
  const own = segments.get(id);
  if (!own) return { faults: [{ location: 'id', message: 'is not a segment of the space', value: id }] };
  const now = getCurrentMicros();
  const query = inlineSegments(own.query, segments, [own]);
  const faults = [...query.faults, ...findDateFaults(query, now)];
  if (faults.length > 0) return { faults };
  const group = await locateCentres(space, resolveQuery(query, now));
  const ofForms = await findFormFaults(space, group, 'query');
  if (ofForms.length > 0) return { faults: ofForms };
  const attributes = [...new Set(listConditions(query.group).map(({ attribute }) => attribute))];
  const stored = [...segments.values()].map((one) => [one.id, one.stored]);
  const definition = hash('sha256', JSON.stringify(stored), 'base64');
  return {
    definition,
    search: {
      plan: createSearchPlan(group, formatMicros(now)),
      order: { sort: null, ascending: true },
      words: JSON.stringify(['segment', id, definition]),
    },
    families: [...new Set(attributes.map((name) => name.split('.')[0]!))].filter((name) => name in familyPermissions),
    sharedTypes: [...new Set(attributes.flatMap((name) => typesOfSources[getAttribute(name).source.of] ?? []))],
    dependsOnTime:
      query.relative.length > 0 ||
      attributes.some((name) => unpublished.has(name) || getAttribute(name).kind === 'validity') ||
      listConditions(query.group).some(({ operand: { span } }) => typeof (span?.from ?? span?.to) === 'function') ||
      listConditions(query.group).some(({ operand: { place } }) => isLookedUp(place)),
  };
};

/** A segment whose members are written. */
interface MemberWrite {
  segmentId: number;
  /** The families of records that its query asks for: whoever may not read them does not learn who entered. */
  families: readonly string[];
  /** Whether the change feed tells who entered and who left. */
  announces: boolean;
}

/** Contacts written by one statement, which must end within seconds. */
export const membersAtOnce = 20_000;

/**
 * `found` are the contacts that are in the segment now, among those that satisfy `scope`, a condition on `m`. PostgreSQL always hashes the list of
 * `not in`. It would compare each of thousands with each for `not exists`, until there are statistics of the members.
 */
const buildWriteSql = (found: string, scope: string): string => `
  with found as materialized (${found}),
  entered as (
    insert into segment_members (group_id, segment_id, contact_id)
    select :group, :segmentId, f.contact_id from found f on conflict do nothing returning contact_id),
  gone as (
    delete from segment_members m
     where m.group_id = :group and m.segment_id = :segmentId and ${scope} and m.contact_id not in (select f.contact_id from found f)
    returning m.contact_id),
  told as (
    insert into change_queue (group_id, type, record_id, contact_id, operation, fields)
    select :group, 'Segment', :segmentId, c.contact_id, c.operation, cast(:families as text[])
      from (select contact_id, 'entered' as operation from entered union all select contact_id, 'left' from gone) c
     where cast(:announces as boolean) order by c.contact_id
    returning 1)
  select (select count(*) from entered) as entered, (select count(*) from gone) as gone, (select count(*) from told) as told`;

/** Evaluates some contacts: tests each of them by the condition, which is compiled to probe. */
export const writeMembersAmong = async (
  tx: Space,
  write: MemberWrite,
  where: Where,
  contacts: readonly number[],
): Promise<void> => {
  const found = `select s.contact_id ${buildMatchesSql(where)} and s.contact_id = any(cast(:contacts as bigint[]))`;
  const sql = buildWriteSql(found, 'm.contact_id = any(cast(:contacts as bigint[]))');
  await tx.rows(prepareStatement('segment.write_among', sql), { ...where.values, ...write, contacts });
};

const writeRange = defineStatement(
  'segment.write_range',
  buildWriteSql(
    'select unnest(cast(:ids as bigint[])) as contact_id',
    'm.contact_id > :from and (cast(:to as bigint) is null or m.contact_id <= :to)',
  ),
);

/** Makes these contacts the members among those with an id above `from`, up to `to`. */
export const writeMembersOfRange = (
  tx: Space,
  write: MemberWrite,
  range: { from: number; to: number | null; ids: readonly number[] },
): Promise<unknown> => tx.rows(writeRange, { ...write, ...range });

const findEnd = defineStatement(
  'segment.members_end',
  `select m.contact_id from segment_members m where m.group_id = :group and m.segment_id = :segmentId and m.contact_id > :from
    order by m.contact_id offset ${membersAtOnce} limit 1`,
);

/** The end of a range of members that one statement may write; null when that is all that are left. */
export const findMembersEnd = async (tx: Space, segmentId: number, from: number): Promise<number | null> =>
  (await tx.row<{ contact_id: number }>(findEnd, { segmentId, from }))?.contact_id ?? null;

const removeSome = defineStatement(
  'segment.remove_members',
  `delete from segment_members m where m.group_id = :group and m.segment_id = :segmentId and m.contact_id = any(array(
     select o.contact_id from segment_members o where o.group_id = :group and o.segment_id = :segmentId
      order by o.contact_id limit ${membersAtOnce}))
   returning 1`,
);

/** Removes members of a segment that is gone, or watched no longer; resolves to whether that were all. */
export const removeMembers = async (tx: Space, segmentId: number): Promise<boolean> =>
  (await tx.rows(removeSome, { segmentId })).length < membersAtOnce;
