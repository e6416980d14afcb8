// What many events of subscriptions cost a server: their tokens buy no more of its CPU than those of queries, and other spaces are answered meanwhile.
import pg from 'pg';
import { beforeAll, expect, it, vi } from 'vitest';
import { measureCpu } from '../../bench/harness/process.ts';
import { createDatabase } from '../harness/app.ts';
import { createToken, type Serving, spawnServer } from '../harness/serving.ts';
import { waitUntil } from '../harness/waiting.ts';

vi.setConfig({ testTimeout: 300_000 });

const [streams, contacts] = [20, 1000];
/** Events may cost this many times as much CPU per token as queries of the same: two on a quiet machine, 3.4 were measured beside other tests. */
const factor = 4;
const fields = '... on Contact { id firstName lastName email phone tags { name } }';

let databaseUrl: string;
let token: string;
let foreign: string;
beforeAll(async () => {
  databaseUrl = await createDatabase();
  token = await createToken(databaseUrl);
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  const { rows } = await client.query('select min(user_id) as id from members where group_id = 2');
  await client.end();
  foreign = await createToken(databaseUrl, 2, Number(rows[0].id));
});

const graph = async (server: Serving, query: string, variables = {}, bearer = token) => {
  const response = await fetch(`${server.url}/graphql`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${bearer}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ query, variables }),
  });
  const { data, errors } = await response.json();
  if (errors) throw new Error(JSON.stringify(errors));
  return { data, tokens: Number(response.headers.get('x-ratelimit-remaining')) };
};

/** Opens a stream; counts its events. */
const subscribe = async (server: Serving): Promise<{ events: number }> => {
  const seen = { events: 0 };
  const { body } = await fetch(`${server.url}/graphql`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json', Accept: 'text/event-stream' },
    body: JSON.stringify({
      query: `subscription { changes(filter: { types: [CONTACT] }) { recordId node { ${fields} } } }`,
    }),
  });
  const count = new WritableStream<Uint8Array>({
    write: (chunk) => {
      seen.events += Buffer.from(chunk).toString('latin1').split('event: next').length - 1;
    },
  });
  void body!.pipeTo(count).catch(() => {});
  return seen;
};

/** The CPU, in milliseconds, and the tokens that work takes, and how long another space waits for its answers meanwhile. */
const measure = async (server: Serving, work: () => Promise<unknown>) => {
  const pid = server.child.pid!;
  const before = (await graph(server, '{ viewer { user { id } } }')).tokens;
  const cpu = measureCpu(pid) / 1000;
  let isOver = false;
  const done = work().finally(() => {
    isOver = true;
  });
  const waits: number[] = [];
  while (!isOver) {
    const since = performance.now();
    await graph(server, '{ viewer { user { id } } }', {}, foreign);
    waits.push(performance.now() - since);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  await done;
  const used = measureCpu(pid) / 1000 - cpu;
  const tokens = before - (await graph(server, '{ viewer { user { id } } }')).tokens - 1;
  waits.sort((one, other) => one - other);
  return { tokens, perToken: used / tokens, wait: waits[Math.floor(waits.length / 2)]! };
};

it('events cost tokens as queries do, and hold no other space', async () => {
  // Next to nothing is refilled, so that every token can be counted.
  const server = await spawnServer({
    DATABASE_URL: databaseUrl,
    LOG_LEVEL: 'silent',
    BUCKET_CAPACITY: '20000',
    BUCKET_REFILL: '0.001',
  });
  const { data } = await graph(
    server,
    `mutation ($contacts: [ContactUpsertInput!]!) { importContacts(input: { contacts: $contacts }) { results { contact { id } } } }`,
    {
      contacts: Array.from({ length: contacts }, (_, n) => ({
        lastName: `Event ${n}`,
        email: `event${n}@example.org`,
      })),
    },
  );
  const ids: string[] = data.importContacts.results.map(({ contact }: { contact: { id: string } }) => contact.id);
  const tag = (name: string, some: readonly string[] = ids) =>
    graph(
      server,
      'mutation ($ids: [ID!]!, $name: String!) { tagContacts(input: { contactIds: $ids, tags: [$name] }) { contactIds: __typename } }',
      { ids: some, name },
    );
  const seen = await Promise.all(Array.from({ length: streams }, () => subscribe(server)));
  await waitUntil('all have begun', async () => {
    await tag(`begun ${Math.random()}`, ids.slice(0, 1));
    return seen.every(({ events }) => events > 0);
  });
  await new Promise((resolve) => setTimeout(resolve, 1000));
  const begun = seen.map(({ events }) => events);

  const events = await measure(server, async () => {
    await tag('many');
    await waitUntil('all events came', () => seen.every((one, n) => one.events >= begun[n]! + contacts), 200_000);
  });
  // The streams pay for their last events once they are sent.
  await new Promise((resolve) => setTimeout(resolve, 2000));
  // The same records, one by one, by as many clients.
  const queries = await measure(server, async () => {
    const left = [...ids, ...ids];
    await Promise.all(
      Array.from({ length: streams }, async () => {
        for (let id = left.pop(); id; id = left.pop())
          await graph(server, `query ($id: ID!) { node(id: $id) { ${fields} } }`, { id });
      }),
    );
  });
  console.info(JSON.stringify({ events, queries }));
  expect(queries.tokens).toBe(2 * contacts);
  expect(events.tokens).toBeGreaterThan((streams * contacts) / 4);
  expect(events.perToken).toBeLessThan(factor * queries.perToken);
  expect(events.wait).toBeLessThan(factor * queries.wait);
});
