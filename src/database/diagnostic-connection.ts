// One connection for statements about the server and the database as a whole, such as those of `muster doctor`. It is for no request.
import type pg from 'pg';
import { openClient } from './open-client.ts';

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
    const limits = { connectTimeout: connect, answerTimeout: statement };
    return new DiagnosticConnection(await openClient(url, 'muster doctor', limits));
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
