// A page of another origin in a real browser: it uses both doors where CORS_ORIGINS names it, and neither where not.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createDatabase } from '../harness/app.ts';
import { hasBrowser } from '../harness/browser.ts';
import { createToken, type Serving, spawnServer } from '../harness/serving.ts';
import { openSession } from '../harness/session.ts';
import { connectBrowser } from '../harness/shared-browser.ts';

/** What the page's `fetch` gives it: the status, the headers it can read, and the body; or its error. */
interface Read {
  status?: number;
  headers: Record<string, string>;
  body?: string;
  error?: string;
}

interface Sent {
  method?: string;
  headers?: Record<string, string>;
  body?: string;
  /** Without headers, so that the browser sends it without a preflight. */
  simple?: true;
}

describe.skipIf(!hasBrowser)('a page of another origin', { timeout: 90_000 }, () => {
  let browser: Browser;
  let page: Page;
  let origin: string;
  let DATABASE_URL: string;
  let token: string;

  beforeAll(async () => {
    const pages = createServer((_, response) => response.setHeader('Content-Type', 'text/html').end('<p>A page</p>'));
    await new Promise<void>((resolve) => pages.listen(0, '127.0.0.1', resolve));
    afterAll(() => pages.close());
    origin = `http://127.0.0.1:${(pages.address() as AddressInfo).port}`;
    DATABASE_URL = await createDatabase();
    token = await createToken(DATABASE_URL);
    browser = await connectBrowser();
    afterAll(() => browser.close());
    page = await browser.newPage();
    await page.goto(origin);
  }, 60_000);

  /** Sends requests from the page. */
  const from = ({ url }: Serving) => {
    const send = (path: string, { headers, simple, ...init }: Sent = {}): Promise<Read> => {
      const own = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json', ...headers };
      const options = { ...init, headers: simple ? {} : own };
      return page.evaluate(
        async ({ target, options }): Promise<Read> => {
          try {
            const answer = await fetch(target, options);
            const body = await answer.text();
            return { status: answer.status, headers: Object.fromEntries(answer.headers), body };
          } catch (error) {
            return { headers: {}, error: String(error) };
          }
        },
        { target: url + path, options },
      );
    };
    const graphql = (query: string, headers: Record<string, string> = {}): Promise<Read> =>
      send('/graphql', { method: 'POST', headers, body: JSON.stringify({ query }) });
    /** Sends a document until it is admitted, in the page: it waits as long as each 429 says. Returns the answers. */
    const graphqlPatiently = (query: string): Promise<Read[]> =>
      page.evaluate(
        async ({ target, options }) => {
          const answers: Read[] = [];
          for (let wait = 0; answers.length < 5; ) {
            await new Promise((resolve) => setTimeout(resolve, wait * 1000));
            const answer = await fetch(target, options);
            const headers = Object.fromEntries(answer.headers);
            answers.push({ status: answer.status, headers, body: await answer.text() });
            if (answer.status !== 429) break;
            wait = Number(headers['retry-after']);
          }
          return answers;
        },
        {
          target: `${url}/graphql`,
          options: {
            method: 'POST',
            headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
            body: JSON.stringify({ query }),
          },
        },
      );
    return { send, graphql, graphqlPatiently };
  };

  const note = '{"content":"From a page","pinned":false}';
  const mutation = 'mutation { createNote(input: { contactId: 1, content: "From a page" }) { __typename } }';

  it('uses both doors, and reads the headers of their answers', async () => {
    const { send, graphql } = from(
      await spawnServer({ DATABASE_URL, CORS_ORIGINS: `https://app.example.org,${origin}` }),
    );
    const query = await graphql('{ __typename }');
    expect([query.status, query.body]).toEqual([200, '{"data":{"__typename":"Query"}}']);
    expect(Number(query.headers['x-ratelimit-remaining'])).toBeGreaterThan(0);
    const key = { 'Idempotency-Key': 'from-a-page' };
    const [first, again] = [await graphql(mutation, key), await graphql(mutation, key)];
    expect(JSON.parse(first.body!).errors).toBeUndefined();
    expect([again.body, again.headers['idempotency-replayed']]).toEqual([first.body, 'true']);
    const contact = await send('/contacts/1');
    expect([contact.status, contact.headers.etag]).toEqual([200, expect.stringMatching(/^"\d+"$/)]);
    expect((await send('/contacts/1', { headers: { 'If-None-Match': contact.headers.etag! } })).status).toBe(304);
    expect((await send('/contacts/1/notes', { method: 'POST', body: note })).status).toBe(201);
    const stale = await send('/contacts/1', {
      method: 'PATCH',
      headers: { 'If-Match': '"999"' },
      body: '{"data":{"surname":"New"}}',
    });
    expect(stale.status).toBe(412);
    const exported = await send('/export', { method: 'POST', body: '{"data":{"advanced_search":{}}}' });
    expect([exported.status, exported.body!.startsWith('{')]).toEqual([200, true]);
  });

  it('writes once when the page retries after a 429, for which it reads Retry-After and the state of the bucket', async () => {
    const shape = { BUCKET_CAPACITY: '3', BUCKET_REFILL: '1' };
    const { graphql, graphqlPatiently } = from(await spawnServer({ DATABASE_URL, CORS_ORIGINS: origin, ...shape }));
    const content = 'From a patient page';
    while ((await graphql('{ __typename }')).status !== 429);
    const answers = await graphqlPatiently(mutation.replace('From a page', content));
    expect(answers[0]).toMatchObject({
      status: 429,
      headers: {
        'retry-after': '1',
        'x-ratelimit-cost': '1',
        'x-ratelimit-limit': 'burst:3;rate:1.0',
        'x-ratelimit-remaining': '0',
        'x-ratelimit-reset': expect.stringMatching(/^\d+(\.\d+)?$/),
      },
    });
    expect(answers.at(-1)).toMatchObject({ status: 200, body: expect.not.stringContaining('errors') });
    const database = await openSession(DATABASE_URL);
    expect((await database.query('select from notes where content = $1', [content])).rowCount).toBe(1);
  });

  it('reads refusals, and tries again after Retry-After', async () => {
    const shape = { BUCKET_CAPACITY: '3', BUCKET_REFILL: '1' };
    const { send, graphql } = from(await spawnServer({ DATABASE_URL, CORS_ORIGINS: origin, ...shape }));
    for (const ask of [() => graphql('{ __typename }'), () => send('/teams')]) {
      let answer = await ask();
      for (let sent = 1; answer.status === 200 && sent < 10; sent++) answer = await ask();
      expect(answer.status).toBe(429);
      const seconds = Number(answer.headers['retry-after']);
      expect(seconds).toBeGreaterThan(0);
      await page.waitForTimeout(seconds * 1000);
      expect((await ask()).status).toBe(200);
    }
    const nobody = { headers: { Authorization: 'Bearer nothing' } };
    const anonymous = await send('/teams', nobody);
    expect([anonymous.status, anonymous.headers['www-authenticate']]).toEqual([
      401,
      expect.stringContaining('invalid_token'),
    ]);
    expect((await send('/nothing', nobody)).status).toBe(404);
    await page.waitForTimeout(1000);
    expect((await send('/teams', { method: 'POST', body: 'x'.repeat(1_200_000) })).status).toBe(413);
  });

  it('uses neither door without the setting, or with another origin', async () => {
    const settings: Record<string, string>[] = [{}, { CORS_ORIGINS: 'https://app.example.org' }];
    const database = await openSession(DATABASE_URL);
    const countNotes = async () => (await database.query('select count(*) from notes')).rows[0].count;
    const before = await countNotes();
    for (const setting of settings) {
      const { send, graphql } = from(await spawnServer({ DATABASE_URL, ...setting }));
      for (const answer of [
        await graphql('{ __typename }'),
        await graphql(mutation),
        await send('/contacts/1'),
        await send('/contacts/1/notes', { method: 'POST', body: note }),
        await send('/teams', { simple: true }),
      ])
        expect(answer).toEqual({ headers: {}, error: 'TypeError: Failed to fetch' });
    }
    expect(await countNotes()).toBe(before);
  });
});
