// The query of a watched segment as its evaluation needs it: the search, and what its members depend on beside the contacts.
import { hash } from 'node:crypto';
import type { Space } from '../../database/space.ts';
import { familyPermissions } from '../../permissions/permissions.ts';
import type { Fault } from '../../problem.ts';
import type { Source } from '../../search/attribute.ts';
import { getAttribute } from '../../search/attributes.ts';
import { formatMicros, getCurrentMicros } from '../../search/datetime.ts';
import { inlineSegments } from '../../search/inline-segments.ts';
import { findDateFaults, listConditions, resolveQuery } from '../../search/parse.ts';
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
  /** Whether members change by time alone. */
  dependsOnTime: boolean;
}

const typesOfSources: Partial<Record<Source['of'], readonly string[]>> = {
  tags: ['Tag'],
  actions: ['Action'],
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
  const group = resolveQuery(query, now);
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
      listConditions(query.group).some(({ operand: { span } }) => typeof (span?.from ?? span?.to) === 'function'),
  };
};
