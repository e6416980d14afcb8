// The REST door: turns a route's request into the variables of its stored operation, and the result into its reply.
import type { GraphQLSchema } from 'graphql';
import type { Context, SentTwice } from '../context.ts';
import type { Precondition } from '../data/noun/precondition.ts';
import { formatRateHeaders, type Gate } from '../gate/gate.ts';
import type { RequestLog } from '../gate/request-log.ts';
import { readJsonBody } from '../http/body.ts';
import { encodeBody } from '../http/compression.ts';
import { acceptsGzip } from '../http/negotiation.ts';
import { addUnknownFaults, runFieldCheck } from '../input/all-faults.ts';
import { read, relocate } from '../input/legacy-input.ts';
import type { Sent } from '../input/read-input.ts';
import { getOrMake } from '../limits/cache-key.ts';
import { limits } from '../limits/limits.ts';
import { Pace } from '../limits/pace.ts';
import { isPermitted } from '../permissions/authority.ts';
import { findKeyFaults, type KeptAnswer, keyHeader, runOncePerKey } from '../plan/idempotency.ts';
import { stringifyInPieces, stringifyResult } from '../plan/json-text.ts';
import { convertToProblem, createInvalidProblem, type Fault, Problem } from '../problem.ts';
import { formatTag, matchesNoneMatch, readPrecondition, takeVersion } from './etag.ts';
import { chooseExportFormat, exportContactPages, streamExport } from './export.ts';
import { readExportOptions } from './export-options.ts';
import { buildVariables, listRouteArguments } from './route-arguments.ts';
import { matchRoute } from './router.ts';
import { type Envelope, type Route, type VariableSource, wires } from './routes/index.ts';
import { reshapeReply } from './routes/output.ts';
import { compileStoredOperations } from './stored.ts';

/** The parts of a server that both doors of REST work with. */
export interface DoorOptions {
  gate: Gate;
  contextOf(exchange: RequestLog, request: Request): Context;
}

type Data = Record<string, unknown>;
/** The data of a query, or the payload of a mutation. */
type Result = Data | null | undefined;

/** An answer before it is sent. A long body is bytes. */
type Reply = Omit<KeptAnswer, 'body'> & { body: string | Uint8Array<ArrayBuffer> };

const envelopes: Record<Envelope, (data: Data) => unknown> = {
  data: (data) => ({ status: 'success', data }),
  inner: (data) => ({ status: 'success', data: only(data) }),
  list: (data) => {
    const { items, total } = only(data) as { items: unknown[]; total: number };
    return { status: 'success', data: items, total };
  },
  bare: (data) => only(data),
};

const only = (data: Data): unknown => Object.values(data)[0];

