// All that is wrong with what a root field was given, told at once: its types, its rules, and what the field's own check finds.
import { defaultFieldResolver, type GraphQLField } from 'graphql';
import type { Context } from '../context.ts';
import { createInvalidProblem, type Fault, Problem } from '../problem.ts';
import { isAtLeast } from '../role-type.ts';
import { coercedInput } from './read-input.ts';

/** Arguments as far as they could be read: what is at fault is undefined. */
export type ReadArguments = Record<string, unknown>;

declare module 'graphql' {
  // biome-ignore lint/suspicious/noExplicitAny: the signature is graphql's own
  interface GraphQLFieldExtensions<_TSource, _TContext, _TArgs = any> {
    /**
     * Finds what else is wrong with arguments that are at fault already, so that it is not told only when that is mended. It reads
     * and never writes. Where a place is known to be at fault, it may find what it likes.
     */
    // biome-ignore lint/suspicious/noExplicitAny: arguments of any field
    check?: (args: any, context: Context) => Promise<Fault[]>;
  }
}

type ContextField = GraphQLField<unknown, Context>;

/** What the check of a field finds, for whoever may call the field. */
export const runFieldCheck = async (
  { extensions: { check, role } }: ContextField,
  args: ReadArguments,
  context: Context,
): Promise<Fault[]> =>
  check && (!role || isAtLeast(context.caller.roleType, role)) ? check(args, context) : Promise.resolve([]);

/** The place itself, and all places above it. */
const placesAround = (location: string): string[] => [
  location,
  ...[...location.matchAll(/[.[]/g)].map(({ index }) => location.slice(0, index)),
];

/** Adds faults, but for those at or below a place that is known to be at fault. */
export const addUnknownFaults = (faults: Fault[], more: readonly Fault[]): void => {
  const known = new Set(faults.map(({ location }) => location));
  faults.push(...more.filter(({ location }) => !placesAround(location).some((place) => known.has(place))));
};

/** Everything that is wrong with arguments whose types are right. Of a list that is too long no item is looked at. */
const findFaults = async (field: ContextField, args: ReadArguments, context: Context, found: readonly Fault[]) => {
  const faults: Fault[] = [];
  for (const argument of field.args)
    coercedInput.read({ argument, location: argument.name, value: args[argument.name] }, faults, { parsed: true });
  addUnknownFaults(faults, found);
  addUnknownFaults(faults, await runFieldCheck(field, args, context));
  return faults;
};

/** Has a field that refuses its arguments tell everything that is wrong with them. */
export const reportAllFaults = (field: ContextField): void => {
  if (field.args.length === 0) return;
  const { resolve = defaultFieldResolver } = field;
  field.resolve = (source, args, context, info) => {
    const refuse = async (error: unknown): Promise<never> => {
      if (!(error instanceof Problem && error.code === 'invalid-request' && error.errors)) throw error;
      throw createInvalidProblem(await findFaults(field, args, context, error.errors));
    };
    try {
      const result = resolve(source, args, context, info);
      return result instanceof Promise ? result.catch(refuse) : result;
    } catch (error) {
      return refuse(error);
    }
  };
};
