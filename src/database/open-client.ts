// Opens a connection for work that is no request: migrations, backups, checks, of which the last only read.

import pg from 'pg';
import { tcpKeepAlive } from './connection.ts';
import { applySettings, commandSettings } from './session-settings.ts';

interface ClientOptions {
  /** Settings of the session beside the usual ones, under which nothing times out. */
  settings?: Record<string, string | number>;
  /** In milliseconds. */
  connectTimeout?: number;
  /** In milliseconds: how long an answer is waited for. */
  answerTimeout?: number;
  /** When it aborts, the connection ends at once, and its transaction is rolled back. */
  signal?: AbortSignal;
}

/** Throws the error of the driver, or `WrongSettings`. */
export const openClient = async (url: string, name: string, options: ClientOptions = {}): Promise<pg.Client> => {
  const { settings, connectTimeout = 5000, answerTimeout, signal } = options;
  const client = new pg.Client({
    ...tcpKeepAlive,
    connectionString: url,
    connectionTimeoutMillis: connectTimeout,
    application_name: name,
    ...(answerTimeout !== undefined && { query_timeout: answerTimeout }),
  });
  // A lost connection also fails the running query. Without a listener the event would end the process.
  client.on('error', () => {});
  const { connection } = client as unknown as { connection: { stream: { destroy(): void } } };
  const stop = (): void => connection.stream.destroy();
  signal?.addEventListener('abort', stop);
  client.once('end', () => signal?.removeEventListener('abort', stop));
  try {
    await client.connect();
    await applySettings(client, { ...commandSettings, ...settings });
    return client;
  } catch (error) {
    await client.end().catch(() => {});
    throw error;
  }
};

/** Runs work over a connection of its own. The end of its session rolls back what is not committed, and releases its locks. */
export const useClient = async <Result>(
  url: string,
  name: string,
  work: (client: pg.Client) => Promise<Result>,
): Promise<Result> => {
  const client = await openClient(url, name);
  try {
    return await work(client);
  } finally {
    await client.end();
  }
};

export class DiagnosticConnection {
  readonly #client: pg.Client;

  private constructor(client: pg.Client) {
    this.#client = client;
  }

  /** Throws the error of the driver when there is no answer in time. */
  static async open(url: string, timeouts: ClientOptions = { answerTimeout: 30_000 }): Promise<DiagnosticConnection> {
    return new DiagnosticConnection(await openClient(url, 'muster doctor', timeouts));
  }

  async rows<Row>(sql: string, values: readonly unknown[] = []): Promise<Row[]> {
    return (await this.#client.query(sql, [...values])).rows as Row[];
  }

  /** The only row of a statement that always has one. */
  async row<Row>(sql: string, values: readonly unknown[] = []): Promise<Row> {
    return (await this.rows<Row>(sql, values))[0]!;
  }

  async close(): Promise<void> {
    await this.#client.end().catch(() => {});
  }
}