export const createRestDoor = ({ schema, gate, contextOf }: DoorOptions & { schema: GraphQLSchema }) => {
  const stored = compileStoredOperations(schema, wires);
  const known = new Map<Route, ReturnType<typeof listRouteArguments>>();
  const argumentsOf = (route: Route) =>
    getOrMake(known, route, () => listRouteArguments(route, stored[route.operation]));

  return async (request: Request, url: URL, exchange: RequestLog): Promise<Response> => {
    const { route, pattern, parameters } = matchRoute(request.method, url.pathname);
    exchange.route = `${route.method} ${pattern}`;
    const operation = stored[route.operation];
    const entry = await gate.admit(exchange.credentials, route.cost ?? operation.cost);
    exchange.entry = entry;

    const takesBody = Object.values(route.variables).some((source) => 'body' in source);
    const body = takesBody ? await readJsonBody(request, limits.request.bodyBytes) : undefined;
    await exchange.slot?.beginWork();
    const object = route.within ? requireObject(body, route.within) : {};
    const { headers } = request;
    const place: FaultPlace = {
      path: parameters,
      query: url.searchParams,
      body: route.tolerate ? route.tolerate(body) : body,
    };
    const sent = Object.fromEntries(
      Object.entries(route.variables).map(([name, source]) => [
        name,
        { argument: argumentsOf(route)[name]!, ...find(source, place) },
      ]),
    );
    const key = operation.isMutation ? headers.get(keyHeader) : null;
    const twice: SentTwice[] = [];
    const { faults: optionFaults, ...table } = route.exports
      ? readExportOptions(object, headers.get('accept-language'), `body.${route.within}`)
      : { faults: [] };
    const faults = [
      ...findKeyFaults(key),
      ...doubledFaults(route, url.searchParams),
      ...kindFaults(body, route.kind),
      ...optionFaults,
    ];
    const variables = await variablesOf(sent, route, { faults, twice }, async () => {
      const given = Object.entries(sent).map(([name, one]) => [name, read(one, [], { parsed: true })]);
      const args = buildVariables(Object.fromEntries(given));
      const more = await runFieldCheck(operation.field, args, contextOf(exchange, request));
      return more.map((fault) => relocate(fault, sent));
    });

    const precondition = readPrecondition(headers, operation.isMutation);
    // A team is shown without the contacts of its users to callers who may read users alone.
    const mayReadContacts = isPermitted(entry.caller, 'contacts.read');
    const run = async (context: Context): Promise<Reply> => {
      const { data, errors } = await operation.run(context, { ...variables, mayReadContacts });
      if (errors?.length) throw relocated(convertToProblem(errors[0]), sent);
      const result = (operation.isMutation && data ? only(data as Data) : data) as Result;
      return reply(result, route, { headers, precondition });
    };
    exchange.writes = operation.isMutation;
    const context = contextOf(exchange, request);
    context.sentTwice = twice;
    context.precondition = precondition;
    if (route.exports) {
      const format = chooseExportFormat(headers.get('accept'), table);
      const pieces = exportContactPages(operation, context, variables, format, request);
      const answer = await streamExport(pieces, format, acceptsGzip(headers.get('accept-encoding'))).catch((error) => {
        throw relocated(convertToProblem(error), sent);
      });
      return new Response(answer.body, { headers: { ...answer.headers, ...formatRateHeaders(entry.bucket) } });
    }
    const conditions = precondition ? [headers.get('if-match'), headers.get('if-none-match')] : [];
    // The variables have only one value of a field that was sent under two names.
    const asked = [
      'rest',
      route.method,
      route.path,
      variables,
      ...conditions,
      ...twice.map(({ path, values }) => [path, values]),
    ];
    const answer =
      key === null
        ? await run(context)
        : await runOncePerKey(context, key, asked, async (within) => {
            const { body, ...others } = await run(within);
            const text = typeof body === 'string' ? body : Buffer.from(body).toString();
            return { answer: { ...others, body: text }, keep: true };
          });
    // Mutations may answer with secrets.
    const acceptEncoding = operation.isMutation ? null : headers.get('accept-encoding');
    const encoded = await encodeBody(answer.body, acceptEncoding);
    return new Response(answer.body ? encoded.body : null, {
      status: answer.status,
      headers: { ...answer.headers, ...encoded.headers, ...formatRateHeaders(entry.bucket) },
    });
  };
};

/** The reply to a result. Throws 404 for a missing record, and 412 for one that is read and is not as it is expected. */
const reply = async (
  data: Result,
  route: Route,
  { headers, precondition }: { headers: Headers; precondition: Precondition | undefined },
): Promise<Reply> => {
  if (!data || only(data) === null) throw new Problem('not-found', 'There is no such record');
  const version = route.etag ? takeVersion(data[route.etag]) : null;
  const etag = version === null ? undefined : { ETag: formatTag(version) };
  if (route.method === 'GET') {
    precondition?.check('record', version);
    if (version !== null && matchesNoneMatch(headers, version)) return { status: 304, headers: { ...etag }, body: '' };
  }
  // Reading, shaping and writing many records each take long, so other requests run in between.
  const pace = hasLongList(data) ? new Pace() : undefined;
  if (pace) await pace.turn();
  const shaped = reshapeReply(data, route.shape) as Data;
  if (pace) await pace.turn();
  const finished = route.finish
    ? { status: 'success', data: route.finish.data(shaped) }
    : envelopes[route.envelope](shaped);
  return {
    status: route.status ?? 200,
    headers: { 'Content-Type': 'application/json; charset=utf-8', ...etag },
    body: pace ? await stringifyInPieces(finished, pace, limits.request.answerBytes) : stringifyResult(finished),
  };
};

