// What messages say of values: what the graph shows, whole where a record is there anew, and all that one transaction did to a part.
import { describe, expect, it } from 'vitest';
import { describeValues, publishedTypes } from '../../src/data/event/published.ts';
import { defineStatement } from '../../src/database/statement.ts';
import type { Json } from '../harness/app.ts';
import { openWebhookDoor } from './webhook-door.ts';

const { door, receiver, run, create, settle } = await openWebhookDoor();

/** The messages about what `work` does, as `event: data`; in the order of the feed. */
const tell = async (work: () => Promise<unknown>): Promise<Json[]> => {
  await settle();
  receiver.received = [];
  await work();
  await settle();
  const place = ({ data }: Json): number => JSON.parse(Buffer.from(data.cursor, 'base64url').toString())[2];
  return receiver.received.splice(0).sort((one, other) => place(one) - place(other));
};
const events = ['CREATED', 'UPDATED', 'DELETED', 'RESTORED'].map((operation) => `CONTACT_${operation}`);
const mutate = async (name: string, input: Json, selection = '__typename'): Promise<Json> => {
  const text = JSON.stringify(input).replace(/"(\w+)":/g, '$1:');
  return (await run(`mutation { ${name}(input: ${text}) { ${selection} } }`))[name];
};
const createForm = async (kind: string, type: string): Promise<{ id: string; options: string[] }> => {
  const { form } = (
    await run(
      `mutation { createForm(input: { kind: ${kind}, type: ${type}, label: "${kind} ${type} ${Math.random()}"${type === 'TEXT' ? '' : ', options: [{ label: "Yes" }, { label: "No" }]'} }) { form { id options { id } } } }`,
    )
  ).createForm;
  return { id: form.id, options: form.options.map(({ id }: Json) => id) };
};

