// A day has no zone: what is written is the day, over both doors, in files and in searches.
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

const createInRest = (contact: Json) => door.rest('POST', '/contacts', { data: { contact } });
const readDay = async (id: number): Promise<string | null> =>
  (await door.sql('select birthdate::text from contacts where group_id = 1 and id = ?', [id]))[0].birthdate;
const findIds = async (condition: Json): Promise<number[]> => {
  const query = { $all: [{ $all: [{ $condition: condition }] }] };
  const { body } = await door.rest('POST', '/search', { data: { advanced_search: { per_page: 1000, query } } });
  return body.data.contacts.map(({ id }: Json) => id);
};

describe('a day that is given as a date-time', () => {
  const spellings: [sent: string, day: string][] = [
    ['1999-12-31', '1999-12-31'],
    ['1999-12-31T00:00:00+02:00', '1999-12-31'],
    ['1999-12-31T23:30:00-05:00', '1999-12-31'],
    ['1999-12-31T00:00:00Z', '1999-12-31'],
    ['2000-02-29T00:00:00.000001+14:00', '2000-02-29'],
  ];

  it.each(spellings)('%s is %s in contacts over REST', async (sent, day) => {
    const { id } = (await createInRest({ surname: 'Day', birthdate: sent })).body.data.contact;
    expect(await readDay(id)).toBe(day);
    expect((await door.rest('GET', `/v1/contacts/${id}`)).body.birthdate).toBe(`${day}T00:00:00Z`);
  });

  it.each(spellings)('%s is %s in the graph, as a literal and as a variable', async (sent, day) => {
    const fields = 'contact { birthDate }';
    const text = `mutation ($day: Date) {
      one: createContact(input: { lastName: "Day", birthDate: "${sent}" }) { ${fields} }
      other: createContact(input: { lastName: "Day", birthDate: $day }) { ${fields} } }`;
    const { data } = (await door.graphql(text, { day: sent })).body;
    expect([data.one.contact.birthDate, data.other.contact.birthDate]).toEqual([day, day]);
  });

  it.each(spellings)('%s is %s of a membership', async (sent, day) => {
    const { id } = (await createInRest({ surname: 'Member' })).body.data.contact;
    const text = `mutation ($input: MembershipCreateInput!) {
      createMembership(input: $input) { membership { startDate endDate } } }`;
    const { body } = await door.graphql(text, {
      input: { contactId: id, amount: 500, startDate: sent, endDate: sent },
    });
    expect(body.data.createMembership.membership).toEqual({ startDate: day, endDate: day });
  });

  it.each(spellings)('%s is %s in a file', async (sent, day) => {
    const space = await files.createSpace();
    await files.importFile('contacts', 'days.csv', `surname,birthdate\nDay,${sent}\n`, '--space', space);
    expect(await files.readLivingRows('contacts', space, 'birthdate::text')).toEqual([{ birthdate: day }]);
  });

  it.each([
    ['eql', { value: '1994-05-06T00:00:00+02:00' }, true],
    ['eql', { value: '1994-05-06T23:00:00-05:00' }, true],
    ['eql', { value: '1994-05-05T23:00:00-05:00' }, false],
    ['gte', { value: '1994-05-06T00:00:00+02:00' }, true],
    ['gte', { value: '1994-05-07T00:00:00+02:00' }, false],
    ['lte', { value: '1994-05-06T00:00:00+02:00' }, true],
    ['lte', { value: '1994-05-05T23:59:59-12:00' }, false],
    ['range', { from: '1994-05-06T00:00:00+02:00', to: '1994-05-06T00:00:00+02:00' }, true],
  ])('birthdate %s %j finds who is born on 6 May 1994: %s', async (ope, operand, finds) => {
    const { id } = (await createInRest({ surname: 'Sought', birthdate: '1994-05-06' })).body.data.contact;
    expect((await findIds({ attr: 'birthdate', ope, ...operand })).includes(id)).toBe(finds);
  });
});

