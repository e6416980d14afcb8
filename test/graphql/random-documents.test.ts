// Random documents, by callers of two spaces with different rights: every spelling is answered as the resolvers answer it, warm or cold, in any order, at the same price.
import { execute, parse, validate } from 'graphql';
import { beforeAll, expect, it } from 'vitest';
import { schema } from '../../schema/index.ts';
import type { Context } from '../../src/context.ts';
import { Credentials } from '../../src/gate/credentials.ts';
import { createGate } from '../../src/gate/gate.ts';
import { getCurrentMicros } from '../../src/search/datetime.ts';
import { type Door, type Json, openApp } from '../harness/app.ts';
import { createMember } from '../harness/member.ts';
import { chooseCount } from '../harness/thorough.ts';
import { type Ids, idsOf } from '../requests/index.ts';
import { chance } from '../search/random.ts';
import { type DrawnDocument, drawDocument, spellings, writeDocument } from './random-documents.ts';

/** A million of tokens, so that no price is too high. */
const bucket = { capacity: 1_000_000, refill: 1000 };
const seed = Number(process.env.MUSTER_SEED ?? 20_261_126);

interface Asker {
  name: string;
  token: string;
  ids: Ids;
  context: () => Context;
}

let door: Door;
let askers: Asker[];

beforeAll(async () => {
  door = await openApp();
  const gate = createGate(door.database, bucket);
  const ids = [await idsOf(door, 1), await idsOf(door, 2)] as const;
  const kinds = [
    ['superadmin of 1', 1, { type: 'superadmin' }],
    ['reader of 1', 1, { type: 'custom', permissions: ['contacts.read'] }],
    ['user of 1, scope read', 1, { type: 'user', scope: 'read' }],
    ['treasurer of 2', 2, { type: 'custom', permissions: ['contacts.read', 'money.read', 'people.read'] }],
    ['admin of 2', 2, { type: 'admin' }],
  ] as const;
  askers = [];
  for (const [name, space, membership] of kinds) {
    const token = await createMember(door, { space, ...membership });
    const credentials = new Credentials(new Headers({ Authorization: `Bearer ${token}` }));
    const { caller } = await gate.admit(credentials, 0);
    const context = (): Context => ({
      caller,
      requestId: null,
      bucket: { ...bucket, tokens: 1, cost: 1 },
      now: getCurrentMicros(),
      space: door.database.space(space),
    });
    askers.push({ name, token, ids: ids[space - 1]!, context });
  }
});

/**
 * What an answer says, in its order; but for the places of errors in the text of the document, and for which of several fields failed first
 * where one of them left no data.
 */
const describeBody = ({ data, errors }: Json): string => {
  const told = errors?.map(({ message, path, extensions }: Json) => ({ message, path, code: extensions?.code }));
  return JSON.stringify(data === null ? { data } : { data, errors: told });
};

const ask = async (on: Door, query: string, variables: Json, { token }: Asker) => {
  const answer = await on.graphql(query, variables, token);
  return {
    status: answer.status,
    body: answer.body,
    said: describeBody(answer.body),
    cost: answer.headers.get('x-ratelimit-cost'),
  };
};

const isTooLarge = ({ body }: { body: Json }): boolean =>
  body.errors?.some(({ extensions }: Json) => extensions.code === 'query-too-large') === true;

