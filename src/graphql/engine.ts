// The GraphQL engine: Yoga runs each document that the door has read, measured and admitted. Internal errors are masked, and results are serialized.
import { GraphQLError } from 'graphql';
import { createYoga, type Plugin } from 'graphql-yoga';
import { schema } from '../../schema/index.ts';
import type { Context } from '../context.ts';
import type { RequestLog } from '../gate/request-log.ts';
import { encodeLongText } from '../http/body.ts';
import { limits } from '../limits/limits.ts';
import { stringifyInPieces, stringifyResult } from '../plan/json-text.ts';
import { convertToProblem, Problem } from '../problem.ts';
import type { MeasuredDocument } from './documents.ts';
import type { Result } from './execute.ts';
import type { Parameters } from './parameters.ts';

/** The context of a request for the engine. Yoga would answer a thrown error without its headers, so the error is kept here and thrown again. */
export type RequestContext = Context & {
  exchange: RequestLog;
  measured: MeasuredDocument;
  thrown?: { error: unknown } | undefined;
};

export const endpoint = '/graphql';

/** Hands over what the door knows of the document: it is neither parsed nor validated again. */
const handOver: Plugin<RequestContext> = {
  onParams: ({ context, setResult }) => {
    const { errors } = (context as RequestContext).measured;
    if (errors.length > 0) setResult({ errors: [...errors] });
  },
  onParse: ({ context, setParsedDocument }) => setParsedDocument(context.measured.valid!.document),
  onValidate: ({ setResult }) => setResult([]),
  onExecute: ({ setExecuteFn }) => setExecuteFn(execute as never),
  onSubscribe: ({ setSubscribeFn }) => setSubscribeFn(execute as never),
};

interface Asked {
  contextValue: RequestContext;
  variableValues?: Record<string, unknown> | null;
}
const execute = async ({ contextValue, variableValues }: Asked): Promise<Result> => {
  try {
    return await contextValue.measured.valid!.execute(contextValue, variableValues ?? {});
  } catch (error) {
    contextValue.thrown = { error };
    return {};
  }
};

export const createGraphqlEngine = () => {
  const { getResultForParams } = createYoga<RequestContext>({
    schema,
    graphqlEndpoint: endpoint,
    graphiql: false,
    landingPage: false,
    cors: false,
    logging: false,
    multipart: false,
    maxRequestBodySize: false,
    maskedErrors: false,
    parserAndValidationCache: false,
    plugins: [handOver],
  });
  /** The result of a request, with its errors masked. Throws what the execution throws. */
  return async (
    { query, operationName, variables }: Parameters,
    request: Request,
    context: RequestContext,
  ): Promise<Result> => {
    const params = { query, operationName: operationName ?? undefined, variables };
    const result = await getResultForParams({ params, request }, context as never);
    const { thrown } = context;
    if (!thrown) return maskInternalErrors(result as Result, context);
    context.thrown = undefined;
    throw thrown.error;
  };
};

/** Masks internal errors of resolvers, and logs all that are not the client's; the instance ties each masked one to its line in the log. */
export const maskInternalErrors = <Masked extends { errors?: readonly GraphQLError[] }>(
  result: Masked,
  { exchange }: RequestContext,
): Masked => {
  if (!result.errors) return result;
  const errors = result.errors.map((error) => {
    const isShown = isOurs(error);
    if (!isShown || Number(error.extensions.status) >= 500) exchange.failed(error.originalError ?? error);
    return isShown ? error : mask(error, exchange.instance);
  });
  return { ...result, errors };
};

/** Serializes a result, piece by piece where it may be long. Throws 422 when it is too long. */
export const serializeResult = async (result: Result, { pace }: Context): Promise<Result> => {
  if (result.stringify) return result;
  const text = pace
    ? await stringifyInPieces(result, pace, limits.request.answerBytes)
    : encodeLongText(stringifyResult(result));
  return { data: result.data, errors: result.errors, stringify: () => text };
};

/** Whether an error may be shown: GraphQL's own errors (syntax, validation, coercion) and Problems concern the request. */
const isOurs = (error: unknown): boolean => {
  if (!(error instanceof GraphQLError)) return false;
  if (error instanceof Problem || !error.originalError) return true;
  return isOurs(error.originalError);
};

const mask = (error: GraphQLError, instance: string): GraphQLError => {
  const { message, extensions } = convertToProblem(error);
  const { nodes, source, positions, path } = error;
  return new GraphQLError(message, { nodes, source, positions, path, extensions: { ...extensions, instance } });
};
