// Segments as conditions of searches and of each other: both notations, levels, circles, limits.
import { beforeAll, describe, expect, it } from 'vitest';
import { limits } from '../../src/limits/limits.ts';
import { type Door, type Json, openApp } from '../harness/app.ts';
import { ids } from './search-query.ts';
import { donors, everywhere, generateName, openSegments, type Segments, women } from './segments.ts';

let door: Door;
let segments: Segments;
beforeAll(async () => {
  door = await openApp();
  segments = await openSegments(door);
});

const send: Segments['send'] = (...args) => segments.send(...args);
const create: Segments['create'] = (...args) => segments.create(...args);
const change: Segments['change'] = (...args) => segments.change(...args);
const refuse: Segments['refuse'] = (...args) => segments.refuse(...args);
const read: Segments['read'] = (...args) => segments.read(...args);
const postSearch: Segments['postSearch'] = (...args) => segments.postSearch(...args);

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
    expect(
      (await refuse('createSegment', { name: generateName(), query: { segment: { in: [last.id] } } })).faults,
    ).toEqual([
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
      const query = { and: [women, { segment: { in: [missing] } }, { not: { segment: { in: [missing] } } }] };
      const { body } = await door.graphql(
        'query ($query: ContactQuery) { searchContacts(query: $query) { totalCount } }',
        { query },
      );
      expect(body.errors[0].extensions.errors).toEqual(
        ['query.and[1].segment.in[0]', 'query.and[2].not.segment.in[0]'].map((location) => ({
          location,
          message: 'is not a segment of the space',
          value: missing,
        })),
      );
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
      (await refuse('createSegment', { name: generateName(), query: { segment: { in: [three.id, wide.id] } } })).faults,
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
