// A segment as the page edits it: to the graph, to the contract's tree and back, with the same people; links.
import { beforeAll, describe, expect, it } from 'vitest';
import { writeTree } from '../../packages/pages/browser/contract-tree.ts';
import {
  findPartAt,
  type Json,
  readQuery,
  UnreadableQuery,
  writeQuery,
} from '../../packages/pages/browser/graph-query.ts';
import {
  type Attributes,
  type Condition,
  changePart,
  chooseAttribute,
  chooseOperator,
  createCondition,
  createGroup,
  type Group,
  listParts,
} from '../../packages/pages/browser/model.ts';
import { writeGraphql } from '../../packages/pages/browser/question-texts.ts';
import { type Door, openApp } from '../harness/app.ts';
import { readEditableAttributes } from './editable-attributes.ts';

let door: Door;
let attributes: Attributes;

beforeAll(async () => {
  door = await openApp();
  attributes = await readEditableAttributes(door);
});

const findByGraph = async (query: Json | undefined): Promise<number[]> => {
  const { body } = await door.graphql(
    'query ($query: ContactQuery) { searchContacts(first: 1000, query: $query) { nodes { databaseId } } }',
    { query },
  );
  if (body.errors) throw new Error(JSON.stringify(body.errors));
  return body.data.searchContacts.nodes.map(({ databaseId }: { databaseId: number }) => databaseId);
};
const findByTree = async (query: Json): Promise<number[]> => {
  const { body } = await door.rest('POST', '/search', { data: { advanced_search: { per_page: 1000, query } } });
  return body.data.contacts.map(({ id }: { id: number }) => id);
};

const women = { gender: { equals: 'F' } };
const young = { birthDate: { gte: 'now-40y' } };
const tagged = { tags: { in: ['Bénévole', 'Sympathisant'] } };
const donors = { donations: { total: { gte: 5050 } } };
const opened = { emails: { openedAt: { exists: true } } };
const born = { birthDate: { inPeriod: { from: '12-15', to: '01-15' } } };
const parisian = { address: { city: { startsWith: 'Par' } } };
const nearParis = { address: { near: { point: { latitude: 48.8566, longitude: 2.3522 }, km: 30.5 } } };
const nearCode = { address: { near: { postalCode: '75001', km: 50 } } };
const inArea = {
  address: {
    within: {
      polygon: [
        [
          [-2, 46],
          [6, 46],
          [6, 50],
          [-2, 50],
          [-2, 46],
        ],
        [
          [2, 48],
          [2.5, 48],
          [2.5, 49],
          [2, 49],
          [2, 48],
        ],
      ],
    },
  },
};
const someIds = { id: { in: [1, 2, 3, 4, 5] } };

/** With a tree, and without one. */
const withTree: Json[] = [
  women,
  { and: [women, young] },
  { or: [women, tagged] },
  { and: [women, { or: [tagged, donors] }] },
  { or: [{ and: [women, young] }, { and: [parisian, opened] }, donors] },
  { and: [women, { and: [young, { and: [{ or: [tagged, parisian] }, born] }] }] },
  { not: women },
  { and: [young, { not: { or: [women, tagged] } }] },
  { not: { and: [{ not: women }, { not: { tags: { exists: true } } }] } },
  { and: [{ memberships: { year: { between: { from: 2020, to: 2026 } } } }, { optedOut: { equals: false } }, someIds] },
  { or: [{ sanctions: { validity: { equals: 'ONGOING' } } }, { lastChangedAt: { lte: '2026-01-31' } }] },
  { donations: { amount: { between: { from: 1, to: 199 } } } },
  nearParis,
  { and: [women, { not: nearCode }] },
  { or: [inArea, { address: { near: { contactId: 1, km: 100 } } }] },
  { not: inArea },
  { address: { near: { contactId: 'Contact:1', point: null, km: 1000 } } },
  { createdAt: { within: { this: 'YEAR' } } },
  { and: [women, { lastChangedAt: { within: { previous: 'MONTH' } } }] },
  { birthDate: { within: { last: { years: 40 } } } },
  { donations: { transactionDate: { within: { last: { days: 365 } } } } },
  { memberships: { endDate: { within: { next: { months: 6 } } } } },
  { donations: { any: {} } },
  { donations: { none: {} } },
  { not: { notes: { any: {} } } },
  { and: [women, { not: { emails: { any: { openedAt: { exists: true } } } } }] },
  { donations: { none: { transactionDate: { within: { this: 'YEAR' } } } } },
  {
    donations: {
      any: { amount: { gte: 5000 }, transactionDate: { gte: 'now-9y' }, paymentMethodKind: { notEquals: 'cash' } },
    },
  },
  { donations: { any: { and: [{ amount: { gte: 1000 } }, { amount: { lte: 9000 } }] } } },
  { memberships: { none: { year: { equals: 2026 } } } },
  { or: [{ sanctions: { any: { validity: { equals: 'ONGOING' } } } }, { transactions: { none: {} } }] },
  { interactions: { any: { title: { contains: 'a' } } } },
];
const withoutTree: [Json, 'depth' | 'exclusion'][] = [
  [{ and: [women, { or: [tagged, { and: [young, donors] }] }] }, 'depth'],
  [{ and: [women, { not: opened }] }, 'exclusion'],
  [{ not: { and: [women, young] } }, 'exclusion'],
  [{ not: { lastChangedAt: { within: { previous: 'MONTH' } } } }, 'exclusion'],
];

