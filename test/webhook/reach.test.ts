// How far a webhook reaches: as far as both its creator and its last editor do when a message is sent, and nobody who reaches less far touches it.
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createAccountHelpers, readRefusal, roles } from '../abuse/people.ts';
import type { Json } from '../harness/app.ts';
import { waitUntil } from '../harness/waiting.ts';
import { openReceiver, type Receiver } from './receiver.ts';
import { createQuery, openWebhookDoor } from './webhook-door.ts';

const { door, receiver, jobs, run, readWebhook, readDeliveries, settle } = await openWebhookDoor();
const call = createAccountHelpers(door);
/** The users who create and edit; each test has its own. */
let people: Record<'admin' | 'superadmin', number>;
let tokens: Record<'admin' | 'superadmin', string>;
const roleIds: Record<string, number> = {};
let count = 0;

beforeAll(async () => {
  for (const type of roles) roleIds[type] = await call.roleOf(1, type);
});

const giveRole = (user: number, type: string): Promise<unknown> =>
  door.sql('update members set role_id = ? where group_id = 1 and user_id = ?', [roleIds[type], user]);
const addMember = async (type: string): Promise<number> => {
  const [{ id }] = await door.sql('insert into users (mail) values (?) returning id', [
    `member-${count++}@example.org`,
  ]);
  await door.sql('insert into members (group_id, user_id, role_id) values (1, ?, ?)', [id, roleIds[type]]);
  return id;
};
beforeEach(async () => {
  people = { admin: await addMember('admin'), superadmin: await addMember('superadmin') };
  tokens = { admin: await door.token(1, people.admin), superadmin: await door.token(1, people.superadmin) };
});

const createAs = async (token: string, input: Json, to: Receiver = receiver): Promise<string> => {
  const all = { name: 'Test', url: to.url, ...input };
  const { createWebhook } = await run(createQuery, { input: all }, token);
  to.secret = createWebhook.secret;
  return createWebhook.webhook.id;
};

/** Invites somebody, by default as a superadmin, and returns their mail and secret. */
const invite = async (
  type: string,
  more = '',
  token = tokens.superadmin,
): Promise<{ mail: string; secret: string }> => {
  const mail = `reached-${count++}@example.org`;
  const { inviteUsers } = await run(
    `mutation { inviteUsers(input: { invitations: [{ email: "${mail}", roleId: ${roleIds[type]} }] ${more} }) { secrets { secret } } }`,
    {},
    token,
  );
  return { mail, secret: inviteUsers.secrets[0].secret };
};
const takeMails = (to: Receiver = receiver): string[] => to.received.splice(0).map(({ data }) => data.email);

const addInteraction = async (isHidden: boolean): Promise<string> => {
  const [{ id }] = await door.sql(
    `insert into interactions (group_id, contact_id, type, only_super_admin) select 1, min(id), 'call', ? from contacts where group_id = 1 and deleted_at is null returning id`,
    [isHidden],
  );
  return `Interaction:${id}`;
};
const interactionEvents = { events: ['INTERACTION_CREATED'], includesValues: true };

