// The GraphQL engine: Yoga with our schema, masking every error that is not a Problem or GraphQL's own.
import { type ExecutionResult, GraphQLError } from 'graphql';
import { createYoga, type Plugin } from 'graphql-yoga';
import { stringify, stringifyPaced } from '../../schema/as-text.ts';
import { schema } from '../../schema/index.ts';
import { toSend } from '../body.ts';
import type { Context } from '../context.ts';
import { limits } from '../limits.ts';
import { Problem, problemOf } from '../problem.ts';
import { createTextCache } from './documents.ts';
import { executePaced } from './plain.ts';

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
    parserAndValidationCache: { documentCache: createTextCache(), errorCache: createTextCache() },
    plugins: [paceAndFinish],
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

/** A result that may say how it is written. */
export type Writable = ExecutionResult & { stringify?: (result: unknown) => string | Uint8Array };

/** A result as it is sent: errors masked, and written piece by piece where it may be long. Throws 422 when it is too long. */
export const finishResult = async (result: Writable, context: EngineContext): Promise<Writable> => {
  const masked = maskErrors(result, context);
  if (masked.stringify) return masked;
  if (!context.pace) {
    const text = toSend(stringify(masked));
    return { ...masked, stringify: () => text };
  }
  const text = await stringifyPaced(masked, context.pace, limits.request.answerBytes);
  return { ...masked, stringify: () => text };
};

const paceAndFinish: Plugin<EngineContext> = {
  onExecute: ({ args, setExecuteFn }) => {
    if (args.contextValue.pace) setExecuteFn(executePaced);
    return {
      onExecuteDone: async ({ result, setResult }) => {
        if ('next' in result || Symbol.asyncIterator in result) return;
        const context = args.contextValue;
        setResult(
          await finishResult(result, context).catch((error) => maskErrors({ errors: [asGraphQL(error)] }, context)),
        );
      },
    };
  },
};

/** What is thrown here Yoga would mask without telling anybody. */
const asGraphQL = (error: Error): GraphQLError =>
  error instanceof GraphQLError ? error : new GraphQLError(error.message, { originalError: error });

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
