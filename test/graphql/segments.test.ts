// Saved segments over GraphQL and REST: as records, as conditions of other searches, and what is refused.
import { beforeAll, describe, expect, it } from 'vitest';
import { limits } from '../../src/limits.ts';
import { type Answer, type Door, type Json, openApp } from '../harness/app.ts';
import { ids } from './search-query.ts';
import { caller, mutate, refusal, write } from './writing.ts';

let door: Door;
let manager: string;
/** A user whose role names contacts and segments, and no money. */
let poor: string;

beforeAll(async () => {
  door = await openApp();
  manager = await caller(door, 'manager');
  const [{ id }] = await door.sql(
    `with role as (insert into roles (group_id, name, type, permissions) values (1, 'Poor', 'custom', '{contacts.read,segments.write,people.read}') returning id),
          person as (insert into users (mail) values ('poor@example.org') returning id)
     insert into members (group_id, user_id, role_id) select 1, person.id, role.id from person, role returning user_id as id`,
  );
  poor = await door.token(1, id);
});

let turn = 0;
const newName = (): string => `Segment ${++turn}`;
/** The answer to a mutation, without the contacts of the segment. */
const send = (verb: 'create' | 'update', input: Json, token = manager): Promise<Answer> =>
  door.graphql(
    `mutation ($input: Segment${verb === 'create' ? 'Create' : 'Update'}Input!) {
       ${verb}Segment(input: $input) { segment { id databaseId name description query isWatched version } } }`,
    { input },
    token,
  );
const take = ({ body }: Answer): Json => {
  if (body.errors) throw new Error(JSON.stringify(body.errors));
  return Object.values<Json>(body.data)[0].segment;
};
const create = async (query: Json, more: Json = {}, token = manager): Promise<Json> =>
  take(await send('create', { name: newName(), query, ...more }, token));
const change = async (id: string, input: Json): Promise<Json> => take(await send('update', { id, ...input }));
const refuse = (name: string, input: Json, token = manager): Promise<Json> => refusal(door, name, input, token);

const read = async (id: string, selection: string, token?: string): Promise<Json> =>
  (await door.graphql(`query ($id: ID!) { segment(id: $id) { ${selection} } }`, { id }, token)).body;
const postSearch = (path: string, conditions: Json[], token?: string): Promise<Answer> => {
  const query = { $all: [{ $all: conditions.map(($condition) => ({ $condition })) }] };
  return door.rest('POST', path, { data: { advanced_search: { per_page: 1000, query } } }, token);
};

const women = { gender: { equals: 'F' } };
const donors = { donations: { count: { gte: 1 } } };
const everywhere = { lastName: { exists: true } };

