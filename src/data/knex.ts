// The connection to PostgreSQL: the pool, how values are read, and which Problem each database error becomes.
import knexPackage, { type Knex } from 'knex';
import pg from 'pg';
import { Problem } from '../problem.ts';

/** Timestamps and dates stay text (parsing them dominates wide reads); ids fit a number, by the CHECK on every id column. */
const parsers: Record<number, (text: string) => unknown> = {
  [pg.types.builtins.INT8]: Number,
  [pg.types.builtins.TIMESTAMPTZ]: String,
  [pg.types.builtins.DATE]: String,
  1016: (text) => (text === '{}' ? [] : text.slice(1, -1).split(',').map(Number)), // bigint[]
};
const types = {
  getTypeParser: (oid: number, format?: 'text' | 'binary') => parsers[oid] ?? pg.types.getTypeParser(oid, format),
};

/** In milliseconds. A statement that outlives its client or its time is worth nothing to anybody. */
const sessionSettings = {
  timezone: 'UTC',
  statement_timeout: 5000,
  lock_timeout: 2000,
  idle_in_transaction_session_timeout: 10_000,
  client_connection_check_interval: 500,
  // Statements look up what they are given ids of: one plan, whatever the ids. Plans made for a list of a thousand are slower, and not better.
  plan_cache_mode: 'force_generic_plan',
};

/** Connects a pool of at most `poolSize`, with `settings` beside the usual ones. Nothing is opened until the first statement. */
export const connect = (url: string, poolSize = 10, settings: Record<string, string | number> = {}): Knex =>
  knexPackage({
    client: 'pg',
    connection: {
      connectionString: url,
      types,
      application_name: 'muster',
      connectionTimeoutMillis: 2000,
      options: Object.entries({ ...sessionSettings, ...settings })
        .map(([name, value]) => `-c ${name}=${value}`)
        .join(' '),
    } as Knex.PgConnectionConfig,
    pool: { min: 0, max: poolSize, acquireTimeoutMillis: 2000, idleTimeoutMillis: 30_000 },
    asyncStackTraces: false,
    // It would say of each lost connection, in between the JSON of the log, what the request that loses it says as well.
    log: { warn() {} },
  });

/** SQLSTATE → what it means to the caller. Each 400 among these is a check at the edge that we missed. */
const states: [pattern: RegExp, code: ConstructorParameters<typeof Problem>[0], detail: string][] = [
  [/^23505$/, 'conflict', 'That is already there'],
  [
    /^(23503|23514|23502)$/,
    'unprocessable',
    'The record refers to something that is not there, or breaks a rule of the data',
  ],
  [/^(22|54000)/, 'invalid-request', 'A value cannot be stored'],
  [/^40(001|P01)$/, 'conflict', 'Somebody else changed this at the same moment; try again'],
  [/^(57014|55P03|25P03)$/, 'timeout', 'The database did not finish in time'],
  // 25P02: in a transaction that holds several parts, one failed before in a way that it could not go on from.
  [/^(53|08|57P|25006|25P02|3D000|28)/, 'unavailable', 'The database is not available'],
];
const lostConnection = /ECONNREFUSED|ECONNRESET|EPIPE|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|EHOSTUNREACH/;
const lostMessage =
  /Timeout acquiring a connection|Connection terminated|timeout expired|connection ended|not queryable|Unable to acquire/i;

/** The Problem behind an error of the driver; any other error comes back as it is. */
export const databaseProblem = (error: unknown): unknown => {
  if (error instanceof Problem || !(error instanceof Error)) return error;
  const { code = '' } = error as { code?: string };
  const state = states.find(([pattern]) => /^[0-9A-Z]{5}$/.test(code) && pattern.test(code));
  const lost = lostConnection.test(code) || lostMessage.test(error.message);
  const [, problem, detail] = state ?? (lost ? ([null, 'unavailable', 'The database is not available'] as const) : []);
  if (!problem) return error;
  return new Problem(problem, detail!, {
    cause: error,
    headers: problems503.has(problem) ? { 'Retry-After': '1' } : {},
  });
};
const problems503 = new Set(['unavailable', 'timeout']);
