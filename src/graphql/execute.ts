// Executes valid operations: records as JSON where PostgreSQL can write them, piece by piece where they are many, and introspection from memory.
import {
  type DocumentNode,
  type ExecutionArgs,
  type ExecutionResult,
  execute,
  GraphQLError,
  type GraphQLSchema,
  Kind,
  type OperationDefinitionNode,
  subscribe,
} from 'graphql';
import { LRUCache } from 'lru-cache';
import { schema } from '../../schema/index.ts';
import type { Context } from '../context.ts';
import { getOrMake } from '../limits/cache-key.ts';
import { limits } from '../limits/limits.ts';
import { planJsonPassthrough } from '../plan/json-passthrough.ts';
import { stringifyInPieces, stringifyResult } from '../plan/json-text.ts';
import { NeedsResolver } from '../plan/plan-selection.ts';
import { createInvalidProblem } from '../problem.ts';
import { areCoercible, findVariableFaults } from './find-faults.ts';
import { createPacedSchema } from './paced-schema.ts';

/** A result that may bring its own serializer, or the events of a subscription. */
export type Result = ExecutionResult & {
  stringify?: (result: unknown) => string | Uint8Array;
  events?: AsyncGenerator<ExecutionResult>;
};

/** Executes an operation. Without `data`, nothing was executed: the errors are all faults of its variables, or why a subscription cannot begin. */
export type Execute = (context: Context, variables: Record<string, unknown>) => Promise<Result>;

/** Whether an operation only asks for the schema, so that its answer never changes. */
const isIntrospection = ({ selectionSet, variableDefinitions }: OperationDefinitionNode): boolean => {
  const asked = selectionSet.selections.map((one) => (one.kind === Kind.FIELD ? one.name.value : ''));
  return !variableDefinitions?.length && asked.every((name) => name === '__schema' || name === '__type');
};

/** Serialized answers to introspection: each is long, and a few tools repeat the same queries. Sizes are in bytes. */
const introspections = new LRUCache<OperationDefinitionNode, Uint8Array>({
  maxSize: 16 * 1024 * 1024,
  sizeCalculation: ({ byteLength }) => byteLength,
});

const pacedSchemas = new WeakMap<GraphQLSchema, GraphQLSchema>();

/** Executes an operation piece by piece, once few others are under way. Its context must have a `pace`. */
const executeInPieces = async (args: ExecutionArgs): Promise<ExecutionResult> => {
  await (args.contextValue as Context).pace!.begin();
  return execute({ ...args, schema: getOrMake(pacedSchemas, args.schema, () => createPacedSchema(args.schema)) });
};

const planQuery = (
  document: DocumentNode,
  operation: OperationDefinitionNode,
  operationName: string | null,
): Execute => {
  const planJson = planJsonPassthrough(schema, document, { operationName });
  const isSame = isIntrospection(operation);
  return async (context, variables) => {
    const answer = isSame ? introspections.get(operation) : undefined;
    if (answer) return { data: {}, stringify: () => answer };
    // Not compiled: little is left above the records, and the compiler never ends for variables of recursive types.
    const plan = planJson?.(variables, context);
    const run = (of: Pick<ExecutionArgs, 'schema' | 'document'>, contextValue: Context, isWhole = false) => {
      const { schema, document } = of;
      const args = { schema, document, operationName, variableValues: variables, contextValue };
      return context.pace && !isWhole ? executeInPieces(args) : execute(args);
    };
    const result = await (plan
      ? run(plan, { ...context, jsonPlans: plan.plans }, plan.isWhole)
      : run({ schema, document }, context));
    // A mutation is never run twice.
    const isLeft = ({ originalError }: GraphQLError): boolean => originalError instanceof NeedsResolver;
    if (plan && operation.operation === 'query' && result.errors?.some(isLeft))
      return run({ schema, document }, context);
    if (!isSame || result.errors) return result;
    const { data } = result;
    const known = context.pace
      ? await stringifyInPieces({ data }, context.pace, limits.request.answerBytes)
      : Buffer.from(stringifyResult({ data }));
    introspections.set(operation, known);
    return { data: {}, stringify: () => known };
  };
};

const planSubscription =
  (document: DocumentNode, operationName: string | null): Execute =>
  async (contextValue, variableValues) => {
    const results = await subscribe({ schema, document, operationName, variableValues, contextValue });
    return Symbol.asyncIterator in results
      ? { data: null, events: results as AsyncGenerator<ExecutionResult> }
      : results;
  };

/** The faults are found afterwards. */
const notCoercible: Result = { errors: [new GraphQLError('do not fit the types of the document')] };

export const planExecution = (
  document: DocumentNode,
  operation: OperationDefinitionNode,
  operationName: string | null,
): Execute => {
  const run =
    operation.operation === 'subscription'
      ? planSubscription(document, operationName)
      : planQuery(document, operation, operationName);
  return async (context, variables) => {
    // graphql-js would print the whole value in each of up to 50 errors, which nobody is shown.
    const result = (await areCoercible(operation, variables)) ? await run(context, variables) : notCoercible;
    if (result.data !== undefined || result.errors?.some(({ path }) => path !== undefined)) return result;
    const found = await findVariableFaults(document, operation, variables, context);
    if (found.length > 0) return { errors: found };
    const messages = result.errors?.map(({ message }) => message) ?? [];
    return { errors: messages.map((message) => createInvalidProblem([{ location: 'variables', message }])) };
  };
};
