// The record of one request for the log and the problem bodies: its id, its route, its space, its errors.
import { randomUUID } from 'node:crypto';
import type { Slot } from './admission.ts';
import type { Credentials } from './credentials.ts';
import type { Entry } from './gate.ts';

/**
 * Request ids of clients: letters, digits and these marks, so that they can stand in headers, logs and SQL. `@` is none of them: a mail address
 * would stay in the audit log.
 */
const requestIdForm = /^[\w.:/+=-]{1,128}$/;

export class RequestLog {
  readonly id = randomUUID();
  /** The id that the client, or a proxy, gave the request; otherwise our own. It is the same in the answer, the log and the audit log. */
  readonly requestId: string;
  readonly startedAt: number;
  /** The pattern of the route. The path would hold ids. */
  route = 'unknown';
  /** The root field of a GraphQL request, by its name in the schema; `several` for more than one. */
  operation = 'unknown';
  /** The trace that the request belongs to. */
  trace: string | undefined;
  entry: Entry | undefined;
  slot: Slot | undefined;
  readonly credentials: Credentials;
  /** Whether the request may write. */
  writes = false;
  /** Whether it tells of changes, by a subscription or the feed: what it shows must not be older than they are. */
  tellsChanges = false;
  /** Whether it reads the change feed: its token must not see less than that from then on. */
  readsFeed = false;
  /** Records that one statement failed for share its error. */
  readonly errors = new Set<unknown>();

  /** `requestId` as it was sent. One of another form is ignored. */
  constructor(credentials: Credentials, requestId: string | null = null, startedAt = performance.now()) {
    this.credentials = credentials;
    this.startedAt = startedAt;
    this.requestId = requestId !== null && requestIdForm.test(requestId) ? requestId : this.id;
  }

  /** The door that its route belongs to. */
  get door(): 'graphql' | 'rest' | 'other' {
    if (this.route.endsWith('/graphql')) return 'graphql';
    return this.route.includes(' ') ? 'rest' : 'other';
  }

  /** The name that metrics tell it apart by: the root field, or the route. */
  get operationName(): string {
    return this.door === 'graphql' ? this.operation : this.route;
  }

  /** Identifies this occurrence in problem bodies and in the log. */
  get instance(): string {
    return `urn:uuid:${this.id}`;
  }

  failed(error: unknown): void {
    this.errors.add(error);
  }
}
