// contactFacets counts what a query finds, like arrays counted by hand; searchAttributes lists what a caller may search by.
import { beforeAll, describe, expect, it } from 'vitest';
import { ageGroups } from '../../src/data/search/facets.ts';
import { attributes } from '../../src/search/attributes.ts';
import { type Door, type Json, openApp } from '../harness/app.ts';

let door: Door;
let people: Json[];
const today = new Date().toISOString().slice(0, 10);

beforeAll(async () => {
  door = await openApp();
  // A day before and on their birthday, the last day of February, no city, a blank one, two spellings of one.
  await door.sql(
    `update contacts set birthdate = case id % 5 when 0 then date '${today}' - interval '18 years'
                                                 when 1 then date '${today}' - interval '18 years' + interval '1 day'
                                                 when 2 then date '2008-02-29' when 3 then null
                                                 else date '${today}' - interval '65 years' end
      where group_id = 1 and id <= 40`,
  );
  await door.sql(`update addresses set city = 'SAINT-étienne' where group_id = 1 and contact_id between 1 and 9`);
  await door.sql(`update addresses set city = ' ' where group_id = 1 and contact_id between 10 and 14`);
  await door.sql(`select refresh_search(1, array(select id from contacts where group_id = 1 and id <= 40))`);
  people = await door.sql(
    `select c.gender, to_char(c.birthdate, 'YYYY-MM-DD') as birthdate, a.city, to_char(c.lastchange at time zone 'UTC', 'YYYY-MM') as month,
            array(select t.name from contact_tags ct join tags t on t.group_id = 1 and t.id = ct.tag_id where ct.group_id = 1 and ct.contact_id = c.id) as tags
       from contacts c left join addresses a on a.group_id = c.group_id and a.contact_id = c.id
      where c.group_id = 1 and c.deleted_at is null`,
  );
});

const facets = async (by: string, more: Json = {}, token?: string): Promise<Json> => {
  const { body } = await door.graphql(
    `query ($query: ContactQuery, $by: ContactFacetBy!, $first: Int! = 50) {
      contactFacets(query: $query, by: $by, first: $first) { total withoutValue distinctValues values { value count } } }`,
    { by, ...more },
    token,
  );
  return body.errors ? body : body.data.contactFacets;
};

const fold = (text: string | null): string => (text ?? '').normalize('NFD').replace(/\p{M}/gu, '').toLowerCase().trim();

/** The age in whole years, by the calendar. */
const ageOf = (birthdate: string): number => {
  const [year, month, day] = birthdate.split('-').map(Number) as [number, number, number];
  const [thisYear, thisMonth, thisDay] = today.split('-').map(Number) as [number, number, number];
  return thisYear - year - (thisMonth < month || (thisMonth === month && thisDay < day) ? 1 : 0);
};
const groupOf = (birthdate: string): string => {
  const age = ageOf(birthdate);
  return ageGroups.findLast((group) => age >= Number.parseInt(group, 10)) ?? ageGroups[0]!;
};

const count = (values: string[]): Map<string, number> => {
  const counts = new Map<string, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return counts;
};
const women = { gender: { equals: 'F' } };

describe.each([
  ['everybody', undefined, () => true],
  ['women', women, ({ gender }: Json) => gender === 'F'],
] as [string, Json, (person: Json) => boolean][])('of %s', (_, query, test) => {
  const found = () => people.filter(test);
  /** The values of the answer, folded, as a map; the answer has all of them. */
  const expectCounts = (answer: Json, listValues: (person: Json) => string[]): void => {
    const counts = count(found().flatMap(listValues));
    expect(answer.total).toBe(found().length);
    expect(answer.withoutValue).toBe(found().filter((person) => listValues(person).length === 0).length);
    expect(answer.distinctValues).toBe(counts.size);
    for (const one of answer.values) expect([one.value, counts.get(fold(one.value))]).toEqual([one.value, one.count]);
  };

  /** The most frequent values come first. */
  const expectMostFrequent = (answer: Json, listValues: (person: Json) => string[]): void => {
    const all = [...count(found().flatMap(listValues)).values()].sort((one, other) => other - one);
    expect(answer.values.map((one: Json) => one.count)).toEqual(all.slice(0, 50));
  };

  it('by city, whatever its case and accents, in a spelling that a contact has', async () => {
    const answer = await facets('CITY', { query });
    const listCities = ({ city }: Json): string[] => (fold(city) ? [fold(city)] : []);
    expectCounts(answer, listCities);
    expectMostFrequent(answer, listCities);
    expect(answer.values).toHaveLength(50);
    expect(people.map(({ city }) => city?.trim())).toEqual(
      expect.arrayContaining(answer.values.map(({ value }: Json) => value)),
    );
  });

  it('by tag, a contact once for each of its tags', async () => {
    const answer = await facets('TAG', { query });
    expectCounts(answer, ({ tags }) => tags.map(fold));
    expectMostFrequent(answer, ({ tags }) => tags.map(fold));
  });

  it('by age, in groups from the youngest, with birthdays at their edges', async () => {
    const answer = await facets('AGE', { query });
    expectCounts(answer, ({ birthdate }) => (birthdate ? [groupOf(birthdate)] : []));
    const order = answer.values.map(({ value }: Json) => ageGroups.indexOf(value));
    expect(order).toEqual([...order].sort((one, other) => one - other));
  });

  it('by month of the last change, the latest first', async () => {
    const answer = await facets('MONTH_OF_LAST_CHANGE', { query });
    expectCounts(answer, ({ month }) => [month]);
    const months = answer.values.map(({ value }: Json) => value);
    const all = new Set<string>(found().map(({ month }) => month));
    expect(months).toEqual([...all].sort().reverse().slice(0, 50));
  });
});

