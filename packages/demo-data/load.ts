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
 * Begins a load, whose end is a commit or `close`. With one connection there is one transaction. With several each has its own, and spaces and users
 * are committed last, when all search rows exist. So nobody can reach rows that a crash between two commits leaves, and the next seed of these spaces
 * deletes them.
 */
export const beginLoad = async (target: SeedTarget, spaces: number[]) => {
  const { derivedTables, listContactRanges, deriveSearchRows } = target;
  const main = new CopyWorker(await target.connect());
  const workers = [main];
  const keyRows: Map<Table, Buffer>[] = [];
  const running: Promise<unknown>[] = [];

  /** Closes the connections, which rolls back open transactions. */
  const close = async (): Promise<void> => {
    await Promise.all(workers.map(({ client }) => client.end()));
  };
  const begin = async () => {
    await checkSpaces(main, spaces);
    const skipsChecks = await canSkipChecks(main);
    const lastIds: SeedRows['lastIds'] = {};
    for (const [place, share] of (skipsChecks ? shares : [tables]).entries()) {
      const worker = place === 0 ? main : new CopyWorker(await target.connect());
      if (place > 0) workers.push(worker);
      await worker.begin(share, skipsChecks);
      await worker.clear(spaces, place === 0 ? derivedTables : []);
      Object.assign(lastIds, await worker.lastIds(share));
    }
    Object.assign(lastIds, await main.lastIds(keys));
    const { rows: users } = await main.client.query('select lower(mail) as mail from users');
    return { rows: new SeedRows(lastIds), takenMails: new Set<string>(users.map(({ mail }) => mail)) };
  };
  const { rows, takenMails } = await begin().catch(async (error) => {
    await close();
    throw error;
  });

  /** Sends the gathered rows, and waits while too many batches are running. */
  const send = async (loaded: () => void): Promise<void> => {
    const text = rows.take();
    if (workers.length > 1) keyRows.push(text);
    const batch = Promise.all(workers.map((worker) => worker.load(text))).then(loaded);
    batch.catch(() => {});
    running.push(batch);
    if (running.length >= maxConcurrentBatches) await running.shift();
  };
  /** Runs the work for all items. Each connection takes the next remaining item. */
  const share = async <Item>(items: readonly Item[], work: (worker: CopyWorker, item: Item) => Promise<unknown>) => {
    const left = items[Symbol.iterator]();
    await Promise.all(
      workers.map(async (worker) => {
        for (const item of left) await work(worker, item);
      }),
    );
  };
  /** Creates the search rows, and then makes the spaces visible. It calls `derived` with each number of contacts that have search rows. */
  const commit = async (derived: (contacts: number) => void): Promise<void> => {
    await Promise.all(running);
    const several = workers.length > 1;
    if (several) for (const { client } of workers) await client.query('commit');
    // Without statistics the planner would expect empty tables. The large ones are last in the list, so the order is reversed.
    const analyze = ({ client }: CopyWorker, table: string) => client.query(`analyze ${table}`);
    await share(tables.toReversed(), analyze);
    await share(await listContactRanges(main.client, spaces), async ({ client }, range) => {
      await deriveSearchRows(client, range);
      derived(range.contacts);
    });
    await share(derivedTables, analyze);
    if (several) {
      await main.begin(keys, true);
      for (const text of keyRows) await main.load(text);
    }
    await main.setSequences(rows.lastIds);
    await main.client.query('commit');
  };
  return { rows, takenMails, send, commit, close };
};
