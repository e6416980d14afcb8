// The oracle on the contact's own values: the sentences of the contract on tree, text, negation, dates, lists and order, with ids by hand.
import { describe, expect, it } from 'vitest';
import { type AdvancedSearch, type Condition, findMatches, findMatchingPage, type Query } from './oracle.ts';
import type { Population } from './rows.ts';
import { createContactsWith, createSmallPopulation } from './small.ts';

const sorted = (ids: Set<number>): number[] => [...ids].sort((a, b) => a - b);
const ids = (world: Population, condition: Condition): number[] =>
  sorted(findMatches(world, { $all: [{ $all: [{ $condition: condition }] }] }));
const asker =
  (world: Population, attr: string) =>
  (ope: string, value?: unknown): number[] =>
    ids(world, { attr, ope, ...(value !== undefined && { value }) });

describe('the tree', () => {
  const world = createContactsWith(
    { firstname: 'Ana', surname: 'Petit' },
    { firstname: 'Ana', surname: 'Martin' },
    { firstname: 'Zoé', surname: 'Petit' },
    { deleted_at: '2026-01-01T00:00:00Z', firstname: 'Ana' },
  );
  const first = (value: string) => ({ $condition: { attr: 'firstname', ope: 'eql', value } });
  const last = (value: string) => ({ $condition: { attr: 'surname', ope: 'eql', value } });
  const found = (query?: Query) => sorted(findMatches(world, query));

  it('is $all or $at_least_one at both levels', () => {
    expect(found({ $all: [{ $all: [first('ana'), last('petit')] }] })).toEqual([1]);
    expect(found({ $all: [{ $at_least_one: [first('zoe'), last('martin')] }] })).toEqual([2, 3]);
    expect(found({ $at_least_one: [{ $all: [first('ana'), last('petit')] }, { $all: [first('zoe')] }] })).toEqual([
      1, 3,
    ]);
    expect(found({ $all: [{ $at_least_one: [first('ana'), first('zoe')] }, { $all: [last('petit')] }] })).toEqual([
      1, 3,
    ]);
  });
  it('matches every contact with an empty $all and without a query', () => {
    expect(found({ $all: [] })).toEqual([1, 2, 3]);
    expect(found()).toEqual([1, 2, 3]);
  });
  it('refuses what it does not know, rather than guess', () => {
    expect(() => ids(world, { attr: 'shoe_size', ope: 'eql', value: '1' })).toThrow('shoe_size');
    expect(() => ids(world, { attr: 'firstname', ope: 'lte', value: 'a' })).toThrow('lte');
  });
  it('keeps to one space, whose ids another may have too', () => {
    const two = createContactsWith({ firstname: 'Ana' }, { group_id: 2, id: 1, firstname: 'Zoé' });
    const query: Query = { $all: [{ $all: [first('zoe')] }] };
    expect(sorted(findMatches(two, query))).toEqual([]);
    expect(sorted(findMatches(two, query, two.now, 2))).toEqual([1]);
  });
});

