// One connection that loads its share of the tables by COPY, in one transaction.
import { finished } from 'node:stream/promises';
import type pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { columns, type Table, withId } from './tables.ts';

export class CopyWorker {
  readonly client: pg.Client;
  #tables: Table[] = [];
  /** Resolves when everything that was sent to this connection is loaded. */
  #tail: Promise<void> = Promise.resolve();

  constructor(client: pg.Client) {
    this.client = client;
  }

  /** Starts a transaction that loads these tables. */
  async begin(share: Table[], unchecked: boolean): Promise<void> {
    this.#tables = share;
    await this.client.query('begin');
    await this.client.query('set local synchronous_commit = off; set local citus.enable_local_execution = off');
    // The triggers that read the setting below run on the nodes of a cluster.
    await this.client.query("set local citus.propagate_set_commands = 'local'");
    await this.client.query(
      unchecked ? 'set local session_replication_role = replica' : 'set local muster.loads_spaces = on',
    );
  }

  /** Deletes the rows of these spaces, children first, which a seed may have left when it was interrupted between two commits. */
  async clear(spaces: number[], derived: readonly string[]): Promise<void> {
    for (const table of [...derived, ...this.#tables.toReversed()]) {
      if (table === 'spaces' || table === 'users') continue;
      await this.client.query(`delete from ${table} where group_id = any($1)`, [spaces]);
    }
  }

  async lastIds(among: Table[]): Promise<Partial<Record<Table, number>>> {
    const last: Partial<Record<Table, number>> = {};
    for (const table of among.filter((one) => withId.includes(one))) {
      const { rows } = await this.client.query(`select coalesce(max(id), 0) as id from ${table}`);
      last[table] = Number(rows[0].id);
    }
    return last;
  }

  /** Loads the rows of this connection's tables, after everything that was sent before. */
  load(rows: Map<Table, Buffer>): Promise<void> {
    this.#tail = this.#tail.then(async () => {
      for (const table of this.#tables) {
        const text = rows.get(table);
        if (!text) continue;
        const stream = this.client.query(copyFrom(`copy ${table} (${columns[table]}) from stdin`));
        stream.end(text);
        await finished(stream);
      }
    });
    // The caller handles a failure when it awaits the promise. Until then the rejection must not count as unhandled.
    this.#tail.catch(() => {});
    return this.#tail;
  }

  /** Sets the sequences, so that later inserts continue after these ids. It never lowers one: a sequence may be ahead of its table. */
  async setSequences(last: Partial<Record<Table, number>>): Promise<void> {
    for (const [table, id] of Object.entries(last)) {
      if (!id) continue;
      const sequence = `pg_get_serial_sequence('${table}', 'id')::regclass`;
      await this.client.query(`select setval(${sequence}, greatest(pg_sequence_last_value(${sequence}), $1))`, [id]);
    }
  }
}
