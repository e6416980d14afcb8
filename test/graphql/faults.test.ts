// Faults of GraphQL input: all faults in the variables and literals of an operation are reported at once, each with its place.
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { coercedInput, graphqlInput } from '../../src/input/read-input.ts';
import { type Answer, type Door, type Json, openApp } from '../harness/app.ts';

let door: Door;
let consent: Json;
beforeAll(async () => {
  door = await openApp();
  [consent] = await door.sql(
    `select id, label from forms where group_id = 1 and kind = 'consent' and type = 'radio' and deleted_at is null order by id limit 1`,
  );
  if (consent) return;
  const values = [
    { label: 'Yes', value: 'yes' },
    { label: 'No', value: 'no' },
  ];
  const { body } = await door.graphql(
    'mutation ($input: FormCreateInput!) { form: createForm(input: $input) { form { id: databaseId label } } }',
    { input: { kind: 'CONSENT', label: 'May we write', type: 'RADIO', options: values } },
  );
  consent = body.data.form;
});

const faultsOf = ({ body }: Answer): Json[] => {
  expect(body.errors, JSON.stringify(body)).toHaveLength(1);
  expect(body.errors[0].extensions).toMatchObject({ code: 'invalid-request', status: 400 });
  return body.errors[0].extensions.errors;
};
const placesOf = (answer: Answer): string[] => faultsOf(answer).map(({ location }) => location);
/** The processor time that a request took, in milliseconds. */
const measureCpu = async (send: () => Promise<Answer>): Promise<{ cpu: number; answer: Answer }> => {
  const before = process.cpuUsage();
  const answer = await send();
  const { user, system } = process.cpuUsage(before);
  return { cpu: (user + system) / 1000, answer };
};
const strange = 987_654_321;

describe('invalid variables', () => {
  const upsert = 'mutation ($record: ContactUpsertInput!) { upsertContact(input: $record) { outcome } }';

  it('are reported in one error: faults of type and of rule, each with its place in the arguments and its value', async () => {
    const record = { birthDate: 'soon', gender: 'X', ageCategory: 9, lastName: 'x'.repeat(256), nickname: 'Zo' };
    const answer = await door.graphql(upsert, { record: { ...record, tags: [{ name: 'a' }, { name: 5 }] } });
    expect(answer.status).toBe(200);
    expect(answer.body.data).toBeUndefined();
    expect(answer.body.errors[0].locations).toEqual([{ line: 1, column: 43 }]);
    const faults = faultsOf(answer);
    expect(faults).toHaveLength(6);
    expect(faults).toEqual(
      expect.arrayContaining([
        { location: 'input.birthDate', message: expect.stringContaining('must be a date'), value: 'soon' },
        { location: 'input.gender', message: 'must be one of F, M, O', value: 'X' },
        { location: 'input.ageCategory', message: 'must be from 0 to 6', value: 9 },
        { location: 'input.lastName', message: 'must be at most 255 characters', value: 'x'.repeat(256) },
        { location: 'input.tags[1].name', message: 'must be a string', value: 5 },
        { location: 'input.nickname', message: expect.stringContaining('is not a field of'), value: 'Zo' },
      ]),
    );
  });

  it('that are whole numbers beyond the range of their type name the bound', async () => {
    const query = 'mutation ($input: DonationCreateInput!) { createDonation(input: $input) { donation { id } } }';
    const below = { contactId: 1, transactionDate: '2026-01-01T00:00:00Z', amount: -(2 ** 53) };
    const atLeast = { message: 'must be at least -9007199254740991', value: -(2 ** 53) };
    expect(faultsOf(await door.graphql(query, { input: below }))).toEqual([{ location: 'input.amount', ...atLeast }]);
    for (const [value, message] of [
      [2 ** 31, 'must be at most 2147483647'],
      [-(2 ** 31) - 1, 'must be at least -2147483648'],
    ])
      expect(faultsOf(await door.graphql(upsert, { record: { ageCategory: value } }))).toEqual([
        { location: 'input.ageCategory', message, value },
      ]);
  });

  it('are reported in one error for all variables of the operation', async () => {
    const query = `mutation ($id: ID!, $surname: String, $mail: String, $version: Int) {
      updateContact(input: { id: $id, expectedVersion: $version, lastName: $surname, email: $mail, ageCategory: 7 }) { contact { id: databaseId } }
    }`;
    const answer = await door.graphql(query, { id: -1, surname: 5, mail: 'x\u0000', version: 'one' });
    expect(placesOf(answer).sort()).toEqual([
      'input.ageCategory',
      'input.email',
      'input.expectedVersion',
      'input.id',
      'input.lastName',
    ]);
  });

  it('that are missing are reported too, and a directive has its own error', async () => {
    const query = `query ($id: ID!, $more: Boolean!) { contact(id: $id) { id: databaseId tags @include(if: $more) { name } } }`;
    const { body } = await door.graphql(query, { more: 'yes' });
    expect(body.errors.map(({ extensions }: Json) => extensions.errors)).toEqual([
      [{ location: 'id', message: 'is required' }],
      [{ location: 'more', message: 'must be true or false', value: 'yes' }],
    ]);
  });

  it('in two fields are two errors, each at its field', async () => {
    const query = `mutation ($a: ContactUpsertInput!, $b: ContactUpsertInput!) {
  a: upsertContact(input: $a) { outcome }
  b: upsertContact(input: $b) { outcome }
}`;
    const { body } = await door.graphql(query, { a: { email: 1 }, b: { birthDate: 'x' } });
    expect(
      body.errors.map(({ locations, extensions }: Json) => [locations[0].line, extensions.errors[0].location]),
    ).toEqual([
      [2, 'input.email'],
      [3, 'input.birthDate'],
    ]);
  });

  it('with one value for a list count as a list of one, which is valid', async () => {
    const places = placesOf(await door.graphql(upsert, { record: { tags: { name: 'alone' }, birthDate: 'x' } }));
    expect(places).toEqual(['input.birthDate']);
  });

  it('are reported up to a hundred, with the total', async () => {
    const answer = await door.graphql(upsert, { record: { actionIds: Array.from({ length: 150 }, () => 'x') } });
    expect(faultsOf(answer)).toHaveLength(100);
    expect(answer.body.errors[0].message).toMatch(/^150 faults/);
  });

  it('are searched up to a limit, and found fast', async () => {
    const inputs = Array.from({ length: 1000 }, () => ({ actionIds: Array.from({ length: 200 }, () => 'x') }));
    const { cpu, answer } = await measureCpu(() =>
      door.graphql(
        'mutation ($inputs: [ContactUpsertInput!]!) { upsertContacts(input: { contacts: $inputs }) { results { outcome } } }',
        {
          inputs,
        },
      ),
    );
    expect(answer.body.errors[0].message).toBe('at least 300 faults, the first 100 listed in errors');
    // A generous limit, since machines differ: finding all of them takes many seconds.
    expect(cpu).toBeLessThan(2000);
  });

  it('have the status of the requested media type', async () => {
    const accept = { Accept: 'application/graphql-response+json' };
    const { status, headers } = await door.graphql(upsert, { record: { email: 1 } }, undefined, accept);
    expect([status, headers.get('content-type')]).toEqual([400, 'application/graphql-response+json; charset=utf-8']);
  });

  it('are searched only when there are some', async () => {
    const [sent, coerced] = [vi.spyOn(graphqlInput, 'readInPieces'), vi.spyOn(coercedInput, 'readInPieces')];
    await door.graphql(upsert, { record: { lastName: 'Fine', tags: [{ name: 'a' }] } });
    expect([sent.mock.calls.length, coerced.mock.calls.length]).toEqual([0, 0]);
    await door.graphql(upsert, { record: { lastName: 5 } });
    expect(sent).toHaveBeenCalled();
    vi.restoreAllMocks();
  });
});