describe('text', () => {
  it('is equal as a whole, ignoring case, accents and surrounding space', () => {
    const ask = asker(
      createContactsWith(
        ...['Zoé', 'ZOE\u0301 ', ' zoe', 'Zoélie', 'İpek', 'IŞIK', 'Œuf', 'Weiß'].map((firstname) => ({ firstname })),
      ),
      'firstname',
    );
    expect(ask('eql', ' zoÉ')).toEqual([1, 2, 3]);
    expect(ask('eql', 'ipek')).toEqual([5]);
    expect(ask('eql', 'ışık')).toEqual([6]);
    expect(ask('eql', 'OEUF')).toEqual([7]);
    expect(ask('eql', 'weiss')).toEqual([8]);
  });
  it('is equal to the letter under strictdata', () => {
    const ask = asker(createContactsWith({ mail: 'a@b.fr' }, { mail: 'A@b.fr' }, { mail: ' a@b.fr' }, {}), 'mail');
    expect(ask('eql:strictdata', 'a@b.fr')).toEqual([1]);
    expect(ask('not_eql:strictdata', 'a@b.fr')).toEqual([2, 3, 4]);
    expect(ask('eql', 'A@B.FR')).toEqual([1, 2, 3]);
    expect(ask('not_eql', 'A@B.FR')).toEqual([4]);
  });
  it('starts with a prefix under the same folding, in which %, _ and backslash are plain', () => {
    const ask = asker(
      createContactsWith(
        ...['100% Sud', '1000', 'a_b', 'axb', 'a\\b', 'Élan', '😀 ok'].map((surname) => ({ surname })),
      ),
      'surname',
    );
    expect(ask('start_with', '100%')).toEqual([1]);
    expect(ask('start_with', 'A_')).toEqual([3]);
    expect(ask('start_with', 'a\\')).toEqual([5]);
    expect(ask('start_with', 'el')).toEqual([6]);
    expect(ask('start_with', '😀')).toEqual([7]);
    expect(ask('not_start_with', 'a')).toEqual([1, 2, 6, 7]);
  });
  it('has no value when it is missing, empty or blank', () => {
    const ask = asker(createContactsWith({}, { firstname: '' }, { firstname: '  ' }, { firstname: '%' }), 'firstname');
    expect(ask('ext')).toEqual([4]);
    expect(ask('not_ext')).toEqual([1, 2, 3]);
    expect(ask('not_eql', 'x')).toEqual([1, 2, 3, 4]);
  });
  it('of a telephone number is its digits, with the calling code or as it is dialled within the country', () => {
    const ask = asker(
      createContactsWith(
        ...['06 39 98 00 01', '0639980001', '+33 6 39 98', '+33639980001', '33639', 'néant'].map((mobile) => ({
          mobile,
        })),
        {},
      ),
      'mobile',
    );
    expect(ask('eql', '06.39.98.00.01')).toEqual([1, 2, 4]);
    expect(ask('eql', '0033 (0)6 39 98 00 01')).toEqual([4]);
    expect(ask('start_with', '+336 39')).toEqual([3, 4]);
    expect(ask('start_with', '336')).toEqual([3, 4, 5]);
    expect(ask('start_with', '06')).toEqual([1, 2, 3, 4]);
    expect(ask('contains', '6-39')).toEqual([1, 2, 3, 4, 5]);
    expect(ask('contains', '+33')).toEqual([3, 4]);
    expect(ask('contains', '063')).toEqual([1, 2, 3, 4]);
    expect(ask('not_start_with', '0')).toEqual([5, 6, 7]);
    expect(ask('ext')).toEqual([1, 2, 3, 4, 5, 6]);
  });
});

