// Who lives near a place and within a polygon: both notations, the edges of the earth, whose coordinates count, the order by distance, and segments.
import { beforeAll, describe, expect, it } from 'vitest';
import { evaluateSegments } from '../../src/data/segment/segment-evaluation.ts';
import { type Door, type Json, openApp } from '../harness/app.ts';
import { measureDistance } from '../search/oracle-places.ts';
import { faults, ids, searched, searchedByTree } from './search-query.ts';
import { createRoleToken, runMutation } from './writing.ts';

let door: Door;
let manager: string;
/** Their ids by their names. */
const people: Record<string, number> = {};
const homes: Record<string, [latitude: number | null, longitude: number | null, postalCode?: string]> = {
  suva: [-18.14, 178.44, 'FJ1'],
  west: [-18, 179.9, 'FJ2'],
  east: [-18, -179.9, 'FJ2'],
  line: [-18.01, 180],
  otherLine: [-18.02, -180],
  pole: [90, 0],
  arctic: [89.5, -120],
  north: [89.5, 60],
  antarctic: [-89.9, 10],
  square: [10.5, 20.5],
  hole: [10.55, 20.55],
  edge: [10, 20.5],
  holeEdge: [10.54, 20.55],
  nowhere: [null, null, 'NOWHERE'],
  half: [10.5, null, 'NOWHERE'],
};

const toId = (id: unknown): number => Number(String(id).replace('Contact:', ''));
const create = async ([latitude, longitude, postalCode]: (typeof homes)[string]): Promise<number> => {
  const address = { latitude, longitude, ...(postalCode && { postalCode }) };
  return toId((await runMutation(door, 'createContact', { lastName: 'Placed', address }, manager)).id);
};
const move = (id: number, latitude: number | null, longitude: number | null): Promise<Json> =>
  runMutation(door, 'updateContact', { id, address: { latitude, longitude } }, manager);

const near = (km: number, centre: Json): Json => ({ address: { near: { km, ...centre } } });
const around = (km: number, latitude: number, longitude: number): Json => near(km, { point: { latitude, longitude } });
const within = (...polygon: number[][][]): Json => ({ address: { within: { polygon } } });
const box = (south: number, west: number, north: number, east: number): number[][] => [
  [west, south],
  [east, south],
  [east, north],
  [west, north],
  [west, south],
];

/** The names of those who are found, of the people of this test. */
const find = async (query: Json): Promise<string[]> => {
  const found = await ids(door, { query });
  return Object.keys(people).filter((name) => found.includes(people[name]!));
};

beforeAll(async () => {
  door = await openApp();
  manager = await createRoleToken(door, 'manager');
  await door.sql('update segments set is_watched = false');
  for (const [name, home] of Object.entries(homes)) people[name] = await create(home);
});

