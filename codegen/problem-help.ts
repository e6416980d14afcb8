// Why each problem occurs, what to do about it, and a request that meets it. The pages of the errors are made of this; a test sends the requests.
import type { ProblemCode } from '../src/problem.ts';
import { loadProblemHelp } from './load-problem-help.ts';
import { describeGraphProblem, describeRestProblem, type ProblemHelp } from './problem-example.ts';

const auth = 'Authorization: Bearer TOKEN';
const json = 'Content-Type: application/json';

export const problemHelp: Record<ProblemCode, ProblemHelp> = {
  'invalid-request': {
    causes: [
      'A field is missing, of another kind, too long, or has a value that is not allowed.',
      'A body is no JSON, or has none of the fields that the route knows.',
      'A search names an attribute, an operator or a form that does not exist.',
    ],
    remedies: [
      'Read `errors`: each fault has its `location` in the request, the `value` found there, and what is allowed.',
      'Correct all of them and send the request again: nothing was written.',
    ],
    retry: 'after a change',
    example: {
      request: `POST /kpi\n${auth}\n${json}\n\n{"data": {}}`,
      answer: describeRestProblem('invalid-request', 400, 'Invalid request', 'body.data.advanced_search is required', {
        errors: [{ location: 'body.data.advanced_search', message: 'is required' }],
      }),
    },
  },
  'syntax-error': {
    causes: ['The text is no GraphQL: a brace is missing, or a character does not belong there.'],
    remedies: ['Look at `locations`, which has the line and column. GraphiQL marks the place while you write.'],
    retry: 'after a change',
    example: {
      request: '{ viewer { user { id } }',
      answer: describeGraphProblem('syntax-error', 400, 'Syntax Error: Expected Name, found <EOF>.', {
        locations: [{ line: 1, column: 25 }],
      }),
    },
  },
  'invalid-document': {
    causes: [
      'A field, an argument or a type does not exist, or has no subfields where some are selected.',
      'A variable has another type than its place, or a required argument is missing.',
      'The client was made for another version of the graph.',
    ],
    remedies: [
      'Read every error: all faults of the document come at once, each with its place.',
      'Compare with the schema in GraphiQL. [Changes](../graphql.md#changes) tells how fields go.',
    ],
    retry: 'after a change',
    example: {
      request: '{ viewer { nobody } }',
      answer: describeGraphProblem('invalid-document', 400, 'Cannot query field "nobody" on type "Viewer".', {
        locations: [{ line: 1, column: 12 }],
      }),
    },
  },
  'query-too-expensive': {
    causes: [
      'The document may yield so many records that its cost is above the capacity of a bucket, even a full one.',
    ],
    remedies: [
      'Ask for fewer records: smaller `first`, fewer lists within lists, fewer root fields.',
      'Split the document and page by cursors. [The cost of a document](../limits.md#the-cost-of-a-graphql-document) says what costs how much.',
    ],
    retry: 'after a change',
  },
  'query-too-large': {
    causes: [
      'The document is over one of the [limits of documents](../limits.md#graphql-documents), for instance its depth or the number of aliases.',
    ],
    remedies: ['Split the document, or select with variables and lists rather than with many aliases.'],
    retry: 'after a change',
  },
  PERSISTED_QUERY_NOT_FOUND: {
    causes: [
      'The client sent only a hash, and the server does not remember the text: it is new, or the server restarted, or needed the memory.',
    ],
    remedies: ['Send the text together with the hash once. Clients of persisted queries do so by themselves.'],
    retry: 'after a change',
  },
  PERSISTED_QUERY_ONLY: {
    causes: ['The server has `TRUSTED_DOCUMENTS=only`, and the text of the request is not on its list.'],
    remedies: ['Add the document to the list and restart the server, or use a document of the list.'],
    retry: 'after a change',
    example: {
      request: '{ viewer { user { id } } }',
      answer: describeGraphProblem(
        'PERSISTED_QUERY_ONLY',
        403,
        'This server executes only its trusted documents, and this text is none of them',
      ),
    },
  },
  unauthenticated: {
    causes: [
      'There is no header `Authorization`, or it does not begin with `Bearer`.',
      'The token was revoked, has expired, or was copied incompletely. The answer is the same for all, so that nobody can guess tokens.',
      'The user of the token is no longer a member of the space.',
    ],
    remedies: [
      'Send `Authorization: Bearer <ACCESS_TOKEN>`.',
      'Create another token with `muster token create`, or sign in again at the identity provider.',
    ],
    retry: 'after a change',
    example: {
      request: 'GET /teams',
      answer: describeRestProblem(
        'unauthenticated',
        401,
        'Authentication required',
        'Send the header Authorization: Bearer <ACCESS_TOKEN> with a valid token',
      ),
    },
  },
  forbidden: {
    causes: [
      'The role of the caller lacks the permission, or the scope of the token does not reach far enough.',
      'The header `X-Muster-Space` names a space that the token is not for.',
      'The change would give somebody more than the caller has.',
    ],
    remedies: [
      '`detail` says which role or permission is needed: ask an admin of the space for it, or use another token.',
      '[Permissions](../permissions.md) lists who may do what.',
    ],
    retry: 'after a change',
    example: {
      request: `GET /teams\n${auth}\nX-Muster-Space: 999999`,
      answer: describeRestProblem('forbidden', 403, 'Not allowed', 'This token is not for space 999999'),
    },
  },
  'not-found': {
    causes: [
      'The path is misspelt, or the record was deleted.',
      'The record belongs to another space, or to a private team of others. The answer is the same, so that nobody learns of it.',
    ],
    remedies: ['Check the path in [REST routes](../rest.md), the id, and the space of the token.'],
    retry: 'no',
    example: {
      request: `GET /teams/999999\n${auth}`,
      answer: describeRestProblem('not-found', 404, 'Not found', 'There is no such record'),
    },
  },
  'method-not-allowed': {
    causes: ['The path exists, but not with this method.'],
    remedies: ['Use a method that the header `Allow` lists.'],
    retry: 'after a change',
    example: {
      request: `PUT /roles\n${auth}`,
      answer: describeRestProblem('method-not-allowed', 405, 'Method not allowed', 'This path answers GET, not PUT'),
    },
  },
  'not-acceptable': {
    causes: ['`Accept` names only media types that the answer does not have.'],
    remedies: [
      'Accept `application/json`, or leave the header out. Exports also have `text/csv` and `application/x-ndjson`.',
    ],
    retry: 'after a change',
  },
  conflict: {
    causes: [
      'A value must be unique, and another record has it: a mail of a user, a name of a tag.',
      'A request with the same `Idempotency-Key` is still under way.',
      'Another change came between, for instance of the same role.',
    ],
    remedies: [
      'Read `detail`, then choose another value, or use the record that exists.',
      'With an idempotency key, wait and send the same request again: it gets the answer of the first one.',
    ],
    retry: 'after a change',
  },
  'precondition-failed': {
    causes: [
      'Somebody else changed the record since you read it, so `If-Match` or `expectedVersion` names an old version.',
    ],
    remedies: ['Read the record again, apply your change to it, and send it with the new version.'],
    retry: 'after a change',
  },
  'too-large': {
    causes: ['The body has more bytes than the server accepts: [limits](../limits.md#requests-and-answers).'],
    remedies: ['Send fewer records at once, or import a file with `muster import`, which has no such limit.'],
    retry: 'after a change',
  },
  'unsupported-media-type': {
    causes: ['`Content-Type` is missing or is no JSON, the text is not in UTF-8, or the body is compressed.'],
    remedies: ['Send `Content-Type: application/json`, in UTF-8, without `Content-Encoding`.'],
    retry: 'after a change',
    example: {
      request: `POST /kpi\n${auth}\nContent-Type: application/json\nContent-Encoding: gzip\n\n{}`,
      answer: describeRestProblem(
        'unsupported-media-type',
        415,
        'Unsupported media type',
        'The body must not be encoded as gzip',
      ),
    },
  },
  unprocessable: {
    causes: [
      'An id in the request is that of a record that the space does not have: a tag, a form, a team.',
      'The `Idempotency-Key` was used for another request within the last day.',
    ],
    remedies: [
      '`errors` lists the ids that are missing: read them again from the space.',
      'Use a new idempotency key for each new write, and the same one only to repeat it.',
    ],
    retry: 'after a change',
  },
  ...loadProblemHelp,
};
