// The GraphQL door: a request is measured, priced, let in and executed; plain JSON POSTs past Yoga's HTTP layer, all else through it.
import { GraphQLError, parse } from 'graphql';
import { createLRUCache, processRegularResult } from 'graphql-yoga';
import { schema } from '../../schema/index.ts';
import { isJsonType, readText, toSend } from '../body.ts';
import type { Context } from '../context.ts';
import type { Exchange } from '../exchange.ts';
import { type Entry, type Gate, rateHeaders } from '../gate/gate.ts';
import { operationOf, priceOf } from '../gate/price.ts';
import { type Answer, keyFaults, keyHeader, once } from '../idempotency.ts';
import { invalid, Problem } from '../problem.ts';
import { createEngine, type Engine, type EngineContext, endpoint, maskErrors } from './engine.ts';
import { checkLimits, limits, refuse } from './limits.ts';
import { type Plain, plainOf } from './plain.ts';

interface DoorOptions {
  gate: Gate;
  capacity: number;
  contextOf(entry: Entry, request: Request, writes: boolean): Context;
}

/** What a document costs, or why it is refused; a document that does not parse costs 1 and is answered by the engine. */
type Verdict = { cost: number; isMutation?: boolean; refusal?: Problem; plain?: Plain | undefined };

/** `Accept` headers whose answer is certain without weighing media types. Anything else is Yoga's to decide. */
const plainAccepts = new Map<string | null, string>([
  [null, 'application/json'],
  ['*/*', 'application/json'],
  ['application/json', 'application/json'],
  ['application/json, text/plain, */*', 'application/json'],
  ['application/graphql-response+json', 'application/graphql-response+json'],
  ['application/graphql-response+json,application/json;q=0.9', 'application/graphql-response+json'],
]);

export const createGraphqlDoor = ({ gate, capacity, contextOf }: DoorOptions) => {
  const engine = createEngine();
  const verdicts = createLRUCache<Verdict>({ max: 1000, ttl: 3_600_000 });

  const judge = (text: unknown, operationName: unknown): Verdict => {
    if (typeof text !== 'string') return { cost: 1 };
    const name = typeof operationName === 'string' ? operationName : null;
    const key = `${name ?? ''}\n${text}`;
    const known = verdicts.get(key);
    if (known) return known;
    const verdict = measure(text, name, capacity);
    if (text.length <= limits.characters) verdicts.set(key, verdict);
    return verdict;
  };

  return async (request: Request, url: URL, exchange: Exchange): Promise<Response> => {
    const body = request.method === 'POST' ? await readText(request, limits.body) : undefined;
    const params = body === undefined ? paramsOfUrl(url) : paramsOfBody(body);
    const { cost, isMutation = false, refusal, plain } = judge(params?.query, params?.operationName);
    const entry = await gate(request.headers.get('authorization'), cost);
    exchange.entered(entry);
    if (refusal) throw refusal;
    if (body !== undefined) requireJson(request);
    exchange.writes = isMutation;
    const context: EngineContext = {
      ...contextOf(entry, request, isMutation),
      instance: exchange.instance,
      onInternalError: (error) => exchange.failed(error),
    };
    const accepted = plainAccepts.get(request.headers.get('accept'));
    const withRate = (answer: Response): Response => {
      for (const [name, value] of Object.entries(rateHeaders(entry.bucket))) answer.headers.set(name, value);
      return answer;
    };
    const variables = params?.variables ?? {};
    const key = isMutation && body !== undefined ? request.headers.get(keyHeader) : null;
    if (plain && accepted && body !== undefined && key === null && isObject(variables) && isPlain(params!)) {
      const result = await plain(context, variables);
      if (result) return withRate(answered(maskErrors(result, context), accepted));
    }
    const run = async (within: EngineContext): Promise<Response> =>
      (accepted && params && body !== undefined
        ? answered(await execute(engine, params, request, within), accepted)
        : await engine.fetch(
            body === undefined ? canonicalGet(request, url) : canonicalPost(request, body),
            within,
          )) as Response;
    const answer = key === null ? await run(context) : await runOnce(context, key, params, run);
    return withRate(answer);
  };
};

/** What Yoga makes an answer with. */
const means = {
  Response: function answer(text: string, init: ResponseInit) {
    return new Response(toSend(text), init);
  },
};

