// Checks coerced arguments against the rules of the schema. It visits only what was sent and copies nothing.
import {
  type GraphQLInputObjectType,
  type GraphQLInputType,
  getNullableType,
  isInputObjectType,
  isListType,
} from 'graphql';
import type { Field, Step } from '../context.ts';
import { createInvalidProblem, type Fault } from '../problem.ts';
import { coercedInput } from './read-input.ts';
import { findIssues, listRules, type Ruled } from './rules.ts';

/** Whether a value, neither null nor undefined, and everything in it obeys its rules. */
type Check = (value: unknown) => boolean;

const isGiven = (value: unknown): boolean => value !== null && value !== undefined;

const planOwnRules = (input: Ruled): Check | null => {
  const rules = listRules(input);
  return rules.length === 0 ? null : (value) => rules.every((rule) => !findIssues(rule, value));
};

/** Rules of a whole presume valid parts, so the parts come first. */
const joinChecks = (parts: Check | null, whole: Check | null): Check | null =>
  parts && whole ? (value) => parts(value) && whole(value) : (parts ?? whole);

/** Checks of input types, which may contain themselves; null for a type without rules. */
const checks = new WeakMap<GraphQLInputObjectType, Check | null>();

const containsRules = (type: GraphQLInputType, visited = new Set<GraphQLInputType>()): boolean => {
  const bare = getNullableType(type);
  if (isListType(bare)) return containsRules(bare.ofType, visited);
  if (!isInputObjectType(bare) || visited.has(bare)) return false;
  visited.add(bare);
  if (planOwnRules(bare)) return true;
  return Object.values(bare.getFields()).some((field) => planOwnRules(field) || containsRules(field.type, visited));
};

const planObject = (type: GraphQLInputObjectType): Check | null => {
  const known = checks.get(type);
  if (known !== undefined) return known;
  if (!containsRules(type)) {
    checks.set(type, null);
    return null;
  }
  const fields = new Map<string, Check>();
  const parts: Check = (value) => {
    const sent = value as Readonly<Record<string, unknown>>;
    for (const name in sent) {
      const check = fields.get(name);
      if (check && isGiven(sent[name]) && !check(sent[name])) return false;
    }
    return true;
  };
  const check = joinChecks(parts, planOwnRules(type));
  checks.set(type, check);
  for (const [name, field] of Object.entries(type.getFields())) {
    const ofField = planInput(field);
    if (ofField) fields.set(name, ofField);
  }
  return check;
};

const planType = (type: GraphQLInputType): Check | null => {
  const bare = getNullableType(type);
  if (isInputObjectType(bare)) return planObject(bare);
  const item = isListType(bare) ? planType(bare.ofType) : null;
  return item && ((value) => (value as unknown[]).every((one) => !isGiven(one) || item(one)));
};

function planInput(input: Ruled & { type: GraphQLInputType }): Check | null {
  return joinChecks(planType(input.type), planOwnRules(input));
}

/** Refuses arguments that break a rule, with every fault and its place. */
export const planRules = (field: Field): Step | undefined => {
  const plans = field.args.flatMap((argument) => {
    const check = planInput(argument);
    return check ? [{ argument, location: argument.name, check }] : [];
  });
  if (plans.length === 0) return undefined;
  /** Every fault of the arguments, which break a rule. */
  const findAll = async (args: Record<string, unknown>): Promise<Fault[]> => {
    const faults: Fault[] = [];
    for (const { argument, location, check } of plans) {
      const value = args[location];
      if (!isGiven(value) || check(value)) continue;
      const before = faults.length;
      await coercedInput.readInPieces({ argument, location, value }, faults, { parsed: true, isComplete: true });
      if (faults.length === before)
        throw new Error(`${field.name} breaks a rule that the reader of faults does not know`);
    }
    return faults;
  };
  return (next) => (source, args, context, info) => {
    if (plans.every(({ location, check }) => !isGiven(args[location]) || check(args[location])))
      return next(source, args, context, info);
    return findAll(args).then((faults) => {
      throw createInvalidProblem(faults);
    });
  };
};
