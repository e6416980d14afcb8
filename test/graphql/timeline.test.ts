// contact.timeline: each kind of entry, their one order, pages, and what a caller may not see.
import { beforeAll, describe, expect, it } from 'vitest';
import { timelineKinds } from '../../src/data/event/timeline.ts';
import { evaluateSegments } from '../../src/data/segment/segment-evaluation.ts';
import { type Door, type Json, openApp } from '../harness/app.ts';
import { createMember } from '../harness/member.ts';
import { createTimeline, publishChanges } from './whole-timeline.ts';
import { runMutation } from './writing.ts';

let door: Door;
/** A contact with an entry of each kind, and one with two notes. */
let [whole, other]: [number, number] = [0, 0];

beforeAll(async () => {
  door = await openApp();
  whole = await createTimeline(door, { lastName: 'Whole' });
  const day = '2025-01-01T10:00:00Z';
  other = (await runMutation(door, 'createContact', { lastName: 'Other' })).id;
  for (const content of ['first', 'second'])
    await door.sql(`insert into notes (group_id, contact_id, content, created_at) values (1, ?, ?, ?)`, [
      other,
      content,
      day,
    ]);
});

const items = `item { __typename ... on Node { id } ... on Note { content } ... on Interaction { type } ... on Donation { amount { amount } }
  ... on Transaction { amount { amount } } ... on Membership { startDate } ... on Sanction { status } ... on Email { openedAt }
  ... on Answer { text } ... on ConsentChange { after } ... on Change { operation fields recordId } }`;
const read = async (args = '', fields = `at kind ${items}`, token?: string): Promise<Json> => {
  const document = `query ($id: ID!) { contact(id: $id) { timeline${args} { nodes { ${fields} } pageInfo { hasNextPage hasPreviousPage startCursor endCursor } } } }`;
  const { body } = await door.graphql(document, { id: whole }, token);
  if (body.errors) throw new Error(JSON.stringify(body.errors));
  return body.data.contact.timeline;
};
const listKinds = async (args = '', token?: string): Promise<string[]> =>
  (await read(args, 'kind', token)).nodes.map(({ kind }: Json) => kind);

