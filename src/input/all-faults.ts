// Reports all faults of a field's arguments at once: of types, of rules, and those that the field's own check finds.
import type { Context, Field, Step } from '../context.ts';
import { limits } from '../limits/limits.ts';
import { isPermitted } from '../permissions/authority.ts';
import { getOperationPermission } from '../permissions/permissions.ts';
import { createInvalidProblem, type Fault, Problem } from '../problem.ts';
import { planIds } from './global-id.ts';
import { coercedInput } from './read-input.ts';

/** Arguments as far as they could be read: faulty values are undefined. */
type ReadArguments = Record<string, unknown>;

declare module 'graphql' {
  // biome-ignore lint/suspicious/noExplicitAny: the signature is graphql's own
  interface GraphQLFieldExtensions<_TSource, _TContext, _TArgs = any> {
    /**
     * Finds further faults of arguments that are faulty already, so that the client learns of all at once. It reads
     * and never writes. Faults that it finds at a place already known as faulty are ignored.
     */
    // biome-ignore lint/suspicious/noExplicitAny: arguments of any field
    check?: (args: any, context: Context) => Promise<Fault[]>;
  }
}

/** Runs the field's check, if the caller may call the field, and returns its faults. */
export const runFieldCheck = async (
  { name, extensions: { check } }: Field,
  args: ReadArguments,
  context: Context,
): Promise<Fault[]> => (check && isPermitted(context.caller, getOperationPermission(name)) ? check(args, context) : []);

/** A place, and the places above it, as far as an error shows them. */
const placesAround = (location: string): string[] => [
  location,
  ...[...location.slice(0, limits.request.faultCharacters).matchAll(/[.[]/g)].map(({ index }) =>
    location.slice(0, index),
  ),
];

/** Adds faults, except those at or below a place that is already faulty. */
export const addUnknownFaults = (faults: Fault[], more: readonly Fault[]): void => {
  const known = new Set(faults.map(({ location }) => location));
  faults.push(...more.filter(({ location }) => !placesAround(location).some((place) => known.has(place))));
};

/** The faults of types and rules. A value `isComplete` when no faulty id is missing in it. */
const readArguments = async (field: Field, args: ReadArguments, isComplete: boolean): Promise<Fault[]> => {
  const faults: Fault[] = [];
  for (const argument of field.args)
    await coercedInput.readInPieces({ argument, location: argument.name, value: args[argument.name] }, faults, {
      parsed: true,
      isComplete,
    });
  return faults;
};

/**
 * All faults of arguments whose types are right, those of ids first. Items of a list that is too long are not looked at. Nothing is `found` yet when
 * a rule is broken.
 */
const findFaults = async (
  field: Field,
  args: ReadArguments,
  context: Context,
  { ofIds, found }: { ofIds: readonly Fault[]; found: readonly Fault[] },
): Promise<Fault[]> => {
  const faults = [...ofIds];
  addUnknownFaults(faults, await readArguments(field, args, false));
  addUnknownFaults(faults, found.length > 0 ? found : await readArguments(field, args, true));
  if (faults.length === 0) throw new Error(`${field.name} breaks a rule that the reader of faults does not know`);
  addUnknownFaults(faults, await runFieldCheck(field, args, context));
  return faults;
};

/** Reads the ids among the arguments, and reports all faults of arguments that a later step or the resolver refuses. */
export const planFaults = (field: Field): Step | undefined => {
  if (field.args.length === 0) return undefined;
  const readIds = planIds(field);
  return (next) => (source, sent, context, info) => {
    const ofIds: Fault[] = [];
    const args = readIds ? readIds(sent, ofIds) : sent;
    const refuse = async (error: unknown): Promise<never> => {
      if (!(error instanceof Problem && error.code === 'invalid-request' && error.errors)) throw error;
      throw createInvalidProblem(await findFaults(field, args, context, { ofIds, found: error.errors }));
    };
    if (ofIds.length > 0) return refuse(createInvalidProblem(ofIds));
    try {
      const result = next(source, args, context, info);
      return result instanceof Promise ? result.catch(refuse) : result;
    } catch (error) {
      return refuse(error);
    }
  };
};
