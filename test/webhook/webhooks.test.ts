// Webhooks: what is sent to a real receiver, how it is signed, tried again, kept in order, and stopped.
import { Webhook } from 'standardwebhooks';
import { beforeAll, describe, expect, it } from 'vitest';
import { type Door, type Json, openApp } from '../harness/app.ts';
import { until } from '../harness/waiting.ts';
import { openReceiver, type Receiver, workOnJobs } from './receiver.ts';

let door: Door;
let receiver: Receiver;
let jobs: ReturnType<typeof workOnJobs>;
let token: string;

beforeAll(async () => {
  door = await openApp({ WEBHOOK_PRIVATE_ADDRESSES: true });
  receiver = await openReceiver();
  jobs = workOnJobs(door, { invitationUrl: 'https://app.example.org/join#{secret}' });
  token = await door.token(1, 1);
});

const run = async (query: string, variables: Json = {}, as = token): Promise<Json> => {
  const { body } = await door.graphql(query, variables, as);
  expect(body.errors).toBeUndefined();
  return body.data;
};
const createQuery = `mutation ($input: WebhookCreateInput!) { createWebhook(input: $input) { webhook { id isActive } secret } }`;
/** Creates a webhook, to the receiver of the file unless it names another. */
const create = async (input: Json = {}, to = receiver): Promise<string> => {
  const { createWebhook } = await run(createQuery, {
    input: { name: 'Test', url: to.url, events: ['CONTACT_UPDATED'], ...input },
  });
  to.secret = createWebhook.secret;
  return createWebhook.webhook.id;
};
const remove = (id: string): Promise<Json> => run(`mutation { deleteWebhook(input: { id: "${id}" }) { deletedId } }`);
const createContact = async (fields = ''): Promise<string> =>
  (await run(`mutation { createContact(input: { firstName: "Ada" ${fields} }) { contact { id } } }`)).createContact
    .contact.id;
const update = (id: string, fields: string): Promise<Json> =>
  run(`mutation { updateContact(input: { id: "${id}", ${fields} }) { contact { id } } }`);
const readWebhook = async (id: string): Promise<Json> =>
  (await run(`{ webhook(id: "${id}") { isActive disabledReason failingSince lastSuccessAt } }`)).webhook;
const readDeliveries = async (filter = ''): Promise<Json[]> =>
  (
    await run(
      `{ webhookDeliveries(first: 100 ${filter}) { nodes { id event recordId state attempts status error response nextAttemptAt deliveredAt milliseconds } } }`,
    )
  ).webhookDeliveries.nodes;
