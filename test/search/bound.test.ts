// Every statement of both doors keeps to the space and binds what the client sent: this is read from the parse trees of all statements.
import { beforeAll, describe, expect, inject, it } from 'vitest';
import { seedDatabase } from '../../src/commands/seed.ts';
import { countFoundContacts, findContacts, type Start } from '../../src/data/search/find.ts';
import { routes } from '../../src/rest/routes/index.ts';
import type { PageStrategy } from '../../src/search/page-plan.ts';
import { countOrderParts, getKeyType, type Order, type SortName } from '../../src/search/sort.ts';
import { type Answer, type Door, type Json, openApp, type Recorded } from '../harness/app.ts';
import { chooseCount, drawSample, isThorough } from '../harness/sizes.ts';
import { fields, type Ids, makeDocument, prepareIds, requests, rootFields } from '../requests/index.ts';
import { addCanaries, canary, canaryId, listLeaves, listPaths, listPlaces, type Place, putValue } from './canaries.ts';
import { allCells } from './cells.ts';
import { putInGraph, translateQuery } from './contact-query.ts';
import { generateSearches } from './generate.ts';
import type { AdvancedSearch } from './oracle.ts';
import { planTestQuery } from './plan-query.ts';
import { checkScope, isCrossing } from './scoped.ts';
import { listUnexpected } from './unbound.ts';

/** A number that no other value of a request is, so that what is bound to it can only be the space. */
const space = 7_654_321;
const { tables, functions } = inject('catalogue');
const catalogue = { tables: new Set(tables), functions: new Set(functions) };
let door: Door;
let user: number;
let token: string;

beforeAll(async () => {
  expect(tables.length).toBeGreaterThan(30);
  expect(functions.length).toBeGreaterThan(0);
  door = await openApp();
  await seedDatabase(door.databaseUrl, { seed: 3, spaces: [{ id: space, contacts: 60 }] });
  const superadmin = `select m.user_id from members m join roles r on r.group_id = m.group_id and r.id = m.role_id where m.group_id = ? and r.type = 'superadmin'`;
  [{ user_id: user }] = await door.sql(superadmin, [space]);
  token = await door.token(space, user);
});

/** Remembered faults: by text, and by the places where the space is bound. */
const knownFaults = new Map<string, string[]>();
const findScopeFaults = (one: Recorded): string[] => {
  const key = `${one.sql} ${one.bindings.map((value) => Number(value === space)).join('')}`;
  if (!knownFaults.has(key)) knownFaults.set(key, isCrossing(one) ? [] : checkScope(one, space, catalogue));
  return knownFaults.get(key)!;
};

/** Knex numbers its savepoints; a number may look like a canary. */
const ofKnex = /^(SAVEPOINT|RELEASE SAVEPOINT|ROLLBACK TO SAVEPOINT) trx\d+;?$/i;

const wrong = (seen: Recorded[]): { faults: string[]; sql: string }[] =>
  seen.flatMap((one) => {
    const faults = [
      ...findScopeFaults(one),
      ...(canary.test(one.sql) && !ofKnex.test(one.sql) ? ['holds what was sent'] : []),
    ];
    return faults.length > 0 ? [{ faults, sql: one.sql }] : [];
  });

const bindsCanary = (seen: Recorded[]): boolean => seen.some(({ bindings }) => canary.test(JSON.stringify(bindings)));

/** Sound statements, one of each text, to be spoilt at the end. */
const sound = new Map<string, Recorded>();
const keep = (seen: Recorded[]): void => {
  for (const one of seen) if (!isCrossing(one)) sound.set(one.sql, one);
};

interface Operation {
  writes: boolean;
  sample(ids: Ids): Json;
  /** A copy of what is sent with a value at a place. */
  plant?(sent: Json, path: string[], value: unknown): Json;
  ask(sent: Json): Promise<Answer>;
  places(sample: Json): Place[];
}

/** Asks as in the sample, then with a canary in one place after the other; yields the places of which none was ever bound. */
const sweep = async ({ writes, sample, plant = putValue, ask, places }: Operation): Promise<string[]> => {
  // Each write gets fresh ids: the request before may have deleted or changed the records.
  const fresh = async (): Promise<Json> => sample(await prepareIds(door, space));
  const first = await fresh();
  const plain = await door.recorded(async () => {
    const { status, body } = await ask(first);
    expect([status < 300, body.errors]).toEqual([true, undefined]);
  });
  expect(plain.length).toBeGreaterThan(0);
  expect(wrong(plain)).toEqual([]);
  keep(plain);
  const unbound: string[] = [];
  for (const { path, canaries } of places(first)) {
    let any = false;
    for (const place of listPaths(first, path)) {
      // The leaders of a team must be among its users, or the request is refused before the database.
      const person = place.find((step) => step === 'users' || step === 'leaders');
      const also = person
        ? ['users', 'leaders'].map((list) => place.map((step) => (step === person ? list : step)))
        : [place];
      // Rules refuse some of them: until one gets through.
      for (const one of canaries) {
        let sent = writes ? await fresh() : first;
        for (const each of also) sent = plant(sent, each, one);
        const seen = await door.recorded(() => ask(sent));
        expect(wrong(seen)).toEqual([]);
        if (!bindsCanary(seen)) continue;
        any = true;
        break;
      }
    }
    if (!any) unbound.push(path.join('.'));
  }
  return unbound;
};

