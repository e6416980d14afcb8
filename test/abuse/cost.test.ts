// Operations are priced by the records they may yield, and refused or ended when they are too large.
import { getNamedType, getNullableType, isListType, isObjectType } from 'graphql';
import { beforeAll, describe, expect, it } from 'vitest';
import { schema } from '../../schema/index.ts';
import { limits, listSizes } from '../../src/limits.ts';
import { type Answer, type Door, type Json, openApp } from '../harness/app.ts';

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

  it('grows with the records that a list in the input makes', async () => {
    const query =
      'mutation ($inputs: [UpsertContactInput!]!) { upsertContacts(inputs: $inputs) { contact { id emails { nodes { id } } } } }';
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
      isObjectType(type) && !type.name.startsWith('__')
        ? Object.values(type.getFields())
            .filter(({ type: given }) => isListType(getNullableType(given)) && isObjectType(getNamedType(given)))
            // A page has a size, and so has the result of a list that was sent.
            .filter(
              ({ name, args }) =>
                !/^(nodes|edges|items|results)$/.test(name) &&
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
      `The document may yield 1301000 records; at most ${limits.document.nodes} are allowed: ask for shorter pages`,
    );
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

  it('is refused: 98 aliases of the e-mails of 1000 contacts, which once stopped a server', async () => {
    const begun = process.cpuUsage().user;
    const answer = await door.graphql(
      `{ contacts(first: 1000) { nodes { ${aliases(98, 'emails { nodes { id } }')} } } }`,
    );
    expect([answer.status, codeOf(answer)]).toEqual([400, 'query-too-large']);
    expect(process.cpuUsage().user - begun).toBeLessThan(2e6);
  });
});

describe('a large response', () => {
  const long = 'x'.repeat(65_000);
  const contacts = 300;

  beforeAll(async () => {
    await door.sql(`insert into contacts (group_id, firstname) select 1, 'Long' from generate_series(1, ?)`, [
      contacts,
    ]);
    await door.sql(
      `insert into notes (group_id, contact_id, content) select 1, id, ? from contacts where group_id = 1 and firstname = 'Long'`,
      [long],
    );
    await door.sql(
      `select refresh_search(1, array(select id from contacts where group_id = 1 and firstname = 'Long'))`,
    );
  });

  const search = {
    per_page: 1000,
    query: { $all: [{ $all: [{ $condition: { attr: 'firstname', ope: 'eql', value: 'Long' } }] }] },
  };

  it.each([
    ['that PostgreSQL writes', '{ contacts(first: 1000) { nodes { notes { nodes { content } } } } }'],
    [
      'that resolvers make',
      '{ contacts(first: 1000) { nodes { notes { nodes { content } } sanctions { nodes { id } } } } }',
    ],
    [
      'of a few contacts',
      '{ contacts(first: 1000) { nodes { a: notes { nodes { content } } b: notes { nodes { content } } sanctions { nodes { id } } } } }',
    ],
  ])('%s ends with a problem', async (_, query) => {
    for (const answer of [await door.graphql(query), await getGraphql(query)])
      expect([codeOf(answer), answer.text.length < 1000]).toEqual(['answer-too-large', true]);
    expect((await door.graphql(query.replace('1000', '50'))).body.errors).toBeUndefined();
  });

  it('ends so for a legacy client too, though not for an export', async () => {
    const refused = await door.rest('POST', '/search', { data: { advanced_search: search } });
    expect([refused.status, codeOf(refused)]).toEqual([422, 'answer-too-large']);
    const exported = await door.rest('POST', '/export', { data: { advanced_search: search } });
    expect([exported.status, exported.text.trim().split('\n').length]).toEqual([200, contacts]);
    expect(exported.text.length).toBeGreaterThan(limits.request.answerBytes);
  });

  const getGraphql = (query: string): Promise<Answer> =>
    door.rest('GET', `/graphql?query=${encodeURIComponent(query)}`);
});

