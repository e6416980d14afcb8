// searchContacts: the faults of a condition or an argument, each at its place; no search is run then.
import { beforeAll, describe, expect, it } from 'vitest';
import { type Door, type Json, openApp } from '../harness/app.ts';
import { condition, faults, searched } from './search-query.ts';

let door: Door;
beforeAll(async () => {
  door = await openApp();
});

describe('a condition that is wrong', () => {
  const at = (place: string, message: string | RegExp, value?: unknown): Json => ({
    location: `query.all[0].condition.${place}`,
    message: typeof message === 'string' ? message : expect.stringMatching(message),
    ...(value !== undefined && { value }),
  });
  it.each([
    [
      condition('surname', 'contains', { value: 'x' }),
      [at('operator', 'surname permits eql, not_eql, ext, not_ext, start_with, not_start_with', 'contains')],
    ],
    [
      condition('mail', 'contains', { value: 'x' }),
      [at('operator', /^mail permits eql_strictdata, not_eql_strictdata, ext/, 'contains')],
    ],
    [
      condition('tags_name', 'range', { from: 1, to: 2 }),
      [at('operator', /^tags_name permits eql, not_eql, any_of/, 'range')],
    ],
    [
      condition('tags_name', 'any_of', { value: 'a' }),
      [at('value', 'is not an operand of any_of', 'a'), at('values', 'is required')],
    ],
    [
      condition('tags_name', 'eql', { values: ['a'] }),
      [at('values', 'is not an operand of eql', ['a']), at('value', 'is required')],
    ],
    [condition('tags_name', 'any_of', { values: ['a', ' '] }), [at('values[1]', /^must be a text/, ' ')]],
    [condition('surname', 'ext', { value: 'x' }), [at('value', 'is not an operand of ext', 'x')]],
    [
      condition('birthdate', 'range', { value: '2020-01-01' }),
      [at('value', 'is not an operand of range', '2020-01-01'), at('from', 'is required'), at('to', 'is required')],
    ],
    [
      condition('birthdate', 'lte', { from: '2020-01-01', to: '2021-01-01' }),
      [
        at('from', 'is not an operand of lte', '2020-01-01'),
        at('to', 'is not an operand of lte', '2021-01-01'),
        at('value', 'is required'),
      ],
    ],
    [condition('birthdate', 'period', { value: 'May' }), [at('value', /^must be a part of the year/, 'May')]],
    [condition('lastchange', 'gte', { value: 'tomorrow' }), [at('value', /^must be a date/, 'tomorrow')]],
    [condition('transactions_amount', 'gte', { value: '1.234' }), [at('value', /^must be an amount/, '1.234')]],
    [
      condition('surname', 'eql', { value: 'x', formId: 1, optionIds: [2] }),
      [at('formId', 'is not an operand of surname', 1), at('optionIds', 'is not an operand of surname', [2])],
    ],
    [condition('form', 'ext'), [at('formId', 'is required')]],
    [condition('custom_fields', 'eql', { optionIds: [1] }), [at('formId', 'is required')]],
  ])('%j', async (one, due) => {
    const found = await faults(door, { query: { all: [one] } });
    expect(found).toHaveLength(due.length);
    expect(found).toEqual(expect.arrayContaining(due));
  });

  it('is refused for its type before any rule', async () => {
    for (const one of [
      condition('shoe_size', 'eql'),
      condition('surname', 'like'),
      condition('tags.name', 'ext'),
      condition('surname', 'eql', { value: {} }),
      condition('form', 'ext', { formId: {} }),
      { condition: { operator: 'ext' } },
    ]) {
      const { body } = await searched(door, { query: { all: [one] } });
      expect([body.data, body.errors[0].message]).toEqual([
        undefined,
        expect.stringContaining('query.all[0].condition'),
      ]);
    }
  });

  it('is reported with all the others, and no search is run', async () => {
    const query = {
      all: [
        condition('gender', 'eql', { value: 'X' }),
        { any: [condition('form', 'ext'), condition('mail', 'range')] },
      ],
    };
    const statements = await door.statements(async () => {
      expect((await faults(door, { query })).map(({ location }) => location)).toEqual([
        'query.all[0].condition.value',
        'query.all[1].any[0].condition.formId',
        'query.all[1].any[1].condition.operator',
      ]);
    });
    expect(statements).toHaveLength(1);
  });
});

describe('an argument that is wrong', () => {
  it.each([
    [{ first: 0 }, 'first', 'must be from 1 to 1000'],
    [{ first: 1001 }, 'first', 'must be from 1 to 1000'],
    [{ page: -1 }, 'page', 'must be at least 0'],
    [{ after: 'x'.repeat(10_000) }, 'after', /^must be at most/],
    [{ after: 'a\u0000' }, 'after', /^must not contain/],
    [{ after: 'x', page: 0 }, 'page', 'cannot be given beside after'],
    [{ query: { all: [] }, tree: { $all: [] } }, 'tree', 'cannot be given beside query'],
  ] as [Json, string, string | RegExp][])('%j', async (args, location, message) => {
    const statements = await door.statements(async () => {
      for (const selection of ['{ nodes { id } }', '{ totalCount }'])
        expect(await faults(door, args, selection)).toEqual([
          expect.objectContaining({
            location,
            message: typeof message === 'string' ? message : expect.stringMatching(message),
          }),
        ]);
    });
    expect(statements).toHaveLength(2);
  });
});
