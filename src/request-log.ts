// The record of one request for the log and the problem bodies: its id, its route, its space, its errors.
import { randomUUID } from 'node:crypto';
import type { Credentials } from './gate/credentials.ts';
import type { Entry } from './gate/gate.ts';

export class RequestLog {
  readonly id = randomUUID();
  readonly startedAt = performance.now();
  /** The pattern of the route. The path would hold ids. */
  route = 'unknown';
  entry: Entry | undefined;
  /** The credentials of the request. */
  readonly credentials: Credentials;
  /** Whether the request may write. */
  writes = false;
  errors: unknown[] = [];

  constructor(credentials: Credentials) {
    this.credentials = credentials;
  }

  /** Identifies this occurrence in problem bodies and in the log. */
  get instance(): string {
    return `urn:uuid:${this.id}`;
  }

  entered(entry: Entry): void {
    this.entry = entry;
  }

  failed(error: unknown): void {
    this.errors.push(error);
  }
}
