// muster move-in from a server with a small bucket, which another client empties: it is refused, waits as long as it is told to, and moves everything.
import { expect, it } from 'vitest';
import { openApp } from '../harness/app.ts';
import { runHere } from '../harness/run-here.ts';
import { createSpace, readSpace, serveApp } from './moving.ts';

it('waits for the tokens, and moves everything', async () => {
  const door = await openApp();
  const small = await openApp({ BUCKET_CAPACITY: 4, BUCKET_REFILL: 50 }, undefined, door);
  const [space, token] = [await createSpace(door), await door.token(1, 1)];
  const asked: { path: string; status: number; early: boolean }[] = [];
  const pauses: number[] = [];
  let allowedAt = 0;
  let searches = 0;
  const address = await serveApp(small, async (request) => {
    const path = new URL(request.url).pathname;
    // Timers may be early by a part of this.
    const early = performance.now() < allowedAt - 50;
    // Before the second page of contacts, somebody else takes all tokens of the space, which gets no new ones until the request comes.
    if (path === '/search' && ++searches === 2)
      await door.sql(
        `update rate_buckets set tokens = 0, refilled_at = now() + interval '1 minute' where group_id = 1`,
      );
    const response = await small.app.fetch(request);
    asked.push({ path, status: response.status, early });
    if (response.status === 429) {
      const seconds = Number(response.headers.get('retry-after'));
      pauses.push(seconds);
      allowedAt = performance.now() + seconds * 1000;
    }
    return response;
  });
  const { code, out, err } = await runHere(
    door.databaseUrl,
    ['move-in', '--from', address, '--space', String(space), '--page', '250'],
    { SOURCE_TOKEN: token },
  );
  expect([code, out]).toEqual([0, expect.stringMatching(/contacts: \d+ read, \d+ created\n/)]);
  expect(asked.filter(({ status }) => status !== 200)).toContainEqual({ path: '/search', status: 429, early: false });
  expect(pauses.every((seconds) => seconds >= 1)).toBe(true);
  expect(asked.filter(({ early }) => early)).toEqual([]);
  expect(err).toMatch(/POST \/search: status 429.*; trying again in \d+\.\d s/);
  const [source, target] = [await readSpace(door, 1), await readSpace(door, space)];
  // More than one page.
  expect(target.contacts.length).toBeGreaterThan(250);
  expect(target).toEqual(source);
});
