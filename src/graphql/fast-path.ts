// The fast path: executes valid documents without the engine, and answers introspection from memory.
import {
  type DocumentNode,
  type ExecutionArgs,
  type ExecutionResult,
  execute,
  type GraphQLSchema,
  getOperationAST,
  Kind,
  type OperationDefinitionNode,
} from 'graphql';
import { LRUCache } from 'lru-cache';
import { schema } from '../../schema/index.ts';
import type { Context } from '../context.ts';
import { limits } from '../limits/limits.ts';
import { planJsonPassthrough } from '../plan/json-passthrough.ts';
import { stringifyInPieces, stringifyResult } from '../plan/json-text.ts';
import { NeedsResolver } from '../plan/plan-selection.ts';
import { areCoercible } from './coercible.ts';
import { createPacedSchema } from './paced-schema.ts';

/** Executes a document. Resolves to undefined when the request is at fault, which the engine then reports. */
export type FastPath = (
  context: Context,
  variables: Record<string, unknown>,
) => Promise<(ExecutionResult & { stringify?: () => Uint8Array }) | undefined>;

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
export const executeInPieces = async (args: ExecutionArgs): Promise<ExecutionResult> => {
  await (args.contextValue as Context).pace!.begin();
  const paced = pacedSchemas.get(args.schema) ?? createPacedSchema(args.schema);
  pacedSchemas.set(args.schema, paced);
  return execute({ ...args, schema: paced });
};

/** The fast path of a valid document; undefined for a subscription. */
export const planFastPath = (document: DocumentNode, operationName: string | null): FastPath | undefined => {
  const operation = getOperationAST(document, operationName);
  if (!operation || operation.operation === 'subscription') return undefined;
  const planJson = planJsonPassthrough(schema, document, { operationName });
  const isSame = isIntrospection(operation);
  return async (context, variables) => {
    const answer = isSame ? introspections.get(operation) : undefined;
    if (answer) return { data: {}, stringify: () => answer };
    if (!(await areCoercible(document, operationName, variables))) return undefined;
    // Not compiled: little is left above the records, and the compiler never ends for variables of recursive types.
    const plan = planJson?.(variables, context);
    const run = context.pace && !plan?.isWhole ? executeInPieces : execute;
    const request = { operationName, variableValues: variables };
    let result = await (plan
      ? run({ ...plan, ...request, contextValue: { ...context, jsonPlans: plan.plans } })
      : run({ schema, document, ...request, contextValue: context }));
    if (plan && result.errors?.some(({ originalError }) => originalError instanceof NeedsResolver))
      result = await (context.pace ? executeInPieces : execute)({
        schema,
        document,
        ...request,
        contextValue: context,
      });
    const { data, errors } = result;
    // Nothing was executed.
    if (data === undefined) return undefined;
    if (!isSame || errors) return { ...(errors?.length && { errors }), data };
    const known = context.pace
      ? await stringifyInPieces({ data }, context.pace, limits.request.answerBytes)
      : Buffer.from(stringifyResult({ data }));
    introspections.set(operation, known);
    return { data: {}, stringify: () => known };
  };
};
