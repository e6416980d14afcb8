// The connections of the build. Each takes the next remaining job.
import pg from 'pg';

export interface Job {
  name: string;
  sql: string;
  values?: unknown[];
  /** The seed of the random values: the same number gives the same rows. */
  seed?: number;
}

const settings = `
  set timezone = 'UTC';
  set synchronous_commit = off;
  set work_mem = '256MB';
  set maintenance_work_mem = '512MB';
  set jit = off;
  set statement_timeout = 0;
  set max_parallel_workers_per_gather = 0;
  set max_parallel_maintenance_workers = 0;`;

export class Lanes {
  readonly #clients: pg.Client[];

  private constructor(clients: pg.Client[]) {
    this.#clients = clients;
  }

  /** Two cores can serve two connections. Each works without parallel workers. */
  static async open(url: string, count = 2): Promise<Lanes> {
    const clients = Array.from(
      { length: count },
      () => new pg.Client({ connectionString: url, application_name: 'muster bench' }),
    );
    for (const client of clients) {
      // A lost connection also fails the running query. Without a listener the event would end the process.
      client.on('error', () => {});
      await client.connect();
      await client.query(settings);
    }
    return new Lanes(clients);
  }

  get first(): pg.Client {
    return this.#clients[0]!;
  }

  async everywhere(sql: string): Promise<void> {
    for (const client of this.#clients) await client.query(sql);
  }

  /** Runs all jobs and returns the number of rows. A failed job fails the rest. */
  async run(jobs: Job[], onDone: (job: Job) => void = () => {}): Promise<number> {
    const left = [...jobs];
    let rows = 0;
    const work = async (client: pg.Client): Promise<void> => {
      for (let job = left.shift(); job; job = left.shift()) {
        try {
          if (job.seed !== undefined) await client.query('select setseed($1)', [((job.seed * 0.618_034) % 2) - 1]);
          rows += (await client.query(job.sql, job.values)).rowCount ?? 0;
        } catch (error) {
          left.length = 0;
          throw new Error(`${job.name}: ${(error as Error).message}`, { cause: error });
        }
        onDone(job);
      }
    };
    // allSettled, because the other connection is still working after a failure.
    const ended = await Promise.allSettled(this.#clients.map(work));
    const failure = ended.find((end) => end.status === 'rejected');
    if (failure) throw failure.reason;
    return rows;
  }

  async close(): Promise<void> {
    await Promise.all(this.#clients.map((client) => client.end().catch(() => {})));
  }
}
