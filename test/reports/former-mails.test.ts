// A mail that an upsert or a merge replaces is kept: the contact is found, matched and exported by it, and it goes with the person.
import { beforeAll, describe, expect, it } from 'vitest';
import { type Door, type Json, openApp } from '../harness/app.ts';

let door: Door;
beforeAll(async () => {
  door = await openApp();
});

let count = 0;
const newMail = (): string => `former-${++count}@example.org`;
const newName = (): string => `Former${++count}`;
const upsert = async (data: Json): Promise<number> =>
  (await door.rest('POST', '/contacts/upsert', { kind: 'contact', data })).body.data.contact.id;
const search = async (ope: string, value: string): Promise<number[]> => {
  const query = { $all: [{ $at_least_one: [{ $condition: { attr: 'mail', ope, value } }] }] };
  const { body } = await door.rest('POST', '/search', { data: { advanced_search: { query, per_page: 100 } } });
  return body.data.contacts.map(({ id }: Json) => id);
};
const readMails = async (id: number): Promise<Json> =>
  (await door.graphql('query ($id: ID!) { contact(id: $id) { email formerEmails } }', { id })).body.data.contact;

describe('the mail that an upsert replaces', () => {
  it('is kept, and the contact is found by both', async () => {
    const [surname, first, second] = [newName(), newMail(), newMail()];
    const id = await upsert({ surname, mail: first });
    expect(await upsert({ surname, mail: second })).toBe(id);
    expect(await readMails(id)).toEqual({ email: second, formerEmails: [first] });
    for (const mail of [first, first.toUpperCase(), second]) {
      expect(await search('eql', mail)).toEqual([id]);
      expect(await search('start_with', mail.slice(0, -4))).toEqual([id]);
      expect(await search('not_eql', mail)).not.toContain(id);
      expect(await upsert({ mail })).toBe(id);
    }
    expect(await search('eql:strictdata', first)).toEqual([]);
    const by = 'query ($email: String!) { contactBy(by: { email: $email }) { databaseId } }';
    expect((await door.graphql(by, { email: first })).body.data.contactBy.databaseId).toBe(id);
  });

  it('is none any more once the contact has it again', async () => {
    const [surname, first, second] = [newName(), newMail(), newMail()];
    const id = await upsert({ surname, mail: first });
    for (const mail of [second, first]) await upsert({ surname, mail });
    expect(await readMails(id)).toEqual({ email: first, formerEmails: [second] });
  });

  it('is kept once for a whole batch of records of one person', async () => {
    const lastName = newName();
    const mails = [newMail(), newMail(), newMail()];
    const text = `mutation ($contacts: [ContactUpsertInput!]!) {
      upsertContacts(input: { contacts: $contacts }) { results { contact { databaseId formerEmails } } } }`;
    const contacts = mails.map((email) => ({ lastName, email }));
    const { results } = (await door.graphql(text, { contacts })).body.data.upsertContacts;
    expect(new Set(results.map(({ contact }: Json) => contact.databaseId)).size).toBe(1);
    expect([...results[2].contact.formerEmails].sort()).toEqual(mails.slice(0, 2));
  });

  it('leads to the contact that has it now first', async () => {
    const [surname, first, second] = [newName(), newMail(), newMail()];
    const id = await upsert({ surname, mail: first });
    await upsert({ surname, mail: second });
    const { body } = await door.rest('POST', '/contacts', { data: { contact: { surname: newName(), mail: first } } });
    expect(await upsert({ mail: first, phone: '1' })).toBe(body.data.contact.id);
    expect(await search('eql', first)).toEqual([id, body.data.contact.id]);
  });

  it('is not kept when a user changes it', async () => {
    const [surname, first, second] = [newName(), newMail(), newMail()];
    const id = await upsert({ surname, mail: first });
    await door.rest('PATCH', `/contacts/${id}`, { data: { contact: { mail: second } } });
    expect(await readMails(id)).toEqual({ email: second, formerEmails: [] });
  });
});

it('the mails of merged contacts, and what they had before, lead to the survivor', async () => {
  const [one, other, older] = [newMail(), newMail(), newMail()];
  const surname = newName();
  const survivor = await upsert({ surname: newName(), mail: one });
  const merged = await upsert({ surname, mail: older });
  await upsert({ surname, mail: other });
  const merge = `mutation ($survivorId: ID!, $ids: [ID!]!) { mergeContacts(input: { survivorId: $survivorId, ids: $ids }) { contact { email } } }`;
  await door.graphql(merge, { survivorId: survivor, ids: [merged] });
  for (const mail of [one, other, older])
    expect([await search('eql', mail), await upsert({ mail })]).toEqual([[survivor], survivor]);
});

it('former mails of another space are not found', async () => {
  const [surname, first] = [newName(), newMail()];
  await upsert({ surname, mail: first });
  await upsert({ surname, mail: newMail() });
  const [{ user_id }] = await door.sql('select user_id from members where group_id = 2 limit 1');
  const by = 'query ($email: String!) { contactBy(by: { email: $email }) { databaseId } }';
  expect((await door.graphql(by, { email: first }, await door.token(2, user_id))).body.data.contactBy).toBeNull();
});
