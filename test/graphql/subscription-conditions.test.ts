// `@include` and `@skip` in subscriptions: they are refused at the root, in any place that leads there, and work below it.
import { beforeAll, expect, it } from 'vitest';
import { type Door, type Json, openApp } from '../harness/app.ts';

let door: Door;
beforeAll(async () => {
  door = await openApp();
});

const send = async (body: Json, accept: string): Promise<Response> =>
  door.app.fetch(
    new Request('http://muster.test/graphql', {
      method: 'POST',
      headers: {
        Authorization: `Bearer ${await door.token(1, 1)}`,
        'Content-Type': 'application/json',
        Accept: accept,
      },
      body: JSON.stringify(body),
    }),
  );

it.each<[query: string, body: Json, named: string, column: number]>([
  ['subscription { changes @include(if: false) { type } }', {}, '@include', 24],
  ['subscription { changes @skip(if: true) { type } }', {}, '@skip', 24],
  ['subscription { changes @include(if: true) { type } }', {}, '@include', 24],
  ['subscription ($a: Boolean!) { changes @include(if: $a) { type } }', { variables: { a: true } }, '@include', 39],
  ['subscription ($a: Boolean!) { ... @skip(if: $a) { changes { type } } }', { variables: { a: false } }, '@skip', 35],
  ['subscription { ...S @include(if: false) } fragment S on Subscription { changes { type } }', {}, '@include', 21],
  ['subscription { ...S } fragment S on Subscription { ...S changes @include { type } }', {}, '@include', 65],
  [
    'query Q { __typename } subscription S($a: Boolean!) { changes @skip(if: $a) { type } }',
    { operationName: 'Q' },
    '@skip',
    63,
  ],
])('a condition at the root is refused: %s', async (query, more, named, column) => {
  for (const accept of ['text/event-stream', 'application/json', 'application/graphql-response+json']) {
    const response = await send({ query, ...more }, accept);
    const text = await response.text();
    const { errors } = JSON.parse(/^data: (\{.*)$/m.exec(text)?.[1] ?? text);
    const status = accept === 'text/event-stream' ? 200 : 400;
    expect([response.status, errors[0].extensions.code]).toEqual([status, 'invalid-document']);
    expect(errors[0].message).toBe(
      `${named} must not be at the root of a subscription: its only field is always selected. Put the condition below that field (line 1, column ${column})`,
    );
  }
});

it('a condition below the root is followed', async () => {
  const query = 'subscription ($a: Boolean!) { changes { type @include(if: $a) operation @skip(if: true) } }';
  const response = await send({ query, variables: { a: true } }, 'text/event-stream');
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/event-stream; charset=utf-8']);
  await response.body!.cancel();
});
