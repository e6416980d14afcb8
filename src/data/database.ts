// The database as a whole: what is asked of it before, or apart from, any space.
import type { Knex } from 'knex';
import { Problem } from '../problem.ts';
import { connect, databaseProblem } from './knex.ts';
import type { RoleType } from './role.ts';
import { SearchMemory } from './search-memory.ts';
import { SlowLane, type SlowLaneOptions } from './slow-lane.ts';
import { Space } from './space.ts';
import { Turns } from './turns.ts';

/** What the gate learns of a token: its caller, whether the bucket held enough, and what it holds now. */
export interface GateRow {
  tokenId: number;
  userId: number;
  groupId: number;
  roleId: number;
  roleType: RoleType;
  admitted: boolean;
  tokens: number;
}

const enterGateSql = `
  select token_id as "tokenId", user_id as "userId", group_id as "groupId", role_id as "roleId",
         role_type as "roleType", admitted, tokens
    from enter_gate(?, ?, ?, ?)`;

interface DatabaseOptions {
  poolSize?: number;
  search?: SlowLaneOptions;
}

const busy = (): Problem =>
  new Problem('unavailable', 'Too much is being written to this space; try again in a moment', {
    headers: { 'Retry-After': '1' },
  });

export class Database {
  /** For this folder and for tests that count or watch statements; nothing else may speak to the database past a Space. */
  readonly knex: Knex;
  readonly slowLane: SlowLane;
  readonly #searches = new SearchMemory();
  /** Writers that would wait for one another in the database wait here instead, without a connection. */
  readonly #writers = new Turns({ atOnce: 4, waiting: 1000, patience: 10_000, refusal: busy, abandonment: busy });

  constructor(url: string, { poolSize, search = { size: 4, perSpace: 2 } }: DatabaseOptions = {}) {
    this.knex = connect(url, poolSize);
    this.slowLane = new SlowLane(url, search);
  }

  /** `signal` aborts when the client is gone: what would take long is given up then. */
  space(id: number, signal?: () => AbortSignal): Space {
    return new Space(this.knex, id, {
      searches: this.#searches,
      inSlowLane: (work) => this.slowLane.run(id, signal?.(), work),
      takeTurn: () => this.#writers.take(id),
    });
  }

  /** Resolves a token and takes `cost` tokens from the bucket of its space, in one statement; undefined for a bad token. */
  async enterGate(hash: Buffer, cost: number, capacity: number, refill: number): Promise<GateRow | undefined> {
    return (await this.#rows<GateRow>('gate', enterGateSql, [hash, cost, capacity, refill]))[0];
  }

  /** Whether the database answers. */
  async ping(): Promise<boolean> {
    return this.knex
      .raw('select 1')
      .timeout(1500)
      .then(
        () => true,
        () => false,
      );
  }

  /** Whether no space was ever created here. */
  async isEmpty(): Promise<boolean> {
    return !(await this.#rows<{ any: boolean }>('empty', 'select exists (select from spaces) as any', []))[0]!.any;
  }

  /**
   * Gathers statistics of what contacts are written to. Whoever fills small tables must ask for it now and then: plans that were
   * made for few rows, those of foreign keys among them, are kept until somebody does.
   */
  async gatherStatistics(): Promise<void> {
    await this.#rows(
      'analyze',
      'analyze contacts, addresses, tags, contact_tags, answers, contact_search, import_contacts',
      [],
    );
  }

  /** Whether there is such a space. */
  async hasSpace(id: number): Promise<boolean> {
    const sql = 'select exists (select from spaces where id = ? and deleted_at is null) as there';
    return (await this.#rows<{ there: boolean }>('space', sql, [id]))[0]!.there;
  }

  async close(): Promise<void> {
    await Promise.all([this.knex.destroy(), this.slowLane.close()]);
  }

  async #rows<Row>(name: string, sql: string, values: Knex.RawBinding[]): Promise<Row[]> {
    try {
      return (await this.knex.raw(sql, values).options({ name })).rows;
    } catch (error) {
      throw databaseProblem(error);
    }
  }
}
