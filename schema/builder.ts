// The schema builder: the context of resolvers, the scalars, the price that a root field declares.
import SchemaBuilder from '@pothos/core';
import ValidationPlugin, { type StandardSchemaV1 } from '@pothos/plugin-validation';
import type { Context } from '../src/context.ts';
import { formatLocation, listPathSteps } from '../src/input/location.ts';
import { createInvalidProblem, type Fault } from '../src/problem.ts';
import {
  ContactQueryJsonScalar,
  DateScalar,
  DateTimeScalar,
  QueryTreeScalar,
  SafeIntScalar,
  SearchDateScalar,
  WholeNumberScalar,
} from './scalars.ts';

declare module 'graphql' {
  // biome-ignore lint/suspicious/noExplicitAny: the signature is graphql's own
  interface GraphQLFieldExtensions<_TSource, _TContext, _TArgs = any> {
    /** Tokens that this root field takes from the bucket; 1 when it is silent. */
    cost?: number;
  }
}

export const builder = new SchemaBuilder<{
  Context: Context;
  DefaultFieldNullability: false;
  Scalars: {
    /** Arguments are numbers once `readIds` has read them. */
    ID: { Input: number; Output: string | number };
    SafeInt: { Input: number; Output: number };
    WholeNumber: { Input: number; Output: number };
    DateTime: { Input: string; Output: string };
    Date: { Input: string; Output: string };
    SearchDate: { Input: string; Output: never };
    QueryTree: { Input: unknown; Output: object };
    ContactQueryJSON: { Input: never; Output: unknown };
  };
}>({
  defaultFieldNullability: false,
  plugins: [ValidationPlugin],
  validation: {
    validationError: ({ issues }, args) => createInvalidProblem(issues.map((issue) => faultOf(issue, args))),
  },
});

builder.addScalarType('SafeInt', SafeIntScalar);
builder.addScalarType('WholeNumber', WholeNumberScalar);
builder.addScalarType('DateTime', DateTimeScalar);
builder.addScalarType('Date', DateScalar);
builder.addScalarType('SearchDate', SearchDateScalar);
builder.addScalarType('QueryTree', QueryTreeScalar);
builder.addScalarType('ContactQueryJSON', ContactQueryJsonScalar);

const faultOf = (issue: StandardSchemaV1.Issue, args: unknown): Fault => {
  const steps = listPathSteps(issue);
  // biome-ignore lint/suspicious/noExplicitAny: a path into arguments of any shape
  const value = steps.reduce((at: any, step) => at?.[step], args);
  return { location: formatLocation(steps), message: issue.message, ...(value !== undefined && { value }) };
};

builder.queryType({ description: 'What can be read in the space of the caller.' });
builder.mutationType({ description: 'What can be changed in the space of the caller.' });
