// Writes that mean nothing are 400 and say what was expected, since a 200 would claim that something was done (decisions §1).
import { beforeAll, describe, expect, it } from 'vitest';
import { type Door, type Json, openApp } from '../harness/app.ts';

let door: Door;
let id: number;
beforeAll(async () => {
  door = await openApp();
  id = (await door.rest('POST', '/contacts', { surname: 'Meant' })).body.data.contact.id;
});

const bodies: [what: string, body: Json][] = [
  ['nothing', {}],
  ['null for data', { data: null }],
  ['empty data', { data: {} }],
  ['a misspelt wrapper', { data: { contacts: { surname: 'Lost' } } }],
  ['an empty contact', { data: { contact: {} } }],
  ['no known field', { data: { contact: { sur_name: 'Lost', first_name: 'Lost' } } }],
  ['no known part of an address', { data: { address: { town: 'Lost' } } }],
  ['only its id', { data: { contact: { id: 1 } } }],
  ['another kind', { kind: 'person', data: { surname: 'Lost' } }],
];
const routes: [method: string, path: () => string][] = [
  ['POST', () => '/contacts'],
  ['PATCH', () => `/contacts/${id}`],
  ['POST', () => '/contacts/upsert'],
];
const rows = () => door.sql('select count(*), max(updated_at) as last from contacts where group_id = 1');

describe.each(routes)('%s %s', (method, path) => {
  it.each(bodies)('with %s is 400, and says what was expected', async (_, body) => {
    const before = await rows();
    const answer = await door.rest(method, path(), body);
    expect([answer.status, answer.body.errors?.length]).toEqual([400, 1]);
    expect(answer.body.errors[0].message).toMatch(/^(is required|must be contact|has no field of a contact, such as)/);
    expect(answer.body.errors[0].location).toMatch(/^body/);
    expect(await rows()).toEqual(before);
  });
});

it.each([
  ['POST', '/contacts/upsert', { data: { mail: '', firstname: ' ' } }],
  ['POST', '/contacts/upsert', { data: { mail: '', address: { city: '', street: ' ' } } }],
  ['POST', '/contacts/upsert', { data: { id: 987_654_321 } }],
  ['POST', '/contacts/upsert', { data: { mail: 'note@x.org', notes: [{ text: 'Lost' }] } }],
  ['POST', '/contacts', { data: { surname: 'Note', notes: [{ text: 'Lost' }] } }],
  ['PATCH', '/contacts/1', { data: { notes: { note: 'Lost' } } }],
  ['POST', '/teams', { data: { teams: { name: 'Lost' } } }],
  ['PATCH', '/teams', { data: null }],
  ['PATCH', '/users/1', { data: {} }],
  ['PATCH', '/users/1', { User: { mail: 'a@x.org' } }],
  ['POST', '/v1/contacts/1/notes', { note: { content: 'Lost' } }],
  ['POST', '/users/invitation', { data: { invitation: [] } }],
])('%s %s with %j is 400', async (method, path, body) => {
  const answer = await door.rest(method, path, body);
  expect([answer.status, answer.body.errors?.length > 0]).toEqual([400, true]);
});

it.each([
  ['createContact', 'createContact(input: {}) { contact { databaseId } }'],
  ['updateContact', 'updateContact(input: { id: 1, expectedVersion: 1 }) { contact { databaseId } }'],
  ['upsertContact', 'upsertContact(input: { id: 1 }) { outcome }'],
  ['upsertContact', 'upsertContact(input: { email: "", firstName: " " }) { outcome }'],
])('%s without any change is refused in the graph', async (_, field) => {
  const { body } = await door.graphql(`mutation { ${field} }`);
  expect(body.errors[0].extensions).toMatchObject({
    code: 'invalid-request',
    errors: [{ location: 'input', message: expect.stringContaining('has no field of a contact') }],
  });
});
