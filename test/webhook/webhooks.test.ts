// Webhooks: what is sent to a real receiver, how it is signed, tried again, kept in order, and stopped.
import type { ServerResponse } from 'node:http';
import { Webhook } from 'standardwebhooks';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { Json } from '../harness/app.ts';
import { waitUntil } from '../harness/waiting.ts';
import { openReceiver } from './receiver.ts';
import { openWebhookDoor } from './webhook-door.ts';

const { door, receiver, jobs, token, run, create, readWebhook, readDeliveries, settle } = await openWebhookDoor();

const createContact = async (fields = ''): Promise<string> =>
  (await run(`mutation { createContact(input: { firstName: "Ada" ${fields} }) { contact { id } } }`)).createContact
    .contact.id;
const update = (id: string, fields: string): Promise<Json> =>
  run(`mutation { updateContact(input: { id: "${id}", ${fields} }) { contact { id } } }`);

describe('a webhook', () => {
  it('gets the events and fields that it asks for, with values before and after, signed', async () => {
    const hook = await create({
      events: ['CONTACT_CREATED', 'CONTACT_UPDATED', 'NOTE_CREATED', 'CONTACT_DELETED'],
      fields: ['email', 'address'],
      includesValues: true,
    });
    const contact = await createContact(', address: { city: "Lyon" }');
    await update(contact, 'email: "ada@example.org"');
    await update(contact, 'lastName: "Not asked for"');
    await update(contact, 'address: { city: "Nice" }');
    await run(`mutation { createNote(input: { contactId: "${contact}", content: "Hello" }) { note { id } } }`);
    await run(`mutation { deleteContact(input: { id: "${contact}" }) { deletedId } }`);
    await settle();
    const messages = receiver.received.splice(0);
    expect(messages.map(({ type }) => type).sort()).toEqual(
      ['contact.created', 'contact.updated', 'contact.updated', 'note.created', 'contact.deleted'].sort(),
    );
    const ofContact = messages.filter(({ type }) => type.startsWith('contact'));
    expect(ofContact.map(({ data }) => [data.id, data.contactId, data.fields])).toEqual([
      [contact, contact, []],
      [contact, contact, ['email']],
      [contact, contact, ['address']],
      [contact, contact, []],
    ]);
    expect(ofContact[0]!.data).toMatchObject({ before: null, after: { firstName: 'Ada', address: { city: 'Lyon' } } });
    expect(ofContact[1]!.data).toMatchObject({ before: { email: null }, after: { email: 'ada@example.org' } });
    expect(ofContact[2]!.data).toMatchObject({
      before: { address: { city: 'Lyon' } },
      after: { address: { city: 'Nice' } },
    });
    expect(ofContact[3]!.data).toMatchObject({ before: null, after: null });
    expect(JSON.stringify(messages)).not.toMatch(/user_id|deleted_at|birth_city/);
    // Its cursor continues the feed behind it.
    const after = (await run(`{ changes(after: "${ofContact[2]!.data.cursor}") { nodes { operation type } } }`)).changes
      .nodes;
    expect(after.map(({ operation, type }: Json) => `${type} ${operation}`)).toEqual([
      'NOTE CREATED',
      'CONTACT DELETED',
    ]);
    const wrong = new Webhook('whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=');
    expect(() => wrong.verify(messages[0]!.body, messages[0]!.headers as Record<string, string>)).toThrow();
    expect(await readWebhook(hook)).toMatchObject({
      isActive: true,
      failingSince: null,
      lastSuccessAt: expect.any(String),
    });
  });

  it('without values gets ids and names of fields alone, and the outbox holds none', async () => {
    await create();
    const contact = await createContact();
    await update(contact, 'email: "secret-value@example.org"');
    await settle();
    const [message] = receiver.received.splice(0);
    expect(message!.data).toMatchObject({ fields: ['email'], before: null, after: null });
    const rows = await door.sql(
      `select from changes where contact_id = ? and (before is not null or after is not null)`,
      [Number(contact.split(':')[1])],
    );
    expect(rows).toEqual([]);
  });

  it('is tried again after failures, with the same id, and gets the events of a record in their order', async () => {
    await create();
    const contacts = [await createContact(), await createContact(), await createContact()];
    let count = 0;
    receiver.answer = (_, response) => response.writeHead(++count % 2 === 1 ? 500 : 200).end('not yet');
    for (const round of [1, 2, 3, 4]) for (const contact of contacts) await update(contact, `firstName: "${round}"`);
    await settle();
    receiver.answer = (_, response) => response.end();
    const messages = receiver.received.splice(0);
    expect(messages.length).toBeGreaterThan(15);
    for (const contact of contacts) {
      const positions = messages
        .filter(({ data }) => data.id === contact)
        .map(({ data }) => JSON.parse(Buffer.from(data.cursor, 'base64url').toString())[2]);
      expect(positions).toEqual(positions.toSorted((a, b) => a - b));
      expect(new Set(positions).size).toBe(4);
    }
    expect(new Set(messages.map(({ id }) => id)).size).toBe(12);
    const deliveries = await readDeliveries();
    expect(deliveries.every(({ state, deliveredAt }) => state === 'DELIVERED' && deliveredAt)).toBe(true);
    expect(deliveries.reduce((sum, { attempts }) => sum + attempts, 0)).toBe(messages.length);
    // One of them once more, as it was.
    const [again] = deliveries;
    await run(`mutation { replayWebhookDeliveries(input: { ids: ["${again.id}"] }) { deliveries { state } } }`);
    await settle();
    const [replayed] = receiver.received.splice(0);
    expect(messages.find(({ id }) => id === replayed!.id)!.body).toBe(replayed!.body);
  });

  it('that hangs or redirects does not hold up another one, and follows nowhere', async () => {
    const [slow, other] = [await openReceiver(), await openReceiver()];
    const slowHook = await create({}, slow);
    await create({}, other);
    slow.answer = ({ data }, response) => {
      // A redirect to the other receiver, or no answer at all.
      if (data.fields.includes('email')) response.writeHead(307, { Location: other.url }).end();
    };
    const contact = await createContact();
    await update(contact, 'lastName: "Hangs"');
    await update(contact, 'email: "moved@example.org"');
    await waitUntil('the other one has both', () => other.received.length === 2);
    await waitUntil('the first attempt was given up', async () =>
      (await readDeliveries(`, filter: { webhookId: { equals: "${slowHook}" } }`)).some(({ error }) =>
        error?.startsWith('no whole answer'),
      ),
    );
    // Let the first one pass, so that the redirect is next.
    slow.answer = ({ data }, response) =>
      response.writeHead(data.fields.includes('email') ? 307 : 200, { Location: other.url }).end('elsewhere');
    await waitUntil('the redirect counts as a failure', async () =>
      (await readDeliveries(`, filter: { webhookId: { equals: "${slowHook}" } }`)).some(({ status }) => status === 307),
    );
    expect(other.received).toHaveLength(2);
  });

  it('that hangs at a message gets those about other records meanwhile', async () => {
    await create();
    const [hanging, other] = [await createContact(), await createContact()];
    let held: ServerResponse | undefined;
    receiver.answer = ({ data }, response) => {
      if (data.id === hanging) held = response;
      else response.end();
    };
    await update(hanging, 'lastName: "Hangs"');
    await waitUntil('it hangs', () => receiver.received.length === 1);
    await update(other, 'lastName: "Comes"');
    await waitUntil('the other one comes', () => receiver.received.some(({ data }) => data.id === other));
    expect(held!.destroyed).toBe(false);
  });

  it('is disabled by 410, sends again once it is active, and is tested', async () => {
    const hook = await create();
    receiver.answer = (_, response) => response.writeHead(410).end();
    const contact = await createContact();
    await update(contact, 'email: "gone@example.org"');
    await waitUntil('it is disabled', async () => !(await readWebhook(hook)).isActive);
    expect((await readWebhook(hook)).disabledReason).toContain('410');
    const [gone] = await readDeliveries(`, filter: { webhookId: { equals: "${hook}" } }`);
    for (const sent of [
      `testWebhook(input: { id: "${hook}" })`,
      `replayWebhookDeliveries(input: { ids: ["${gone!.id}"] })`,
    ]) {
      const { errors } = (await door.graphql(`mutation { ${sent} { __typename } }`, {}, token)).body;
      expect(errors).toMatchObject([
        { message: expect.stringContaining('is disabled'), extensions: { code: 'conflict' } },
      ]);
    }
    receiver.answer = (_, response) => response.end();
    await update(contact, 'email: "missed@example.org"');
    await settle();
    receiver.received.splice(0);
    await run(`mutation { updateWebhook(input: { id: "${hook}", isActive: true }) { webhook { isActive } } }`);
    const { testWebhook } = await run(`mutation { testWebhook(input: { id: "${hook}" }) { delivery { id state } } }`);
    await settle();
    expect(receiver.received.splice(0).map(({ type }) => type)).toEqual(['webhook.tested']);
    expect(
      (await run(`{ webhookDelivery(id: "${testWebhook.delivery.id}") { state status } }`)).webhookDelivery,
    ).toEqual({
      state: 'DELIVERED',
      status: 200,
    });
  });

  it('is not disabled by 410 of the address that it had before', async () => {
    const [former, hook] = [await openReceiver(), await create()];
    former.secret = receiver.secret;
    await run(`mutation { updateWebhook(input: { id: "${hook}", url: "${former.url}" }) { webhook { id } } }`);
    let answer: (() => void) | undefined;
    former.answer = (_, response) => {
      answer = () => response.writeHead(410).end();
    };
    await update(await createContact(), 'email: "moved@example.org"');
    await waitUntil('the attempt', () => answer !== undefined);
    await run(`mutation { updateWebhook(input: { id: "${hook}", url: "${receiver.url}" }) { webhook { id } } }`);
    answer!();
    await settle();
    expect((await readWebhook(hook)).isActive).toBe(true);
  });

  it('that is active again sends nothing that waited before', async () => {
    const hook = await create();
    const filter = `, filter: { webhookId: { equals: "${hook}" } }`;
    receiver.answer = (_, response) => response.writeHead(503, { 'Retry-After': '1' }).end();
    const contact = await createContact();
    await update(contact, 'email: "waits@example.org"');
    await waitUntil('the first attempt', async () => (await readDeliveries(filter))[0]?.status === 503);
    for (const isActive of [false, true])
      await run(`mutation { updateWebhook(input: { id: "${hook}", isActive: ${isActive} }) { webhook { id } } }`);
    receiver.answer = (_, response) => response.end();
    receiver.received.splice(0);
    await update(contact, 'email: "later@example.org"');
    await settle();
    expect(receiver.received).toHaveLength(1);
    expect(await readDeliveries(filter)).toMatchObject([
      { state: 'GIVEN_UP', error: 'the webhook was disabled' },
      { state: 'DELIVERED' },
    ]);
  });

  it('is disabled after a time without success', async () => {
    const hook = await create();
    await door.sql(`update webhooks set failing_since = now() - interval '1 minute' where group_id = 1`);
    // So that there is one attempt only.
    receiver.answer = (_, response) => response.writeHead(503, { 'Retry-After': '60' }).end('later');
    await update(await createContact(), 'email: "later@example.org"');
    await waitUntil('it is disabled', async () => !(await readWebhook(hook)).isActive);
    receiver.answer = (_, response) => response.end();
    const [delivery] = await readDeliveries(`, filter: { webhookId: { equals: "${hook}" } }`);
    expect(delivery).toMatchObject({ status: 503, response: 'later', attempts: 1 });
  });

  it('is not sent a message again before the time of Retry-After, in seconds or as a date', async () => {
    const hook = await create();
    const answers: [number, () => string][] = [
      [429, () => '10'],
      [503, () => new Date(Date.now() + 12_000).toUTCString()],
    ];
    for (const [status, time] of answers) {
      receiver.answer = (_, response) => response.writeHead(status, { 'Retry-After': time() }).end();
      const [contact, other] = [await createContact(), await createContact()];
      await update(contact, 'email: "first@example.org"');
      const readFirst = () =>
        door.sql(
          `select state, status, attempts, next_attempt_at >= created_at + interval '10 seconds' as is_later
             from webhook_deliveries where group_id = 1 and contact_id = ?`,
          [Number(contact.split(':')[1])],
        );
      await waitUntil('it has failed', async () => (await readFirst())[0]?.status === status);
      // Messages about others go on meanwhile.
      receiver.answer = (_, response) => response.end();
      await update(other, 'email: "other@example.org"');
      await waitUntil('the other one is delivered', () => receiver.received.some(({ data }) => data.id === other));
      expect([status, await readFirst()]).toEqual([
        status,
        [{ state: 'waiting', status, attempts: 1, is_later: true }],
      ]);
      expect((await readWebhook(hook)).isActive).toBe(true);
      await door.sql(`update webhook_deliveries set next_attempt_at = now() where group_id = 1 and state = 'waiting'`);
      await settle();
      expect(await readFirst()).toMatchObject([{ state: 'delivered', status: 200, attempts: 2 }]);
      expect(receiver.received.splice(0).map(({ data }) => data.id)).toEqual([contact, other, contact]);
    }
  });

  it('gives up a message after its time, sends the next one about the record, and the former one on request', async () => {
    // The clock of the process is not asked for it.
    const { now } = Date;
    const clock = vi.spyOn(Date, 'now').mockImplementation(() => now() + 3_600_000);
    onTestFinished(() => clock.mockRestore());
    const hook = await create();
    const contact = await createContact();
    // Not so long as to end the time of the message by itself.
    receiver.answer = (_, response) => response.writeHead(500, { 'Retry-After': '5' }).end('no');
    await update(contact, 'email: "lost@example.org"');
    const readAll = () => readDeliveries(`, filter: { webhookId: { equals: "${hook}" } }`);
    await waitUntil('it has failed', async () => (await readAll())[0]?.status === 500);
    expect(await readAll()).toMatchObject([{ state: 'WAITING', attempts: 1 }]);
    await update(contact, 'email: "next@example.org"');
    await waitUntil('both are there', async () => (await readAll()).length === 2);
    await door.sql(
      `update webhook_deliveries set created_at = now() - interval '1 minute', next_attempt_at = now() where group_id = 1 and attempts = 1`,
    );
    await waitUntil('it is given up', async () => (await readAll()).some(({ state }) => state === 'GIVEN_UP'));
    receiver.answer = (_, response) => response.end();
    await door.sql(`update webhook_deliveries set next_attempt_at = now() where group_id = 1 and state = 'waiting'`);
    await settle();
    const [lost, next] = (await readAll()).toSorted((one, two) =>
      one.recordId === two.recordId ? one.id.localeCompare(two.id, 'en', { numeric: true }) : 0,
    );
    expect(lost).toMatchObject({ state: 'GIVEN_UP', status: 500, attempts: 2, deliveredAt: null });
    expect(next).toMatchObject({ state: 'DELIVERED' });
    expect((await readWebhook(hook)).isActive).toBe(true);
    await run(`mutation { replayWebhookDeliveries(input: { ids: ["${lost.id}"] }) { deliveries { state } } }`);
    await settle();
    expect((await readAll()).map(({ state }) => state)).toEqual(['DELIVERED', 'DELIVERED']);
  });

  /** Waits until two deliveries of a webhook have failed. From then on the receiver takes all. Resolves to what reads these deliveries. */
  const failTwice = async (hook: string) => {
    const readAll = () => readDeliveries(`, filter: { webhookId: { equals: "${hook}" } }`);
    await waitUntil(
      'both have failed',
      async () => (await readAll()).filter(({ status }) => status === 503).length === 2,
    );
    receiver.answer = (_, response) => response.end();
    receiver.received.splice(0);
    return readAll;
  };

  it('that asks for an event no more is not sent what waits of it, secrets of invitations either', async () => {
    const hook = await create({ events: ['CONTACT_UPDATED', 'CONTACT_DELETED', 'INVITATION_SENT'] });
    receiver.answer = (_, response) => response.writeHead(503, { 'Retry-After': '5' }).end();
    await update(await createContact(), 'email: "unwanted@example.org"');
    await run(
      `mutation { inviteUsers(input: { invitations: [{ email: "unwanted@example.org" }] }) { secrets { secret } } }`,
    );
    const readAll = await failTwice(hook);
    await run(
      `mutation { updateWebhook(input: { id: "${hook}", events: [CONTACT_DELETED] }) { webhook { id } } testWebhook(input: { id: "${hook}" }) { delivery { id } } }`,
    );
    await door.sql(`update webhook_deliveries set next_attempt_at = now() where group_id = 1 and state = 'waiting'`);
    await settle();
    expect(receiver.received.splice(0).map(({ type }) => type)).toEqual(['webhook.tested']);
    expect(await door.sql('select from webhook_secrets')).toEqual([]);
    const left = (await readAll()).filter(({ event }) => event !== 'webhook.tested');
    const error = 'the webhook does not ask for this event any more';
    expect(left).toMatchObject([
      { state: 'GIVEN_UP', error },
      { state: 'GIVEN_UP', error },
    ]);
    expect((await readWebhook(hook)).isActive).toBe(true);
  });

  it('that asks for fewer fields is not sent what waits of the others', async () => {
    const hook = await create();
    receiver.answer = (_, response) => response.writeHead(503, { 'Retry-After': '5' }).end();
    await update(await createContact(), 'email: "unasked@example.org"');
    await update(await createContact(), 'phone: "0561"');
    const readAll = await failTwice(hook);
    await run(`mutation { updateWebhook(input: { id: "${hook}", fields: ["phone"] }) { webhook { id } } }`);
    await door.sql(`update webhook_deliveries set next_attempt_at = now() where group_id = 1 and state = 'waiting'`);
    await settle();
    expect(receiver.received.splice(0).map(({ data }) => data.fields)).toEqual([['phone']]);
    expect((await readAll()).map(({ state }) => state).sort()).toEqual(['DELIVERED', 'GIVEN_UP']);
  });

  it('had no job that failed', () => {
    expect(jobs.failures).toEqual([]);
  });
});