describe('every root field of the graph', () => {
  it.each(drawSample(rootFields, { small: 8, all: 3 }).map((root) => [root.field.name, root] as const))(
    '%s',
    async (name, root) => {
      const unbound = await sweep({
        writes: root.operation === 'mutation',
        sample: fields[name]!,
        // A page of hundreds of whole contacts would be refused for its size.
        ask: (sent) => door.graphql(makeDocument(root, sent, root.operation === 'query' ? 2 : undefined), sent, token),
        plant: putInGraph,
        // Filters of lists, and their cursors, are tested in test/data/noun. A page has its first or its last records.
        places: (sample) =>
          root.field.args
            .filter(({ name: argument }) => !['filter', 'orderBy', 'before'].includes(argument))
            // The same query is swept in searchContacts.
            .filter(({ name: argument }) => name !== 'explainSearch' || argument !== 'query')
            .filter(({ name: argument }) => !/^(first|last)$/.test(argument) || argument in sample)
            .flatMap((argument) => listPlaces(argument.type, [argument.name]))
            // Each contact of a batch is that of upsertContact, whose places are all tried.
            .filter((_, place) => isThorough || !/^(upsert|import)Contacts$/.test(name) || place % 3 === 0)
            // The query of a segment is stored as one value, that of a change finds contacts as a search does: it is swept in searchContacts.
            .filter(({ path }) => path[0] !== 'input' || !path.slice(1, 3).includes('query')),
      });
      expect(listUnexpected(name, unbound)).toEqual([]);
    },
    600_000,
  );
});

