// Spec §8: one bucket per space, the price of each request, the four headers, 429 with Retry-After.

import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import { computeRetryAfter, formatRateHeaders } from '../../src/gate/gate.ts';
import { type Clock, stopClock } from '../gate/clock.ts';
import { type Answer, type Door, openApp } from '../harness/app.ts';

let door: Door;
let clock: Clock;
let fill: Clock['fill'];
beforeEach(async () => {
  door = await openApp({ BUCKET_CAPACITY: 100, BUCKET_REFILL: 10 });
  clock = await stopClock(door);
  fill = clock.fill;
});

const rate = ({ headers }: Answer) =>
  ['limit', 'remaining', 'cost', 'reset'].map((name) => headers.get(`x-ratelimit-${name}`));

describe('the headers', () => {
  it('are on every authenticated response, errors too', async () => {
    const answers = [
      await door.rest('GET', '/users/1'),
      await door.rest('GET', '/users/999999'),
      await door.rest('POST', '/teams', '{'),
      await door.rest('POST', '/teams', {}),
      await door.graphql('{ viewer { space { databaseId } } }'),
      await door.graphql('{ nonsense }'),
      await door.graphql('{'),
    ];
    answers.forEach((answer, index) => {
      const [limit, remaining, cost, reset] = rate(answer);
      expect([limit, cost]).toEqual(['burst:100;rate:10.0', '1']);
      expect(Number(remaining)).toBeGreaterThanOrEqual(99 - index);
      expect(Number(reset)).toBeGreaterThan(0);
      expect(Number(reset)).toBeLessThanOrEqual((index + 1) / 10);
    });
  });

  it('agree with the content of the bucket', () => {
    fc.assert(
      fc.property(fc.double({ min: 0, max: 100, noNaN: true }), fc.integer({ min: 1, max: 100 }), (tokens, cost) => {
        const headers = formatRateHeaders({ tokens, cost, capacity: 100, refill: 10 });
        expect(headers['X-Ratelimit-Remaining']).toBe(String(Math.floor(tokens)));
        expect(Number(headers['X-Ratelimit-Reset'])).toBeCloseTo((100 - tokens) / 10, 2);
      }),
    );
  });
});

describe('an empty bucket', () => {
  it('refuses with 429 and Retry-After, at both doors', async () => {
    await fill(0);
    for (const answer of [
      await door.rest('GET', '/users/1'),
      await door.graphql('{ viewer { space { databaseId } } }'),
    ]) {
      expect([answer.status, answer.headers.get('retry-after'), answer.headers.get('x-ratelimit-cost')]).toEqual([
        429,
        '1',
        '1',
      ]);
    }
  });

  it('affects one space only', async () => {
    const [{ user_id: other }] = await door.sql('select min(user_id) as user_id from members where group_id = 2');
    await fill(0);
    expect((await door.rest('GET', '/roles')).status).toBe(429);
    expect((await door.rest('GET', '/roles', undefined, await door.token(2, other))).status).toBe(200);
  });

  it('refills by the clock of the database', async () => {
    await fill(0);
    await clock.advance(3);
    expect(rate(await door.rest('GET', '/roles'))[1]).toBe('29');
    await clock.advance(0.1);
    expect(rate(await door.rest('GET', '/roles'))[1]).toBe('29');
  });

  it('never exceeds its capacity, and refills at once after the clock is set back', async () => {
    await fill(40);
    await clock.advance(365 * 24 * 3600);
    expect(rate(await door.rest('GET', '/roles'))[1]).toBe('99');
    await fill(50);
    await clock.advance(-3600);
    expect(rate(await door.rest('GET', '/roles'))[1]).toBe('49');
    await clock.advance(1);
    expect(rate(await door.rest('GET', '/roles'))[1]).toBe('58');
  });

  it('sends the whole number of seconds after which the request succeeds, and no earlier', () => {
    fc.assert(
      fc.property(fc.double({ min: 0, max: 100, noNaN: true }), fc.integer({ min: 1, max: 100 }), (tokens, cost) => {
        fc.pre(tokens < cost);
        const wait = computeRetryAfter({ tokens, cost, capacity: 100, refill: 10 });
        expect(Number.isInteger(wait)).toBe(true);
        expect(tokens + wait * 10).toBeGreaterThanOrEqual(cost - 1e-9);
        if (wait > 1) expect(tokens + (wait - 1) * 10).toBeLessThan(cost);
      }),
      { numRuns: 1000 },
    );
  });

  it('admits the request after Retry-After, and not half a second earlier', async () => {
    const dear = `{ ${Array.from({ length: 16 }, (_, index) => `a${index}: viewer { groupId }`).join(' ')} }`;
    await fill(1.5);
    const refused = await door.graphql(dear);
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '2']);
    await clock.advance(1.5);
    expect((await door.graphql(dear)).status).toBe(429);
    await clock.advance(0.5);
    expect((await door.graphql(dear)).status).toBe(200);
    // The server knows the document now.
    await fill(6);
    expect((await door.graphql(dear)).headers.get('retry-after')).toBe('1');
    await clock.advance(1);
    expect((await door.graphql(dear)).status).toBe(200);
  });
});

