// An opt-out wins over upserts, imports, deletions and older files; a user's own change lifts it.
import { beforeAll, describe, expect, it } from 'vitest';
import { type Door, type Json, openApp } from '../harness/app.ts';

let door: Door;
let consent: { id: number; refs: number[] };
beforeAll(async () => {
  door = await openApp();
  const [form] = await door.sql(
    `insert into forms (group_id, kind, label, type) values (1, 'consent', 'May we write', 'radio') returning id`,
  );
  const refs = await door.sql(
    `insert into form_refs (group_id, form_id, label, value) select 1, ?, v, v from unnest(array['yes', 'no']) v returning id`,
    [form.id],
  );
  consent = { id: form.id, refs: refs.map(({ id }: Json) => id) };
});

let count = 0;
const newMail = (): string => `opt-out-${++count}@example.org`;
const newPhone = (): string => `061234${String(1000 + ++count)}`;
const create = async (contact: Json): Promise<number> =>
  (await door.rest('POST', '/contacts', { data: { contact } })).body.data.contact.id;
const upsert = async (data: Json): Promise<Json> =>
  (await door.rest('POST', '/contacts/upsert', { kind: 'contact', data })).body.data;
const isOptedOut = async (id: number): Promise<boolean> =>
  (await door.rest('GET', `/contacts/${id}`)).body.data.contact.black_list;
const remove = (id: number) => door.rest('DELETE', `/contacts/${id}`);

describe('an upsert', () => {
  it.each([false, null])('with black_list %s lifts no opt-out, and says so', async (black_list) => {
    const mail = newMail();
    const id = await create({ mail, black_list: true });
    expect(await upsert({ mail, black_list, phone: '0561' })).toEqual({
      contact: { id },
      outcome: 'updated',
      not_followed: ['black_list'],
    });
    const { contact } = (await door.rest('GET', `/contacts/${id}`)).body.data;
    expect(contact).toMatchObject({ black_list: true, phone: '0561' });
  });

  it('sets one, and then has nothing that is not followed', async () => {
    const mail = newMail();
    const id = await create({ mail });
    expect(await upsert({ mail, black_list: true })).toEqual({ contact: { id }, outcome: 'updated' });
    expect(await isOptedOut(id)).toBe(true);
  });

  it('of several records in one batch follows the one that opts out, in either order', async () => {
    const text = `mutation ($contacts: [ContactUpsertInput!]!) {
      upsertContacts(input: { contacts: $contacts }) { results { notFollowed contact { optedOut } } } }`;
    for (const order of [
      [true, false],
      [false, true],
    ]) {
      const email = newMail();
      const contacts = order.map((optedOut) => ({ email, optedOut }));
      const { results } = (await door.graphql(text, { contacts })).body.data.upsertContacts;
      expect(results.map(({ contact }: Json) => contact.optedOut)).toEqual([true, true]);
      expect(results.map(({ notFollowed }: Json) => notFollowed)).toEqual([[], order[1] ? [] : ['OPTED_OUT']]);
    }
  });

  const [early, late] = ['2020-05-01T00:00:00Z', '2025-05-01T00:00:00Z'];
  it.each([
    ['an earlier answer on consent is not followed', late, early, 'no', ['consents']],
    ['a later answer on consent is', early, late, 'yes', undefined],
    ['an answer of the same time is', early, early, 'yes', undefined],
    ['an answer without a date is', early, undefined, 'yes', undefined],
  ])('%s', async (_, stored, sent, kept, notFollowed) => {
    const mail = newMail();
    await create({ mail, formdatas: [{ form_id: consent.id, form_ref_id: consent.refs[1], date: stored }] });
    const answer = { id: consent.id, value: 'yes', ...(sent && { date: sent }) };
    const { not_followed, contact } = await upsert({ mail, consents: [answer] });
    expect(not_followed).toEqual(notFollowed);
    const [row] = await door.sql(
      `select r.value from answers a join form_refs r on r.group_id = 1 and r.id = a.form_ref_id where a.group_id = 1 and a.contact_id = ?`,
      [contact.id],
    );
    expect(row).toEqual({ value: kept });
  });
});

it.each<[string, string, string, string[] | undefined]>([
  ['a refusal without a date', 'no', '2020-05-01T00:00:00Z', ['consents']],
  ['a refusal without a date', 'no', '2100-05-01T00:00:00Z', undefined],
  ['a consent without a date', 'yes', '2020-05-01T00:00:00Z', undefined],
])('%s, of %s, and an upsert of the other answer with the date %s: %j is not followed', async (_, said, date, notFollowed) => {
  const mail = newMail();
  const ref = consent.refs[said === 'no' ? 1 : 0];
  const id = await create({
    mail,
    formdatas: [
      { form_id: consent.id, form_ref_id: consent.refs[said === 'no' ? 0 : 1], date: '2025-01-01T00:00:00Z' },
    ],
  });
  await door.rest('PATCH', `/contacts/${id}`, { formdatas: [{ form_id: consent.id, form_ref_id: ref }] });
  const answer = { id: consent.id, value: said === 'no' ? 'yes' : 'no', date };
  expect((await upsert({ mail, consents: [answer] })).not_followed).toEqual(notFollowed);
});

