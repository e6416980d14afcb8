// An operation made ready to run again and again: compiled by graphql-jit, with records as text where they can be had so.
import type { DocumentNode, ExecutionResult, GraphQLSchema } from 'graphql';
import { type CompiledQuery, compileQuery, isCompiledQuery } from 'graphql-jit';
import type { Context } from '../context.ts';
import type { AsText } from '../execution/json-passthrough.ts';

export type Run = (context: Context, variables: Record<string, unknown>) => Promise<ExecutionResult>;

const compiled = (schema: GraphQLSchema, document: DocumentNode, name: string | undefined): CompiledQuery['query'] => {
  const result = compileQuery(schema, document, name);
  if (isCompiledQuery(result)) return result.query;
  throw new Error(`The operation ${name ?? ''} does not compile`, { cause: result });
};

/** `text` is the same operation with records as text. The document must be valid; throws when it cannot be compiled. */
export const compileOperation = (
  schema: GraphQLSchema,
  document: DocumentNode,
  { name, text }: { name?: string | undefined; text: AsText | undefined },
): Run => {
  const query = compiled(schema, document, name);
  const queryText = text && compiled(text.schema, text.document, name);
  return async (context, variables) => {
    const shown = text?.shown(variables);
    return (
      shown ? queryText!({}, { ...context, asText: shown }, variables) : query({}, context, variables)
    ) as Promise<ExecutionResult>;
  };
};
