// Bodies that nest deep or hold long lists: they are refused with the right fault, fast, and never cause an internal error.
import {
  type GraphQLArgument,
  type GraphQLInputType,
  getNamedType,
  getNullableType,
  isInputObjectType,
  isListType,
} from 'graphql';
import { beforeAll, describe, expect, it } from 'vitest';
import { listSpellings, read } from '../../src/input/legacy-input.ts';
import { routes } from '../../src/rest/routes/index.ts';
import { type Answer, type Door, type Json, openApp } from '../harness/app.ts';
import { drawSample } from '../harness/sizes.ts';
import { fields, type Ids, makeDocument, prepareIds, requests, rootFields } from '../requests/index.ts';

let door: Door;
let ids: Ids;
beforeAll(async () => {
  door = await openApp();
  ids = await prepareIds(door, 1);
});

/** The number of levels that JSON may have. */
const most = 32;
const depths = [31, 32, 33, 1000, 100_000];
/** Fewer depths for the many fields of the graph, which read all bodies alike. */
const fewer = [31, 33, 5000];

/** JSON text with this many levels. */
const shapes: Record<string, (depth: number) => string> = {
  arrays: (depth) => '['.repeat(depth) + ']'.repeat(depth),
  objects: (depth) => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`,
  mixed: (depth) =>
    Array.from({ length: depth }, (_, level) => (level % 2 ? '{"id":' : '[')).join('') +
    `"]}[{"${Array.from({ length: depth }, (_, level) => ((depth - level) % 2 ? ']' : '}')).join('')}`,
};

const mark = '\u0001';
/** JSON texts of a body with `mark` at one place each, and the number of levels above it. */
const placesIn = (body: Json): [text: string, above: number][] => {
  const inside = (value: Json, above: number): [Json, number][] => {
    if (Array.isArray(value))
      return [
        [[mark, ...value], above + 1],
        ...inside(value[0], above + 1).map(([one, level]): [Json, number] => [[one], level]),
      ];
    if (typeof value !== 'object' || value === null)
      return [
        [mark, above],
        [[mark], above + 1],
      ];
    const [name, known] = Object.entries(value)[0] ?? [];
    const below = name === undefined ? [] : inside(known, above + 1);
    return [
      [{ ...value, unknown: mark }, above + 1],
      ...below.map(([one, level]): [Json, number] => [{ ...value, [name!]: one }, level]),
    ];
  };
  return [[mark, 0], ...inside(body, 0)].map(([value, above]) => [JSON.stringify(value), above as number]);
};

const keyHeader = (key: string | undefined): Record<string, string> =>
  key === undefined ? {} : { 'Idempotency-Key': key };
let keys = 0;

/** Sends a body with every shape and depth at each place, with a key and without, and checks each response. */
const checkBodies = async (
  what: string,
  body: Json,
  send: (text: string, headers: Record<string, string>) => Promise<Answer>,
  among = depths,
) => {
  for (const [text, above] of placesIn(body))
    for (const [shape, make] of Object.entries(shapes))
      for (const depth of among)
        for (const key of [undefined, `deep-${keys++}`]) {
          const { status, body: answer } = await send(
            text.replace(JSON.stringify(mark), () => make(depth)),
            keyHeader(key),
          );
          const where = `${what} ${text.slice(0, 200)} ${shape} ${depth} ${key}: ${status} ${JSON.stringify(answer).slice(0, 300)}`;
          expect(status, where).toBeLessThan(500);
          expect(JSON.stringify(answer), where).not.toContain('"code":"internal"');
          if (depth + above <= most) continue;
          const errors = answer.errors[0]?.extensions?.errors ?? answer.errors;
          expect([status, errors], where).toEqual([
            400,
            [{ location: 'body', message: `must not nest deeper than ${most} levels` }],
          ]);
        }
};

describe('deeply nested JSON', () => {
  const written = routes.filter(({ variables }) => Object.values(variables).some((source) => 'body' in source));

  it.each(drawSample(written, { small: 16 }).map((route) => [`${route.method} ${route.path}`, route] as const))(
    'causes no internal error at %s',
    async (what, route) => {
      const { path, body } = requests[route.operation]!(ids);
      const url = route.path.replace(/\{(\w+)#?\}/g, (_, name) => String(path[name]));
      await checkBodies(what, body, (text, headers) => door.rest(route.method, url, text, undefined, headers));
    },
    120_000,
  );

  const argued = rootFields.filter(({ field }) => field.args.some(({ type }) => isInputObjectType(getNamedType(type))));
  const named = [
    ...argued,
    ...rootFields.filter(({ field }) => field.args.some(({ type }) => /QueryTree/.test(String(type)))),
  ];

  it.each(drawSample(named, { small: 16 }).map((root) => [root.field.name, root] as const))(
    'causes no internal error in the variables of %s',
    async (name, root) => {
      const given = fields[name]!(ids);
      const body = { variables: given, query: makeDocument(root, given) };
      await checkBodies(name, body, (text, headers) => door.rest('POST', '/graphql', text, undefined, headers), fewer);
    },
    120_000,
  );

  it('causes no internal error in the variables of a URL', async () => {
    const query = 'query ($tree: QueryTree) { searchContactsByTree(tree: $tree, first: 1) { totalCount } }';
    for (const name of ['variables', 'extensions'])
      for (const make of Object.values(shapes))
        for (const depth of [31, 33, 2000]) {
          const text = name === 'variables' ? `{"tree":${make(depth)}}` : make(depth);
          const url = `/graphql?${new URLSearchParams({ query, [name]: text })}`;
          const { status, body } = await door.rest('GET', url);
          const where = `${name} ${depth}: ${status} ${JSON.stringify(body).slice(0, 300)}`;
          expect(status, where).toBeLessThan(500);
          if (depth < most) continue;
          expect(body.errors[0].extensions.errors, where).toEqual([
            { location: name, message: `must not nest deeper than ${most} levels` },
          ]);
        }
  });

  it('is not counted within strings', async () => {
    const content = `${'['.repeat(500)}\\"${'{'.repeat(500)}`;
    const path = `/v1/contacts/${ids.contacts}/notes`;
    expect((await door.rest('POST', path, { content, pinned: false })).status).toBe(201);
    expect((await door.rest('POST', path, `{"content":"\\\\\\"[[${'['.repeat(99)}","pinned":false}`)).status).toBe(201);
  });
});

