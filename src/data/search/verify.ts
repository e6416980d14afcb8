// What search derives from contacts, as a whole: finds the rows that are not what their sources say, and brings them up to date.
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';

/** A row that is not what its sources say; of answers, all those of a contact as one. */
export interface WrongRow {
  table: Derived;
  /** Of the contact. */
  id: number;
  kind: 'missing' | 'stale' | 'left over';
  /** Of a stale row: the columns that differ. */
  columns: string[];
}

/** Some contacts of a space that were looked at, and what was wrong with their rows. */
export interface Batch {
  space: number;
  contacts: number;
  wrong: WrongRow[];
}

export interface WalkOptions {
  /** The only space to walk; all without it. */
  space?: number;
  /** Contacts looked at by one statement, and at most brought up to date by one transaction. */
  batch: number;
  /** Whether to look a second time before a row counts as wrong. */
  again: boolean;
  /** Whether to bring up to date what is wrong. */
  repair: boolean;
}

const derivations = {
  contact_search: { rows: 'search_rows', refresh: 'refresh_search' },
  contact_emails: { rows: 'email_rows', refresh: 'refresh_emails' },
};
type RowTable = keyof typeof derivations;
/** The tables of derived rows, and the one whose rows hold a derived column. */
export type Derived = RowTable | 'answers';
export const rowTables = Object.keys(derivations) as RowTable[];

/** Living or deleted, and those of which nothing is left but a derived row. */
const nextIds = `
  (select id from contacts where group_id = $1 and id > $2 order by id limit $3)
  ${rowTables.map((table) => `union (select contact_id from ${table} where group_id = $1 and contact_id > $2 order by contact_id limit $3)`).join(' ')}
  order by id limit $3`;

/** Both of some contacts `$2` of a space `$1`. */
interface Texts {
  compare: string;
  refresh: string;
}

const textsOfRows = (table: RowTable): Texts => ({
  // One statement, so one snapshot: a writer commits a change and its row together, and is seen with both or neither.
  compare: `
    with fresh as materialized (select f.contact_id as id, f from ${derivations[table].rows}($1, $2) f),
         kept as materialized (select k.contact_id as id, k from ${table} k where group_id = $1 and contact_id = any($2))
    select id, case when k is null then 'missing' when f is null then 'left over' else 'stale' end as kind,
           array(select key from jsonb_each(to_jsonb(f)) a join jsonb_each(to_jsonb(k)) b using (key)
                  where a.value <> b.value order by key) as columns
      from fresh full join kept using (id) where f is distinct from k order by id`,
  refresh: `select ${derivations[table].refresh}($1, $2)`,
});

/** The database keeps this column right, unless the rules by which it folds change under it. `folded` is how it derives it. */
const textsOfAnswers = (folded: string): Texts => {
  const stale = `answers where group_id = $1 and contact_id = any($2) and folded <> (${folded}) collate "C"`;
  return {
    compare: `select distinct contact_id as id, 'stale' as kind, array['folded'] as columns from ${stale} order by 1`,
    refresh: `update answers set data = data where (group_id, id) in (select group_id, id from ${stale})`,
  };
};
const foldedSql = `
  select pg_get_expr(adbin, adrelid) as folded from pg_attrdef join pg_attribute on attrelid = adrelid and attnum = adnum
   where attrelid = 'answers'::regclass and attname = 'folded'`;

/** Contacts are locked for as long as their rows are written; where somebody holds one for longer, all are let go and tried again. */
const settings = '-c timezone=UTC -c lock_timeout=1000 -c client_connection_check_interval=500 -c jit=off';
const tries = 30;
const inTheWay = new Set(['55P03', '40P01']);

export class SearchRows {
  readonly #client: pg.Client;
  readonly #texts: Map<Derived, Texts>;

  private constructor(client: pg.Client, folded: string) {
    this.#client = client;
    this.#texts = new Map<Derived, Texts>([
      ...rowTables.map((table) => [table, textsOfRows(table)] as const),
      ['answers', textsOfAnswers(folded)],
    ]);
  }

  static async open(connectionString: string): Promise<SearchRows> {
    const client = new pg.Client({
      connectionString,
      connectionTimeoutMillis: 5000,
      application_name: 'muster search',
      options: settings,
    });
    // A lost connection fails the query under way as well; without a listener it would end the process.
    client.on('error', () => {});
    await client.connect();
    return new SearchRows(client, (await client.query(foldedSql)).rows[0].folded);
  }

  close(): Promise<void> {
    return this.#client.end();
  }

  /** How many contacts there are to walk. Throws when there is no such space. */
  async size(space?: number): Promise<number> {
    if (space !== undefined && !(await this.#spaces()).includes(space)) throw new Error(`There is no space ${space}`);
    const { rows } = await this.#client.query(
      'select count(*) as total from contacts where $1::bigint is null or group_id = $1',
      [space],
    );
    return Number(rows[0].total);
  }

  /** Walks the contacts of each space by id. No transaction lasts longer than a batch, so that it may be left off at any. */
  async *walk({ space: only, batch, again, repair }: WalkOptions): AsyncGenerator<Batch> {
    for (const space of only === undefined ? await this.#spaces() : [only]) {
      for (let last = -1; ; ) {
        const { rows } = await this.#client.query(nextIds, [space, last, batch]);
        const ids = rows.map(({ id }) => Number(id));
        // An empty space is a batch too, so that it is heard of.
        if (ids.length === 0 && last >= 0) break;
        const wrong: WrongRow[] = [];
        for (const table of this.#texts.keys()) {
          let found = await this.#compare(table, space, ids);
          if (again && found.length > 0) found = await this.#compare(table, space, idsOf(found));
          if (repair && found.length > 0) await this.#refresh(table, space, idsOf(found));
          wrong.push(...found);
        }
        yield { space, contacts: ids.length, wrong };
        if (ids.length < batch) break;
        last = ids.at(-1)!;
      }
    }
  }

  async #spaces(): Promise<number[]> {
    return (await this.#client.query('select id from spaces order by id')).rows.map(({ id }) => Number(id));
  }

  async #compare(table: Derived, space: number, ids: number[]): Promise<WrongRow[]> {
    const { rows } = await this.#client.query(this.#texts.get(table)!.compare, [space, ids]);
    return rows.map(({ id, kind, columns }) => ({ table, id: Number(id), kind, columns }));
  }

  /** Its own transaction. Contacts are locked in the order of their ids, as by every writer. */
  async #refresh(table: Derived, space: number, ids: number[]): Promise<void> {
    for (let left = tries - 1; ; left--) {
      try {
        await this.#client.query(this.#texts.get(table)!.refresh, [space, ids]);
        return;
      } catch (error) {
        if (!inTheWay.has((error as { code?: string }).code ?? '')) throw error;
        if (left === 0)
          throw new Error(`Contacts of space ${space} are locked by somebody else all the time`, { cause: error });
        // Who waited for the contacts that were just let go comes first.
        await sleep(200);
      }
    }
  }
}

const idsOf = (wrong: WrongRow[]): number[] => wrong.map(({ id }) => id);
