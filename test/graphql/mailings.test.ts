// E-mails and their events over GraphQL, in batches that may be sent twice or concurrently, and searches by them.
import { graphql } from 'graphql';
import { beforeAll, describe, expect, it } from 'vitest';
import { schema } from '../../schema/index.ts';
import { type Door, type Json, openApp } from '../harness/app.ts';
import { buildCondition, ids } from './search-query.ts';
import { createRoleToken, fetchRefusal, findWrongRows, markOf, runMutation } from './writing.ts';

let door: Door;
let manager: string;
let contacts: number[];
let foreign: Json;

beforeAll(async () => {
  door = await openApp();
  manager = await createRoleToken(door, 'manager');
  contacts = (
    await door.sql(
      `with made as (insert into contacts (group_id, surname, lastchange) select 1, 'Mailed', '2001-01-01' from generate_series(1, 40) returning id)
       select id, refresh_search(1, array[id]) from made order by id`,
    )
  ).map(({ id }) => id);
  await door.sql('select refresh_search(1, array(select id from contacts where group_id = 1))');
  [foreign] = await door.sql(
    `select (select min(id) from contacts where group_id = 2) as contact, (select min(id) from campaigns where group_id = 2) as campaign,
            (select min(id) from emails where group_id = 2) as email`,
  );
});

const mail = async (count = 1, more: Json = {}): Promise<number[]> =>
  (
    await runMutation(door, 'recordEmails', {
      emails: Array.from({ length: count }, (_, n) => ({ contactId: contacts[n % contacts.length], ...more })),
    })
  ).map(({ id }: Json) => id);
const events = (input: Json[], token?: string): Promise<Json> =>
  runMutation(door, 'recordEmailEvents', { events: input }, token);
const emailOf = async (id: number): Promise<Json> => {
  const [row] = await door.sql('select contact_id from emails where id = ?', [id]);
  const { body } = await door.graphql(
    `query ($id: ID!) { contact(id: $id) { emails(first: 1000) { nodes { id: databaseId campaign { databaseId } sentBy { databaseId } type clickedUrls deliveredAt openedAt clickedAt bouncedAt
       unsubscribedAt blacklistedAt abuseReportAt createdAt } } } }`,
    { id: row.contact_id },
  );
  return body.data.contact.emails.nodes.find((one: Json) => one.id === id);
};
const found = (attribute: string, operator: string, more: Json = {}): Promise<number[]> =>
  ids(door, {
    query: { and: [buildCondition(attribute, operator, more), buildCondition('surname', 'eql', { value: 'mailed' })] },
  });

