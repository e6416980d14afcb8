// Statements of one transaction share a connection, so concurrent ones run one after the other.
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Space } from '../../src/database/space.ts';
import { defineStatement } from '../../src/database/statement.ts';
import { type Door, type Json, openApp } from '../harness/app.ts';

let door: Door;
let space: Space;

/** The largest number of statements that the driver had at once on one connection. */
let most = 0;
const underWay = new WeakMap<object, number>();

beforeAll(async () => {
  door = await openApp();
  space = door.database.space(1);
  const change = (connection: object, by: number): void => {
    underWay.set(connection, (underWay.get(connection) ?? 0) + by);
    most = Math.max(most, underWay.get(connection)!);
  };
  const query: (this: object, ...given: Json[]) => Json = pg.Client.prototype.query;
  pg.Client.prototype.query = function (this: object, asked: Json, ...others: Json[]) {
    // Pools pass queries with a callback; calls without one are not from Space. What begins and ends a transaction is not waited for.
    const { callback, text } = asked;
    if (typeof callback !== 'function' || /^(begin|savepoint|rollback|release)/.test(text))
      return query.call(this, asked, ...others);
    change(this, 1);
    asked.callback = (...answer: Json[]) => {
      change(this, -1);
      callback(...answer);
    };
    return query.call(this, asked);
  } as never;
  // Connections that are made from here on are watched.
  await door.token(1, 1);
  return () => {
    pg.Client.prototype.query = query as never;
  };
});
beforeEach(() => {
  most = 0;
});

const said = defineStatement(
  null,
  'select cast(:word as text) as word, cast(:group as bigint) as space, pg_sleep(0.02)',
);
const broken = defineStatement(null, 'select 1 / (cast(:group as bigint) - :group)');
const write = defineStatement(null, 'insert into tags (group_id, name) values (:group, :name) returning name');
const tagsLike = async (name: string): Promise<string[]> =>
  (await door.sql('select name from tags where group_id = 1 and name like ? order by name', [`${name}%`])).map(
    (tag) => tag.name,
  );
const words = ['one', 'two', 'three', 'four', 'five'];
const echo = (from: Space, word: string) => from.row<{ word: string }>(said, { word });

describe('concurrent statements of a transaction', () => {
  it('run one after the other, and each gets its own answer', async () => {
    const answers = await space.transaction((tx) => Promise.all(words.map((word) => echo(tx, word))));
    expect(answers.map((answer) => answer!.word)).toEqual(words);
    expect(most).toBe(1);
  });

  it('run in order, with a nested transaction among them', async () => {
    await space.transaction((tx) =>
      Promise.all([
        tx.rows(write, { name: 'order 1' }),
        tx.rows(write, { name: 'order 2' }),
        tx.transaction((inner) => inner.rows(write, { name: 'order 3' })),
        tx.rows(write, { name: 'order 4' }),
      ]),
    );
    expect(most).toBe(1);
    const sql = `select name from tags where group_id = 1 and name like 'order%' order by id`;
    expect(await door.sql(sql)).toEqual([1, 2, 3, 4].map((nth) => ({ name: `order ${nth}` })));
  });

  it('do not wait for statements outside it, which have their own connections', async () => {
    const one = defineStatement(null, 'select cast(:group as bigint) as space');
    await space.transaction(async (tx) => {
      await tx.rows(one);
      expect(await Promise.all([space.rows(one), space.rows(one)])).toEqual([[{ space: 1 }], [{ space: 1 }]]);
    });
  });

  it('each get their own result when one fails, and nothing is committed', async () => {
    let told: PromiseSettledResult<unknown>[] = [];
    const outcome = space.transaction(async (tx) => {
      told = await Promise.allSettled([
        tx.rows(write, { name: 'failing 1' }),
        tx.rows(broken),
        tx.rows(write, { name: 'failing 2' }),
      ]);
      return told;
    });
    // The failure was caught, but PostgreSQL accepts nothing more, and rolls back.
    await expect(outcome).rejects.toThrow('nothing of it was stored');
    expect(told).toMatchObject([
      { status: 'fulfilled', value: [{ name: 'failing 1' }] },
      { status: 'rejected', reason: { code: 'invalid-request' } },
      { status: 'rejected', reason: { code: 'unavailable' } },
    ]);
    expect(await tagsLike('failing')).toEqual([]);
    expect(most).toBe(1);
  });

  it('end before the transaction does, when it fails because of one of them', async () => {
    const ended: string[] = [];
    const give = space.transaction(async (tx) => {
      const rest = words.map((word) =>
        echo(tx, word).then(
          () => ended.push(word),
          () => ended.push(word),
        ),
      );
      await Promise.all([...rest, Promise.reject(new Error('given up'))]);
    });
    await expect(give).rejects.toThrow('given up');
    expect(ended).toEqual(words);
    expect(most).toBe(1);
    expect((await echo(space, 'after'))!.word).toBe('after');
  });
});

