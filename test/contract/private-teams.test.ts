// Private teams are there for their members and for admins, over both doors. To others they are missing.
import { beforeAll, describe, expect, it } from 'vitest';
import { type Door, type Json, openApp } from '../harness/app.ts';
import { createMemberRole } from '../harness/member.ts';

let door: Door;
let team: Json;
const tokens: Record<string, string> = {};

beforeAll(async () => {
  door = await openApp();
  const members = await door.sql(
    `select distinct on (r.type) r.type, m.user_id as id from members m join roles r on r.group_id = m.group_id and r.id = m.role_id
      where m.group_id = 1 order by r.type, m.user_id`,
  );
  for (const { type, id } of members) tokens[type] = await door.token(1, id);
  const { id: member } = members.find(({ type }) => type === 'user')!;
  const content = { name: 'Secret', private: true, users: [{ id: member }] };
  team = (await door.rest('POST', '/teams', { data: { team: content } })).body.data.team;
});

/** Whether each way to the team finds it. */
const see = async (token: string): Promise<boolean[]> => {
  const { body } = await door.graphql(
    `query ($id: ID!) { team(id: $id) { name } node(id: $id) { id }
      teams(filter: { name: { equals: "Secret" } }) { totalCount nodes { id } totals(groupBy: PRIVATE) { count } } }`,
    { id: `Team:${team.id}` },
    token,
  );
  const one = await door.rest('GET', `/teams/${team.id}`, undefined, token);
  const { teams: listed } = (await door.rest('GET', '/teams?limit=1000', undefined, token)).body.data;
  const { teams, node } = body.data;
  return [
    body.data.team !== null,
    node !== null,
    teams.totalCount > 0,
    teams.nodes.length > 0,
    teams.totals.length > 0,
    one.status === 200,
    listed.some(({ id }: Json) => id === team.id),
  ];
};

describe('a private team', () => {
  it.each([
    ['user', 'its member', true],
    ['admin', 'an admin', true],
    ['superadmin', 'a superadmin', true],
    ['manager', 'a manager', false],
    ['custom', 'a custom role', false],
  ])('for the %s, %s', async (type, _, sees) => {
    expect(await see(tokens[type]!)).toEqual(Array(7).fill(sees));
  });

  it.each<[method: string, ask: (id: number) => [path: string, body?: Json]]>([
    ['PATCH', (id: number) => ['/teams', { data: { team: { id, name: 'Mine', users: [{ id: 1 }] } } }]],
    ['DELETE', (id: number) => [`/teams/${id}`]],
    ['GET', (id: number) => [`/teams/${id}`]],
  ])('%s asks the database for it as for a missing one, whom time would tell of it', async (method, ask) => {
    const record = (id: number): Promise<string[]> =>
      door.statements(async () => {
        const [path, body] = ask(id);
        expect((await door.rest(method, path, body, tokens.manager)).status).toBe(404);
      });
    expect(await record(team.id)).toEqual(await record(999_999));
  });

  it('is named by the list of invitations to those who see it', async () => {
    const open = (await door.rest('POST', '/teams', { data: { team: { name: 'Known' } } })).body.data.team;
    const invitation = { email: 'named@example.org', team_ids: [team.id, open.id] };
    await door.rest('POST', '/users/invitation', { data: { invitations: [invitation] } });
    const name = async (type: string): Promise<number[]> => {
      const { invitations } = (await door.rest('GET', '/users/invitation', undefined, tokens[type])).body.data;
      return invitations.find(({ email }: Json) => email === invitation.email).team_ids;
    };
    expect(await name('admin')).toEqual([team.id, open.id]);
    expect(await name('manager')).toEqual([open.id]);
  });

  it('is offered by an invitation that shows it to those who see it, whether PostgreSQL writes the page or not', async () => {
    const open = (await door.rest('POST', '/teams', { data: { team: { name: 'Open' } } })).body.data.team;
    const teamIds = [team.id, open.id].map((id) => `"Team:${id}"`);
    const invite = `mutation { inviteUsers(input: { invitations: [{ email: "p@example.org", teamIds: [${teamIds}] }] }) { invitations { id } } }`;
    const { id } = (await door.graphql(invite)).body.data.inviteUsers.invitations[0];
    const selected = 'teams { name leaders { id } users { firstName } }';
    const offered = async (token: string, more: string): Promise<Json[]> => {
      const page = `invitations(filter: { email: { equals: "p@example.org" } }) { nodes { ${selected} ${more} } }`;
      const query = `query ($id: ID!) { ${page} node(id: $id) { ... on Invitation { ${selected} ${more} } } }`;
      const { data } = (await door.graphql(query, { id }, token)).body;
      return [data.invitations.nodes[0].teams, data.node.teams];
    };
    for (const [type, names] of [
      ['superadmin', ['Secret', 'Open']],
      ['admin', ['Secret', 'Open']],
      ['manager', ['Open']],
    ] as const) {
      const asText = await offered(tokens[type]!, '');
      // An address needs code, so resolvers answer.
      expect(asText).toEqual(await offered(tokens[type]!, 'again: teams { address { city } }'));
      for (const teams of asText) expect(teams.map(({ name }: Json) => name)).toEqual(names);
    }
  });

  it('is neither changed nor deleted by others', async () => {
    const mine = { ...team, name: 'Mine', private: false };
    const replace = await door.rest('PATCH', '/teams', { data: { team: mine } }, tokens.manager);
    const remove = await door.rest('DELETE', `/teams/${team.id}`, undefined, tokens.manager);
    expect([replace.status, remove.status]).toEqual([404, 404]);
    expect((await door.rest('GET', `/teams/${team.id}`)).body.data.team).toEqual(team);
  });

  it('is offered to those who see it, when others ask for the same invitation at the same moment', async () => {
    const open = (await door.rest('POST', '/teams', { data: { team: { name: 'Open to all' } } })).body.data.team;
    const teamIds = [team.id, open.id].map((id) => `"Team:${id}"`);
    const invite = `mutation { inviteUsers(input: { invitations: [{ email: "q@example.org", teamIds: [${teamIds}] }] }) { invitations { id } } }`;
    const { id } = (await door.graphql(invite)).body.data.inviteUsers.invitations[0];
    const query = 'query ($id: ID!) { node(id: $id) { ... on Invitation { teams { name } } } }';
    const [within, outside] = await Promise.all(
      [1, 2].map(async () => (await createMemberRole(door, { type: 'manager' })).user),
    );
    await door.sql('insert into team_users (group_id, team_id, user_id) values (1, ?, ?)', [team.id, within]);
    const [member, other] = await Promise.all([within!, outside!].map((user) => door.token(1, user)));
    const ask = async (token: string): Promise<Json[]> =>
      (await door.graphql(query, { id }, token)).body.data.node.teams.map(({ name }: Json) => name);
    const callers = Array.from({ length: 12 }, (_, index) => (index % 3 === 1 ? other! : member!));
    // A document that was sent before shares its statements.
    await Promise.all([ask(member!), ask(other!)]);
    expect(await Promise.all(callers.map(ask))).toEqual(
      callers.map((token) => (token === other ? ['Open to all'] : ['Secret', 'Open to all'])),
    );
  });
});
