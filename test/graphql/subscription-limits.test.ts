// How many subscriptions one process has under way: of a token, of a space, and of all of them.
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Caller } from '../../src/context.ts';
import { Credentials } from '../../src/gate/credentials.ts';
import { type OpenSubscription, Subscriptions } from '../../src/graphql/subscriptions.ts';
import { limits } from '../../src/limits/limits.ts';
import type { Problem } from '../../src/problem.ts';

const { perToken, perSpace, perProcess } = limits.subscription;
const credentials = new Credentials(new Headers());
let closing: AbortController;
let subscriptions: Subscriptions;

beforeEach(() => {
  closing = new AbortController();
  const gate = { admit: () => Promise.reject(new Error('No caller is looked at so soon')) };
  subscriptions = new Subscriptions(gate, closing.signal);
});
afterEach(() => closing.abort());

const subscribe = (space: number, token: number): OpenSubscription =>
  subscriptions.open({ groupId: space, tokenId: token } as Caller, credentials);

/** Opens so many subscriptions of a space, each with a token of its own. */
const subscribeMany = (space: number, count: number): OpenSubscription[] =>
  Array.from({ length: count }, (_, index) => subscribe(space, space * 10_000 + index));

/** What a refused caller is told. */
const findRefusal = (space: number, token: number) => {
  try {
    subscribe(space, token);
  } catch (error) {
    const { code, status, message, headers } = error as Problem;
    return { code, status, message, headers };
  }
  return undefined;
};
const describeRefusal = (whose: string, most: number) => ({
  code: 'too-many-subscriptions',
  status: 429,
  headers: { 'Retry-After': '10' },
  message: `${whose} has ${most} subscriptions under way`,
});

it('a token has so many, and another of its space has others', () => {
  const open = Array.from({ length: perToken }, () => subscribe(1, 1));
  expect(findRefusal(1, 1)).toEqual(describeRefusal('The token', perToken));
  expect(findRefusal(1, 2)).toBeUndefined();
  open[0]!.close();
  // A second call gives no second place.
  open[0]!.close();
  expect(findRefusal(1, 1)).toBeUndefined();
  expect(findRefusal(1, 1)).toEqual(describeRefusal('The token', perToken));
});

it('a space has so many by all its tokens, and another space has others', () => {
  const open = subscribeMany(1, perSpace);
  expect(findRefusal(1, 1)).toEqual(describeRefusal('The space', perSpace));
  expect(findRefusal(2, 2)).toBeUndefined();
  open[0]!.close();
  expect(findRefusal(1, 1)).toBeUndefined();
  expect(findRefusal(1, 1)).toEqual(describeRefusal('The space', perSpace));
});

it('a process has so many of all spaces, and none is left when it stops', () => {
  const spaces = Array.from({ length: perProcess / perSpace }, (_, index) => index + 1);
  const open = spaces.flatMap((space) => subscribeMany(space, perSpace));
  expect(findRefusal(100, 1)).toEqual(describeRefusal('The server', perProcess));
  open[0]!.close();
  expect(findRefusal(100, 1)).toBeUndefined();
  expect(findRefusal(100, 1)).toEqual(describeRefusal('The server', perProcess));
  closing.abort();
  expect(open.every(({ signal }) => signal.aborted)).toBe(true);
  expect(findRefusal(1, 1)).toMatchObject({ code: 'unavailable', status: 503 });
});
