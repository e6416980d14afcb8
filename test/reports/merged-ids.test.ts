// The id and the external id of a merged contact lead to its survivor, in every read and write but a deletion.
import { beforeAll, describe, expect, it } from 'vitest';
import { type Door, type Json, openApp } from '../harness/app.ts';

let door: Door;
const ids = { survivor: 0, merged: 0 };
const externalIds = { survivor: 'kept', merged: 'merged' };

const create = async (contact: Json): Promise<number> =>
  (await door.rest('POST', '/contacts', { data: { contact } })).body.data.contact.id;

beforeAll(async () => {
  door = await openApp();
  ids.survivor = await create({ surname: 'Kept', external_id: externalIds.survivor });
  ids.merged = await create({ surname: 'Merged', external_id: externalIds.merged });
  const merge = `mutation ($survivorId: ID!, $ids: [ID!]!) { mergeContacts(input: { survivorId: $survivorId, ids: $ids }) { contact { id } } }`;
  await door.graphql(merge, { survivorId: ids.survivor, ids: [ids.merged] });
});

describe('over REST', () => {
  it.each<[string, string, (id: number) => string, Json, (body: Json) => number]>([
    [
      'PATCH',
      'a contact',
      (id) => `/contacts/${id}`,
      { data: { contact: { phone: '1' } } },
      (body) => body.data.contact.id,
    ],
    ['PATCH', 'a bare contact', (id) => `/v1/contacts/${id}`, { phone: '2' }, (body) => body.data.contact.id],
    [
      'POST',
      'a note',
      (id) => `/v1/contacts/${id}/notes`,
      { content: 'hello', pinned: false },
      (body) => body.contact_id,
    ],
    ['GET', 'a contact', (id) => `/contacts/${id}`, undefined, (body) => body.data.contact.id],
  ])('%s of %s', async (method, _, path, sent, idIn) => {
    const { status, body } = await door.rest(method, path(ids.merged), sent);
    expect([status < 300, idIn(body)]).toEqual([true, ids.survivor]);
  });

  it('DELETE does not delete the survivor', async () => {
    expect((await door.rest('DELETE', `/contacts/${ids.merged}`)).status).toBe(404);
    expect((await door.rest('GET', `/contacts/${ids.survivor}`)).status).toBe(200);
  });

  it.each([
    ['id', ids],
    ['external_id', externalIds],
  ] as const)('a search by %s', async (attr, known) => {
    const search = async (ope: string, value: Json) => {
      const query = { $all: [{ $all: [{ $condition: { attr, ope, value } }] }] };
      const sent = { data: { advanced_search: { per_page: 1000, query } } };
      return (await door.rest('POST', '/search', sent)).body.data.contacts.map(({ id }: Json) => id);
    };
    for (const which of ['survivor', 'merged'] as const) {
      expect(await search('eql', known[which])).toEqual([ids.survivor]);
      expect(await search('any_of', ['987654321', known[which]])).toEqual([ids.survivor]);
      expect(await search('not_eql', known[which])).not.toContain(ids.survivor);
    }
  });

  it('an id that never was stays missing', async () => {
    expect((await door.rest('PATCH', '/contacts/987654321', { data: { contact: { phone: '1' } } })).status).toBe(404);
  });
});

