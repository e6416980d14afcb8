// Batched queries of concurrent requests: each has its own answer, as if it had been sent alone, and none waits or fails for another.
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { type Answer, type Door, type Json, openApp } from '../harness/app.ts';
import { countWaiting, openSession } from '../harness/session.ts';
import { waitUntil } from '../harness/waiting.ts';

let door: Door;
let ids: number[];
/** Two users of space 1, and one of space 2. */
let tokens: [string, string, string];
beforeAll(async () => {
  door = await openApp();
  const [{ user_id }] = await door.sql('select min(user_id) as user_id from members where group_id = 2');
  tokens = [await door.token(1, 1), await door.token(1, 2), await door.token(2, user_id)];
  const rows = await door.sql('select id from contacts where group_id = 1 and deleted_at is null order by id limit 40');
  ids = rows.map(({ id }) => id);
});

/** The answers of concurrent requests, and the number of statements that contain `word`. */
const sendConcurrently = async (requests: (() => Promise<Answer>)[], word: string) => {
  let answers: Answer[] = [];
  const statements = await door.statements(async () => {
    answers = await Promise.all(requests.map((request) => request()));
  });
  return { answers, asked: statements.filter((sql) => sql.includes(word)).length };
};

describe('contacts by id', () => {
  const sendOneByOne = async (requests: (() => Promise<Answer>)[]): Promise<unknown[]> => {
    const answers: unknown[] = [];
    for (const request of requests) answers.push(withoutInstance(await request()));
    return answers;
  };
  /** An answer without its instance. */
  const withoutInstance = ({ status, body }: Answer): unknown => [
    status,
    body.data ?? { ...body, instance: undefined },
  ];
  const query =
    'query ($id: ID!) { contact(id: $id) { id: databaseId lastName tags { name } notes { nodes { content } } address { city } } }';

  it.each([
    ['REST', (id: number, token: string) => door.rest('GET', `/contacts/${id}`, undefined, token)],
    ['GraphQL', (id: number, token: string) => door.graphql(query, { id }, token)],
  ])('equal those of single requests: for two spaces, duplicates, merged and missing contacts (%s)', async (_, ask) => {
    const [survivor, gone] = [ids[0]!, ids[1]!];
    await door.sql('update contacts set deleted_at = now(), merged_into = ? where group_id = 1 and id = ?', [
      survivor,
      gone,
    ]);
    onTestFinished(async () => {
      await door.sql('update contacts set deleted_at = null, merged_into = null where group_id = 1 and id = ?', [gone]);
    });
    const asked = [...ids, gone, survivor, survivor, 987_654_321, ...ids.slice(0, 5)];
    const requests = asked.map((id, at) => () => ask(id, tokens[at % 3]!));
    const alone = await sendOneByOne(requests);
    const { answers, asked: statements } = await sendConcurrently(requests, 'from unnest(cast($1 as bigint[])) asked');
    expect(answers.map(withoutInstance)).toEqual(alone);
    // Not all are admitted at once, since two spaces ask. A busy machine sends them less close together.
    expect(statements).toBeLessThan(requests.length / 2);
    expect(new Set(alone.map((one) => JSON.stringify(one))).size).toBeGreaterThan(25);
  });
});

describe('notes', () => {
  const write = (id: number, content: string, token?: string): Promise<Answer> =>
    door.rest('POST', `/v1/contacts/${id}/notes`, { content }, token);
  const marksOf = (some: number[]): Promise<Json[]> =>
    door.sql('select id, version, user_id, lastchange from contacts where group_id = 1 and id = any(?) order by id', [
      some,
    ]);

  it('are each written as sent, and mark their contacts as often', async () => {
    const [some, missing] = [ids.slice(0, 8), 987_654_321];
    const before = await marksOf(some);
    const targets = Array.from({ length: 60 }, (_, at) => (at % 10 === 9 ? missing : some[at % 8]!));
    const requests = targets.map((id, at) => () => write(id, `note ${at}`, tokens[at % 2]));
    const { answers, asked } = await sendConcurrently(requests, 'insert into notes');
    expect(answers.map(({ status }) => status)).toEqual(targets.map((id) => (id === missing ? 404 : 201)));
    const written = answers.filter(({ status }) => status === 201).map(({ body }) => body);
    expect(written.map(({ contact_id, content }) => [contact_id, content])).toEqual(
      targets.flatMap((id, at) => (id === missing ? [] : [[id, `note ${at}`]])),
    );
    const numbers = written.map(({ id }) => id);
    expect(numbers).toEqual([...numbers].sort((a, b) => a - b));
    // Six are missing, and are each queried once more alone.
    expect(asked - 6).toBeLessThan((requests.length * 3) / 4);
    const after = await marksOf(some);
    for (const [at, { id, version, user_id, lastchange }] of after.entries()) {
      const mine = targets.flatMap((target, place) => (target === id ? [place] : []));
      expect(version).toBe(before[at].version + mine.length);
      expect(user_id).toBe([1, 2][mine.at(-1)! % 2]);
      expect(lastchange > before[at].lastchange).toBe(true);
    }
    const authors = await door.sql('select id, user_id from notes where id = any(?) order by id', [numbers]);
    expect(authors.map(({ user_id }) => user_id)).toEqual(
      targets.flatMap((id, at) => (id === missing ? [] : [[1, 2][at % 2]])),
    );
  });

  it('on a locked contact block no other notes than each other', async () => {
    const holder = await openSession(door.databaseUrl);
    await holder.query('begin');
    await holder.query('select from contacts where group_id = 1 and id = $1 for update', [ids[3]]);
    const held = [write(ids[3]!, 'first'), write(ids[3]!, 'second')];
    const others = await Promise.all(ids.slice(4, 20).map((id) => write(id, 'free')));
    expect(new Set(others.map(({ status }) => status))).toEqual(new Set([201]));
    const watch = await openSession(door.databaseUrl);
    await waitUntil('two wait', async () => (await countWaiting(watch)) === 2);
    await holder.query('rollback');
    expect((await Promise.all(held)).map(({ status, body }) => [status, body.content])).toEqual([
      [201, 'first'],
      [201, 'second'],
    ]);
  });

  it('that cannot be stored fail alone', async () => {
    await door.sql(`alter table notes add constraint no_bad_ones check (content <> 'bad') not valid`);
    onTestFinished(async () => {
      await door.sql('alter table notes drop constraint no_bad_ones');
    });
    const before = (await door.sql('select count(*) as count from notes'))[0].count;
    const answers = await Promise.all(ids.slice(0, 30).map((id, at) => write(id, at % 7 === 3 ? 'bad' : 'good')));
    expect(answers.map(({ status }) => status)).toEqual(answers.map((_, at) => (at % 7 === 3 ? 422 : 201)));
    const after = (await door.sql('select count(*) as count from notes'))[0].count;
    expect(after - before).toBe(answers.filter(({ status }) => status === 201).length);
  });

  it('fail with their common statement, and later ones do not', async () => {
    await door.sql('alter table notes rename to other_notes');
    const failed = await Promise.all(ids.slice(0, 10).map((id) => write(id, 'lost')));
    await door.sql('alter table other_notes rename to notes');
    expect(new Set(failed.map(({ status }) => status))).toEqual(new Set([500]));
    const next = await Promise.all(ids.slice(0, 10).map((id) => write(id, 'kept')));
    expect(new Set(next.map(({ status }) => status))).toEqual(new Set([201]));
    expect(await door.sql(`select from notes where content = 'lost'`)).toEqual([]);
  });
});