describe('recordEmails', () => {
  it('creates e-mails in the order given, without changing a contact; searches find them', async () => {
    const { id: campaignId } = await runMutation(door, 'createCampaign', { name: 'Élan', subject: 'Été' });
    const before = await markOf(door, contacts[0]!);
    const made = await runMutation(
      door,
      'recordEmails',
      {
        emails: [
          { contactId: contacts[1], campaignId, type: 'campaign', createdAt: '2026-05-05T10:00:00+02:00' },
          { contactId: contacts[0], campaignId },
          { contactId: contacts[1] },
        ],
      },
      manager,
    );
    expect(made).toMatchObject([
      { contactId: contacts[1], campaignId, type: 'campaign', createdAt: '2026-05-05T08:00:00Z', clickedUrls: [] },
      { contactId: contacts[0], campaignId, type: null, deliveredAt: null },
      { contactId: contacts[1], campaignId: null },
    ]);
    expect(made.every((email: Json) => email.userId !== null)).toBe(true);
    expect((await emailOf(made[0].id)).type).toBe('campaign');
    expect(await found('emails.campaign_name', 'contains', { value: 'elan' })).toEqual(contacts.slice(0, 2));
    expect(await found('emails.created_at', 'range', { from: '2026-05-05', to: '2026-05-05' })).toEqual([contacts[1]]);
    await runMutation(door, 'updateCampaign', { id: campaignId, name: 'Ardor' });
    expect(await found('emails.campaign_name', 'contains', { value: 'elan' })).toEqual([]);
    expect(await found('emails.campaign_name', 'start_with', { value: 'ardor' })).toEqual(contacts.slice(0, 2));
    expect(await markOf(door, contacts[0]!)).toEqual(before);
    expect(await findWrongRows(door)).toEqual([]);
  });

  it('is all or nothing: every missing contact and campaign is reported', async () => {
    const count = () => door.sql('select count(*) from emails');
    const before = await count();
    const strangers = [foreign.contact, 987_654_321];
    expect(
      await fetchRefusal(door, 'recordEmails', {
        emails: [{ contactId: contacts[0] }, ...strangers.map((contactId) => ({ contactId }))],
      }),
    ).toEqual({
      code: 'unprocessable',
      message: `${strangers.length} ids are not in the space, listed in errors`,
      faults: [
        'input.emails[1].contactId is not a contact of the space',
        'input.emails[2].contactId is not a contact of the space',
      ],
    });
    const { id: gone } = await runMutation(door, 'createCampaign', { name: 'Gone' });
    await runMutation(door, 'deleteCampaign', { id: gone });
    for (const campaignId of [foreign.campaign, gone, 987_654_321])
      expect(
        await fetchRefusal(door, 'recordEmails', {
          emails: [{ contactId: contacts[0] }, { contactId: contacts[1], campaignId }],
        }),
      ).toMatchObject({ code: 'unprocessable', faults: ['input.emails[1].campaignId is not a campaign of the space'] });
    expect(await count()).toEqual(before);
  });

  it.each([
    [[], 'input.emails must be 1 to 1000 e-mails'],
    [Array.from({ length: 1001 }, () => ({ contactId: 1 })), 'input.emails must be 1 to 1000 e-mails'],
    [[{ contactId: 1, type: 'a\0' }], 'input.emails[0].type must not contain U+0000 or a lone surrogate'],
  ])('is refused with the place: %#', async (input, fault) => {
    expect((await fetchRefusal(door, 'recordEmails', { emails: input })).faults).toEqual([fault]);
  });
});