describe('the secret of an invitation', () => {
  it('goes to webhooks that reach at least as far as the role that is offered', async () => {
    await createAs(tokens.admin, { events: ['INVITATION_SENT'] });
    const other = await openReceiver();
    await createAs(tokens.superadmin, { events: ['INVITATION_SENT'] }, other);
    const [first, second] = [await invite('superadmin'), await invite('admin')];
    await settle();
    expect(takeMails()).toEqual([second.mail]);
    expect(takeMails(other).sort()).toEqual([first.mail, second.mail].sort());
    expect(await door.sql('select from webhook_secrets')).toEqual([]);
  });

  it('goes to nobody who may not invite any more, or has left', async () => {
    const hook = await createAs(tokens.admin, { events: ['INVITATION_SENT'] });
    for (const type of ['manager', 'user', 'custom']) {
      await giveRole(people.admin, type);
      await invite('user');
    }
    await settle();
    expect(takeMails()).toEqual([]);
    await door.sql('delete from members where group_id = 1 and user_id = ?', [people.admin]);
    await invite('user');
    await waitUntil('it is disabled', async () => !(await readWebhook(hook)).isActive);
    expect(receiver.received).toEqual([]);
  });

  it('that waits goes to nobody who may not invite by the time of the attempt', async () => {
    await createAs(tokens.admin, { events: ['INVITATION_SENT'] });
    receiver.answer = (_, response) => response.writeHead(503, { 'Retry-After': '10' }).end();
    await invite('user');
    await waitUntil('the first attempt has failed', async () =>
      (await readDeliveries()).some(({ status }) => status === 503),
    );
    receiver.received = [];
    await giveRole(people.admin, 'user');
    await door.sql(`update webhook_deliveries set next_attempt_at = now() where state = 'waiting'`);
    await settle();
    expect(receiver.received).toEqual([]);
    expect(await readDeliveries(', filter: { event: { equals: "invitation.sent" } }')).toMatchObject([
      { state: 'GIVEN_UP', error: expect.stringContaining('may not') },
    ]);
    expect(await door.sql('select from webhook_secrets')).toEqual([]);
  });

  it('stays in the answer when the inviter wants that', async () => {
    await createAs(tokens.superadmin, { events: ['INVITATION_SENT'] });
    await invite('user', ', sendsToWebhooks: false');
    const { mail } = await invite('user', ', sendsToWebhooks: true');
    await settle();
    expect(takeMails()).toEqual([mail]);
  });

  it('ends when the type of its role is raised', async () => {
    const { createRole } = await run(
      'mutation { createRole(input: { name: "Raised", type: USER }) { role { databaseId } } }',
    );
    roleIds.raised = createRole.role.databaseId;
    await createAs(tokens.admin, { events: ['INVITATION_SENT'] });
    const { secret } = await invite('raised');
    await settle();
    expect(receiver.received.splice(0).map(({ data }) => data.secret)).toEqual([secret]);
    await run(`mutation { updateRole(input: { id: ${roleIds.raised}, type: SUPERADMIN }) { role { id } } }`);
    expect((await door.rest('POST', '/join', { secret }, null)).status).toBe(404);
  });
});

