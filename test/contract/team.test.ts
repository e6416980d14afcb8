// Spec §2.4, §4.2–§4.4: teams are created, replaced as a whole, soft-deleted.
import { beforeAll, describe, expect, it } from 'vitest';
import { type Door, type Json, openApp } from '../harness/app.ts';
import { createMember } from '../harness/member.ts';

let door: Door;

beforeAll(async () => {
  door = await openApp();
});

const ids = (users: { id: number }[]): number[] => users.map(({ id }) => id);
const create = (team: Json) => door.rest('POST', '/teams', { data: { team } });
const replace = (team: Json) => door.rest('PATCH', '/teams', { data: { team } });
const two = { users: [{ id: 1 }, { id: 2 }], leaders: [{ id: 2 }] };

describe('POST /teams', () => {
  it('answers the team in an envelope, users and leaders in both representations', async () => {
    const { status, body } = await create({
      name: 'North',
      description: 'Door to door',
      private: true,
      hide_users: true,
      ...two,
      address: {
        house_number: '12 bis',
        street: 'Rue X',
        postalcode: '01000',
        latitude: '46.2',
        longitude: '5.2',
        score: 0.5,
        invalid: false,
        pollingstation: '0012',
      },
    });
    expect(status).toBe(200);
    expect(body.status).toBe('success');
    const { team } = body.data;
    expect(team).toMatchObject({
      id: expect.any(Number),
      name: 'North',
      description: 'Door to door',
      private: true,
      hide_users: true,
    });
    expect([ids(team.users), ids(team.leaders)]).toEqual([[1, 2], [2]]);
    expect(team.address).toEqual({
      id: expect.any(Number),
      housenumber: '12 bis',
      house_number: '12 bis',
      street: 'Rue X',
      postalcode: '01000',
      latitude: '46.2',
      longitude: '5.2',
      score: 0.5,
      invalid: false,
      pollingstation: '0012',
    });
    const user = team.users[0];
    expect(user).toMatchObject({
      mail: expect.any(String),
      role: expect.any(String),
      group_id: [1],
      contacts: expect.any(Array),
      two_factor_enable: expect.any(Boolean),
    });
    expect(user.role_data).toMatchObject({
      id: expect.any(Number),
      name: user.role,
      type: 'superadmin',
      order: expect.any(Number),
      web: expect.any(Boolean),
      mobile: expect.any(Boolean),
    });
  });

  it('needs only a name; everything else is empty or false, and an id that is sent is ignored', async () => {
    const { body } = await create({ name: 'Bare', id: 1 });
    expect(body.data.team).toMatchObject({
      name: 'Bare',
      description: '',
      private: false,
      hide_users: false,
      users: [],
      leaders: [],
    });
    expect(body.data.team.id).not.toBe(1);
    expect(body.data.team).not.toHaveProperty('address');
  });

  it.each([
    [{ name: '' }, 'body.data.team.name', 'must not be blank'],
    [{ name: '  ' }, 'body.data.team.name', 'must not be blank'],
    [{}, 'body.data.team.name', 'is required'],
    [{ name: 'x'.repeat(256) }, 'body.data.team.name', 'must be at most 255 characters'],
    [{ name: 'x', leaders: [{ id: 1 }] }, 'body.data.team.leaders[0].id', 'is a leader but not among users'],
    [{ name: 'x', users: [{}] }, 'body.data.team.users[0].id', 'is required'],
    [{ name: 'x', users: {} }, 'body.data.team.users', 'must be an array'],
    [{ name: 'x', users: [1] }, 'body.data.team.users[0]', 'must be an object'],
    [{ name: 'x', address: { house_number: 12 } }, 'body.data.team.address.house_number', 'must be a string'],
    [{ name: 'x', address: { lattitude: 4 } }, 'body.data.team.address.lattitude', 'must be a string'],
    [{ name: 'x', address: 'here' }, 'body.data.team.address', 'must be an object'],
  ])('refuses %j, and places the fault where it was written', async (team, location, message) => {
    const before = await door.sql('select count(*) from teams');
    const { status, body } = await create(team);
    expect(status).toBe(400);
    expect(body.errors).toContainEqual(expect.objectContaining({ location, message }));
    expect(await door.sql('select count(*) from teams')).toEqual(before);
  });

  it('lists every fault of a body at once', async () => {
    const { body } = await create({
      name: ' ',
      private: 'x',
      users: [{ id: 1 }, { id: 'a' }],
      leaders: [{ id: 1 }, { id: 3 }],
      address: { city: 5 },
    });
    expect(body.errors.map((fault: Json) => fault.location).sort()).toEqual([
      'body.data.team.address.city',
      'body.data.team.leaders[1].id',
      'body.data.team.name',
      'body.data.team.private',
      'body.data.team.users[1].id',
    ]);
  });

  it('is 422 with each user who is not a member of the space, and writes nothing', async () => {
    const [{ id: stranger }] = await door.sql('select max(user_id) as id from members where group_id = 2');
    const before = await door.sql('select count(*) from teams');
    const { status, body } = await create({ name: 'x', users: [{ id: 1 }, { id: stranger }, { id: 999_999 }] });
    expect(status).toBe(422);
    expect(body.errors.map(({ location, value }: Json) => [location, value])).toEqual([
      ['body.data.team.users[1].id', stranger],
      ['body.data.team.users[2].id', 999_999],
    ]);
    expect(await door.sql('select count(*) from teams')).toEqual(before);
  });
});