describe('a segment', () => {
  it('keeps its query as it was sent, and reading, sending back and reading again changes nothing', async () => {
    const [form] = await door.sql(
      `select f.id, min(r.id) as option from forms f join form_refs r on r.group_id = f.group_id and r.form_id = f.id
        where f.group_id = 1 and f.deleted_at is null and f.kind <> 'custom_fields' and f.type not in ('date', 'numeric') group by f.id limit 1`,
    );
    const query = {
      and: [
        { gender: { equals: 'F' } },
        { birthDate: { between: { from: 'now-40y', to: '2008-01-31' } } },
        { or: [{ lastChangedAt: { gte: 'now-30d/d' } }, { not: { email: { exists: false } } }] },
        { sanctions: { validity: { equals: 'ONGOING' } } },
        { actionId: { equals: 1 } },
        { donations: { total: { gte: 10000 } } },
        { answer: { form: form.id, options: [String(form.option)], value: { contains: 'Ab' } } },
        { tags: { in: ['Sympathisant', 'Bénévole'] } },
      ],
    };
    const made = await create(query);
    const shown = structuredClone(query) as Json;
    shown.and[4].actionId.equals = 'Action:1';
    Object.assign(shown.and[6].answer, { form: `Form:${form.id}`, options: [`FormOption:${form.option}`] });
    expect(made).toMatchObject({ query: shown, version: 1, isWatched: false, description: null });
    const stored = (): Promise<Json[]> => door.sql('select * from segments where id = ?', [made.databaseId]);
    const before = await stored();
    const again = await change(made.id, { query: made.query });
    expect(JSON.stringify(again.query)).toBe(JSON.stringify(made.query));
    expect(await stored()).toEqual(before);
  });

  it('is created, renamed, changed, described, listed with counts and deleted', async () => {
    const made = await create(women, { description: 'All women', isWatched: true });
    expect(made).toMatchObject({ description: 'All women', isWatched: true });
    const renamed = await change(made.id, { name: `${made.name} bis`, description: null, expectedVersion: 1 });
    expect(renamed).toMatchObject({ name: `${made.name} bis`, description: null, query: women, version: 2 });
    expect(await refuse('updateSegment', { id: made.id, name: 'x', expectedVersion: 1 })).toMatchObject({
      code: 'precondition-failed',
    });
    expect(await refuse('updateSegment', { id: made.id, name: null })).toMatchObject({
      faults: ['input.name must not be null'],
    });
    await change(made.id, { query: { gender: { equals: 'M' } } });
    const [{ count }] = await door.sql(
      `select count(*) from contacts where group_id = 1 and gender = 'M' and deleted_at is null`,
    );
    const { body } = await door.graphql(
      `query ($name: String!) { segments(filter: { name: { contains: $name } }, orderBy: { field: NAME }) {
         totalCount nodes { name contactCount faults { location } author { id } } } }`,
      { name: made.name },
    );
    expect(body.data.segments).toMatchObject({
      totalCount: 1,
      nodes: [{ name: renamed.name, contactCount: count, faults: [], author: { id: expect.any(String) } }],
    });
    expect((await mutate(door, 'deleteSegment', { id: made.id }, manager)).body.data.deleteSegment.deletedId).toBe(
      made.id,
    );
    expect((await read(made.id, 'id')).data.segment).toBeNull();
    expect(await refuse('deleteSegment', { id: made.id })).toMatchObject({ code: 'not-found' });
  });

  it('has a name of its own, whatever the case and the accents', async () => {
    const { name } = await create(women, { name: 'Bénévoles du Rhône' });
    expect(name).toBe('Bénévoles du Rhône');
    expect(await refuse('createSegment', { name: ' benevoles DU rhone', query: women })).toMatchObject({
      code: 'conflict',
      faults: ['input.name is the name of another segment'],
    });
    const other = await create(women);
    expect(await refuse('updateSegment', { id: other.id, name: 'BÉNÉVOLES DU RHÔNE' })).toMatchObject({
      code: 'conflict',
    });
    expect(await refuse('createSegment', { name: ' ', query: women })).toMatchObject({
      faults: ['input.name must not be blank'],
    });
  });

  it('has the contacts that its query finds, page by page, in any order', async () => {
    const made = await create(women);
    const page = async (field: string, args: string): Promise<Json> => {
      const selection = `(${args}) { nodes { id lastName } pageInfo { endCursor hasNextPage } totalCount }`;
      const text =
        field === 'contacts'
          ? `query ($id: ID!) { segment(id: $id) { contacts${selection} } }`
          : `{ searchContacts${selection.replace('(', '(query: { gender: { equals: F } }, ')} }`;
      const { body } = await door.graphql(text, field === 'contacts' ? { id: made.id } : {});
      return field === 'contacts' ? body.data.segment.contacts : body.data.searchContacts;
    };
    const order = 'orderBy: { field: LAST_NAME, direction: DESC }, first: 7';
    const first = await page('contacts', order);
    expect(first).toEqual(await page('searchContacts', order));
    expect(first.nodes).toHaveLength(7);
    const second = `${order}, after: "${first.pageInfo.endCursor}"`;
    expect(await page('contacts', second)).toEqual(await page('searchContacts', second));
  });

  it('asks its relative dates of the instant of each use', async () => {
    const made = await create({ createdAt: { gte: 'now-1h' } });
    const count = async (): Promise<number> => (await read(made.id, 'contactCount')).data.segment.contactCount;
    const before = await count();
    const person = await write(door, 'createContact', { lastName: 'Recent' }, manager);
    expect(await count()).toBe(before + 1);
    await door.sql(`update contacts set created_at = now() - interval '2 hours' where id = ?`, [person.id]);
    expect(await count()).toBe(before);
  });
});

