// The arguments that hold a query of contact search, in the graph's form or as the contract's tree: how they are parsed, checked and resolved (spec §4.13).
import type { StandardSchemaV1 } from '@pothos/plugin-validation';
import type { Caller, Context } from '../../src/context.ts';
import { locateCentres } from '../../src/data/search/centres.ts';
import { checkSearchedForms } from '../../src/data/search/check-forms.ts';
import { createSearchPlan, type SearchPlan } from '../../src/data/search/search-plan.ts';
import { inlineStoredSegments } from '../../src/data/segment/segment.ts';
import { createCacheKey } from '../../src/limits/cache-key.ts';
import { requirePermission } from '../../src/permissions/authority.ts';
import { familyPermissions, type PermissionName } from '../../src/permissions/permissions.ts';
import { createInvalidProblem, type Fault } from '../../src/problem.ts';
import { formatMicros } from '../../src/search/datetime.ts';
import {
  findCommonOrigin,
  findDateFaults,
  type Group,
  type ParsedQuery,
  resolveQuery,
} from '../../src/search/parse.ts';
import { notOneField, parseContactQuery } from '../../src/search/parse-contact-query.ts';
import { parseTree } from '../../src/search/parse-tree.ts';
import type { Origin } from '../../src/search/places.ts';
import { ContactQuery } from './contact-query.ts';

type ArgumentBuilder = Parameters<
  Parameters<typeof import('../graph/builder.ts')['builder']['queryFields']>[0]
>[0]['arg'];

/** An argument that holds a query. */
export interface QueryArgument {
  name: 'query' | 'tree';
  parse(sent: unknown): ParsedQuery;
}

/** The plan of a query, the circle that all its matches are in, and the versions of its segments. */
interface PlannedQuery {
  plan: SearchPlan;
  origin: Origin | undefined;
  segments: SearchedQuery['segments'];
}

/** The query of a request, with those of its segments in their places, and the versions of these segments. */
interface SearchedQuery {
  group: Group;
  segments: [id: number, version: number][];
}

/**
 * An argument whose value is parsed once for each object that a client sent: the rule of the argument and its resolver get the same
 * result. It holds for as long as the object, because parsing looks at no clock.
 */
const createQueryArgument = (
  name: QueryArgument['name'],
  parseQuery: (sent: unknown, location: string) => ParsedQuery,
): QueryArgument => {
  const parsed = new WeakMap<object, ParsedQuery>();
  return {
    name,
    parse(sent) {
      if (typeof sent !== 'object' || sent === null) return parseQuery(sent, '');
      const query = parsed.get(sent) ?? parseQuery(sent, '');
      parsed.set(sent, query);
      return query;
    },
  };
};
export const queryArgument = createQueryArgument('query', (sent, location) => parseContactQuery(sent, location));
export const treeArgument = createQueryArgument('tree', (sent, location) => parseTree(sent, location));

/** The rule of an argument that holds a query: every fault, at its place. */
export const createQueryRule = ({ parse }: QueryArgument): StandardSchemaV1<never> => ({
  '~standard': {
    version: 1,
    vendor: 'muster',
    validate: (value) => {
      const { faults } = parse(value);
      if (faults.length === 0) return { value: value as never };
      return {
        issues: faults.map(({ location, message }) => ({
          message,
          path: location.split(/[.[\]]+/).flatMap((step) => (/^\d+$/.test(step) ? Number(step) : step || [])),
        })),
      };
    },
  },
});

export const defineQueryArgument = (arg: ArgumentBuilder) =>
  arg({
    type: ContactQuery,
    description: 'The query; without it, every contact matches.',
    validate: createQueryRule(queryArgument),
  });
export const defineTreeArgument = (arg: ArgumentBuilder) =>
  arg({
    type: 'QueryTree',
    description: "The contract's query tree; without it, every contact matches.",
    validate: createQueryRule(treeArgument),
  });

const placeFaults = (faults: readonly Fault[], place: string): Fault[] =>
  faults.map((fault) => ({ ...fault, location: `${place}${fault.location}` }));

/** The relative dates that leave the years 1 to 9999. Only this check needs the instant of the request, so no rule makes it. */
export const findRelativeDateFaults = ({ name, parse }: QueryArgument, sent: unknown, now: bigint): Fault[] =>
  placeFaults(findDateFaults(parse(sent), now), name);

/** The faults of a query of the graph, for a request that has others. Values that are faulty for their types are missing in it. */
export const findQueryFaults = (sent: unknown, now: bigint, place: string = queryArgument.name): Fault[] => {
  const parsed = queryArgument.parse(sent);
  const faults = parsed.faults.filter(({ message }) => message !== notOneField);
  return placeFaults([...faults, ...findDateFaults(parsed, now)], place);
};

/** The permission that a condition on an attribute needs beside that of the search. */
export const findConditionPermission = (attribute: string): PermissionName | undefined =>
  familyPermissions[attribute.split('.')[0]!];

/** Throws 403 for a condition on records that the caller may not read: the matching contacts would reveal their values. */
const requireReadable = (caller: Caller, { parts }: Group): void => {
  for (const part of parts) {
    if ('parts' in part) requireReadable(caller, part);
    else {
      const permission = findConditionPermission(part.attribute);
      if (permission) requirePermission(caller, permission, `A condition on ${part.attribute}`);
    }
  }
};

/** The plans of a request. Each mutation, and each instant of a subscription, starts anew. */
const planned = new WeakMap<Context, { writes: number; now: bigint; plans: Map<string, Promise<PlannedQuery>> }>();

/** Plans a query once for all fields of a request, which read its lookups once. Throws like `resolveSearchedQuery`. */
export const planQuery = (context: Context, argument: QueryArgument, sent: unknown): Promise<PlannedQuery> => {
  const { writes = 0, now } = context;
  const last = planned.get(context);
  const { plans } = last?.writes === writes && last.now === now ? last : { plans: new Map() };
  planned.set(context, { writes, now, plans });
  const plan = async (): Promise<PlannedQuery> => {
    const { group, segments } = await resolveSearchedQuery(argument, sent, context);
    return { plan: createSearchPlan(group, formatMicros(now)), origin: findCommonOrigin(group), segments };
  };
  const key = createCacheKey(argument.name, JSON.stringify(sent ?? null));
  const known = plans.get(key) ?? plan();
  plans.set(key, known);
  return known;
};

/**
 * The query at the one instant of the request. Throws 400 with its faults and those of its segments: dates that are out of range, segments,
 * forms and reference values that the space does not have. Throws 403 for a condition on records that the caller may not read, of a segment too.
 */
export const resolveSearchedQuery = async (
  argument: QueryArgument,
  sent: unknown,
  { caller, now, space }: Pick<Context, 'caller' | 'now' | 'space'>,
  place: string = argument.name,
): Promise<SearchedQuery> => {
  const { query, versions } = await inlineStoredSegments(space, argument.parse(sent));
  const faults = [...query.faults, ...findDateFaults(query, now)];
  if (faults.length > 0) throw createInvalidProblem(placeFaults(faults, place));
  const group = resolveQuery(query, now);
  requireReadable(caller, group);
  await checkSearchedForms(space, group, place);
  return { group: await locateCentres(space, group), segments: versions };
};
