// Pages that the search row alone answers, by a short scan or by a gather: they do not use the search pool, are the same pages, and their plans use index scans only.
import { beforeAll, describe, expect, it } from 'vitest';
import { type Door, type Json, openApp } from '../harness/app.ts';
import { pretendManySpaces } from '../harness/statistics.ts';

/** Contacts at the end of the order. */
const crowd = 800;
let door: Door;
beforeAll(async () => {
  door = await openApp();
  await door.sql(
    `with made as (insert into contacts (group_id, surname) select 1, 'Zz ' || n from generate_series(1, ${crowd}) n returning id)
     select refresh_search(1, array(select id from made))`,
  );
  // In a small space, a search that was requested before is joined with others instead.
  await pretendManySpaces(door);
});

const document = `query ($query: ContactQuery, $first: Int, $last: Int, $after: String, $before: String, $orderBy: ContactOrder) {
  searchContacts(query: $query, first: $first, last: $last, after: $after, before: $before, orderBy: $orderBy) {
    nodes { id: databaseId surname: lastName note { id: databaseId } } pageInfo { startCursor endCursor }
  }
}`;

interface Sent {
  sql: string;
  bindings: unknown[];
}

const numbered = `query ($page: WholeNumber) {
  searchContacts: searchContactsByTree(first: 5, page: $page, sortBy: surname, ascending: true) { nodes { id: databaseId surname: lastName } }
}`;

/** A page, and the statements that were sent for it over the index-only pool and over the search pool. */
const page = async (variables: Json, text = document): Promise<{ found: Json; indexOnly: Sent[]; pooled: Sent[] }> => {
  const sent = { indexOnly: [] as Sent[], pooled: [] as Sent[] };
  const [scan, slow] = [(one: Sent) => void sent.indexOnly.push(one), (one: Sent) => void sent.pooled.push(one)];
  door.database.indexOnlyPool.knex.on('query', scan);
  door.database.searchPool.pool.knex.on('query', slow);
  const { body } = await door.graphql(text, variables);
  door.database.indexOnlyPool.knex.removeListener('query', scan);
  door.database.searchPool.pool.knex.removeListener('query', slow);
  expect(body.errors).toBeUndefined();
  return { found: body.data.searchContacts, ...sent };
};

const bySurname = { first: 5, orderBy: { field: 'LAST_NAME' } };
const nodesOf = (plan: Json): string[] => [plan['Node Type'], ...(plan.Plans ?? []).flatMap(nodesOf)];

const planOf = async ({ sql, bindings }: Sent): Promise<string[]> => {
  const { rows } = await door.database.indexOnlyPool.knex
    .raw(`explain (format json) ${sql}`)
    .options({ values: bindings } as never);
  return nodesOf(rows[0]['QUERY PLAN'][0].Plan);
};

describe('a page whose search was requested before', () => {
  it.each([
    ['of everybody', bySurname],
    ['of everybody by id', { first: 5 }],
    ['by a column', { ...bySurname, query: { optedOut: { equals: false } } }],
    ['by a folded text', { ...bySurname, query: { firstName: { notEquals: 'ÉLODIE' } } }],
    ['by a tag', { ...bySurname, query: { tags: { exists: true } } }],
  ])('%s is read by a short scan, by indexes alone', async (_, variables) => {
    const first = await page(variables);
    expect(first.pooled.length).toBeGreaterThan(0);
    const again = await page(variables);
    expect(again.found).toEqual(first.found);
    expect([again.indexOnly.length, again.pooled.length]).toEqual([1, 0]);

    const next = await page({ ...variables, after: again.found.pageInfo.endCursor });
    expect([next.indexOnly.length, next.pooled.length]).toEqual([1, 0]);
    expect(next.found.nodes[0].id).not.toBe(again.found.nodes.at(-1).id);
    // The page before the third is the second, read backwards.
    const third = await page({ ...variables, after: next.found.pageInfo.endCursor });
    const { first: last, ...rest } = variables;
    const back = await page({ ...rest, last, before: third.found.pageInfo.startCursor });
    expect(back.found.nodes).toEqual(next.found.nodes);
    expect([back.indexOnly.length, back.pooled.length]).toEqual([1, 0]);
    for (const one of [...again.indexOnly, ...next.indexOnly, ...back.indexOnly])
      expect((await planOf(one)).filter((node) => /Sort|Seq|Bitmap|Hash/.test(node))).toEqual([]);
  });

  // PostgreSQL before 18 took a parallel plan that sorts all contacts, where the page has lists.
  it('never has a parallel plan', async () => {
    const { rows } = await door.database.indexOnlyPool.knex.raw('show max_parallel_workers_per_gather');
    expect(rows).toEqual([{ max_parallel_workers_per_gather: '0' }]);
  });

  it('of everybody is read by a short scan however many come before it, as long as it is not deep', async () => {
    const far = { page: crowd / 5 - 1 };
    await page(far, numbered);
    // Not the page that was read last, which would begin after a contact.
    const { found, indexOnly, pooled } = await page({ page: far.page - 2 }, numbered);
    expect([indexOnly.length, pooled.length]).toEqual([1, 0]);
    const before = await door.sql(
      `select contact_id as id from contact_search where group_id = 1 and surname > '' order by surname, contact_id limit 5 offset ${(far.page - 2) * 5}`,
    );
    expect(found.nodes.map(({ id }: Json) => id)).toEqual(before.map(({ id }) => Number(id)));
  });

  it.each([
    ['down an order, which no index has', { ...bySurname, orderBy: { field: 'LAST_NAME', direction: 'DESC' } }],
    ['by what is beside the search row', { ...bySurname, query: { address: { street: { exists: true } } } }],
    ['by the letters of a mail', { ...bySurname, query: { email: { equalsExactly: 'a@b.example' } } }],
    ['in a part of the order without values', { ...bySurname, orderBy: { field: 'GENDER' } }],
  ])('%s uses the search pool', async (_, variables) => {
    await page(variables);
    const again = await page(variables);
    expect(again.indexOnly).toEqual([]);
    expect(again.pooled.length).toBeGreaterThan(0);
  });

  it('whose matches have become rare is found over the search pool after all', async () => {
    const variables = { ...bySurname, query: { phone: { exists: true } } };
    await page(variables);
    await door.sql(`update contact_search set filled = filled & ~4 where group_id = 1`);
    const [{ id }] = await door.sql('select min(contact_id) as id from contact_search where group_id = 1');
    await door.sql(`update contact_search set filled = filled | 4 where group_id = 1 and contact_id = ${id}`);
    const { found, indexOnly, pooled } = await page(variables);
    expect(found.nodes.map((node: Json) => node.id)).toEqual([id]);
    expect(indexOnly).toHaveLength(1);
    expect(pooled.length).toBeGreaterThan(0);
  });
});

