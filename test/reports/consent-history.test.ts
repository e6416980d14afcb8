// The history of consent: one line for each change of an opt-out or of an answer on consent, with who wrote it, through every way of writing.
import { beforeAll, describe, expect, it } from 'vitest';
import { runRetention } from '../../src/data/upkeep/retention.ts';
import { type Door, type Json, openApp } from '../harness/app.ts';

let door: Door;
let token: string;
let tokenId: number;
let form: { id: number; yes: number; no: number };
let channels: { id: number; mail: number; phone: number };
let survey: number;

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
  [{ id: survey }] = await door.sql(
    `insert into forms (group_id, kind, label, type) values (1, 'survey', 'Asked', 'text') returning id`,
  );
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

const byUpdate = 'mutation ($input: ContactUpdateInput!) { updateContact(input: $input) { contact { id } } }';
const byUpsert = 'mutation ($input: ContactUpsertInput!) { upsertContact(input: $input) { contact { id } } }';
const byImport = 'mutation ($input: ContactsImportInput!) { importContacts(input: $input) { import { id } } }';
const byChange = 'mutation ($input: ContactsChangeInput!) { changeContacts(input: $input) { job { id } } }';
const sourcesOf = async (id: number): Promise<(string | null)[]> => {
  const { contact } = await mutate(`{ contact(id: ${id}) { consentHistory(first: 50) { nodes { source } } } }`);
  return contact.consentHistory.nodes.map(({ source }: Json) => source);
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

  it.each<[what: string, write: (id: number) => Promise<Json>, source: string]>([
    ['an update', (id) => mutate(byUpdate, { input: { id, optedOut: true, consentSource: 'a letter' } }), 'a letter'],
    ['an upsert', (id) => mutate(byUpsert, { input: { id, optedOut: true, consentSource: 'form 12' } }), 'form 12'],
    [
      'a record of a batch',
      (id) => mutate(byImport, { input: { contacts: [{ id, optedOut: true, consentSource: 'row 3' }], name: 'x' } }),
      'row 3',
    ],
    [
      'an import',
      (id) => mutate(byImport, { input: { contacts: [{ id, optedOut: true }], name: 'a list' } }),
      'a list',
    ],
    [
      'a change of many',
      (id) => mutate(byChange, { input: { of: { ids: [id] }, change: { set: { optedOut: true } }, name: 'a march' } }),
      'a march',
    ],
  ])('has the source that %s gives', async (_, write, source) => {
    const id = await create({});
    await write(id);
    await mutate(byUpdate, { input: { id, optedOut: false } });
    expect(await sourcesOf(id)).toEqual([source, null]);
  });

  it('has the source of each record of a batch, the last of those of one contact, and none of a record that is refused', async () => {
    const [one, other] = [await create({}), await create({})];
    const record = (id: number, optedOut: boolean | null, consentSource: string) => ({ id, optedOut, consentSource });
    const unknown = { ...record(other, null, 'c'), answers: [{ formId: form.id, optionId: 999_999 }] };
    await mutate(byImport, {
      input: {
        contacts: [record(one, true, 'a'), record(other, true, 'b'), record(one, true, 'd'), unknown],
        name: 'n',
      },
    });
    expect([await sourcesOf(one), await sourcesOf(other)]).toEqual([['d'], ['b']]);
  });

  it.each([
    ['   ', 'must not be blank'],
    ['x'.repeat(256), 'must be at most 255 characters'],
  ])('refuses the source %.5j', async (consentSource, message) => {
    const id = await create({});
    for (const [text, input] of [
      [byUpdate, { id, consentSource, optedOut: true }],
      [byUpdate, { id, consentSource }],
    ] as const) {
      const { body } = await door.graphql(text, { input }, token);
      expect(body.errors[0].extensions.errors).toEqual([
        { location: 'input.consentSource', message, value: consentSource },
      ]);
    }
    expect(await sourcesOf(id)).toEqual([]);
  });

  it('has no source by an upsert with a blank one, which is as if it was not given', async () => {
    const [one, other] = [await create({}), await create({})];
    await mutate(byUpsert, { input: { id: one, optedOut: true, consentSource: ' ' } });
    await mutate(byImport, { input: { contacts: [{ id: other, optedOut: true, consentSource: '' }], name: 'a list' } });
    expect([await sourcesOf(one), await sourcesOf(other)]).toEqual([[null], ['a list']]);
  });

  it('gets no source over REST, whose bodies have none', async () => {
    const id = await create({});
    await patch(id, { black_list: true, consent_source: 'a letter', consentSource: 'a letter' });
    expect(await sourcesOf(id)).toEqual([null]);
  });

  it('is in the export of a person, whatever was pruned', async () => {
    const id = await create({});
    await mutate(byUpdate, { input: { id, optedOut: true, consentSource: 'a letter' } });
    const days = { deleted: null, imports: 0, audit: 0, changes: 0 };
    await runRetention(door.database, days, {});
    expect(await door.sql(`select 1 from audit_log where group_id = 1 and operation <> 'retention'`)).toEqual([]);
    expect(await door.sql('select 1 from changes where group_id = 1')).toEqual([]);
    const { personExport } = await mutate('query ($id: ID!) { personExport(contactId: $id) }', { id });
    const lines = JSON.parse(personExport).tables.consent_changes;
    expect(lines.map(({ after, source, operation }: Json) => [after, source, operation])).toEqual([
      ['true', 'a letter', 'updateContact'],
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

describe('a search', () => {
  const year = (number: number): string => `${number}-06-01T12:00:00Z`;
  /** Dates the lines of a contact, the oldest first. */
  const date = async (id: number, ...years: number[]): Promise<void> => {
    const lines = await door.sql('select id from consent_changes where contact_id = ? order by id', [id]);
    for (const [index, line] of lines.entries())
      await door.sql('update consent_changes set created_at = ? where id = ?', [year(years[index]!), line.id]);
  };
  const isFound = async (id: number, query: Json): Promise<boolean> => {
    const { searchContacts } = await mutate(
      'query ($query: ContactQuery!) { searchContacts(query: $query) { totalCount nodes { databaseId } } }',
      { query: { and: [{ id: { equals: id } }, query] } },
    );
    expect(searchContacts.totalCount).toBe(searchContacts.nodes.length);
    // The id of a merged contact finds the survivor.
    return searchContacts.nodes.some(({ databaseId }: Json) => databaseId === id);
  };

  it('finds by the latest opt-out, as long as it holds', async () => {
    const id = await create({ black_list: true });
    await patch(id, { black_list: false });
    await patch(id, { black_list: true });
    await date(id, 2001, 2002, 2003);
    const at = (condition: Json) => isFound(id, { optedOutAt: condition });
    expect(await at({ gte: '2003-01-01' })).toBe(true);
    expect(await at({ lte: '2002-01-01' })).toBe(false);
    expect(await at({ between: { from: '2001-01-01', to: '2001-12-31' } })).toBe(false);
    expect(await at({ between: { from: '2001-01-01', to: '2003-06-01' } })).toBe(true);
    expect(await at({ exists: true })).toBe(true);
    await patch(id, { black_list: false });
    expect(await at({ exists: true })).toBe(false);
    expect(await at({ exists: false })).toBe(true);
    expect(await isFound(id, { not: { optedOutAt: { gte: '2000-01-01' } } })).toBe(true);
  });

  it('does not take a change that its transaction took back for an opt-out', async () => {
    const id = await create({ black_list: true });
    await mutate(`mutation { importContacts(input: { contacts: [{ id: ${id}, optedOut: true }] }) { import { id } } }`);
    await date(id, 2001);
    await door.sql(
      `insert into consent_changes (group_id, contact_id, before, after, operation, created_at) values (1, ?, 'true', 'true', 'x', ?)`,
      [id, year(2005)],
    );
    expect(await isFound(id, { optedOutAt: { lte: '2002-01-01' } })).toBe(true);
  });

  it('finds by when the present answer was given, by its option or whichever it is', async () => {
    const id = await create(answer(form.yes));
    await patch(id, answer(form.no));
    await patch(id, answer(form.yes));
    await date(id, 2001, 2002, 2003);
    const at = (condition: Json) => isFound(id, { consentedAt: { form: form.id, ...condition } });
    expect(await at({ options: [form.yes], value: { gte: '2003-01-01' } })).toBe(true);
    expect(await at({ options: [form.yes], value: { lte: '2002-12-31' } })).toBe(false);
    expect(await at({ options: [form.no], value: { gte: '2000-01-01' } })).toBe(false);
    expect(await at({ value: { gte: '2003-01-01' } })).toBe(true);
    await patch(id, { formdatas: [] });
    expect(await at({ value: { exists: true } })).toBe(false);
  });

  it('asks for each of several options', async () => {
    const id = await create({ formdatas: [{ form_id: channels.id, form_ref_id: channels.mail }] });
    await patch(id, {
      formdatas: [channels.mail, channels.phone].map((ref) => ({ form_id: channels.id, form_ref_id: ref })),
    });
    await date(id, 2001, 2005);
    const at = (options: number[], value: Json) => isFound(id, { consentedAt: { form: channels.id, options, value } });
    expect(await at([channels.mail], { lte: '2002-01-01' })).toBe(true);
    expect(await at([channels.phone], { lte: '2002-01-01' })).toBe(false);
    expect(await at([channels.mail, channels.phone], { gte: '2002-01-01' })).toBe(false);
    expect(await at([channels.mail, channels.phone], { gte: '2001-01-01' })).toBe(true);
  });

  it('does not count an answer that a merge dropped, however late it was given, nor a new label', async () => {
    const survivor = await create(answer(form.yes, '2024-01-01T00:00:00Z'));
    const other = await create(answer(form.no, '2020-01-01T00:00:00Z'));
    await date(survivor, 2001);
    await date(other, 2005);
    await mutate(
      'mutation ($survivorId: ID!, $ids: [ID!]!) { mergeContacts(input: { survivorId: $survivorId, ids: $ids }) { contact { id } } }',
      { survivorId: survivor, ids: [other] },
    );
    await door.sql(`update form_refs set value = 'ja' where id = ?`, [form.yes]);
    for (const options of [undefined, [form.yes]])
      expect(
        await isFound(survivor, {
          consentedAt: { form: form.id, value: { between: { from: '2001-01-01', to: '2001-12-31' } }, options },
        }),
      ).toBe(true);
  });

  it('follows an answer to the survivor of a merge, and back when that is undone', async () => {
    const [survivor, other] = [await create({}), await create(answer(form.yes))];
    await date(other, 2005);
    const found = () =>
      Promise.all(
        [survivor, other].map((id) =>
          isFound(id, { consentedAt: { form: form.id, options: [form.yes], value: { lte: '2005-12-31' } } }),
        ),
      );
    const { mergeContacts } = await mutate(
      'mutation ($survivorId: ID!, $ids: [ID!]!) { mergeContacts(input: { survivorId: $survivorId, ids: $ids }) { mergeId } }',
      { survivorId: survivor, ids: [other] },
    );
    expect(await found()).toEqual([true, false]);
    await mutate(`mutation { undoContactMerge(input: { id: "${mergeContacts.mergeId}" }) { left } }`);
    expect(await found()).toEqual([false, true]);
  });

  it('takes the tree of the contract, too', async () => {
    const id = await create({ black_list: true, ...answer(form.yes) });
    const condition = (more: Json) => ({
      $all: [{ $condition: { attr: 'id', ope: 'eql', value: id } }, { $condition: more }],
    });
    const find = async (more: Json) =>
      (
        await rest('POST', '/search', {
          data: { advanced_search: { per_page: 5, query: { $all: [condition(more)] } } },
        })
      ).contacts.length;
    expect(await find({ attr: 'opted_out_at', ope: 'gte', value: 'now-1d' })).toBe(1);
    const consented = { attr: 'consented_at', form_id: form.id, form_ref_ids: [form.yes] };
    expect(await find({ ...consented, ope: 'gte', value: 'now-1d' })).toBe(1);
    expect(await find({ ...consented, ope: 'lte', value: 'now-1d' })).toBe(0);
  });

  it.each<[what: string, condition: () => Json, location: string, message: RegExp]>([
    ['a form of another kind', () => ({ form: survey, value: { exists: true } }), 'form', /whose kind is consent/],
    [
      'an option of another form',
      () => ({ form: form.id, options: [channels.mail], value: { gte: 'now' } }),
      'options[0]',
      /must be a reference value of the form/,
    ],
    [
      'options beside exists',
      () => ({ form: form.id, options: [form.yes], value: { exists: true } }),
      'options',
      /must not be given beside exists/,
    ],
  ])('refuses %s', async (_, condition, location, message) => {
    const { body } = await door.graphql(
      'query ($query: ContactQuery!) { searchContacts(query: $query) { totalCount } }',
      { query: { consentedAt: condition() } },
      token,
    );
    expect(body.errors[0].extensions.errors).toMatchObject([
      { location: `query.consentedAt.${location}`, message: expect.stringMatching(message) },
    ]);
  });
});
