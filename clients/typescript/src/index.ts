// What the package offers.
export { type Change, type FollowOptions, followChanges } from './changes.ts';
export { type ClientOptions, createClient, type MusterClient, type RequestOptions, type Result } from './client.ts';
export type { AnyDocument, DocumentTypes, PrintDocument, TypedDocument } from './document.ts';
export {
  AuthenticationError,
  ConflictError,
  type Fault,
  ForbiddenError,
  InvalidRequestError,
  isProblemCode,
  MusterError,
  NetworkError,
  NotFoundError,
  OutcomeUnknownError,
  type ProblemCode,
  ProblemError,
  type ResponseError,
  TryLaterError,
  UnexpectedAnswerError,
  VersionConflictError,
} from './errors.ts';
export type { ContactAttributes } from './generated/attributes.ts';
export * from './generated/documents.ts';
export { problemStatuses } from './generated/problems.ts';
export type { Connection, PageOptions } from './pages.ts';
export type { AnswerAttribute, Attribute, MonthDay, Operators, RecordId } from './search/attribute.ts';
export { type QueryTree, QueryTreeError, toQueryTree } from './search/query-tree.ts';
export { allOf, anyOf, not, type Search } from './search/search.ts';
export { type RelativeDate, readSearchDate, type SearchDate } from './search/search-date.ts';
export { where } from './search/where.ts';
export type { SubscribeOptions } from './subscription.ts';
export type { RateLimitState } from './transport/rate-limit.ts';
export type { RetryOptions } from './transport/retry.ts';
export {
  createIdempotencyKey,
  createRetryingFetch,
  type Fetch,
  type RetryingFetchOptions,
} from './transport/retrying-fetch.ts';