/** A value for an input, and for each list below it once, a list with this many items; with the place of the list on the wire. */
const withList = (type: GraphQLInputType, items: number, location: string, above: string[] = []): [Json, string][] => {
  const inner = getNullableType(type);
  if (isListType(inner)) {
    const ofItem = withList(inner.ofType, items, `${location}[0]`, above);
    return [
      [Array.from({ length: items }, () => ({ nothing: true })), location],
      ...ofItem.map(([item, place]): [Json, string] => [[item], place]),
    ];
  }
  // A group of a search may contain groups: one level is enough.
  if (!isInputObjectType(inner) || above.includes(inner.name)) return [];
  return Object.values(inner.getFields()).flatMap((field) => {
    const [name] = listSpellings(inner.name, field.name) as [string];
    return withList(field.type, items, `${location}.${name}`, [...above, inner.name]).map(
      ([value, place]): [Json, string] => [{ [name]: value }, place],
    );
  });
};

describe('a list that is too long', () => {
  const lists = rootFields.flatMap(({ field }) =>
    field.args.flatMap((argument) =>
      withList(argument.type, 60_000, argument.name).map(
        ([value, place]) => [`${field.name} ${place}`, argument, value, place] as const,
      ),
    ),
  );

  it('is detected in all inputs', () => expect(lists.length).toBeGreaterThan(50));

  it.each(
    drawSample(lists, { small: 8 }),
  )('is one fault, and its items are not read: %s', (_, argument: GraphQLArgument, value, place) => {
    const faults: { location: string; message: string }[] = [];
    read({ argument, location: argument.name, value }, faults);
    expect(faults.filter(({ location }) => location.startsWith(place))).toMatchObject([
      { location: place, message: expect.stringMatching(/^must be (at most |[12] to )\d+/) },
    ]);
    expect(faults.length).toBeLessThan(10);
  });

  /** The shortest of several times, so that other load on the machine counts little. */
  const time = async (work: () => Promise<unknown>): Promise<number> => {
    let best = Number.POSITIVE_INFINITY;
    for (let attempt = 0; attempt < 5; attempt++) {
      const from = performance.now();
      await work();
      best = Math.min(best, performance.now() - from);
    }
    return best;
  };

  it('of 60,000 invitations is one fault at both doors, as fast as any other body of its length', async () => {
    const invitations = Array.from({ length: 60_000 }, () => ({ email: '' }));
    const query =
      'mutation ($invitations: [InvitationInput!]!) { inviteUsers(input: { invitations: $invitations }) { invitations { id } } }';
    const rest = (body: Json): Promise<Answer> => door.rest('POST', '/users/invitation', body);
    const graph = (variables: Json): Promise<Answer> => door.graphql(query, variables);
    const text = JSON.stringify(invitations);

    const first = await rest({ data: { invitations } });
    expect([first.status, first.body.errors]).toEqual([
      400,
      [{ location: 'body.data.invitations', message: 'must be at most 5000 items' }],
    ]);
    const second = await graph({ invitations });
    expect(second.body.errors).toHaveLength(1);
    expect(second.body.errors[0].extensions.errors).toEqual([
      { location: 'variables.invitations', message: 'must be at most 5000 items' },
    ]);
    const due = await time(() => rest({ data: { invitations: text } }));
    expect(await time(() => rest({ data: { invitations } }))).toBeLessThan(5 * due + 20);
    expect(await time(() => graph({ invitations }))).toBeLessThan(5 * due + 20);
  });

  it('of a few more items than a field allows is one fault of the graph, too', async () => {
    const query =
      'mutation ($invitations: [InvitationInput!]!) { inviteUsers(input: { invitations: $invitations }) { invitations { id } } }';
    const { body } = await door.graphql(query, { invitations: Array.from({ length: 101 }, () => ({ email: '' })) });
    expect(body.errors[0].extensions.errors).toHaveLength(1);
  });
});