describe('near', () => {
  it.each([
    ['over the antimeridian', around(30, -18, 179.95), ['west', 'east', 'line', 'otherLine']],
    ['from its other side', around(30, -18, -180), ['west', 'east', 'line', 'otherLine']],
    ['around the north pole', around(60, 90, 77), ['pole', 'arctic', 'north']],
    ['over the north pole', around(112, 89.5, 60), ['pole', 'arctic', 'north']],
    ['not as far as over the north pole', around(57, 89.5, 60), ['pole', 'north']],
    ['around the south pole', around(12, -90, 0), ['antarctic']],
    [
      'the postal code, in the middle of both sides of the antimeridian',
      near(12, { postalCode: ' fj2 ' }),
      ['west', 'east', 'line', 'otherLine'],
    ],
    ['a postal code without coordinates', near(20_037, { postalCode: 'NOWHERE' }), []],
    ['a postal code that nobody has', near(20_037, { postalCode: 'none' }), []],
    ['the other end of the earth', around(20_037, -10.5, -159.5), Object.keys(homes).slice(0, -2)],
  ])('%s', async (_, query, due) => {
    expect(await find(query)).toEqual(due);
    expect(await find({ not: query })).toEqual(Object.keys(people).filter((name) => !due.includes(name)));
  });

  it('a contact, where they live now, and nobody once they are deleted', async () => {
    const centre = await create([60, 100]);
    people.neighbour = await create([60.01, 100]);
    const query = near(2, { contactId: centre });
    expect(await find(query)).toEqual(['neighbour']);
    await move(centre, 61, 100);
    expect(await find(query)).toEqual([]);
    await move(centre, 60.01, 100);
    expect(await find(query)).toEqual(['neighbour']);
    await runMutation(door, 'deleteContact', { id: centre }, manager);
    expect(await find(query)).toEqual([]);
    expect(await find({ not: query })).toEqual(Object.keys(people));
    delete people.neighbour;
  });

  it('a merged contact, where the survivor lives', async () => {
    const centre = await create([10, 100]);
    await runMutation(door, 'mergeContacts', { survivorId: people.suva, ids: [centre] }, manager);
    expect(await find(near(2, { contactId: centre }))).toEqual(['suva']);
  });

  it('a contact or a postal code of another space is no centre', async () => {
    const [{ id }] = await door.sql('select contact_id as id from addresses where group_id = 1 and postal_code = ?', [
      'FJ1',
    ]);
    const [{ user }] = await door.sql('select min(user_id) as user from members where group_id = 2');
    const foreign = await door.token(2, user);
    for (const centre of [{ contactId: id }, { postalCode: 'FJ1' }]) {
      expect(await find(near(1, centre))).toEqual(['suva']);
      const { body } = await door.graphql(
        'query ($query: ContactQuery) { searchContacts(query: $query) { totalCount } }',
        { query: near(1, centre) },
        foreign,
      );
      expect(body.data.searchContacts.totalCount).toBe(0);
    }
  });

  it('explainSearch says why nobody is near', async () => {
    const explain = async (centre: Json): Promise<Json> =>
      (
        await door.graphql(
          'query ($query: ContactQuery) { explainSearch(query: $query) { note parts { note matches } } }',
          {
            query: near(5, centre),
          },
        )
      ).body.data.explainSearch;
    expect(await explain({ postalCode: 'NOWHERE' })).toEqual({
      note: null,
      parts: [{ note: 'No contact with coordinates has the postal code NOWHERE: nobody is near it.', matches: 0 }],
    });
    expect((await explain({ contactId: people.nowhere })).parts[0].note).toBe(
      `There is no contact ${people.nowhere} with coordinates: nobody is near it.`,
    );
    expect((await explain({ contactId: people.suva })).parts).toEqual([{ note: null, matches: 1 }]);
  });
});

describe('within', () => {
  it.each([
    ['a point on the outer ring is within', [box(10, 20, 11, 21)], ['square', 'hole', 'edge', 'holeEdge']],
    [
      'what is in a hole, or on its ring, is not',
      [box(10, 20, 11, 21), box(10.54, 20.54, 10.56, 20.56)],
      ['square', 'edge'],
    ],
    ['up to the antimeridian', [box(-19, 179, -17, 180)], ['west', 'line']],
    ['from the antimeridian', [box(-19, -180, -17, -179)], ['east', 'otherLine']],
    ['the pole', [box(89, -180, 90, 180)], ['pole', 'arctic', 'north']],
  ])('%s', async (_, polygon, due) => {
    const query = within(...polygon);
    expect(await find(query)).toEqual(due);
    expect(await find({ not: query })).toEqual(Object.keys(people).filter((name) => !due.includes(name)));
  });
});

