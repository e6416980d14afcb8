// The GraphQL engine: Yoga with our schema, masking every error that is not a Problem or GraphQL's own.
import { type DocumentNode, type ExecutionArgs, execute, GraphQLError } from 'graphql';
import { createYoga, type Plugin } from 'graphql-yoga';
import { type AsText, asText, stringify } from '../../schema/as-text.ts';
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
    plugins: [reportInternalErrors, recordsAsText()],
  });

/** Masks what went wrong in a resolver, and ties it to its line in the log by the instance. */
const reportInternalErrors: Plugin<EngineContext> = {
  onExecute: ({ args }) => ({
    onExecuteDone: ({ result, setResult }) => {
      if (!('errors' in result) || !result.errors || result.errors.every(isOurs)) return;
      const { instance, onInternalError } = args.contextValue;
      const errors = result.errors.map((error) => {
        if (isOurs(error)) return error;
        onInternalError(error.originalError ?? error);
        return masked(error, instance);
      });
      setResult({ ...result, errors });
    },
  }),
};

/** Has records as text where the document allows it. */
const recordsAsText = (): Plugin<EngineContext> => {
  const known = new WeakMap<DocumentNode, Map<string, AsText | undefined>>();
  const knownAs = (document: DocumentNode, operationName: string | null | undefined): AsText | undefined => {
    const names = known.get(document) ?? new Map<string, AsText | undefined>();
    known.set(document, names);
    const name = operationName ?? '';
    if (!names.has(name)) names.set(name, asText(schema, document, { operationName }));
    return names.get(name);
  };
  return {
    onExecute: ({ args, setExecuteFn }) => {
      const plan = knownAs(args.document, args.operationName);
      const shown = plan?.shown(args.variableValues ?? {});
      if (!plan || !shown) return;
      args.contextValue.asText = shown;
      setExecuteFn(async (asked: ExecutionArgs) => ({
        ...(await execute({ ...asked, schema: plan.schema, document: plan.document })),
        stringify,
      }));
    },
  };
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
