// Verifies and repairs the rows that search derives from contacts: it finds those that differ from a fresh derivation, and derives them again.
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { openClient } from '../../database/open-client.ts';
import { buildUnusedWordCondition } from '../noun/unused-words.ts';

/** A row that differs from a fresh derivation. All answers of a contact count as one row. */
export interface WrongRow {
  table: Derived;
  /** The id of the contact. */
  id: number;
  kind: 'missing' | 'stale' | 'left over';
  /** For a stale row: the columns that differ. */
  columns: string[];
}

/** A batch of contacts of a space that were verified, and the wrong rows among theirs. */
export interface Batch {
  space: number;
  contacts: number;
  wrong: WrongRow[];
}

export interface VerifyOptions {
  /** The only space to verify; without it, all of them. */
  space?: number;
  /** Contacts that one statement compares, and at most as many that one transaction repairs. */
  batch: number;
  /** Whether to compare a second time before a row counts as wrong. */
  again: boolean;
  /** Whether to repair wrong rows. */
  repair: boolean;
}

const derivations = {
  contact_search: { rows: 'search_rows', refresh: 'refresh_search' },
  contact_emails: { rows: 'email_rows', refresh: 'refresh_emails' },
};
type RowTable = keyof typeof derivations;
/** The tables of derived rows, that of their words, and the one whose rows hold a derived column. */
export type Derived = RowTable | 'search_words' | 'answers';
export const rowTables = Object.keys(derivations) as RowTable[];

/** The ids of contacts, living or deleted, and of contacts of which only a derived row is left. */
const nextIds = `
  (select id from contacts where group_id = $1 and id > $2 order by id limit $3)
  ${rowTables.map((table) => `union (select contact_id from ${table} where group_id = $1 and contact_id > $2 order by contact_id limit $3)`).join(' ')}
  order by id limit $3`;

/** Statements over contacts `$2` of a space `$1`. */
interface Statements {
  compare: string;
  refresh: string;
}

const buildRowStatements = (table: RowTable): Statements => ({
  // One statement sees one snapshot: a writer commits a change and its row together, so both are seen or neither.
  compare: `
    with fresh as materialized (select f.contact_id as id, f from ${derivations[table].rows}($1, $2) f),
         kept as materialized (select k.contact_id as id, k from ${table} k where group_id = $1 and contact_id = any($2))
    select id, case when k is null then 'missing' when f is null then 'left over' else 'stale' end as kind,
           array(select key from jsonb_each(to_jsonb(f)) a join jsonb_each(to_jsonb(k)) b using (key)
                  where a.value <> b.value order by key) as columns
      from fresh full join kept using (id) where f is distinct from k order by id`,
  refresh: `select ${derivations[table].refresh}($1, $2)`,
});

/** The words of quick search: every text of a search row must be among them. */
const wordStatements: Statements = {
  compare: `
    select s.contact_id as id, 'missing' as kind, array_agg(distinct v.name order by v.name) as columns
      from search_rows($1, $2, false) s
     cross join lateral (
       values ('surname', 's'::"char", s.surname), ('married_name', 's', s.married_name), ('firstname', 'f', s.firstname), ('city', 'c', s.city)) v (name, kind, value)
     cross join lateral unnest(words_of(v.value)) w (word)
     where octet_length(v.value) <= 1000 and not exists (
       select 1 from search_words k where k.group_id = $1 and k.word = w.word and k.kind = v.kind and k.value = v.value)
     group by s.contact_id order by s.contact_id`,
  // The contacts are locked first: the words of one who is erased meanwhile would come back.
  refresh: `
    with living as materialized (
      select c.id from contacts c where c.group_id = $1 and c.id = any($2) order by c.id for key share)
    select refresh_search_words($1, array(select id from living))`,
};

const unusedWords = `k.group_id = $1 and ${buildUnusedWordCondition('$1')}`;

/** The database keeps this generated column right, unless the rules of folding change. `folded` is its expression. */
const buildAnswerStatements = (folded: string): Statements => {
  const stale = `answers where group_id = $1 and contact_id = any($2) and folded <> (${folded}) collate "C"`;
  return {
    compare: `select distinct contact_id as id, 'stale' as kind, array['folded'] as columns from ${stale} order by 1`,
    refresh: `update answers set data = data where (group_id, id) in (select group_id, id from ${stale})`,
  };
};
const foldedSql = `
  select pg_get_expr(adbin, adrelid) as folded from pg_attrdef join pg_attribute on attrelid = adrelid and attnum = adnum
   where attrelid = 'answers'::regclass and attname = 'folded'`;

/** Contacts are locked while their rows are written. If another transaction holds one for longer than the lock timeout, all are released and tried again. */
const lockTimeout = 1000;
/** The nodes of a cluster, where the rows are, do not know the settings of the session. */
const begin = `begin; set local citus.propagate_set_commands = 'local'; set local lock_timeout = ${lockTimeout}`;
const maxAttempts = 30;
/** Words that one transaction removes, since writers wait for it. */
const wordBatch = 1000;
const lockErrors = new Set(['55P03', '40P01']);