describe('the contract’s notation', () => {
  const findByTree = async (...conditions: Json[]): Promise<string[]> => {
    const tree = { $all: [{ $all: conditions.map(($condition) => ({ $condition })) }] };
    const { body } = await searchedByTree(door, { tree, first: 1000 }, '{ nodes { id: databaseId } }');
    const found = body.data.searchContactsByTree.nodes.map(({ id }: Json) => id);
    return Object.keys(people).filter((name) => found.includes(people[name]!));
  };
  it('finds the same', async () => {
    const point = { latitude: -18, longitude: 180 };
    const placed = { attr: 'surname', ope: 'eql', value: 'placed' };
    expect(await findByTree({ attr: 'address.near', ope: 'inside', value: { km: 5, point } })).toEqual([
      'line',
      'otherLine',
    ]);
    expect(
      await findByTree({ attr: 'address.near', ope: 'inside', value: { km: 1, contact_id: String(people.suva) } }),
    ).toEqual(['suva']);
    expect(await findByTree({ attr: 'address.near', ope: 'inside', value: { km: 1, postal_code: 'FJ1' } })).toEqual([
      'suva',
    ]);
    const polygon = [box(-90, -180, 88, 180)];
    expect(await findByTree({ attr: 'address.within', ope: 'not_inside', value: { polygon } }, placed)).toEqual([
      'pole',
      'arctic',
      'north',
      'nowhere',
      'half',
    ]);
  });

  it.each([
    ['address.near', undefined, '', 'is required'],
    ['address.near', { km: 1 }, '', 'must have exactly one of point, contact_id and postal_code'],
    [
      'address.near',
      { km: 1, contactId: 1 },
      '.contactId',
      'is no field here: there are point, contact_id, postal_code, km',
    ],
    ['address.near', { km: 0, contact_id: 1 }, '.km', 'must be more than 0 and at most 20037 kilometres'],
    ['address.near', { km: '1', contact_id: 1 }, '.km', 'must be more than 0 and at most 20037 kilometres'],
    [
      'address.near',
      { km: 1, postal_code: ' ' },
      '.postal_code',
      'must be a text that is not blank, at most 256 characters',
    ],
    ['address.within', { polygon: 'x' }, '.polygon', 'must be a list of rings: the outer one, then those of holes'],
    ['address.within', { polygon: [[[0, 0, 0]]] }, '.polygon[0][0]', 'must be a position [longitude, latitude]'],
  ])('%s %j is refused', async (attr, value, place, message) => {
    const tree = { $all: [{ $all: [{ $condition: { attr, ope: 'inside', value } }] }] };
    const { body } = await searchedByTree(door, { tree });
    const [{ location, message: said }] = body.errors[0].extensions.errors;
    expect([location, said]).toEqual([`tree.$all[0].$all[0].$condition.value${place}`, message]);
  });
});

it.each([
  [
    near(1, { contactId: 1, postalCode: '1' }),
    'address.near',
    'must have exactly one of point, contactId and postalCode',
  ],
  [near(20_038, { contactId: 1 }), 'address.near.km', 'must be more than 0 and at most 20037 kilometres'],
  [around(-1, 0, 0), 'address.near.km', 'must be more than 0 and at most 20037 kilometres'],
  [around(1, 91, 0), 'address.near.point.latitude', 'must be from -90 to 90 degrees'],
  [around(1, 0, -180.5), 'address.near.point.longitude', 'must be from -180 to 180 degrees'],
  [within(), 'address.within.polygon', 'must be a list of rings: the outer one, then those of holes'],
  [
    within([
      [0, 0],
      [1, 1],
      [0, 0],
    ]),
    'address.within.polygon[0]',
    'must have at least 4 positions, of which the last is the first',
  ],
  [
    within([
      [0, 0],
      [1, 0],
      [1, 1],
      [0, 1],
    ]),
    'address.within.polygon[0][3]',
    'must be the first position again, which closes the ring',
  ],
  [
    within([
      [0, 0],
      [1, 0],
      [1, 91],
      [0, 0],
    ]),
    'address.within.polygon[0][2][1]',
    'must be a latitude from -90 to 90 degrees',
  ],
  [
    within([
      [0, 0],
      [181, 0],
      [1, 1],
      [0, 0],
    ]),
    'address.within.polygon[0][1][0]',
    'must be a longitude from -180 to 180 degrees',
  ],
  [
    within(Array.from({ length: 501 }, () => [0, 0])),
    'address.within.polygon',
    'must have at most 500 positions in all its rings',
  ],
])('%j is refused at %s', async (query, place, message) => {
  expect((await faults(door, { query })).map((fault) => [fault.location, fault.message])).toEqual([
    [`query.${place}`, message],
  ]);
});

