// Invitations: an account joins a space only when its owner accepts. Nobody else learns of the account, or accepts in its place.
import { beforeAll, describe, expect, inject, it } from 'vitest';
import { type Answer, type Door, type Json, openApp } from '../harness/app.ts';
import { createAccountHelpers, findPeople, type People, readRefusal } from './people.ts';

let door: Door;
let people: People;
let call: ReturnType<typeof createAccountHelpers>;

beforeAll(async () => {
  door = await openApp();
  people = await findPeople(door);
  call = createAccountHelpers(door);
});

const accepting =
  'mutation ($id: ID!) { acceptInvitation(input: { id: $id }) { invitation { id: databaseId spaceId spaceName roleName lastSentAt } } }';
const received = '{ viewer { invitations { id: databaseId spaceId spaceName roleName lastSentAt } } }';
const invitationOf = ({ body }: Answer): Json => body.data.invitations[0];

const invite = (by: number, email: string, offer: Json = {}, space = 1): Promise<Answer> =>
  call.rest(by, 'POST', '/users/invitation', { data: { invitations: [{ email, ...offer }] } }, space);
const accept = (by: number, id: number, space = 1): Promise<Answer> => call.graph(by, accepting, { id }, space);
const receivedBy = async (by: number, space = 1): Promise<number[]> =>
  (await call.graph(by, received, {}, space)).body.data.viewer.invitations.map(({ id }: Json) => id);
const isMember = async (space: number, user: number): Promise<boolean> =>
  (await door.sql('select from members where group_id = ? and user_id = ?', [space, user])).length > 0;
const newTeam = async (space: number, name: string): Promise<number> =>
  (await door.sql('insert into teams (group_id, name) values (?, ?) returning id', [space, name]))[0].id;
const rowOfInvitation = async (id: number): Promise<Json> =>
  (await door.sql('select * from invitations where id = ?', [id]))[0];
let count = 0;
/** An account that is only in space 2. */
const newUser = async (space = 2): Promise<number> => {
  const [{ id }] = await door.sql('insert into users (mail) values (?) returning id', [
    `person-${count++}@example.org`,
  ]);
  await door.sql('insert into members (group_id, user_id, role_id) values (?, ?, ?)', [
    space,
    id,
    await call.roleOf(space, 'user'),
  ]);
  return id;
};

describe('an invitation', () => {
  it('gives no power over an account: the superadmin of another space, invited by an admin, is neither visible nor changed', async () => {
    const { admin, foreignSuperadmin: victim } = people;
    const before = await call.rowOf(victim);
    const { status, body } = await invite(admin, before.mail);
    expect([status, body.data.invitations[0].user_id]).toEqual([201, undefined]);
    const change = { mail: 'taken@example.org', firstname: 'Taken', birthdate: '2001-01-01' };
    const input = { email: change.mail, firstName: change.firstname, birthDate: change.birthdate };
    const answers = [
      await call.rest(admin, 'GET', `/users/${victim}`),
      await call.rest(admin, 'PATCH', `/users/${victim}`, { data: change }),
    ];
    expect(answers.map((answer) => answer.status)).toEqual([404, 404]);
    const seen = await call.graph(admin, 'query ($id: ID!) { user(id: $id) { id } }', { id: victim });
    expect(seen.body).toEqual({ data: { user: null } });
    const written = 'mutation ($input: UserUpdateInput!) { updateUser(input: $input) { user { id } } }';
    expect(readRefusal(await call.graph(admin, written, { input: { id: victim, ...input } }))?.[0]).toBe(404);
    const team = { name: 'a team', users: [{ id: victim }] };
    expect((await call.rest(admin, 'POST', '/teams', { data: { team } })).status).toBe(422);
    expect([await call.rowOf(victim), await isMember(1, victim)]).toEqual([before, false]);
  });

  it('does not reveal whether the mail has an account, however often it is sent', async () => {
    const toComparable = ({ status, body }: Answer, email: string): string =>
      `${status} ${JSON.stringify(body)
        .replaceAll(email, 'MAIL')
        .replace(/"id":\d+|"\d{4}-[^"]+Z"/g, '')}`;
    const known = await call.mailOf(await newUser());
    const [unknown, team] = ['unheard-of@example.org', await newTeam(1, 'Offered')];
    const answers = async (email: string): Promise<string[]> => {
      const graph = await call.graph(
        people.admin,
        `mutation ($email: String!) { inviteUsers(input: { invitations: [{ email: $email }] }) { invitations { email acceptedBy { databaseId } role { type } teams { databaseId } mobilePhone } } }`,
        { email },
      );
      expect(graph.body.errors).toBeUndefined();
      return [await invite(people.admin, email, { team_ids: [team] }), await invite(people.admin, email), graph].map(
        (answer) => toComparable(answer, email),
      );
    };
    expect(await answers(known)).toEqual(await answers(unknown));
  });

  it('becomes pending again when the user who accepted it has left, or has another mail now', async () => {
    for (const leave of [
      (id: number) =>
        call.graph(people.superadmin, 'mutation ($id: ID!) { removeMember(input: { userId: $id }) { deletedId } }', {
          id,
        }),
      (id: number) => door.sql(`update users set mail = 'moved-' || id || '@example.org' where id = ?`, [id]),
    ]) {
      const user = await newUser();
      const mail = await call.mailOf(user);
      const { id } = invitationOf(await invite(people.admin, mail));
      expect(readRefusal(await accept(user, id, 2))).toBeUndefined();
      expect((await invite(people.admin, mail)).status).toBe(409);
      await leave(user);
      const again = invitationOf(await invite(people.admin, mail, { role_id: await call.roleOf(1, 'manager') }));
      expect([again.id, again.user_id, again.role.type]).toEqual([id, undefined, 'manager']);
      expect(await rowOfInvitation(id)).toMatchObject({ user_id: null, accepted_at: null });
    }
  });
});

