// The only way to the rows of a space. Every statement that passes here names the space; Knex itself stays private.
import type { Knex } from 'knex';
import { databaseProblem } from './knex.ts';
import type { SearchMemory } from './search-memory.ts';
import type { Run } from './slow-lane.ts';

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

export type Values = Record<string, unknown>;
export type Rows = <Row>(statement: Statement, values?: Values) => Promise<Row[]>;
type InSlowLane = <Result>(work: (run: Run) => Promise<Result>) => Promise<Result>;

export class Space {
  readonly #knex: Knex;
  readonly #inSlowLane: InSlowLane;
  readonly id: number;
  readonly searches: SearchMemory;

  constructor(knex: Knex, id: number, inSlowLane: InSlowLane, searches: SearchMemory) {
    this.#knex = knex;
    this.id = id;
    this.#inSlowLane = inSlowLane;
    this.searches = searches;
  }

  /** For what may take long: `work` has a connection of the slow lane to itself. Throws 429 when the space asks too much at once. */
  slowly<Result>(work: (rows: Rows) => Promise<Result>): Promise<Result> {
    return this.#inSlowLane((run) => work(({ sql }, values = {}) => run(sql, { ...values, group: this.id })));
  }

  /** The rows that a statement yields in this space. */
  async rows<Row>({ name, sql }: Statement, values: Values = {}): Promise<Row[]> {
    try {
      const result = await this.#knex
        .raw(sql, { ...values, group: this.id } as Knex.ValueDict)
        .options(name ? { name } : {});
      return result.rows;
    } catch (error) {
      throw databaseProblem(error);
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
    try {
      await this.#knex(table).insert(list.map((row) => ({ ...row, group_id: this.id })));
    } catch (error) {
      throw databaseProblem(error);
    }
  }

  /** Runs `work` in one transaction: all of it is kept, or none. */
  async transaction<Result>(work: (space: Space) => Promise<Result>): Promise<Result> {
    try {
      return await this.#knex.transaction((transaction) =>
        work(new Space(transaction, this.id, this.#inSlowLane, this.searches)),
      );
    } catch (error) {
      throw databaseProblem(error);
    }
  }
}