describe('PATCH /teams', () => {
  it('replaces the whole: omitted fields become empty', async () => {
    const { id } = (await create({ name: 'A', description: 'D', private: true, ...two, address: { city: 'Lyon' } }))
      .body.data.team;
    const { status, body } = await replace({ id, name: 'B', users: [{ id: 3 }] });
    expect(status).toBe(200);
    expect(body.data.team).toMatchObject({ id, name: 'B', description: '', private: false, leaders: [] });
    expect(ids(body.data.team.users)).toEqual([3]);
    expect(body.data.team).not.toHaveProperty('address');
    expect((await door.rest('GET', `/teams/${id}`)).body.data.team).toEqual(body.data.team);
  });

  it('reads and writes both lattitude and latitude', async () => {
    const { id } = (await create({ name: 'A' })).body.data.team;
    const { body } = await replace({
      id,
      name: 'A',
      address: { lattitude: '45.7', housenumber: '3', postal_code: '69001' },
    });
    expect(body.data.team.address).toMatchObject({
      lattitude: '45.7',
      latitude: '45.7',
      housenumber: '3',
      postalcode: '69001',
    });
  });

  it('takes a blank part for none, under whichever of its names it is sent', async () => {
    const stored = async (address: Json): Promise<Json> => {
      const { status, body } = await create({ name: 'Blank', address: { city: 'Foix', ...address } });
      expect(status, JSON.stringify(body)).toBe(200);
      const { id: _, city: __, ...parts } = body.data.team.address;
      return parts;
    };
    expect(await stored({ pollingstation: '', polling_station: null })).toEqual({});
    expect(await stored({ postalcode: ' ', postal_code: '' })).toEqual({});
    expect(await stored({ house_number: '', housenumber: '3' })).toMatchObject({ housenumber: '3' });
    expect(await stored({ latitude: '4.5', lattitude: ' ' })).toEqual({ latitude: '4.5' });
    const { id } = (await create({ name: 'Cleared', address: { city: 'Foix', pollingstation: '7' } })).body.data.team;
    const address = { city: 'Foix', pollingstation: '7', polling_station: '' };
    expect((await replace({ id, name: 'Cleared', address })).body.data.team.address).not.toHaveProperty(
      'pollingstation',
    );
  });

  it('accepts its own answer as a whole', async () => {
    const first = (await create({ name: 'Echo', ...two, address: { city: 'Lyon', house_number: '1', latitude: '45' } }))
      .body.data.team;
    const second = (await replace(first)).body.data.team;
    expect({ ...second, updated_at: 0 }).toEqual({
      ...first,
      updated_at: 0,
      address: { ...first.address, lattitude: '45' },
    });
    const third = (await replace({ ...second, address: { ...second.address, city: 'Foix' } })).body.data.team;
    expect(third.address).toEqual({ ...second.address, city: 'Foix' });
  });

  it('is 404 for a missing team, and 400 without an id', async () => {
    const [{ id: foreign }] = await door.sql('select min(id) as id from teams where group_id = 2');
    for (const id of [987_654_321, foreign]) expect((await replace({ id, name: 'x' })).status).toBe(404);
    const { status, body } = await replace({ name: 'x' });
    expect([status, body.errors[0].location]).toEqual([400, 'body.data.team.id']);
  });

  it('leaves the team as it was when a user is not a member', async () => {
    const before = (await create({ name: 'Kept', ...two, address: { city: 'Lyon' } })).body.data.team;
    expect((await replace({ id: before.id, name: 'Lost', users: [{ id: 999_999 }] })).status).toBe(422);
    const { lattitude: _, ...address } = (await door.rest('GET', `/teams/${before.id}`)).body.data.team.address;
    expect({ ...(await door.rest('GET', `/teams/${before.id}`)).body.data.team, address }).toEqual(before);
  });
});

