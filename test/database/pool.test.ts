// Pools, and the private interface of Knex that they use: a new Knex that changes it fails here. Results are those of the public interface.
import type pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { Pool } from '../../src/database/pool.ts';
import { createDatabase } from '../harness/app.ts';

let pool: Pool;
beforeAll(async () => {
  pool = Pool.connect(await createDatabase('empty'), { size: 1 });
});
afterAll(() => pool.close());

const pidSql = 'select pg_backend_pid() as pid';
const pidOf = async (): Promise<number> => (await pool.run<{ pid: number }>(pidSql, []))[0]!.pid;

it('writes again after the database has refused writes for a while', async () => {
  const url = await createDatabase('empty');
  const writes = Pool.connect(url, { size: 2 });
  onTestFinished(() => writes.close());
  const setReadOnly = (value: string) =>
    pool.run(`alter database ${new URL(url).pathname.slice(1)} set default_transaction_read_only = ${value}`, []);
  const write = (on: Pool, table: string) => on.run(`create table ${table} ()`, []);
  await setReadOnly('on');
  // Two sessions that begin while it does.
  await writes.transaction((tx) => Promise.all([tx.run(pidSql, []), writes.run(pidSql, [])]));
  await expect(write(writes, 'one')).rejects.toMatchObject({ code: '25006' });
  await setReadOnly('off');
  await writes.transaction((tx) => Promise.all([write(tx, 'one'), write(writes, 'other')]));
});

describe('a statement', () => {
  const sql =
    'select :number::int + 1 as next, :list::text[] as list, :nothing::text as nothing, now() > :when as past';
  const values = { number: 41, list: ['a', 'é'], nothing: null, when: '2020-02-29T00:00:00Z' };

  it('returns the result of the public interface', async () => {
    const named = sql.replaceAll('::int', ' + 0').replaceAll(/:(\w+)::([\w[\]]+)/g, 'cast(:$1 as $2)');
    expect(await pool.run(named, values, 'knex.same')).toEqual((await pool.knex.raw(named, values)).rows);
    expect(await pool.run(sql, values)).toEqual([{ next: 42, list: ['a', 'é'], nothing: null, past: true }]);
  });

  it('is prepared once under its name, like one of the public interface', async () => {
    for (let round = 0; round < 3; round++) await pool.run('select :id::int as id', { id: round }, 'knex.ours');
    await pool.knex.raw('select ?::int as id', [1]).options({ name: 'knex.theirs' });
    const rows = await pool.run<{ name: string; calls: number }>(
      `select name, generic_plans + custom_plans as calls from pg_prepared_statements where name = any(:names) order by name`,
      { names: ['knex.ours', 'knex.theirs'] },
    );
    expect(rows).toEqual([
      { name: 'knex.ours', calls: 3 },
      { name: 'knex.theirs', calls: 1 },
    ]);
  });

  it('fails with the error of the driver, which has no value of it', async () => {
    const failing = pool.run('select 1 / :zero::int, :secret::text', { zero: 0, secret: 'whispered' });
    await expect(failing).rejects.toMatchObject({ code: '22012', message: 'division by zero' });
  });

  it('of a space has its group, whatever its values say', async () => {
    const scoped = pool.scopeTo(7);
    const statement = { name: null, sql: 'select :group::int as group, :other::int as other' };
    expect(await scoped.rows(statement, { group: 8, other: 9 })).toEqual([{ group: 7, other: 9 }]);
  });

  it('is told to those who watch Knex', async () => {
    const sent: unknown[] = [];
    const listen = ({ sql, bindings }: { sql: string; bindings: unknown[] }) => void sent.push(sql, bindings);
    pool.knex.on('query', listen);
    await pool.run('select :one::int', { one: 1 });
    pool.knex.removeListener('query', listen);
    expect(sent).toEqual(['select $1::int', [1]]);
  });
});

