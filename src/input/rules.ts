// The rules of inputs, and the check of coerced arguments against them: it visits only what was sent and copies nothing.
import type { StandardSchemaV1 } from '@pothos/plugin-validation';
import {
  type GraphQLInputFieldExtensions,
  type GraphQLInputObjectType,
  type GraphQLInputType,
  getNullableType,
  isInputObjectType,
  isListType,
} from 'graphql';
import type { Field, Step } from '../context.ts';
import { createInvalidProblem } from '../problem.ts';

/** Any type, field or argument of an input. */
export type Ruled = { extensions: GraphQLInputFieldExtensions };

interface Issue {
  /** From the value that the rule is for. */
  steps: PropertyKey[];
  message: string;
}

/** The rules that the validation plugin keeps for it. */
export const listRules = ({ extensions }: Ruled): readonly StandardSchemaV1[] =>
  extensions['@pothos/plugin-validation']?.schemas ?? [];

/** The faults that a rule finds in a value; undefined when it finds none. */
export const findIssues = (rule: StandardSchemaV1, value: unknown): Issue[] | undefined => {
  const result = rule['~standard'].validate(value);
  if (result instanceof Promise) {
    // The library retries a rule that throws as an asynchronous one, and it throws again.
    result.catch(() => {});
    throw new Error('rules of input are synchronous');
  }
  return result.issues?.map(({ path = [], message }) => ({
    steps: path.map((step) => (typeof step === 'object' ? step.key : step)),
    message,
  }));
};

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

/** Refuses arguments that break a rule. Their faults are found afterwards (`all-faults.ts`), so that a correct request pays nothing for their places. */
export const planRules = (field: Field): Step | undefined => {
  const plans = field.args.flatMap((argument) => {
    const check = planInput(argument);
    return check ? [{ name: argument.name, check }] : [];
  });
  if (plans.length === 0) return undefined;
  return (next) => (source, args, context, info) => {
    if (plans.every(({ name, check }) => !isGiven(args[name]) || check(args[name])))
      return next(source, args, context, info);
    throw createInvalidProblem([]);
  };
};