describe('DELETE /teams/{id}', () => {
  it('answers a message and the id; the team is missing everywhere afterwards', async () => {
    const { id } = (await create({ name: 'Doomed', ...two })).body.data.team;
    const { status, body } = await door.rest('DELETE', `/teams/${id}`);
    expect([status, body]).toEqual([200, { status: 'success', data: { message: expect.any(String), team_id: id } }]);
    expect((await door.rest('GET', `/teams/${id}`)).status).toBe(404);
    expect(ids((await door.rest('GET', '/teams')).body.data.teams)).not.toContain(id);
    expect((await replace({ id, name: 'Back' })).status).toBe(404);
    expect((await door.rest('DELETE', `/teams/${id}`)).status).toBe(404);
    expect((await door.sql('select deleted_at is not null as soft from teams where id = ?', [id]))[0]).toEqual({
      soft: true,
    });
  });
});

describe('roles', () => {
  it('let managers and above change teams, and others only read them', async () => {
    const members = await door.sql(
      'select distinct on (r.type) r.type, m.user_id from members m join roles r on r.group_id = m.group_id and r.id = m.role_id where m.group_id = 1 order by r.type, m.user_id',
    );
    const statuses: Record<string, number[]> = {};
    for (const { type, user_id } of members) {
      const token = await door.token(1, user_id);
      const { status, body } = await door.rest('POST', '/teams', { data: { team: { name: 'By role' } } }, token);
      const read = await door.rest('GET', '/teams', undefined, token);
      statuses[type] = [status, read.status];
      if (status === 403) expect(body.title).toBe('Not allowed');
    }
    expect(statuses).toEqual({
      superadmin: [200, 200],
      admin: [200, 200],
      manager: [200, 200],
      user: [403, 200],
      custom: [403, 200],
    });
  });

  it('without contacts.read see and change teams, without the contacts of their users', async () => {
    const token = await createMember(door, { type: 'custom', permissions: ['people.read', 'teams.write'] });
    const content = { name: 'People alone', users: [{ id: 1 }] };
    const created = await door.rest('POST', '/teams', { data: { team: content } }, token);
    expect([created.status, created.body.data?.team.users[0].id]).toEqual([200, 1]);
    const { id } = created.body.data.team;
    const answers = [
      created,
      await door.rest('PATCH', '/teams', { data: { team: { id, ...content } } }, token),
      await door.rest('GET', `/teams/${id}`, undefined, token),
      await door.rest('GET', '/teams', undefined, token),
    ];
    for (const { status, text } of answers) expect([status, text.includes('"contacts"')]).toEqual([200, false]);
    expect((await door.rest('GET', `/teams/${id}`)).body.data.team.users[0].contacts).toBeInstanceOf(Array);
  });
});

describe('the degrees of an address', () => {
  const query =
    'query ($id: ID!) { team(id: $id) { id name private hideUsers description users { id } leaders { id } address { city latitude longitude } version } }';
  const readTeam = async (id: string) => (await door.graphql(query, { id })).body.data.team;
  const replaceTeam = (input: Json) =>
    door.graphql('mutation ($input: TeamReplaceInput!) { replaceTeam(input: $input) { team { version } } }', { input });

  it('are numbers in the graph; what is read there and sent back keeps the text that REST sent', async () => {
    const address = { city: 'Albi', latitude: '1.50', longitude: ' 2' };
    const { body } = await create({ name: 'Degrees', ...two, address });
    const id = (await door.graphql('{ teams(orderBy: { field: ID, direction: DESC }, first: 1) { nodes { id } } }'))
      .body.data.teams.nodes[0].id;
    const { version, ...team } = await readTeam(id);
    expect(team.address).toEqual({ city: 'Albi', latitude: 1.5, longitude: 2 });

    expect((await replaceTeam(team)).body.data.replaceTeam.team.version).toBe(version);
    const edited = { ...team, address: { ...team.address, longitude: 3.25 } };
    expect((await replaceTeam(edited)).body.errors).toBeUndefined();
    const { body: after } = await door.rest('GET', `/teams/${body.data.team.id}`);
    expect(after.data.team.address).toMatchObject({ ...address, longitude: '3.25' });
  });

  it('are null in the graph when the text is no number', async () => {
    await create({ name: 'No degrees', address: { city: 'Albi', latitude: '12abc', longitude: '' } });
    const { body } = await door.graphql(
      '{ teams(orderBy: { field: ID, direction: DESC }, first: 1) { nodes { address { latitude longitude } } } }',
    );
    expect(body.data.teams.nodes[0].address).toEqual({ latitude: null, longitude: null });
  });
});
