// Spec §4.13 and §8: faults beside the conditions of a search, and searches that are too large. The response is always small.
import { beforeAll, describe, expect, it } from 'vitest';
import { type Door, type Json, openApp } from '../harness/app.ts';
import { buildGroupQuery, expectRefusal, expectRefusedSearch, root, someone } from './refused-search.ts';

let door: Door;
beforeAll(async () => {
  door = await openApp();
  await door.token(1, 1);
});

const of = (attr: string, ope: string, more: Json = {}): Json => ({ attr, ope, ...more });
const many = <Item>(count: number, item: Item): Item[] => Array.from({ length: count }, () => item);

describe('parameters beside the query', () => {
  const whole = 'must be a whole number';
  it.each([
    ['per_page', undefined, 'is required'],
    ['per_page', null, 'is required'],
    ['per_page', 0, 'must be from 1 to 1000'],
    ['per_page', 1001, 'must be from 1 to 1000'],
    ['per_page', '10', whole],
    ['per_page', 1.5, whole],
    ['per_page', 1e10, 'must be at most 2147483647'],
    ['page', -1, 'must be at least 0'],
    ['page', 'x', whole],
    [
      'sort_attr',
      'shoe_size',
      'must be one of birthdate, city, firstname, gender, lastchange, mail, married_name, surname',
    ],
    ['sort_attr', 5, 'must be one of birthdate, city, firstname, gender, lastchange, mail, married_name, surname'],
    ['sort_asc', 'asc', 'must be true or false'],
    ['include_interactions', 'yes', 'must be true or false'],
    ['with_total', 1, 'must be true or false'],
  ])('%s %s', async (name, sent, message) => {
    const { errors } = await expectRefusedSearch(door, { [name]: sent }, ['/search']);
    expect(errors).toEqual([{ location: `${root}.${name}`, message, ...(sent !== undefined && { value: sent }) }]);
  });
});

it('every fault is reported at once, each at its own place', async () => {
  const { errors } = await expectRefusedSearch(
    door,
    {
      per_page: 0,
      page: -1,
      sort_attr: 'x',
      sort_asc: 1,
      include_interactions: 'yes',
      query: {
        $all: [
          {
            $all: [
              { $condition: someone },
              { $condition: of('gender', 'eql', { value: 'X' }) },
              { $condition: of('gender', 'contains') },
            ],
          },
          { $at_least_one: [] },
          { $condition: someone },
          { $at_least_one: [{ $condition: of('birthdate', 'range') }, { $all: [] }] },
        ],
      },
    },
    ['/search'],
  );
  expect(errors.map(({ location }) => location.replace(`${root}.`, '')).sort()).toEqual(
    [
      'include_interactions',
      'page',
      'per_page',
      'sort_asc',
      'sort_attr',
      ...['$all[0].$all[1].$condition.value', '$all[0].$all[2].$condition.ope', '$all[1].$at_least_one', '$all[2]'].map(
        (place) => `query.${place}`,
      ),
      ...['$condition.from', '$condition.to'].map((place) => `query.$all[3].$at_least_one[0].${place}`),
      'query.$all[3].$at_least_one[1]',
    ].sort(),
  );
});

describe('a body', () => {
  it.each([
    ['[]', 'body', 'must be an object'],
    ['5', 'body', 'must be an object'],
    ['"x"', 'body', 'must be an object'],
    ['null', 'body', 'is required'],
    ['{}', 'body.data', 'is required'],
    ['{"data":[]}', 'body.data', 'must be an object'],
    ['{"advanced_search":{"per_page":1}}', 'body.data', 'is required'],
    ['{"data":{}}', root, 'is required'],
    ['{"data":{"advanced_search":null}}', root, 'is required'],
    ['{"data":{"advanced_search":"x"}}', root, 'must be an object'],
    ['{"data":{"advanced_search":[{"per_page":1}]}}', root, 'must be an object'],
  ])('of %s', async (body, location, message) => {
    expect((await expectRefusal(door, body)).errors).toEqual([expect.objectContaining({ location, message })]);
  });

  it.each(['{', '{"data":'])('that is not JSON: "%s"', async (body) => {
    const { errors } = await expectRefusal(door, body);
    expect(errors).toEqual([{ location: 'body', message: expect.stringMatching(/^is not JSON/) }]);
  });
});

