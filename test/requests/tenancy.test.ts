// No space reads, changes or detects anything of another: every operation, every place of an id, both doors.
import { beforeAll, describe, expect, it } from 'vitest';
import { routes } from '../../src/rest/routes/index.ts';
import { type Answer, type Door, type Json, openApp } from '../harness/app.ts';
import { computeChecksums, writeCanaries } from '../harness/foreign-space.ts';
import { drawSample } from '../harness/sizes.ts';
import { fields, findIdPlaces, type Ids, makeDocument, type Noun, prepareIds, requests, rootFields } from './index.ts';
import { findNoun } from './nouns.ts';

let door: Door;
let own: Ids;
let foreign: Ids;
const missing = 987_654_321;

/**
 * An answer without the parts that differ per call, and without the id that was sent. The plan of a search depends on statistics, which
 * PostgreSQL has of a table and not of a space.
 */
const toComparable = ({ status, body }: Answer, id: number): string =>
  `${status} ${JSON.stringify(body)
    .replace(
      /urn:uuid:[\w-]+|"locations":\[[^\]]*\]|"milliseconds":[\d.]+|"indexes":\[[^\]]*\]|"version":\d+|"import":\{[^}]*\}|"\d{4}-\d\d-\d\dT[\d:.]+Z"/g,
      '',
    )
    .replace(new RegExp(`\\b${id}\\b`, 'g'), 'ID')}`;

const set = (target: Json, path: readonly string[], value: unknown): Json => {
  if (path.length === 0) return value;
  const [step, ...rest] = path as [string, ...string[]];
  const copy = Array.isArray(target) ? [...target] : { ...target };
  copy[step as never] = set(target?.[step] ?? (rest[0] === '0' ? [] : {}), rest, value) as never;
  return copy;
};

beforeAll(async () => {
  door = await openApp();
  await writeCanaries(door);
  [own, foreign] = [await prepareIds(door, 1), await prepareIds(door, 2)];
});

/** Foreign and missing ids must get one answer, without a canary, and leave the other space unchanged. */
const expectNoLeak = async (send: (id: number) => Promise<Answer>, noun: Noun): Promise<void> => {
  // What a request would create is there from now on, whichever cases are drawn.
  await send(missing);
  const before = await computeChecksums(door);
  const [theirs, none] = [await send(foreign[noun]), await send(missing)];
  // A page of contacts is full of small numbers that are not ids; equal raw answers reveal nothing either.
  const alike = toComparable(theirs, missing) === toComparable(none, missing);
  if (!alike) expect(toComparable(theirs, foreign[noun])).toBe(toComparable(none, missing));
  expect(JSON.stringify(theirs.body)).not.toMatch(/canary/i);
  expect(await computeChecksums(door)).toEqual(before);
};

describe('every root field of the graph', () => {
  it('has a request in these tests', () => {
    expect(Object.keys(fields).sort()).toEqual(rootFields.map(({ field }) => field.name).sort());
  });

  it.each(
    drawSample(rootFields, { small: 8 }).map((root) => [root.field.name, root] as const),
  )('%s answers nothing of another space', async (name, root) => {
    const { body } = await door.graphql(makeDocument(root, fields[name]!(own)), fields[name]!(own));
    expect(JSON.stringify(body)).not.toMatch(/canary/i);
    expect([name, body.errors]).toEqual([name, undefined]);
    // The next operation needs the records that this one deleted or changed.
    own = await prepareIds(door, 1);
  });

  it.each([
    'canary',
    'canray',
    'cana',
    'canary canary',
    'canary@example.org',
  ])('contacts finds nothing of another space by the text %s', async (search) => {
    const { body } = await door.graphql(
      'query ($search: String) { contacts(search: $search) { totalCount nodes { id } } }',
      {
        search,
      },
    );
    expect(body).toEqual({ data: { contacts: { totalCount: 0, nodes: [] } } });
  });

  // `node` and `nodes` take ids of any type: they have tests of their own.
  const places = rootFields
    .filter(({ field }) => !/^nodes?$/.test(field.name))
    .flatMap((root) =>
      root.field.args.flatMap((argument) =>
        findIdPlaces(argument.type, [argument.name])
          // No table contains surveys: a survey id is a number that is stored as sent, and looked up nowhere.
          .filter((path) => path.at(-1) !== 'surveyId')
          // The query of a segment is that of searchContacts; only forms and segments in it are looked up when it is saved.
          .filter((path) => path[1] !== 'query' || ['segment', 'answer'].includes(path[2]!))
          .filter((path) => path[1] !== 'query' || root.field.name === 'updateSegment')
          .map((path) => [root.field.name, path, root] as const),
      ),
    );
  const expectForeignIdRefused = (
    name: string,
    path: readonly string[],
    root: (typeof rootFields)[number],
  ): Promise<void> =>
    expectNoLeak(
      (id) => {
        // A query has exactly one condition here; one on answers has a form beside the options.
        const at = path.indexOf('query');
        const given = fields[name]!(own);
        const sample = at >= 0 ? set(given, path.slice(0, at + 1), undefined) : given;
        let args = set(sample, path, id);
        if (path[at + 2] === 'options') args = set(args, [...path.slice(0, at + 2), 'form'], own.forms);
        // Only leaders among the users are looked up in the database.
        if (path.includes('leaders'))
          args = set(
            args,
            path.map((step) => (step === 'leaders' ? 'users' : step)),
            id,
          );
        if (path.includes('selectedGroupId'))
          args = set(args, ['input'], { email: 'self@example.org', updateToken: true, selectedGroupId: id });
        if (path.includes('selectedGroupId')) args = set(args, ['id'], 1);
        // Of a segment, not the contacts: they are full of small numbers.
        return door.graphql(makeDocument(root, args, ...(name === 'updateSegment' ? [2] : [])), args);
      },
      findNoun(name, path),
    );

  it.each(drawSample(places, { small: 16 }))('%s accepts no id of another space at %j', expectForeignIdRefused);

  it('accepts no id of the users of another space, and reveals none, when all of them were invited before', async () => {
    const strangers = await door.sql(
      'select mail as email from users where id not in (select user_id from members where group_id = 1)',
    );
    expect((await door.rest('POST', '/users/invitation', { data: { invitations: strangers } })).status).toBe(201);
    for (const [name, path, root] of places)
      if (findNoun(name, path) === 'users') await expectForeignIdRefused(name, path, root);
    for (const root of rootFields.filter(({ field }) => /^(users?|teams?|viewer)$/.test(field.name))) {
      const args = fields[root.field.name]!(own);
      expect(JSON.stringify((await door.graphql(makeDocument(root, args), args)).body)).not.toMatch(/canary/i);
    }
    // Their mails are known to the inviter, so they are no leak to the tests below.
    await door.sql(
      'delete from invitations where group_id = 1 and user_id is null and email in (select mail from users)',
    );
    // Some sixty requests, each after others that prepare it.
  }, 180_000);
});

