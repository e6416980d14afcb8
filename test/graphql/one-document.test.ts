// Several mutations in one document: each answers records as it left them, whatever was read before it.
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Door, type Json, openApp } from '../harness/app.ts';
import { flattenConnections } from '../harness/plain-lists.ts';
import { runMutation, takeRecord } from './writing.ts';

let door: Door;
let contact: number;
/** A form of free input, and its reference value. */
let form: { id: number; ref: number };
let statuses: number[];

beforeAll(async () => {
  door = await openApp();
  const { id, options: refvalues } = await runMutation(door, 'createForm', {
    label: 'Shoe size',
    kind: 'SURVEY',
    type: 'NUMERIC',
  });
  form = { id, ref: refvalues[0].id };
  statuses = [];
  for (const name of ['Promised', 'Paid'])
    statuses.push((await runMutation(door, 'createTransactionStatus', { name })).id);
});
beforeEach(async () => {
  contact = (await runMutation(door, 'createContact', { lastName: 'Documented' })).id;
});

let keys = 0;

/** Each document is sent without a key, and with one, under which its mutations share a transaction. */
describe.each([
  ['by itself', () => ({})],
  ['under a key', () => ({ 'Idempotency-Key': `document-${++keys}` })],
])('a document %s', (_, headers) => {
  const ask = (mutations: string) => door.graphql(`mutation { ${mutations} }`, undefined, undefined, headers());
  const runMutations = async (mutations: string): Promise<Json> => {
    const { body } = await ask(mutations);
    expect(body.errors).toBeUndefined();
    const payloads = Object.entries<Json>(flattenConnections(body.data));
    return Object.fromEntries(payloads.map(([name, payload]) => [name, takeRecord(payload)]));
  };
  /** Selects the contact, and changes nothing of it. */
  const show = (selected: string): string =>
    `updateContact(input: { id: ${contact}, marriedName: null }) { contact { ${selected} } }`;
  const change = (input: string, selected: string): string =>
    `updateContact(input: { id: ${contact}, ${input} }) { contact { ${selected} } }`;

  it('returns after each change of a contact the result of that change', async () => {
    const data = await runMutations(`
      a: ${change('tags: [{ name: "red" }], address: { city: "Lyon" }', 'version tags { name } address { city }')}
      b: ${change('tags: [{ name: "blue" }], address: { city: "Lille" }', 'version tags { name } address { city }')}
      c: ${change('tags: [], address: null', 'version tags { name } address { city }')}`);
    expect(data.a).toMatchObject({ tags: [{ name: 'red' }], address: { city: 'Lyon' } });
    expect(data.b).toMatchObject({ tags: [{ name: 'blue' }], address: { city: 'Lille' } });
    expect(data.c).toMatchObject({ tags: [], address: null });
    expect([data.b.version, data.c.version]).toEqual([data.a.version + 1, data.a.version + 2]);
  });

  it('returns answers, and the form of each, as they are at that point', async () => {
    const answers = 'answers { nodes { data: text form { label options { label } } option { label } } }';
    const say = (data: string) =>
      change(`answers: [{ formId: ${form.id}, optionId: ${form.ref}, text: "${data}" }]`, answers);
    const rename = (label: string) =>
      `updateForm(input: { id: ${form.id}, label: "${label}", options: [{ id: ${form.ref}, label: "${label}" }] }) { form { label options { label } } }`;
    const expectedAnswers = (data: string, label: string) => [
      { data, form: { label, options: [{ label }] }, option: { label } },
    ];
    const data = await runMutations(
      `a: ${rename('Shoes')} b: ${say('40')} c: ${rename('Boots')} d: ${say('41')} e: ${show(answers)}`,
    );
    expect(data).toEqual({
      a: { label: 'Shoes', options: [{ label: 'Shoes' }] },
      b: { answers: expectedAnswers('40', 'Shoes') },
      c: { label: 'Boots', options: [{ label: 'Boots' }] },
      d: { answers: expectedAnswers('41', 'Boots') },
      e: { answers: expectedAnswers('41', 'Boots') },
    });
  });

  it('returns children that were added to a contact after it was read', async () => {
    const all = `notes { nodes { content } } note { content } tags { name } actions { databaseId } interactions { nodes { title files { name } } }
      transactions { nodes { amount { amount } } } donations { nodes { amount { amount } } } memberships { nodes { amount { amount } } } sanctions { nodes { status } } emails { nodes { type } }`;
    const [{ id: action }] = await door.sql(
      'select min(id) as id from actions where group_id = 1 and deleted_at is null',
    );
    const on = `contactId: ${contact}`;
    const data = await runMutations(`
      before: ${show(all)}
      createNote(input: { ${on}, content: "written" }) { note { databaseId } }
      tagContacts(input: { contactIds: [${contact}], tags: ["put on"] }) { count }
      linkAction(input: { contactIds: [${contact}], actionId: ${action} }) { count }
      createInteraction(input: { ${on}, type: "call", title: "called", files: [{ name: "record", url: "/files/1" }] }) { interaction { databaseId } }
      createTransaction(input: { ${on}, amount: 1, date: "2026-11-21T09:00:00Z" }) { transaction { databaseId } }
      createDonation(input: { ${on}, amount: 2, transactionDate: "2026-11-21T09:00:00Z" }) { donation { databaseId } }
      createMembership(input: { ${on}, amount: 3, startDate: "2026-01-01" }) { membership { databaseId } }
      createSanction(input: { ${on}, status: "warned" }) { sanction { databaseId } }
      recordEmails(input: { emails: [{ ${on}, type: "mailing" }] }) { emails { databaseId } }
      after: ${show(all)}
      untagContacts(input: { contactIds: [${contact}], tags: ["put on"] }) { count }
      last: ${show('tags { name }')}`);
    const nothing = {
      notes: [],
      note: null,
      tags: [],
      actions: [],
      interactions: [],
      transactions: [],
      donations: [],
    };
    expect(data.before).toEqual({ ...nothing, memberships: [], sanctions: [], emails: [] });
    expect(data.after).toEqual({
      notes: [{ content: 'written' }],
      note: { content: 'written' },
      tags: [{ name: 'put on' }],
      actions: [{ databaseId: action }],
      interactions: [{ title: 'called', files: [{ name: 'record' }] }],
      transactions: [{ amount: { amount: 1 } }],
      donations: [{ amount: { amount: 2 } }],
      memberships: [{ amount: { amount: 3 } }],
      sanctions: [{ status: 'warned' }],
      emails: [{ type: 'mailing' }],
    });
    expect(data.last).toEqual({ tags: [] });
  });

  it('returns a transaction with its status and its parts, as each is changed', async () => {
    const shown =
      'amount { amount } status { name } donations { nodes { amount { amount } } } memberships { nodes { amount { amount } } }';
    const { id } = await runMutation(door, 'createTransaction', {
      contactId: contact,
      amount: 1000,
      date: '2026-11-21T09:00:00Z',
      statusId: statuses[0],
    });
    const see = (input: string) => `updateTransaction(input: { id: ${id}, ${input} }) { transaction { ${shown} } }`;
    const data = await runMutations(`
      a: ${see('amount: 1000')}
      createDonation(input: { contactId: ${contact}, amount: 400, transactionDate: "2026-11-21T09:00:00Z", transactionId: ${id} }) { donation { databaseId } }
      b: ${see(`statusId: ${statuses[1]}`)}
      updateTransactionStatus(input: { id: ${statuses[1]}, name: "Settled" }) { transactionStatus { databaseId } }
      c: ${see('amount: 1000')}
      undone: updateTransactionStatus(input: { id: ${statuses[1]}, name: "Paid" }) { transactionStatus { databaseId } }`);
    expect(data.a).toEqual({ amount: { amount: 1000 }, status: { name: 'Promised' }, donations: [], memberships: [] });
    expect(data.b).toMatchObject({ status: { name: 'Paid' }, donations: [{ amount: { amount: 400 } }] });
    expect(data.c).toMatchObject({ status: { name: 'Settled' }, donations: [{ amount: { amount: 400 } }] });
  });

  it('returns the prices of a group as they are added and deleted', async () => {
    const group = (await runMutation(door, 'createMembershipPriceGroup', { name: 'Prices' })).id;
    const see = `updateMembershipPriceGroup(input: { id: ${group}, name: "Prices" }) { membershipPriceGroup { membershipPrices { name } } }`;
    const data = await runMutations(`
      a: ${see}
      createMembershipPrice(input: { name: "Reduced", amount: 100, membershipPriceGroupId: ${group} }) { membershipPrice { databaseId } }
      b: ${see}`);
    expect([data.a, data.b]).toEqual([{ membershipPrices: [] }, { membershipPrices: [{ name: 'Reduced' }] }]);
  });

  it('returns the survivor of a merge with the values it took, after both were returned', async () => {
    const other = (await runMutation(door, 'createContact', { lastName: 'Other', tags: [{ name: 'theirs' }] })).id;
    await runMutation(door, 'createNote', { contactId: other, content: 'theirs' });
    const all = 'tags { name } notes { nodes { content } }';
    const data = await runMutations(`
      a: ${show(all)}
      b: mergeContacts(input: { survivorId: ${contact}, ids: [${other}] }) { contact { ${all} } }
      c: ${show(all)}`);
    const merged = { tags: [{ name: 'theirs' }], notes: [{ content: 'theirs' }] };
    expect(data).toEqual({ a: { tags: [], notes: [] }, b: merged, c: merged });
  });

  it('returns a person matched twice as the previous upsert left them', async () => {
    const upsert = (tag: string) =>
      `upsertContact(input: { id: ${contact}, tags: [{ name: "${tag}" }] }) { outcome contact { databaseId tags { name } } }`;
    const data = await runMutations(`a: ${upsert('once')} b: ${upsert('twice')}`);
    const expectedOutcome = (...tags: string[]) => ({
      outcome: 'UPDATED',
      contact: { databaseId: contact, tags: tags.map((name) => ({ name })) },
    });
    expect(data).toEqual({ a: expectedOutcome('once'), b: expectedOutcome('once', 'twice') });
  });
});

it('a mutation reads each relation of many records once, however many mutations came before it', async () => {
  const countStatements = async (query: string): Promise<number> => {
    const statements = await door.statements(async () => {
      expect((await door.graphql(query)).body.errors).toBeUndefined();
    });
    return statements.filter((sql) => !/^(BEGIN|COMMIT)|enter_gate/i.test(sql)).length;
  };
  const see = (name: string) =>
    `upsertContact(input: { id: ${contact}, lastName: "${name}" }) { contact { databaseId transactions { nodes { databaseId donations { nodes { databaseId } } } } sanctions { nodes { databaseId } } } }`;
  const one = await countStatements(`mutation { a: ${see('One')} }`);
  expect(await countStatements(`mutation { a: ${see('Two')} b: ${see('Three')} c: ${see('Four')} }`)).toBe(3 * one);
});
