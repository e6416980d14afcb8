// The entry of most tests: an app over a database of its own, cloned from the seeded template, and functions that call both doors.
import { randomUUID } from 'node:crypto';
import { type Logger, pino } from 'pino';
import { inject } from 'vitest';
import { Database } from '../../src/database/database.ts';
import { migrateDatabase } from '../../src/database/migrate.ts';
import { createAccessToken } from '../../src/gate/token.ts';
import type { TrustedDocuments } from '../../src/graphql/persisted-documents.ts';
import { type App, type Client, createApp } from '../../src/server/app.ts';
import { cloneOnCluster, createOnCluster, dropOnCluster } from '../scale-out/cluster-databases.ts';
import { cleanUpAfterFile } from './cleanup.ts';
import { buildDatabaseUrl, runStatement } from './databases.ts';
import { expectContract, type SentRequest } from './openapi.ts';

// biome-ignore lint/suspicious/noExplicitAny: tests read JSON of any shape
export type Json = any;

export interface Answer {
  status: number;
  headers: Headers;
  body: Json;
  /** The body as text. */
  text: string;
}

/** A client at a network address that waits for its answers. */
export const createClient = (address: string): Client => ({ address: () => address, hasLeft: () => false });

export interface Door {
  app: App;
  database: Database;
  databaseUrl: string;
  /** The lines logged so far. */
  logged: string[];
  token(space: number, user: number): Promise<string>;
  /** A REST request as the caller of `token`, by default user 1 of space 1. Its response is checked against openapi.json. */
  rest(
    method: string,
    path: string,
    body?: unknown,
    token?: string | null,
    headers?: Record<string, string>,
  ): Promise<Answer>;
  /** A GraphQL request as the caller of `token`, by default user 1 of space 1. */
  graphql(query: string, variables?: Json, token?: string | null, headers?: Record<string, string>): Promise<Answer>;
  /** Runs any SQL directly in the database, and returns the rows. */
  sql(text: string, values?: unknown[]): Promise<Json[]>;
  /** The statements that reach the database while `work` runs. */
  recorded(work: () => Promise<unknown>): Promise<Recorded[]>;
  /** Their texts only. */
  statements(work: () => Promise<unknown>): Promise<string[]>;
}

/** A statement as the driver gets it. */
export interface Recorded {
  sql: string;
  bindings: readonly unknown[];
}

/** Knex's description of a statement. Numbered values are among its options. */
type Sent = { sql: string; bindings?: readonly unknown[]; options?: { values?: readonly unknown[] } };

/** Run after the tests of the file, the latest first. */
const undo: (() => Promise<unknown>)[] = [];
cleanUpAfterFile(async () => {
  for (const step of undo.splice(0).reverse()) await step();
});

/**
 * A new database: a clone of the template, an empty one, or a migrated one, which is not distributed on a cluster, where the template is. It is
 * dropped after the file's tests.
 */
export const createDatabase = async (from: 'template' | 'empty' | 'migrated' = 'template'): Promise<string> => {
  if (from === 'migrated') {
    if (!inject('onCluster')) return createDatabase();
    const url = await createDatabase('empty');
    await migrateDatabase(url);
    return url;
  }
  const name = `muster_test_${randomUUID().replaceAll('-', '')}`;
  const [serverUrl, adminUrl] = [inject('serverUrl'), inject('adminUrl')];
  if (inject('onCluster')) {
    await (from === 'template'
      ? cloneOnCluster(serverUrl, name, inject('template'))
      : createOnCluster(serverUrl, name));
    undo.push(() => dropOnCluster(serverUrl, name));
  } else {
    await runStatement(
      serverUrl,
      `create database ${name}${from === 'template' ? ` template ${inject('template')} strategy file_copy` : ''}`,
    );
    // The superuser drops it: autovacuum, which may be running there, yields to nobody else.
    undo.push(() => runStatement(adminUrl, `drop database if exists ${name} with (force)`));
  }
  return buildDatabaseUrl(inject('serverUrl'), name);
};

/** An app on a database of its own, or on that of another one. Its buckets are large, so that only tests about them empty them. */
export const openApp = async (
  config: Partial<Parameters<typeof createApp>[0]['config']> = {},
  trusted?: TrustedDocuments,
  on?: Door,
): Promise<Door> => {
  const databaseUrl = on?.databaseUrl ?? (await createDatabase());
  const database = on?.database ?? new Database(databaseUrl);
  if (!on) undo.push(() => database.close());
  const logged: string[] = [];
  const log = pino({ level: 'info', base: null }, { write: (line: string) => void logged.push(line) }) as Logger;
  const app = createApp({
    database,
    config: { BUCKET_CAPACITY: 1_000_000, BUCKET_REFILL: 1000, GRAPHIQL: true, EXPLORE: true, ...config },
    log,
    trusted,
  });
  const tokens = new Map<string, Promise<string>>();
  const token = (space: number, user: number): Promise<string> => {
    const key = `${space}/${user}`;
    if (!tokens.has(key)) tokens.set(key, createAccessToken(database, space, user));
    return tokens.get(key)!;
  };
  const send = async (
    method: string,
    path: string,
    body: unknown,
    bearer: string | null | undefined,
    extra: Record<string, string> = {},
  ): Promise<{ sent: SentRequest; answer: Answer }> => {
    const authorization = bearer === null ? undefined : `Bearer ${bearer ?? (await token(1, 1))}`;
    const headers = {
      ...(authorization && { Authorization: authorization }),
      'Content-Type': 'application/json',
      ...extra,
    };
    const text = body === undefined ? undefined : typeof body === 'string' ? body : JSON.stringify(body);
    const response = await app.fetch(
      new Request(`http://muster.test${path}`, { method, headers, ...(text !== undefined && { body: text }) }),
    );
    const answer = await response.text();
    const json = /\/(\w+\+)?json\b|problem\+json/.test(response.headers.get('content-type') ?? '');
    return {
      sent: { method, path, headers, body: text },
      answer: {
        status: response.status,
        headers: response.headers,
        body: json ? JSON.parse(answer) : answer,
        text: answer,
      },
    };
  };
  const recorded: Door['recorded'] = async (work) => {
    const seen: Recorded[] = [];
    const listen = ({ sql, bindings = [], options }: Sent): void =>
      void seen.push({ sql, bindings: options?.values ?? bindings });
    const pools = database.pools;
    for (const { knex } of pools) knex.on('query', listen);
    await work();
    for (const { knex } of pools) knex.removeListener('query', listen);
    return seen;
  };
  return {
    app,
    database,
    databaseUrl,
    logged,
    token,
    rest: async (method, path, body, bearer, headers) => {
      const { sent, answer } = await send(method, path, body, bearer, headers);
      if (!path.startsWith('/graphql') && !path.startsWith('/health')) expectContract(sent, answer);
      return answer;
    },
    graphql: async (query, variables, bearer, headers) =>
      (await send('POST', '/graphql', { query, variables }, bearer, headers)).answer,
    sql: async (text, values = []) => (await database.readers.knex.raw(text, values as never)).rows,
    recorded,
    statements: async (work) => (await recorded(work)).map(({ sql }) => sql),
  };
};