describe('a query', () => {
  it.each([
    ...withTree,
    ...withoutTree.map(([query]) => query),
  ])('%j is read and written without a change of who is found', async (query) => {
    const written = writeQuery(readQuery(query, attributes), attributes).query;
    expect(writeQuery(readQuery(written!, attributes), attributes).query).toEqual(written);
    expect(await findByGraph(written)).toEqual(await findByGraph(query));
  });

  it.each(withTree)('%j finds the same people as its tree', async (query) => {
    const result = writeTree(readQuery(query, attributes), attributes);
    if (!('tree' in result)) throw new Error(result.obstacle);
    expect(await findByTree(result.tree)).toEqual(await findByGraph(query));
  });

  it.each(withTree)('%j finds as many as the document that is copied', async (query) => {
    const written = writeQuery(readQuery(query, attributes), attributes).query;
    const { body } = await door.graphql(writeGraphql(written));
    expect(body.errors).toBeUndefined();
    expect(body.data.searchContacts.totalCount).toBe((await findByGraph(query)).length);
  });

  it.each(withoutTree)('%j has no tree: %s', (query, obstacle) => {
    expect(writeTree(readQuery(query, attributes), attributes)).toEqual({ obstacle });
  });

  it('of a form asks for its options and its answer, in both notations', async () => {
    const [form] = await door.sql(
      `select f.id, min(r.id) as option from forms f join form_refs r on r.group_id = f.group_id and r.form_id = f.id
        where f.group_id = 1 and f.deleted_at is null and f.kind <> 'custom_fields' and f.type in ('radio', 'checkbox', 'select') group by f.id order by f.id limit 1`,
    );
    const ids = { form: Number(form.id), options: [Number(form.option)] };
    for (const answer of [
      ids,
      { form: ids.form, value: { exists: false } },
      { form: `Form:${ids.form}`, value: { exists: true } },
    ]) {
      const root = readQuery({ answer } as Json, attributes);
      const { query } = writeQuery(root, attributes);
      const result = writeTree(root, attributes);
      expect(await findByGraph(query)).toEqual(await findByGraph({ answer } as Json));
      expect(await findByTree('tree' in result ? result.tree : {})).toEqual(await findByGraph(query));
    }
  });

  it.each([
    [{ shoeSize: { equals: 1 } }, 'shoeSize'],
    [{ and: [women, { lastName: { contains: 'x' } }] }, 'and[1].lastName.contains'],
    [{ and: women }, 'and'],
    [{ donations: { color: { equals: 'x' } } }, 'donations.color'],
    [{ ...women, ...young }, ''],
    [[], ''],
    ['text', ''],
    [{ birthDate: { between: { from: '2020-01-01' } } }, 'birthDate.between'],
    [{ address: { near: { km: 5 } } }, 'address.near'],
    [{ address: { near: { postalCode: '75001', contactId: 1, km: 5 } } }, 'address.near'],
    [{ address: { near: { town: 'Paris', km: 5 } } }, 'address.near'],
    [{ address: { within: [] } }, 'address.within'],
  ] as [Json, string][])('%j is not shown, and the place is told', (query, place) => {
    let found: unknown;
    try {
      readQuery(query, attributes);
    } catch (error) {
      found = error;
    }
    expect(found).toBeInstanceOf(UnreadableQuery);
    expect((found as UnreadableQuery).place).toBe(place);
  });
});

