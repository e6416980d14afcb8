// Compiles stored operations with graphql-jit, and uses JSON written by PostgreSQL where it can.
import type { DocumentNode, ExecutionResult, GraphQLSchema } from 'graphql';
import { type CompiledQuery, compileQuery, isCompiledQuery } from 'graphql-jit';
import type { Context } from '../context.ts';
import type { JsonPassthrough } from '../execution/json-passthrough.ts';

export type RunOperation = (context: Context, variables: Record<string, unknown>) => Promise<ExecutionResult>;

const compiled = (schema: GraphQLSchema, document: DocumentNode, name: string | undefined): CompiledQuery['query'] => {
  const result = compileQuery(schema, document, name);
  if (isCompiledQuery(result)) return result.query;
  throw new Error(`The operation ${name ?? ''} does not compile`, { cause: result });
};

/** `text` is the same operation with JSON passthrough. The document must be valid; throws when it cannot be compiled. */
export const compileOperation = (
  schema: GraphQLSchema,
  document: DocumentNode,
  { name, text }: { name?: string | undefined; text: JsonPassthrough | undefined },
): RunOperation => {
  const query = compiled(schema, document, name);
  const queryText = text && compiled(text.schema, text.document, name);
  return async (context, variables) => {
    const queries = text?.findQueries(variables);
    return (
      queries ? queryText!({}, { ...context, jsonQueries: queries }, variables) : query({}, context, variables)
    ) as Promise<ExecutionResult>;
  };
};
