// The GraphQL engine: Yoga with our schema. Every error has a code of the error table, and internal errors are masked.
import { type ExecutionArgs, type ExecutionResult, GraphQLError } from 'graphql';
import { createYoga, type Plugin } from 'graphql-yoga';
import { schema } from '../../schema/index.ts';
import type { Context } from '../context.ts';
import { encodeLongText } from '../http/body.ts';
import { limits } from '../limits/limits.ts';
import { stringifyInPieces, stringifyResult } from '../plan/json-text.ts';
import { convertToProblem, createInvalidProblem, type Fault, Problem, type ProblemCode, problems } from '../problem.ts';
import { areCoercible } from './coercible.ts';
import { createDocumentCache } from './documents.ts';
import { executeInPieces } from './fast-path.ts';
import { findVariableFaults } from './find-faults.ts';
import type { Parameters } from './parameters.ts';

/** The context of the engine. */
export type EngineContext = Context & { onInternalError(error: unknown): void; instance: string };

/** The path of the GraphQL door. */
export const endpoint = '/graphql';

export const createGraphqlEngine = () =>
  createYoga<EngineContext>({
    schema,
    graphqlEndpoint: endpoint,
    graphiql: false,
    landingPage: false,
    cors: false,
    logging: false,
    multipart: false,
    maskedErrors: { maskError: (error) => (isOurs(error) ? (error as Error) : masked(error)) },
    // Nothing is remembered of what does not parse.
    parserAndValidationCache: {
      documentCache: createDocumentCache(),
      errorCache: { get: () => undefined, set: () => {} },
    },
    plugins: [paceAndFinish],
  });

/** Masks internal errors of resolvers; the instance ties each to its line in the log. */
export const maskInternalErrors = <Result extends { errors?: readonly GraphQLError[] }>(
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

/** A result that may bring its own serializer. */
export type Writable = ExecutionResult & { stringify?: (result: unknown) => string | Uint8Array };

/** Masks the errors of a result and serializes it, piece by piece where it may be long. Throws 422 when it is too long. */
export const finishGraphqlResult = async (result: Writable, context: EngineContext): Promise<Writable> => {
  const masked = maskInternalErrors(result, context);
  if (masked.stringify) return masked;
  if (!context.pace) {
    const text = encodeLongText(stringifyResult(masked));
    return { ...masked, stringify: () => text };
  }
  const text = await stringifyInPieces(masked, context.pace, limits.request.answerBytes);
  return { ...masked, stringify: () => text };
};

const paceAndFinish: Plugin<EngineContext> = {
  onExecute: async ({ args, setExecuteFn }) => {
    const { document, operationName, variableValues } = args;
    if (!(await areCoercible(document, operationName, variableValues ?? {}))) setExecuteFn(refuseVariables);
    else if (args.contextValue.pace) setExecuteFn(executeInPieces);
    return {
      onExecuteDone: async ({ result, setResult }) => {
        if ('next' in result || Symbol.asyncIterator in result) return;
        const context = args.contextValue;
        const told = result.data === undefined ? { errors: await variableErrors(args, result) } : result;
        setResult(
          await finishGraphqlResult(told, context).catch((error) =>
            maskInternalErrors({ errors: [asGraphQL(error)] }, context),
          ),
        );
      },
    };
  },
};

/** The faults are found afterwards. */
const refuseVariables = (): ExecutionResult => ({
  errors: [new GraphQLError('do not fit the types of the document')],
});

/** All faults of the variables, because of which nothing was executed. */
const variableErrors = async (
  args: ExecutionArgs,
  { errors = [] }: ExecutionResult,
): Promise<readonly GraphQLError[]> => {
  const found = await findVariableFaults(args);
  return found.length > 0
    ? found
    : errors.map(({ message }) => createInvalidProblem([{ location: 'variables', message }]));
};

/** Yoga's codes for errors of the document, and ours. */
const codes: Record<string, ProblemCode> = {
  GRAPHQL_PARSE_FAILED: 'syntax-error',
  GRAPHQL_VALIDATION_FAILED: 'invalid-document',
};

const operationFault = (operationName: string | null): Fault =>
  operationName === null
    ? { location: 'operationName', message: 'is required, since the document has not one operation alone' }
    : { location: 'operationName', message: 'names no operation of the document', value: operationName };

/** Adds the code to an error of a request that was not executed. */
const coded = (error: GraphQLError, { operationName }: Parameters): GraphQLError => {
  const { message, nodes, source, positions, extensions } = error;
  if (String(extensions.code) in problems) return error;
  if (extensions.code === 'OPERATION_RESOLUTION_FAILURE') return createInvalidProblem([operationFault(operationName)]);
  const code = codes[String(extensions.code)] ?? 'invalid-document';
  return new GraphQLError(message, { nodes, source, positions, extensions: { code, status: problems[code][0] } });
};

/** Parses, validates and executes a request. */
export const runGraphqlEngine = async (
  engine: Engine,
  params: Parameters,
  request: Request,
  context: EngineContext,
): Promise<Writable> => {
  const asked = { params: { ...params, operationName: params.operationName ?? undefined }, request };
  const result = (await engine.getResultForParams(asked, context as never)) as Writable;
  if (result.data !== undefined || !result.errors) return result;
  return { errors: result.errors.map((error) => coded(error, params)) };
};

/** Makes an error a GraphQLError: Yoga would mask any other without a report. */
const asGraphQL = (error: Error): GraphQLError =>
  error instanceof GraphQLError ? error : new GraphQLError(error.message, { originalError: error });

export type Engine = ReturnType<typeof createGraphqlEngine>;

/** Whether an error may be shown: GraphQL's own errors (syntax, validation, coercion) and Problems concern the request. */
const isOurs = (error: unknown): boolean => {
  if (!(error instanceof GraphQLError)) return false;
  if (error instanceof Problem || !error.originalError) return true;
  return isOurs(error.originalError);
};

const masked = (error: unknown, instance?: string): GraphQLError => {
  const { message, extensions } = convertToProblem(error);
  const { nodes, source, positions, path } = error instanceof GraphQLError ? error : ({} as Partial<GraphQLError>);
  return new GraphQLError(message, {
    nodes,
    source,
    positions,
    path,
    extensions: { ...extensions, ...(instance && { instance }) },
  });
};
