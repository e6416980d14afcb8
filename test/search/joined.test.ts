// The searches of one request in a small space: one statement finds and counts for all of them, and each is answered as if it were asked alone.
import { beforeAll, expect, inject, it } from 'vitest';
import { createJoiner } from '../../src/database/joined-rows.ts';
import { defineStatement, type Statement, type Values } from '../../src/database/statement.ts';
import { type Door, openApp } from '../harness/app.ts';
import { analyzeSql } from '../harness/statistics.ts';

let door: Door;
beforeAll(async () => {
  door = await openApp();
  await door.sql(analyzeSql);
});

const ask = async (selection: string, at: Door = door): Promise<Record<string, unknown>> => {
  const { body } = await at.graphql(`{ ${selection} }`);
  expect(body.errors).toBeUndefined();
  return body.data;
};

const page =
  '(first: 3) { totalCount count(upTo: 5) { value isExact estimate } nodes { id lastName tags { name } } pageInfo { endCursor hasNextPage } }';
const searches = [
  'query: { lastName: { startsWith: "d" } }',
  'query: { address: { city: { startsWith: "l" } } }, orderBy: { field: LAST_NAME, direction: DESC }',
  'query: { not: { tags: { in: ["Bénévole"] } } }',
  'query: { donations: { any: { amount: { gte: 1 } } } }, orderBy: { field: LAST_CHANGED_AT, direction: ASC }',
  'query: { lastName: { equals: "nobody" } }',
  'query: { or: [{ email: { exists: false } }, { emails: { any: { openedAt: { exists: true } } } }] }',
].map((args) => `searchContacts${page.replace('(first: 3)', `(first: 3, ${args})`)}`);

it.skipIf(inject('onCluster'))('are found and counted by one statement each, however many they are', async () => {
  const all = searches.map((search, index) => `s${index}: ${search}`).join(' ');
  const first = await ask(all);
  expect(await ask(all)).toEqual(first);
  const sent = await door.statements(() => ask(all));
  expect(sent.filter((sql) => sql.includes('contact_search'))).toHaveLength(2);
  expect(await ask(all)).toEqual(first);
  for (const [index, search] of searches.entries())
    expect(await ask(`s${index}: ${search}`), search).toEqual({ [`s${index}`]: first[`s${index}`] });
});

it('a list of more segments than searches of a space may wait is answered', async () => {
  const fresh = await openApp({ BUCKET_CAPACITY: 1_000_000 });
  await fresh.sql(
    `insert into segments (group_id, name, query) select 1, 'Segment ' || n, jsonb_build_object('lastName', jsonb_build_object('startsWith', 'd' || n))
       from generate_series(1, 70) n`,
  );
  const counted = await ask('segments(first: 70) { nodes { contactCount } }', fresh);
  expect((counted.segments as { nodes: { contactCount: number }[] }).nodes).toHaveLength(70);
});

const decode = ({ lines }: { lines: string | null }): string | null => lines;
const number = defineStatement(
  'test.number',
  'select cast(1 / cast(:divisor as int) as text) as lines, 0 as bytes where :group > 0',
);

it('one whose values make the statement fail leaves the others as they are', async () => {
  const space = door.database.space(1);
  const join = createJoiner({
    noun: 'test.joined',
    send: (of, statement, values) => of.rows(statement, values),
    retries: true,
  });
  const run = (divisor: number): Promise<string | null> => {
    const values = { divisor };
    const runAlone = async () => decode((await space.rows<{ lines: string }>(number, values))[0]!);
    return join(space, { statement: number, values, decode, runAlone });
  };
  const [one, none, other] = await Promise.allSettled([run(1), run(0), run(1)]);
  expect([one, other]).toEqual([
    { status: 'fulfilled', value: '1' },
    { status: 'fulfilled', value: '1' },
  ]);
  expect(none.status).toBe('rejected');
});

it('statements that are too long together are sent in several', async () => {
  const space = door.database.space(1);
  const sent: Statement[] = [];
  const send = (_: unknown, statement: Statement, values: Values) => {
    sent.push(statement);
    return space.rows<{ lines: string; bytes: number; place: number }>(statement, values);
  };
  const join = createJoiner({ noun: 'test.joined', send, retries: false });
  const results = await Promise.all(
    Array.from({ length: 6 }, (_, n) => {
      const sql = `select cast(:value as text) || '${'x'.repeat(30_000)}${n}' as lines, 0 as bytes where :group > 0`;
      const statement = defineStatement(`test.long${n}`, sql);
      return join(space, { statement, values: { value: n }, decode, runAlone: () => expect.unreachable() });
    }),
  );
  expect(results.map((text) => text!.replaceAll('x', ''))).toEqual(['00', '11', '22', '33', '44', '55']);
  expect(sent.map(({ name }) => name !== null)).toEqual([true, true]);
});