describe("negation on the contact's own", () => {
  const world = createSmallPopulation({
    contacts: [{ gender: 'F' }, { gender: 'M' }, {}, {}],
    addresses: [
      { contact_id: 1, city: 'Paris', polling_station: '12' },
      { contact_id: 2, city: 'Lyon', polling_station: '' },
      { contact_id: 3 },
    ],
    tags: [{ name: 'Militant' }, { name: 'bleu, blanc' }, { name: 'adhérent' }],
    contact_tags: [
      { contact_id: 1, tag_id: 1 },
      { contact_id: 1, tag_id: 2 },
      { contact_id: 2, tag_id: 3 },
    ],
    actions: [{}, { deleted_at: '2026-01-01T00:00:00Z' }],
    contact_actions: [
      { contact_id: 1, action_id: 1 },
      { contact_id: 2, action_id: 2 },
    ],
  });
  it('matches every contact that the positive operator does not: fields, address, tags, actions', () => {
    expect(asker(world, 'gender')('not_eql', 'F')).toEqual([2, 3, 4]);
    expect(asker(world, 'address.city')('not_eql', 'paris')).toEqual([2, 3, 4]);
    expect(asker(world, 'address.city')('not_ext')).toEqual([3, 4]);
    expect(asker(world, 'address.pollingstation')('none_of', ['12', '13'])).toEqual([2, 3, 4]);
    expect(asker(world, 'tags.name')('not_eql', 'militant')).toEqual([2, 3, 4]);
    expect(asker(world, 'tags.name')('not_ext')).toEqual([3, 4]);
    expect(asker(world, 'action_ids')('eql', 1)).toEqual([1]);
    expect(asker(world, 'action_ids')('not_eql', '1')).toEqual([2, 3, 4]);
    expect(asker(world, 'action_ids')('eql', 2)).toEqual([]);
  });
  it('takes lists as arrays or as text with commas', () => {
    const tags = asker(world, 'tags.name');
    expect(tags('any_of', ['MILITANT', 'adherent'])).toEqual([1, 2]);
    expect(tags('any_of', 'MILITANT, adherent')).toEqual([1, 2]);
    expect(tags('none_of', 'militant,none')).toEqual([2, 3, 4]);
    expect(tags('all_of', ['militant', 'Bleu, blanc'])).toEqual([1]);
    expect(tags('all_of', 'militant,adherent')).toEqual([]);
    expect(asker(world, 'id')('any_of', '1, 3,99')).toEqual([1, 3]);
    expect(asker(world, 'id')('none_of', [1, '3'])).toEqual([2, 4]);
  });
  it('compares flags and small numbers', () => {
    const both = createContactsWith({ black_list: true, age_category: 0 }, { age_category: 3, user_contact_id: 5 }, {});
    expect(asker(both, 'black_list')('eql', true)).toEqual([1]);
    expect(asker(both, 'black_list')('not_eql', true)).toEqual([2, 3]);
    expect(asker(both, 'age_cat')('eql', 0)).toEqual([1]);
    expect(asker(both, 'age_cat')('ext')).toEqual([1, 2]);
    expect(asker(both, 'age_cat')('not_eql', '3')).toEqual([1, 3]);
    expect(asker(both, 'user_contact_id')('ext')).toEqual([2]);
  });
});