describe('a timeline', () => {
  it('has an entry of each kind, the latest first', async () => {
    const { nodes } = await read('(first: 100)');
    expect([...new Set<string>(nodes.map(({ kind }: Json) => kind))].sort()).toEqual([...timelineKinds].sort());
    const times = nodes.map(({ at }: Json) => Date.parse(at));
    expect(times).toEqual([...times].sort((one, two) => two - one));
    expect(nodes.filter(({ item }: Json) => item === null).map(({ kind }: Json) => kind)).toEqual(['CREATED']);
  });

  it('leads to what each entry is about', async () => {
    const { nodes } = await read('(first: 100)');
    const found = Object.fromEntries(nodes.map(({ kind, item }: Json) => [kind, item]));
    expect(found).toMatchObject({
      ANSWER: { __typename: 'Answer', text: 'yes' },
      CHANGED: { __typename: 'Change', operation: 'UPDATED', fields: ['nationality'] },
      CONSENT: { __typename: 'ConsentChange', after: 'true' },
      DONATION: { __typename: 'Donation', amount: { amount: 100 } },
      EMAIL_CLICKED: { __typename: 'Email', openedAt: '2025-01-11T10:00:00Z' },
      INTERACTION: { __typename: 'Interaction', type: 'call' },
      MEMBERSHIP: { __typename: 'Membership', startDate: '2025-01-07' },
      NOTE: { __typename: 'Note', content: 'said' },
      SANCTION: { __typename: 'Sanction', status: 'warned' },
      SEGMENT_ENTERED: { __typename: 'Change', operation: 'ENTERED', recordId: expect.stringContaining('Segment:') },
      SEGMENT_LEFT: { __typename: 'Change', operation: 'LEFT' },
      TAGGED: { __typename: 'Change', operation: 'UPDATED', fields: ['tags'] },
      TRANSACTION: { __typename: 'Transaction', amount: { amount: 100 } },
    });
  });

  it('is the same page by page, whatever its size, also where entries have one time', async () => {
    const all = (await read('(first: 1000)')).nodes;
    for (const size of [1, 2, 5]) {
      const found: Json[] = [];
      for (let after = ''; ; ) {
        const { nodes, pageInfo } = await read(`(first: ${size}${after})`);
        expect(pageInfo.hasPreviousPage).toBe(after !== '');
        found.push(...nodes);
        if (!pageInfo.hasNextPage) break;
        after = `, after: "${pageInfo.endCursor}"`;
      }
      expect(found).toEqual(all);
    }
    const backwards: Json[] = [];
    for (let before = ''; ; ) {
      const { nodes, pageInfo } = await read(`(last: 3${before})`);
      expect(pageInfo.hasNextPage).toBe(before !== '');
      backwards.unshift(...nodes);
      if (!pageInfo.hasPreviousPage) break;
      before = `, before: "${pageInfo.startCursor}"`;
    }
    expect(backwards).toEqual(all);
    const { body } = await door.graphql(
      `query ($id: ID!) { contact(id: $id) { timeline(first: 2, kinds: NOTE) { edges { cursor node { item { ... on Note { content } } } } } } }`,
      { id: other },
    );
    const { edges } = body.data.contact.timeline;
    expect(edges.map(({ node }: Json) => node.item.content)).toEqual(['second', 'first']);
    const rest = await door.graphql(
      `query ($id: ID!, $after: String) { contact(id: $id) { timeline(kinds: [NOTE], after: $after) { nodes { item { ... on Note { content } } } } } }`,
      { id: other, after: edges[0].cursor },
    );
    expect(rest.body.data.contact.timeline.nodes).toEqual([{ item: { content: 'first' } }]);
  });

  it('is the same page by page where entries are of far years, and a microsecond apart', async () => {
    const contactId = (await runMutation(door, 'createContact', { lastName: 'Far' })).id;
    const times = [
      '9999-12-31T23:59:59.999999Z',
      '9999-12-31T23:59:59.999998Z',
      '2300-01-01T00:00:00.000002Z',
      '2300-01-01T00:00:00.000001Z',
      '1500-05-05T10:00:00.123457Z',
      '1500-05-05T10:00:00.123456Z',
      '0001-01-01T00:00:00.000001Z',
      '0001-01-01T00:00:00Z',
    ];
    // Written in no order, so that their ids do not decide.
    for (const at of times.toSorted((one, two) => one.length - two.length || (one.slice(-6) < two.slice(-6) ? 1 : -1)))
      await door.sql('insert into donations (group_id, contact_id, transaction_date, amount) values (1, ?, ?, 100)', [
        contactId,
        at,
      ]);
    const readPage = async (args: string): Promise<Json> => {
      const document = `query ($id: ID!) { contact(id: $id) { timeline(kinds: [DONATION], ${args}) { nodes { at } pageInfo { startCursor endCursor } } } }`;
      const { body } = await door.graphql(document, { id: contactId });
      expect(body.errors).toBeUndefined();
      return body.data.contact.timeline;
    };
    const walk = async (size: string, place: string, edge: 'endCursor' | 'startCursor'): Promise<string[]> => {
      const found: string[] = [];
      for (let cursor = ''; found.length < times.length; ) {
        const { nodes, pageInfo } = await readPage(`${size}: 1${cursor}`);
        found.push(...nodes.map(({ at }: Json) => at));
        cursor = `, ${place}: "${pageInfo[edge]}"`;
      }
      return found;
    };
    expect(await walk('first', 'after', 'endCursor')).toEqual(times);
    expect(await walk('last', 'before', 'startCursor')).toEqual(times.toReversed());
  });

  it('goes on from a cursor of an earlier version, which had the time as a number', async () => {
    const { pageInfo } = await read('(first: 2)');
    const [list, micros, ...rest] = JSON.parse(Buffer.from(pageInfo.endCursor, 'base64url').toString());
    const former = Buffer.from(JSON.stringify([list, Number(micros), ...rest])).toString('base64url');
    expect(await read(`(first: 5, after: "${former}")`)).toEqual(
      await read(`(first: 5, after: "${pageInfo.endCursor}")`),
    );
  });

  it('of many contacts is one statement, and one for each type of their items', async () => {
    const document = `query ($ids: [ID!]!) { nodes(ids: $ids) { ... on Contact { timeline(first: 3, kinds: [NOTE, DONATION]) { nodes { kind item { ... on Note { content } ... on Donation { id } } } } } } }`;
    const ids = [whole, other].map((id) => `Contact:${id}`);
    const statements = await door.statements(async () => {
      const { body } = await door.graphql(document, { ids });
      expect(body.data.nodes.map(({ timeline }: Json) => timeline.nodes.length)).toEqual([2, 2]);
    });
    expect(statements.filter((sql: string) => sql.includes('cross join lateral'))).toHaveLength(1);
    expect(statements.filter((sql: string) => /from (notes|donations) r/.test(sql))).toHaveLength(3);
  });

  it('has the kinds that are asked for', async () => {
    expect(await listKinds('(kinds: [NOTE, MEMBERSHIP])')).toEqual(['MEMBERSHIP', 'NOTE']);
  });

  it.each([
    ['(first: 1001)', 'first must be a whole number from 0 to 1000'],
    ['(after: "x")', 'after is not a cursor that this server gave for this list'],
    ['(kinds: [])', 'kinds must be 1 to 20 kinds'],
  ])('refuses %s', async (args, message) => {
    const { body } = await door.graphql(
      `query ($id: ID!) { contact(id: $id) { timeline${args} { nodes { kind } } } }`,
      {
        id: whole,
      },
    );
    const [{ extensions }] = body.errors;
    expect(extensions.code).toBe('invalid-request');
    expect(`${extensions.errors[0].location} ${extensions.errors[0].message}`).toContain(message);
  });
});

