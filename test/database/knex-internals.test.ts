// The private interface of Knex that is used: a new Knex that changes it fails here. Its results are those of the public interface.
import type { Knex } from 'knex';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { Connection } from '../../src/database/connection.ts';
import {
  acquireConnection,
  discardConnection,
  getPoolKey,
  queryConnection,
  releaseConnection,
} from '../../src/database/knex-internals.ts';
import { closePool, connectPool } from '../../src/database/pool.ts';
import { runStatement } from '../../src/database/run-statement.ts';
import { createDatabase } from '../harness/app.ts';

let knex: Knex;
beforeAll(async () => {
  knex = connectPool(await createDatabase('empty'), { size: 1 });
});
afterAll(() => closePool(knex));

const pidSql = 'select pg_backend_pid() as pid';
const pidOf = async (): Promise<number> => (await runStatement<{ pid: number }>(knex, pidSql, []))[0]!.pid;

describe('a statement', () => {
  const sql =
    'select :number::int + 1 as next, :list::text[] as list, :nothing::text as nothing, now() > :when as past';
  const values = { number: 41, list: ['a', 'é'], nothing: null, when: '2020-02-29T00:00:00Z' };

  it('returns the result of the public interface', async () => {
    const named = sql.replaceAll('::int', ' + 0').replaceAll(/:(\w+)::([\w[\]]+)/g, 'cast(:$1 as $2)');
    expect(await runStatement(knex, named, values, 'knex.same')).toEqual((await knex.raw(named, values)).rows);
    expect(await runStatement(knex, sql, values)).toEqual([{ next: 42, list: ['a', 'é'], nothing: null, past: true }]);
  });

  it('is prepared once under its name, like one of the public interface', async () => {
    for (let round = 0; round < 3; round++)
      await runStatement(knex, 'select :id::int as id', { id: round }, 'knex.ours');
    await knex.raw('select ?::int as id', [1]).options({ name: 'knex.theirs' });
    const rows = await runStatement<{ name: string; calls: number }>(
      knex,
      `select name, generic_plans + custom_plans as calls from pg_prepared_statements where name = any(:names) order by name`,
      { names: ['knex.ours', 'knex.theirs'] },
    );
    expect(rows).toEqual([
      { name: 'knex.ours', calls: 3 },
      { name: 'knex.theirs', calls: 1 },
    ]);
  });

  it('fails with the error of the driver', async () => {
    await expect(runStatement(knex, 'select 1 / :zero::int', { zero: 0 })).rejects.toMatchObject({ code: '22012' });
  });
});

describe('a connection', () => {
  it('is acquired, queried and released', async () => {
    const connection = (await acquireConnection(knex)) as Connection & { processID: number };
    const rows = await queryConnection(knex, connection, { sql: pidSql, bindings: [] });
    expect(rows).toEqual([{ pid: connection.processID }]);
    await releaseConnection(knex, connection);
    expect(await pidOf()).toBe(connection.processID);
  });

  it('of a transaction is its own, and the transaction shares the key of its pool', async () => {
    await knex.transaction(async (transaction) => {
      const [one] = await runStatement<{ pid: number }>(transaction, pidSql, []);
      const [other] = await runStatement<{ pid: number }>(transaction, pidSql, []);
      expect(one).toEqual(other);
      expect(getPoolKey(transaction)).toBe(getPoolKey(knex));
    });
  });

  it('that is discarded is not reused', async () => {
    const connection = (await acquireConnection(knex)) as Connection & { processID: number };
    discardConnection(connection, new Error('broken'));
    await releaseConnection(knex, connection);
    expect(await pidOf()).not.toBe(connection.processID);
  });
});

it('callers that wait for a missing server all fail as soon as that is detected', async () => {
  const unreachable = connectPool('postgres://nobody@127.0.0.1:1/nothing', { size: 1 });
  onTestFinished(() => closePool(unreachable));
  const outcomes = await Promise.allSettled([1, 2, 3].map(() => runStatement(unreachable, 'select 1', [])));
  const reasons = outcomes.map((outcome) => outcome.status === 'rejected' && (outcome.reason as { code: string }).code);
  // Callers that the pool keeps waiting fail with its own time-out.
  expect(reasons).toEqual(['ECONNREFUSED', 'ECONNREFUSED', 'ECONNREFUSED']);
});