describe('recordEmailEvents', () => {
  const at = (day: number): string => `2026-06-${`${day}`.padStart(2, '0')}T00:00:00Z`;

  it.each([
    ['DELIVERED', 'deliveredAt', 2],
    ['OPENED', 'openedAt', 9],
    ['CLICKED', 'clickedAt', 9],
    ['BOUNCED', 'bouncedAt', 2],
    ['UNSUBSCRIBED', 'unsubscribedAt', 2],
    ['BLACKLISTED', 'blacklistedAt', 2],
    ['ABUSE_REPORT', 'abuseReportAt', 2],
  ])('%s keeps the right one of several times, in one batch or in several, and searches find it', async (kind, field, kept) => {
    const [together, apart, other] = (await mail(3)) as [number, number, number];
    const event = (emailId: number, day: number) => ({ emailId, kind, at: at(day) });
    const attribute = `emails.${field.replace('At', '_at').replace('abuseReport', 'abuse_report')}`;
    const day = { from: at(kept), to: at(kept) };
    const before = await found(attribute, 'range', day);
    expect(await events([event(together, 5), event(together, 2), event(together, 9)], manager)).toMatchObject({
      changed: 1,
    });
    for (const one of [5, 9, 2]) await events([event(apart, one)]);
    for (const id of [together, apart]) expect((await emailOf(id))[field]).toBe(at(kept));
    expect((await emailOf(other))[field]).toBeNull();
    const after = await found(attribute, 'range', day);
    expect(after.filter((id) => !before.includes(id))).toEqual(
      contacts.slice(0, 2).filter((id) => !before.includes(id)),
    );
    expect(after).toEqual(expect.arrayContaining(contacts.slice(0, 2)));
    expect(await found(attribute, 'not_ext')).toContain(contacts[2]);
    expect(await findWrongRows(door)).toEqual([]);
  });

  it('keeps the clicked URLs, each once, in the order of the first clicks', async () => {
    const [email] = (await mail()) as [number];
    const click = (url: string | null, day: number) => ({ emailId: email, kind: 'CLICKED', at: at(day), url });
    await events([
      click('https://a.example/2', 4),
      click('/1', 3),
      click('https://a.example/2', 3),
      click(null, 5),
      click(' ', 5),
    ]);
    await events([{ emailId: email, kind: 'OPENED', at: at(1), url: '' }]);
    expect((await emailOf(email)).clickedUrls).toEqual(['/1', 'https://a.example/2']);
    await events([click('/3', 1), click('/1', 2)]);
    expect(await emailOf(email)).toMatchObject({
      clickedUrls: ['/1', 'https://a.example/2', '/3'],
      clickedAt: at(5),
    });
    expect(await found('emails.clicked_urls', 'eql', { value: 'https://a.example/2' })).toEqual([contacts[0]]);
  });

  it('changes nothing the second time, and never a contact', async () => {
    const made = await mail(3);
    const batch = made.flatMap((emailId, n) => [
      { emailId, kind: 'DELIVERED', at: at(1) },
      { emailId, kind: 'CLICKED', at: at(2 + n), url: `/${n}` },
      { emailId, kind: 'OPENED', at: at(2 + n) },
    ]);
    const marks = await Promise.all(contacts.slice(0, 3).map((id) => markOf(door, id)));
    const versions = () =>
      door
        .sql('select id, xmin::text from emails where id = any(?) order by id', [made])
        .then(async (emails) => [
          emails,
          await door.sql('select contact_id, xmin::text from contact_emails where group_id = 1 order by contact_id'),
        ]);
    expect(await events(batch)).toMatchObject({ changed: 3 });
    const once = await versions();
    expect(await events([...batch].reverse())).toMatchObject({ changed: 0 });
    expect(await versions()).toEqual(once);
    expect(await Promise.all(contacts.slice(0, 3).map((id) => markOf(door, id)))).toEqual(marks);
  });

  it('is all or nothing: every missing e-mail is reported, and so are those of deleted contacts', async () => {
    const [email, orphan] = (await mail(2)) as [number, number];
    await door.sql('update contacts set deleted_at = now() where id = ?', [contacts[1]]);
    const strangers = [foreign.email, orphan, 987_654_321];
    const input = [email, ...strangers].map((emailId) => ({ emailId, kind: 'OPENED', at: at(1) }));
    expect(await fetchRefusal(door, 'recordEmailEvents', { events: input })).toEqual({
      code: 'unprocessable',
      message: `${strangers.length} ids are not in the space, listed in errors`,
      faults: [1, 2, 3].map((index) => `input.events[${index}].emailId is not an e-mail of the space`),
    });
    expect((await emailOf(email)).openedAt).toBeNull();
    await door.sql('update contacts set deleted_at = null where id = ?', [contacts[1]]);
  });

  it('lists every one of thousands of missing e-mails, though not in the message', async () => {
    const input = Array.from({ length: 3000 }, (_, n) => ({ emailId: 987_654_000 + n, kind: 'OPENED', at: at(1) }));
    const { message, faults } = await fetchRefusal(door, 'recordEmailEvents', { events: input });
    expect(faults).toHaveLength(3000);
    expect(message).toBe('3000 ids are not in the space, listed in errors');
  });

  it('is refused with every place', async () => {
    const [emailId] = await mail();
    const one = { emailId, kind: 'CLICKED', at: at(1) };
    const findFaults = async (input: Json[]): Promise<string[]> =>
      (await fetchRefusal(door, 'recordEmailEvents', { events: input })).faults;
    expect(await findFaults([])).toEqual(['input.events must be 1 to 5000 events']);
    expect(await findFaults([one, { ...one, url: 'mailto:a@b.example' }])).toEqual([
      'input.events[1].url must be an http or https address, or a path that begins with /',
    ]);
    expect(
      await findFaults([
        { ...one, kind: 'OPENED', url: '/a' },
        { ...one, url: '/a' },
        { ...one, kind: 'BOUNCED', url: '/b' },
      ]),
    ).toEqual([
      'input.events[0].url goes only with the kind CLICKED',
      'input.events[2].url goes only with the kind CLICKED',
    ]);
    expect((await emailOf(emailId!)).clickedAt).toBeNull();
  });

  it('accepts 5000 events and no more', async () => {
    // Sent past the door: so many do not fit into the body of a request.
    const source =
      'mutation ($input: [EmailEventInput!]!) { recordEmailEvents(input: { events: $input }) { changed } }';
    const record = (count: number) =>
      graphql({
        schema,
        source,
        variableValues: {
          input: Array.from({ length: count }, (_, n) => ({
            emailId: made[n % made.length],
            kind: 'OPENED',
            at: at(1 + (n % 9)),
          })),
        },
        contextValue: { space: door.database.space(1), caller: { roleType: 'manager', userId: 1, scope: 'write' } },
      });
    const made = await mail(1000);
    expect((await record(5001)).errors![0]!.extensions.errors).toMatchObject([
      { location: 'input.events', message: 'must be 1 to 5000 events' },
    ]);
    expect(await record(5000)).toMatchObject({ data: { recordEmailEvents: { changed: 1000 } } });
    expect(await findWrongRows(door)).toEqual([]);
  });

  it('combines all events that arrive concurrently for the same e-mails in any order', async () => {
    const made = await mail(120);
    for (let round = 0; round < 4; round++) {
      const batches = Array.from({ length: 6 }, (_, writer) => {
        const order = writer % 2 ? [...made].reverse() : made;
        return order.flatMap((emailId) => [
          { emailId, kind: 'DELIVERED', at: at(20 - round - writer) },
          { emailId, kind: 'OPENED', at: at(1 + round + writer) },
          { emailId, kind: 'CLICKED', at: at(1 + writer), url: `/${writer}` },
          ...(writer === 3 ? [{ emailId, kind: 'BOUNCED', at: at(1) }] : []),
        ]);
      });
      const answers = await Promise.all([
        ...batches.map((batch) => fetchRefusal(door, 'recordEmailEvents', { events: batch })),
        mail(40),
      ]);
      expect(answers.slice(0, 6).map((answer) => (answer as Json).message)).toEqual(batches.map(() => 'not refused'));
      expect(await findWrongRows(door)).toEqual([]);
    }
    for (const id of [made[0]!, made.at(-1)!]) {
      const email = await emailOf(id);
      expect(email).toMatchObject({ deliveredAt: at(12), openedAt: at(9), clickedAt: at(6), bouncedAt: at(1) });
      expect([...email.clickedUrls].sort()).toEqual(['/0', '/1', '/2', '/3', '/4', '/5']);
    }
  });
});

it('the e-mails of many contacts are read in one statement, in the order of their ids', async () => {
  await mail(80);
  const read = async (first: number): Promise<number> => {
    const statements = await door.statements(async () => {
      const { body } = await door.graphql(
        `{ contacts(first: ${first}) { nodes { emails { nodes { id: databaseId } } } } }`,
      );
      for (const { emails } of body.data.contacts.nodes)
        expect(emails.nodes.map(({ id }: Json) => id)).toEqual(
          emails.nodes.map(({ id }: Json) => id).sort((a: number, b: number) => a - b),
        );
    });
    return statements.filter((sql) => !sql.includes('enter_gate')).length;
  };
  expect(await read(2)).toBe(await read(500));
});
