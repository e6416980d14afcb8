// Turns Node's requests into the application's. Requests with an unreadable target or Host are refused here, in the application's manner.
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { getRequestListener, type HttpBindings, RequestError } from '@hono/node-server';
import type { Logger } from 'pino';
import { Credentials } from '../gate/credentials.ts';
import { RequestLog } from '../gate/request-log.ts';
import { endpoint } from '../graphql/engine.ts';
import { limits } from '../limits/limits.ts';
import { convertToProblem, createInvalidProblem, type Fault, type Problem } from '../problem.ts';
import { metrics } from '../telemetry/metrics.ts';
import { type AdmittedRequest, type App, measureRequest, wholeServer } from './app.ts';
import { chooseRefusalType, formatRefusal, problemType, protections, renderRefusal } from './refusal.ts';

/** The host for clients of HTTP/1.0, which need not name one. */
const defaultHost = 'localhost';
const hostForm = /^([\w.-]+|\[[\da-f:.]+\])(:\d{1,5})?$/i;

/** The fault of a request whose headers are so many that Node has dropped some, which may have mattered: an `If-Match`. */
const countFault = ({ rawHeaders }: IncomingMessage): Fault[] =>
  rawHeaders.length > 2 * limits.connection.headers
    ? [{ location: 'header', message: `must be ${limits.connection.headers} headers at most` }]
    : [];

/** The fault of a request's Host, if any. Two of them are a fault: a proxy and this server might choose different ones. */
const hostFault = ({ rawHeaders, httpVersion }: IncomingMessage): string | undefined => {
  const hosts: string[] = [];
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]!;
    if (name.length === 4 && name.toLowerCase() === 'host') hosts.push(rawHeaders[index + 1]!);
  }
  if (hosts.length === 0) return httpVersion === '1.0' ? undefined : 'is required';
  if (hosts.length > 1) return 'must be sent once';
  const isHost = hostForm.test(hosts[0]!) && URL.canParse(`http://${hosts[0]}`);
  return isHost ? undefined : 'must be a host, with or without a port';
};

/** The credentials of requests that are refused before theirs are read. */
const nobody = new Credentials(new Headers());

/** Takes a slot for a request, like `App.admit`. Undefined when the request should take its slot itself. */
type Admit = (request: IncomingMessage) => ReturnType<App['admit']>;

/**
 * Creates the listener for `fetch`. It also handles requests without a Host, which Node would refuse with an empty answer. With `admit`, requests
 * wait for their slot, or are refused, before they are built.
 */
export const createListener = (
  fetch: (request: Request, bindings: HttpBindings, admitted?: AdmittedRequest) => Promise<Response>,
  log: Logger,
  admit: Admit = () => undefined,
): RequestListener => {
  const admitted = new WeakMap<IncomingMessage, AdmittedRequest>();
  const refused = (
    { method, headers }: Pick<IncomingMessage, 'method' | 'headers'>,
    problem: Problem,
    type = problemType,
  ): Response => {
    const exchange = new RequestLog(nobody, readRequestId({ headers }));
    logRefusal(log, exchange, method, problem);
    const response = renderRefusal(problem, exchange, type);
    response.headers.set('X-Request-Id', exchange.requestId);
    return response;
  };
  const unreadable = createInvalidProblem([{ location: 'url', message: 'cannot be read' }]);
  const fetchAdmitted = (request: Request, bindings: HttpBindings): Promise<Response> =>
    fetch(request, bindings, admitted.get(bindings.incoming));
  const listen = getRequestListener(fetchAdmitted as Parameters<typeof getRequestListener>[0], {
    hostname: defaultHost,
    errorHandler: (error) => {
      if (!(error instanceof RequestError)) throw error;
      return refused({ method: undefined, headers: {} }, unreadable);
    },
  });
  return (request, response) => {
    if (request.method === 'OPTIONS' && request.url === '*') request.url = wholeServer;
    const message = hostFault(request);
    const faults = [...countFault(request), ...(message ? [{ location: 'header.Host', message }] : [])];
    if (faults.length > 0) {
      const problem = createInvalidProblem(faults.slice(0, 1));
      return answer(response, refused(request, problem, chooseType(request)));
    }
    const listenAdmitted = (one: AdmittedRequest | undefined): unknown => {
      if (one) {
        admitted.set(request, one);
        // Usually it is free by then.
        response.once('close', one.slot.free);
      }
      return listen(request, response);
    };
    const startedAt = performance.now();
    const refuse = (error: unknown): void => refuseSoon(request, response, { error, startedAt });
    try {
      const slot = admit(request);
      if (slot instanceof Promise) slot.then(listenAdmitted, refuse);
      else listenAdmitted(slot);
    } catch (error) {
      refuse(error);
    }
  };
};