describe('a page with a leading condition', () => {
  it.each([
    ['by the start of a name', { firstName: { startsWith: 'm' } }],
    ['who have a tag', { and: [{ firstName: { startsWith: 'a' } }, { tags: { in: ['VIP'] } }] }],
    ['in another order', { firstName: { startsWith: 'l' } }, { orderBy: { field: 'LAST_NAME', direction: 'DESC' } }],
  ])('%s is gathered at once, by indexes alone', async (_, query, order: Json = {}) => {
    await door.sql(`update tags set name = 'VIP' where id = (select min(id) from tags where group_id = 1)`);
    const variables = { ...bySurname, ...order, query };
    const { found, indexOnly, pooled } = await page(variables);
    expect([found.nodes.length > 0, indexOnly.length, pooled.length]).toEqual([true, 1, 0]);
    const nodes = await planOf(indexOnly[0]!);
    expect(nodes.filter((node) => /Seq|Bitmap|Hash/.test(node))).toEqual([]);
    const next = await page({ ...variables, after: found.pageInfo.endCursor });
    expect(next.found.nodes.map((node: Json) => node.id)).not.toContain(found.nodes.at(-1).id);
  });

  it('by a mail is found over the search pool, since a former mail has another index', async () => {
    const [{ mail }] = await door.sql(`select mail from contact_search where group_id = 1 and mail > 'a' limit 1`);
    const { found, indexOnly, pooled } = await page({ ...bySurname, query: { email: { equals: mail } } });
    expect([found.nodes.length > 0, indexOnly.length]).toEqual([true, 0]);
    expect(pooled.length).toBeGreaterThan(0);
  });

  it('knows a tag that was just created, and a name that it no longer has', async () => {
    const [{ id }] = await door.sql(
      `select contact_id as id from contact_search where group_id = 1 and firstname > 'b' limit 1`,
    );
    const [{ firstname }] = await door.sql(`select firstname from contacts where group_id = 1 and id = ${id}`);
    const variables = {
      ...bySurname,
      query: { and: [{ firstName: { equals: firstname } }, { tags: { equals: 'Brand new' } }] },
    };
    expect((await page(variables)).found.nodes).toEqual([]);
    await door.sql(`insert into tags (group_id, name) values (1, 'Brand new')`);
    await door.sql(
      `insert into contact_tags (group_id, contact_id, tag_id) select 1, ${id}, id from tags where group_id = 1 and name = 'Brand new'`,
    );
    await door.sql(`select refresh_search(1, array[${id}])`);
    expect((await page(variables)).found.nodes.map((node: Json) => node.id)).toEqual([id]);
    await door.sql(`update tags set name = 'Old' where group_id = 1 and name = 'Brand new'`);
    expect((await page(variables)).found.nodes).toEqual([]);
  });

  it('without a match is no answer: it is read over the search pool, and the next time only there', async () => {
    const variables = { ...bySurname, query: { firstName: { equals: 'nobody at all' } } };
    const first = await page(variables);
    expect([first.found.nodes, first.indexOnly.length]).toEqual([[], 1]);
    expect(first.pooled.length).toBeGreaterThan(0);
    const again = await page(variables);
    expect([again.found.nodes, again.indexOnly.length]).toEqual([[], 0]);
    expect(again.pooled.length).toBeGreaterThan(0);
  });
});
