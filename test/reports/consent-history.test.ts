// The history of consent: one line for each change of an opt-out or of an answer on consent, with who wrote it, through every way of writing.
import { beforeAll, describe, expect, it } from 'vitest';
import { type Door, type Json, openApp } from '../harness/app.ts';

let door: Door;
let token: string;
let tokenId: number;
let form: { id: number; yes: number; no: number };
let channels: { id: number; mail: number; phone: number };

const createForm = async (label: string, type: string, values: string[]): Promise<{ id: number; refs: number[] }> => {
  const [{ id }] = await door.sql(
    `insert into forms (group_id, kind, label, type) values (1, 'consent', ?, ?) returning id`,
    [label, type],
  );
  const refs = await door.sql(
    `insert into form_refs (group_id, form_id, label, value) select 1, ?, v, v from unnest(cast(? as text[])) v returning id`,
    [id, values],
  );
  return { id, refs: refs.map((ref: Json) => ref.id) };
};

beforeAll(async () => {
  door = await openApp();
  token = await door.token(1, 1);
  [{ id: tokenId }] = await door.sql('select min(id) as id from tokens where group_id = 1 and user_id = 1');
  const radio = await createForm('May we write', 'radio', ['yes', 'no']);
  form = { id: radio.id, yes: radio.refs[0]!, no: radio.refs[1]! };
  const checkbox = await createForm('By', 'checkbox', ['mail', 'phone']);
  channels = { id: checkbox.id, mail: checkbox.refs[0]!, phone: checkbox.refs[1]! };
});

const rest = async (method: string, path: string, body?: Json): Promise<Json> => {
  const answer = await door.rest(method, path, body, token);
  expect([answer.status < 300, answer.body.errors]).toEqual([true, undefined]);
  return answer.body.data;
};
const create = async (contact: Json): Promise<number> =>
  (await rest('POST', '/contacts', { data: { contact: { surname: 'H', ...contact } } })).contact.id;
const patch = (id: number, contact: Json) => rest('PATCH', `/contacts/${id}`, { data: { contact } });
const mutate = async (text: string, variables: Json = {}): Promise<Json> => {
  const { body } = await door.graphql(text, variables, token);
  expect(body.errors).toBeUndefined();
  return body.data;
};
const answer = (ref: number, date?: string): Json => ({
  formdatas: [{ form_id: form.id, form_ref_id: ref, ...(date && { date }) }],
});
/** The history of a contact, the oldest first: `form before → after (operation)`. */
const historyOf = async (id: number): Promise<string[]> => {
  const { contact } = await mutate(
    `{ contact(id: ${id}) { consentHistory(first: 50) { nodes { form { label } before after operation author { databaseId } tokenId importId createdAt } } } }`,
  );
  return contact.consentHistory.nodes.map(
    ({ form: of, before, after, operation, author, importId, tokenId: by }: Json) => {
      expect([author.databaseId, by]).toEqual([1, importId ? null : tokenId]);
      return `${of?.label ?? 'opt-out'} ${before} → ${after} (${operation}${importId ? ', import' : ''})`;
    },
  );
};

