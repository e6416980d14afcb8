// searchContacts with a text: it finds what quick search finds, beside a query and in any order.
import { beforeAll, describe, expect, it } from 'vitest';
import { type Door, type Json, openApp } from '../harness/app.ts';

let door: Door;
/** Texts that many, few, one or nobody match: names, misspelt ones, beginnings, cities, postal codes, phones, mails. */
let texts: string[];
beforeAll(async () => {
  door = await openApp();
  const people = await door.sql(
    `select c.firstname, c.surname, c.mail, c.mobile, a.city, a.postal_code from contacts c join addresses a on a.group_id = 1 and a.contact_id = c.id
      where c.group_id = 1 and c.deleted_at is null and c.firstname <> '' and c.surname <> '' and a.city <> '' and c.mail <> '' and c.mobile <> '' order by c.id limit 12`,
  );
  texts = [
    ...people.flatMap(({ firstname, surname, mail, mobile, city, postal_code: code }, nth) => [
      firstname,
      [`${firstname} ${surname}`, `${surname} ${city}`, mail, mobile, `${firstname} ${code}`][nth % 5],
      [surname.slice(0, 2), `${firstname[0]} ${surname.slice(0, -1)}`, `${surname}x`, `x${firstname} ${surname}`][
        nth % 4
      ],
    ]),
    'nobodyhasthisname',
    '0',
    '...',
  ];
});

const women = '{ gender: { equals: F } }';
const page = 'totalCount nodes { databaseId } pageInfo { hasNextPage hasPreviousPage startCursor endCursor }';
const ask = async (args: string, search: string, field = 'searchContacts'): Promise<Json> => {
  const { body } = await door.graphql(`query ($search: String) { ${field}(search: $search, ${args}) { ${page} } }`, {
    search,
  });
  if (body.errors) throw new Error(JSON.stringify(body.errors));
  const { nodes, ...rest } = body.data[field];
  return { ids: nodes.map(({ databaseId }: Json) => databaseId), ...rest };
};

