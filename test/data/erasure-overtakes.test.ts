// Work that is under way while a person is erased stores nothing of them when it ends: an attempt of a webhook, a search, a keyed mutation, a repair of words.
import type { ServerResponse } from 'node:http';
import pg from 'pg';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import type { Context } from '../../src/context.ts';
import { getRememberedTraversals } from '../../src/data/search/traversal.ts';
import { SearchRows } from '../../src/data/search/verify.ts';
import { Space } from '../../src/database/space.ts';
import { defineStatement } from '../../src/database/statement.ts';
import { runOncePerKey } from '../../src/plan/idempotency.ts';
import type { Json } from '../harness/app.ts';
import { buildCommandLine } from '../harness/command-line.ts';
import { waitUntil } from '../harness/waiting.ts';
import { openWebhookDoor, type WebhookDoor } from '../webhook/webhook-door.ts';

vi.setConfig({ testTimeout: 120_000 });

let hooks: WebhookDoor;
beforeAll(async () => {
  hooks = await openWebhookDoor();
});
const { muster } = buildCommandLine(() => hooks.door.databaseUrl);

/** Text that stands for a person: it begins with what sorts last, so that a page of a search ends at it. */
const makeCanary = (name: string): string => `Zzcanary${name}`;

const createPerson = async (lastName: string): Promise<number> => {
  const input = { firstName: lastName, lastName, email: `${lastName}@example.org`, address: { street: lastName } };
  const query = 'mutation ($input: ContactCreateInput!) { createContact(input: $input) { contact { databaseId } } }';
  return (await hooks.run(query, { input })).createContact.contact.databaseId;
};

/** Columns of every table of the database that can contain text of a person, by the catalogue: also of schemas and tables that come later. */
const listColumns = (): Promise<Json[]> =>
  hooks.door.sql(
    `select format('%I.%I', n.nspname, c.relname) as table, quote_ident(a.attname) as column, t.typname as type
       from pg_class c join pg_namespace n on n.oid = c.relnamespace join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
       join pg_type t on t.oid = a.atttypid
      where c.relkind in ('r', 'p') and not c.relispartition and n.nspname not in ('pg_catalog', 'information_schema')
        and t.typname in ('text', '_text', 'varchar', '_varchar', 'json', 'jsonb', 'bytea', 'xml', 'hstore', 'tsvector')`,
  );

/** The columns that contain a text, in capitals or not. */
const findTraces = async (text: string): Promise<string[]> => {
  const found: string[] = [];
  for (const { table, column, type } of await listColumns()) {
    const shown = type === 'bytea' ? `encode(${column}, 'escape')` : `${column}::text`;
    const [{ count }] = await hooks.door.sql(`select count(*) as count from ${table} where ${shown} ilike ?`, [
      `%${text}%`,
    ]);
    if (count > 0) found.push(`${table}.${column}`);
  }
  return found;
};

/** The next call of a method of spaces whose statement has this name waits. */
const holdStatement = (method: 'onPrimary', name: string) => {
  const original = Space.prototype[method];
  let release = (): void => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  let isHeld = false;
  const spy = vi.spyOn(Space.prototype, method).mockImplementation(async function (this: Space, ...args: Json[]) {
    if (!isHeld && args[0].name?.startsWith(name)) {
      isHeld = true;
      await released;
    }
    return original.apply(this, args as never) as never;
  });
  return {
    isHeld: () => isHeld,
    release() {
      release();
      spy.mockRestore();
    },
  };
};

const eraseQuery = 'mutation ($id: ID!) { erasePerson(input: { contactId: $id }) { deletedId } }';
const erase = (id: number): Promise<unknown> => hooks.run(eraseQuery, { id });

const readSurname = defineStatement(
  'test.surname',
  'select surname as body from contacts where group_id = :group and id = :id',
);

describe('every column of every table', () => {
  it('is looked at, and shows a person until they are erased', async () => {
    const canary = makeCanary('seen');
    const id = await createPerson(canary);
    const tables = (await listColumns()).map(({ table, column }) => `${table}.${column}`);
    expect(tables).toEqual(
      expect.arrayContaining([
        'public.webhook_deliveries.response',
        'public.search_traversals.ended_key',
        'public.idempotency_keys.body',
        'public.import_contacts.before',
        'public.webhooks.fields',
        'public.tokens.hash',
        'public.job_leases.key',
      ]),
    );
    expect(await findTraces(canary)).toEqual(
      expect.arrayContaining(['public.contacts.surname', 'public.addresses.street', 'public.search_words.word']),
    );
    const { code, err } = await muster(`person erase --space 1 ${id} --yes`);
    expect([code, err]).toEqual([0, expect.stringContaining('contacts: 1')]);
    expect(await findTraces(canary)).toEqual([]);
  });
});

