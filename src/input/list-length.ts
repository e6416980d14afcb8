// Bounds the length of input lists. It is checked first, so that the items of a list that is too long are never read.
import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  type GraphQLInputField,
  type GraphQLInputFieldExtensions,
  type GraphQLInputType,
  getNamedType,
  getNullableType,
  isInputObjectType,
  isListType,
} from 'graphql';
import { z } from 'zod';
import type { Field, Step } from '../context.ts';
import { limits } from '../limits/limits.ts';
import { createInvalidProblem, type Fault } from '../problem.ts';
import { listRules } from './rules.ts';

interface ListBound {
  most: number;
  message: string;
}

const bounds = new WeakMap<object, ListBound>();

/** The bound of lists whose rules give none. */
const usualBound: ListBound = { most: limits.list.items, message: `must be at most ${limits.list.items} items` };

/** A rule for the length of a list; `more` adds further rules. */
export const limitListLength = <Rule extends z.ZodType = z.ZodArray<z.ZodUnknown>>(
  [least, most]: readonly [number, number],
  what: string,
  more?: (list: z.ZodArray<z.ZodUnknown>) => Rule,
): Rule => {
  const message = `must be ${least > 0 ? `${least} to ${most}` : `at most ${most}`}${what && ` ${what}`}`;
  const list = z.array(z.unknown()).min(least, message).max(most, message);
  const rule = (more ? more(list) : list) as Rule;
  bounds.set(rule, { most, message });
  return rule;
};

export const getListBound = (extensions: GraphQLInputFieldExtensions): ListBound => {
  for (const rule of listRules({ extensions })) {
    const bound = bounds.get(rule);
    if (bound) return bound;
  }
  return usualBound;
};

const listedFields = new Map<GraphQLInputType, readonly GraphQLInputField[]>();

/** The fields of an input type that are lists or contain lists. Fields in a cycle of types count as lists. */
const listedOf = (type: GraphQLInputType): readonly GraphQLInputField[] => {
  const named = getNamedType(type);
  if (!isInputObjectType(named)) return [];
  const known = listedFields.get(named);
  if (known) return known;
  const fields = Object.values(named.getFields());
  listedFields.set(named, fields);
  const listed = fields.filter(({ type: of }) => isListed(of));
  listedFields.set(named, listed);
  return listed;
};

const isListed = (type: GraphQLInputType): boolean => isListType(getNullableType(type)) || listedOf(type).length > 0;

type Input = Pick<GraphQLInputField, 'type' | 'extensions'>;

const addFaults = ({ type: given, extensions }: Input, value: unknown, location: string, faults: Fault[]): void => {
  if (value === null || value === undefined) return;
  const type = getNullableType(given);
  if (isListType(type)) {
    const { most, message } = getListBound(extensions);
    const items = value as unknown[];
    if (items.length > most) faults.push({ location, message });
    else if (listedOf(type).length > 0)
      for (const [index, item] of items.entries())
        addFaults({ type: type.ofType, extensions: {} }, item, `${location}[${index}]`, faults);
  } else {
    for (const field of listedOf(type))
      addFaults(field, (value as Record<string, unknown>)[field.name], `${location}.${field.name}`, faults);
  }
};

/** Whether it is a long list, or an input with one. */
const isLong = (value: unknown): boolean =>
  Array.isArray(value)
    ? value.length > 100
    : typeof value === 'object' &&
      value !== null &&
      Object.values(value).some((inner) => Array.isArray(inner) && inner.length > 100);

export const planListLengths = ({ args: defined }: Field): Step | undefined => {
  const listed = defined.filter(({ type }) => isListed(type));
  if (listed.length === 0) return undefined;
  return (next) => (source, args, context, info) => {
    const faults: Fault[] = [];
    for (const argument of listed) addFaults(argument, args[argument.name], argument.name, faults);
    if (faults.length > 0) throw createInvalidProblem(faults);
    const goOn = () => next(source, args, context, info);
    // Validating many items takes as long as coercing them, so other requests run in between.
    return listed.some(({ name }) => isLong(args[name])) ? nextTurn().then(goOn) : goOn();
  };
};
