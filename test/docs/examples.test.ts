// The examples of the documentation do what it says: they are taken from its text and run.
import { readFileSync } from 'node:fs';
import { beforeAll, expect, it } from 'vitest';
import { type Door, openApp } from '../harness/app.ts';

let door: Door;
beforeAll(async () => {
  door = await openApp();
});

const blocks = (file: string, language: string): string[] =>
  [...readFileSync(file, 'utf8').matchAll(/```(\w*)\n([\s\S]*?)```/g)]
    .filter(([, name]) => name === language)
    .map(([, , text]) => text!);

it('docs/search.md asks the same by both doors', async () => {
  const [body] = blocks('docs/search.md', 'json');
  const [query] = blocks('docs/search.md', 'graphql');
  const rest = await door.rest('POST', '/search', body);
  const graph = await door.graphql(query!);
  expect([rest.status, graph.body.errors]).toEqual([200, undefined]);
  expect(rest.body.data.contacts.length).toBeGreaterThan(0);
  expect(graph.body.data.searchContacts.nodes.map(({ id }: { id: string }) => id)).toEqual(
    rest.body.data.contacts.map(({ id }: { id: number }) => `Contact:${id}`),
  );
});

it('README.md asks the same by both doors', async () => {
  const [graph, rest] = [...readFileSync('README.md', 'utf8').matchAll(/-d '\n?([\s\S]*?)'\n/g)].map(
    ([, body]) => body!,
  );
  const { body: asked } = await door.graphql(JSON.parse(graph!).query);
  const { status, body: found } = await door.rest('POST', '/search', rest);
  expect([status, asked.errors]).toEqual([200, undefined]);
  const ids = found.data.contacts.map(({ id }: { id: number }) => `Contact:${id}`);
  expect(asked.data.searchContacts.nodes.map(({ id }: { id: string }) => id)).toEqual(ids);
  expect(ids.length).toBeGreaterThan(0);
});

it('docs/segments.md does what it says', async () => {
  const [save, list, page, combine, change, feed] = blocks('docs/segments.md', 'graphql') as [string, ...string[]];
  const [saved, body, changed] = blocks('docs/segments.md', 'json').map((text) => JSON.parse(text));
  const ask = async (query: string | undefined, variables: object = {}) => {
    const { body: answer } = await door.graphql(query!, variables);
    expect(answer.errors).toBeUndefined();
    return answer.data;
  };
  const { segment } = (await ask(save, saved)).createSegment;
  expect(segment).toMatchObject({ query: saved.input.query, contactCount: expect.any(Number) });
  expect((await ask(list)).segments.totalCount).toBe(4);
  expect((await ask(page, { id: segment.id })).segment.contacts.totalCount).toBe(segment.contactCount);
  const found = (await ask(combine)).searchContacts.nodes.map(({ id }: { id: string }) => id);
  const rest = await door.rest('POST', '/search', body);
  expect(rest.body.data.contacts.map(({ id }: { id: number }) => `Contact:${id}`)).toEqual(found);
  expect(found.length).toBeGreaterThan(0);
  expect((await ask(change, changed)).updateSegment.segment).toMatchObject({ version: 2, isWatched: true });
  expect((await ask(feed)).changes.nodes).toEqual([]);
});

it('docs/explore.md counts what a query finds', async () => {
  const [facets, ...others] = blocks('docs/explore.md', 'graphql');
  const { body } = await door.graphql(facets!);
  expect([body.errors, others]).toEqual([undefined, []]);
  const { total, values } = body.data.contactFacets;
  const { body: counted } = await door.graphql(
    '{ searchContacts(query: { tags: { equals: "Adhérent 2026" } }) { totalCount } }',
  );
  expect(total).toBeGreaterThan(0);
  expect([total, values.length > 0]).toEqual([counted.data.searchContacts.totalCount, true]);
});