/** Headers as the Fetch API has them: those that are sent twice are joined. Node's own `headers` would keep the first token of two. */
export const wrapHeaders = (request: Pick<IncomingMessage, 'headersDistinct'>): Pick<Headers, 'get'> => ({
  get: (name) => request.headersDistinct[name.toLowerCase()]?.join(', ') ?? null,
});

const isForGraphql = ({ url = '' }: IncomingMessage): boolean => /^\/graphql\/?(\?|$)/.test(url);
const chooseType = (request: IncomingMessage): string =>
  isForGraphql(request) ? chooseRefusalType(wrapHeaders(request)) : problemType;

const protectionHeaders = Object.fromEntries(protections);

/** Refusals of one turn of the event loop: the answers of the database that arrive meanwhile come in between. */
const refusalsPerTurn = 2;
const waitingRefusals: (() => void)[] = [];

const refuseSoon = (...refusal: Parameters<typeof refuseAtOnce>): void => {
  if (waitingRefusals.push(() => refuseAtOnce(...refusal)) === 1) setImmediate(refuseSome);
};
const refuseSome = (): void => {
  for (const refuse of waitingRefusals.splice(0, refusalsPerTurn)) refuse();
  if (waitingRefusals.length > 0) setImmediate(refuseSome);
};

/** Refuses a request that nothing was built for. It has no line in the log, which counts such refusals. */
const refuseAtOnce = (
  request: IncomingMessage,
  response: ServerResponse,
  { error, startedAt }: { error: unknown; startedAt: number },
): void => {
  const problem = convertToProblem(error);
  const exchange = new RequestLog(nobody, readRequestId(request), startedAt);
  if (isForGraphql(request)) exchange.route = `${request.method} ${endpoint}`;
  const type = chooseType(request);
  const body = formatRefusal(problem, exchange, type);
  response.writeHead(problem.status, {
    ...protectionHeaders,
    'Content-Type': type,
    'Content-Length': Buffer.byteLength(body),
    'X-Request-Id': exchange.requestId,
    ...problem.headers,
  });
  response.end(body);
  measureRequest(exchange, problem.status, problem.code);
};

const readRequestId = (request: Pick<IncomingMessage, 'headers'> | undefined): string | null => {
  const sent = request?.headers['x-request-id'];
  return typeof sent === 'string' ? sent : null;
};

const logRefusal = (
  log: Logger,
  { id, requestId, route, door }: RequestLog,
  method: string | undefined,
  { status, code }: Pick<Problem, 'status' | 'code'>,
): void => {
  metrics.problems.inc({ door, code });
  log.info({ id, ...(requestId !== id && { requestId }), method, route, status }, 'request');
};

const { headerBytes, headerSeconds, requestSeconds } = limits.connection;
/** The status and the fault of what Node's parser refuses, by its error codes. */
const parserRefusals: Record<string, [line: string, fault: Fault]> = {
  HPE_HEADER_OVERFLOW: [
    '431 Request Header Fields Too Large',
    { location: 'header', message: `must be ${headerBytes} bytes at most` },
  ],
  ERR_HTTP_REQUEST_TIMEOUT: [
    '408 Request Timeout',
    { location: 'request', message: `must be sent within ${requestSeconds} s, its headers within ${headerSeconds} s` },
  ],
};

/**
 * Answers what is no readable request: headers that are too long, too slow, or malformed. Node would do the same without an id and a body; its headers
 * are lost, except for those of a request whose body breaks off.
 */
export const createRefuser =
  (log: Logger) =>
  (error: NodeJS.ErrnoException, socket: Duplex): void => {
    const underWay = (socket as Duplex & { _httpMessage?: ServerResponse & { req: IncomingMessage } })._httpMessage;
    if (!socket.writable || error.code === 'ECONNRESET' || underWay?.headersSent) return void socket.destroy(error);
    const [line, fault] = parserRefusals[error.code ?? ''] ?? [
      '400 Bad Request',
      { location: 'request', message: 'cannot be read' },
    ];
    const problem = Object.assign(createInvalidProblem([fault]), { status: Number(line.slice(0, 3)) });
    const exchange = new RequestLog(nobody, readRequestId(underWay?.req));
    // A request whose body breaks off has a line of its own.
    if (!underWay) logRefusal(log, exchange, undefined, problem);
    const id = underWay && exchange.requestId === exchange.id ? '' : `X-Request-Id: ${exchange.requestId}\r\n`;
    const type = underWay ? chooseType(underWay.req) : problemType;
    socket.end(
      `HTTP/1.1 ${line}\r\n${id}Content-Type: ${type}\r\nConnection: close\r\n\r\n${formatRefusal(problem, exchange, type)}`,
    );
  };

/** Closes the connection, since the body of the request stays unread. */
const answer = async (outgoing: ServerResponse, response: Response): Promise<void> => {
  outgoing.writeHead(response.status, { ...Object.fromEntries(response.headers), Connection: 'close' });
  outgoing.end(await response.text());
};
