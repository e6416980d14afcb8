// One connection for statements about the server and the database as a whole, such as those of `muster doctor`. It is for no request.
import pg from 'pg';
import { tcpKeepAlive } from './connection.ts';

interface ConnectionTimeouts {
  /** In milliseconds. */
  connect: number;
  statement: number;
}

export class DiagnosticConnection {
  readonly #client: pg.Client;

  private constructor(client: pg.Client) {
    this.#client = client;
  }

  /** Throws the error of the driver when there is no answer in time. */
  static async open(
    url: string,
    { connect, statement }: ConnectionTimeouts = { connect: 5000, statement: 30_000 },
  ): Promise<DiagnosticConnection> {
    const client = new pg.Client({
      ...tcpKeepAlive,
      connectionString: url,
      connectionTimeoutMillis: connect,
      query_timeout: statement,
      application_name: 'muster doctor',
    });
    // A lost connection fails the running query, too. Without a listener the event would end the process.
    client.on('error', () => {});
    await client.connect();
    return new DiagnosticConnection(client);
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