describe('every route', () => {
  it.each(drawSample(routes, { small: 8, all: 3 }).map((route) => [`${route.method} ${route.path}`, route] as const))(
    '%s',
    async (name, route) => {
      const inQuery = Object.values(route.variables).flatMap((source) => ('query' in source ? [source.query] : []));
      const unbound = await sweep({
        writes: route.method !== 'GET',
        sample: requests[route.operation]!,
        ask: ({ path, query, body }) => {
          const url = route.path.replace(/\{(\w+)#?\}/g, (_, part) => encodeURIComponent(String(path[part])));
          return door.rest(route.method, `${url}?${new URLSearchParams(query)}`, body, token);
        },
        places: (sample) => [
          ...listLeaves(sample),
          ...inQuery.map((one) => ({ path: ['query', one], canaries: [771] })),
        ],
      });
      expect(listUnexpected(name, unbound)).toEqual([]);
    },
    600_000,
  );
});

describe('searches', () => {
  const strategies: PageStrategy[] = ['bounded scan', 'unbounded scan', 'scan from the end', 'sort'];
  const keys: Record<string, string> = {
    text: 'qx7',
    date: '2031-07-17',
    timestamptz: '2031-07-17 03:04:05.678901+00',
  };
  const perCell = chooseCount(1, 2, 4);
  const cells = drawSample(allCells, { small: 16, all: 2 });
  const bodies = cells.flatMap((cell) => generateSearches(cell, perCell, 9));

  /** By strategies, after a position or by number, and counted: each cell by all of them, a single query by some. */
  const search = async (body: AdvancedSearch, index: number): Promise<Recorded[]> => {
    const own = door.database.space(space);
    const plan = planTestQuery(addCanaries(body));
    const order: Order = {
      sort: (body.sort_attr as SortName) ?? null,
      ascending: !body.sort_attr || body.sort_asc === true,
    };
    const part = index % countOrderParts(order);
    const key = keys[getKeyType(order, part) ?? ''] ?? null;
    const starts: Start[] = [{ after: { part, key, id: canaryId } }, { page: 7, token: 1 }];
    const words = index % 10 === 0 ? `qx7, which makes the planner estimate anew, ${index}` : 'qx7';
    return door.recorded(() =>
      Promise.all([
        ...strategies
          .filter((_, turn) => index % 50 === 0 || turn !== index % strategies.length)
          .map((strategy, turn) =>
            findContacts(own, { plan, order, words }, { start: starts[(index + turn) % 2]!, limit: 771, strategy }),
          ),
        ...(['matching', 'failing'] as const)
          .filter((_, side) => index % 50 === 0 || side === index % 2)
          .map((side) => countFoundContacts(own, { plan, order, words }, side)),
      ]),
    );
  };

  it('bind every compared value, by every strategy', async () => {
    expect(allCells.length).toBeGreaterThan(375);
    expect(bodies.length).toBe(cells.length * perCell);
    for (const [index, body] of bodies.entries()) {
      const seen = await search(body, index);
      expect({ body, wrong: wrong(seen), bound: bindsCanary(seen) }).toEqual({ body, wrong: [], bound: true });
      if (index % 50 === 0) keep(seen);
    }
  }, 240_000);

  it('do so behind both doors', async () => {
    const explain = `query ($query: ContactQuery) { explainSearch(query: $query, exact: false) { parts { parts { matches } } } }`;
    // Forms and segments that are canaries are none of the space: asked behind a door, they are refused.
    const askable = bodies.filter((body) => !/form_id|"segment"/.test(JSON.stringify(body)));
    for (const body of askable.filter((_, index) => index % 25 === 0)) {
      const tree = addCanaries(body);
      const advanced_search = { ...body, query: tree, per_page: 771, page: 7, with_total: true };
      const seen = await door.recorded(async () => {
        expect((await door.rest('POST', '/search', { data: { advanced_search } }, token)).status).toBe(200);
        expect((await door.graphql(explain, { query: translateQuery(tree) }, token)).body.errors).toBeUndefined();
      });
      expect({ body, wrong: wrong(seen), bound: bindsCanary(seen) }).toEqual({ body, wrong: [], bound: true });
    }
  }, 60_000);
});

describe('a number of few values is bound', () => {
  /** Places whose numbers are too small to be told from others: no statement with one number is sent with the other in its place. */
  const small: [name: string, path: string[]][] = [
    ['createContact', ['input', 'ageCategory']],
    ['updateContact', ['input', 'ageCategory']],
    ['upsertContact', ['input', 'ageCategory']],
    ['upsertContacts', ['input', 'contacts', '0', 'ageCategory']],
    ['importContacts', ['input', 'contacts', '0', 'ageCategory']],
    ['createCampaign', ['input', 'performanceRating']],
    ['updateCampaign', ['input', 'performanceRating']],
  ];
  it.each(small)('%s at %j', async (name, path) => {
    const root = rootFields.find(({ field }) => field.name === name)!;
    const column = path.at(-1)!.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    const statementsWith = async (value: number): Promise<string[]> => {
      // A value that is stored already is not written.
      await door.sql('update contacts set age_category = null where group_id = ?', [space]);
      const sent = putValue(fields[name]!(await prepareIds(door, space)), path, value);
      const seen = await door.recorded(async () => {
        expect((await door.graphql(makeDocument(root, sent), sent, token)).body.errors).toBeUndefined();
      });
      // In JSON of records, or in the array of a column.
      const bound = seen.filter(({ sql, bindings }) =>
        bindings.some((one) =>
          Array.isArray(one)
            ? sql.includes(column) && one.includes(value)
            : typeof one === 'string' && one.includes(`"${column}":${value}`),
        ),
      );
      expect(bound).not.toEqual([]);
      return seen.flatMap(({ sql }) => (ofKnex.test(sql) ? [] : [sql]));
    };
    // The second mutation finds the tags, the mail and the document of the first one, so statements may be missing.
    const [five, six] = [await statementsWith(5), await statementsWith(6)];
    const maskNumber = (sql: string): string => sql.replace(/[56]/g, 'N');
    const maskedOfSix = new Set(six.filter((sql) => !five.includes(sql)).map(maskNumber));
    expect(five.filter((sql) => !six.includes(sql) && maskedOfSix.has(maskNumber(sql)))).toEqual([]);
  });
});

it('a user who selects another space is held to the caller’s', async () => {
  await door.sql(
    'insert into members (group_id, user_id, role_id) select 1, ?, min(id) from roles where group_id = 1',
    [user],
  );
  const [{ mail }] = await door.sql('select mail from users where id = ?', [user]);
  const seen = await door.recorded(async () => {
    const args = { input: { id: user, email: mail, updateToken: true, selectedGroupId: 1 } };
    const { body } = await door.graphql(
      'mutation ($input: UserUpdateInput!) { updateUser(input: $input) { user { id: databaseId } } }',
      args,
      token,
    );
    expect(body.errors).toBeUndefined();
  });
  const crossed = seen.filter(isCrossing);
  expect(crossed).toHaveLength(2);
  for (const { sql, bindings } of crossed) {
    const [, group, who] = /here\.group_id = \$(\d+) and here\.user_id = \$(\d+)/.exec(sql)!;
    expect([bindings[Number(group) - 1], bindings[Number(who) - 1]]).toEqual([space, user]);
  }
});

it('each of these statements would be found out if it were not scoped in any one place', { timeout: 240_000 }, () => {
  const missed: string[] = [];
  let spoilt = 0;
  for (const { sql, bindings } of sound.values())
    for (const { 0: scope, index } of sql.matchAll(/\b(?:\w+\.)?group_id = (?:\$\d+|\w+\.group_id)/g)) {
      const spoiltSql = `${sql.slice(0, index)}true${sql.slice(index + scope.length)}`;
      spoilt++;
      if (checkScope({ sql: spoiltSql, bindings }, space, catalogue).length === 0) missed.push(spoiltSql);
    }
  expect([missed, spoilt > 500]).toEqual([[], true]);
});