describe('a search that is too large is refused at once, with a short message', () => {
  const tooMany = { location: `${root}.query`, message: 'has more than 100 conditions' };
  const groups = (count: number, one: Json): Json => ({ query: { $all: many(count, one) } });

  it('with 101 conditions, though not with 100', async () => {
    expect((await expectRefusedSearch(door, buildGroupQuery(...many(101, someone)))).errors).toEqual([
      expect.objectContaining(tooMany),
    ]);
    const whole = { data: { advanced_search: { per_page: 1, ...buildGroupQuery(...many(100, someone)) } } };
    expect((await door.rest('POST', '/kpi', whole)).status).toBe(200);
  });

  it.each([
    ['many conditions', buildGroupQuery(...many(5000, someone))],
    ['many invalid conditions', buildGroupQuery(...many(5000, of('x', 'y')))],
    ['many groups', groups(5000, { $all: [{ $condition: someone }] })],
    ['many invalid groups', groups(5000, {})],
    ['many empty conditions', { query: { $all: [{ $all: many(5000, {}) }] } }],
  ])('with %s', async (_, advanced) => {
    const { errors, size } = await expectRefusedSearch(door, advanced);
    expect(errors[0]).toEqual(tooMany);
    expect(size).toBeLessThan(300_000);
  });

  it.each([
    ['conditions', buildGroupQuery(...many(20_000, someone)), '.$all[0].$all'],
    ['groups', groups(100_000, {}), '.$all'],
  ])('with more %s than any list may have', async (_, advanced, place) => {
    expect((await expectRefusedSearch(door, advanced)).errors).toEqual([
      { location: `${root}.query${place}`, message: 'must be at most 5000 items' },
    ]);
  });

  it('with 100,000 conditions: its body is too large', async () => {
    const { status, body } = await door.rest('POST', '/search', {
      data: { advanced_search: buildGroupQuery(...many(100_000, someone)) },
    });
    expect([status, JSON.stringify(body).length < 500]).toEqual([413, true]);
  });

  it.each([
    ['a long value', buildGroupQuery(of('gender', 'eql', { value: 'x'.repeat(900_000) })), '.value'],
    ['a long list', buildGroupQuery(of('id', 'any_of', { value: many(1001, 1) })), '.value'],
    [
      'many references',
      buildGroupQuery(of('form', 'eql', { form_id: 1, form_ref_ids: many(100_000, 'x') })),
      '.form_ref_ids',
    ],
  ])('with %s, which is not sent back', async (_, advanced, place) => {
    const { errors, size } = await expectRefusedSearch(door, advanced);
    expect(errors.map(({ location }) => location)).toEqual([`${root}.query.$all[0].$all[0].$condition${place}`]);
    expect(size).toBeLessThan(1000);
  });

  it('with 100,000 wrong values: the first are listed', async () => {
    const { errors, size } = await expectRefusedSearch(
      door,
      buildGroupQuery(...many(100, of('id', 'any_of', { value: many(1000, 'x') }))),
    );
    expect(errors).toHaveLength(100);
    expect(size).toBeLessThan(50_000);
  });

  it.each([
    ['ids', of('id', 'any_of', { value: many(1000, 1) })],
    ['names', of('tags.name', 'all_of', { value: many(1000, 'x') })],
    ['references', of('form', 'eql', { form_id: 1, value: 'x', form_ref_ids: many(1000, 1) })],
  ])('with lists that exceed their common limit: %s', async (_, condition) => {
    for (const count of [2, 20])
      expect((await expectRefusedSearch(door, buildGroupQuery(...many(count, condition)))).errors).toEqual([
        expect.objectContaining({ location: `${root}.query`, message: 'has more than 1000 values in its lists' }),
      ]);
    const alone = { data: { advanced_search: { per_page: 1, ...buildGroupQuery(condition) } } };
    expect((await door.rest('POST', '/search', alone)).status).toBe(200);
  });
});