describe('the history of consent', () => {
  it('has the changes of an opt-out, and no line for a write that changes none', async () => {
    const id = await create({});
    await patch(id, { black_list: true });
    await patch(id, { black_list: true, firstname: 'Ada' });
    await mutate(`mutation { updateContact(input: { id: ${id}, optedOut: false }) { contact { id } } }`);
    const other = await create({ black_list: true });
    expect(await historyOf(id)).toEqual([
      'opt-out false → true (updateContact)',
      'opt-out true → false (updateContact)',
    ]);
    expect(await historyOf(other)).toEqual(['opt-out null → true (createContact)']);
  });

  it('has one line for an answer that replaces another, and one for an answer that is withdrawn', async () => {
    const id = await create(answer(form.yes));
    await patch(id, answer(form.no));
    await patch(id, answer(form.no));
    await patch(id, { formdatas: [] });
    expect(await historyOf(id)).toEqual([
      'May we write null → yes (createContact)',
      'May we write yes → no (updateContact)',
      'May we write no → null (updateContact)',
    ]);
  });

  it('has a line for each option of a form that takes several', async () => {
    const id = await create({
      formdatas: [channels.mail, channels.phone].map((ref) => ({ form_id: channels.id, form_ref_id: ref })),
    });
    await patch(id, { formdatas: [{ form_id: channels.id, form_ref_id: channels.phone }] });
    expect(await historyOf(id)).toEqual([
      'By null → mail (createContact)',
      'By null → phone (createContact)',
      'By mail → null (updateContact)',
    ]);
  });

  it('has no answers to other forms', async () => {
    const [{ id: survey }] = await door.sql(
      `with f as (insert into forms (group_id, kind, label, type) values (1, 'survey', 'Not on consent', 'radio') returning id)
       insert into form_refs (group_id, form_id, label, value) select 1, id, 'a', 'a' from f returning form_id as id`,
    );
    const [{ id: ref }] = await door.sql('select id from form_refs where form_id = ?', [survey]);
    expect(await historyOf(await create({ formdatas: [{ form_id: survey, form_ref_id: ref }] }))).toEqual([]);
  });

  it('names the upsert and the import that wrote a line', async () => {
    const mail = 'history@example.org';
    const id = await create({ mail });
    await rest('POST', '/contacts/upsert', {
      kind: 'contact',
      data: { mail, consents: [{ label: 'May we write', value: 'yes' }] },
    });
    const text = `mutation ($contacts: [ContactUpsertInput!]!) { importContacts(input: { contacts: $contacts }) { import { id } } }`;
    const contacts = [{ email: mail, optedOut: true, consents: [{ label: 'May we write', value: 'no' }] }];
    const { importContacts } = await mutate(text, { contacts });
    expect(await historyOf(id)).toEqual([
      'May we write null → yes (upsertContact)',
      'opt-out false → true (importContacts, import)',
      'May we write yes → no (importContacts, import)',
    ]);
    await mutate('mutation ($id: ID!) { undoImport(input: { id: $id }) { restored } }', {
      id: importContacts.import.id,
    });
    expect((await historyOf(id)).slice(3).sort()).toEqual([
      'May we write no → yes (undoImport, import)',
      'opt-out true → false (undoImport, import)',
    ]);
  });

  it('of merged contacts is that of the survivor, to whom no answer is withdrawn that they never gave', async () => {
    const survivor = await create(answer(form.yes, '2024-01-01T00:00:00Z'));
    const other = await create({ black_list: true, ...answer(form.no, '2020-01-01T00:00:00Z') });
    const later = await create(answer(form.no, '2025-01-01T00:00:00Z'));
    const merge =
      'mutation ($survivorId: ID!, $ids: [ID!]!) { mergeContacts(input: { survivorId: $survivorId, ids: $ids }) { contact { id } } }';
    await mutate(merge, { survivorId: survivor, ids: [other] });
    const first = await historyOf(survivor);
    expect(first.toSorted()).toEqual([
      'May we write null → no (createContact)',
      'May we write null → yes (createContact)',
      'opt-out false → true (mergeContacts)',
      'opt-out null → true (createContact)',
    ]);
    await mutate(merge, { survivorId: survivor, ids: [later] });
    expect((await historyOf(survivor)).filter((line) => !first.includes(line))).toEqual([
      'May we write yes → no (mergeContacts)',
    ]);
  });

  it('goes with a contact that is erased, and survives a deletion', async () => {
    const id = await create({ black_list: true });
    await rest('DELETE', `/contacts/${id}`);
    const count = async () =>
      (await door.sql('select count(*)::int as count from consent_changes where contact_id = ?', [id]))[0].count;
    expect(await count()).toBe(1);
    await mutate(`mutation { erasePerson(input: { contactId: ${id} }) { deletedId } }`);
    expect(await count()).toBe(0);
  });

  it('is complete: no line is left without its operation', async () => {
    expect(await door.sql('select contact_id, before, after from consent_changes where operation is null')).toEqual([]);
  });
});
