// Spec §4.13: faults of searches. Each has its place, its value and what is allowed; and no search is run.
import { beforeAll, describe, expect, it } from 'vitest';
import { type Door, type Json, openApp } from '../harness/app.ts';
import { buildGroupQuery, expectRefusedSearch, root, someone } from './refused-search.ts';

let door: Door;
beforeAll(async () => {
  door = await openApp();
  await door.token(1, 1);
});

const first = `${root}.query.$all[0].$all[0].$condition`;

/** One condition with these faults, at these places below it. */
type Case = [condition: Json, faults: Record<string, [message: string | RegExp, value?: unknown]>];
const moment = /^must be a date such as 2026-11-21, a date-time of RFC 3339, or relative such as now-/;
const euros = 'must be an amount in euros such as "99.90", with at most two decimals';
const text = 'must be a text that is not blank, at most 256 characters';
const of = (attr: string, ope: string, more: Json = {}): Json => ({ attr, ope, ...more });
const value = (attr: string, ope: string, one: unknown, message: string | RegExp): Case => [
  of(attr, ope, { value: one }),
  { value: [message, one] },
];

const span = /^must be this, previous or following day, week, .*, such as last_90_days$/;

const cases: Case[] = [
  [
    of('shoe_size', 'eql', { value: 1 }),
    {
      attr: [
        /^must be one of firstname, surname, .*, form, .*UpdatedAt, opted_out_at, consented_at, segment$/,
        'shoe_size',
      ],
    },
  ],
  [
    of('notes.author', 'eql', { value: 1 }),
    { attr: [/^must be one of notes.count_amount, (notes.\w+, )+notes.user_id$/, 'notes.author'] },
  ],
  [{ ope: 'ext' }, { attr: ['is required'] }],
  [
    { attr: 'constructor', ope: '__proto__' },
    {
      attr: [/^must be one of/, 'constructor'],
      ope: [/^must be one of eql, .*none, inside, not_inside$/, '__proto__'],
    },
  ],
  [
    { attr: 7, ope: 'like' },
    { attr: [/^must be one of/, 7], ope: [/^must be one of eql/, 'like'] },
  ],
  [
    { attr: 'surname' },
    { ope: ['is required; surname permits eql, not_eql, ext, not_ext, start_with, not_start_with'] },
  ],
  [
    of('surname', 'like', { value: 'x' }),
    { ope: ['surname permits eql, not_eql, ext, not_ext, start_with, not_start_with', 'like'] },
  ],
  [of('gender', 'contains', { value: 'M' }), { ope: ['gender permits eql, not_eql, ext, not_ext', 'contains'] }],
  [of('user_contact_id', 'eql', { value: 1 }), { ope: ['user_contact_id permits ext, not_ext', 'eql'] }],
  [of('surname', 'eql'), { value: ['is required'] }],
  [of('birthdate', 'range', { from: '2020-01-01' }), { to: ['is required'] }],
  [of('birthdate', 'range', { from: 'x', to: 5 }), { from: [moment, 'x'], to: [moment, 5] }],
  [
    of('birthdate', 'period', { value: '13-01/01-01' }),
    { value: ['must be a part of the year such as 12-15/01-15, of days that exist', '13-01/01-01'] },
  ],
  [
    of('birthdate', 'period', { from: '02-30' }),
    { from: ['must be a day of the year such as 12-15, one that exists', '02-30'] },
  ],
  [
    of('birthdate', 'period', { from: '12-15', to: '02-30' }),
    { to: ['must be a day of the year such as 12-15, one that exists', '02-30'] },
  ],
  value('surname', 'eql', ' \t', text),
  // The folding leaves nothing of these, with which each value begins.
  value('surname', 'start_with', '\u200b', text),
  value('surname', 'eql', '\u0301\u00ad\u20dd', text),
  value('emails.subject', 'contains', '\ufeff\u0300', text),
  [of('form', 'contains', { form_id: 1, value: '\u2060' }), { value: [text, '\u2060'] }],
  value('surname', 'eql', {}, text),
  value('surname', 'start_with', 'a\u0000', text),
  value('surname', 'eql', '\ud800', text),
  value('surname', 'eql', 'x'.repeat(257), text),
  value('phone', 'eql', 'none', 'must be a text with a digit'),
  value('lastchange', 'gte', 'now-30x', moment),
  value('lastchange', 'gte', 'tomorrow', moment),
  value('lastchange', 'gte', 'infinity', moment),
  value('lastchange', 'gte', '2023-02-29', moment),
  value('lastchange', 'gte', 'now-999999y', moment),
  value('lastchange', 'within', 'this_decade', span),
  value('lastchange', 'within', 'THIS_YEAR', span),
  value('birthdate', 'within', 'last_0_days', span),
  value('birthdate', 'within', 'last_10000_days', span),
  value('birthdate', 'within', 'last_9999_years', span),
  value('birthdate', 'within', 2026, span),
  [of('birthdate', 'within'), { value: ['is required'] }],
  value('birthdate', 'lte', '01/02/1980', moment),
  value('birthdate', 'lte', 19800102, moment),
  value('transactions.amount', 'gte', '1e100000', euros),
  value('transactions.amount', 'gte', '1.234', euros),
  value('donations.sum_amount', 'lte', '1,50', euros),
  value('donations.sum_amount', 'lte', '999999999999999999', euros),
  value('transactions.count_amount', 'eql', '1.5', 'must be a whole number'),
  value('emails.campaign_performance_rating', 'gte', 'high', 'must be a whole number'),
  value('user_id', 'eql', '-1', 'must be an id: a whole number from 0 to 9007199254740991'),
  value('id', 'eql', '9007199254740993', 'must be an id: a whole number from 0 to 9007199254740991'),
  value('black_list', 'eql', 'maybe', 'must be true or false'),
  value('gender', 'eql', 'X', 'must be M, F or O'),
  value('age_cat', 'eql', 7, 'must be a whole number from 0 to 6'),
  value('memberships.period', 'eql', '26', 'must be a year such as "2026"'),
  value('sanctions.validity', 'eql', 'over', 'must be ongoing or ended'),
  value('tags.name', 'any_of', 5, 'must be an array'),
  value('tags.name', 'any_of', [], 'must be 1 to 1000 values'),
  [of('tags.name', 'all_of'), { value: ['is required'] }],
  [of('tags.name', 'all_of', { value: ['a', '', 'b', null] }), { 'value[1]': [text, ''], 'value[3]': [text, null] }],
  [of('id', 'none_of', { value: '1, two,3' }), { 'value[1]': [/^must be an id/] }],
  [of('form', 'ext'), { form_id: ['is required'] }],
  [
    of('form', 'eql', { form_id: '1.0', form_ref_ids: 5 }),
    { form_id: ['must be the id of a form', '1.0'], form_ref_ids: ['must be an array of ids', 5] },
  ],
  [
    of('custom_fields', 'contains', { form_id: 1, form_ref_ids: [2, -3], value: '' }),
    { 'form_ref_ids[1]': ['must be the id of a reference value', -3], value: [text, ''] },
  ],
];