describe('a delivery', () => {
  it('that waits is sent only while its owner may read what it is about', async () => {
    const hook = await createAs(tokens.superadmin, interactionEvents);
    receiver.answer = (_, response) => response.writeHead(503, { 'Retry-After': '10' }).end();
    const [hidden, open] = [await addInteraction(true), await addInteraction(false)];
    await waitUntil(
      'both attempts have failed',
      async () => (await readDeliveries()).every(({ status }) => status === 503) && receiver.received.length === 2,
    );
    receiver.received = [];
    receiver.answer = (_, response) => response.end();
    await giveRole(people.superadmin, 'admin');
    await door.sql(`update webhook_deliveries set next_attempt_at = now() where state = 'waiting'`);
    await settle();
    expect(receiver.received.splice(0).map(({ data }) => data.id)).toEqual([open]);
    const deliveries = await readDeliveries();
    expect(deliveries.find(({ recordId }) => recordId === hidden)).toMatchObject({
      state: 'GIVEN_UP',
      error: expect.stringContaining('may not'),
    });
    // It is no failure of the receiver.
    expect((await readWebhook(hook)).failingSince).toBeNull();
    // Nor is it sent again.
    const ids = deliveries.map(({ id }) => id);
    await run('mutation ($ids: [ID!]!) { replayWebhookDeliveries(input: { ids: $ids }) { deliveries { id } } }', {
      ids,
    });
    await settle();
    expect(receiver.received.splice(0).map(({ data }) => data.id)).toEqual([open]);
  });

  /** Leaves a delivery waiting, of which the receiver keeps nothing. */
  const failFirstAttempt = async (): Promise<void> => {
    receiver.answer = (_, response) => response.writeHead(503, { 'Retry-After': '10' }).end();
    await addInteraction(false);
    await waitUntil('the attempt has failed', async () =>
      (await readDeliveries()).some(({ status }) => status === 503),
    );
    receiver.received = [];
  };

  it('that waits is not sent when its owner has left, and the webhook ends', async () => {
    const hook = await createAs(tokens.superadmin, interactionEvents);
    await failFirstAttempt();
    await door.sql('delete from members where group_id = 1 and user_id = ?', [people.superadmin]);
    await door.sql(`update webhook_deliveries set next_attempt_at = now() where state = 'waiting'`);
    await waitUntil('it is disabled', async () => !(await readWebhook(hook)).isActive);
    expect((await readWebhook(hook)).disabledReason).toContain('has left');
    expect(receiver.received).toEqual([]);
  });

  it('that waits is not sent when its space is deleted, and the webhook ends', async () => {
    const hook = await createAs(tokens.superadmin, interactionEvents);
    await failFirstAttempt();
    await door.sql('update spaces set deleted_at = now() where id = 1');
    try {
      await door.sql(`update webhook_deliveries set next_attempt_at = now() where state = 'waiting'`);
      const isEnded = 'select from webhooks where id = ? and disabled_at is not null';
      await waitUntil('it is disabled', async () => (await door.sql(isEnded, [hook.split(':')[1]])).length === 1);
      expect(receiver.received).toEqual([]);
    } finally {
      await door.sql('update spaces set deleted_at = null where id = 1');
    }
  });

  it('about an interaction that is shown from now on has nothing of what it was while it was hidden', async () => {
    await createAs(tokens.admin, { events: ['INTERACTION_CREATED', 'INTERACTION_UPDATED'], includesValues: true });
    const other = await openReceiver();
    await createAs(tokens.superadmin, { events: ['INTERACTION_UPDATED'], includesValues: true }, other);
    const id = await addInteraction(true);
    const write = (input: Json) =>
      run(`mutation ($input: InteractionUpdateInput!) { updateInteraction(input: $input) { interaction { id } } }`, {
        input: { id, ...input },
      });
    await write({ comments: 'told in confidence' });
    await write({ comments: 'agreed', onlySuperAdmin: false });
    await write({ comments: 'agreed twice' });
    await settle();
    expect(JSON.stringify(receiver.received)).not.toContain('confidence');
    const shown = receiver.received.splice(0).map(({ data }) => [data.before, data.after]);
    expect(shown.slice(-2)).toEqual([
      [null, { comments: 'agreed', onlySuperAdmin: false }],
      [{ comments: 'agreed' }, { comments: 'agreed twice' }],
    ]);
    expect(shown.slice(0, -2).flat().filter(Boolean)).toEqual([]);
    expect(other.received.map(({ data }) => data.before?.comments)).toEqual([null, 'told in confidence', 'agreed']);
  });

  it('about a team that is public from now on has nothing of what it was while it was private', async () => {
    await createAs(tokens.admin, { events: ['TEAM_CREATED', 'TEAM_UPDATED'], includesValues: true });
    await giveRole(people.admin, 'user');
    const { createTeam } = await run(
      `mutation { createTeam(input: { name: "Strike", private: true }) { team { id } } }`,
    );
    const write = (rest: string): Promise<Json> =>
      run(`mutation { replaceTeam(input: { id: "${createTeam.team.id}", ${rest} }) { team { id } } }`);
    await write('name: "Strike of May", private: true');
    await write('name: "Picnic", private: false');
    await write('name: "Picnic of June"');
    await settle();
    expect(JSON.stringify(receiver.received)).not.toContain('Strike');
    const told = receiver.received.splice(0).map(({ data }) => [data.before, data.after]);
    expect(told.slice(-2)).toEqual([
      [null, { name: 'Picnic', private: false }],
      [{ name: 'Picnic' }, { name: 'Picnic of June' }],
    ]);
    expect(told.slice(0, -2).flat().filter(Boolean)).toEqual([]);
  });

  it('tells an admin that an interaction was hidden, without values', async () => {
    await createAs(tokens.admin, { events: ['INTERACTION_UPDATED'], includesValues: true });
    const id = await addInteraction(false);
    const input = { id, comments: 'told in confidence', onlySuperAdmin: true };
    await run(
      `mutation ($input: InteractionUpdateInput!) { updateInteraction(input: $input) { interaction { id } } }`,
      { input },
    );
    await settle();
    const told = receiver.received.splice(0).map(({ data }) => [data.id, data.fields, data.before, data.after]);
    expect(told).toEqual([[id, ['comments', 'onlySuperAdmin'], null, null]]);
  });

  it('about a hidden interaction is in the log of superadmins alone', async () => {
    await createAs(tokens.superadmin, interactionEvents);
    const [hidden, open] = [await addInteraction(true), await addInteraction(false)];
    await settle();
    const list = '{ webhookDeliveries(first: 100) { totalCount nodes { id recordId } } }';
    const [all, some] = [await run(list), await run(list, {}, tokens.admin)].map(
      ({ webhookDeliveries }) => webhookDeliveries,
    );
    expect(all.nodes.map(({ recordId }: Json) => recordId).sort()).toEqual([hidden, open].sort());
    expect([some.totalCount, some.nodes.map(({ recordId }: Json) => recordId)]).toEqual([1, [open]]);
    const { id } = all.nodes.find(({ recordId }: Json) => recordId === hidden);
    const one = `{ webhookDelivery(id: "${id}") { id } node(id: "${id}") { id } }`;
    expect(await run(one, {}, tokens.admin)).toEqual({ webhookDelivery: null, node: null });
    const replay = `mutation { replayWebhookDeliveries(input: { ids: ["${id}"] }) { deliveries { id } } }`;
    expect(readRefusal(await door.graphql(replay, {}, tokens.admin))?.[0]).toBe(404);
  });
});

