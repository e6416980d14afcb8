// One request and its answer, as the log and the problem bodies know it: its id, its route, its space, what went wrong.
import { randomUUID } from 'node:crypto';
import type { Credentials, Entry } from './gate/gate.ts';

export class RequestLog {
  readonly id = randomUUID();
  readonly startedAt = performance.now();
  /** The pattern of the route, never the path: paths hold ids. */
  route = 'unknown';
  entry: Entry | undefined;
  /** What it shows at the gate. */
  readonly credentials: Credentials;
  /** Whether it does something that may write. */
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