describe('the price of a GraphQL request', () => {
  it.each([
    ['{ viewer { space { databaseId } } }', 1],
    ['{ __typename }', 1],
    ['{ a: viewer { space { databaseId } } b: viewer { space { databaseId } } }', 2],
    ['{ a: viewer { space { databaseId } } a: viewer { user { id: databaseId } } }', 1],
    [
      'query { ...F ...F } fragment F on Query { x: viewer { space { databaseId } } ... on Query { y: roles { id: databaseId } } }',
      2,
    ],
    [
      'query A { roles { id: databaseId } } query B { roles { id: databaseId } teams { id: databaseId } users { total: totalCount } }',
      1,
    ],
    ['{ contacts(first: 2) { nodes { id: databaseId tags { id: databaseId } } } rateLimit { cost } }', 2],
  ])('of %s is %i', async (query, price) => {
    const answer = await door.graphql(query);
    expect(rate(answer)[2]).toBe(String(price));
  });

  it('is that of the named operation', async () => {
    const query =
      'query A { roles { id: databaseId } } query B { a: roles { id: databaseId } b: roles { id: databaseId } c: roles { id: databaseId } }';
    const response = await door.rest('POST', '/graphql', { query, operationName: 'B' });
    expect([response.status, rate(response)[2]]).toEqual([200, '3']);
  });

  it('above the capacity of the bucket is a 400, never a 429 that cannot succeed', async () => {
    const alias = (count: number): string =>
      `{ ${Array.from({ length: count }, (_, index) => `a${index}: __schema { description }`).join(' ')} }`;
    expect((await door.graphql(alias(100))).status).toBe(200);
    await fill(100);
    const { status, body, headers } = await door.graphql(alias(101));
    expect([status, body.errors[0].extensions.code, headers.get('x-ratelimit-cost')]).toEqual([
      400,
      'query-too-expensive',
      '1',
    ]);
  });

  it('is paid before the work, once, without refund; nothing is paid without a token', async () => {
    await fill(50);
    const [{ rateLimit }] = [
      (
        await door.graphql(
          '{ rateLimit { remaining cost capacity refillRate } a: contact(id: 987654321) { id: databaseId } }',
        )
      ).body.data,
    ];
    expect(rateLimit).toEqual({ remaining: 48, cost: 2, capacity: 100, refillRate: 10 });
    const [{ tokens }] = await door.sql('select tokens from rate_buckets where group_id = 1');
    await door.rest('GET', '/roles', undefined, null);
    expect((await door.sql('select tokens from rate_buckets where group_id = 1'))[0].tokens).toBe(tokens);
  });
});