describe('a message', () => {
  it('of a team has what its replacement changed, and not the users and the address that stayed', async () => {
    await create({ events: ['TEAM_UPDATED'], includesValues: true });
    const members = await door.sql('select user_id from members where group_id = 1 order by user_id limit 4');
    const [one, two, three, four] = members.map(({ user_id: id }) => ({ id: `User:${id}` }));
    const content = {
      name: 'Told',
      description: 'a',
      users: [one, two, three],
      leaders: [one],
      address: { city: 'Lyon' },
    };
    const { team } = await mutate('createTeam', content, 'team { id databaseId }');
    const addresses = () =>
      door.sql('select id from team_addresses where group_id = 1 and team_id = ?', [team.databaseId]);
    const [before] = await addresses();
    const replace = (changed: Json): Promise<Json[]> =>
      tell(() => mutate('replaceTeam', { id: team.id, ...content, ...changed }));
    expect((await replace({ description: 'b' })).map(({ data }) => data)).toMatchObject([
      { fields: ['description'], before: { description: 'a' }, after: { description: 'b' } },
    ]);
    expect(await addresses()).toEqual([before]);
    // The third leaves, the second leads, and another comes.
    const [users] = await replace({ description: 'b', users: [one, two, four], leaders: [one, two] });
    expect(users.data.fields).toEqual(['users']);
    const idsIn = (rows: Json[]): string[] => rows.map(({ id }) => id).sort();
    expect(idsIn(users.data.before.users)).toEqual([two!.id, three!.id].sort());
    expect(idsIn(users.data.after.users)).toEqual([two!.id, four!.id].sort());
    const [moved] = await replace({
      description: 'b',
      users: [one, two, four],
      leaders: [one, two],
      address: { city: 'Nice' },
    });
    expect(moved.data).toMatchObject({ fields: ['address'], after: { address: { city: 'Nice' } } });
  });

  it('has all that a transaction did to a part', async () => {
    await create({ events, includesValues: true });
    const [consent, text] = [await createForm('CONSENT', 'RADIO'), await createForm('SURVEY', 'TEXT')];
    const answer = (form: typeof consent, option: number, words?: string) => ({
      formId: form.id,
      optionId: form.options[option],
      ...(words && { text: words }),
    });
    const { contact } = await mutate(
      'createContact',
      { lastName: 'Told', answers: [answer(consent, 0), answer(text, 0, 'before')] },
      'contact { id }',
    );
    const [message] = await tell(() =>
      mutate('updateContact', { id: contact.id, answers: [answer(consent, 1), answer(text, 0, 'after')] }),
    );
    const row = (form: typeof consent, option: number, words: string | null) => ({
      id: expect.stringMatching(/^Answer:\d+$/),
      formId: form.id,
      optionId: form.options[option],
      text: words,
      answeredAt: null,
      surveyId: null,
    });
    expect(message.data).toMatchObject({
      version: 2,
      fields: ['answers'],
      before: { answers: [row(consent, 0, null), row(text, 0, 'before')] },
      after: { answers: [row(text, 0, 'after'), row(consent, 1, null)] },
    });
  });

  it('about a transaction that was under way when the webhook was made has none, and not those of a part', async () => {
    const { contact } = await mutate('createContact', { email: 'before@example.org' }, 'contact { id }');
    const id = contact.id.split(':')[1];
    const [message] = await tell(() =>
      door.database.space(1).transaction(async (tx) => {
        const mail = `update contacts set mail = 'after@example.org' where group_id = :group and id = :id`;
        await tx.rows(defineStatement(null, mail), { id });
        await create({ events, includesValues: true });
        const city = `insert into addresses (group_id, contact_id, city) values (:group, :id, 'Albi')`;
        await tx.rows(defineStatement(null, city), { id });
      }),
    );
    expect(message.data).toMatchObject({ fields: ['address', 'email'], before: null, after: null });
  });

  it('about a restored contact has all its parts, and one about a cleared field null', async () => {
    await create({ events, includesValues: true });
    const { contact } = await mutate(
      'createContact',
      {
        lastName: 'Back',
        email: 'back@x.org',
        address: { city: 'Albi', invalidReason: 'npai' },
        tags: [{ name: 'back' }],
      },
      'contact { id }',
    );
    const [, restored] = await tell(async () => {
      await mutate('deleteContact', { id: contact.id });
      await mutate('restoreContact', { id: contact.id });
    });
    const parts = {
      address: { city: 'Albi', invalid: true, invalidReason: 'npai', latitude: null },
      tags: [{ id: expect.stringMatching(/^Tag:/), name: 'back' }],
      actions: [],
      answers: [],
    };
    expect(restored.data).toMatchObject({ before: null, after: { lastName: 'Back', email: 'back@x.org', ...parts } });
    const [cleared] = await tell(() =>
      run(
        `mutation { updateContact(input: { id: "${contact.id}", address: null, email: null, tags: [] }) { __typename } }`,
      ),
    );
    expect(cleared.data).toMatchObject({
      fields: ['address', 'email', 'tags'],
      before: { email: 'back@x.org', address: parts.address, tags: parts.tags },
    });
    expect(cleared.data.after).toEqual({ address: null, email: null, tags: [] });
  });

  it('about the survivor of a merge names what it had, and what it took over', async () => {
    await create({ events, includesValues: true });
    const [consent, text] = [await createForm('CONSENT', 'RADIO'), await createForm('SURVEY', 'TEXT')];
    const person = async (answers: Json[], tag: string): Promise<string> =>
      (await mutate('createContact', { lastName: 'Same', answers, tags: [{ name: tag }] }, 'contact { id }')).contact
        .id;
    const own = { formId: consent.id, optionId: consent.options[0], answeredAt: '2026-01-01T00:00:00Z' };
    const later = { formId: consent.id, optionId: consent.options[1], answeredAt: '2026-02-01T00:00:00.5Z' };
    const survivor = await person([own], 'kept');
    const other = await person([later, { formId: text.id, optionId: text.options[0], text: 'more' }], 'taken');
    let mergeId: string;
    const messages = await tell(async () => {
      ({ mergeId } = await mutate('mergeContacts', { survivorId: survivor, ids: [other] }, 'mergeId'));
    });
    const [told] = messages.filter(({ data }) => data.id === survivor);
    expect(told.data).toMatchObject({
      fields: ['answers', 'tags'],
      before: { tags: [], answers: [own] },
      after: { tags: [{ name: 'taken' }], answers: [later, { text: 'more' }] },
    });
    expect(messages.filter(({ data }) => data.id === other).map(({ type }) => type)).toEqual(['contact.deleted']);
    const undone = await tell(() => mutate('undoContactMerge', { id: mergeId }));
    const [back, ...others] = [survivor, other].flatMap((id) => undone.filter(({ data }) => data.id === id));
    expect(back.data).toMatchObject({
      fields: ['answers', 'tags'],
      before: { tags: [{ name: 'taken' }], answers: [later, { text: 'more' }] },
      after: { tags: [], answers: [own] },
    });
    expect(others).toMatchObject([{ type: 'contact.restored', data: { after: { tags: [{ name: 'taken' }] } } }]);
    expect(others[0].data.after.answers).toHaveLength(2);
  });

  it('about a change from before this version is sent as it was then', async () => {
    await create({ events, includesValues: true });
    const { contact } = await mutate('createContact', { lastName: 'Old' }, 'contact { id databaseId }');
    const values = (city: string) => JSON.stringify({ address: [{ city, citycode: null }], user_contact_id: 3 });
    const [message] = await tell(() =>
      // As triggers wrote it: in the outbox, while Muster was upgraded.
      door.sql(
        `insert into change_queue (group_id, type, record_id, contact_id, operation, fields, before, after, version)
         values (1, 'Contact', ?, ?, 'updated', '{address,user_contact_id}', ?, ?, 1)`,
        [contact.databaseId, contact.databaseId, values('Agen'), values('Albi')],
      ),
    );
    expect(message.data).toMatchObject({
      version: 1,
      fields: ['address', 'accountId'],
      before: { address: { city: 'Agen', cityCode: null }, accountId: 3 },
      after: { address: { city: 'Albi', cityCode: null }, accountId: 3 },
    });
  });
});

