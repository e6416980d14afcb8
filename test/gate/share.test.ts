// The share of an app: it bounds what one program takes of the bucket of its space, and costs others nothing.
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Answer, type Door, openApp } from '../harness/app.ts';
import { createAppCaller } from '../harness/member.ts';
import { stopClock } from './clock.ts';

const headersOf = ({ headers }: Answer) =>
  ['limit', 'remaining', 'cost', 'reset'].map((name) => headers.get(`x-ratelimit-${name}`));

describe('an app with a share of 30 %', () => {
  let door: Door;
  let app: { id: number; token: string };
  let clock: Awaited<ReturnType<typeof stopClock>>;
  const get = (token?: string) => door.rest('GET', '/teams', undefined, token);
  const change = (token?: string) => door.rest('PATCH', '/contacts/1', { data: { contact: {} } }, token);
  /** How many of these requests are admitted. */
  const admit = async (count: number, token?: string): Promise<number> => {
    const answers: Answer[] = [];
    // A busy server would refuse more at once.
    for (let left = count; left > 0; left -= 10)
      answers.push(...(await Promise.all(Array.from({ length: Math.min(10, left) }, () => get(token)))));
    expect(answers.filter(({ status }) => status !== 200 && status !== 429)).toEqual([]);
    return answers.filter(({ status }) => status === 200).length;
  };

  beforeAll(async () => {
    door = await openApp({ BUCKET_CAPACITY: 100, BUCKET_REFILL: 10 });
    app = await createAppCaller(door, { share: 30, permissions: ['people.read', 'contacts.read', 'contacts.write'] });
    clock = await stopClock(door);
  });
  beforeEach(async () => {
    await clock.fill(100);
    await door.sql('delete from app_buckets');
  });

  it('leaves the rest to others, and is refused by its share', async () => {
    expect(await admit(40, app.token)).toBe(30);
    const refused = await get(app.token);
    expect(refused.status).toBe(429);
    expect(refused.body.detail).toBe(
      'This app can use 30 % of the bucket of this space: its share holds 0 points and the request costs 1; try again in 1 s',
    );
    expect(headersOf(refused)).toEqual(['burst:30;rate:3.0', '0', '1', '10']);
    expect(refused.headers.get('retry-after')).toBe('1');
    expect(await admit(80)).toBe(70);
    await clock.advance(1);
    expect(await admit(10, app.token)).toBe(3);
    expect(await admit(10)).toBe(7);
  });

  it('shows what it has: of its share, or of the bucket where that holds less', async () => {
    expect(headersOf(await get(app.token))).toEqual(['burst:30;rate:3.0', '29', '1', '0.333']);
    const asked = '{ rateLimit { capacity refillRate cost remaining resetSeconds } }';
    expect((await door.graphql(asked, {}, app.token)).body.data.rateLimit).toMatchObject({
      capacity: 30,
      refillRate: 3,
      remaining: 28,
    });
    expect(headersOf(await get())).toEqual(['burst:100;rate:10.0', '97', '1', '0.3']);
    expect(await admit(95)).toBe(95);
    expect((await get(app.token)).headers.get('x-ratelimit-remaining')).toBe('1');
    await get();
    const refused = await get(app.token);
    expect(refused.body.detail).toBe(
      'The bucket of this space holds 0 points and the request costs 1; try again in 1 s',
    );
  });

  it('shares it among its tokens and among processes, and leaves another app its own', async () => {
    const other = await createAppCaller(door, { share: 30, permissions: ['people.read', 'contacts.read'] });
    const elsewhere = await openApp({ BUCKET_CAPACITY: 100, BUCKET_REFILL: 10 }, undefined, door);
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, at) => (at % 2 ? door : elsewhere).rest('GET', '/teams', undefined, app.token)),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(30);
    expect(await admit(40, other.token)).toBe(30);
  });

  it('has its new share at once', async () => {
    expect(await admit(40, app.token)).toBe(30);
    await door.sql('update apps set share = 100 where id = ?', [app.id]);
    await clock.advance(1);
    expect(await admit(20, app.token)).toBe(10);
    await door.sql('update apps set share = 1 where id = ?', [app.id]);
    await clock.advance(1000);
    expect(await admit(20, app.token)).toBe(1);
    await door.sql('update apps set share = 30 where id = ?', [app.id]);
  });

  it('pays off a price beyond its whole share, so that no request is out of reach', async () => {
    await door.sql('update apps set share = 2 where id = ?', [app.id]);
    expect((await change(app.token)).status).not.toBe(429);
    const refused = await change(app.token);
    expect(refused.body.detail).toMatch('its share holds 0 points and the request costs 5; try again in 25 s');
    expect(headersOf(refused)).toEqual(['burst:2;rate:0.2', '0', '5', '25']);
    await clock.advance(24.9);
    expect((await change(app.token)).status).toBe(429);
    await clock.advance(0.2);
    expect((await change(app.token)).status).not.toBe(429);
    await door.sql('update apps set share = 30 where id = ?', [app.id]);
  });

  it('takes nothing from its share for what the bucket of the space refuses, nor the other way round', async () => {
    expect(await admit(100)).toBe(100);
    expect(await admit(5, app.token)).toBe(0);
    expect(await door.sql('select 1 from app_buckets')).toEqual([]);
    await clock.advance(1);
    expect(await admit(20, app.token)).toBe(10);
  });

  it('is neither shut out nor filled when the clock is set back', async () => {
    expect(await admit(30, app.token)).toBe(30);
    await clock.advance(-3600);
    expect(await admit(5, app.token)).toBe(0);
    await clock.advance(1);
    expect(await admit(5, app.token)).toBe(3);
  });

  it('adds no statement for anybody, and writes its row for apps alone', async () => {
    await get();
    const of = async (token?: string) =>
      (await door.statements(() => get(token))).filter((sql) => sql.includes('enter_gate')).length;
    expect([await of(), await of(app.token)]).toEqual([1, 1]);
    expect(await door.sql('select app_id from app_buckets')).toEqual([{ app_id: app.id }]);
  });
});

