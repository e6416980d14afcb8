// Loads the rows of a plan completely or not at all, on several connections if foreign key checks can be switched off.
import type pg from 'pg';
import { CopyWorker } from './copy-worker.ts';
import { SeedRows, type Table, tables } from './tables.ts';

interface ContactRange {
  space: string;
  first: string;
  last: string;
  contacts: number;
}

/** The database to fill, and how the program derives search rows of its contacts, range by range. */
export interface SeedTarget {
  connect: () => Promise<pg.Client>;
  derivedTables: readonly string[];
  listContactRanges: (client: pg.Client, spaces: number[]) => Promise<ContactRange[]>;
  deriveSearchRows: (client: pg.Client, range: ContactRange) => Promise<void>;
}

const links: Table[] = ['contact_tags', 'contact_actions', 'interactions', 'files', 'answers'];
const mailings: Table[] = ['notes', 'emails', 'sanctions'];
/** Tables without which nobody can read a space or sign in. */
const keys: Table[] = ['spaces', 'users'];
/** The tables of each connection. The shares take the database about the same time. */
const shares: Table[][] = [
  tables.filter((table) => ![...keys, ...links, ...mailings].includes(table)),
  links,
  mailings,
];

/** The number of concurrent batches, which limits the memory. */
const maxConcurrentBatches = 3;

/**
 * Throws when the plan cannot be loaded. Two concurrent seeds would wait for each other for ever, on different connections. The lock also keeps
 * others from creating spaces until the end; a space that is just being created has it too.
 */
const checkSpaces = async ({ client }: CopyWorker, spaces: number[]): Promise<void> => {
  const { rows: lock } = await client.query("select pg_try_advisory_lock(hashtext('muster seed')) as free");
  if (!lock[0].free) throw new Error('Another seed of this database is under way, or a space is just being created');
  const { rows: taken } = await client.query('select id from spaces where id = any($1) order by id', [spaces]);
  const ids = taken.map(({ id }) => id).join(', ');
  if (ids) throw new Error(`Already in this database: space ${ids}. Seed another one, or an empty database`);
};

/**
 * Triggers check foreign keys row by row, which takes more time than the rest, and needs parents that are
 * committed or in the same transaction. A role with the right to switch triggers off does so: the seed creates children with their
 * parents, and a test loads the same rows with the checks. Unique keys and CHECKs apply in either case. The nodes of a cluster always check.
 */
const canSkipChecks = async ({ client }: CopyWorker): Promise<boolean> => {
  const { rows } = await client.query(
    `select has_parameter_privilege('session_replication_role', 'set')
            and not exists (select 1 from pg_extension where extname = 'citus') as may`,
  );
  return rows[0].may;
};

/**
 * With one connection there is one transaction. With several each has its own, and spaces and users are committed
 * last, when all search rows exist. So nobody can reach rows that a crash between two commits leaves, and the
 * next seed of these spaces deletes them.
 */
export class Load {
  readonly rows: SeedRows;
  /** The mail addresses of existing users, in lower case. */
  readonly takenMails: Set<string>;
  readonly #target: SeedTarget;
  readonly #workers: CopyWorker[];
  readonly #spaces: number[];
  readonly #keys: Map<Table, Buffer>[] = [];
  readonly #running: Promise<unknown>[] = [];

  private constructor(
    target: SeedTarget,
    workers: CopyWorker[],
    spaces: number[],
    rows: SeedRows,
    takenMails: Set<string>,
  ) {
    this.#target = target;
    this.#workers = workers;
    this.#spaces = spaces;
    this.rows = rows;
    this.takenMails = takenMails;
  }

  static async begin(target: SeedTarget, spaces: number[]): Promise<Load> {
    const main = new CopyWorker(await target.connect());
    const workers = [main];
    try {
      await checkSpaces(main, spaces);
      const skipsChecks = await canSkipChecks(main);
      const lastIds: Partial<Record<Table, number>> = {};
      for (const [place, share] of (skipsChecks ? shares : [tables]).entries()) {
        const worker = place === 0 ? main : new CopyWorker(await target.connect());
        if (place > 0) workers.push(worker);
        await worker.begin(share, skipsChecks);
        await worker.clear(spaces, place === 0 ? target.derivedTables : []);
        Object.assign(lastIds, await worker.lastIds(share));
      }
      Object.assign(lastIds, await main.lastIds(keys));
      const { rows } = await main.client.query('select lower(mail) as mail from users');
      return new Load(target, workers, spaces, new SeedRows(lastIds), new Set(rows.map(({ mail }) => mail)));
    } catch (error) {
      await Promise.all(workers.map((worker) => worker.client.end()));
      throw error;
    }
  }

  /** Sends the gathered rows, and waits while too many batches are running. */
  async send(loaded: () => void): Promise<void> {
    const text = this.rows.take();
    if (this.#workers.length > 1) this.#keys.push(text);
    const batch = Promise.all(this.#workers.map((worker) => worker.load(text))).then(loaded);
    batch.catch(() => {});
    this.#running.push(batch);
    if (this.#running.length >= maxConcurrentBatches) await this.#running.shift();
  }

  /** Creates the search rows, and then makes the spaces visible. It calls `derived` with each number of contacts that have search rows. */
  async commit(derived: (contacts: number) => void): Promise<void> {
    await Promise.all(this.#running);
    const [main, ...others] = this.#workers as [CopyWorker, ...CopyWorker[]];
    const { derivedTables, listContactRanges, deriveSearchRows } = this.#target;
    const several = others.length > 0;
    if (several) for (const { client } of this.#workers) await client.query('commit');
    // Without statistics the planner would expect empty tables. The large ones are last in the list, so the order is reversed.
    const analyze = async ({ client }: CopyWorker, table: string): Promise<void> => {
      await client.query(`analyze ${table}`);
    };
    await this.#share(tables.toReversed(), analyze);
    await this.#share(await listContactRanges(main.client, this.#spaces), async ({ client }, range) => {
      await deriveSearchRows(client, range);
      derived(range.contacts);
    });
    await this.#share(derivedTables, analyze);
    if (several) {
      await main.begin(keys, true);
      for (const text of this.#keys) await main.load(text);
    }
    await main.setSequences(this.rows.lastIds());
    await main.client.query('commit');
  }

  /** Runs the work for all items. Each connection takes the next remaining item. */
  async #share<Item>(items: readonly Item[], work: (worker: CopyWorker, item: Item) => Promise<void>): Promise<void> {
    const left = items[Symbol.iterator]();
    await Promise.all(
      this.#workers.map(async (worker) => {
        for (const item of left) await work(worker, item);
      }),
    );
  }

  /** Closes the connections, which rolls back open transactions. */
  async close(): Promise<void> {
    await Promise.all(this.#workers.map(({ client }) => client.end()));
  }
}
