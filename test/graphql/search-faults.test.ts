// searchContacts: the faults of a condition or an argument, each at its place; no search is run then.
import { beforeAll, describe, expect, it } from 'vitest';
import { type Door, type Json, openApp } from '../harness/app.ts';
import { faults, faultsByTree } from './search-query.ts';

let door: Door;
beforeAll(async () => {
  door = await openApp();
});

describe('a condition that is wrong', () => {
  const day = /^must be a date such as 2026-11-21, a date-time of RFC 3339, or relative such as now-30d/;
  const onlyOne = /^must have exactly one of /;
  const span = /^must be this, previous or following day, week, month, quarter or year, such as this_year, or the last/;
  it.each<[query: Json, location: string, message: string | RegExp, value?: unknown]>([
    // Names and types, which the graph refuses before any rule.
    [
      { shoeSize: { equals: 1 } },
      'shoeSize',
      /^is not a field of ContactQuery, which has accountId, actionId, actions, address, /,
    ],
    [
      { lastName: { contains: 'x' } },
      'lastName.contains',
      /^is not a field of LastNameCondition, which has equals, exists, /,
    ],
    [{ tags: { between: { from: 1, to: 2 } } }, 'tags.between', /^is not a field of TagsCondition/],
    [{ lastName: 'Dupont' }, 'lastName', 'must be an object'],
    [{ lastName: {} }, 'lastName', onlyOne],
    [{ lastName: null }, '', onlyOne],
    [{ lastName: { equals: null } }, 'lastName', onlyOne],
    [{ lastName: { equals: 'a', startsWith: 'b' } }, 'lastName', onlyOne],
    [{ lastName: { equals: 'a' }, email: { exists: true } }, '', onlyOne],
    [{}, '', onlyOne],
    [{ and: [{}] }, 'and[0]', onlyOne],
    [{ and: [null] }, 'and[0]', 'is required', null],
    [{ and: null }, '', onlyOne],
    [{ not: null }, '', onlyOne],
    [{ transactions: {} }, 'transactions', onlyOne],
    [{ transactions: { amount: { gte: 1 }, count: { gte: 1 } } }, 'transactions', onlyOne],
    [{ lastName: { equals: 5 } }, 'lastName.equals', 'must be a string', 5],
    [{ gender: { equals: 'X' } }, 'gender.equals', 'must be one of F, M, O', 'X'],
    [{ sanctions: { validity: { equals: 'ongoing' } } }, 'sanctions.validity.equals', 'must be one of ENDED, ONGOING'],
    [{ optedOut: { equals: 'true' } }, 'optedOut.equals', 'must be true or false', 'true'],
    [{ transactions: { amount: { gte: '19.99' } } }, 'transactions.amount.gte', /^must be a whole number/, '19.99'],
    [{ transactions: { count: { gte: 1.5 } } }, 'transactions.count.gte', /^must be a whole number/, 1.5],
    [{ memberships: { year: { equals: '2026' } } }, 'memberships.year.equals', 'must be a whole number', '2026'],
    [{ lastChangedAt: { gte: 'tomorrow' } }, 'lastChangedAt.gte', day, 'tomorrow'],
    [{ birthDate: { lte: '1990-02-30' } }, 'birthDate.lte', day, '1990-02-30'],
    [{ birthDate: { between: { from: '1990-01-01' } } }, 'birthDate.between.to', 'is required'],
    [{ birthDate: { between: null } }, 'birthDate', onlyOne],
    [{ birthDate: { between: '1990' } }, 'birthDate.between', 'must be an object', '1990'],
    [{ id: { equals: 'Note:1' } }, 'id.equals', 'must be the id of a Contact, not of a Note', 'Note:1'],
    [
      { emails: { templateId: { equals: 'x' } } },
      'emails.templateId.equals',
      /^must be an id such as Template:42/,
      'x',
    ],
    [{ answer: { value: { exists: true } } }, 'answer.form', 'is required'],
    [{ createdAt: { within: {} } }, 'createdAt.within', onlyOne],
    [{ createdAt: { within: { this: 'DECADE' } } }, 'createdAt.within.this', /^must be one of DAY, /, 'DECADE'],
    [{ createdAt: { within: { last: { days: 1, weeks: 1 } } } }, 'createdAt.within.last', onlyOne],
    [{ lastName: { within: { this: 'YEAR' } } }, 'lastName.within', /^is not a field of LastNameCondition/],
    // Values, which rules refuse.
    [{ createdAt: { within: { last: { days: 0 } } } }, 'createdAt.within', span, { last: { days: 0 } }],
    [{ createdAt: { within: { next: { weeks: -3 } } } }, 'createdAt.within', span],
    [{ createdAt: { within: { last: { years: 10_000 } } } }, 'createdAt.within', span],
    [{ lastName: { equals: ' ' } }, 'lastName.equals', /^must be a text that is not blank, at most 256/, ' '],
    [{ lastName: { startsWith: '\u200b' } }, 'lastName.startsWith', /^must be a text that is not blank/, '\u200b'],
    [{ lastName: { equals: 'x'.repeat(257) } }, 'lastName.equals', /at most 256 characters/],
    [{ phone: { equals: 'none' } }, 'phone.equals', 'must be a text with a digit', 'none'],
    [{ tags: { in: ['a', ' '] } }, 'tags.in[1]', /^must be a text/, ' '],
    [{ tags: { hasAll: [] } }, 'tags.hasAll', 'must be 1 to 1000 values', []],
    [{ ageCategory: { equals: 7 } }, 'ageCategory.equals', 'must be a whole number from 0 to 6', 7],
    [{ memberships: { year: { gte: 0 } } }, 'memberships.year.gte', 'must be a year such as "2026"', 0],
    [
      { birthDate: { inPeriod: { from: 'May', to: '06-01' } } },
      'birthDate.inPeriod.from',
      /^must be a day of the year/,
    ],
    [
      { birthDate: { inPeriod: { from: '05-01', to: '06-31x' } } },
      'birthDate.inPeriod.to',
      /^must be a day of/,
      '06-31x',
    ],
    [{ updatedAt: { lte: 'now+9999y' } }, 'updatedAt.lte', day, 'now+9999y'],
    [{ not: { updatedAt: { between: { from: 'now', to: 'now+9999y' } } } }, 'not.updatedAt.between.to', day],
    [{ answer: { form: 1 } }, 'answer', 'must have options, value, or both', { form: 1 }],
    [{ answer: { form: 1, options: [] } }, 'answer.options', 'must be 1 to 1000 ids', []],
    [
      { customField: { form: 1, options: [1], value: { exists: true } } },
      'customField.options',
      'must not be given beside exists',
    ],
    [{ answer: { form: 999_999, value: { exists: true } } }, 'answer.form', /^must be the id of a form/, 999_999],
  ])('%j', async (query, place, message, value) => {
    for (const [wrapped, prefix] of [
      [query, 'query'],
      [{ and: [{ email: { exists: true } }, query] }, 'query.and[1]'],
    ] as const) {
      const found = await faults(door, { query: wrapped });
      expect(found.filter(({ location }) => location !== prefix || place === '')).toEqual([
        {
          location: place ? `${prefix}.${place}` : prefix,
          message: typeof message === 'string' ? message : expect.stringMatching(message),
          ...('value' in found[0]! && { value: value === undefined ? found[0].value : value }),
        },
      ]);
    }
  });

  it('is refused alike when it is a literal', async () => {
    for (const [literal, message] of [
      ['{ lastName: { contains: "x" } }', /Field "contains" is not defined by type "LastNameCondition"/],
      ['{ lastName: { equals: "x", startsWith: "y" } }', /exactly one/i],
      ['{ birthDate: { lte: "May" } }', /must be a date such as 2026-11-21/],
      ['{ lastName: { equals: " " } }', /must be a text that is not blank/],
    ] as const) {
      const { body } = await door.graphql(`{ searchContacts(query: ${literal}) { totalCount } }`);
      const [{ message: text, extensions }] = body.errors;
      expect(`${text} ${JSON.stringify(extensions)}`).toMatch(message);
    }
  });

  it('is reported with faults of types and of ids', async () => {
    const query = {
      or: [
        { id: { in: ['Contact:1', 'Note:2', 'x'] } },
        { lastName: { equals: ' ' } },
        { and: [{ phone: { equals: 'none' } }, { updatedAt: { lte: 'now+9999y' } }] },
      ],
    };
    const places = [
      'query.or[1].lastName.equals',
      'query.or[2].and[0].phone.equals',
      'query.or[2].and[1].updatedAt.lte',
    ];
    expect((await faults(door, { query, last: -2 })).map(({ location }) => location).sort()).toEqual([
      'last',
      'query.or[0].id.in[1]',
      'query.or[0].id.in[2]',
      ...places,
    ]);
    query.or[0] = { gender: { equals: 'X' } } as never;
    expect((await faults(door, { query })).map(({ location }) => location).sort()).toEqual([
      'query.or[0].gender.equals',
      ...places,
    ]);
  });

  it('is reported with all the others, and no search is run', async () => {
    const query = {
      and: [
        { lastName: { equals: ' ' } },
        { or: [{ answer: { form: 1 } }, { not: { phone: { startsWith: '-' } } }] },
        { updatedAt: { gte: 'now-9999y' } },
      ],
    };
    const statements = await door.statements(async () => {
      expect((await faults(door, { query, first: -1 })).map(({ location }) => location).sort()).toEqual([
        'first',
        'query.and[0].lastName.equals',
        'query.and[1].or[0].answer',
        'query.and[1].or[1].not.phone.startsWith',
        'query.and[2].updatedAt.gte',
      ]);
    });
    expect(statements).toHaveLength(1);
  });
});

