// The GraphQL door: a request is measured, priced, let in and executed; plain JSON POSTs past Yoga's HTTP layer, all else through it.
import { GraphQLError, parse } from 'graphql';
import { createLRUCache, processRegularResult } from 'graphql-yoga';
import { schema } from '../../schema/index.ts';
import { isJsonType, parseJson, readText } from '../body.ts';
import type { Exchange } from '../exchange.ts';
import type { Gate } from '../gate/gate.ts';
import { rateHeaders } from '../gate/gate.ts';
import { priceOf } from '../gate/price.ts';
import { Problem } from '../problem.ts';
import { createEngine, type Engine, type EngineContext } from './engine.ts';
import { checkLimits, limits, refuse } from './limits.ts';

interface DoorOptions {
  gate: Gate;
  capacity: number;
  contextOf(entry: Awaited<ReturnType<Gate>>): import('../context.ts').Context;
}

/** What a document costs, or why it is refused; a document that does not parse costs 1 and is answered by the engine. */
type Verdict = { cost: number; refusal?: Problem };

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
    const text = request.method === 'POST' ? await readText(request, limits.body) : undefined;
    const params = paramsOf(request, url, text);
    const { cost, refusal } = judge(params?.query, params?.operationName);
    const entry = await gate(request.headers.get('authorization'), cost);
    exchange.entered(entry);
    if (refusal) throw refusal;
    const context: EngineContext = {
      ...contextOf(entry),
      instance: exchange.instance,
      onInternalError: (error) => exchange.failed(error),
    };
    const accepted = plainAccepts.get(request.headers.get('accept'));
    const plain = accepted && params && text !== undefined && isJsonType(request.headers.get('content-type'));
    const answer = plain
      ? processRegularResult(await execute(engine, params, request, context), globalThis as never, accepted)
      : await engine.fetch(again(request, text), context);
    for (const [name, value] of Object.entries(rateHeaders(entry.bucket))) answer.headers.set(name, value);
    return answer as Response;
  };
};

/** Executes parameters as Yoga's handler does, where an error of the parameters themselves is a result too. */
const execute = async (engine: Engine, params: Record<string, unknown>, request: Request, context: EngineContext) => {
  try {
    return (await engine.getResultForParams({ params, request }, context as never)) as never;
  } catch (error) {
    if (error instanceof GraphQLError) return { errors: [error] } as never;
    throw error;
  }
};

/** The request with its body put back. */
const again = (request: Request, text: string | undefined): Request =>
  new Request(request.url, {
    method: request.method,
    headers: request.headers,
    ...(text !== undefined && { body: text }),
  });

/** The parameters of a request as far as they can be told; undefined where the engine is to say what is wrong with it. */
const paramsOf = (request: Request, url: URL, text: string | undefined): Record<string, unknown> | undefined => {
  if (text === undefined)
    return { query: url.searchParams.get('query'), operationName: url.searchParams.get('operationName') };
  if (!/json/i.test(request.headers.get('content-type') ?? '')) return undefined;
  try {
    const body = parseJson(text);
    return typeof body === 'object' && body !== null && !Array.isArray(body)
      ? (body as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
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
    return { cost };
  } catch (error) {
    if (error instanceof Problem) return { cost: 1, refusal: error };
    throw error;
  }
};

const parseWithin = (text: string) => {
  try {
    return parse(text, { maxTokens: limits.tokens, noLocation: true });
  } catch (error) {
    if (String(error).includes('tokens'))
      throw new Problem('query-too-large', `The document has more than ${limits.tokens} tokens`);
    return undefined;
  }
};
