// Written by `npm run codegen`: change its source instead.

/** The code of each problem, and the HTTP status that it has. */
export const problemStatuses = {
  /** Something in the request is missing, of the wrong kind or out of bounds; `errors` lists every fault with its place. */
  'invalid-request': 400,
  /** The GraphQL document cannot be parsed; `locations` has the place. */
  'syntax-error': 400,
  /** The GraphQL document does not fit the schema: a field, an argument or a value in it is unknown, missing or of the wrong type. Each fault is an error of its own, and `locations` has its place. */
  'invalid-document': 400,
  /** The price of the GraphQL document is more than the bucket of a space can ever hold. */
  'query-too-expensive': 400,
  /** The GraphQL document is over a limit: length, lexical tokens, depth, fields, aliases, directives, fragments, variables or records. */
  'query-too-large': 400,
  /** The server knows no document with the hash that the request names; send the text with the hash. Clients of persisted queries know this code, and expect the status 200. */
  'PERSISTED_QUERY_NOT_FOUND': 200,
  /** The server executes only the documents on its list (`TRUSTED_DOCUMENTS=only`), and the text is none of them. */
  'PERSISTED_QUERY_ONLY': 403,
  /** The access token is missing, unknown, expired or revoked. */
  'unauthenticated': 401,
  /** The role of the caller does not permit this, or the token is not for the space that `X-Muster-Space` names. */
  'forbidden': 403,
  /** There is no such path, or no such record in the space of the caller. Deleted records and those of other spaces are missing. */
  'not-found': 404,
  /** The path exists; the header `Allow` lists its methods. */
  'method-not-allowed': 405,
  /** The answer has none of the media types that `Accept` names. */
  'not-acceptable': 406,
  /** The change collides with what is already there, for instance a mail that belongs to another user, or with a request of the same `Idempotency-Key` that is under way. */
  'conflict': 409,
  /** The record is not of a version that `If-Match`, or `expectedVersion`, names, or it is of one that `If-None-Match` names: read it again, then change it. */
  'precondition-failed': 412,
  /** The body is larger than the server accepts. */
  'too-large': 413,
  /** A body must be JSON in UTF-8, sent as `application/json`, compressed with gzip or not at all. */
  'unsupported-media-type': 415,
  /** The request is well formed, but refers to something that is not in the space of the caller, or its `Idempotency-Key` came with another request before. */
  'unprocessable': 422,
  /** The bucket of the space holds too few points, or the share of an app does; `Retry-After` says in how many seconds it holds enough. */
  'rate-limited': 429,
  /** The address of the client sent too many bad tokens; `Retry-After` says when it may try again. Tokens that are in use go on working. */
  'too-many-bad-tokens': 429,
  /** The space has as many searches under way, and waiting, as it may have; try again when one is done. */
  'too-many-searches': 429,
  /** The space has as many exports under way, and waiting, as it may have; try again when one is done. */
  'too-many-exports': 429,
  /** Operations that may yield more than 1,000 records take turns, and too many are waiting; try again when one is done. */
  'too-many-large-operations': 429,
  /** The token, the space or the server has too many subscriptions under way; try again after `Retry-After` seconds. */
  'too-many-subscriptions': 429,
  /** The changes after this cursor are no longer kept, or the database was restored since it was given; read the records again, and go on from a new cursor. */
  'changes-gone': 410,
  /** The write with this `Idempotency-Key` was done. Its answer was erased with the data of a person, and cannot be repeated; the write is not done again. */
  'answer-erased': 410,
  /** The answer would be larger than the server sends; ask for fewer records, or for less of each. */
  'answer-too-large': 422,
  /** Something went wrong here. The log has the details under the id in `instance`. */
  'internal': 500,
  /** More is asked of the server than it can answer in time, and nothing was done for this request; try again after `Retry-After`. */
  'overloaded': 503,
  /** The database cannot be reached or has no room for the request, or the keys of the identity provider could not be fetched yet; try again after `Retry-After` seconds. With `outcome: "unknown"` the connection was lost while a change was being stored, which may have happened: repeat it only under the `Idempotency-Key` that it had. */
  'unavailable': 503,
  /** The database gave up on the request; try again after `Retry-After` seconds, or ask for less. */
  'timeout': 503,
} as const;
