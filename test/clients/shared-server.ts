// Opens clients of a server that all tests of a file share, and keeps what they send.
import { print } from 'graphql';
import { afterEach, beforeAll, expect } from 'vitest';
import {
  CreateContactDocument,
  createClient,
  type Fetch,
  type MusterClient,
} from '../../clients/typescript/src/index.ts';
import { type ClientServer, startClientServer } from '../graphql/clients/client-server.ts';
import type { Json } from '../harness/app.ts';

type Options = Parameters<typeof createClient>[0];

export interface SharedServer {
  /** The server; there is one once the tests run. */
  readonly server: ClientServer;
  readonly token: string;
  /** Requests since the last test, or since they were cleared. */
  readonly sent: { key: string | null; status: number | undefined }[];
  /** Sends a request, and keeps its key and the status of its answer. */
  record: Fetch;
  open(options?: Partial<Options>): MusterClient;
  createContact(lastName: string): Promise<{ id: string; databaseId: number; version: number }>;
}

/** Starts a server for the tests of a file. */
export const shareServer = (): SharedServer => {
  let server: ClientServer;
  const sent: SharedServer['sent'] = [];
  beforeAll(async () => {
    server = await startClientServer({ capacity: 10_000, refill: 10 });
  });
  afterEach(() => {
    sent.length = 0;
  });
  const readToken = (): string => server.headers.Authorization.replace('Bearer ', '');
  const record: Fetch = async (input, init) => {
    const request = { key: new Headers(init?.headers).get('Idempotency-Key'), status: undefined as number | undefined };
    sent.push(request);
    const response = await fetch(input, init);
    request.status = response.status;
    return response;
  };
  const open = (options: Partial<Options> = {}): MusterClient =>
    createClient({ url: server.url, token: readToken(), fetch: record, print, ...options });
  return {
    get server() {
      return server;
    },
    get token() {
      return readToken();
    },
    sent,
    record,
    open,
    createContact: async (lastName) =>
      (await open().request(CreateContactDocument, { input: { lastName } })).createContact!.contact,
  };
};

/** The error that a promise is rejected with. */
export const expectRejection = async (promise: Promise<unknown>): Promise<Json> =>
  promise.then(
    () => expect.unreachable('it succeeded'),
    (error) => error,
  );