/** More records than this make a list long. */
const longFrom = 200;

const hasLongList = (value: unknown): boolean =>
  Array.isArray(value)
    ? value.length > longFrom
    : typeof value === 'object' && value !== null && Object.values(value).some(hasLongList);

interface FaultPlace {
  path: Record<string, string>;
  query: URLSearchParams;
  body: unknown;
}

/** The value sent for a variable, and its place. Numbers and flags are text in a query string. */
const find = (source: VariableSource, { path, query, body }: FaultPlace): Omit<Sent, 'argument'> => {
  if ('path' in source) return { location: `path.${source.path}`, value: path[source.path] };
  if ('query' in source) return { location: `query.${source.query}`, value: fromQuery(query.get(source.query)) };
  const places = [source.body].flat().map((place) => {
    const steps = place.split('.').filter(Boolean);
    // biome-ignore lint/suspicious/noExplicitAny: a path into JSON of any shape
    const value = steps.reduce((at: any, step) => (typeof at === 'object' && at !== null ? at[step] : undefined), body);
    return { location: ['body', ...steps].join('.'), value };
  });
  return places.find(({ value }) => typeof value === 'object' && value !== null) ?? places[0]!;
};

/** The object of the body at this path. Throws 400 for a body without one. */
const requireObject = (body: unknown, place: string): Data => {
  let at: { location: string; value: unknown } = { location: 'body', value: body };
  for (const step of ['', ...place.split('.')]) {
    if (step) at = { location: `${at.location}.${step}`, value: (at.value as Data)[step] };
    const { location, value } = at;
    if (value === undefined || value === null) throw createInvalidProblem([{ location, message: 'is required' }]);
    if (typeof value !== 'object' || Array.isArray(value))
      throw createInvalidProblem([{ location, message: 'must be an object', value }]);
  }
  return at.value as Data;
};

/** A parameter that is there twice has no one meaning. */
const doubledFaults = ({ variables }: Route, query: URLSearchParams): Fault[] =>
  Object.values(variables).flatMap((source) => {
    const values = 'query' in source ? query.getAll(source.query) : [];
    return 'query' in source && values.length > 1
      ? [{ location: `query.${source.query}`, message: 'is there twice', value: values }]
      : [];
  });

const kindFaults = (body: unknown, kind: string | undefined): Fault[] => {
  const said = kind === undefined ? undefined : (body as { kind?: unknown } | null)?.kind;
  if (said === undefined || said === null || said === '' || said === kind) return [];
  return [{ location: 'body.kind', message: `must be ${kind}`, value: said }];
};

const fromQuery = (text: string | null): unknown => {
  if (text === null || text === '') return undefined;
  if (/^-?\d{1,16}$/.test(text) && Number.isSafeInteger(Number(text))) return Number(text);
  return text === 'true' ? true : text === 'false' ? false : text;
};

/** All variables. Throws 400 with every fault of the request, and those that `check` finds; 404 for a path that cannot name a record. */
const variablesOf = async (
  sent: Record<string, Sent>,
  route: Route,
  { faults, twice }: { faults: Fault[]; twice: SentTwice[] },
  check: () => Promise<Fault[]>,
): Promise<Data> => {
  const variables: Data = {};
  for (const [name, one] of Object.entries(sent)) {
    const value = read(one, faults, { twice });
    if (value !== undefined) variables[name] = value;
  }
  if (faults.length === 0) return buildVariables(variables);
  if (route.unknownIsMissing && faults.every(({ location }) => location.startsWith('path.'))) {
    throw new Problem('not-found', `${faults[0]!.location}: ${faults[0]!.message}`);
  }
  addUnknownFaults(faults, await check());
  throw createInvalidProblem(faults);
};

/** Moves the faults of a problem to where the client wrote the values. */
const relocated = (problem: Problem, sent: Record<string, Sent>): Problem => {
  if (!problem.errors) return problem;
  const errors = problem.errors.map((fault) => relocate(fault, sent));
  // The detail of a single fault names its place.
  if (problem.code === 'invalid-request' && errors.length === 1) return createInvalidProblem(errors);
  return new Problem(problem.code, problem.message, { errors, headers: problem.headers });
};
