// Concurrent writers of one team, or one mail: the result is what one of them wrote, and nobody gets a 500.
import { beforeAll, describe, expect, it } from 'vitest';
import { type Answer, type Door, type Json, openApp } from '../harness/app.ts';

let door: Door;
let everyone: number[];

beforeAll(async () => {
  door = await openApp();
  everyone = (
    await door.sql(
      'select user_id from members m join users u on u.id = user_id and u.deleted_at is null where group_id = 1 order by user_id',
    )
  ).map(({ user_id }) => user_id);
});

const ids = (users: { id: number }[]): number[] => users.map(({ id }) => id);
const toReferences = (users: number[]): { id: number }[] => users.map((id) => ({ id }));
const replace = (team: Json) => door.rest('PATCH', '/teams', { data: { team } });
const create = async (name: string): Promise<number> =>
  (await door.rest('POST', '/teams', { data: { team: { name } } })).body.data.team.id;

/** The team as writer `number` writes it: every part names the writer. Some writers send no address. */
const expectedTeam = (number: number) => {
  const users = Array.from(
    { length: 1 + (number % 5) },
    (_, place) => everyone[(number * 7 + place) % everyone.length]!,
  );
  return {
    name: `Written by ${number}`,
    description: `Words of ${number}`,
    private: number % 2 === 0,
    hide_users: number % 3 === 0,
    users: [...new Set(users)],
    leaders: users.slice(0, number % 3).slice(0, 1),
    city: number % 4 === 0 ? undefined : `City ${number}`,
  };
};
const toBody = (id: number, number: number): Json => {
  const { users, leaders, city, ...basics } = expectedTeam(number);
  return {
    id,
    ...basics,
    users: toReferences(users),
    leaders: toReferences(leaders),
    ...(city && { address: { city } }),
  };
};
const read = ({ name, description, private: isPrivate, hide_users, users, leaders, address }: Json) => ({
  name,
  description,
  private: isPrivate,
  hide_users,
  users: ids(users),
  leaders: ids(leaders),
  city: address?.city,
});
const numberIn = (name: string): number => Number(/\d+$/.exec(name)![0]);

describe('200 writers replacing one team', () => {
  let team: number;
  let answers: Answer[];
  let seen: Answer[];
  let left: Json;

  beforeAll(async () => {
    team = await create('Contested');
    const write = async (number: number): Promise<Answer[]> =>
      Promise.all([replace(toBody(team, number)), door.rest('GET', `/teams/${team}`)]);
    const pairs = await Promise.all(Array.from({ length: 200 }, (_, number) => write(number)));
    answers = pairs.map(([answer]) => answer!);
    seen = pairs.map(([, answer]) => answer!).filter(({ status }) => status === 200);
    left = (await door.rest('GET', `/teams/${team}`)).body.data.team;
  });

  it('leave the values of one of them, and none of any other', async () => {
    expect(read(left)).toEqual(expectedTeam(numberIn(left.name)));
    const rows = await door.sql('select user_id, leader from team_users where group_id = 1 and team_id = ?', [team]);
    const { users, leaders } = expectedTeam(numberIn(left.name));
    expect(rows.map(({ user_id }) => user_id).sort()).toEqual([...users].sort());
    expect(rows.filter(({ leader }) => leader).map(({ user_id }) => user_id)).toEqual(leaders);
  });

  it('are all answered: written once, or told to retry', async () => {
    const [{ version }] = await door.sql('select version from teams where group_id = 1 and id = ?', [team]);
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(version - 1);
    for (const { status, headers } of answers.filter(({ status }) => status !== 200)) {
      expect([409, 503]).toContain(status);
      if (status === 503) expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
    }
  });

  it('get their own values in the response, and readers those of one writer', () => {
    for (const [number, { status, body }] of answers.entries()) {
      if (status === 200) expect(read(body.data.team)).toEqual(expectedTeam(number));
    }
    const written = seen.map(({ body }) => body.data.team).filter(({ name }) => name !== 'Contested');
    for (const one of written) expect(read(one)).toEqual(expectedTeam(numberIn(one.name)));
    expect(written.length).toBeGreaterThan(10);
  });
});

it('a team that is deleted while it is replaced stays deleted, and is 404 from then on', async () => {
  const deletions = [1, 4];
  const patches = [0, 2, 3, 5, 6, 7];
  for (let round = 0; round < 15; round++) {
    const team = await create('Doomed');
    const remove = () => door.rest('DELETE', `/teams/${team}`);
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, place) => (deletions.includes(place) ? remove() : replace(toBody(team, place)))),
    );
    const statuses = (places: number[]): number[] => places.map((place) => answers[place]!.status);
    expect(statuses(deletions).sort()).toEqual([200, 404]);
    expect([200, 404]).toEqual(expect.arrayContaining([...new Set(statuses(patches))]));

    const left = () => door.sql('select * from teams where group_id = 1 and id = ?', [team]);
    const [row] = await left();
    expect(row.deleted_at).not.toBeNull();
    // Each write counts once: nothing was written after the deletion, which counts as well.
    expect(row.version).toBe(2 + statuses(patches).filter((status) => status === 200).length);
    expect((await replace(toBody(team, 9))).status).toBe(404);
    expect((await door.rest('GET', `/teams/${team}`)).status).toBe(404);
    expect(await left()).toEqual([row]);
  }
});

it('one mail invited by many at once gets one invitation', async () => {
  const spellings = ['raced@example.org', 'Raced@example.org', 'RACED@EXAMPLE.ORG'];
  const answers = await Promise.all(
    Array.from({ length: 30 }, (_, place) =>
      door.rest('POST', '/users/invitation', { data: { invitations: [{ email: spellings[place % 3] }] } }),
    ),
  );
  expect([...new Set(answers.map(({ status }) => status))]).toEqual([201]);
  const invited = new Set(answers.map(({ body }) => body.data.invitations[0].id));
  const rows = await door.sql(`select id from invitations where group_id = 1 and lower(email) = 'raced@example.org'`);
  expect(rows.map(({ id }) => id)).toEqual([...invited]);
});

it('a user who leaves the space during team updates is in none of its teams', async () => {
  const leavers = everyone.slice(-6);
  const stayers = everyone.slice(0, 2);
  const teams = await Promise.all(leavers.map((user) => create(`Left by ${user}`)));
  const leave = (user: number) => door.sql('delete from members where group_id = 1 and user_id = ?', [user]);
  for (const [place, user] of leavers.entries()) {
    const team = teams[place]!;
    const users = toReferences([stayers[0]!, user, stayers[1]!]);
    expect((await replace({ id: team, name: 'before', users, leaders: toReferences([user]) })).status).toBe(200);
    const update = { id: team, name: 'during', users, leaders: toReferences([user]) };
    const patches = Array.from({ length: 24 }, () => replace(update));
    await Promise.race(patches);
    await leave(user);
    const answers = await Promise.all(patches);
    for (const { status } of answers) expect([200, 422, 503]).toContain(status);
    const { status, body } = await replace({ id: team, name: 'after', users });
    expect([status, body.errors]).toEqual([422, [expect.objectContaining({ value: user })]]);
    const { users: left, leaders } = (await door.rest('GET', `/teams/${team}`)).body.data.team;
    expect([ids(left), ids(leaders)]).toEqual([stayers, []]);
  }
  const strangers = await door.sql(
    `select t.* from team_users t left join members m on m.group_id = t.group_id and m.user_id = t.user_id
      where m.user_id is null`,
  );
  expect(strangers).toEqual([]);
});