describe('a connection', () => {
  it('of some work is its own, and comes back to the pool', async () => {
    const pids = await pool.useConnection(async (run) => [
      ...(await run<{ pid: number }>(pidSql, [])),
      ...(await run<{ pid: number }>(pidSql, [])),
    ]);
    expect(pids).toEqual([{ pid: await pidOf() }, { pid: await pidOf() }]);
  });

  it('of a transaction is its own, and the transaction has the name of its pool', async () => {
    await pool.transaction(async (transaction) => {
      const [one] = await transaction.run<{ pid: number }>(pidSql, []);
      const [other] = await transaction.run<{ pid: number }>(pidSql, []);
      expect(one).toEqual(other);
      expect([transaction.name, transaction.isTransaction, pool.isTransaction]).toEqual([pool.name, true, false]);
    });
  });

  it('that is cut is not reused', async () => {
    const cutPid = await pool.useConnection(async (run, cut) => {
      const [found] = await run<{ pid: number }>(pidSql, []);
      cut(new Error('broken'));
      return found!.pid;
    });
    expect(await pidOf()).not.toBe(cutPid);
  });
});

describe('a transaction', () => {
  const add = 'insert into kept (word) values (:word)';
  const listKept = async () =>
    (await pool.run<{ word: string }>('select word from kept order by word', [])).map(({ word }) => word);

  beforeAll(async () => void (await pool.run('create table kept (word text not null)', [])));
  beforeEach(async () => void (await pool.run('delete from kept', [])));

  it('sends its first statement before it knows that it has begun', async () => {
    const told: string[] = [];
    const { client } = pool.knex;
    const connection = await client.acquireConnection();
    const { query } = connection;
    connection.query = (one: pg.Query & { text: string; callback: (...answer: unknown[]) => void }) => {
      const { text, callback } = one;
      told.push(`sent ${text}`);
      one.callback = (...answer) => {
        told.push(`answered ${text}`);
        callback(...answer);
      };
      return query.call(connection, one);
    };
    onTestFinished(() => void Object.assign(connection, { query }));
    await client.releaseConnection(connection);
    await pool.transaction((transaction) => transaction.run('select 1', []));
    expect(told).toEqual([
      'sent begin',
      'sent select 1',
      'answered begin',
      'answered select 1',
      'sent commit',
      'answered commit',
    ]);
  });

  it('keeps what its parts did, but for those that failed', async () => {
    await pool.transaction(async (outer) => {
      await outer.run(add, { word: 'outer' });
      await outer.transaction(async (part) => {
        await part.run(add, { word: 'part' });
        const failing = part.transaction(async (inner) => {
          await inner.run(add, { word: 'inner' });
          await inner.run(add, { word: null });
        });
        await expect(failing).rejects.toMatchObject({ code: '23502' });
        await part.run(add, { word: 'part, after' });
      });
      const given = outer.transaction(async (part) => {
        await part.run(add, { word: 'given up' });
        throw new Error('enough');
      });
      await expect(given).rejects.toThrow('enough');
      await outer.run(add, { word: 'outer, after' });
    });
    expect(await listKept()).toEqual(['outer', 'outer, after', 'part', 'part, after']);
  });

  it('fails when its work hides that a statement failed, since nothing is stored then', async () => {
    const hiding = pool.transaction(async (transaction) => {
      await transaction.run(add, { word: 'lost' });
      await transaction.run(add, { word: null }).catch(() => {});
      return 'stored';
    });
    await expect(hiding).rejects.toThrow('nothing of it was stored');
    expect(await listKept()).toEqual([]);
  });

  it('that cannot be rolled back does not leave its connection to others', async () => {
    let pid: number | undefined;
    const broken = pool.transaction(async (transaction) => {
      await transaction.run(add, { word: 'lost' });
      pid = (await transaction.run<{ pid: number }>(pidSql, []))[0]!.pid;
      await transaction.useConnection(async (_, cut) => cut(new Error('cut')));
      throw new Error('given up');
    });
    await expect(broken).rejects.toThrow('given up');
    expect(await pidOf()).not.toBe(pid);
    expect(await listKept()).toEqual([]);
  });
});

it('callers that wait for a missing server all fail as soon as that is detected', async () => {
  const unreachable = Pool.connect('postgres://nobody@127.0.0.1:1/nothing', { size: 1 });
  onTestFinished(() => unreachable.close());
  const outcomes = await Promise.allSettled([1, 2, 3].map(() => unreachable.run('select 1', [])));
  const reasons = outcomes.map((outcome) => outcome.status === 'rejected' && (outcome.reason as { code: string }).code);
  // Callers that the pool keeps waiting fail with its own time-out.
  expect(reasons).toEqual(['ECONNREFUSED', 'ECONNREFUSED', 'ECONNREFUSED']);
});