describe('a condition', () => {
  it.each(
    cases.map(([condition, faults]) => [JSON.stringify(condition).slice(0, 90), condition, faults] as const),
  )('%s', async (_, condition, faults) => {
    const due = Object.entries(faults).map(([place, [message, found]]) => ({
      location: `${first}.${place}`,
      message: typeof message === 'string' ? message : expect.stringMatching(message),
      ...(found !== undefined && { value: JSON.parse(JSON.stringify(found)) }),
    }));
    const { errors } = await expectRefusedSearch(door, buildGroupQuery(condition));
    expect(errors).toEqual(due);
  });
});

describe('a query', () => {
  const oneKey = 'must be an object with one key, $all or $at_least_one';
  const $condition = someone;
  it.each([
    [
      'a condition under the root',
      { $all: [{ $condition }] },
      '.$all[0]',
      'must be a group, $all or $at_least_one, that holds the $condition',
    ],
    [
      'a third level',
      { $all: [{ $all: [{ $all: [{ $condition }] }] }] },
      '.$all[0].$all[0]',
      'must hold a $condition: groups nest no deeper than 2 levels',
    ],
    ['an empty group', { $all: [{ $at_least_one: [] }] }, '.$all[0].$at_least_one', 'must not be empty'],
    ['both keys', { $all: [{ $all: [{ $condition }], $at_least_one: [{ $condition }] }] }, '.$all[0]', oneKey],
    ['both keys at the root', { $all: [], $at_least_one: [] }, '', oneKey],
    ['no key', { $any: [] }, '', oneKey],
    ['an array', [], '', oneKey],
    ['a text', 'surname = x', '', oneKey],
    ['no list', { $all: { $all: [] } }, '.$all', 'must be an array'],
    ['null for a group', { $all: [null] }, '.$all[0]', oneKey],
    [
      'null for a condition',
      { $all: [{ $all: [null] }] },
      '.$all[0].$all[0]',
      'must hold a $condition: groups nest no deeper than 2 levels',
    ],
    [
      'an invalid condition',
      { $all: [{ $all: [{ $condition: [] }] }] },
      '.$all[0].$all[0].$condition',
      'must be an object',
    ],
  ])('of %s', async (_, query, place, message) => {
    const { errors } = await expectRefusedSearch(door, { query });
    expect(errors).toEqual(
      [{ location: `${root}.query${place}`, message, value: expect.anything() }].map((fault) =>
        errors[0].value === null ? { ...fault, value: null } : fault,
      ),
    );
  });
});
