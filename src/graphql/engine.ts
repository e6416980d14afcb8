// The GraphQL engine: Yoga with our schema, masking every error that is not a Problem or GraphQL's own.
import { GraphQLError } from 'graphql';
import { createYoga, type Plugin } from 'graphql-yoga';
import { schema } from '../../schema/index.ts';
import type { Context } from '../context.ts';
import { Problem, problemOf } from '../problem.ts';

/** What the doors hand to the engine beside the request. */
export type EngineContext = Context & { onInternalError(error: unknown): void; instance: string };

/** Where GraphQL is served. */
export const endpoint = '/graphql';

export const createEngine = () =>
  createYoga<EngineContext>({
    schema,
    graphqlEndpoint: endpoint,
    graphiql: false,
    landingPage: false,
    cors: false,
    logging: false,
    multipart: false,
    maskedErrors: { maskError: (error) => (isOurs(error) ? (error as Error) : masked(error)) },
    plugins: [reportInternalErrors],
  });

/** Masks what went wrong in a resolver, and ties it to its line in the log by the instance. */
export const maskErrors = <Result extends { errors?: readonly GraphQLError[] }>(
  result: Result,
  { instance, onInternalError }: EngineContext,
): Result => {
  if (!result.errors || result.errors.every(isOurs)) return result;
  const errors = result.errors.map((error) => {
    if (isOurs(error)) return error;
    onInternalError(error.originalError ?? error);
    return masked(error, instance);
  });
  return { ...result, errors };
};

const reportInternalErrors: Plugin<EngineContext> = {
  onExecute: ({ args }) => ({
    onExecuteDone: ({ result, setResult }) => {
      if ('errors' in result) setResult(maskErrors(result as never, args.contextValue));
    },
  }),
};

export type Engine = ReturnType<typeof createEngine>;

/** GraphQL's own errors (syntax, validation, coercion) and Problems speak of the request, never of our inside. */
const isOurs = (error: unknown): boolean => {
  if (!(error instanceof GraphQLError)) return false;
  if (error instanceof Problem || !error.originalError) return true;
  return isOurs(error.originalError);
};

const masked = (error: unknown, instance?: string): GraphQLError => {
  const { message, extensions } = problemOf(error);
  const { nodes, source, positions, path } = error instanceof GraphQLError ? error : ({} as Partial<GraphQLError>);
  return new GraphQLError(message, {
    nodes,
    source,
    positions,
    path,
    extensions: { ...extensions, ...(instance && { instance }) },
  });
};