describe('a segment as a condition', () => {
  it('finds the same in both notations, alone, negated and among others', async () => {
    const [female, giving] = [await create(women), await create({ or: [donors, { tags: { exists: true } }] })];
    const all = new Set(await ids(door, { first: 1000, query: everywhere }));
    const [ofWomen, ofGiving] = [
      await ids(door, { first: 1000, query: women }),
      await ids(door, { first: 1000, query: { or: [donors, { tags: { exists: true } }] } }),
    ];
    const within = (query: Json): Promise<number[]> => ids(door, { first: 1000, query });
    const both = { segment: { in: [female.id, giving.databaseId] } };
    const union = new Set([...ofWomen, ...ofGiving]);
    const sort = (list: Iterable<number>): number[] => [...list].sort((one, other) => one - other);
    expect(ofWomen.length).toBeGreaterThan(0);
    expect(union.size).toBeLessThan(all.size);
    expect(await within(both)).toEqual(sort(union));
    expect(await within({ and: [everywhere, { segment: { notIn: [female.id, giving.id] } }] })).toEqual(
      sort(all).filter((id) => !union.has(id)),
    );
    expect(await within({ and: [everywhere, { not: both }] })).toEqual(sort(all).filter((id) => !union.has(id)));
    expect(await within({ and: [{ segment: { in: [female.id] } }, { segment: { in: [giving.id] } }] })).toEqual(
      sort(ofWomen).filter((id) => ofGiving.includes(id)),
    );
    const byTree = await postSearch('/search', [
      { attr: 'segment', ope: 'any_of', value: [female.databaseId] },
      { attr: 'segment', ope: 'none_of', value: String(giving.databaseId) },
    ]);
    expect(sort(byTree.body.data.contacts.map(({ id }: Json) => id))).toEqual(
      sort(ofWomen).filter((id) => !ofGiving.includes(id)),
    );
    const { tree } = (await read(giving.id, 'tree')).data.segment;
    const kpi = await door.rest('POST', '/kpi', { data: { advanced_search: { query: tree, per_page: 1 } } });
    expect(JSON.stringify(kpi.body)).toContain(String(ofGiving.length));
    const { text } = await door.rest('POST', '/export', { data: { advanced_search: { query: tree } } });
    expect(text.trim().split('\n')).toHaveLength(ofGiving.length);
  });

  it('follows the segments that it names through any number of them, up to a limit', async () => {
    const chain = [await create(women)];
    for (let level = 2; level <= limits.search.segmentLevels; level++)
      chain.push(await create({ segment: { in: [chain.at(-1).id] } }));
    const last = chain.at(-1);
    expect(await ids(door, { first: 1000, query: { segment: { in: [last.id] } } })).toEqual(
      await ids(door, { first: 1000, query: women }),
    );
    expect((await refuse('createSegment', { name: newName(), query: { segment: { in: [last.id] } } })).faults).toEqual([
      expect.stringMatching(/^input\.query(\.segment\.in\[0\]\.query)*\.segment\.in\[0\] is too deep: segments nest/),
    ]);
    await change(chain[0].id, { query: { gender: { equals: 'M' } } });
    expect(await ids(door, { first: 1000, query: { segment: { in: [last.id] } } })).toEqual(
      await ids(door, { first: 1000, query: { gender: { equals: 'M' } } }),
    );
    const explained = await door.graphql(
      'query ($query: ContactQuery) { explainSearch(query: $query) { matches parts { location } } }',
      { query: { segment: { in: [chain[1].id] } } },
    );
    expect(explained.body.data.explainSearch.parts[0].location).toMatch(/^segment/);
  });

  it('is refused where it names no segment of the space, at its place', async () => {
    const [{ id }] = await door.sql(
      `insert into segments (group_id, name, query) values (2, 'Foreign', '{"gender": {"equals": "F"}}') returning id`,
    );
    for (const missing of [id, 987654321]) {
      const { body } = await door.graphql(
        'query ($query: ContactQuery) { searchContacts(query: $query) { totalCount } }',
        {
          query: { and: [women, { segment: { in: [missing] } }] },
        },
      );
      expect(body.errors[0].extensions.errors).toEqual([
        { location: 'query.and[1].segment.in[0]', message: 'is not a segment of the space', value: missing },
      ]);
      const { status, body: problem } = await postSearch('/search', [
        { attr: 'segment', ope: 'any_of', value: [missing] },
      ]);
      expect([status, problem.errors[0].location]).toEqual([
        400,
        'body.data.advanced_search.query.$all[0].$all[0].$condition.value[0]',
      ]);
    }
  });

  it('may not lead back to itself: the way is named, and of two changes at once one is refused', async () => {
    const first = await create(women);
    const second = await create({ segment: { in: [first.id] } });
    const circle = { segment: { notIn: [second.id] } };
    expect((await refuse('updateSegment', { id: first.id, query: circle })).faults).toEqual([
      `input.query.segment.notIn[0].query.segment.in[0] would make a segment depend on itself: “${first.name}” uses “${second.name}” uses “${first.name}” (segment “${second.name}”)`,
    ]);
    expect((await refuse('updateSegment', { id: first.id, query: { segment: { in: [first.id] } } })).faults[0]).toMatch(
      /depend on itself/,
    );
    const [one, other] = [await create(women), await create(women)];
    const answers = await Promise.all([
      send('update', { id: one.id, query: { segment: { in: [other.id] } } }),
      send('update', { id: other.id, query: { segment: { in: [one.id] } } }),
    ]);
    expect(answers.filter(({ body }) => body.errors)).toHaveLength(1);
    // A circle in the database all the same, as defence: a search ends, and names it.
    await door.sql('insert into segment_uses values (1, ?, ?)', [first.databaseId, second.databaseId]);
    await door.sql(`update segments set query = ? where group_id = 1 and id = ?`, [
      JSON.stringify({ segment: { in: [second.databaseId] } }),
      first.databaseId,
    ]);
    const { data } = await read(second.id, 'contactCount faults { location message }');
    expect(data.segment).toMatchObject({
      contactCount: null,
      faults: [{ message: expect.stringMatching(/depend on itself/) }],
    });
  });

  it('keeps its segment from being deleted, and from growing beyond what searches may have', async () => {
    const used = await create(women);
    const user = await create({ or: [donors, { segment: { in: [used.id] } }] });
    expect(await refuse('deleteSegment', { id: used.id })).toEqual({
      code: 'conflict',
      message: `The segment is used by “${user.name}”: change or delete these first`,
      faults: [`input.id is used by the segment “${user.name}” (${user.id})`],
    });
    expect((await read(used.id, 'usedBy { id } uses { id }')).data.segment).toEqual({
      usedBy: [{ id: user.id }],
      uses: [],
    });
    expect((await read(user.id, 'usedBy { id } uses { id }')).data.segment).toEqual({
      usedBy: [],
      uses: [{ id: used.id }],
    });
    const many = { or: Array.from({ length: 90 }, (_, index) => ({ lastName: { equals: `Name ${index}` } })) };
    const wide = await create(many);
    const three = await create({ segment: { in: [wide.id, wide.id, wide.id] } });
    expect(
      (await refuse('createSegment', { name: newName(), query: { segment: { in: [three.id, wide.id] } } })).faults,
    ).toEqual([expect.stringMatching(/^input\.query has, with its segments, more than 300 conditions/)]);
    const wider = {
      or: [...many.or, ...Array.from({ length: 10 }, (_, index) => ({ firstName: { equals: `Name ${index}` } }))],
    };
    expect(await change(wide.id, { query: wider })).toMatchObject({ version: 2 });
    await create({ or: [{ segment: { in: [three.id] } }, women] }).then(
      () => expect.unreachable(),
      (error) => expect(error.message).toMatch(/more than 300/),
    );
    const edge = await create({ segment: { in: [wide.id, wide.id] } });
    await create({ and: [{ segment: { in: [edge.id] } }, ...wider.or.slice(0, 99)] });
    const widest = { not: { or: [{ segment: { in: [user.id] } }, ...wider.or.slice(0, 99)] } };
    expect((await refuse('updateSegment', { id: wide.id, query: widest })).faults[0]).toMatch(
      /^input\.query would break the segment “/,
    );
  });

  it('another version of it makes another search: pages by number begin anew', async () => {
    const made = await create(everywhere);
    const page = async (number: number): Promise<number[]> => {
      const query = {
        $all: [{ $all: [{ $condition: { attr: 'segment', ope: 'any_of', value: [made.databaseId] } }] }],
      };
      const { body } = await door.rest('POST', '/search', {
        data: { advanced_search: { per_page: 5, page: number, query } },
      });
      return body.data.contacts.map(({ id }: Json) => id);
    };
    await page(0);
    await change(made.id, { query: { and: [everywhere, women] } });
    expect(await page(1)).toEqual((await ids(door, { first: 1000, query: { and: [everywhere, women] } })).slice(5, 10));
  });
});

