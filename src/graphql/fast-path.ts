// Documents past the engine: one that was found valid is executed as it is, and one that asks for the schema alone is answered from memory.
import { type DocumentNode, type ExecutionArgs, type ExecutionResult, execute, getOperationAST, Kind } from 'graphql';
import { LRUCache } from 'lru-cache';
import { schema } from '../../schema/index.ts';
import type { Context } from '../context.ts';
import { planJsonPassthrough, stringifyResult } from '../execution/json-passthrough.ts';
import { createPacedSchema } from './paced-schema.ts';

/** A result, with how it is written when that is known; undefined when the request itself is at fault, of which the engine has to tell. */
export type FastPath = (
  context: Context,
  variables: Record<string, unknown>,
) => Promise<(ExecutionResult & { stringify?: () => Uint8Array }) | undefined>;

/** Nothing that it selects depends on who asks, or on anything that changes. */
const isIntrospection = (document: DocumentNode, operationName: string | null): boolean => {
  const { selectionSet, variableDefinitions } = getOperationAST(document, operationName)!;
  const asked = selectionSet.selections.map((one) => (one.kind === Kind.FIELD ? one.name.value : ''));
  return !variableDefinitions?.length && asked.every((name) => name === '__schema' || name === '__type');
};

/** Answers of introspection, as they are sent: each is long, and a few tools ask the same again and again. In bytes. */
const introspections = new LRUCache<DocumentNode, Uint8Array>({
  maxSize: 16 * 1024 * 1024,
  sizeCalculation: ({ byteLength }) => byteLength,
});

const pacedSchema = createPacedSchema(schema);

/** Executes an operation piece by piece, as soon as few others are. Its context must have a `pace`. */
export const executeInPieces = async (args: ExecutionArgs): Promise<ExecutionResult> => {
  await (args.contextValue as Context).pace!.begin();
  return execute({ ...args, schema: pacedSchema });
};

/** A query or mutation of a valid document; undefined when it is neither. */
export const planFastPath = (document: DocumentNode, operationName: string | null): FastPath | undefined => {
  const operation = getOperationAST(document, operationName);
  if (!operation || operation.operation === 'subscription') return undefined;
  const text = planJsonPassthrough(schema, document, { operationName });
  const isSame = isIntrospection(document, operationName);
  return async (context, variables) => {
    const known = isSame ? introspections.get(document) : undefined;
    if (known) return { data: {}, stringify: () => known };
    const queries = text?.findQueries(variables);
    // Not compiled: what is left above the records is little, and of variables of types within themselves the compiler makes no end.
    const run = context.pace && !queries ? executeInPieces : execute;
    const { data, errors } = await run({
      ...(queries ? text! : { schema, document }),
      operationName,
      variableValues: variables,
      contextValue: { ...context, jsonQueries: queries },
    });
    // Nothing was executed.
    if (data === undefined) return undefined;
    if (isSame && !errors) introspections.set(document, Buffer.from(stringifyResult({ data })));
    return { ...(errors?.length && { errors }), data };
  };
};
