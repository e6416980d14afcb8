// Operations are priced by the records they may yield, and refused when these are too many.
import { getNamedType, getNullableType, isListType, isObjectType } from 'graphql';
import { beforeAll, describe, expect, it } from 'vitest';
import { schema } from '../../schema/index.ts';
import { limits, listSizes } from '../../src/limits/limits.ts';
import { type Answer, type Door, openApp } from '../harness/app.ts';

let door: Door;
beforeAll(async () => {
  door = await openApp();
});

const costOf = ({ headers }: Answer): number => Number(headers.get('x-ratelimit-cost'));
const codeOf = ({ body }: Answer): string | undefined =>
  body.errors?.[0].extensions?.code ?? body.type?.split(':').at(-1);
const aliases = (count: number, field: string): string =>
  Array.from({ length: count }, (_, n) => `a${n}: ${field}`).join(' ');

describe('the price of a document', () => {
  it.each([
    ['{ contacts(first: 50) { nodes { id tags { name } notes { nodes { content } } } } }', {}, 1],
    ['{ contacts(first: 1000) { nodes { id } } }', {}, 1],
    ['{ contacts(first: 1000) { nodes { id emails { nodes { id } } } } }', {}, 1 + 4],
    ['{ contacts(first: 1000) { edges { node { id emails { nodes { id } } } } } }', {}, 1 + 4],
    ['query ($n: Int!) { contacts(first: $n) { nodes { id emails { nodes { id } } } } }', { n: 10 }, 1],
    ['query ($n: Int!) { contacts(first: $n) { nodes { id emails { nodes { id } } } } }', { n: 1000 }, 1 + 4],
    ['query ($n: Int = 1000) { contacts(first: $n) { nodes { id emails { nodes { id } } } } }', {}, 1 + 4],
    [
      'query { contacts(first: 1000) { nodes { ...F ... on Contact { transactions { nodes { id } } } } } } fragment F on Contact { id emails { nodes { id } } }',
      {},
      1 + 8,
    ],
    [
      `{ contacts(first: 500) { nodes { id tags { id } answers { nodes { text } } customFields { text } notes { nodes { id } } interactions { nodes { id } }
         emails { nodes { id } } donations { nodes { id } } memberships { nodes { id } } sanctions { nodes { id } } transactions { nodes { id } } } } }`,
      {},
      1 + 17,
    ],
  ])('%s with %j is %i', async (query, variables, price) => {
    const answer = await door.graphql(query, variables);
    expect([answer.body.errors, costOf(answer)]).toEqual([undefined, price]);
  });

  it.each([
    [4999, 2, 'tags { id }', { contacts: 833, donations: 1 }],
    [5000, 2, 'tags { id }', { contacts: 833, donations: 2 }],
    [5001, 3, 'tags { id }', { contacts: 833, donations: 3 }],
    [9999, 3, 'tags { id } a: actions { id } b: actions { id }', { contacts: 999, donations: 9 }],
    [10_000, 3, 'tags { id } a: actions { id } b: actions { id }', { contacts: 1000, donations: 0 }],
    [10_001, 4, 'tags { id } a: actions { id } b: actions { id }', { contacts: 1000, donations: 1 }],
  ])('of %i records and two root fields is %i', async (_, price, below, variables) => {
    const answer = await door.graphql(
      `query ($contacts: Int!, $donations: Int!) { contacts(first: $contacts) { nodes { ${below} } } donations(first: $donations) { nodes { id } } }`,
      variables,
    );
    expect([answer.body.errors, costOf(answer)]).toEqual([undefined, price]);
  });

  it('follows the fragments of records that are read by their ids', async () => {
    const answer = await door.graphql(
      'query ($ids: [ID!]!) { nodes(ids: $ids) { ... on Contact { a: emails { nodes { id } } b: emails { nodes { id } } c: emails { nodes { id } } } } }',
      { ids: Array.from({ length: 100 }, (_, n) => `Contact:${n + 1}`) },
    );
    expect([answer.body.errors, costOf(answer)]).toEqual([undefined, 1 + 1]);
  });

  it('grows with the contacts that a mutation is sent', async () => {
    const ids = (
      await door.sql('select id from contacts where group_id = 1 and deleted_at is null order by id limit 300')
    ).map(({ id }) => id);
    const query =
      'mutation ($ids: [ID!]!) { tagContacts(input: { contactIds: $ids, tags: ["priced"] }) { contacts { emails { nodes { id } } } } }';
    const [few, many] = [await door.graphql(query, { ids: ids.slice(0, 2) }), await door.graphql(query, { ids })];
    expect([few.body.errors, many.body.errors]).toEqual([undefined, undefined]);
    expect(costOf(many) - costOf(few)).toBe(1);
  });

  it('grows with the records that a list in the input makes', async () => {
    const query =
      'mutation ($inputs: [ContactUpsertInput!]!) { upsertContacts(input: { contacts: $inputs }) { results { contact { id emails { nodes { id } } } } } }';
    const inputs = (count: number) => Array.from({ length: count }, (_, n) => ({ email: `priced-${n}@example.org` }));
    const [few, many] = [
      await door.graphql(query, { inputs: inputs(2) }),
      await door.graphql(query, { inputs: inputs(300) }),
    ];
    expect([few.body.errors, many.body.errors]).toEqual([undefined, undefined]);
    expect(costOf(many) - costOf(few)).toBe(1);
  });

  it('of a stored operation is that of the contract, whatever it yields', async () => {
    const body = { data: { advanced_search: { per_page: 1000, include_interactions: true } } };
    expect(costOf(await door.rest('POST', '/search', body))).toBe(1);
  });

  it('has a size for every list that is not paged, and for no other', () => {
    const lists = Object.values(schema.getTypeMap()).flatMap((type) =>
      // A list of a payload is as long as the list that was sent; an undo is sent none.
      isObjectType(type) && !/^__|(?<!^UndoContactMerge)Payload$/.test(type.name)
        ? Object.values(type.getFields())
            .filter(({ type: given }) => isListType(getNullableType(given)) && isObjectType(getNamedType(given)))
            // A page has a size, and so has the result of a list of ids.
            .filter(
              ({ name, args }) =>
                !/^(nodes|edges|items)$/.test(name) &&
                args.every(({ type: given }) => !isListType(getNullableType(given))),
            )
            .map(({ name }) => `${type.name}.${name}`)
        : [],
    );
    expect(Object.keys(listSizes).sort()).toEqual(lists.sort());
  });
});

