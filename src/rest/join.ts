// The door for invited people: POST /join takes the secret of an invitation, and answers with a token. It is the only path that works without one.
import { z } from 'zod';
import { nonBlank, shortText } from '../../schema/graph/validators.ts';
import { type Joined, joinSpace } from '../data/access/join.ts';
import type { Database } from '../database/database.ts';
import { isSecretForm } from '../database/secret.ts';
import type { RequestLog } from '../gate/request-log.ts';
import { Throttle } from '../gate/throttle.ts';
import { readJsonBody } from '../http/body.ts';
import { limits } from '../limits/limits.ts';
import { createInvalidProblem, Problem } from '../problem.ts';

export const joinPath = '/join';

const name = shortText.nullish().transform((text) => (text?.trim() ? text : null));
const Body = z.object({ secret: nonBlank, firstName: name, lastName: name });

const describeIssue = ({ code, message, path }: z.core.$ZodIssue, value: unknown): string => {
  if (code !== 'invalid_type') return message;
  if (path.length === 0) return 'must be an object';
  return value === undefined ? 'is required' : 'must be a text';
};

/** Throws 400 with every fault of the body. It never shows the secret. */
const readRequest = (body: unknown): z.infer<typeof Body> => {
  const result = Body.safeParse(body);
  if (result.success) return result.data;
  throw createInvalidProblem(
    result.error.issues.map((issue) => {
      const [field] = issue.path;
      const value = field === undefined ? body : (body as Record<string, unknown>)[String(field)];
      const location = ['body', ...issue.path].join('.');
      return { location, message: describeIssue(issue, value), ...(field !== 'secret' && { value }) };
    }),
  );
};

/** One answer for unknown, used, renewed, withdrawn and expired secrets: a guess teaches nothing. */
const unknownSecret = (): Problem =>
  new Problem(
    'not-found',
    'This secret opens no space: it was used, renewed or withdrawn, or it has expired. Ask for a new invitation',
  );

const formatReply = ({ token, spaceId, spaceName, userId, email }: Joined, names: z.infer<typeof Body>): object => ({
  status: 'success',
  data: {
    token,
    space: { id: spaceId, name: spaceName },
    user: { id: userId, email, firstName: names.firstName, lastName: names.lastName },
  },
});

/**
 * Creates the door. Every refused request of an address counts as a guess, like a bad token, except one whose secret is right. For a
 * stranger, the server reads at most some kilobytes and looks up one row.
 */
export const createJoinDoor = (database: Database) => {
  const throttle = new Throttle('refused requests to join');

  const join = async (request: Request): Promise<{ joined: Joined; reply: object } | undefined> => {
    const names = readRequest(await readJsonBody(request, limits.request.joinBytes));
    const joined = isSecretForm('invitation', names.secret) ? await joinSpace(database.writers, names) : undefined;
    return joined && { joined, reply: formatReply(joined, names) };
  };

  return async (request: Request, exchange: RequestLog): Promise<Response> => {
    const { address } = exchange.credentials;
    let refusal: unknown;
    const attempt = () =>
      join(request).catch((error) => {
        if (!(error instanceof Problem) || error.status >= 500 || error.code === 'conflict') throw error;
        refusal = error;
        return undefined;
      });
    const found = await (address ? throttle.attempt(address(), attempt) : attempt());
    if (!found) throw refusal ?? unknownSecret();
    // From here on no process reads for the new token on a replica that does not know it.
    await database.markWritten(found.joined.tokenId);
    return Response.json(found.reply, { status: 201 });
  };
};
