// The schema builder: the context of resolvers, the scalars, the price and the role that a root field declares.
import SchemaBuilder from '@pothos/core';
import ValidationPlugin, { type StandardSchemaV1 } from '@pothos/plugin-validation';
import type { Context } from '../src/context.ts';
import type { RoleType } from '../src/data/role.ts';
import { type Fault, invalid } from '../src/problem.ts';
import {
  AmountScalar,
  DateScalar,
  DateTimeScalar,
  IdScalar,
  QueryTreeScalar,
  SearchValueScalar,
  WholeNumberScalar,
} from './scalars.ts';

declare module 'graphql' {
  // biome-ignore lint/suspicious/noExplicitAny: the signature is graphql's own
  interface GraphQLFieldExtensions<_TSource, _TContext, _TArgs = any> {
    /** Tokens that this root field takes from the bucket; 1 when it is silent. */
    cost?: number;
    /** The type of role that a caller must at least have; any when it is silent. */
    role?: RoleType;
  }
}

export const builder = new SchemaBuilder<{
  Context: Context;
  DefaultFieldNullability: false;
  Scalars: {
    Id: { Input: number; Output: number };
    Amount: { Input: number; Output: number };
    WholeNumber: { Input: number; Output: number };
    DateTime: { Input: string; Output: string };
    Date: { Input: string; Output: string };
    SearchValue: { Input: string | number | boolean; Output: never };
    QueryTree: { Input: unknown; Output: never };
  };
}>({
  defaultFieldNullability: false,
  plugins: [ValidationPlugin],
  validation: { validationError: ({ issues }, args) => invalid(issues.map((issue) => faultOf(issue, args))) },
});

builder.addScalarType('Id', IdScalar);
builder.addScalarType('Amount', AmountScalar);
builder.addScalarType('WholeNumber', WholeNumberScalar);
builder.addScalarType('DateTime', DateTimeScalar);
builder.addScalarType('Date', DateScalar);
builder.addScalarType('SearchValue', SearchValueScalar);
builder.addScalarType('QueryTree', QueryTreeScalar);

/** How a field is spelled in a row and on the wire, where neither has a name of its own for it: `houseNumber`, `house_number`. */
export const snakeCase = (name: string): string => {
  const known = inSnakeCase.get(name);
  if (known !== undefined) return known;
  const snake = name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  // Names of fields are few, and asked for with every record.
  if (inSnakeCase.size < 1000) inSnakeCase.set(name, snake);
  return snake;
};
const inSnakeCase = new Map<string, string>();

/** A path as it is written in faults: `input.users[0].id`. */
export const locationOf = (path: readonly PropertyKey[]): string =>
  path
    .map((step, index) => (typeof step === 'number' ? `[${step}]` : `${index === 0 ? '' : '.'}${String(step)}`))
    .join('');

/** The steps of an issue's path. */
export const stepsOf = (issue: StandardSchemaV1.Issue): PropertyKey[] =>
  (issue.path ?? []).map((step) => (typeof step === 'object' ? step.key : step));

const faultOf = (issue: StandardSchemaV1.Issue, args: unknown): Fault => {
  const steps = stepsOf(issue);
  // biome-ignore lint/suspicious/noExplicitAny: a path into arguments of any shape
  const value = steps.reduce((at: any, step) => at?.[step], args);
  return { location: locationOf(steps), message: issue.message, ...(value !== undefined && { value }) };
};

builder.queryType({ description: 'What can be read in the space of the caller.' });
builder.mutationType({ description: 'What can be changed in the space of the caller.' });