/** Waits until nothing is to be sent. */
const settle = (): Promise<void> =>
  until('everything is sent', async () => {
    const [{ open }] = await door.sql(
      `select (select count(*) from change_queue) + (select count(*) from webhook_deliveries where state = 'waiting')
              + (select count(*) from webhooks w join change_feeds f using (group_id) where w.disabled_at is null and w.position < f.position) as open`,
    );
    return open === 0;
  });

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
    await remove(hook);
  });

  it('without values gets ids and names of fields alone, and the outbox holds none', async () => {
    const hook = await create();
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
    await remove(hook);
  });

  it('is tried again after failures, with the same id, and gets the events of a record in their order', async () => {
    const hook = await create();
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
    await remove(hook);
  });

  it('that hangs or redirects does not hold up another one, and follows nowhere', async () => {
    const [slow, other] = [await openReceiver(), await openReceiver()];
    const slowHook = await create({}, slow);
    const otherHook = await create({}, other);
    slow.answer = ({ data }, response) => {
      // A redirect to the other receiver, or no answer at all.
      if (data.fields.includes('email')) response.writeHead(307, { Location: other.url }).end();
    };
    const contact = await createContact();
    await update(contact, 'lastName: "Hangs"');
    await update(contact, 'email: "moved@example.org"');
    await until('the other one has both', () => other.received.length === 2);
    await until('the first attempt was given up', async () =>
      (await readDeliveries(`, filter: { webhookId: { equals: "${slowHook}" } }`)).some(({ error }) =>
        error?.startsWith('no whole answer'),
      ),
    );
    // Let the first one pass, so that the redirect is next.
    slow.answer = ({ data }, response) =>
      response.writeHead(data.fields.includes('email') ? 307 : 200, { Location: other.url }).end('elsewhere');
    await until('the redirect counts as a failure', async () =>
      (await readDeliveries(`, filter: { webhookId: { equals: "${slowHook}" } }`)).some(({ status }) => status === 307),
    );
    expect(other.received).toHaveLength(2);
    await Promise.all([remove(slowHook), remove(otherHook)]);
  });

  it('is disabled by 410, sends again once it is active, and is tested', async () => {
    const hook = await create();
    receiver.answer = (_, response) => response.writeHead(410).end();
    const contact = await createContact();
    await update(contact, 'email: "gone@example.org"');
    await until('it is disabled', async () => !(await readWebhook(hook)).isActive);
    expect((await readWebhook(hook)).disabledReason).toContain('410');
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
    await remove(hook);
  });

  it('is disabled after a time without success, and honours Retry-After', async () => {
    const hook = await create();
    await door.sql(`update webhooks set failing_since = now() - interval '1 minute' where group_id = 1`);
    receiver.answer = (_, response) => response.writeHead(503, { 'Retry-After': '60' }).end('later');
    await update(await createContact(), 'email: "later@example.org"');
    await until('it is disabled', async () => !(await readWebhook(hook)).isActive);
    receiver.answer = (_, response) => response.end();
    const [delivery] = await readDeliveries(`, filter: { webhookId: { equals: "${hook}" } }`);
    expect(delivery).toMatchObject({ status: 503, response: 'later', attempts: 1 });
    receiver.received.splice(0);
    await remove(hook);
  });

  it('gets a new secret, beside which the former one is valid for a while', async () => {
    const hook = await create();
    const former = receiver.secret;
    const { rotateWebhookSecret } = await run(
      `mutation { rotateWebhookSecret(input: { id: "${hook}" }) { secret webhook { formerSecretUntil } } }`,
    );
    expect(rotateWebhookSecret.secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    await run(`mutation { testWebhook(input: { id: "${hook}" }) { delivery { id } } }`);
    await settle();
    const [message] = receiver.received.splice(0);
    for (const secret of [former, rotateWebhookSecret.secret])
      expect(() => new Webhook(secret).verify(message!.body, message!.headers as Record<string, string>)).not.toThrow();
    const shown = await run(
      `{ webhooks { nodes { __typename id name url events } } auditLog(last: 5) { nodes { operation fields } } }`,
    );
    expect(JSON.stringify(shown)).not.toContain('whsec_');
    await remove(hook);
  });

  it('gets the secret of an invitation only if it asks for that, and nothing keeps it', async () => {
    const hook = await create({ events: ['INVITATION_SENT', 'INVITATION_CREATED'], includesValues: true });
    const [silent] = [await openReceiver()];
    const silentHook = await create(
      { events: ['INVITATION_CREATED', 'INVITATION_UPDATED'], includesValues: true },
      silent,
    );
    receiver.answer = ({ type }, response) => response.end(type === 'invitation.sent' ? 'msi_echo' : '');
    const { inviteUsers } = await run(
      `mutation { inviteUsers(input: { invitations: [{ email: "new@example.org" }] }) { secrets { secret } } }`,
    );
    const { secret } = inviteUsers.secrets[0];
    await settle();
    const messages = receiver.received.splice(0);
    const sent = messages.find(({ type }) => type === 'invitation.sent')!;
    expect(sent.data).toMatchObject({
      email: 'new@example.org',
      secret,
      link: `https://app.example.org/join#${secret}`,
      roleId: expect.stringMatching(/^Role:/),
    });
    expect(JSON.stringify([messages.filter((one) => one !== sent), silent.received])).not.toContain(secret);
    expect(silent.received.map(({ type }) => type)).toContain('invitation.created');
    // No table holds it, nor the answer of the receiver.
    const tables = await door.sql(
      `select relname from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r' and relname <> 'search_words'`,
    );
    for (const { relname } of tables)
      expect(
        (await door.sql(`select from ${relname} t where t::text ~ ?`, [`${secret}|msi_echo`])).length,
        relname,
      ).toBe(0);
    const [delivery] = await readDeliveries(`, filter: { event: { equals: "invitation.sent" } }`);
    expect(delivery.state).toBe('DELIVERED');
    const { body } = await door.graphql(
      `mutation { replayWebhookDeliveries(input: { ids: ["${delivery.id}"] }) { deliveries { id } } }`,
    );
    expect(body.errors[0].extensions.code).toBe('conflict');
    await Promise.all([remove(hook), remove(silentHook)]);
  });

  it('gets only what its creator may read, and ends when they leave', async () => {
    const [{ user_id: admin }] = await door.sql(
      `select m.user_id from members m join roles r on r.group_id = m.group_id and r.id = m.role_id where m.group_id = 1 and r.type = 'admin' limit 1`,
    );
    const { createWebhook } = await run(
      createQuery,
      {
        input: {
          name: 'Admin',
          url: receiver.url,
          events: ['INTERACTION_CREATED', 'TEAM_CREATED', 'CAMPAIGN_CREATED'],
        },
      },
      await door.token(1, admin),
    );
    receiver.secret = createWebhook.secret;
    const write = async (): Promise<string[]> => {
      await door.sql(`insert into teams (group_id, name, private) values (1, 'Private', true)`);
      await door.sql(`insert into campaigns (group_id, name) values (1, 'Campaign')`);
      await door.sql(
        `insert into interactions (group_id, contact_id, type, only_super_admin) select 1, min(id), 'call', h from contacts, unnest('{true,false}'::boolean[]) h where group_id = 1 and deleted_at is null group by h`,
      );
      await settle();
      return receiver.received
        .splice(0)
        .map(({ type }) => type)
        .sort();
    };
    expect(await write()).toEqual(['campaign.created', 'interaction.created', 'team.created']);
    const [{ id: role }] = await door.sql(`select id from roles where group_id = 1 and type = 'user' limit 1`);
    await door.sql('update members set role_id = ? where group_id = 1 and user_id = ?', [role, admin]);
    expect(await write()).toEqual(['interaction.created']);
    await run(`mutation { removeMember(input: { userId: ${admin} }) { __typename } }`);
    await write();
    expect(await readWebhook(createWebhook.webhook.id)).toMatchObject({
      isActive: false,
      disabledReason: expect.stringContaining('left'),
    });
    await remove(createWebhook.webhook.id);
  });

  it('is for admins, within limits, and refuses addresses that are not allowed', async () => {
    const codeOf = async (input: Json, as = token, on = door): Promise<Json> => {
      const base = { name: 'x', url: 'https://example.org/', events: ['CONTACT_UPDATED'], ...input };
      return (await on.graphql(createQuery, { input: base }, as)).body.errors?.[0].extensions;
    };
    const [{ user_id: manager }] = await door.sql(
      `select m.user_id from members m join roles r on r.group_id = m.group_id and r.id = m.role_id where m.group_id = 1 and r.type = 'manager' limit 1`,
    );
    expect((await codeOf({}, await door.token(1, manager))).code).toBe('forbidden');
    const strict = await openApp({}, undefined, door);
    const urls = [
      'http://example.org',
      'https://127.0.0.1/',
      'https://[::ffff:10.0.0.1]/',
      'https://0x7f.1/',
      'ftp://example.org',
      'https://u:p@example.org',
      'https://example.org:25',
      'nonsense',
    ];
    for (const url of urls)
      expect([url, (await codeOf({ url }, token, strict)).code]).toEqual([url, 'invalid-request']);
    expect((await codeOf({ fields: ['nonsense'] })).errors[0].location).toBe('input.fields[0]');
    expect((await codeOf({ events: [] })).code).toBe('invalid-request');
  });

  it('had no job that failed', () => {
    expect(jobs.failures).toEqual([]);
  });
});
