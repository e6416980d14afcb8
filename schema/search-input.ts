// The arguments that hold a query of contact search, in the graph's form or as the contract's tree: how they are parsed, checked and resolved (spec §4.13).
import type { StandardSchemaV1 } from '@pothos/plugin-validation';
import type { Caller, Context } from '../src/context.ts';
import { type PermissionName, requirePermission } from '../src/permissions.ts';
import { createInvalidProblem, type Fault } from '../src/problem.ts';
import type { RecordSource } from '../src/search/attribute.ts';
import { findDateFaults, type Group, type Notation, type ParsedQuery, resolveQuery } from '../src/search/parse.ts';
import { notOneField, parseContactQuery } from '../src/search/parse-contact-query.ts';
import { parseTree } from '../src/search/parse-tree.ts';
import { ContactQuery } from './contact-query.ts';

type ArgumentBuilder = Parameters<Parameters<typeof import('./builder.ts')['builder']['queryFields']>[0]>[0]['arg'];

/** An argument that holds a query. */
export interface QueryArgument {
  name: 'query' | 'tree';
  parse(sent: unknown): ParsedQuery;
}

/** The query of a request, and the argument that holds it. */
export interface SearchedQuery {
  group: Group;
  argument: string;
  notation: Notation;
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
const createRule = ({ parse }: QueryArgument): StandardSchemaV1<never> => ({
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
    validate: createRule(queryArgument),
  });
export const defineTreeArgument = (arg: ArgumentBuilder) =>
  arg({
    type: 'QueryTree',
    description: "The contract's query tree; without it, every contact matches.",
    validate: createRule(treeArgument),
  });

/** The relative dates that leave the years 1 to 9999. Only this check needs the instant of the request, so no rule makes it. */
export const findRelativeDateFaults = ({ name, parse }: QueryArgument, sent: unknown, now: bigint): Fault[] =>
  findDateFaults(parse(sent), now).map((fault) => ({ ...fault, location: `${name}${fault.location}` }));

/** The faults of a query of the graph, for a request that has others. Values that are faulty for their types are missing in it. */
export const findQueryFaults = (sent: unknown, now: bigint): Fault[] => {
  const faults = queryArgument.parse(sent).faults.filter(({ message }) => message !== notOneField);
  const placed = faults.map((fault) => ({ ...fault, location: `${queryArgument.name}${fault.location}` }));
  return [...placed, ...findRelativeDateFaults(queryArgument, sent, now)];
};

/** By the first part of an attribute's name, `donations.amount`. Other attributes are of the contact itself. */
const familyPermissions: Record<RecordSource, PermissionName> & Partial<Record<string, PermissionName>> = {
  transactions: 'money.read',
  donations: 'money.read',
  memberships: 'money.read',
  emails: 'emails.read',
  sanctions: 'sanctions.read',
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

/**
 * The query at the one instant of the request. Its rules have passed. Throws 400 with the dates that are out of range, and 403 for a
 * condition on records that the caller may not read.
 */
export const resolveSearchedQuery = (
  argument: QueryArgument,
  sent: unknown,
  { caller, now }: Pick<Context, 'caller' | 'now'>,
): SearchedQuery => {
  const faults = findRelativeDateFaults(argument, sent, now);
  if (faults.length > 0) throw createInvalidProblem(faults);
  const parsed = argument.parse(sent);
  const group = resolveQuery(parsed, now);
  requireReadable(caller, group);
  return { group, argument: argument.name, notation: parsed.notation };
};