describe('whoever may not read what a segment asks for', () => {
  it('learns neither its count nor its contacts, by no door, and cannot save such a query', async () => {
    const made = await create({ and: [women, { segment: { in: [(await create(donors)).id] } }] });
    const denied =
      'A condition on donations.count_amount needs the permission money.read, which the role of the caller does not have';
    const shown = await read(made.id, 'name query contactCount faults { location message }', poor);
    expect(shown).toEqual({
      data: {
        segment: {
          name: made.name,
          query: made.query,
          contactCount: null,
          faults: [{ location: 'query', message: denied }],
        },
      },
    });
    const forbidden = async (answer: Promise<Json>): Promise<void> =>
      expect((await answer).errors?.[0]).toMatchObject({ message: denied, extensions: { code: 'forbidden' } });
    await forbidden(read(made.id, 'contacts(first: 1) { totalCount }', poor));
    const search = (field: string, query: Json): Promise<Json> =>
      door.graphql(`query ($query: ContactQuery) { ${field} }`, { query }, poor).then(({ body }) => body);
    for (const query of [{ segment: { in: [made.id] } }, { not: { segment: { in: [made.id] } } }]) {
      await forbidden(search('searchContacts(query: $query) { totalCount }', query));
      await forbidden(search('explainSearch(query: $query) { matches }', query));
      expect(await refuse('createSegment', { name: newName(), query, isWatched: true }, poor)).toMatchObject({
        code: 'forbidden',
      });
    }
    for (const ope of ['any_of', 'none_of'])
      expect((await postSearch('/kpi', [{ attr: 'segment', ope, value: [made.databaseId] }], poor)).status).toBe(403);
    const own = await create(women, {}, poor);
    expect(await refuse('updateSegment', { id: own.id, query: donors }, poor)).toMatchObject({ code: 'forbidden' });
    expect(await refuse('createSegment', { name: newName(), query: women }, await caller(door, 'user'))).toMatchObject({
      code: 'forbidden',
    });
  });
});