describe('a page of teams', () => {
  it('is refused when its teams have too many users, and smaller pages are answered', async () => {
    const most = limits.request.usersOfTeams;
    await door.sql(`insert into users (mail) select 'crowd-' || n || '@example.org' from generate_series(1, ?) n`, [
      most,
    ]);
    await door.sql(
      `insert into members (group_id, user_id, role_id) select 1, u.id, (select min(id) from roles where group_id = 1 and type = 'user')
         from users u where mail like 'crowd-%'`,
    );
    const [{ id }] = await door.sql(`insert into teams (group_id, name) values (1, 'Crowd') returning id`);
    await door.sql(
      `insert into team_users (group_id, team_id, user_id) select 1, ?, id from users where mail like 'crowd-%'`,
      [id],
    );
    await door.sql(
      `insert into team_users (group_id, team_id, user_id) select 1, (select min(id) from teams where group_id = 1), 1 on conflict do nothing`,
    );
    const refused = await door.rest('GET', '/teams');
    expect([refused.status, codeOf(refused)]).toEqual([422, 'answer-too-large']);
    const { body } = await door.rest('GET', '/teams?limit=2');
    expect(body.data.teams).toHaveLength(2);
    const total = (await door.graphql('{ teams(first: 1) { total: totalCount items: nodes { id } } }')).body.data.teams;
    const [{ count }] = await door.sql('select count(*) from teams where group_id = 1 and deleted_at is null');
    expect([total.total, total.items.length]).toEqual([count, 1]);
  });
});

it('the caller is read once, however many fields of a document select them', async () => {
  const statements = await door.statements(async () => {
    expect((await door.graphql(`{ ${aliases(40, 'viewer { user { id } }')} }`)).body.errors).toBeUndefined();
  });
  expect(statements.filter((sql) => !sql.includes('enter_gate'))).toHaveLength(1);
});

it('a user with very many linked contacts answers the oldest of them', async () => {
  const most = limits.list.contactsOfUser;
  const [{ user_id: id }] = await door.sql('select max(user_id) as user_id from members where group_id = 1');
  const linked = await door.sql(
    'insert into contacts (group_id, user_contact_id) select 1, ? from generate_series(1, ?) returning id',
    [id, most + 1],
  );
  const { body } = await door.graphql('query ($id: ID!) { user(id: $id) { contacts { id: databaseId } } }', { id });
  expect(body.data.user.contacts).toEqual(linked.slice(0, most));
});

describe('a large operation', () => {
  const many = 600;
  const query = (page: string) =>
    `{ contacts(${page}) { edges { cursor node { id firstName emails(first: 8) { nodes { id clickedUrls } } transactions(first: 10) { nodes { id donations(first: 3) { nodes { id } } } } sanctions(first: 2) { nodes { id } } } } pageInfo { endCursor } } }`;

  beforeAll(async () => {
    await door.sql(
      `insert into emails (group_id, contact_id, type, clicked_urls)
       select 1, c.id, 'newsletter', array['https://example.org/' || c.id] from contacts c, generate_series(1, 3) where c.group_id = 1`,
    );
  });

  it('is answered like small ones, by one statement for each relation', async () => {
    const small: Json[] = [];
    for (let after = ''; small.length < many; ) {
      const { contacts } = (await door.graphql(query(`first: 20${after}`))).body.data;
      small.push(...contacts.edges);
      after = `, after: "${contacts.pageInfo.endCursor}"`;
    }
    let large: Json[] = [];
    const statements = await door.statements(async () => {
      large = (await door.graphql(query(`first: ${many}`))).body.data.contacts.edges;
    });
    expect(large).toEqual(small.slice(0, many));
    expect(statements.filter((sql) => !sql.includes('enter_gate'))).toHaveLength(5);
  });

  it('waits for others of its space, and is refused when too many wait; small ones do not wait', async () => {
    const under = Array.from({ length: 40 }, () => door.graphql(query('first: 300')));
    const small = await door.graphql('{ viewer { space { databaseId } } }');
    expect(small.body.errors).toBeUndefined();
    const codes = (await Promise.all(under)).map(codeOf);
    expect(codes.filter((code) => code === undefined)).toHaveLength(21);
    expect(codes.filter((code) => code === 'too-many-large-operations')).toHaveLength(19);
    expect((await door.graphql(query('first: 300'))).body.errors).toBeUndefined();
  });
});
