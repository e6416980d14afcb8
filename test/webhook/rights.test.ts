// Webhooks: their secrets, those of invitations, and what somebody may have sent where.
import { Webhook } from 'standardwebhooks';
import { describe, expect, it } from 'vitest';
import { type Json, openApp } from '../harness/app.ts';
import { createMemberRole } from '../harness/member.ts';
import { waitUntil } from '../harness/waiting.ts';
import { openReceiver } from './receiver.ts';
import { createQuery, openWebhookDoor } from './webhook-door.ts';

const { door, receiver, jobs, token, run, create, readWebhook, readDeliveries, settle } = await openWebhookDoor();

describe('a webhook', () => {
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
  });

  it('gets the secret of an invitation only if it asks for that, and nothing keeps it', async () => {
    await create({ events: ['INVITATION_SENT', 'INVITATION_CREATED'], includesValues: true });
    const [silent] = [await openReceiver()];
    await create({ events: ['INVITATION_CREATED', 'INVITATION_UPDATED'], includesValues: true }, silent);
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
  });

  it('gets no secret of an invitation that opens nothing any more', async () => {
    await create({ events: ['INVITATION_SENT'] });
    receiver.answer = (_, response) => response.writeHead(503, { 'Retry-After': '5' }).end();
    const invite = async (): Promise<string> =>
      (
        await run(
          `mutation { inviteUsers(input: { invitations: [{ email: "twice@example.org" }] }) { secrets { secret } } }`,
        )
      ).inviteUsers.secrets[0].secret;
    await invite();
    await waitUntil('the first one has failed', () => receiver.received.length > 0);
    receiver.answer = (_, response) => response.end();
    receiver.received.splice(0);
    const secret = await invite();
    await door.sql(`update webhook_deliveries set next_attempt_at = now() where group_id = 1 and state = 'waiting'`);
    await settle();
    expect(receiver.received.splice(0).map(({ data }) => data.secret)).toEqual([secret]);
    expect((await readDeliveries()).map(({ state }) => state).sort()).toEqual(['DELIVERED', 'GIVEN_UP']);
    expect(await door.sql('select from webhook_secrets')).toEqual([]);
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
  });

  it('names no team of an invitation to who may not see private ones', async () => {
    const { user, role } = await createMemberRole(door, { type: 'admin' });
    const input = { name: 'Teams', url: receiver.url, events: ['INVITATION_CREATED'], includesValues: true };
    const { createWebhook } = await run(createQuery, { input }, await door.token(1, user));
    receiver.secret = createWebhook.secret;
    const { team } = (await run(`mutation { createTeam(input: { name: "Private", private: true }) { team { id } } }`))
      .createTeam;
    const invite = async (email: string): Promise<Json> => {
      const invitation = { email, teamIds: [team.id] };
      await run(
        `mutation ($i: InvitationInput!) { inviteUsers(input: { invitations: [$i] }) { invitations { id } } }`,
        {
          i: invitation,
        },
      );
      await settle();
      return receiver.received.splice(0)[0]!.data.after.teams;
    };
    expect(await invite('shown@example.org')).toEqual([{ id: team.id }]);
    await door.sql(`update roles set type = 'manager' where group_id = 1 and id = ?`, [role]);
    expect(await invite('hidden@example.org')).toBeUndefined();
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