it('a form that was deleted since is a fault at its condition: the list works, and no search finds nobody silently', async () => {
  const form = await write(door, 'createForm', { label: newName(), kind: 'SURVEY', type: 'TEXT' });
  const formId = form.id;
  const made = await create({ or: [women, { answer: { form: formId, value: { exists: true } } }] });
  const user = await create({ segment: { in: [made.id] } });
  await write(door, 'deleteForm', { id: formId });
  const { body } = await door.graphql(
    'query ($ids: [ID!]) { segments(filter: { id: { in: $ids } }) { nodes { contactCount faults { location value } } } }',
    { ids: [made.id, user.id] },
  );
  expect(body).toEqual({
    data: {
      segments: {
        nodes: [
          { contactCount: null, faults: [{ location: 'query.or[1].answer.form', value: String(formId) }] },
          {
            contactCount: null,
            faults: [{ location: 'query.segment.in[0].query.or[1].answer.form', value: String(formId) }],
          },
        ],
      },
    },
  });
  const { status, body: problem } = await postSearch('/search', [
    { attr: 'segment', ope: 'none_of', value: [made.databaseId] },
  ]);
  expect([status, problem.errors]).toEqual([
    400,
    [
      {
        location: 'body.data.advanced_search.query.$all[0].$all[0].$condition.value[0].query.or[1].answer.form',
        message: expect.stringContaining(`(segment “${made.name}”)`),
        value: formId,
      },
    ],
  ]);
});

it('counts of a long list cost tokens, and too many at once are refused', async () => {
  const ask = (first: number): Promise<Answer> =>
    door.graphql(`{ rateLimit { cost } segments(first: ${first}) { nodes { contactCount } } }`);
  const { body } = await ask(20);
  expect(body.errors).toBeUndefined();
  expect(body.data.rateLimit.cost).toBeGreaterThan(4);
  expect((await ask(101)).body.errors[0].extensions.code).toBe('query-too-large');
});

it('a space has a limited number of segments', async () => {
  await door.sql(
    `insert into segments (group_id, name, query) select 2, 'Filler ' || n, '{"gender": {"equals": "F"}}' from generate_series(1, ?) n`,
    [limits.search.segments],
  );
  const [{ id }] = await door.sql(
    `select m.user_id as id from members m join roles r on r.group_id = m.group_id and r.id = m.role_id where m.group_id = 2 and r.type = 'superadmin' limit 1`,
  );
  const input = { name: 'One more', query: women };
  expect(await refuse('createSegment', input, await door.token(2, id))).toMatchObject({ code: 'conflict' });
});