describe('a text', () => {
  it('finds in the same order what the list of contacts finds', async () => {
    let found = 0;
    for (const text of texts) {
      const { ids, totalCount } = await ask('first: 200', text);
      expect(ids, text).toEqual((await ask('first: 200', text, 'contacts')).ids);
      if (ids.length < 200) expect(totalCount, text).toBe(ids.length);
      found += ids.length;
    }
    expect(found).toBeGreaterThan(100);
  });

  it('and a query find those that both find, in the order of the text', async () => {
    let [found, left] = [0, 0];
    for (const text of texts) {
      const all = (await ask('first: 1000', text)).ids;
      const both = await ask(`first: 1000, query: ${women}`, text);
      const { body } = await door.graphql(
        `query ($ids: [ID!]!) { searchContacts(first: 1000, query: { and: [${women}, { id: { in: $ids } }] }) { nodes { databaseId } } }`,
        { ids: all.length > 0 ? all : [0] },
      );
      const expected = new Set(body.data.searchContacts.nodes.map(({ databaseId }: Json) => databaseId));
      expect(both.ids, text).toEqual(all.filter((id: number) => expected.has(id)));
      expect(both.totalCount, text).toBe(both.ids.length);
      found += both.ids.length;
      left += all.length - both.ids.length;
    }
    expect(Math.min(found, left)).toBeGreaterThan(20);
  });

  it('and an order find the same people in that order', async () => {
    for (const text of texts.slice(0, 9))
      for (const orderBy of ['{ field: LAST_NAME, direction: DESC }', '{ field: LAST_CHANGED_AT }', '{ field: ID }']) {
        const { ids } = await ask(`first: 1000, orderBy: ${orderBy}`, text);
        const all = (await ask('first: 1000', text)).ids;
        expect(new Set(ids), text).toEqual(new Set(all));
        const { body } = await door.graphql(
          `query ($ids: [ID!]!) { searchContacts(first: 1000, orderBy: ${orderBy}, query: { id: { in: $ids } }) { nodes { databaseId } } }`,
          { ids: all.length > 0 ? all : [0] },
        );
        expect(ids, `${text} ${orderBy}`).toEqual(
          body.data.searchContacts.nodes.map(({ databaseId }: Json) => databaseId),
        );
      }
  });

  it('is read page by page, in both directions', async () => {
    for (const text of texts.slice(0, 12)) {
      const whole = (await ask(`first: 1000, query: ${women}`, text)).ids;
      const size = Math.max(1, Math.ceil(whole.length / 5));
      const forwards: number[] = [];
      const backwards: number[] = [];
      for (let after = ''; ; ) {
        const { ids, pageInfo } = await ask(`first: ${size}, query: ${women}${after}`, text);
        forwards.push(...ids);
        if (!pageInfo.hasNextPage) break;
        after = `, after: "${pageInfo.endCursor}"`;
      }
      for (let before = ''; ; ) {
        const { ids, pageInfo } = await ask(`last: ${size}, query: ${women}${before}`, text);
        backwards.unshift(...ids);
        if (!pageInfo.hasPreviousPage) break;
        before = `, before: "${pageInfo.startCursor}"`;
      }
      expect([forwards, backwards], text).toEqual([whole, whole]);
    }
  });

  it('and a circle find those in both, the nearest first', async () => {
    const [centre] = await door.sql(
      `select a.latitude, a.longitude from addresses a join contacts c on c.group_id = 1 and c.id = a.contact_id and c.deleted_at is null
        where a.group_id = 1 and a.latitude is not null and a.longitude is not null order by a.contact_id limit 1`,
    );
    const near = `{ address: { near: { point: { latitude: ${centre.latitude}, longitude: ${centre.longitude} }, km: 400 } } }`;
    const around = async (search: string | null): Promise<{ id: number; distance: number }[]> => {
      const { body } = await door.graphql(
        `query ($search: String) { searchContacts(search: $search, first: 1000, query: ${near}, orderBy: { field: DISTANCE }) { edges { distance node { databaseId } } } }`,
        { search },
      );
      if (body.errors) throw new Error(JSON.stringify(body.errors));
      return body.data.searchContacts.edges.map(({ distance, node }: Json) => ({ id: node.databaseId, distance }));
    };
    const all = await around(null);
    let found = 0;
    for (const text of texts.slice(0, 12)) {
      const matches = new Set((await ask('first: 1000', text)).ids);
      expect(await around(text), text).toEqual(all.filter(({ id }) => matches.has(id)));
      const ranked = (await ask(`first: 1000, query: ${near}`, text)).ids;
      expect(new Set(ranked), text).toEqual(new Set(all.map(({ id }) => id).filter((id) => matches.has(id))));
      found += ranked.length;
    }
    expect(found).toBeGreaterThan(5);
  });

  it('narrows the contacts of a segment', async () => {
    const made = await door.graphql(
      `mutation { createSegment(input: { name: "Women with a text", query: ${women} }) { segment { id } } }`,
    );
    const { id } = made.body.data.createSegment.segment;
    const [text] = texts as [string];
    const { body } = await door.graphql(
      'query ($id: ID!, $search: String) { segment(id: $id) { contacts(search: $search, first: 1000) { nodes { databaseId } } } }',
      { id, search: text },
    );
    const found = body.data.segment.contacts.nodes.map(({ databaseId }: Json) => databaseId);
    expect(found).toEqual((await ask(`first: 1000, query: ${women}`, text)).ids);
  });

  it('counts alike whoever asks first, page or total', async () => {
    const [text] = texts as [string];
    const { body } = await door.graphql(
      `query ($search: String) { one: searchContacts(search: $search) { totalCount } all: searchContacts { totalCount } other: searchContacts(search: $search, query: ${women}, first: 1) { totalCount nodes { id } } }`,
      { search: text },
    );
    const { one, all, other } = body.data;
    expect(all.totalCount).toBeGreaterThan(one.totalCount);
    expect(one.totalCount).toBe((await ask('first: 1000', text)).ids.length);
    expect(other.totalCount).toBe((await ask(`first: 1000, query: ${women}`, text)).ids.length);
  });
});

it.each([
  ['orderBy: { field: RELEVANCE }', undefined, 'orderBy.field is the order of a text: send it as `search`'],
  [
    'orderBy: { field: RELEVANCE, direction: DESC }',
    'Ada',
    'orderBy.field begins with the best matches: its direction is ASC',
  ],
  ['first: 1', ' ', 'search must not be blank'],
  ['after: "WyJzZWFyY2ggcmVsZXZhbmNlIGFzYyIsNyxudWxsLDFd"', 'Ada', 'after is not a cursor'],
  ['after: "WyJzZWFyY2ggcmVsZXZhbmNlIGFzYyIsMCwieCIsMV0"', 'Ada', 'after is not a cursor'],
])('refuses %s beside the text %j', async (args, search, message) => {
  const { body } = await door.graphql(
    `query ($search: String) { searchContacts(search: $search, ${args}) { nodes { id } } }`,
    { search },
  );
  const [{ extensions }] = body.errors;
  expect(extensions.code).toBe('invalid-request');
  expect(extensions.errors.map(({ location, message: what }: Json) => `${location} ${what}`).join()).toContain(message);
});