const cases: [send: typeof faults, args: Json, location: string, message: string | RegExp][] = [
  [faults, { first: -1 }, 'first', 'must be a whole number from 0 to 1000'],
  [faults, { first: 1001 }, 'first', 'must be a whole number from 0 to 1000'],
  [faults, { last: 1001 }, 'last', 'must be a whole number from 0 to 1000'],
  [faults, { first: 1, last: 1 }, 'last', 'must not be given together with first'],
  [faults, { after: 'x'.repeat(10_000) }, 'after', /^must be at most/],
  [faults, { before: 'a\u0000' }, 'before', /^must not contain/],
  [faultsByTree, { first: 0 }, 'first', 'must be from 1 to 1000'],
  [faultsByTree, { first: 1001 }, 'first', 'must be from 1 to 1000'],
  [faultsByTree, { page: -1 }, 'page', 'must be at least 0'],
  [faultsByTree, { after: 'x', page: 0 }, 'page', 'cannot be given beside after'],
];
describe('an argument that is wrong', () => {
  it.each(cases)('%#: %j', async (send, args, location, message) => {
    const statements = await door.statements(async () => {
      for (const selection of ['{ nodes { id } }', '{ totalCount }'])
        expect(await send(door, args, selection)).toEqual([
          expect.objectContaining({
            location,
            message: typeof message === 'string' ? message : expect.stringMatching(message),
          }),
        ]);
    });
    expect(statements).toHaveLength(2);
  });
});
