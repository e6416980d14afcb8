// The database as a whole: what is asked of it before, or apart from, any space.
import type { Knex } from 'knex';
import { connect, databaseProblem } from './knex.ts';
import type { RoleType } from './role.ts';
import { SearchMemory } from './search-memory.ts';
import { SlowLane, type SlowLaneOptions } from './slow-lane.ts';
import { Space } from './space.ts';

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

export class Database {
  /** For this folder and for tests that count or watch statements; nothing else may speak to the database past a Space. */
  readonly knex: Knex;
  readonly slowLane: SlowLane;
  readonly #searches = new SearchMemory();

  constructor(url: string, { poolSize, search = { size: 4, perSpace: 2 } }: DatabaseOptions = {}) {
    this.knex = connect(url, poolSize);
    this.slowLane = new SlowLane(url, search);
  }

  /** `signal` aborts when the client is gone: what would take long is given up then. */
  space(id: number, signal?: () => AbortSignal): Space {
    return new Space(this.knex, id, (work) => this.slowLane.run(id, signal?.(), work), this.#searches);
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