it.each<[query: Json, place: string]>([
  [{ donations: { all: { amount: { gte: 100 } } } }, 'donations.all'],
  [{ donations: { any: { or: [{ amount: { gte: 100 } }] } } }, 'donations.any.or'],
  [{ donations: { any: { and: [{ not: { amount: { gte: 100 } } }] } } }, 'donations.any.and[0].not'],
  [{ donations: { any: { and: [] } } }, 'donations.any.and'],
  [{ donations: { any: { total: { gte: 100 } } } }, 'donations.any.total'],
  [{ donations: { any: { amount: { gte: 100, currency: 'JPY' } } } }, 'donations.any.amount'],
  [{ donations: { none: null } }, 'donations.none'],
  [{ donations: { none: [] } }, 'donations.none'],
  [{ memberships: { any: { severalInYear: { equals: 2026 } } } }, 'memberships.any.severalInYear'],
  [{ createdAt: { within: { last: { fortnights: 2 } } } }, 'createdAt.within'],
  [{ createdAt: { within: { last: { days: 0 } } } }, 'createdAt.within'],
  [{ createdAt: { within: { this: 'CENTURY' } } }, 'createdAt.within'],
  [{ createdAt: { within: 'this_year' } }, 'createdAt.within'],
  [{ donations: { count: { of: {}, gte: 2 } } }, 'donations.count'],
  [{ and: [] }, 'and'],
  [{ and: [young, { or: [] }] }, 'and[1].or'],
])('a query that the page cannot show, %j, is refused at its place', (query, place) => {
  expect(() => readQuery(query, attributes)).toThrow(expect.objectContaining({ place }));
});

it('a query of a link that is too deep or too long is refused, and stops nothing', () => {
  let deep: Json = women;
  for (let level = 0; level < 5000; level++) deep = { not: deep };
  let deepRecord: Json = { amount: { gte: 1 } };
  for (let level = 0; level < 5000; level++) deepRecord = { and: [deepRecord] };
  const wide = { and: Array.from({ length: 5000 }, () => women) };
  const deepValues: Json[] = [
    { gender: { equals: deep } },
    { address: { near: deep } },
    { birthDate: { between: deep } },
    { address: { within: deep } },
  ];
  for (const query of [deep, wide, { donations: { any: deepRecord } }, ...deepValues])
    expect(() => readQuery(query, attributes)).toThrow(UnreadableQuery);
});