it('is answered as by the resolvers, however it is spelled', async () => {
  const drawn = chance(seed);
  const wrong: Json[] = [];
  let answered = 0;
  let forbidden = 0;
  for (let round = 0; round < chooseCount(2000, 20_000) && wrong.length < 5; round++) {
    const asker = drawn.pick(askers);
    // Now and then the ids are those of the other space.
    const { ids } = drawn.odds(0.1) ? drawn.pick(askers) : asker;
    const document = drawDocument(chance(drawn.whole(1e9)), ids);
    const variables = { ...document.variables, yes: drawn.odds(0.7), no: drawn.odds(0.3) };
    const plain = parse(writeDocument(document, 'plain'));
    const faults = validate(schema, plain);
    expect(
      faults.map(({ message }) => message),
      writeDocument(document, 'plain'),
    ).toEqual([]);
    const expected = await execute({
      schema,
      document: plain,
      variableValues: variables,
      contextValue: asker.context(),
    });
    const reference = describeBody(JSON.parse(JSON.stringify(expected)));
    for (const spelling of spellings) {
      const query = writeDocument(document, spelling);
      const found = await ask(door, query, variables, asker);
      if (found.status < 500 && isTooLarge(found)) continue;
      answered++;
      if (found.said.includes('"forbidden"')) forbidden++;
      if (found.status >= 500 || found.said !== reference)
        wrong.push({
          spelling,
          asker: asker.name,
          query,
          variables,
          status: found.status,
          said: found.said,
          reference,
        });
    }
  }
  expect(wrong, `seed ${seed}`).toEqual([]);
  // Most documents are small enough, many are permitted and many are not.
  const rounds = chooseCount(2000, 20_000);
  expect(answered).toBeGreaterThan(rounds * 3);
  expect(forbidden).toBeGreaterThan(rounds / 2);
  expect(forbidden).toBeLessThan(answered * 0.8);
}, 600_000);

/** Documents with two operations that share all of their fragments: the second leaves out what the first selects beside them. */
const joinOperations = (document: DrawnDocument): string => {
  const [operation, ...fragments] = writeDocument(document, 'named').split('\n');
  const bare = operation!.replace(' Drawn(', ' Other(');
  return [operation, bare.replace('__typename @include', 'again: __typename @include'), ...fragments].join('\n');
};

it('is answered and priced alike by a process that has seen others, twice and in any order, and by one that has seen nothing', async () => {
  const drawn = chance(seed + 1);
  const requests = Array.from({ length: chooseCount(60, 1000) }, () => {
    const owner = drawn.pick(askers);
    const document = drawDocument(chance(drawn.whole(1e9)), owner.ids);
    const query = drawn.odds(0.3) ? joinOperations(document) : writeDocument(document, drawn.pick(spellings));
    const operationName = query.includes(' Other(') ? drawn.pick(['Drawn', 'Other']) : undefined;
    return askers.flatMap((asker) =>
      [true, false].map((yes) => ({
        asker,
        sent: { query, operationName, variables: { ...document.variables, yes, no: !yes } },
      })),
    );
  }).flat();
  const send = async (on: Door, { sent, asker }: (typeof requests)[number], change = '') => {
    const { status, headers, body } = await on.rest(
      'POST',
      '/graphql',
      { ...sent, query: sent.query + change },
      asker.token,
    );
    return { status, cost: headers.get('x-ratelimit-cost'), said: describeBody(body) };
  };
  const warm = await openApp({}, undefined, door);
  const first = new Map<number, Json>();
  const wrong: Json[] = [];
  const order = requests.map((_, index) => index);
  for (const round of [1, 2])
    for (const index of drawn.shuffle(order)) {
      const found = await send(warm, requests[index]!);
      if (round === 1) first.set(index, found);
      else if (JSON.stringify(found) !== JSON.stringify(first.get(index)))
        wrong.push({ ...requests[index]!.sent, first: first.get(index), second: found });
    }
  for (const [index, request] of requests.entries()) {
    // A fresh app, and a text that no app has seen: nothing can be remembered of it.
    const cold = await send(await openApp({}, undefined, door), request, ` # ${index}`);
    if (JSON.stringify(cold) !== JSON.stringify(first.get(index)))
      wrong.push({ ...request.sent, asker: request.asker.name, warm: first.get(index), cold });
  }
  expect(wrong.slice(0, 3), `seed ${seed}`).toEqual([]);
  expect([...first.values()].filter(({ status }) => status >= 500)).toEqual([]);
}, 600_000);