describe('rules', () => {
  it('and lists that are too long are reported together', async () => {
    const tags = Array.from({ length: 1001 }, () => ({ name: 'a' }));
    const answer = await door.graphql(
      'mutation ($input: ContactUpsertInput!) { upsertContact(input: $input) { outcome } }',
      { input: { tags, ageCategory: 7, lastName: '\u0000' } },
    );
    expect(placesOf(answer).sort()).toEqual(['input.ageCategory', 'input.lastName', 'input.tags']);
  });
});

it('rules that expect valid input are skipped where it is invalid', async () => {
  const query =
    'mutation ($input: PaymentCreateInput!) { createPayment(input: $input) { transaction { id: databaseId } } }';
  const input = { contactId: 1, amount: 5, donations: [{ contactId: 1, amount: 'x' }, 5], currency: 'euros' };
  const places = placesOf(await door.graphql(query, { input }));
  expect(places).toEqual(expect.arrayContaining(['input.donations[0].amount', 'input.donations[1]', 'input.currency']));
});

it('a syntax error beside the field `tokens` is one, and too many tokens are told as such', async () => {
  const readCode = async (query: string) => (await door.graphql(query)).body.errors[0].extensions.code;
  expect(await readCode('{ tokens { id ')).toBe('syntax-error');
  expect(await readCode(`{ ${'id '.repeat(20_000)} }`)).toBe('query-too-large');
});

describe('literals', () => {
  it('of a wrong type are errors of the document, each with its place in it', async () => {
    const query = `{
  contact(id: 1.5) { id: databaseId }
  users(first: "many") { total: totalCount }
  forms(filter: { kind: { equals: NOTHING } }) { nodes { id: databaseId } }
}`;
    const { status, body } = await door.graphql(query);
    expect(status).toBe(200);
    expect(body.errors.map(({ extensions, locations }: Json) => [extensions, locations])).toEqual([
      [{ code: 'invalid-document', status: 400 }, [{ line: 2, column: 15 }]],
      [{ code: 'invalid-document', status: 400 }, [{ line: 3, column: 16 }]],
      [{ code: 'invalid-document', status: 400 }, [{ line: 4, column: 35 }]],
    ]);
    expect(body.errors[0].message).toMatch(/^ID cannot represent a non-string and non-integer value: 1.5/);
  });

  it('that break rules are faults at their place', async () => {
    const answer = await door.graphql(
      `mutation { upsertContact(input: { ageCategory: 7, tags: [{ name: "a" }, { name: " " }] }) { outcome } }`,
    );
    expect(placesOf(answer).sort()).toEqual(['input.ageCategory', 'input.tags[1].name']);
  });
});