it('answers the first values only, and says how many there are', async () => {
  const [all, some] = [await facets('TAG'), await facets('TAG', { first: 3 })];
  expect(some).toEqual({ ...all, values: all.values.slice(0, 3) });
});

it('finds nobody for a query that finds nobody', async () => {
  const none = { query: { lastName: { equals: 'Nobody at all' } } };
  for (const by of ['CITY', 'TAG', 'AGE', 'MONTH_OF_LAST_CHANGE'])
    expect(await facets(by, none)).toEqual({ total: 0, withoutValue: 0, distinctValues: 0, values: [] });
});

it('works beside conditions on e-mails, on changes and in groups', async () => {
  const query = {
    or: [
      { emails: { openedAt: { exists: true } } },
      { and: [{ lastChangedAt: { gte: 'now-1y' } }, { not: { tags: { exists: true } } }] },
    ],
  };
  const { body } = await door.graphql('query ($query: ContactQuery) { searchContacts(query: $query) { totalCount } }', {
    query,
  });
  for (const by of ['CITY', 'TAG', 'AGE', 'MONTH_OF_LAST_CHANGE'])
    expect((await facets(by, { query })).total).toBe(body.data.searchContacts.totalCount);
});

it('takes one statement beside the gate, whatever the number of values', async () => {
  await facets('CITY');
  const statements = await door.statements(() => facets('CITY'));
  expect(statements.filter((sql) => sql.includes('grouped'))).toHaveLength(1);
  expect(statements.length).toBeLessThanOrEqual(2);
});

it('names the place of a fault in the query, and of a count out of bounds', async () => {
  const { errors } = await facets('CITY', { query: { and: [{ lastName: { equals: ' ' } }] }, first: 51 });
  expect(errors[0].extensions.errors.map(({ location }: Json) => location).sort()).toEqual([
    'first',
    'query.and[0].lastName.equals',
  ]);
});

describe('searchAttributes', () => {
  const list = async (token?: string): Promise<Json[]> =>
    (
      await door.graphql(
        '{ searchAttributes { name path kind ofRecords recordType description operators { name field takes negates } } viewer { permissions } }',
        {},
        token,
      )
    ).body.data.searchAttributes;

  it('is the whole table for whoever may see everything', async () => {
    const all = await list();
    expect(all.map(({ name }) => name)).toEqual(Object.keys(attributes));
    expect(all.find(({ name }) => name === 'emails.campaign_id')).toEqual({
      name: 'emails.campaign_id',
      path: 'emails.campaignId',
      kind: 'ID',
      ofRecords: true,
      recordType: 'Campaign',
      description: 'campaign of an email',
      operators: [
        { name: 'eql', field: 'equals', takes: 'VALUE', negates: null },
        { name: 'not_eql', field: 'notEquals', takes: 'VALUE', negates: 'eql' },
        { name: 'ext', field: 'exists', takes: 'NOTHING', negates: null },
        { name: 'not_ext', field: 'exists', takes: 'NOTHING', negates: 'ext' },
      ],
    });
  });

  it('leaves out what the caller may not search by, which a search refuses indeed', async () => {
    const [{ id }] = await door.sql(
      `with role as (insert into roles (group_id, name, type, permissions) values (1, 'Reader', 'custom', '{contacts.read}') returning id),
            person as (insert into users (mail) values ('reader@example.org') returning id)
       insert into members (group_id, user_id, role_id) select 1, person.id, role.id from person, role returning user_id as id`,
    );
    const token = await door.token(1, id);
    const named = (await list(token)).map(({ name }) => name);
    const hidden = Object.keys(attributes).filter((name) => !named.includes(name));
    expect([...new Set(hidden.map((name) => name.split('.')[0]))]).toEqual([
      'transactions',
      'donations',
      'memberships',
      'emails',
      'sanctions',
    ]);
    const { errors } = await facets('TAG', { query: { donations: { count: { gte: 1 } } } }, token);
    expect(errors[0].extensions.code).toBe('forbidden');
  });
});
