// People of one name with several mails: an import creates them apart and tells it, an upsert of the contract goes by the name.
import { beforeAll, describe, expect, it } from 'vitest';
import { type Door, type Json, openApp } from '../harness/app.ts';

let door: Door;
beforeAll(async () => {
  door = await openApp();
});

let count = 0;
const newName = (): string => `Apart${++count}`;
const importAll = async (contacts: Json[]): Promise<Json[]> => {
  const text = `mutation ($contacts: [ContactUpsertInput!]!) {
    importContacts(input: { name: "list", contacts: $contacts }) {
      results { outcome contact { databaseId } possibleDuplicateId problem { code } } } }`;
  const { body } = await door.graphql(text, { contacts });
  return body.data.importContacts.results.map(({ outcome, contact, possibleDuplicateId }: Json) => ({
    outcome,
    id: contact.databaseId,
    like: possibleDuplicateId ? Number(possibleDuplicateId.replace('Contact:', '')) : null,
  }));
};

describe('an import', () => {
  it('of three rows with one name and three mails creates three contacts, and lists them as possible duplicates', async () => {
    const lastName = newName();
    const mails = ['a', 'b', 'c'].map((name) => `${name}${count}@example.org`);
    const [first, ...others] = await importAll(mails.map((email) => ({ lastName, email })));
    expect(first).toMatchObject({ outcome: 'CREATED', like: null });
    expect(others.map(({ outcome, like }) => [outcome, like])).toEqual([
      ['CREATED', first!.id],
      ['CREATED', first!.id],
    ]);
    const again = await importAll(mails.map((email) => ({ lastName, email, phone: '1' })));
    expect(again.map(({ id }) => id)).toEqual([first!.id, ...others.map(({ id }) => id)]);
  });

  it.each<[string, Json, Json, boolean]>([
    ['with another mail', { email: 'one@example.org' }, { email: 'two@example.org' }, false],
    ['without a mail, where the contact has one', { email: 'three@example.org' }, {}, true],
    ['with a mail, where the contact has none', {}, { email: 'four@example.org' }, true],
    ['with the same mail in capitals', { email: 'five@example.org' }, { email: 'FIVE@example.org' }, true],
  ])('takes a row of the same name %s for the right person', async (_, stored, row, isSame) => {
    const lastName = newName();
    const [one] = await importAll([{ lastName, ...stored }]);
    const [other] = await importAll([{ lastName, ...row }]);
    expect([other!.id === one!.id, other!.like]).toEqual(isSame ? [true, null] : [false, one!.id]);
  });

  it('goes by the birthdate too: another one is another person, who is not told', async () => {
    const lastName = newName();
    await importAll([{ lastName, email: `x${count}@example.org`, birthDate: '1980-01-01' }]);
    const [other] = await importAll([{ lastName, email: `y${count}@example.org`, birthDate: '1990-01-01' }]);
    expect(other).toMatchObject({ outcome: 'CREATED', like: null });
  });
});

it('an upsert with another mail means the contact of that name, and keeps its mail as a former one', async () => {
  const surname = newName();
  const upsert = async (mail: string): Promise<Json> =>
    (await door.rest('POST', '/contacts/upsert', { kind: 'contact', data: { surname, mail } })).body.data;
  const { contact } = await upsert(`old${count}@example.org`);
  expect(await upsert(`new${count}@example.org`)).toEqual({ contact, outcome: 'updated' });
});