describe('a segment', () => {
  it('is not searched for before each condition on one record is complete', () => {
    const donations = (record: Condition[]) =>
      createGroup([createCondition({ attribute: 'donations', operator: 'none', record })]);
    const incomplete = createCondition({ attribute: 'donations.amount', operator: 'gte' });
    expect(writeQuery(donations([]), attributes).query).toEqual({ donations: { none: {} } });
    expect(writeQuery(donations([incomplete]), attributes).query).toBeUndefined();
    expect(writeQuery(donations([{ ...incomplete, value: '5' }]), attributes).query).toEqual({
      donations: { none: { amount: { gte: 500 } } },
    });
  });

  it('leaves out what is not complete, and groups without anything', () => {
    const complete = createCondition({ attribute: 'gender', operator: 'eql', value: 'F' });
    const incomplete = [
      createCondition(),
      createCondition({ attribute: 'surname', operator: 'eql', value: ' ' }),
      createCondition({ attribute: 'tags.name', operator: 'any_of' }),
      createCondition({ attribute: 'birthdate', operator: 'range', from: '2020-01-01' }),
      createCondition({ attribute: 'form', operator: 'ext' }),
      createGroup([createCondition()]),
    ];
    expect(writeQuery(createGroup(incomplete), attributes)).toMatchObject({ query: undefined });
    expect(writeQuery(createGroup([...incomplete, complete]), attributes).query).toEqual(women);
    expect(writeTree(createGroup(incomplete), attributes)).toEqual({ tree: { $all: [] } });
  });

  it('knows its part at each place that the server names', async () => {
    const query = { and: [women, { or: [tagged, { answer: { form: 1, value: { equals: 'x' } } }] }, { not: opened }] };
    const root = readQuery(query as Json, attributes);
    const written = writeQuery(root, attributes);
    const [first, group, excluded] = root.parts as [Group, Group, Group];
    expect(findPartAt(written, 'query.and[0].gender.equals')).toBe(first.id);
    expect(findPartAt(written, 'query.and[1].or[0].tags.in[1]')).toBe(group.parts[0]!.id);
    expect(findPartAt(written, 'and[1].or[1].answer.value.equals')).toBe(group.parts[1]!.id);
    expect(findPartAt(written, 'query.and[1]')).toBe(group.id);
    expect(findPartAt(written, 'query.and[2].not.emails.openedAt')).toBe(excluded.parts[0]!.id);
    expect(findPartAt(written, 'query')).toBe(root.id);
    for (const record of [[young], [young, women]].map(({ length }) => length)) {
      const tests = [{ amount: { gte: 1 } }, { transactionDate: { lte: 'x' } }].slice(0, record);
      const donors = readQuery({ donations: { any: Object.assign({}, ...tests) } }, attributes);
      const [condition] = donors.parts as [Condition];
      const at = writeQuery(donors, attributes);
      const place = record > 1 ? 'query.donations.any.and[1].transactionDate.lte' : 'query.donations.any.amount.gte';
      expect(findPartAt(at, place)).toBe(condition.record.at(-1)!.id);
      expect(findPartAt(at, 'query.donations.any')).toBe(condition.id);
    }
    expect(findPartAt(written, 'first')).toBe(root.id);
  });

  it('keeps what was typed when the operator changes, and drops it with the kind', () => {
    const typed = createCondition({ attribute: 'tags.name', operator: 'eql', value: 'Donateur' });
    expect(chooseOperator(typed, 'any_of', attributes)).toMatchObject({ operator: 'any_of', list: ['Donateur'] });
    const named = createCondition({ attribute: 'surname', operator: 'start_with', value: 'Du' });
    expect(chooseAttribute(named, 'firstname', attributes)).toMatchObject({ operator: 'start_with', value: 'Du' });
    expect(chooseAttribute(named, 'birthdate', attributes)).toMatchObject({ operator: 'eql', value: '' });
    const spanned = createCondition({ attribute: 'CreatedAt', operator: 'within', value: 'this_year' });
    expect(chooseOperator(spanned, 'gte', attributes)).toMatchObject({ operator: 'gte', value: '' });
    const dated = createCondition({ attribute: 'CreatedAt', operator: 'gte', value: '2026-01-01' });
    expect(chooseOperator(dated, 'within', attributes)).toMatchObject({ operator: 'within', value: '' });
    const born = createCondition({ attribute: 'birthdate', operator: 'period', from: '12-15', to: '01-15' });
    expect(chooseOperator(born, 'range', attributes)).toMatchObject({ operator: 'range', from: '', to: '' });
    expect(chooseOperator(born, 'gte', attributes)).toMatchObject({ operator: 'gte', value: '' });
    const joined = chooseAttribute(born, 'memberships.start_date', attributes);
    expect(chooseOperator(joined, 'range', attributes)).toMatchObject({ from: '', to: '' });
    const given = createCondition({ attribute: 'donations', operator: 'none', record: [dated] });
    expect(chooseOperator(given, 'any', attributes)).toMatchObject({ operator: 'any', record: [dated] });
    expect(chooseAttribute(given, 'notes', attributes)).toMatchObject({ operator: 'none', record: [] });
  });

  it('changes and removes a condition on one record where it is', () => {
    const query = {
      and: [women, { donations: { none: { amount: { gte: 1 }, transactionDate: { gte: '2026-01-01' } } } }],
    };
    const root = readQuery(query, attributes);
    const [amount, date] = (root.parts[1] as Condition).record as [Condition, Condition];
    expect(listParts(root).map(({ id }) => id)).toContain(date.id);
    const changed = changePart(root, amount.id, (part) => ({ ...(part as Condition), value: '2' }));
    expect(
      writeQuery(
        changePart(changed, date.id, () => undefined),
        attributes,
      ).query,
    ).toEqual({
      and: [women, { donations: { none: { amount: { gte: 200 } } } }],
    });
  });

  it('reads amounts with a comma or a point, and leaves nonsense to the server', () => {
    const build = (value: string) =>
      createGroup([createCondition({ attribute: 'donations.amount', operator: 'gte', value })]);
    const write = (value: string) => writeQuery(build(value), attributes).query;
    for (const [text, cents] of [
      ['99,9', 9990],
      ['0.01', 1],
      ['-5', -500],
      ['ten', 'ten'],
      ['1.234', '1.234'],
      ['1\u202f234,5', 123450],
      [' - 1 000 ', -100000],
    ] as const)
      expect(write(text)).toEqual({ donations: { amount: { gte: cents } } });
    expect(JSON.stringify(writeTree(build('1\u202f234,5'), attributes))).toContain('"value":"1234.5"');
  });
});

it.each([
  ['point', '48.8566, 2.3522', { latitude: 48.8566, longitude: 2.3522 }],
  ['point', ' 48,8566 2,3522 ', { latitude: 48.8566, longitude: 2.3522 }],
  ['point', '48,8566, 2,3522', { latitude: 48.8566, longitude: 2.3522 }],
  ['point', '-21.1;55', { latitude: -21.1, longitude: 55 }],
  ['point', '48,2', { latitude: 48, longitude: 2 }],
  ['point', 'Paris', { latitude: 'Paris', longitude: '' }],
  ['postalCode', ' 01000 ', '01000'],
  ['contactId', '17', 17],
  ['contactId', 'Ada', 'Ada'],
] as const)('the centre of a circle is read from its %s, %j', (centre, value, told) => {
  const near = createCondition({ attribute: 'address.near', operator: 'inside', centre, value, km: '2,5' });
  const { query } = writeQuery(createGroup([near]), attributes);
  expect(query).toEqual({ address: { near: { [centre]: told, km: 2.5 } } });
  const half = createCondition({ attribute: 'address.near', operator: 'inside', centre, value });
  expect(writeQuery(createGroup([half]), attributes).query).toBeUndefined();
});