describe('whoever opted out and was deleted', () => {
  it.each<[string, () => Json, (contact: Json) => Json]>([
    ['by their mail', () => ({ mail: newMail() }), ({ mail }) => ({ mail: mail.toUpperCase() })],
    ['by their mobile', () => ({ mobile: newPhone() }), ({ mobile }) => ({ mobile: `+33 ${mobile.slice(1)}` })],
    ['by a mobile that was their phone', () => ({ phone: newPhone() }), ({ phone }) => ({ mobile: phone })],
  ])('is known again %s, whoever creates the contact', async (_, draw, change) => {
    const contact = draw();
    await remove(await create({ surname: 'Known', ...contact, black_list: true }));
    const again = { surname: 'Again', ...change(contact), black_list: false };
    expect(await isOptedOut(await create(again))).toBe(true);
    expect(await isOptedOut((await upsert({ ...again, surname: 'Other' })).contact.id)).toBe(true);
  });

  it('is known again after an erasure of the living contact', async () => {
    const mail = newMail();
    const id = await create({ mail, black_list: true });
    await door.sql('delete from contact_search where group_id = 1 and contact_id = ?', [id]);
    await door.sql('delete from contacts where group_id = 1 and id = ?', [id]);
    expect(await isOptedOut(await create({ mail }))).toBe(true);
  });

  it('is not known in another space, nor by a number of few digits', async () => {
    const mail = newMail();
    await remove(await create({ mail, phone: '12345', black_list: true }));
    expect(await isOptedOut(await create({ phone: '12345' }))).toBe(false);
    const [{ user_id }] = await door.sql(
      'select user_id from members m join roles r on r.group_id = m.group_id and r.id = m.role_id where m.group_id = 2 order by r.type limit 1',
    );
    const other = await door.token(2, user_id);
    const { body } = await door.rest('POST', '/contacts', { data: { contact: { mail } } }, other);
    expect(body.data?.contact.black_list ?? false).toBe(false);
  });

  it('is known again when an older contact with the same mail is restored', async () => {
    const mail = newMail();
    const older = await create({ mail });
    await remove(older);
    await remove(await create({ mail: mail.toUpperCase(), black_list: true }));
    const restore = `mutation { restoreContact(input: { id: "Contact:${older}" }) { contact { optedOut } } }`;
    expect((await door.graphql(restore)).body.data.restoreContact.contact).toEqual({ optedOut: true });
    const { body } = await door.graphql(
      `{ contact(id: "Contact:${older}") { optedOut consentHistory(first: 9) { nodes { after operation } } } }`,
    );
    expect(body.data.contact).toEqual({
      optedOut: true,
      consentHistory: { nodes: [{ after: 'true', operation: 'restoreContact' }] },
    });
  });

  it('stays known when an opt-out of somebody with the same mail is undone', async () => {
    const run = async (text: string): Promise<Json> => {
      const { body } = await door.graphql(text);
      expect(body.errors).toBeUndefined();
      return Object.values(body.data)[0];
    };
    const mail = newMail();
    const [twin, gone, other] = [
      await create({ mail, surname: 'Twin' }),
      await create({ mail, surname: 'Gone', black_list: true }),
      await create({ surname: 'Other', black_list: true }),
    ];
    await remove(gone);
    const row = `{ id: ${twin}, optedOut: true }`;
    const made = await run(`mutation { importContacts(input: { contacts: [${row}] }) { import { id } } }`);
    expect(await isOptedOut(twin)).toBe(true);
    await run(`mutation { undoImport(input: { id: "${made.import.id}" }) { restored } }`);
    const { mergeId } = await run(
      `mutation { mergeContacts(input: { survivorId: ${twin}, ids: [${other}] }) { mergeId } }`,
    );
    expect(await isOptedOut(twin)).toBe(true);
    await run(`mutation { undoContactMerge(input: { id: "${mergeId}" }) { left } }`);
    expect(await isOptedOut(twin)).toBe(false);
    expect(await isOptedOut(await create({ mail }))).toBe(true);
  });

  it('is free again once a user lifts it', async () => {
    const mail = newMail();
    await remove(await create({ mail, black_list: true }));
    const id = await create({ mail });
    await door.rest('PATCH', `/contacts/${id}`, { data: { contact: { black_list: false } } });
    expect(await isOptedOut(id)).toBe(false);
    await remove(id);
    expect(await isOptedOut(await create({ mail }))).toBe(false);
  });
});