describe('values', () => {
  const reader = { types: publishedTypes, writeQuery: (query: unknown) => query };
  const show = (type: string, after: Json, by: Json = reader): Json =>
    describeValues({ type, operation: 'updated', before: null, after }, by).after;

  it.each<[type: string, stored: Json, shown: Json]>([
    [
      'Note',
      { user_id: 7, content: '2026-01-01T00:00:00+00:00' },
      { authorId: 'User:7', content: '2026-01-01T00:00:00+00:00' },
    ],
    ['Note', { user_id: 999_999_999 }, { authorId: 'User:999999999' }],
    ['Note', { user_id: 1_000_000_000 }, { authorId: 'App:1000000000' }],
    ['Segment', { author_id: 1_999_999_999 }, { authorId: 'App:1999999999' }],
    ['Email', { user_id: 2_000_000_000 }, { sentById: 'User:2000000000' }],
    [
      'Interaction',
      { files: [{ id: 1, owner_id: 1_000_000_001 }] },
      { files: [{ id: 'File:1', addedById: 'App:1000000001' }] },
    ],
    ['Donation', { amount: 500, currency: 'CHF' }, { amount: { amount: 500, currency: 'CHF' } }],
    ['Donation', { transaction_date: '2026-01-01T10:00:00.25+00:00' }, { transactionDate: '2026-01-01T10:00:00.25Z' }],
    ['Sanction', { end_date: '2026-01-01T01:30:00.123456+02:00' }, { endDate: '2025-12-31T23:30:00.123456Z' }],
    ['Membership', { start_date: '2026-01-01', end_date: null }, { startDate: '2026-01-01', endDate: null }],
    ['Email', { clicked_urls: null, user_id: null }, { clickedUrls: [], sentById: null }],
    ['Role', { type: 'superadmin' }, { type: 'SUPERADMIN' }],
    [
      'Form',
      { kind: 'custom_fields', options: [{ id: 3, label: 'Yes', value: null, position: 0 }] },
      { kind: 'CUSTOM_FIELDS', options: [{ id: 'FormOption:3', label: 'Yes', value: null, position: 0 }] },
    ],
    [
      'Team',
      { address: [{ id: 1, latitude: '43.5', longitude: null, invalid: false, infos: 'x' }] },
      { address: { latitude: 43.5, longitude: null, invalid: false, details: 'x' } },
    ],
    [
      'Team',
      { users: [{ id: 2, leader: true, position: 0 }] },
      { users: [{ id: 'User:2', leader: true, position: 0 }] },
    ],
    ['Import', { counts: [{ id: 1, created: 2 }] }, { counts: [{ firstRow: 1, created: 2 }] }],
    ['Contact', { merged_into: null, deleted_at: null, firstname: 'Ada' }, { firstName: 'Ada' }],
  ])('of %s %j are shown', (type, stored, shown) => {
    expect(show(type, stored)).toEqual(shown);
  });

  it('have no ids of records that the reader may not read, in parts neither', () => {
    const by = { ...reader, types: ['Interaction', 'Email', 'Contact'] };
    const file = { id: 1, owner_id: 3, name: 'f' };
    expect(show('Interaction', { user_id: 3, contact_id: 4, files: [file] }, by)).toEqual({
      contactId: 'Contact:4',
      files: [{ id: 'File:1', name: 'f' }],
    });
    expect(show('Email', { campaign_id: 3 }, by)).toEqual({});
  });

  it('are instants where columns are', async () => {
    const rows = await door.sql(`
      select c.relname || '.' || a.attname as column, format_type(a.atttypid, null) as type
        from pg_trigger t join pg_class c on c.oid = t.tgrelid join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
       where t.tgname like '%\\_insert\\_published' and format_type(a.atttypid, null) in ('timestamp with time zone', 'text') and a.attname <> all (unpublished_columns())`);
    const text = '2026-01-01T00:00:00+00:00';
    const wrong = rows.filter(({ column, type }) => {
      const name = column.split('.')[1];
      const [value] = Object.values(show('Tag', { [name]: text }));
      return value !== undefined && (value !== text) !== (type !== 'text');
    });
    expect(wrong).toEqual([]);
  });
});
