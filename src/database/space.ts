// The only way to the rows of a space. Every statement that passes here names the space; Knex itself stays private.
import type { Knex } from 'knex';
import { LRUCache } from 'lru-cache';
import type { SearchMemory } from '../data/search/match-counts.ts';
import type { Together } from './batched-query.ts';
import { databaseProblem } from './driver-error.ts';
import { run } from './pool.ts';
import type { Run } from './search-pool.ts';
import { clientTextName, maxClientTexts, textName } from './statement-cache.ts';

/** A SQL text that is scoped to one space, prepared under its name if it has one. Values are bound by name: `:id`. */
export interface Statement {
  readonly name: string | null;
  readonly sql: string;
}

/** Declares a statement. Refuses, for most when the module is loaded, a text that does not mention the space. */
export const statement = (name: string | null, sql: string): Statement => {
  if (!sql.includes(':group')) throw new Error(`Statement ${name} is not scoped: it must compare group_id with :group`);
  return { name, sql };
};

/** Texts of our own, of which there are few. */
const own = new Map<string, Statement>();
/** Those of clients, who think of any number. */
const ofClients = new LRUCache<string, Statement>({ max: maxClientTexts.texts });

/** The statement of a text that is made as requests ask for it, prepared under a name of its own; `trusted` when there are few. */
export const prepared = (noun: string, sql: string, trusted = false): Statement => {
  const made = trusted ? own : ofClients;
  const known = made.get(sql);
  if (known) return known;
  if (!trusted && sql.length > maxClientTexts.characters) return statement(null, sql);
  const fresh = statement(trusted ? textName(noun, sql) : clientTextName(noun, sql), sql);
  made.set(sql, fresh);
  return fresh;
};

export type Values = Record<string, unknown>;
export type Rows = <Row>(statement: Statement, values?: Values) => Promise<Row[]>;

/** What runs statements within one space. */
export interface Scoped {
  rows: Rows;
}

/** A space over the connections of a pool, or over the one of a transaction. */
export const scoped = (knex: Knex, group: number): Scoped => ({
  rows: ({ name, sql }, values = {}) => run(knex, sql, { ...values, group }, name),
});

/** What a space shares with the others of its database. */
interface Means {
  searches: SearchMemory;
  /** Runs single statements: on a pool that is right for this request, or in its transaction. */
  run<Result>(work: (knex: Knex) => Promise<Result>): Promise<Result>;
  /** Where single statements run that a replica cannot answer. */
  primary: Knex;
  /** Where transactions begin, and savepoints within one. */
  writers: Knex;
  /** Runs a short walk; not there where a session has no settings of its own. */
  walk?: (<Result>(work: (knex: Knex) => Promise<Result>) => Promise<Result>) | undefined;
  inSlowLane<Result>(work: (run: Run) => Promise<Result>): Promise<Result>;
  /** Waits for a turn to take a connection. Who has one already takes none. */
  takeTurn?: (() => Promise<() => void>) | undefined;
}

/** Runs a piece of work when it is its turn. */
type InTurn = <Result>(work: () => Promise<Result>) => Promise<Result>;

/** Whoever has a connection each to themselves need not wait. */
const atOnce: InTurn = (work) => work();

/** One after the other, in the order they came; that one fails is told to who asked for it, and keeps none from its turn. */
const oneByOne = (): InTurn => {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const mine = last.then(work);
    last = mine.catch(() => {});
    return mine;
  };
};

export class Space implements Scoped {
  readonly #means: Means;
  readonly #inTurn: InTurn;
  readonly id: number;

  constructor(id: number, means: Means, inTurn: InTurn = atOnce) {
    this.id = id;
    this.#means = means;
    this.#inTurn = inTurn;
  }

  get searches(): SearchMemory {
    return this.#means.searches;
  }

  /** For what may take long: `work` has a connection of the slow lane to itself. Throws 429 when the space asks too much at once. */
  slowly<Result>(work: (rows: Rows) => Promise<Result>): Promise<Result> {
    return this.#means.inSlowLane((run) =>
      work(({ name, sql }, values = {}) => run(sql, { ...values, group: this.id }, name)),
    );
  }

  /** The rows of a statement that follows an index for a moment; undefined where that cannot be had. */
  async walk<Row>(statement: Statement, values: Values): Promise<Row[] | undefined> {
    try {
      return await this.#means.walk?.((knex) => scoped(knex, this.id).rows<Row>(statement, values));
    } catch (error) {
      throw databaseProblem(error);
    }
  }

  /** The rows that a statement yields in this space. */
  rows<Row>(statement: Statement, values: Values = {}): Promise<Row[]> {
    return this.#connected(() => this.#means.run((knex) => scoped(knex, this.id).rows<Row>(statement, values)));
  }

  /** The same on the primary, for what a replica does not have. */
  async onPrimary<Row>(statement: Statement, values: Values): Promise<Row[]> {
    return this.#connected(() => scoped(this.#means.primary, this.id).rows<Row>(statement, values));
  }

  /** The answer to a question that requests of this space ask together. They share a connection, and need no turn for it. */
  async together<Item, Answer>(question: Together<Item, Answer>, item: Item): Promise<Answer> {
    try {
      return await this.#inTurn(() => this.#means.run((knex) => question.ask(knex, this.id, item)));
    } catch (error) {
      throw databaseProblem(error);
    }
  }

  /** Does what takes a connection, when its turn has come. */
  async #connected<Result>(work: () => Promise<Result>): Promise<Result> {
    const leave = await this.#means.takeTurn?.();
    try {
      return await this.#inTurn(work);
    } catch (error) {
      throw databaseProblem(error);
    } finally {
      leave?.();
    }
  }

  /** The first row that a statement yields in this space. */
  async row<Row>(statement: Statement, values: Values = {}): Promise<Row | undefined> {
    return (await this.rows<Row>(statement, values))[0];
  }

  /** Inserts rows of this space; group_id is set here and nowhere else. */
  async insert(table: string, rows: Values | Values[]): Promise<void> {
    const list = [rows].flat();
    if (list.length === 0) return;
    const { writers } = this.#means;
    await this.#connected(async () => writers(table).insert(list.map((row) => ({ ...row, group_id: this.id }))));
  }

  /**
   * Runs `work` in one transaction: all of it is kept, or none. A transaction has one connection, so what `work` asks at once is
   * asked one after the other. A transaction within it takes its turn as a whole: until it ends, `work` asks only the space that
   * it is given, since the one around would wait for it.
   */
  async transaction<Result>(work: (space: Space) => Promise<Result>): Promise<Result> {
    return this.#connected(() =>
      this.#means.writers.transaction(async (transaction) => {
        const inTurn = oneByOne();
        const run: Means['run'] = (work) => work(transaction);
        const means: Means = { ...this.#means, run, primary: transaction, writers: transaction, takeTurn: undefined };
        try {
          return await work(new Space(this.id, means, inTurn));
        } finally {
          // When `work` gave up over one of several statements, the others end before the transaction does.
          await inTurn(async () => {});
        }
      }),
    );
  }
}