describe('what callers spend', () => {
  it('is added up by the minute, and shown to admins', async () => {
    const door = await openApp();
    const elsewhere = await openApp({}, undefined, door);
    const app = await createAppCaller(door, { permissions: ['people.read'] });
    const asked = '{ spaceUsage { user { id } appId appName lastMinute lastHour lastDay } }';
    for (const at of [door, elsewhere])
      for (let count = 0; count < 3; count++) await at.rest('GET', '/teams', undefined, app.token);
    await door.rest('GET', '/teams', undefined, await door.token(1, 2));
    await door.rest('GET', '/teams', undefined, await door.token(2, 4));
    for (const at of [door, elsewhere]) await at.app.writeTokenUses();
    // What was refused costs nothing.
    await door.rest('GET', '/teams', undefined, 'bad');
    expect(await door.statements(() => elsewhere.app.writeTokenUses())).toEqual([]);
    const amounts = (tokens: number) => ({ lastMinute: tokens, lastHour: tokens, lastDay: tokens });
    const ofApp = { user: null, appId: `App:${app.id}`, appName: app.name };
    expect((await door.graphql(asked)).body.data.spaceUsage).toEqual([
      { ...ofApp, ...amounts(6) },
      { user: { id: 'User:2' }, appId: null, appName: null, ...amounts(1) },
    ]);
    await door.sql(
      `update spending set minute = (minute at time zone 'UTC' - interval '30 minutes') at time zone 'UTC' where caller_id = ?`,
      [app.id],
    );
    await door.sql(
      `update spending set minute = (minute at time zone 'UTC' - interval '3 hours') at time zone 'UTC' where caller_id = 2`,
    );
    const found = (await door.graphql(asked)).body.data.spaceUsage;
    expect(found).toMatchObject([
      { ...ofApp, lastMinute: 0, lastHour: 6, lastDay: 6 },
      { lastMinute: 0, lastHour: 0, lastDay: 1 },
    ]);
  });

  it('is kept for the next time while it cannot be written', async () => {
    const door = await openApp();
    await door.rest('GET', '/teams');
    await door.sql('alter table spending rename to elsewhere');
    await door.app.writeTokenUses();
    await door.sql('alter table elsewhere rename to spending');
    await door.rest('GET', '/teams');
    await door.app.writeTokenUses();
    expect(await door.sql('select caller_id, tokens from spending')).toEqual([{ caller_id: 1, tokens: 2 }]);
  });
});
