// Turns Node's requests into the application's. Requests with an unreadable target or Host are refused here, in the application's manner.
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { getRequestListener, type HttpBindings, RequestError } from '@hono/node-server';
import type { Logger } from 'pino';
import { chooseRefusalType, problemType, renderRefusal } from './app.ts';
import { Credentials } from './gate/credentials.ts';
import { createInvalidProblem, type Problem } from './problem.ts';
import { RequestLog } from './request-log.ts';

/** The host for clients of HTTP/1.0, which need not name one. */
const defaultHost = 'localhost';
const hostForm = /^([\w.-]+|\[[\da-f:.]+\])(:\d{1,5})?$/i;

/** The fault of a request's Host, if any. Two of them are a fault: a proxy and this server might choose different ones. */
const hostFault = ({ rawHeaders, httpVersion }: IncomingMessage): string | undefined => {
  const hosts = rawHeaders.filter((_, index) => index % 2 === 1 && rawHeaders[index - 1]!.toLowerCase() === 'host');
  if (hosts.length === 0) return httpVersion === '1.0' ? undefined : 'is required';
  if (hosts.length > 1) return 'must be sent once';
  const isHost = hostForm.test(hosts[0]!) && URL.canParse(`http://${hosts[0]}`);
  return isHost ? undefined : 'must be a host, with or without a port';
};

/** Creates the listener for `fetch`. It also handles requests without a Host, which Node would refuse with an empty answer. */
export const createListener = (
  fetch: (request: Request, bindings: HttpBindings) => Promise<Response>,
  log: Logger,
): RequestListener => {
  const refused = (method: string | undefined, problem: Problem, type = problemType): Response => {
    const exchange = new RequestLog(new Credentials(new Headers()));
    log.info({ id: exchange.id, method, route: exchange.route, status: problem.status }, 'request');
    return renderRefusal(problem, exchange, type);
  };
  const listen = getRequestListener(fetch as Parameters<typeof getRequestListener>[0], {
    hostname: defaultHost,
    errorHandler: (error) => {
      if (!(error instanceof RequestError)) throw error;
      return refused(undefined, createInvalidProblem([{ location: 'url', message: 'cannot be read' }]));
    },
  });
  return (request, response) => {
    const message = hostFault(request);
    if (!message) return listen(request, response);
    const isGraphql = /^\/graphql\/?(\?|$)/.test(request.url ?? '');
    const type = isGraphql ? chooseRefusalType(new Headers({ Accept: request.headers.accept ?? '' })) : problemType;
    return answer(
      response,
      refused(request.method, createInvalidProblem([{ location: 'header.Host', message }]), type),
    );
  };
};

/** Closes the connection, since the body of the request stays unread. */
const answer = async (outgoing: ServerResponse, response: Response): Promise<void> => {
  outgoing.writeHead(response.status, { ...Object.fromEntries(response.headers), Connection: 'close' });
  outgoing.end(await response.text());
};
