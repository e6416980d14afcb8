import { resolve } from 'node:path';
import pg from 'pg';
import { beforeAll, describe, it } from 'vitest';
import { newDatabase } from '../harness.ts';
import { launch, tokenFor } from '../serving.ts';

const many = { contacts: 1000, emails: 20 };
let url: string;

beforeAll(async () => {
  url = await newDatabase();
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(
    `insert into contacts (group_id, firstname, surname) select 1, 'Large', 'Page ' || n from generate_series(1, ${many.contacts}) n`,
  );
  await client.query(
    `insert into emails (group_id, contact_id, type, clicked_urls)
     select 1, c.id, 'newsletter', array['https://example.org/' || c.id]
       from contacts c, generate_series(1, ${many.emails}) where c.group_id = 1 and c.firstname = 'Large'`,
  );
  await client.end();
}, 120_000);

describe('held', () => {
  const first = 1000;
  it('x', async () => {
    const serving = await launch({
      DATABASE_URL: url,
      NODE_OPTIONS: `--import=${resolve(import.meta.dirname, 'delay.mjs')}`,
    });
    const token = await tokenFor(url);
    const held = async () => {
      const before = serving.logged().length;
      serving.child.kill('SIGUSR2');
      for (;;) {
        await new Promise((r) => setTimeout(r, 20));
        const line = serving
          .logged()
          .slice(before)
          .find((one) => 'held' in one);
        if (line) return line;
      }
    };
    for (const [name, query] of [
      [
        'emails',
        `{ contacts(first: ${first}) { nodes { id emails { id type createdAt clickedUrls deliveredAt openedAt } } } }`,
      ],
      [
        'four',
        `{ contacts(first: ${first}) { nodes { id a: emails { id type createdAt clickedUrls } b: emails { id clickedUrls } c: emails { id } d: emails { type } } } }`,
      ],
      [
        'leaf',
        `{ contacts(first: ${first}) { nodes { id x: emails { id } ${Array.from({ length: 15 }, (_, i) => `f${i}: firstname`).join(' ')} } } }`,
      ],
      [
        'text',
        `{ contacts(first: ${first}) { nodes { id firstname surname tags { name } notes { content } answers { data } } } }`,
      ],
      [
        'edges',
        `{ contacts(first: ${first}) { edges { cursor node { id emails { id clickedUrls } transactions { id donations { id } } } } } }`,
      ],
      [
        'introspect',
        `{ __schema { types { name description fields { name description args { name description type { name ofType { name ofType { name } } } } type { name ofType { name ofType { name } } } } inputFields { name type { name } } enumValues { name description } } } }`,
      ],
    ]) {
      await serving.ask(token, 'POST', '/graphql', { query: query!.replace('1000', '5') });
      for (let i = 0; i < 3; i++) {
        await held();
        const start = performance.now();
        const answer = await serving.ask(token, 'POST', '/graphql', { query });
        const ms = performance.now() - start;
        console.log(
          name,
          answer.status,
          answer.headers.get('content-length'),
          answer.headers.get('x-ratelimit-cost'),
          await held(),
          ms.toFixed(0),
          answer.body.errors?.[0],
        );
      }
    }
  }, 60000);
});