describe('an id that is not in the space', () => {
  const faulty = () => ({
    birthDate: 'soon',
    ageCategory: 9,
    actionIds: [strange],
    accountId: strange,
    consents: [
      { label: 'No such form', value: 'x' },
      { id: consent.id, value: 'perhaps' },
      { id: 'x', value: 'x' },
    ],
    answers: [{ formId: strange, optionId: 1 }, 5],
  });
  const places = [
    'input.actionIds[0]',
    'input.ageCategory',
    'input.answers[0].formId',
    'input.answers[1]',
    'input.birthDate',
    'input.consents[0].label',
    'input.consents[1].value',
    'input.consents[2].id',
    'input.accountId',
  ].sort();
  const wires: Record<string, string> = {
    actionIds: 'action_ids',
    ageCategory: 'age_category',
    answers: 'formdatas',
    formId: 'form_id',
    accountId: 'user_contact_id',
    birthDate: 'birthdate',
  };
  const onWire = (place: string) => place.replace(/^input/, 'body.data').replace(/\w+/g, (step) => wires[step] ?? step);

  it('is reported with the other faults: with variables', async () => {
    const query = 'mutation ($input: ContactUpsertInput!) { upsertContact(input: $input) { outcome } }';
    expect(placesOf(await door.graphql(query, { input: faulty() })).sort()).toEqual(places);
  });

  it('by REST', async () => {
    const { actionIds, ageCategory, accountId: userContactId, birthDate, answers, ...data } = faulty();
    const record = {
      ...data,
      birthdate: birthDate,
      action_ids: actionIds,
      age_category: ageCategory,
      user_contact_id: userContactId,
      formdatas: answers.map((one) => (typeof one === 'number' ? one : { form_id: one.formId, form_ref_id: 1 })),
    };
    const { status, body } = await door.rest('POST', '/contacts/upsert', { kind: 'contact', data: record });
    expect(status).toBe(400);
    const found = body.errors.map(({ location }: Json) => location).sort();
    expect(found).toEqual(places.map(onWire).sort());
  });

  it('where only rules are broken', async () => {
    const query =
      'mutation ($input: ContactCreateInput!) { createContact(input: $input) { contact { id: databaseId } } }';
    const input = { ageCategory: 9, actionIds: [strange], customFields: [{ formId: strange, optionId: 1 }] };
    expect(placesOf(await door.graphql(query, { input })).sort()).toEqual([
      'input.actionIds[0]',
      'input.ageCategory',
      'input.customFields[0].formId',
    ]);
  });

  it('is placed where it was sent, in the list of the upsert that contains it', async () => {
    const query = 'mutation ($input: ContactUpsertInput!) { upsertContact(input: $input) { outcome } }';
    const forms = [
      { label: 'No such form', value: 'x' },
      { formId: strange, optionId: 1 },
    ];
    const { body } = await door.graphql(query, { input: { ageCategory: 9, status: [forms[1]], consents: forms } });
    const places = body.errors[0].extensions.errors.map(({ location }: Json) => location);
    expect(places.sort()).toEqual([
      'input.ageCategory',
      'input.consents[0].label',
      'input.consents[1].formId',
      'input.status[0].formId',
    ]);
  });

  it('in each record of a batch', async () => {
    const query =
      'mutation ($all: [ContactUpsertInput!]!) { upsertContacts(input: { contacts: $all }) { results { outcome } } }';
    const answer = (label: string) => ({ consents: [{ label, value: 'x' }] });
    const all = [{ lastName: 'Of a batch' }, 5, { birthDate: 'soon' }, answer('No such form'), answer(consent.label)];
    expect(placesOf(await door.graphql(query, { all })).sort()).toEqual([
      'input.contacts[1]',
      'input.contacts[2].birthDate',
      'input.contacts[3].consents[0].label',
      'input.contacts[4].consents[0].value',
    ]);
    expect(await door.sql(`select 1 from contacts where surname = 'Of a batch'`)).toEqual([]);
  });

  it('is neither locked nor written', async () => {
    const query =
      'mutation ($input: ContactUpdateInput!) { updateContact(input: $input) { contact { id: databaseId } } }';
    const sent = await door.statements(() =>
      door.graphql(query, { input: { id: 1, birthDate: 'x', actionIds: [strange], tags: [{ name: 'never made' }] } }),
    );
    expect(sent.some((sql) => sql.includes('from actions'))).toBe(true);
    expect(
      sent.filter((sql) =>
        /insert|update|delete|for (no key )?update/i.test(sql.replace(/updated_at|deleted_at/g, '')),
      ),
    ).toEqual([]);
  });
});
