// Nothing is lost: servers are killed while they deliver to a receiver that fails half of the time. `npm run bench:events` does the same with more events.
import { expect, it } from 'vitest';
import { type Json, openApp } from '../harness/app.ts';
import { type Serving, spawnServer } from '../harness/serving.ts';
import { waitUntil } from '../harness/waiting.ts';
import { openReceiver } from './receiver.ts';

/** Events, and servers that are killed meanwhile. */
const events = Number(process.env.MUSTER_EVENTS ?? 200);
const kills = events > 5000 ? 4 : 1;
const patience = 240_000;
/** Failures of one message at most: the pause doubles with each, so a message with bad luck would outlast the test. */
const failuresOfMessage = 6;

it(
  'every event is delivered at least once, in the order of its record, while servers are killed',
  async () => {
    const door = await openApp({ WEBHOOK_PRIVATE_ADDRESSES: true });
    const receiver = await openReceiver();
    const seen = new Map<string, number>();
    const failures = new Map<string, number>();
    /** The positions of each record, in the order in which they were delivered first. */
    const delivered = new Map<string, number[]>();
    let attempts = 0;
    receiver.answer = ({ id, data }, response) => {
      attempts++;
      receiver.received.length = 0;
      const failed = failures.get(id) ?? 0;
      if (failed < failuresOfMessage && Math.random() < 0.5) {
        failures.set(id, failed + 1);
        return void response.writeHead(500).end();
      }
      if (!seen.has(id)) {
        const [, , position] = JSON.parse(Buffer.from(data.cursor, 'base64url').toString());
        delivered.set(data.id, [...(delivered.get(data.id) ?? []), position]);
      }
      seen.set(id, (seen.get(id) ?? 0) + 1);
      response.end();
    };
    const { body } = await door.graphql(
      `mutation ($url: String!) { createWebhook(input: { name: "Kill", url: $url, events: [CONTACT_UPDATED] }) { secret webhook { id } } }`,
      { url: receiver.url },
    );
    receiver.secret = body.data.createWebhook.secret;
    const env = {
      DATABASE_URL: door.databaseUrl,
      WEBHOOK_PRIVATE_ADDRESSES: 'true',
      LOG_LEVEL: 'warn',
      WEBHOOK_RETRY_SECONDS: '0.05',
      WEBHOOK_TIMEOUT_SECONDS: '1',
    };
    const servers: Serving[] = [await spawnServer(env), await spawnServer(env)];
    const began = performance.now();
    // Several updates of each of a hundred contacts, each in a transaction of its own.
    const contacts = await door.sql(
      'select id from contacts where group_id = 1 and deleted_at is null order by id limit 100',
    );
    const writing = (async () => {
      for (let count = 0; count < events / 100; count++)
        await Promise.all(
          [0, 25, 50, 75].map((from) =>
            door.sql(`update contacts set firstname = ? where group_id = 1 and id = any(?)`, [
              `Round ${count}`,
              contacts.slice(from, from + 25).map(({ id }: Json) => id),
            ]),
          ),
        );
    })();
    for (let count = 0; count < kills; count++) {
      const before = seen.size;
      await waitUntil('it delivers', () => seen.size > before + events / 10, patience);
      servers.shift()!.child.kill('SIGKILL');
      servers.push(await spawnServer(env));
    }
    await writing;
    await waitUntil('all events came', () => seen.size >= events, patience);
    const seconds = (performance.now() - began) / 1000;
    expect(seen.size).toBe(events);
    for (const positions of delivered.values()) expect(positions).toEqual(positions.toSorted((a, b) => a - b));
    await waitUntil(
      'the log says so, too',
      async () => {
        const [{ waiting }] = await door.sql(
          `select count(*) as waiting from webhook_deliveries where state = 'waiting'`,
        );
        return waiting === 0;
      },
      patience,
    );
    const [{ done }] = await door.sql(`select count(*) as done from webhook_deliveries where state = 'delivered'`);
    expect(done).toBe(events);
    const repeated = [...seen.values()].filter((count) => count > 1).length;
    if (process.env.MUSTER_EVENTS)
      console.log(
        `${events} events, ${kills} kills: ${seconds.toFixed(1)} s, ${attempts} attempts, ${repeated} events delivered more than once`,
      );
  },
  patience * 2,
);