describe('acceptInvitation', () => {
  it('adds the user with the offered role and living teams, and leaves tokens in their space', async () => {
    const user = await newUser();
    const [team, doomed] = [await newTeam(1, 'Joined'), await newTeam(1, 'Deleted')];
    const role = await call.roleOf(1, 'manager');
    const mail = (await call.mailOf(user)).toUpperCase();
    const { id } = invitationOf(await invite(people.admin, mail, { role_id: role, team_ids: [doomed, team] }));
    await call.rest(people.admin, 'DELETE', `/teams/${doomed}`);
    const token = await door.token(2, user);
    const readState = async (): Promise<Json> => ({
      tokens: await door.sql('select id, group_id from tokens where user_id = ?', [user]),
      teams: await door.sql('select id, version from teams where id in (?, ?) order by id', [team, doomed]),
    });
    const before = await readState();
    const { body } = await accept(user, id, 2);
    const [{ name: spaceName }] = await door.sql('select name from spaces where id = 1');
    const [{ name: roleName }] = await door.sql('select name from roles where group_id = 1 and id = ?', [role]);
    expect(body.data.acceptInvitation.invitation).toEqual({
      id,
      spaceId: 'Space:1',
      spaceName,
      roleName,
      lastSentAt: expect.any(String),
    });
    expect(await readState()).toEqual({ ...before, teams: [{ id: team, version: 2 }, before.teams[1]] });
    const row = await rowOfInvitation(id);
    expect([row.user_id, row.accepted_at]).toEqual([user, expect.any(String)]);
    const seen = (await call.rest(people.admin, 'GET', `/teams/${team}`)).body.data.team.users;
    expect(seen.map((one: Json) => [one.id, one.role_data.id])).toEqual([[user, role]]);
    // Selecting the space is a separate step, which the user takes.
    const select = { mail, selected_group_id: 1, UpdateToken: true };
    expect((await door.rest('PATCH', `/users/${user}`, { data: select }, token)).status).toBe(200);
    expect((await door.rest('GET', `/teams/${team}`, undefined, token)).status).toBe(200);
  });

  it("gives the same 404 for every invitation that is not pending or not one's own", async () => {
    const user = await newUser();
    const mail = await call.mailOf(user);
    const others = invitationOf(await invite(people.admin, 'somebody@example.org')).id;
    const deleted = invitationOf(await invite(people.admin, mail)).id;
    await call.rest(people.admin, 'DELETE', `/users/invitation/${deleted}`);
    const own = invitationOf(await invite(people.admin, mail)).id;
    expect(readRefusal(await accept(user, own, 2))).toBeUndefined();
    const [{ id: dead }] = await door.sql(
      `with host as (insert into spaces (name, deleted_at) values ('Gone', now()) returning id),
       role as (insert into roles (group_id, name, type) select id, 'x', 'user' from host returning group_id, id)
       insert into invitations (group_id, email, role_id) select group_id, ?, id from role returning id`,
      [mail],
    );
    const [{ id: foreign }] = await door.sql('select min(id) as id from invitations where group_id = 2');
    for (const id of [others, deleted, own, dead, foreign, 987_654_321])
      expect(readRefusal(await accept(user, id, 2))).toEqual([404, `There is no invitation ${id}`]);
    expect(await receivedBy(user, 2)).toEqual([]);
  });

  it('succeeds for one of many concurrent attempts', async () => {
    const user = await newUser();
    const team = await newTeam(1, 'Raced');
    const { id } = invitationOf(await invite(people.admin, await call.mailOf(user), { team_ids: [team] }));
    const answers = await Promise.all(Array.from({ length: 12 }, () => accept(user, id, 2)));
    const statuses = answers.map((answer) => readRefusal(answer)?.[0] ?? 200).sort();
    // On a cluster, 409 is permitted too: its nodes lock people in different orders.
    const others = inject('onCluster') ? [404, 409] : [404];
    expect(statuses.filter((status) => !others.includes(status))).toEqual([200]);
    expect(await door.sql('select version from teams where id = ?', [team])).toEqual([{ version: 2 }]);
  });

  it('leaves nobody both a member and invited when an invitation is sent again at the same moment', async () => {
    for (let round = 0; round < 10; round++) {
      const user = await newUser();
      const mail = await call.mailOf(user);
      const { id } = invitationOf(await invite(people.admin, mail));
      const [accepted, ...invited] = await Promise.all([
        accept(user, id, 2),
        ...Array.from({ length: 4 }, () => invite(people.admin, mail)),
      ]);
      expect(readRefusal(accepted)).toBeUndefined();
      for (const { status } of invited) expect([201, 409]).toContain(status);
      expect([(await rowOfInvitation(id)).user_id, await isMember(1, user)]).toEqual([user, true]);
    }
  });

  it('keeps the role of a member who has just got the invited mail', async () => {
    const user = await newUser(1);
    const { id } = invitationOf(
      await invite(people.admin, 'late@example.org', { role_id: await call.roleOf(1, 'admin') }),
    );
    await door.sql(`update users set mail = 'late@example.org' where id = ?`, [user]);
    expect(readRefusal(await accept(user, id))).toBeUndefined();
    const { body } = await call.rest(people.admin, 'GET', `/users/${user}`);
    expect(body.data.User.role_data.type).toBe('user');
  });
});

