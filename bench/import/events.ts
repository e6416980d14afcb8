// Measures e-mail events in batches over GraphQL, as a mailing system reports them.
import { tokenOf, useClient } from '../harness/database.ts';
import { limitless, startMuster } from '../harness/process.ts';

/** As many as fit into the body of a request. */
export const batches = { emails: 1000, events: 3000 };
const atOnce = 2;

export interface Events {
  count: number;
  seconds: number;
}

interface Answer {
  data: Record<string, unknown> | null;
  errors?: unknown[];
}

const slices = <Item>(items: readonly Item[], size: number): Item[][] =>
  Array.from({ length: Math.ceil(items.length / size) }, (_, n) => items.slice(n * size, (n + 1) * size));

/** Runs the work for each item, with limited concurrency. */
const each = async <Item>(items: readonly Item[], work: (item: Item) => Promise<unknown>): Promise<void> => {
  const left = items.values();
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      for (const item of left) await work(item);
    }),
  );
};

/** Records one mailing to all contacts of a space, then a delivery, an opening and a click of each e-mail. */
export const measureEvents = async (databaseUrl: string, space: number): Promise<Events> => {
  const [user, ids] = await useClient(databaseUrl, async (client) => {
    const { rows: members } = await client.query(
      `select m.user_id::int as id from members m join roles r on r.group_id = m.group_id and r.id = m.role_id where m.group_id = $1 and r.type not in ('user', 'custom') limit 1`,
      [space],
    );
    const { rows } = await client.query<{ id: number }>(
      'select id::int from contacts where group_id = $1 and deleted_at is null order by id',
      [space],
    );
    return [members[0].id as number, rows.map(({ id }) => id)] as const;
  });
  const token = await tokenOf(databaseUrl, space, user);
  const service = await startMuster(databaseUrl, limitless);
  try {
    const ask = async (query: string, variables: object): Promise<Record<string, unknown>> => {
      const response = await fetch(`http://127.0.0.1:${service.port}/graphql`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify({ query, variables }),
      });
      const { data, errors } = (await response.json()) as Answer;
      if (!data || errors) throw new Error(JSON.stringify(errors));
      return data;
    };
    const emails: number[] = [];
    const contacts = ids.map((contactId) => ({ contactId, type: 'campaign' }));
    await each(slices(contacts, batches.emails), async (input) => {
      const made = await ask(
        'mutation ($input: [EmailInput!]!) { recordEmails(input: { emails: $input }) { emails { databaseId } } }',
        {
          input,
        },
      );
      emails.push(
        ...(made.recordEmails as { emails: { databaseId: number }[] }).emails.map(({ databaseId }) => databaseId),
      );
    });
    emails.sort((a, b) => a - b);
    const at = new Date().toISOString();
    const kinds = ['DELIVERED', 'OPENED', 'CLICKED'];
    const started = performance.now();
    for (const kind of kinds) {
      await each(slices(emails, batches.events), (some) =>
        ask('mutation ($input: [EmailEventInput!]!) { recordEmailEvents(input: { events: $input }) { changed } }', {
          input: some.map((emailId) => ({ emailId, kind, at })),
        }),
      );
    }
    return { count: emails.length * kinds.length, seconds: (performance.now() - started) / 1000 };
  } finally {
    await service.stop();
  }
};