describe('every route', () => {
  it('has a request in these tests', () => {
    expect(Object.keys(requests).sort()).toEqual([...new Set(routes.map(({ operation }) => operation))].sort());
  });

  const bodyPlaces = (value: Json, path: string[] = []): string[][] =>
    typeof value === 'number'
      ? path.at(-1) === 'per_page'
        ? []
        : [path]
      : typeof value === 'object' && value !== null
        ? Object.entries(value).flatMap(([key, inner]) => bodyPlaces(inner, [...path, key]))
        : [];
  const sample = Object.fromEntries(
    ['contacts', 'teams', 'users', 'invitations', 'forms', 'roles', 'spaces'].map((noun) => [noun, 1]),
  ) as Ids;
  const places = routes.flatMap((route) => {
    const { path, body } = requests[route.operation]!(sample);
    return [
      ...bodyPlaces(path).map((place) => ['path', ...place]),
      ...bodyPlaces(body).map((place) => ['body', ...place]),
    ].map((place) => [`${route.method} ${route.path}`, place, route] as const);
  });

  it.each(drawSample(places, { small: 16 }))('%s accepts no id of another space at %j', async (_, place, route) => {
    await expectNoLeak(
      async (id) => {
        let { path, body } = set(requests[route.operation]!(own), place, id) as {
          path: Record<string, unknown>;
          body?: Json;
        };
        if (place.includes('leaders'))
          body = set(
            body,
            place.slice(1).map((step) => (step === 'leaders' ? 'users' : step)),
            id,
          );
        const url = route.path.replace(/\{(\w+)#?\}/g, (_match, name) => String(path[name]));
        return door.rest(route.method, url, body);
      },
      findNoun(route.operation, place),
    );
  });

  it.each(
    drawSample(
      routes.filter(({ method }) => method === 'GET'),
      { small: 8 },
    ).map((route) => [route.path, route] as const),
  )('GET %s answers nothing of another space', async (path, route) => {
    own = await prepareIds(door, 1);
    const url = path.replace(/\{(\w+)#?\}/g, (_match, name) => String(requests[route.operation]!(own).path[name]));
    const { status, body } = await door.rest('GET', url);
    expect(status).toBe(200);
    expect(JSON.stringify(body)).not.toMatch(/canary/i);
  });
});

it('a caller of space 2 sees the canaries, so the tests above can fail', async () => {
  const token = await door.token(
    2,
    (
      await door.sql(
        `select min(m.user_id) as id from members m join roles r on r.group_id = m.group_id and r.id = m.role_id
          where m.group_id = 2 and r.type = 'superadmin'`,
      )
    )[0].id,
  );
  for (const path of [
    `/v1/contacts/${foreign.contacts}`,
    `/users/${foreign.users}`,
    `/teams/${foreign.teams}`,
    `/forms/${foreign.forms}`,
    '/roles',
    '/v1/donation_prices',
  ]) {
    expect(JSON.stringify((await door.rest('GET', path, undefined, token)).body)).toMatch(/canary/i);
  }
});
