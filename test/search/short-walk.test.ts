// Short walks: a page that the search row alone decides is had past the lane for searches, is the same page, and comes by a plan that only follows indexes.
import { beforeAll, describe, expect, it } from 'vitest';
import { type Door, type Json, openApp } from '../harness.ts';

let door: Door;
beforeAll(async () => {
  door = await openApp();
});

const document = `query ($query: SearchGroup, $first: Int, $after: String, $sortBy: SearchSort, $ascending: Boolean) {
  searchContacts(query: $query, first: $first, after: $after, sortBy: $sortBy, ascending: $ascending) {
    nodes { id surname notes { id } } pageInfo { endCursor }
  }
}`;
const where = (attribute: string, operator: string, value?: unknown) => ({
  all: [{ condition: { attribute, operator, value } }],
});

interface Sent {
  sql: string;
  bindings: unknown[];
}

/** A page, and what was sent for it along the walks and in the lane. */
const page = async (variables: Json): Promise<{ found: Json; walks: Sent[]; lane: Sent[] }> => {
  const sent = { walks: [] as Sent[], lane: [] as Sent[] };
  const [walk, slow] = [(one: Sent) => void sent.walks.push(one), (one: Sent) => void sent.lane.push(one)];
  door.database.walks.on('query', walk);
  door.database.slowLane.knex.on('query', slow);
  const { body } = await door.graphql(document, variables);
  door.database.walks.removeListener('query', walk);
  door.database.slowLane.knex.removeListener('query', slow);
  expect(body.errors).toBeUndefined();
  return { found: body.data.searchContacts, ...sent };
};

const bySurname = { first: 5, sortBy: 'surname', ascending: true };
const nodesOf = (plan: Json): string[] => [plan['Node Type'], ...(plan.Plans ?? []).flatMap(nodesOf)];

describe('a page whose search was asked before', () => {
  it.each([
    ['of everybody', bySurname],
    ['of everybody by id', { first: 5 }],
    ['by a column', { ...bySurname, query: where('black_list', 'eql', false) }],
    ['by a folded text', { ...bySurname, query: where('firstname', 'not_eql', 'ÉLODIE') }],
    ['by the start of what it is sorted by', { ...bySurname, query: where('surname', 'start_with', 'm') }],
  ])('%s is walked to, past the lane, by indexes alone', async (_, variables) => {
    const first = await page(variables);
    expect(first.lane.length).toBeGreaterThan(0);
    const again = await page(variables);
    expect(again.found).toEqual(first.found);
    expect([again.walks.length, again.lane.length]).toEqual([1, 0]);

    const next = await page({ ...variables, after: again.found.pageInfo.endCursor });
    expect([next.walks.length, next.lane.length]).toEqual([1, 0]);
    expect(next.found.nodes[0].id).not.toBe(again.found.nodes.at(-1).id);
    for (const { sql, bindings } of [...again.walks, ...next.walks]) {
      const { rows } = await door.database.walks
        .raw(`explain (format json) ${sql}`)
        .options({ values: bindings } as never);
      const [top, ...below] = nodesOf(rows[0]['QUERY PLAN'][0].Plan);
      expect(top).toBe('Sort');
      expect(below.filter((node) => /Sort|Seq|Bitmap|Hash/.test(node))).toEqual([]);
    }
  });

  it.each([
    ['down an order, which no index has', { ...bySurname, ascending: false }],
    ['by what is beside the search row', { ...bySurname, query: where('tags_name', 'ext') }],
    ['by the letters of a mail', { ...bySurname, query: where('mail', 'eql_strictdata', 'a@b.example') }],
    ['in a part of the order without values', { ...bySurname, sortBy: 'gender' }],
  ])('%s is left to the lane', async (_, variables) => {
    await page(variables);
    const again = await page(variables);
    expect(again.walks).toEqual([]);
    expect(again.lane.length).toBeGreaterThan(0);
  });

  it('that has become rare is found in the lane after all', async () => {
    const variables = { ...bySurname, query: where('phone', 'ext') };
    await page(variables);
    await door.sql(`update contact_search set filled = filled & ~4 where group_id = 1`);
    const [{ id }] = await door.sql('select min(contact_id) as id from contact_search where group_id = 1');
    await door.sql(`update contact_search set filled = filled | 4 where group_id = 1 and contact_id = ${id}`);
    const { found, walks, lane } = await page(variables);
    expect(found.nodes.map((node: Json) => node.id)).toEqual([id]);
    expect(walks).toHaveLength(1);
    expect(lane.length).toBeGreaterThan(0);
  });
});