describe('the order by distance', () => {
  const orderBy = { field: 'DISTANCE' };
  const read = async (args: Json): Promise<Json> => {
    const { body } = await searched(
      door,
      { orderBy, ...args },
      '{ edges { cursor distance node { id: databaseId address { latitude longitude } } } pageInfo { hasNextPage hasPreviousPage } }',
    );
    if (body.errors) throw new Error(JSON.stringify(body.errors));
    return body.data.searchContacts;
  };
  const paris = { latitude: 48.8566, longitude: 2.3522 };
  const query = near(400, { point: paris });

  it('is that of the distance, which each edge has', async () => {
    const { edges } = await read({ query, first: 1000 });
    expect(edges.length).toBeGreaterThan(100);
    for (const { distance, node } of edges) expect(distance).toBeCloseTo(measureDistance(paris, node.address), 6);
    const sorted = [...edges].sort((one, other) => one.distance - other.distance || one.node.id - other.node.id);
    expect(edges).toEqual(sorted);
    expect(edges.map(({ node }: Json) => node.id).sort()).toEqual((await ids(door, { query })).sort());
  });

  it('has the same pages in both directions, also of two conditions, and of contacts at one place', async () => {
    const twin = [48.2, 2.1] as [number, number];
    const twins = [await create(twin), await create(twin), await create(twin)];
    for (const one of [query, { and: [{ gender: { equals: 'F' } }, query] }, near(300, { contactId: twins[1] })]) {
      const all = (await read({ query: one, first: 1000 })).edges;
      const forwards: Json[] = [];
      for (let after: string | null = null, more = true; more; ) {
        const { edges, pageInfo } = await read({ query: one, first: 7, after });
        forwards.push(...edges);
        [after, more] = [edges.at(-1)?.cursor ?? null, pageInfo.hasNextPage];
      }
      expect(forwards).toEqual(all);
      const backwards: Json[] = [];
      for (let before: string | null = null, more = true; more; ) {
        const { edges, pageInfo } = await read({ query: one, last: 9, before });
        backwards.unshift(...edges);
        [before, more] = [edges[0]?.cursor ?? null, pageInfo.hasPreviousPage];
      }
      expect(backwards).toEqual(all);
      const between = { after: all[3].cursor, before: all[12].cursor };
      expect((await read({ query: one, first: 50, ...between })).edges).toEqual(all.slice(4, 12));
      expect((await read({ query: one, last: 3, ...between })).edges).toEqual(all.slice(9, 12));
    }
    expect(
      (await read({ query: near(1, { contactId: twins[1] }) })).edges.map(({ distance, node }: Json) => [
        node.id,
        distance,
      ]),
    ).toEqual(twins.map((id) => [id, 0]));
  });

  it('is empty around a centre without coordinates, and null in another order', async () => {
    expect((await read({ query: near(5, { contactId: people.nowhere }) })).edges).toEqual([]);
    const { edges } = await read({ query, orderBy: { field: 'ID' }, first: 1 });
    expect(edges[0].distance).toBeNull();
  });

  it.each([
    [{ gender: { equals: 'F' } }, {}],
    [{ not: around(5, 0, 0) }, {}],
    [{ or: [around(5, 0, 0), { gender: { equals: 'F' } }] }, {}],
    [undefined, {}],
    [within(box(0, 0, 1, 1)), {}],
  ])('without a circle that every match is in is refused: %j', async (one) => {
    const [fault] = await faults(door, { query: one, orderBy });
    expect([fault!.location, fault!.message]).toEqual([
      'orderBy.field',
      'is the distance from the centre of `address.near`: the query must have one that every match satisfies',
    ]);
  });

  it('begins with the nearest, and takes no cursor of another order', async () => {
    const [fault] = await faults(door, { query, orderBy: { ...orderBy, direction: 'DESC' } });
    expect(fault!.message).toBe('begins with the nearest: its direction is ASC');
    const { edges } = await read({ query, orderBy: { field: 'ID' }, first: 1 });
    expect((await faults(door, { query, orderBy, after: edges[0].cursor }))[0]!.location).toBe('after');
    const forged = Buffer.from(JSON.stringify(['search distance asc', 0, 'NaN', 1])).toString('base64url');
    expect((await faults(door, { query, orderBy, after: forged }))[0]!.location).toBe('after');
  });
});