describe('a person who is erased', () => {
  it('is not in the answer of a receiver that comes later', async () => {
    const canary = makeCanary('received');
    const id = await createPerson(canary);
    const held: ServerResponse[] = [];
    hooks.receiver.answer = (_, response) => void held.push(response);
    await hooks.create({ events: ['CONTACT_UPDATED'], includesValues: true });
    await hooks.run('mutation ($input: ContactUpdateInput!) { updateContact(input: $input) { contact { id } } }', {
      input: { id, firstName: `${canary} again` },
    });
    await waitUntil('the receiver has it', () => held.length > 0);
    const echo = hooks.receiver.received.at(-1)!.body;
    expect(echo).toContain(canary);
    await erase(id);
    expect(await findTraces(canary)).toEqual([]);
    for (const response of held) response.end(echo);
    await waitUntil('the attempt is recorded', async () => (await hooks.readDeliveries()).some(({ status }) => status));
    expect(await findTraces(canary)).toEqual([]);
    await hooks.settle();
  });

  it('is not in the answer of a receiver that comes while they are being erased', async () => {
    const canary = makeCanary('meanwhile');
    const id = await createPerson(canary);
    const held: ServerResponse[] = [];
    hooks.receiver.answer = (_, response) => void held.push(response);
    await hooks.create({ events: ['CONTACT_UPDATED'], includesValues: true });
    await hooks.run('mutation ($input: ContactUpdateInput!) { updateContact(input: $input) { contact { id } } }', {
      input: { id, firstName: `${canary} again` },
    });
    await waitUntil('the receiver has it', () => held.length > 0);
    // The erasure waits for this lock when it has dealt with the deliveries.
    const client = new pg.Client({ connectionString: hooks.door.databaseUrl });
    await client.connect();
    try {
      await client.query('begin; lock table search_words in share row exclusive mode');
      const erased = erase(id);
      const listWaiting = (text: string) =>
        hooks.door.sql(
          `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and query ~ ?`,
          [text],
        );
      await waitUntil('the erasure waits', async () => (await listWaiting('lock_search_words')).length > 0);
      for (const response of held) response.writeHead(200).end(canary);
      const isRecorded = async () => (await hooks.readDeliveries()).some(({ status }) => status);
      await waitUntil(
        'the attempt waits or is recorded',
        async () => (await listWaiting('webhook_deliveries')).length > 0 || (await isRecorded()),
      );
      await client.query('commit');
      await erased;
      await waitUntil('the attempt is recorded', isRecorded);
    } finally {
      await client.end();
    }
    expect(await findTraces(canary)).toEqual([]);
  });

  it('is still in the answers of receivers about somebody else', async () => {
    const canary = makeCanary('erased');
    const id = await createPerson(canary);
    const other = await createPerson('Stays');
    const held: ServerResponse[] = [];
    hooks.receiver.answer = (_, response) => void held.push(response);
    await hooks.create();
    await hooks.run('mutation ($input: ContactUpdateInput!) { updateContact(input: $input) { contact { id } } }', {
      input: { id: other, firstName: 'Again' },
    });
    await waitUntil('the receiver has it', () => held.length > 0);
    await erase(id);
    for (const response of held) response.writeHead(200).end('thank you');
    await waitUntil('the attempt is recorded', async () =>
      (await hooks.readDeliveries()).some(({ response }) => response === 'thank you'),
    );
  });

  it.each([
    ['first page', 0],
    ['next page, after one that ended at them', 1],
  ])('is not the place of the %s of a search that ends later', async (_, page) => {
    const canary = makeCanary(`searched${page}`);
    const id = await createPerson(canary);
    await createPerson(`Zzzafter${page}`);
    const condition = { attr: 'surname', ope: 'start_with', value: 'zz' };
    const read = (number: number) =>
      hooks.door.rest('POST', '/search', {
        data: {
          advanced_search: {
            per_page: 1,
            page: number,
            sort_attr: 'surname',
            sort_asc: true,
            query: { $all: [{ $all: [{ $condition: condition }] }] },
          },
        },
      });
    if (page > 0) {
      expect((await read(0)).body.data.contacts).toMatchObject([{ id }]);
      expect(await findTraces(canary)).toContain('public.search_traversals.ended_key');
      // As in another process.
      getRememberedTraversals(hooks.door.database.space(1)).clear();
    }
    const held = holdStatement('onPrimary', page === 0 ? 'traversal.start' : 'traversal.continue');
    try {
      const searched = read(page);
      await waitUntil('the search has read its page', held.isHeld);
      await erase(id);
      held.release();
      expect((await searched).status).toBe(200);
    } finally {
      held.release();
    }
    expect(await findTraces(canary)).toEqual([]);
    expect((await read(0)).status).toBe(200);
    await hooks.door.sql(`delete from contact_search where surname like 'zzzafter%'`);
  });

  it('is not in an answer that is kept under a key later, while others are kept', async () => {
    const canary = makeCanary('keyed');
    const id = await createPerson(canary);
    const space = hooks.door.database.space(1);
    const caller = { userId: 1, roleType: 'superadmin', scope: 'admin', permissions: null };
    const context = { caller, space } as unknown as Context;
    let erased = async (): Promise<unknown> => undefined;
    const answerWith = (key: string) =>
      runOncePerKey(context, key, { key }, async ({ space: tx }) => {
        const { body } = (await tx.row<{ body: string }>(readSurname, { id }))!;
        await erased();
        return { answer: { status: 200, headers: {}, body }, keep: true };
      });
    const listKept = async () =>
      (await hooks.door.sql(`select key from idempotency_keys where not erased and key like 'overtaken-%'`)).map(
        ({ key }) => key,
      );
    await answerWith('overtaken-before');
    expect(await listKept()).toEqual(['overtaken-before']);
    erased = () => erase(id);
    expect((await answerWith('overtaken-between')).body).toBe(canary);
    expect([await findTraces(canary), await listKept()]).toEqual([[], []]);
    // Both are known to be done, and are not done again.
    for (const key of ['overtaken-before', 'overtaken-between'])
      await expect(answerWith(key)).rejects.toMatchObject({ code: 'answer-erased', status: 410 });
  });

  it('leaves the answer of their own erasure under its key', async () => {
    const id = await createPerson(makeCanary('own'));
    const send = () => hooks.door.graphql(eraseQuery, { id }, undefined, { 'Idempotency-Key': 'own-erasure' });
    const first = await send();
    expect(first.body.errors).toBeUndefined();
    const again = await send();
    expect([again.text, again.headers.get('idempotency-replayed')]).toEqual([first.text, 'true']);
  });

  it('brings no words back by a repair that has read them', async () => {
    const canary = makeCanary('repaired');
    const id = await createPerson(canary);
    await hooks.door.sql('delete from search_words where word ilike ?', [`${canary}%`]);
    const listWords = () => hooks.door.sql('select 1 from search_words where word ilike ?', [`${canary}%`]);
    const rows = await SearchRows.open(hooks.door.databaseUrl);
    const client = new pg.Client({ connectionString: hooks.door.databaseUrl });
    await client.connect();
    try {
      // The repair reads the names, and waits where it writes the words; the erasure holds the contact until then.
      await client.query('begin');
      await client.query('select 1 from contacts where id = $1 for update', [id]);
      await client.query('delete from contact_search where contact_id = $1', [id]);
      const repaired = (async () => {
        for await (const _ of rows.readBatches({ space: 1, batch: 100_000, again: false, repair: true }));
      })();
      const listWaiting = () =>
        hooks.door.sql(
          `select 1 from pg_stat_activity where datname = current_database() and application_name = 'muster search' and wait_event_type = 'Lock'`,
        );
      await waitUntil(
        'the repair waits, or has written',
        async () => (await listWaiting()).length > 0 || (await listWords()).length > 0,
      );
      await client.query('delete from addresses where contact_id = $1', [id]);
      await client.query('delete from contact_tags where contact_id = $1', [id]);
      await client.query('delete from contacts where id = $1', [id]);
      await client.query('commit');
      await repaired;
    } finally {
      await client.end();
      await rows.close();
    }
    expect(await listWords()).toEqual([]);
  });
});