describe('in the graph', () => {
  const contact = '{ contact { databaseId } }';
  it.each<[string, string]>([
    ['createNote', `createNote(input: { contactId: $id, content: "x" }) { note ${contact} }`],
    ['createInteraction', `createInteraction(input: { contactId: $id, type: "call" }) { interaction ${contact} }`],
    [
      'createDonation',
      `createDonation(input: { contactId: $id, amount: 5, transactionDate: "2026-01-01T00:00:00Z" }) { donation ${contact} }`,
    ],
    ['createSanction', `createSanction(input: { contactId: $id }) { sanction ${contact} }`],
    [
      'createPayment',
      `createPayment(input: { contactId: $id, amount: 5, date: "2026-01-01T00:00:00Z", donations: [{ contactId: $id, amount: 5 }] }) { transaction ${contact} }`,
    ],
    ['updateContact', 'updateContact(input: { id: $id, phone: "3" }) { contact { databaseId } }'],
  ])('%s', async (name, field) => {
    const { body } = await door.graphql(`mutation ($id: ID!) { ${field} }`, { id: `Contact:${ids.merged}` });
    expect(body.errors).toBeUndefined();
    const [record] = Object.values<Json>(body.data[name]);
    expect(record.contact?.databaseId ?? record.databaseId).toBe(ids.survivor);
  });

  it('tags and actions, beside a living contact', async () => {
    const other = await create({ surname: 'Other' });
    const tag = `mutation ($ids: [ID!]!) { tagContacts(input: { contactIds: $ids, tags: ["led"] }) { __typename } }`;
    expect((await door.graphql(tag, { ids: [other, ids.merged] })).body.errors).toBeUndefined();
    const { body } = await door.rest('GET', `/contacts/${ids.survivor}`);
    expect(body.data.contact.tags).toMatchObject([{ name: 'led' }]);
  });

  it('several mutations of a document, one of which fails', async () => {
    const text = `mutation ($id: ID!) {
      one: createNote(input: { contactId: $id, content: "one" }) { note ${contact} }
      two: createNote(input: { contactId: 987654321, content: "two" }) { note ${contact} }
      three: createNote(input: { contactId: $id, content: "three" }) { note ${contact} } }`;
    const { data, errors } = (await door.graphql(text, { id: ids.merged })).body;
    expect([data.one.note.contact.databaseId, data.two, data.three.note.contact.databaseId]).toEqual([
      ids.survivor,
      null,
      ids.survivor,
    ]);
    expect(errors).toMatchObject([{ path: ['two'], extensions: { code: 'not-found' } }]);
  });

  it('node, nodes, contact and contactBy', async () => {
    const text = `query ($id: ID!, $externalId: String!) {
      node(id: $id) { ... on Contact { databaseId } } nodes(ids: [$id, "Contact:987654321"]) { ... on Contact { databaseId lastName } }
      contact(id: $id) { databaseId } contactBy(by: { externalId: $externalId }) { databaseId } }`;
    const { body } = await door.graphql(text, { id: `Contact:${ids.merged}`, externalId: externalIds.merged });
    const found = { databaseId: ids.survivor };
    expect(body.data).toEqual({
      node: found,
      nodes: [{ ...found, lastName: 'Kept' }, null],
      contact: found,
      contactBy: found,
    });
  });

  it.each(['notes', 'interactions', 'donations', 'sanctions', 'transactions'])('the filter of %s', async (list) => {
    const text = `query ($id: ID!) { old: ${list}(filter: { contactId: { equals: $id } }) { totalCount nodes { id } }
      among: ${list}(filter: { contactId: { in: ["Contact:987654321", $id] } }) { totalCount nodes { id } } }`;
    const { data } = (await door.graphql(text, { id: ids.merged })).body;
    expect(data.old.totalCount).toBeGreaterThan(0);
    expect(data).toEqual((await door.graphql(text, { id: ids.survivor })).body.data);
  });

  it.each([
    ['mergeContacts', 'mergeContacts(input: { survivorId: $other, ids: [$id] }) { contact { id } }', 'unprocessable'],
    ['deleteContact', 'deleteContact(input: { id: $id }) { deletedId }', 'not-found'],
    ['erasePerson', 'erasePerson(input: { contactId: $id }) { deletedId }', 'conflict'],
  ])('%s takes the survivor by no other id', async (_, field, code) => {
    const other = await create({ surname: 'Other' });
    const text = `mutation ($id: ID!${field.includes('$other') ? ', $other: ID!' : ''}) { ${field} }`;
    const { errors } = (await door.graphql(text, { id: ids.merged, ...(field.includes('$other') && { other }) })).body;
    expect(errors).toMatchObject([{ extensions: { code } }]);
    expect((await door.rest('GET', `/contacts/${ids.survivor}`)).body.data.contact.surname).toBe('Kept');
  });

  it('a contact of another space is not reached', async () => {
    const [{ user_id }] = await door.sql('select user_id from members where group_id = 2 limit 1');
    const other = await door.token(2, user_id);
    const text = 'mutation ($id: ID!) { updateContact(input: { id: $id, phone: "9" }) { contact { id } } }';
    const { errors } = (await door.graphql(text, { id: ids.merged }, other)).body;
    expect(errors).toMatchObject([{ extensions: { code: 'not-found' } }]);
  });
});
