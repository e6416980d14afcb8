// In charge of taking rows to the database: all of a plan or nothing, on several connections when foreign keys may wait.
import { Lane } from './lane.ts';
import { Rows, type Table, tables } from './tables.ts';

const links: Table[] = ['contact_tags', 'contact_actions', 'interactions', 'files', 'answers'];
const mailings: Table[] = ['notes', 'emails', 'sanctions'];
/** Loaded beside each other, each share about as much work for the database. The first has the spaces and the users. */
const shares: Table[][] = [
  tables.filter((table) => !links.includes(table) && !mailings.includes(table)),
  links,
  mailings,
];

/** Batches that may be under way at once: what bounds the memory. */
const ahead = 3;

/** Throws when the plan cannot be loaded. Two seeds at once would wait for each other for ever, each on another connection. */
const refuse = async ({ client }: Lane, spaces: number[]): Promise<void> => {
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
const mayUncheck = async ({ client }: Lane): Promise<boolean> => {
  const { rows } = await client.query("select has_parameter_privilege('session_replication_role', 'set') as may");
  return rows[0].may;
};

/**
 * With one connection all is one transaction. With several each has its own, and the first commits last: it has the rows
 * of `spaces`, without which nothing of a space can be reached. What a crash between two commits leaves behind is
 * therefore out of reach, and the next seed of these spaces clears it away.
 */
export class Load {
  readonly rows: Rows;
  /** In lower case: the mail addresses of the users that are there. */
  readonly takenMails: Set<string>;
  readonly #lanes: Lane[];
  readonly #underWay: Promise<unknown>[] = [];

  private constructor(lanes: Lane[], rows: Rows, takenMails: Set<string>) {
    this.#lanes = lanes;
    this.rows = rows;
    this.takenMails = takenMails;
  }

  static async begin(url: string, spaces: number[]): Promise<Load> {
    const main = await Lane.open(url);
    const lanes = [main];
    try {
      await refuse(main, spaces);
      const unchecked = await mayUncheck(main);
      const lastIds: Partial<Record<Table, number>> = {};
      for (const [place, share] of (unchecked ? shares : [tables]).entries()) {
        const lane = place === 0 ? main : await Lane.open(url);
        if (place > 0) lanes.push(lane);
        await lane.begin(share, unchecked);
        await lane.clear(spaces);
        Object.assign(lastIds, await lane.lastIds());
      }
      const { rows } = await main.client.query('select lower(mail) as mail from users');
      return new Load(lanes, new Rows(lastIds), new Set(rows.map(({ mail }) => mail)));
    } catch (error) {
      await Promise.all(lanes.map((lane) => lane.close()));
      throw error;
    }
  }

  /** Sends off the rows gathered so far, and waits while too much is under way. */
  async send(loaded: () => void): Promise<void> {
    const text = this.rows.take();
    const batch = Promise.all(this.#lanes.map((lane) => lane.load(text))).then(loaded);
    batch.catch(() => {});
    this.#underWay.push(batch);
    if (this.#underWay.length >= ahead) await this.#underWay.shift();
  }

  async commit(): Promise<void> {
    await Promise.all(this.#underWay);
    const lastIds = this.rows.lastIds();
    for (const lane of this.#lanes) await lane.setSequences(lastIds);
    for (const lane of [...this.#lanes].reverse()) await lane.commit();
    await this.#analyze();
  }

  /** Each connection takes the next table that is left; the large ones stand last in the list. */
  async #analyze(): Promise<void> {
    const left = [...tables];
    const work = async (lane: Lane): Promise<void> => {
      for (let table = left.pop(); table; table = left.pop()) await lane.analyze(table);
    };
    await Promise.all(this.#lanes.map(work));
  }

  /** Undoes what was not committed. */
  async close(): Promise<void> {
    await Promise.all(this.#lanes.map((lane) => lane.close()));
  }
}