describe('a document that may yield too many records', () => {
  it('is refused, and costs a token', async () => {
    const answer = await door.graphql(
      '{ contacts(first: 1000) { nodes { emails { nodes { id } } transactions { nodes { donations { nodes { id } } memberships { nodes { id } } } } notes { nodes { id } } sanctions { nodes { id } } a: transactions { nodes { donations { nodes { id } } } } } } }',
    );
    expect([answer.status, codeOf(answer), costOf(answer)]).toEqual([400, 'query-too-large', 1]);
    expect(answer.body.errors[0].message).toBe(
      `The document may yield 1301000 records; at most ${limits.document.nodes} are allowed. contacts.nodes.transactions.nodes.donations.nodes yields most of them, 400000: ask for shorter pages`,
    );
  });

  it.each([
    [limits.document.nodes - 1, { contacts: 999, donations: 99 }],
    [limits.document.nodes, { contacts: 1000, donations: 0 }],
    [limits.document.nodes + 1, { contacts: 1000, donations: 1 }],
  ])('is refused from %i records on, exactly', async (records, variables) => {
    // A contact yields 100 records: itself, 15 × 5 tags and 12 × 2 actions.
    const answer = await door.graphql(
      `query ($contacts: Int!, $donations: Int!) { contacts(first: $contacts) { nodes { ${aliases(15, 'tags { id }')} ${Array.from({ length: 12 }, (_, n) => `b${n}: actions { id }`).join(' ')} } }
         donations(first: $donations) { nodes { id } } }`,
      variables,
    );
    if (records <= limits.document.nodes) expect([codeOf(answer), costOf(answer)]).toEqual([undefined, 2 + 19]);
    else
      expect([codeOf(answer), answer.body.errors[0].message]).toEqual([
        'query-too-large',
        `The document may yield ${records} records; at most ${limits.document.nodes} are allowed. contacts.nodes.a0 yields most of them, 5000: ask for shorter pages`,
      ]);
  });

  it('has at most the permitted number of aliases of one field below a list', async () => {
    const most = limits.document.aliasesBelowList;
    const below = (count: number, field: string) =>
      door.graphql(`{ contacts(first: 2) { nodes { ${aliases(count, field)} } } }`);
    for (const field of ['emails { nodes { id } }', 'firstName', 'address { city }']) {
      expect((await below(most, field)).body.errors).toBeUndefined();
      const over = await below(most + 1, field);
      expect([over.status, codeOf(over)]).toEqual([400, 'query-too-large']);
    }
    const nested = await door.graphql(
      `{ contacts(first: 2) { nodes { ${aliases(4, `transactions { nodes { ${aliases(4, 'id')} } }`)} } } }`,
    );
    expect(nested.body.errors[0].message).toContain('aliases of Transaction.id below a list');
    expect((await door.graphql(`{ ${aliases(40, 'viewer { space { id } }')} }`)).body.errors).toBeUndefined();
  });

  it.each([
    [
      '98 aliases, which once cost one token and stopped a server',
      98,
      'The document has 16 aliases of Contact.emails below a list',
    ],
    ['15 aliases', 15, 'may yield 301000 records'],
    ['5 aliases', 5, 'may yield 101000 records'],
  ])('is refused: the e-mails of 1000 contacts under %s', async (_, count, why) => {
    const begun = process.cpuUsage().user;
    const answer = await door.graphql(
      `{ contacts(first: 1000) { nodes { ${aliases(count, 'emails { nodes { id } }')} } } }`,
    );
    expect([answer.status, codeOf(answer), costOf(answer)]).toEqual([400, 'query-too-large', 1]);
    expect(answer.body.errors[0].message).toContain(why);
    expect(process.cpuUsage().user - begun).toBeLessThan(2e6);
  });

  it('has a price for four aliases of the e-mails of 1000 contacts', async () => {
    const answer = await door.graphql(
      `{ contacts(first: 1000) { nodes { ${aliases(4, 'emails { nodes { id } }')} } } }`,
    );
    expect([answer.body.errors, costOf(answer)]).toEqual([undefined, 1 + 16]);
  });
});