describe('a birthdate in the future', () => {
  const future = '2999-01-02';
  const refused = (location: string) => ({
    status: 400,
    errors: [{ location, message: 'must be today or earlier', value: future }],
  });

  it('is refused over REST: create, update, upsert', async () => {
    const { id } = (await createInRest({ surname: 'Born', birthdate: '1990-01-01' })).body.data.contact;
    const answers = [
      await createInRest({ surname: 'Unborn', birthdate: future }),
      await door.rest('PATCH', `/contacts/${id}`, { data: { contact: { birthdate: future } } }),
      await door.rest('POST', '/contacts/upsert', { kind: 'contact', data: { id, birthdate: future } }),
    ];
    expect(answers.map(({ body }) => body)).toMatchObject([
      refused('body.data.contact.birthdate'),
      refused('body.data.contact.birthdate'),
      refused('body.data.birthdate'),
    ]);
    expect(await readDay(id)).toBe('1990-01-01');
  });

  it('is refused in the graph', async () => {
    const text = `mutation { createContact(input: { lastName: "Unborn", birthDate: "${future}" }) { contact { id } } }`;
    const { errors } = (await door.graphql(text)).body;
    expect(errors).toMatchObject([
      { extensions: { code: 'invalid-request', errors: [{ location: 'input.birthDate', value: future }] } },
    ]);
  });

  it('rejects its row of a file alone', async () => {
    const space = await files.createSpace();
    const csv = `surname,birthdate\nUnborn,${future}\nBorn,1999-12-31\n`;
    const { err } = await files.importFile('contacts', 'future.csv', csv, '--space', space);
    expect(err).toMatch(/line 2: .* "2999-01-02" must be today or earlier/);
    expect(await files.readLivingRows('contacts', space, 'surname')).toEqual([{ surname: 'Born' }]);
  });

  it('that is stored from before is read, sent back and searched', async () => {
    const { id } = (await createInRest({ surname: 'Stored' })).body.data.contact;
    await door.sql('update contacts set birthdate = ? where group_id = 1 and id = ?', [future, id]);
    await door.sql('select refresh_search(1, array[cast(? as bigint)])', [id]);
    const { contact } = (await door.rest('GET', `/contacts/${id}`)).body.data;
    expect(contact.birthdate).toBe(`${future}T00:00:00Z`);
    const sent = { birthdate: contact.birthdate, phone: '0102030405' };
    expect((await door.rest('PATCH', `/contacts/${id}`, { data: { contact: sent } })).status).toBe(200);
    expect(await findIds({ attr: 'birthdate', ope: 'eql', value: future })).toEqual([id]);
  });

  it('of today is none, wherever it is today', async () => {
    const day = (hours: number): string => new Date(Date.now() + hours * 3_600_000).toISOString().slice(0, 10);
    const statuses = [-12, 0, 13.9, 14 + 24].map(async (hours) => {
      const { status } = await createInRest({ surname: 'Newborn', birthdate: day(hours) });
      return status;
    });
    expect(await Promise.all(statuses)).toEqual([200, 200, 200, 400]);
  });
});

describe('a part of the year', () => {
  const find = (from: string, to: string) => findIds({ attr: 'birthdate', ope: 'period', value: `${from}/${to}` });
  const search = async (operand: Json): Promise<Json> => {
    const query = { $all: [{ $all: [{ $condition: { attr: 'birthdate', ope: 'period', ...operand } }] }] };
    const { status, body } = await door.rest('POST', '/search', { data: { advanced_search: { per_page: 1, query } } });
    return [status, body.errors?.[0].message];
  };
  const inGraph = async (from: string, to: string): Promise<Json> => {
    const text =
      'query ($from: String!, $to: String!) { searchContacts(first: 1, query: { birthDate: { inPeriod: { from: $from, to: $to } } }) { nodes { id } } }';
    const { errors } = (await door.graphql(text, { from, to })).body;
    return errors?.[0].extensions.errors.map(({ location }: Json) => location);
  };

  it.each([
    ['02-28', '02-28', false],
    ['03-01', '03-01', false],
    ['01-01', '02-28', false],
    ['03-01', '12-31', false],
    ['02-29', '02-29', true],
    ['02-28', '03-01', true],
    ['12-01', '02-29', true],
    ['02-29', '01-31', true],
  ])('%s/%s has who was born on 29 February: %s', async (from, to, has) => {
    const { id } = (await createInRest({ surname: 'Leap', birthdate: '1992-02-29' })).body.data.contact;
    expect((await find(from, to)).includes(id)).toBe(has);
  });

  it.each([
    '02-30',
    '04-31',
    '06-31',
    '09-31',
    '11-31',
    '00-10',
    '13-01',
    '01-00',
    '01-32',
    '1-1',
    '01-01T00:00:00Z',
  ])('with %s is refused at either end, over both doors', async (day) => {
    expect(await search({ value: `${day}/${day}` })).toEqual([
      400,
      'must be a part of the year such as 12-15/01-15, of days that exist',
    ]);
    const refused = [400, 'must be a day of the year such as 12-15, one that exists'];
    expect(await search({ from: day, to: '12-31' })).toEqual(refused);
    expect(await search({ from: '01-01', to: day })).toEqual(refused);
    expect(await inGraph(day, '12-31')).toEqual(['query.birthDate.inPeriod.from']);
    expect(await inGraph('01-01', day)).toEqual(['query.birthDate.inPeriod.to']);
  });

  it.each(['02-29', '01-31', '12-31', '04-30'])('with %s is taken', async (day) => {
    expect(await search({ value: `${day}/${day}` })).toEqual([200, undefined]);
    expect(await inGraph(day, day)).toBeUndefined();
  });
});
