// In charge of taking rows to the database: all of a plan or nothing, on several connections when foreign keys may wait.
import { CopyWorker, type Stretch } from './lane.ts';
import { Rows, type Table, tables } from './tables.ts';

const links: Table[] = ['contact_tags', 'contact_actions', 'interactions', 'files', 'answers'];
const mailings: Table[] = ['notes', 'emails', 'sanctions'];
/** Without them nothing of a space can be reached, nor its people sign in. */
const keys: Table[] = ['spaces', 'users'];
/** Loaded beside each other, each share about as much work for the database. */
const shares: Table[][] = [
  tables.filter((table) => ![...keys, ...links, ...mailings].includes(table)),
  links,
  mailings,
];

/** Batches that may be under way at once: what bounds the memory. */
const ahead = 3;

/** Throws when the plan cannot be loaded. Two seeds at once would wait for each other for ever, each on another connection. */
const refuse = async ({ client }: CopyWorker, spaces: number[]): Promise<void> => {
  const { rows: lock } = await client.query("select pg_try_advisory_lock(hashtext('muster seed')) as free");
  if (!lock[0].free) throw new Error('Another seed of this database is under way');
  const { rows: taken } = await client.query('select id from spaces where id = any($1) order by id', [spaces]);
  const ids = taken.map(({ id }) => id).join(', ');
  if (ids) throw new Error(`Already in this database: space ${ids}. Seed another one, or an empty database`);
};

/**
 * Foreign keys are checked row by row by triggers, which costs more than all the rest, and asks for parents that are
 * committed or in the same transaction. A role that may switch triggers off does: the seed makes children with their
 * parents, and a test loads the same rows with the checks on. Unique keys and CHECKs hold in either case.
 */
const mayUncheck = async ({ client }: CopyWorker): Promise<boolean> => {
  const { rows } = await client.query("select has_parameter_privilege('session_replication_role', 'set') as may");
  return rows[0].may;
};

/**
 * With one connection all is one transaction. With several each has its own, and the keys to what they loaded are committed
 * last, once search can find all of it. What a crash between two commits leaves behind is therefore out of reach, and the
 * next seed of these spaces clears it away.
 */
export class Load {
  readonly rows: Rows;
  /** In lower case: the mail addresses of the users that are there. */
  readonly takenMails: Set<string>;
  readonly #lanes: CopyWorker[];
  readonly #spaces: number[];
  readonly #keys: Map<Table, Buffer>[] = [];
  readonly #underWay: Promise<unknown>[] = [];

  private constructor(lanes: CopyWorker[], spaces: number[], rows: Rows, takenMails: Set<string>) {
    this.#lanes = lanes;
    this.#spaces = spaces;
    this.rows = rows;
    this.takenMails = takenMails;
  }

  static async begin(url: string, spaces: number[]): Promise<Load> {
    const main = await CopyWorker.open(url);
    const lanes = [main];
    try {
      await refuse(main, spaces);
      const unchecked = await mayUncheck(main);
      const lastIds: Partial<Record<Table, number>> = {};
      for (const [place, share] of (unchecked ? shares : [tables]).entries()) {
        const lane = place === 0 ? main : await CopyWorker.open(url);
        if (place > 0) lanes.push(lane);
        await lane.begin(share, unchecked);
        await lane.clear(spaces, place === 0 ? ['contact_search', 'contact_emails'] : []);
        Object.assign(lastIds, await lane.lastIds(share));
      }
      Object.assign(lastIds, await main.lastIds(keys));
      const { rows } = await main.client.query('select lower(mail) as mail from users');
      return new Load(lanes, spaces, new Rows(lastIds), new Set(rows.map(({ mail }) => mail)));
    } catch (error) {
      await Promise.all(lanes.map((lane) => lane.close()));
      throw error;
    }
  }

  /** Sends off the rows gathered so far, and waits while too much is under way. */
  async send(loaded: () => void): Promise<void> {
    const text = this.rows.take();
    if (this.#lanes.length > 1) this.#keys.push(text);
    const batch = Promise.all(this.#lanes.map((lane) => lane.load(text))).then(loaded);
    batch.catch(() => {});
    this.#underWay.push(batch);
    if (this.#underWay.length >= ahead) await this.#underWay.shift();
  }

  /** Everything loaded becomes searchable, then visible. `derived` learns of each number of contacts that search can find. */
  async commit(derived: (contacts: number) => void): Promise<void> {
    await Promise.all(this.#underWay);
    const [main, ...others] = this.#lanes as [CopyWorker, ...CopyWorker[]];
    const several = others.length > 0;
    if (several) for (const lane of this.#lanes) await lane.commit();
    // The large ones stand last in the list.
    await this.#share(tables.toReversed(), (lane, table) => lane.analyze(table));
    await this.#share(await main.stretches(this.#spaces), async (lane, stretch: Stretch) => {
      await lane.derive(stretch);
      derived(stretch.contacts);
    });
    await this.#share(['contact_search', 'contact_emails'], (lane, table) => lane.analyze(table));
    if (several) {
      await main.begin(keys, true);
      for (const text of this.#keys) await main.load(text);
    }
    await main.setSequences(this.rows.lastIds());
    await main.commit();
  }

  /** Each connection takes the next item that is left. */
  async #share<Item>(items: Item[], work: (lane: CopyWorker, item: Item) => Promise<void>): Promise<void> {
    const left = items[Symbol.iterator]();
    await Promise.all(
      this.#lanes.map(async (lane) => {
        for (const item of left) await work(lane, item);
      }),
    );
  }

  /** Undoes what was not committed. */
  async close(): Promise<void> {
    await Promise.all(this.#lanes.map((lane) => lane.close()));
  }
}
