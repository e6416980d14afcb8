// Saved segments over GraphQL: as records, with their contacts, and what is refused to whom.
import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import { limits } from '../../src/limits/limits.ts';
import { type Answer, type Door, type Json, openApp } from '../harness/app.ts';
import { donors, generateName, openSegments, type Segments, women } from './segments.ts';
import { createRoleToken, runMutation, sendMutation } from './writing.ts';

let door: Door;
let manager: string;
let segments: Segments;
/** A user whose role names contacts and segments, and no money. */
let poor: string;

beforeAll(async () => {
  door = await openApp();
  segments = await openSegments(door);
  manager = await createRoleToken(door, 'manager');
  const [{ id }] = await door.sql(
    `with role as (insert into roles (group_id, name, type, permissions) values (1, 'Poor', 'custom', '{contacts.read,segments.write,people.read}') returning id),
          person as (insert into users (mail) values ('poor@example.org') returning id)
     insert into members (group_id, user_id, role_id) select 1, person.id, role.id from person, role returning user_id as id`,
  );
  poor = await door.token(1, id);
});

const create: Segments['create'] = (...args) => segments.create(...args);
const change: Segments['change'] = (...args) => segments.change(...args);
const refuse: Segments['refuse'] = (...args) => segments.refuse(...args);
const read: Segments['read'] = (...args) => segments.read(...args);
const postSearch: Segments['postSearch'] = (...args) => segments.postSearch(...args);

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
    const renamed = await change(made.id, { name: `${made.name} bis`, description: ' ', expectedVersion: 1 });
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
    expect(
      (await sendMutation(door, 'deleteSegment', { id: made.id }, manager)).body.data.deleteSegment.deletedId,
    ).toBe(made.id);
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
    const person = await runMutation(door, 'createContact', { lastName: 'Recent' }, manager);
    expect(await count()).toBe(before + 1);
    await door.sql(`update contacts set created_at = now() - interval '2 hours' where id = ?`, [person.id]);
    expect(await count()).toBe(before);
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
      expect(await refuse('createSegment', { name: generateName(), query, isWatched: true }, poor)).toMatchObject({
        code: 'forbidden',
      });
    }
    for (const ope of ['any_of', 'none_of'])
      expect((await postSearch('/kpi', [{ attr: 'segment', ope, value: [made.databaseId] }], poor)).status).toBe(403);
    const own = await create(women, {}, poor);
    expect(await refuse('updateSegment', { id: own.id, query: donors }, poor)).toMatchObject({ code: 'forbidden' });
    expect(
      await refuse('createSegment', { name: generateName(), query: women }, await createRoleToken(door, 'user')),
    ).toMatchObject({
      code: 'forbidden',
    });
  });
});

it('a form that was deleted since is a fault at its condition: the list works, and no search finds nobody silently', async () => {
  const form = await runMutation(door, 'createForm', { label: generateName(), kind: 'SURVEY', type: 'TEXT' });
  const formId = form.id;
  const made = await create({ or: [women, { answer: { form: formId, value: { exists: true } } }] });
  const user = await create({ segment: { in: [made.id] } });
  await runMutation(door, 'deleteForm', { id: formId });
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
  const [, most] = /a list with counts has at most (\d+) segments/.exec(readFileSync('docs/segments.md', 'utf8'))!;
  expect((await ask(Number(most))).body.errors).toBeUndefined();
  expect((await ask(Number(most) + 1)).body.errors[0].extensions.code).toBe('query-too-large');
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