describe('who sees what', () => {
  it.each<[string, string[], (kind: string) => boolean]>([
    [
      'contacts alone',
      ['contacts.read'],
      (kind) => ['ANSWER', 'CONSENT', 'CREATED', 'INTERACTION', 'NOTE'].includes(kind),
    ],
    [
      'contacts and money',
      ['contacts.read', 'money.read'],
      (kind) =>
        ['ANSWER', 'CONSENT', 'CREATED', 'DONATION', 'INTERACTION', 'MEMBERSHIP', 'NOTE', 'TRANSACTION'].includes(kind),
    ],
    [
      'contacts and changes',
      ['contacts.read', 'changes.read'],
      (kind) => !/^(DONATION|EMAIL|MEMBERSHIP|SANCTION|TRANSACTION)/.test(kind),
    ],
  ])('with the permissions on %s, whatever the fragments of the document', async (_, permissions, isSeen) => {
    const token = await createMember(door, { type: 'custom', permissions });
    const kinds = (await read('(first: 100)', undefined, token)).nodes.map(({ kind }: Json) => kind);
    expect([...new Set(kinds)].sort()).toEqual(timelineKinds.filter(isSeen).sort());
  });

  it('interactions for superadmins only by superadmins', async () => {
    const document = '(kinds: [INTERACTION])';
    const typesFor = async (token?: string): Promise<string[]> =>
      (await read(document, 'item { ... on Interaction { type } }', token)).nodes.map(({ item }: Json) => item.type);
    expect(await typesFor(await createMember(door, { type: 'superadmin' }))).toEqual(['secret', 'call']);
    expect(await typesFor(await createMember(door, { type: 'admin' }))).toEqual(['call']);
  });

  it('entering a segment that asks for money not without the permission on money', async () => {
    await runMutation(door, 'createSegment', {
      name: 'Gave',
      query: { donations: { count: { gte: 1 } } },
      isWatched: true,
    });
    const giver = (await runMutation(door, 'createContact', { lastName: 'Giver' })).id;
    await evaluateSegments(door.database.space(1));
    await runMutation(door, 'createDonation', {
      contactId: giver,
      amount: 100,
      transactionDate: '2025-01-01T10:00:00Z',
    });
    await publishChanges(door);
    await evaluateSegments(door.database.space(1));
    await publishChanges(door);
    const read = async (token?: string): Promise<string[]> => {
      const { body } = await door.graphql(
        'query ($id: ID!) { contact(id: $id) { timeline(kinds: [SEGMENT_ENTERED]) { nodes { kind } } } }',
        { id: giver },
        token,
      );
      return body.data.contact.timeline.nodes.map(({ kind }: Json) => kind);
    };
    expect(await read()).toEqual(['SEGMENT_ENTERED']);
    const permissions = ['contacts.read', 'changes.read'];
    expect(await read(await createMember(door, { type: 'custom', permissions }))).toEqual([]);
  });

  it('nothing of another space', async () => {
    const token = await door.token(2, 1).catch(() => createMember(door, { type: 'admin', space: 2 }));
    const { body } = await door.graphql(
      'query ($id: ID!) { contact(id: $id) { timeline { nodes { kind } } } }',
      { id: whole },
      token,
    );
    expect(body.data.contact).toBeNull();
  });
});