const answered = (result: unknown, accepted: string): Response =>
  processRegularResult(result as never, means as never, accepted);

/** Runs mutations under a key. They share a transaction, which is kept when one of them at least was done. */
const runOnce = async (
  context: EngineContext,
  key: string,
  params: Record<string, unknown> | undefined,
  run: (context: EngineContext) => Promise<Response>,
): Promise<Response> => {
  const faults = keyFaults(key);
  if (faults.length > 0) throw invalid(faults);
  const asked = ['graphql', params?.query, params?.operationName ?? null, params?.variables ?? {}];
  const { body, ...init } = await once(context, key, asked, async (within) => {
    const shared = { done: 0 };
    const answer = await answerOf(await run({ ...within, shared }));
    return { answer, keep: shared.done > 0 };
  });
  return new Response(body, init);
};

/** A response as it is kept; its length is told anew each time. */
const answerOf = async (response: Response): Promise<Answer> => ({
  status: response.status,
  headers: Object.fromEntries([...response.headers].filter(([name]) => name !== 'content-length')),
  body: await response.text(),
});

/** Executes parameters as Yoga's handler does, where an error of the parameters themselves is a result too. */
const execute = async (engine: Engine, params: Record<string, unknown>, request: Request, context: EngineContext) => {
  try {
    return (await engine.getResultForParams({ params, request }, context as never)) as never;
  } catch (error) {
    if (error instanceof GraphQLError) return { errors: [error] } as never;
    throw error;
  }
};

const parameters = ['query', 'operationName', 'variables', 'extensions'];

const paramsOfUrl = ({ searchParams }: URL): Record<string, unknown> =>
  Object.fromEntries(parameters.map((name) => [name, searchParams.get(name)]));

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Whether there is nothing beside a query that the engine would have a word on. */
const isPlain = ({ extensions, operationName, ...others }: Record<string, unknown>): boolean =>
  (extensions ?? null) === null &&
  (typeof operationName === 'string' || (operationName ?? null) === null) &&
  Object.keys(others).every((name) => parameters.includes(name));

/** Undefined where the engine is to say what is wrong with the body. */
const paramsOfBody = (text: string): Record<string, unknown> | undefined => {
  try {
    const body: unknown = JSON.parse(text);
    return isObject(body) ? { ...body } : undefined;
  } catch {
    return undefined;
  }
};

/** A form or a bare document would be read by other rules than those that priced it. */
const requireJson = (request: Request): void => {
  const type = request.headers.get('content-type');
  if (isJsonType(type) || isJsonType(type?.replace(/^application\/graphql\+json/i, 'application/json') ?? null)) return;
  throw new Problem(
    'unsupported-media-type',
    `Send the body as application/json, not ${type ?? 'without a Content-Type'}`,
  );
};

/** The request as the engine is to read it: what was priced, and nothing that two readers could take for two things. */
const canonicalGet = (request: Request, url: URL): Request => {
  const read = Object.entries(paramsOfUrl(url)).filter(([, value]) => value !== null) as [string, string][];
  return new Request(`${url.origin}${endpoint}?${new URLSearchParams(read)}`, {
    method: request.method,
    headers: request.headers,
  });
};

const canonicalPost = (request: Request, body: string): Request => {
  const headers = new Headers(request.headers);
  headers.set('Content-Type', 'application/json');
  headers.delete('Content-Length');
  return new Request(request.url, { method: 'POST', headers, body });
};

const measure = (text: string, operationName: string | null, capacity: number): Verdict => {
  try {
    refuse('characters', text.length);
    const document = parseWithin(text);
    if (!document) return { cost: 1 };
    const cost = priceOf(schema, document, operationName);
    if (cost > capacity) {
      throw new Problem(
        'query-too-expensive',
        `The document costs ${cost} tokens; the bucket holds at most ${capacity}`,
      );
    }
    checkLimits(document);
    const isMutation = operationOf(document, operationName)?.operation === 'mutation';
    return { cost, isMutation, plain: plainOf(document, operationName) };
  } catch (error) {
    if (error instanceof Problem) return { cost: 1, refusal: error };
    throw error;
  }
};

const parseWithin = (text: string) => {
  try {
    return parse(text, { maxTokens: limits.tokens });
  } catch (error) {
    if (String(error).includes('tokens'))
      throw new Problem('query-too-large', `The document has more than ${limits.tokens} tokens`);
    return undefined;
  }
};