describe('dates', () => {
  const changed = asker(
    createContactsWith(
      ...[
        '2026-01-30T23:59:59.999999Z',
        '2026-01-31T00:00:00Z',
        '2026-01-31T23:59:59.999999Z',
        '2026-02-01T00:00:00Z',
      ].map((lastchange) => ({ lastchange })),
    ),
    'lastchange',
  );
  it('alone mean that UTC day, with a time that instant', () => {
    expect(changed('eql', '2026-01-31')).toEqual([2, 3]);
    expect(changed('eql', '2026-01-31T00:00:00Z')).toEqual([2]);
    expect(changed('eql', '2026-01-31T01:00:00.000+01:00')).toEqual([2]);
    expect(changed('eql', '2026-01-31T23:59:59.999998Z')).toEqual([]);
  });
  it('include the whole day at the end, and start at midnight', () => {
    expect(changed('lte', '2026-01-31')).toEqual([1, 2, 3]);
    expect(changed('gte', '2026-01-31')).toEqual([2, 3, 4]);
    expect(changed('lte', '2026-01-31T00:00:00Z')).toEqual([1, 2]);
    expect(changed('lte', '2026-01-30T23:59:59.999998Z')).toEqual([]);
  });
  it('range with both ends included', () => {
    const world = createContactsWith(
      { birthdate: '1990-02-28' },
      { birthdate: '1992-02-29' },
      { birthdate: '1992-03-01' },
      {},
    );
    const range = (from: string, to: string) => ids(world, { attr: 'birthdate', ope: 'range', from, to });
    expect(range('1990-02-28', '1992-02-29')).toEqual([1, 2]);
    expect(range('1992-02-29', '1990-02-28')).toEqual([]);
    expect(range('1990-02-28T00:00:00+02:00', 'now')).toEqual([1, 2, 3]);
  });
  it('are relative to one now, by units that repeat, clamp and round down', () => {
    const at = (now: string, value: string, lastchange: string): boolean => {
      const query = { $all: [{ $all: [{ $condition: { attr: 'lastchange', ope: 'eql', value } }] }] };
      return findMatches(createContactsWith({ lastchange }), query, now).size === 1;
    };
    const now = '2024-03-31T12:34:56.789012Z';
    expect(at(now, 'now', now)).toBe(true);
    expect(at(now, 'now-1M', '2024-02-29T12:34:56.789012Z')).toBe(true);
    expect(at('2024-02-29T00:00:00Z', 'now-1y', '2023-02-28T00:00:00Z')).toBe(true);
    expect(at(now, 'now-1M+1d', '2024-03-01T12:34:56.789012Z')).toBe(true);
    expect(at(now, 'now+1w-2d+3h-4m+5s', '2024-04-05T15:31:01.789012Z')).toBe(true);
    expect(at(now, 'now/d', '2024-03-31T00:00:00Z')).toBe(true);
    expect(at(now, 'now/h', '2024-03-31T12:00:00Z')).toBe(true);
    // The 31st of March 2024 was a Sunday.
    expect(at(now, 'now/w', '2024-03-25T00:00:00Z')).toBe(true);
    expect(at(now, 'now-1y/y', '2023-01-01T00:00:00Z')).toBe(true);
    expect(at(now, 'now+1M/M', '2024-04-01T00:00:00Z')).toBe(true);
    expect(at('1969-12-31T23:59:59.999999Z', 'now/d', '1969-12-31T00:00:00Z')).toBe(true);
  });
  it('of birth fall in a part of the year, which may wrap over New Year', () => {
    const days = ['1990-12-31', '1991-01-01', '1992-02-29', '1993-03-01', '1994-06-15'];
    const world = createContactsWith(...days.map((birthdate) => ({ birthdate })), {});
    const period = asker(world, 'birthdate');
    expect(period('period', '12-31/01-01')).toEqual([1, 2]);
    expect(period('period', '02-29/03-01')).toEqual([3, 4]);
    expect(period('period', '02-28/02-28')).toEqual([]);
    expect(ids(world, { attr: 'birthdate', ope: 'period', from: '06-15', to: '02-29' })).toEqual([1, 2, 3, 5]);
  });
});

describe('order', () => {
  const world = createContactsWith(
    { surname: 'émile' },
    { surname: null },
    { surname: 'ZOE' },
    { surname: 'Emile' },
    { surname: ' ' },
    { surname: 'abel' },
  );
  const page = (asked: Partial<AdvancedSearch>) => findMatchingPage(world, { per_page: 1000, ...asked });
  it('is by id ascending unless an attribute is named', () => {
    expect(page({})).toEqual([1, 2, 3, 4, 5, 6]);
    expect(page({ sort_asc: false })).toEqual([1, 2, 3, 4, 5, 6]);
  });
  it('is folded, descending by default, empty values last in both directions, then by id ascending', () => {
    expect(page({ sort_attr: 'surname', sort_asc: true })).toEqual([6, 1, 4, 3, 2, 5]);
    expect(page({ sort_attr: 'surname' })).toEqual([3, 1, 4, 6, 2, 5]);
  });
  it('has pages from 0; past the end they are empty', () => {
    expect(page({ sort_attr: 'surname', per_page: 4, page: 1 })).toEqual([2, 5]);
    expect(page({ per_page: 6, page: 1 })).toEqual([]);
  });
  it('goes by the address for city, and by dates for dates', () => {
    const cities = createSmallPopulation({
      contacts: [{ birthdate: '1990-01-01' }, { birthdate: '0999-05-05' }, {}],
      addresses: [
        { contact_id: 1, city: 'Öhr' },
        { contact_id: 3, city: 'orly' },
      ],
    });
    expect(findMatchingPage(cities, { per_page: 9, sort_attr: 'city', sort_asc: true })).toEqual([1, 3, 2]);
    expect(findMatchingPage(cities, { per_page: 9, sort_attr: 'birthdate', sort_asc: true })).toEqual([2, 1, 3]);
  });
});