describe('a nested transaction', () => {
  it('runs as a whole: concurrent statements are not part of it', async () => {
    const told = await space.transaction((tx) =>
      Promise.allSettled([
        tx.rows(write, { name: 'beside 1' }),
        tx.transaction(async (within) => {
          await within.rows(write, { name: 'within' });
          await sleep(50);
          throw new Error('taken back');
        }),
        tx.rows(write, { name: 'beside 2' }),
      ]),
    );
    expect(told.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(await tagsLike('beside')).toEqual(['beside 1', 'beside 2']);
    expect(await tagsLike('within')).toEqual([]);
    expect(most).toBe(1);
  });

  it('may be one of several at once, each committed or rolled back by itself', async () => {
    await space.transaction((tx) =>
      Promise.allSettled(
        words.map((word, index) =>
          tx.transaction(async (within) => {
            await Promise.all([within.rows(write, { name: `several ${word}` }), echo(within, word)]);
            if (index % 2) throw new Error('taken back');
          }),
        ),
      ),
    );
    expect(await tagsLike('several')).toEqual(['several five', 'several one', 'several three']);
    expect(most).toBe(1);
  });
});

it('a document under a key reads the relations that it selects one after the other', async () => {
  const [{ id }] = await door.sql('select min(id) as id from contacts where group_id = 1 and deleted_at is null');
  const query = `mutation { updateContact(input: { id: ${id}, tags: [{ name: "turn" }] }) { contact { tags { name } interactions { nodes { id: databaseId } } transactions { nodes { id: databaseId donations { nodes { id: databaseId } } } } donations { nodes { id: databaseId } } memberships { nodes { id: databaseId } } emails { nodes { id: databaseId } } sanctions { nodes { id: databaseId } } } } }`;
  const { body } = await door.graphql(query, undefined, undefined, { 'Idempotency-Key': 'relations' });
  expect(body.errors).toBeUndefined();
  expect(body.data.updateContact.contact.tags).toEqual([{ name: 'turn' }]);
  expect(most).toBe(1);
});

describe('a transaction that joins those within it', () => {
  it('has no savepoint for them, but for those that are deeper', async () => {
    const statements = await door.statements(() =>
      space.transaction(
        (tx) => tx.transaction((joined) => joined.transaction((deeper) => deeper.rows(write, { name: 'joined 1' }))),
        { joins: true },
      ),
    );
    expect(statements.filter((sql) => /savepoint/i.test(sql))).toHaveLength(2);
    expect(await tagsLike('joined')).toEqual(['joined 1']);
  });

  it('fails as a whole when one of them does, even if the error is caught', async () => {
    const work = space.transaction(
      async (tx) => {
        await tx
          .transaction(async (joined) => {
            await joined.rows(write, { name: 'half 1' });
            throw new Error('given up');
          })
          .catch(() => {});
        return 'done';
      },
      { joins: true },
    );
    await expect(work).rejects.toThrow('given up');
    expect(await tagsLike('half')).toEqual([]);
  });
});