describe('a changed mail', () => {
  const change = (by: number, id: number, mail: string): Promise<Answer> =>
    call.rest(by, 'PATCH', `/users/${id}`, { data: { mail } });

  it('cannot accept the invitation of its real owner until the operator has confirmed it', async () => {
    const { user: squatter, foreignSuperadmin: host } = people;
    const own = await call.mailOf(squatter);
    const role = await call.roleOf(2, 'superadmin');
    const { id } = invitationOf(await invite(host, 'stranger@example.org', { role_id: role }, 2));
    expect((await change(squatter, squatter, 'Stranger@example.org')).status).toBe(200);
    expect(await receivedBy(squatter)).toEqual([]);
    // The answer has the same words for every id, so it reveals only that accepting is not allowed.
    const refused = [403, expect.stringMatching(/mail was changed.*operator/)];
    for (const one of [id, 987_654_321]) expect(readRefusal(await accept(squatter, one))).toEqual(refused);
    // It stays so after the user has the old mail again: the server cannot know which of the two is the user's own.
    expect((await change(squatter, squatter, own)).status).toBe(200);
    expect(readRefusal(await accept(squatter, id))).toEqual(refused);
    expect([await isMember(2, squatter), (await rowOfInvitation(id)).user_id]).toEqual([false, null]);

    await door.sql(`update users set mail = 'stranger@example.org', mail_confirmed = true where id = ?`, [squatter]);
    expect(await receivedBy(squatter)).toEqual([id]);
    expect(readRefusal(await accept(squatter, id))).toBeUndefined();
    expect(await isMember(2, squatter)).toBe(true);
  });

  it('is unconfirmed after a change by an admin, and not after a change of letter case only', async () => {
    const user = await newUser(1);
    const mail = await call.mailOf(user);
    const isConfirmed = async (): Promise<boolean> => (await call.rowOf(user)).mail_confirmed;
    expect((await change(user, user, mail.toUpperCase())).status).toBe(200);
    expect(await isConfirmed()).toBe(true);
    expect((await change(people.admin, user, 'by-admin@example.org')).status).toBe(200);
    expect(await isConfirmed()).toBe(false);
  });
});

it("viewer lists the pending invitations to one's own mail, in any space, and nothing else of that space", async () => {
  const user = await newUser();
  const mail = await call.mailOf(user);
  const { id } = invitationOf(await invite(people.admin, mail.toUpperCase()));
  await invite(people.admin, 'not-theirs@example.org');
  const { body } = await call.graph(user, received, {}, 2);
  const [{ name: spaceName }] = await door.sql('select name from spaces where id = 1');
  expect(body.data.viewer.invitations).toEqual([
    { id, spaceId: 'Space:1', spaceName, roleName: expect.any(String), lastSentAt: expect.any(String) },
  ]);
  const fields = (await door.graphql('{ __type(name: "ReceivedInvitation") { fields { name } } }')).body.data.__type;
  expect(fields.fields.map(({ name }: Json) => name).sort()).toEqual(
    ['databaseId', 'id', 'lastSentAt', 'roleName', 'spaceId', 'spaceName'].sort(),
  );
  await call.rest(people.admin, 'DELETE', `/users/invitation/${id}`);
  expect(await receivedBy(user, 2)).toEqual([]);
});
