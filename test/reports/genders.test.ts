// A gender is read without case, and with blanks around it, wherever it is written or searched.
import { beforeAll, describe, expect, it, vi } from 'vitest';
import type { Door, Json } from '../harness/app.ts';
import { createFiles, type Files } from '../import/files.ts';

vi.setConfig({ testTimeout: 60_000 });

let files: Files;
let door: Door;
beforeAll(async () => {
  files = await createFiles();
  door = files.door;
});

const spellings: [sent: string, gender: string][] = [
  ['f', 'F'],
  ['M', 'M'],
  [' o ', 'O'],
];
const create = (gender: string) => door.rest('POST', '/contacts', { data: { contact: { surname: 'Case', gender } } });

describe.each(spellings)('%j is %s', (sent, gender) => {
  it('in contacts over REST: create, update, upsert', async () => {
    const { contact } = (await create(sent)).body.data;
    expect(contact.gender).toBe(gender);
    await door.rest('PATCH', `/contacts/${contact.id}`, { data: { contact: { gender: null } } });
    const updated = await door.rest('PATCH', `/contacts/${contact.id}`, { data: { contact: { gender: sent } } });
    expect(updated.body.data.contact.gender).toBe(gender);
    await door.rest('POST', '/contacts/upsert', { kind: 'contact', data: { id: contact.id, gender: sent } });
    expect((await door.rest('GET', `/v1/contacts/${contact.id}`)).body.gender).toBe(gender);
  });

  it('in variables of the graph, whole or within an input', async () => {
    const text = `mutation ($gender: Gender, $input: ContactCreateInput!) {
      one: createContact(input: { lastName: "Case", gender: $gender }) { contact { gender } }
      other: createContact(input: $input) { contact { gender } } }`;
    const { data } = (await door.graphql(text, { gender: sent, input: { lastName: 'Case', gender: sent } })).body;
    expect(data).toEqual({ one: { contact: { gender } }, other: { contact: { gender } } });
  });

  it('in a search over either door', async () => {
    const query = { $all: [{ $all: [{ $condition: { attr: 'gender', ope: 'eql', value: sent } }] }] };
    const found = await door.rest('POST', '/search', { data: { advanced_search: { per_page: 3, query } } });
    const text = 'query ($query: ContactQuery) { searchContacts(first: 3, query: $query) { nodes { gender } } }';
    const { body } = await door.graphql(text, { query: { and: [{ gender: { equals: sent } }] } });
    const genders = [...found.body.data.contacts, ...body.data.searchContacts.nodes].map((one: Json) => one.gender);
    expect(genders).toEqual(Array(6).fill(gender));
  });

  it('in a file', async () => {
    const space = await files.createSpace();
    await files.importFile('contacts', 'genders.csv', `surname,gender\nCase,${sent}\n`, '--space', space);
    expect(await files.readLivingRows('contacts', space, 'gender')).toEqual([{ gender }]);
  });
});

it('another word is refused, with those that are allowed', async () => {
  expect((await create('x')).body.errors).toEqual([
    { location: 'body.data.contact.gender', message: 'must be one of F, M, O', value: 'x' },
  ]);
  const text = 'mutation ($input: ContactCreateInput!) { createContact(input: $input) { contact { id } } }';
  const { errors } = (await door.graphql(text, { input: { lastName: 'Case', gender: 'x' } })).body;
  expect(errors[0].extensions.errors).toMatchObject([{ location: 'input.gender', message: 'must be one of F, M, O' }]);
});