export class SearchRows {
  readonly #client: pg.Client;
  readonly #statements: Map<Derived, Statements>;

  private constructor(client: pg.Client, folded: string) {
    this.#client = client;
    this.#statements = new Map<Derived, Statements>([
      ...rowTables.map((table) => [table, buildRowStatements(table)] as const),
      ['search_words', wordStatements],
      ['answers', buildAnswerStatements(folded)],
    ]);
  }

  static async open(url: string): Promise<SearchRows> {
    const client = await openClient(url, 'muster search', { settings: { lock_timeout: lockTimeout } });
    return new SearchRows(client, (await client.query(foldedSql)).rows[0].folded);
  }

  close(): Promise<void> {
    return this.#client.end();
  }

  /** How many contacts there are to verify. Throws when there is no such space. */
  async size(space?: number): Promise<number> {
    if (space !== undefined && !(await this.#spaces()).includes(space)) throw new Error(`There is no space ${space}`);
    const { rows } = await this.#client.query(
      'select count(*) as total from contacts where $1::bigint is null or group_id = $1',
      [space],
    );
    return Number(rows[0].total);
  }

  /** Reads the contacts of each space by id. No transaction lasts longer than a batch, so it may be stopped after any. */
  async *readBatches({ space: only, batch, again, repair }: VerifyOptions): AsyncGenerator<Batch> {
    for (const space of only === undefined ? await this.#spaces() : [only]) {
      for (let last = -1; ; ) {
        const { rows } = await this.#client.query(nextIds, [space, last, batch]);
        const ids = rows.map(({ id }) => Number(id));
        // An empty space yields an empty batch, so that it is reported.
        if (ids.length === 0 && last >= 0) break;
        const wrong: WrongRow[] = [];
        for (const table of this.#statements.keys()) {
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
    const { rows } = await this.#client.query(this.#statements.get(table)!.compare, [space, ids]);
    return rows.map(({ id, kind, columns }) => ({ table, id: Number(id), kind, columns }));
  }

  /** Removes words that are of no use any more, from one space or all; returns their number. */
  async removeUnusedWords(only?: number): Promise<number> {
    let removed = 0;
    for (const space of only === undefined ? await this.#spaces() : [only]) {
      const { rows } = await this.#client.query(`select k.word, k.copy from search_words k where ${unusedWords}`, [
        space,
      ]);
      for (let from = 0; from < rows.length; from += wordBatch) {
        const batch = rows.slice(from, from + wordBatch);
        removed += await this.#writeWithLocks(space, () => this.#removeWords(space, batch));
      }
    }
    return removed;
  }

  /** The lock waits for transactions that write words, and so sees their search rows: they may have brought a text again. */
  async #removeWords(space: number, batch: { word: string; copy: string }[]): Promise<number> {
    await this.#client.query('lock table search_words in share row exclusive mode');
    const { rowCount } = await this.#client.query(
      `delete from search_words k using unnest(cast($2 as text[]), cast($3 as bigint[])) u (word, copy)
        where k.word = u.word and k.copy = u.copy and ${unusedWords}`,
      [space, batch.map(({ word }) => word), batch.map(({ copy }) => copy)],
    );
    return rowCount ?? 0;
  }

  /** Contacts are locked in the order of their ids, as every writer does. */
  async #refresh(table: Derived, space: number, ids: number[]): Promise<void> {
    await this.#writeWithLocks(space, () => this.#client.query(this.#statements.get(table)!.refresh, [space, ids]));
  }

  /** Works in a transaction, and repeats it when another one keeps it from its locks. */
  async #writeWithLocks<Result>(space: number, work: () => Promise<Result>): Promise<Result> {
    for (let left = maxAttempts - 1; ; left--) {
      await this.#client.query(begin);
      try {
        const result = await work();
        await this.#client.query('commit');
        return result;
      } catch (error) {
        await this.#client.query('rollback').catch(() => {});
        if (!lockErrors.has((error as { code?: string }).code ?? '')) throw error;
        if (left === 0)
          throw new Error(`Contacts of space ${space} stay locked by another transaction`, { cause: error });
        // Transactions that waited for the released rows go first.
        await sleep(200);
      }
    }
  }
}

const idsOf = (wrong: WrongRow[]): number[] => wrong.map(({ id }) => id);

/** Compares all rows with what a rebuild yields. Returns the number of contacts, and of wrong rows. */
export const countWrongRows = async (
  url: string,
  { again, signal }: Pick<VerifyOptions, 'again'> & { signal?: AbortSignal },
): Promise<{ contacts: number; wrong: number }> => {
  const rows = await SearchRows.open(url);
  let [contacts, wrong] = [0, 0];
  try {
    for await (const batch of rows.readBatches({ batch: 1000, again, repair: false })) {
      signal?.throwIfAborted();
      contacts += batch.contacts;
      wrong += batch.wrong.length;
    }
  } finally {
    await rows.close();
  }
  return { contacts, wrong };
};
