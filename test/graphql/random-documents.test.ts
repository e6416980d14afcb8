// Random documents, by callers of two spaces with different rights: every spelling is answered as the resolvers answer it, warm or cold, in any order, at the same price.
import { execute, parse, validate } from 'graphql';
import { beforeAll, expect, it } from 'vitest';
import { schema } from '../../schema/index.ts';
import type { Context } from '../../src/context.ts';
import { Credentials } from '../../src/gate/credentials.ts';
import { createGate } from '../../src/gate/gate.ts';
import { limits } from '../../src/limits/limits.ts';
import { getCurrentMicros } from '../../src/search/datetime.ts';
import { type Answer, type Door, type Json, openApp } from '../harness/app.ts';
import { createMember } from '../harness/member.ts';
import { spawnServer } from '../harness/serving.ts';
import { chooseCount, isSmall, readShares } from '../harness/sizes.ts';
import { type Ids, prepareIds } from '../requests/index.ts';
import { createChance } from '../search/random.ts';
import { type DrawnDocument, drawDocument, spellings, writeDocument } from './random-documents.ts';

/** A share of a run has a third. */
const rounds = chooseCount(150, readShares() > 1 ? 700 : 2000, 10_000);

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
  const ids = [await prepareIds(door, 1), await prepareIds(door, 2)] as const;
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
  const drawn = createChance(seed);
  const wrong: Json[] = [];
  let answered = 0;
  let forbidden = 0;
  let conflicting = 0;
  for (let round = 0; round < rounds && wrong.length < 5; round++) {
    const asker = drawn.pick(askers);
    // Now and then the ids are those of the other space.
    const { ids } = drawn.odds(0.1) ? drawn.pick(askers) : asker;
    const document = drawDocument(createChance(drawn.whole(1e9)), ids);
    const variables = { ...document.variables, yes: drawn.odds(0.7), no: drawn.odds(0.3) };
    const plain = parse(writeDocument(document, 'plain'));
    const faults = validate(schema, plain);
    // Fields of one name may have other types in other types, and no document may select both without an alias.
    if (faults.some(({ message }) => message.includes('conflict because'))) {
      conflicting++;
      continue;
    }
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
  expect(conflicting).toBeLessThanOrEqual(Math.ceil(rounds / 1000));
  expect(answered).toBeGreaterThan(rounds * 3);
  expect(forbidden).toBeGreaterThan(rounds / 2);
  expect(forbidden).toBeLessThan(answered * 0.8);
}, 1_800_000);

/** Documents with two operations that share all of their fragments: the second leaves out what the first selects beside them. */
const joinOperations = (document: DrawnDocument): string => {
  const [operation, ...fragments] = writeDocument(document, 'named').split('\n');
  const bare = operation!.replace(' Drawn(', ' Other(');
  return [operation, bare.replace('__typename @include', 'again: __typename @include'), ...fragments].join('\n');
};

/** The same, with more aliases in the second operation than one may have. */
const exceedLimit = (query: string): string => {
  const aliases = Array.from({ length: limits.document.aliases + 1 }, (_, place) => `a${place}: __typename`);
  return query.replace('again: ', `${aliases.join(' ')} again: `);
};

it.skipIf(isSmall)(
  'is answered and priced alike by a process that has seen others, twice and in any order, and by one that has seen nothing',
  async () => {
    const drawn = createChance(seed + 1);
    const requests = Array.from({ length: chooseCount(60, 60, 1000) }, (_, place) => {
      const owner = drawn.pick(askers);
      const document = drawDocument(createChance(drawn.whole(1e9)), owner.ids);
      const joined = drawn.odds(0.3) ? joinOperations(document) : writeDocument(document, drawn.pick(spellings));
      const query = place % 6 === 0 ? exceedLimit(joinOperations(document)) : joined;
      const operationName = query.includes(' Other(') ? drawn.pick(['Drawn', 'Other']) : undefined;
      return askers.flatMap((asker) =>
        [true, false].map((yes) => ({
          asker,
          sent: { query, operationName, variables: { ...document.variables, yes, no: !yes } },
        })),
      );
    }).flat();
    const order = requests.map((_, index) => index);
    // Next to nothing flows in, so that what is missing from a bucket was taken.
    const shape = { BUCKET_CAPACITY: bucket.capacity, BUCKET_REFILL: 0.001 };
    let priced = 0;
    const describeAnswer = ({ status, headers, body }: Pick<Answer, 'status' | 'headers' | 'body'>) => {
      const cost = headers.get('x-ratelimit-cost');
      priced += Number(cost);
      return { status, cost, shape: headers.get('x-ratelimit-limit'), said: describeBody(body) };
    };
    /** Holds the buckets to the prices that the answers name. */
    const expectPriced = async (work: () => Promise<void>): Promise<void> => {
      await door.sql('update rate_buckets set tokens = ?, refilled_at = now()', [bucket.capacity]);
      priced = 0;
      await work();
      const [{ taken }] = await door.sql('select sum(? - tokens) as taken from rate_buckets', [bucket.capacity]);
      expect(Math.abs(priced - taken), `priced ${priced}, taken ${taken}`).toBeLessThan(2);
    };
    const send = async (on: Door, { sent, asker }: (typeof requests)[number], change = '') =>
      describeAnswer(await on.rest('POST', '/graphql', { ...sent, query: sent.query + change }, asker.token));
    const warm = await openApp(shape, undefined, door);
    const first = new Map<number, Json>();
    const wrong: Json[] = [];
    const compare = (index: number, other: string, found: Json): void => {
      if (JSON.stringify(found) === JSON.stringify(first.get(index))) return;
      const { sent, asker } = requests[index]!;
      wrong.push({ ...sent, asker: asker.name, first: first.get(index), [other]: found });
    };
    await expectPriced(async () => {
      for (const index of drawn.shuffle(order)) first.set(index, await send(warm, requests[index]!));
    });
    await expectPriced(async () => {
      for (const index of drawn.shuffle(order)) compare(index, 'second', await send(warm, requests[index]!));
    });
    await expectPriced(async () => {
      // A fresh app, and a text that no app has seen: it shares only what the modules remember.
      for (const [index, request] of requests.entries())
        compare(index, 'fresh app', await send(await openApp(shape, undefined, door), request, ` # ${index}`));
    });
    // Each of these processes answers one request and ends: nothing at all can be remembered.
    const env = Object.fromEntries(Object.entries(shape).map(([name, value]) => [name, String(value)]));
    const answerAlone = async (index: number): Promise<void> => {
      const { sent, asker } = requests[index]!;
      const { ask, child, ended } = await spawnServer({ ...env, DATABASE_URL: door.databaseUrl, JOBS: 'off' });
      compare(index, 'fresh process', describeAnswer(await ask(asker.token, 'POST', '/graphql', sent)));
      child.kill('SIGKILL');
      await ended;
    };
    await expectPriced(async () => {
      for (let round = 0; round < chooseCount(1, 3, 50); round++)
        await Promise.all(
          askers.map((asker) => answerAlone(drawn.pick(order.filter((index) => requests[index]!.asker === asker)))),
        );
    });
    expect(wrong.slice(0, 3), `seed ${seed}`).toEqual([]);
    const answers = [...first.values()];
    expect(answers.filter(({ status }) => status >= 500)).toEqual([]);
    // Some are over a limit, and prices differ.
    expect(answers.filter(({ said }) => said.includes('query-too-large')).length).toBeGreaterThan(0);
    expect(new Set(answers.map(({ cost }) => cost)).size).toBeGreaterThan(1);
  },
  900_000,
);