describe('segments', () => {
  let turn = 0;
  const save = async (query: Json): Promise<string> => {
    const input = { name: `Place ${++turn}`, query, isWatched: true };
    return (await runMutation(door, 'createSegment', input, manager)).id;
  };
  const listMembers = async (segment: string): Promise<string[]> => {
    await evaluateSegments(door.database.space(1));
    const rows = await door.sql('select contact_id as id from segment_members where group_id = 1 and segment_id = ?', [
      Number(String(segment).replace('Segment:', '')),
    ]);
    return Object.keys(people).filter((name) => rows.some(({ id }) => id === people[name]));
  };

  it('people enter and leave when they move, or when the centre does', async () => {
    const [centre, fixed] = [await create([-60, 20]), await create([-60, 20])];
    people.mover = await create([-60.001, 20]);
    const segments = [
      await save(around(1, -60, 20)),
      await save(within(box(-60.01, 19, -59.99, 21))),
      await save(near(1, { contactId: centre })),
    ];
    const all = async (): Promise<string[][]> => [
      await listMembers(segments[0]!),
      await listMembers(segments[1]!),
      await listMembers(segments[2]!),
    ];
    expect(await all()).toEqual([['mover'], ['mover'], ['mover']]);
    await move(people.mover, -50, 20);
    expect(await all()).toEqual([[], [], []]);
    await move(people.mover, -60.001, 20);
    expect(await all()).toEqual([['mover'], ['mover'], ['mover']]);
    await move(centre, -10, 20);
    // It is evaluated anew from time to time.
    await door.sql(`update segment_evaluations set due_at = now() - interval '1 day' where group_id = 1`);
    expect(await all()).toEqual([['mover'], ['mover'], []]);
    await move(people.mover, null, null);
    expect(await all()).toEqual([[], [], []]);
    await runMutation(door, 'deleteContact', { id: fixed }, manager);
    delete people.mover;
  });

  it('stand in other queries, with the order by their distance', async () => {
    const segment = await save(around(30, -18, 179.95));
    const query = { and: [{ segment: { in: [segment] } }, { lastName: { equals: 'Placed' } }] };
    expect(await find(query)).toEqual(['west', 'east', 'line', 'otherLine']);
    expect(await find({ segment: { notIn: [segment] } })).not.toContain('west');
    const { body } = await searched(
      door,
      { query, orderBy: { field: 'DISTANCE' } },
      '{ edges { distance node { id: databaseId } } }',
    );
    const { edges } = body.data.searchContacts;
    expect(edges.map(({ node }: Json) => node.id)).toEqual([people.west, people.line, people.otherLine, people.east]);
  });

  it('outlive their centre', async () => {
    const centre = await create([40, -40]);
    const segment = await save(near(5, { contactId: centre }));
    await runMutation(door, 'deleteContact', { id: centre }, manager);
    const { body } = await door.graphql('query ($id: ID!) { segment(id: $id) { contactCount faults { message } } }', {
      id: segment,
    });
    expect(body).toEqual({ data: { segment: { contactCount: 0, faults: [] } } });
  });
});
