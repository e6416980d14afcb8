// Large answers end with a problem, and large operations take turns.
import { beforeAll, describe, expect, it } from 'vitest';
import { limits } from '../../src/limits/limits.ts';
import { type Answer, type Door, type Json, openApp } from '../harness/app.ts';
import { insertLargeTeam } from '../harness/large-team.ts';

let door: Door;
beforeAll(async () => {
  door = await openApp();
});

const codeOf = ({ body }: Answer): string | undefined =>
  body.errors?.[0].extensions?.code ?? body.type?.split(':').at(-1);
const aliases = (count: number, field: string): string =>
  Array.from({ length: count }, (_, n) => `a${n}: ${field}`).join(' ');

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
    await insertLargeTeam(door, limits.request.usersOfTeams);
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

it('the links of an e-mail are joined in a time that grows with their number, and not with its square', async () => {
  const time = async (links: number): Promise<number> => {
    const sql = `explain (analyze, format json) select fold_links(array(select 'https://example.org/' || n from generate_series(1, ${links}) n))`;
    const times: number[] = [];
    for (let round = 0; round < 3; round++) times.push((await door.sql(sql))[0]['QUERY PLAN'][0]['Execution Time']);
    return Math.min(...times);
  };
  // Ten times as many: a square would be a hundred times as long.
  expect((await time(20_000)) / (await time(2000))).toBeLessThan(40);
});

describe('a large operation', () => {
  const many = 600;
  /** PostgreSQL cannot write the address of a user, so that resolvers show these contacts, and PostgreSQL what is below them. */
  const query = (page: string) =>
    `{ contacts(${page}) { edges { cursor node { id firstName account { address } emails(first: 8) { nodes { id clickedUrls } } transactions(first: 10) { nodes { id donations(first: 3) { nodes { id } } } } sanctions(first: 2) { nodes { id } } } } pageInfo { endCursor } } }`;

  beforeAll(async () => {
    await door.sql(
      `insert into emails (group_id, contact_id, type, clicked_urls)
       select 1, c.id, 'newsletter', array['https://example.org/' || c.id] from contacts c, generate_series(1, 3) where c.group_id = 1`,
    );
  });

  it('is answered like small ones, by one statement for each relation that PostgreSQL does not join', async () => {
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
    expect(statements.filter((sql) => !sql.includes('enter_gate'))).toHaveLength(3);
  });

  it('waits for others of its space, and is refused when too many wait; small ones do not wait', async () => {
    const under = Array.from({ length: 40 }, () => door.graphql(query('first: 300')));
    const small = await door.graphql('{ viewer { space { databaseId } } }');
    expect(small.body.errors).toBeUndefined();
    const codes = (await Promise.all(under)).map(codeOf);
    // Two run and twenty wait, unless one is done before the last of them comes.
    const refused = codes.filter((code) => code === 'too-many-large-operations').length;
    expect(refused).toBeGreaterThan(0);
    expect(refused).toBeLessThanOrEqual(19);
    expect(codes.filter((code) => code === undefined)).toHaveLength(40 - refused);
    expect((await door.graphql(query('first: 300'))).body.errors).toBeUndefined();
  });
});
