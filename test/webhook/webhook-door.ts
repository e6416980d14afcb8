// A space with a receiver and jobs, for tests of webhooks, and what a test does with them over the graph.
import { afterEach, expect } from 'vitest';
import { type Door, type Json, openApp } from '../harness/app.ts';
import { waitUntil } from '../harness/waiting.ts';
import { openReceiver, type Receiver, startJobs } from './receiver.ts';

/** Creates a webhook, and asks for its secret. */
export const createQuery = `mutation ($input: WebhookCreateInput!) { createWebhook(input: $input) { webhook { id isActive } secret } }`;

export interface WebhookDoor {
  door: Door;
  receiver: Receiver;
  jobs: ReturnType<typeof startJobs>;
  /** Of the superadmin of space 1. */
  token: string;
  /** Runs a document that must succeed, with that token unless a test names another. */
  run(query: string, variables?: Json, as?: string): Promise<Json>;
  /** Creates a webhook, to this receiver unless a test names another, and returns its id. */
  create(input?: Json, to?: Receiver): Promise<string>;
  readWebhook(id: string): Promise<Json>;
  readDeliveries(filter?: string): Promise<Json[]>;
  /** Waits until nothing is to be sent. */
  settle(): Promise<void>;
}

/** Opens a space with a receiver and jobs for the tests of a file. Each test's webhooks are deleted when it ends. */
export const openWebhookDoor = async (): Promise<WebhookDoor> => {
  const door = await openApp({ WEBHOOK_PRIVATE_ADDRESSES: true });
  const receiver = await openReceiver();
  const jobs = startJobs(door, { invitationUrl: 'https://app.example.org/join#{secret}' });
  const token = await door.token(1, 1);
  const run = async (query: string, variables: Json = {}, as = token): Promise<Json> => {
    const { body } = await door.graphql(query, variables, as);
    expect(body.errors).toBeUndefined();
    return body.data;
  };
  // One statement for each, in the order in which work moves: the parts of one are no single snapshot on a cluster.
  const listWork = async (): Promise<[work: string, count: number][]> => {
    const counts: [string, number][] = [];
    for (const work of [
      'change_queue',
      'webhooks w join change_feeds f using (group_id) where w.disabled_at is null and w.position < f.position',
      `webhook_deliveries where state = 'waiting'`,
    ])
      counts.push([work, (await door.sql(`select count(*) as count from ${work}`))[0].count]);
    return counts;
  };
  // Also after a test that failed: messages of its webhooks would fail the next ones.
  afterEach(async () => {
    for (const { id } of (await run('{ webhooks { nodes { id } } }')).webhooks.nodes)
      await run(`mutation { deleteWebhook(input: { id: "${id}" }) { deletedId } }`);
    receiver.answer = (_, response) => response.end();
    receiver.received = [];
  });
  return {
    door,
    receiver,
    jobs,
    token,
    run,
    async create(input = {}, to = receiver) {
      const { createWebhook } = await run(createQuery, {
        input: { name: 'Test', url: to.url, events: ['CONTACT_UPDATED'], ...input },
      });
      to.secret = createWebhook.secret;
      return createWebhook.webhook.id;
    },
    readWebhook: async (id) =>
      (await run(`{ webhook(id: "${id}") { isActive disabledReason failingSince lastSuccessAt } }`)).webhook,
    readDeliveries: async (filter = '') =>
      (
        await run(
          `{ webhookDeliveries(first: 100 ${filter}) { nodes { id event recordId state attempts status error response nextAttemptAt deliveredAt milliseconds } } }`,
        )
      ).webhookDeliveries.nodes,
    settle: () =>
      waitUntil('everything is sent', async () => (await listWork()).every(([, count]) => count === 0)).catch(
        async ({ message }: Error) => {
          const leases = await door.sql('select * from job_leases');
          const left = { work: await listWork(), failures: jobs.failures.map(String), leases };
          throw new Error(`${message}: ${JSON.stringify(left)}`);
        },
      ),
  };
};