describe('the webhook of a superadmin', () => {
  it('is not for admins to change, renew, test, replay or delete', async () => {
    const hook = await createAs(tokens.superadmin, interactionEvents);
    await addInteraction(false);
    await settle();
    const [delivery] = await readDeliveries();
    const before = await door.sql('select * from webhooks');
    const deeds: [string, string][] = [
      ['updateWebhook', `id: "${hook}", url: "${receiver.url}/other"`],
      ['updateWebhook', `id: "${hook}", isActive: false`],
      ['rotateWebhookSecret', `id: "${hook}"`],
      ['testWebhook', `id: "${hook}"`],
      ['replayWebhookDeliveries', `ids: ["${delivery.id}"]`],
      ['deleteWebhook', `id: "${hook}"`],
    ];
    for (const [field, input] of deeds) {
      const answer = await door.graphql(`mutation { ${field}(input: { ${input} }) { __typename } }`, {}, tokens.admin);
      expect([field, readRefusal(answer)]).toEqual([
        field,
        [403, expect.stringMatching(/^An admin may not .*webhook \d+, which has the rights of a superadmin$/)],
      ]);
    }
    expect(await door.sql('select * from webhooks')).toEqual(before);
    expect(await readDeliveries()).toMatchObject([{ id: delivery.id, state: 'DELIVERED' }]);
  });

  it('has the rights of its last editor once these are fewer, and is for admins then', async () => {
    const hook = await createAs(tokens.superadmin, interactionEvents);
    const change = (by: string, name: string): Promise<Json> =>
      run(
        `mutation { updateWebhook(input: { id: "${hook}", name: "${name}" }) { webhook { createdBy { id } lastEditedBy { id } } } }`,
        {},
        by,
      );
    const editor = await addMember('superadmin');
    const edit = async (name: string) => change(await door.token(1, editor), name);
    expect((await edit('Edited')).updateWebhook.webhook).toEqual({
      createdBy: { id: `User:${people.superadmin}` },
      lastEditedBy: { id: `User:${editor}` },
    });
    await giveRole(editor, 'admin');
    const [, open] = [await addInteraction(true), await addInteraction(false)];
    await settle();
    expect(receiver.received.splice(0).map(({ data }) => data.id)).toEqual([open]);
    // Its creator has as many rights as before, and gives it theirs by an edit.
    await change(tokens.superadmin, 'Edited again');
    const hidden = await addInteraction(true);
    await settle();
    expect(receiver.received.splice(0).map(({ data }) => data.id)).toEqual([hidden]);
    // An edit by somebody who reaches less far takes rights away for as long as it is the last one.
    await giveRole(editor, 'superadmin');
    await edit('Edited once more');
    await giveRole(editor, 'admin');
    await change(tokens.admin, 'By an admin');
    await addInteraction(true);
    await settle();
    expect(receiver.received).toEqual([]);
  });

  it('has no rights that one of the two lacks', async () => {
    await door.sql(
      `insert into roles (group_id, name, type, permissions) values (1, 'Campaigner', 'custom', '{contacts.read,campaigns.read}') returning id`,
    );
    const [{ id: campaigner }] = await door.sql(`select id from roles where group_id = 1 and name = 'Campaigner'`);
    const hook = await createAs(tokens.superadmin, {
      events: ['CAMPAIGN_CREATED', 'DONATION_CREATED', 'NOTE_CREATED'],
    });
    await door.sql('update webhooks set editor_id = ? where id = ?', [people.admin, hook.split(':')[1]]);
    await giveRole(people.superadmin, 'user');
    await door.sql('update members set role_id = ? where group_id = 1 and user_id = ?', [campaigner, people.admin]);
    const [{ id: contact }] = await door.sql(
      'select min(id) as id from contacts where group_id = 1 and deleted_at is null',
    );
    await door.sql(`insert into campaigns (group_id, name) values (1, 'Campaign')`);
    await door.sql(`insert into donations (group_id, contact_id, amount, transaction_date) values (1, ?, 100, now())`, [
      contact,
    ]);
    await door.sql(`insert into notes (group_id, contact_id, content) values (1, ?, 'A note')`, [contact]);
    await settle();
    // A user may not read campaigns, a campaigner no donations.
    expect(receiver.received.splice(0).map(({ type }) => type)).toEqual(['note.created']);
  });

  it('had no job that failed', () => {
    expect(jobs.failures).toEqual([]);
  });
});
