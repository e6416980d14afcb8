// Random sequences of writes of every noun by both doors, replayed over plain copies that are fed by the feed and by the messages of a webhook alone: each is as the space is read.
// MODEL_SEED=7 begins with that seed, MODEL_REPLAYS=1000 plays so many; each failure names its seed, which plays it again alone.
import { beforeAll, describe, expect, it } from 'vitest';
import { schema } from '../../schema/index.ts';
import { writeStoredQuery } from '../../schema/segment/segment.ts';
import { makeDeliveries } from '../../src/data/event/make-deliveries.ts';
import { deliverWebhook } from '../../src/jobs/deliver-webhook.ts';
import { type Door, type Json, openApp } from '../harness/app.ts';
import { chooseCount, drawSample, isThorough } from '../harness/sizes.ts';
import { createChance, seedOf } from '../search/random.ts';
import { createGround } from './ground.ts';
import { beginnings, type Replay, sendWrite, type Write, writes } from './replay-steps.ts';
import { compareForm, createFeedCopy, createMessageCopy, type Read, readSpace } from './replay-store.ts';

const first = Number(process.env.MODEL_SEED ?? 1);
const sequences = Number(process.env.MODEL_REPLAYS ?? chooseCount(200, 200, 1000));
const seeds = Array.from({ length: sequences }, (_, index) => first + index);
const length = Number(process.env.MODEL_STEPS ?? 40);
const weighted = writes.flatMap(([weight, kind]) => Array(weight * 2).fill(kind) as (typeof kind)[]);

/** How often each write was done: in a thorough run none may go untried. */
const done = new Map<string, number>();

let door: Door;
beforeAll(async () => {
  door = await openApp();
});

const allEvents = Object.keys((schema.getType('WebhookEvent') as Json).toConfig().values).filter(
  (name) => name !== 'INVITATION_SENT',
);

/** What a reader of a space holds, and how it learns what is new. */
const openReader = async (space: number, boss: number) => {
  const token = await door.token(space, boss);
  const read: Read = async (query, variables = {}) => {
    const { body } = await door.graphql(query, variables, token);
    if (body.errors) throw new Error(JSON.stringify(body.errors));
    return body.data;
  };
  let { cursor } = (await read('{ changes(first: 0) { cursor } }')).changes;
  const input = { name: 'all', url: 'https://example.org', events: allEvents, includesValues: true };
  const created = await read(
    `mutation ($input: WebhookCreateInput!) { createWebhook(input: $input) { webhook { databaseId } } }`,
    { input },
  );
  const hook = created.createWebhook.webhook.databaseId;
  const present = await readSpace(read, door, space);
  const [feed, messages] = [createFeedCopy(read, new Map(present)), createMessageCopy(structuredClone(present))];
  const readFeed = async (): Promise<void> => {
    for (let hasMore = true; hasMore; ) {
      const query = `query ($after: String) { changes(after: $after, first: 100) { nodes { recordId contactId operation } cursor hasMore } }`;
      const { changes } = await read(query, { after: cursor });
      await feed.follow(changes.nodes);
      ({ cursor, hasMore } = changes);
    }
  };
  const receive = async (): Promise<void> => {
    await makeDeliveries(door.database.space(space));
    const due = `select count(*) as many from webhook_deliveries where group_id = ? and state = 'waiting'`;
    let [{ many }] = await door.sql(due, [space]);
    if (many === 0) return;
    const [stop, received] = [new AbortController(), [] as Json[]];
    const send = async (_: string, { body }: { body: string }) => {
      received.push(JSON.parse(body));
      if (--many === 0) stop.abort();
      return { status: 200, error: null, response: null, milliseconds: 0, retryAfter: null };
    };
    const policy = {
      sender: { send },
      timeout: 5,
      firstPause: 1,
      giveUpAfter: 60,
      disableAfter: 60,
      invitationUrl: undefined,
      writeQuery: (query: unknown) => writeStoredQuery(query, schema),
    };
    await deliverWebhook(door.database.space(space), hook, policy as never, stop.signal);
    const place = ({ data }: Json): number => JSON.parse(Buffer.from(data.cursor, 'base64url').toString())[2];
    for (const message of received.sort((one, other) => place(one) - place(other))) messages.take(message);
  };
  return {
    read,
    copies: { feed: feed.copy, messages: messages.copy },
    async learn() {
      await readFeed();
      await receive();
    },
  };
};

const play = async (seed: number): Promise<void> => {
  const draw = createChance(seedOf('replay', seed));
  const space = 200_000 + seed;
  const log: string[] = [];
  try {
    const ground = await createGround(door, space);
    const { read, copies, learn } = await openReader(space, ground.boss);
    const pick: Replay['pick'] = async (name) => {
      const [table, deleted] = name.startsWith('deleted ') ? [name.slice(8), true] : [name, draw.odds(0.04)];
      const rows = await door.sql(`select to_jsonb(t) as row from ${table} t where group_id = ? order by id`, [space]);
      const some = rows.filter(({ row }) => deleted === !!row.deleted_at);
      return some.length > 0 ? draw.pick(some).row.id : 987_654_321;
    };
    for (let index = 0; index < length; index++) {
      const write: Write = await (beginnings[index] ?? draw.pick(weighted)).draw({ draw, ground, pick });
      log.push(`${index}: ${JSON.stringify(write)}`);
      const { status, data } = await sendWrite(ground, write);
      log.push(`   ${status} ${JSON.stringify(data)?.slice(0, 600)}`);
      expect(status).toBeLessThan(500);
      if (status < 300) done.set(write.name, (done.get(write.name) ?? 0) + 1);
      if (index % 10 === 9) await learn();
    }
    await learn();
    const due = compareForm(await readSpace(read, door, space));
    expect(compareForm(copies.feed), 'by the feed').toEqual(due);
    expect(compareForm(copies.messages, true), 'by messages').toEqual(due);
  } catch (error) {
    const told = log.join('\n');
    throw new Error(`MODEL_SEED=${seed} MODEL_REPLAYS=1 plays this again.\n${told}\n${(error as Error).message}`, {
      cause: error,
    });
  }
};

describe('a copy of what is told is what is read', () => {
  it.each(drawSample(seeds, { small: 50, all: 4 }))('in sequence %i', { timeout: 60_000 }, play);

  it.runIf(isThorough)('and every kind of write was done', () => {
    const untried = writes.map(([, { name }]) => name).filter((name) => !done.has(name));
    expect(untried).toEqual([]);
  });
});
