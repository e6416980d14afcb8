// Compiles stored operations with graphql-jit, and uses JSON written by PostgreSQL where it can.
import type { DocumentNode, ExecutionResult, GraphQLSchema } from 'graphql';
import { type CompiledQuery, compileQuery, isCompiledQuery } from 'graphql-jit';
import type { Context } from '../context.ts';
import type { PlanJson } from '../plan/json-passthrough.ts';

export type RunOperation = (context: Context, variables: Record<string, unknown>) => Promise<ExecutionResult>;

const compiled = (schema: GraphQLSchema, document: DocumentNode, name: string | undefined): CompiledQuery['query'] => {
  const result = compileQuery(schema, document, name);
  if (isCompiledQuery(result)) return result.query;
  throw new Error(`The operation ${name ?? ''} does not compile`, { cause: result });
};

/** `planJson` is for operations with JSON passthrough. The document must be valid; throws when it cannot be compiled. */
export const compileOperation = (
  schema: GraphQLSchema,
  document: DocumentNode,
  { name, planJson }: { name?: string | undefined; planJson: PlanJson | undefined },
): RunOperation => {
  const query = compiled(schema, document, name);
  /** By the plan's document, of which there is one for each combination of directives. */
  const queriesOfPlans = new WeakMap<DocumentNode, CompiledQuery['query']>();
  return async (context, variables) => {
    const plan = planJson?.(variables, context);
    if (!plan) return query({}, context, variables) as Promise<ExecutionResult>;
    const ofPlan = queriesOfPlans.get(plan.document) ?? compiled(plan.schema, plan.document, name);
    queriesOfPlans.set(plan.document, ofPlan);
    return ofPlan({}, { ...context, jsonPlans: plan.plans }, variables) as Promise<ExecutionResult>;
  };
};
