// Records as text are what resolvers make of rows, key by key: over every stored read, and over documents drawn at random.
import {
  execute,
  type GraphQLField,
  type GraphQLInterfaceType,
  type GraphQLObjectType,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isLeafType,
  isNonNullType,
  isObjectType,
  parse,
  validate,
} from 'graphql';
import { beforeAll, describe, expect, it } from 'vitest';
import { legacySchema, schema } from '../../schema/index.ts';
import type { Context } from '../../src/context.ts';
import { planExecution } from '../../src/graphql/execute.ts';
import { planJsonPassthrough } from '../../src/plan/json-passthrough.ts';
import { JsonText, stringifyResult } from '../../src/plan/json-text.ts';
import { findOperation } from '../../src/plan/price.ts';
import { wires } from '../../src/rest/routes/index.ts';
import { reshapeReply } from '../../src/rest/routes/output.ts';
import { compileStoredOperations, type StoredName } from '../../src/rest/stored.ts';
import { type Door, type Json, openApp } from '../harness/app.ts';
import { createContext } from '../harness/context.ts';
import { chooseCount } from '../harness/sizes.ts';
import { type Chance, createChance, seedOf } from '../search/random.ts';

let door: Door;
let ids: number[];

/** Values that are easily written otherwise than they were: quotes, control characters, numbers as text, numbers with exponents. */
const odd = [
  `update contacts set firstname = E'a"b\\\\c\\u0001\\u2028\\t', surname = '</script>é😀', birthdate = '0001-01-01' where id % 5 = 0`,
  `update contacts set firstname = '', surname = null, gender = null, mail = '  ', lastchange = '2024-02-29 23:59:59.1' where id % 5 = 1`,
  `update addresses set latitude = -0.00001234, longitude = 1e-6, house_number = '12 bis', postal_code = '01000', floor = '-5' where id % 3 = 0`,
  `update addresses set latitude = 48.85661, longitude = 0, score = 0.1, house_number = '0', postal_code = '75001', floor = '123456789012345678' where id % 3 = 1`,
  `update contacts set external_id = id::text, nationality = 'FR', phone_invalid = id % 2 = 0, mobile_invalid = id % 3 = 0, black_list = id % 4 = 0`,
  `update addresses set county = 'Rhône' where id % 2 = 0`,
  `update notes set content = E'two\\nlines', pinned = false where id % 2 = 0`,
  `update answers set data = null, date = null where id % 7 = 0`,
];

beforeAll(async () => {
  door = await openApp();
  for (const sql of odd) await door.sql(sql);
  ids = (await door.sql('select id from contacts where group_id = 1 order by id limit 40')).map(({ id }) => id);
});

const contextOf = (): Context => createContext(door.database.space(1));

const holdsText = (value: unknown): boolean =>
  value instanceof JsonText || (typeof value === 'object' && value !== null && Object.values(value).some(holdsText));

describe('a stored read', () => {
  const plain = compileStoredOperations(legacySchema);
  const text = compileStoredOperations(legacySchema, wires);
  const both = async (name: StoredName, variables: Json): Promise<[Json, Json]> => {
    const shape = wires.get(name);
    const one = await plain[name].run(contextOf(), { ...variables });
    const other = await text[name].run(contextOf(), { ...variables });
    expect(one.errors ?? other.errors).toBeUndefined();
    expect(holdsText(other.data)).toBe(true);
    return [stringifyResult(reshapeReply(one.data, shape)), stringifyResult(reshapeReply(other.data, shape))];
  };

  it.each(['ContactById', 'ContactAsFound'] as const)('%s is the same', async (name) => {
    for (const contactId of ids) {
      const [one, other] = await both(name, { contactId });
      expect(JSON.parse(other)).toEqual(JSON.parse(one));
      expect(Object.keys(JSON.parse(other).contact)).toEqual(Object.keys(JSON.parse(one).contact));
    }
  });

  it('Search is the same', async () => {
    for (const sortBy of [null, 'surname', 'lastchange']) {
      const [one, other] = await both('Search', { perPage: 60, page: 1, sortBy, withTotal: true });
      expect(JSON.parse(one).found.contacts).toHaveLength(60);
      expect(JSON.parse(other)).toEqual(JSON.parse(one));
    }
  });

  it('keeps what only resolvers know', async () => {
    const { data } = await text.Search.run(contextOf(), { perPage: 2, withInteractions: true });
    expect(holdsText(data)).toBe(false);
    expect((data as Json).found.contacts[0].interactions).toBeInstanceOf(Array);
  });

  it('of nobody is nothing', async () => {
    const { data } = await text.ContactById.run(contextOf(), { contactId: 999_999_999 });
    expect(data).toEqual({ contact: null });
  });
});

describe('a document', () => {
  const query = schema.getQueryType()!;
  /** A value that is written differently for the caller, by the clock, or that no reader of the public graph has. */
  const leftOut = new Set(['rateLimit', 'personExport', 'searchAttributes', 'explainSearch', 'changes', 'evaluatedAt']);

  /** Arguments of a connection: any page in any order, a filter now and then, and a few that no page has. */
  const argumentsOf = ({ args }: GraphQLField<unknown, unknown>, { pick, odds, whole }: Chance): string => {
    const given: string[] = [];
    const takes = (name: string): boolean => args.some((one) => one.name === name);
    if (takes('first')) {
      if (odds(0.7)) given.push(`${pick(['first', 'first', 'last'])}: ${pick([0, 1, 2, 3, 5, 30])}`);
      if (odds(0.03)) given.push('last: 2');
      if (odds(0.05)) given.push(`${pick(['after', 'before'])}: "bm90"`);
    }
    if (takes('orderBy') && odds(0.5)) {
      const order = getNamedType(args.find(({ name }) => name === 'orderBy')!.type);
      const field = isInputObjectType(order) && getNamedType(order.getFields().field!.type);
      if (isEnumType(field))
        given.push(`orderBy: { field: ${pick(field.getValues()).name}, direction: ${pick(['ASC', 'DESC'])} }`);
    }
    if (takes('filter') && odds(0.4))
      given.push(
        `filter: { ${pick(['id: { in: $some }', `createdAt: { gt: "2024-0${1 + whole(8)}-01T00:00:00Z" }`, 'id: { equals: 3 }'])} }`,
      );
    return given.length > 0 ? `(${given.join(', ')})` : '';
  };

  /** A selection of some fields, under aliases, in fragments, twice, and behind directives. */
  const selection = (type: GraphQLObjectType, { whole, odds, pick, some }: Chance, depth: number): string => {
    const fields = Object.values(type.getFields()).filter(
      ({ type: of, args, name }) =>
        !leftOut.has(name) &&
        (isLeafType(getNamedType(of))
          ? args.length === 0
          : depth > 0 && isObjectType(getNamedType(of)) && args.every(({ type: one }) => !isNonNullType(one))),
    );
    const one = (): string => {
      if (odds(0.05) || fields.length === 0) return '__typename';
      const field = pick(fields);
      const of = getNamedType(field.type);
      const alias = odds(0.3) ? `a${whole(1000)}: ` : '';
      const directive = pick(['', '', '', '', ' @include(if: $yes)', ' @skip(if: $yes)', ' @include(if: $no)']);
      return `${alias}${field.name}${argumentsOf(field, { whole, odds, pick, some } as Chance)}${directive} ${isObjectType(of) ? selection(of, createChance(whole(1e9)), depth - 1) : ''}`;
    };
    const many = Array.from({ length: 1 + whole(6) }, one);
    if (odds(0.2)) many.push(`... on ${type.name} @include(if: $yes) { ${some(many, 2).join(' ')} __typename }`);
    if (type.getInterfaces().length > 0 && odds(0.2)) many.push('... on Node { own: id }');
    return `{ ${many.join(' ')} same: __typename }`;
  };

  const roots = Object.values(query.getFields()).filter(
    ({ name, args, type }) =>
      !leftOut.has(name) &&
      isObjectType(getNamedType(type)) &&
      args.every((one) => !isNonNullType(one.type) || one.name === 'id'),
  );

  const nodeTypes = schema.getPossibleTypes(schema.getType('Node') as GraphQLInterfaceType);
  /** Records of several types by their ids, some of which are not there, with selections for some of these types. */
  const drawNodes = ({ pick, odds, whole, some }: Chance): string => {
    const drawId = (): string => {
      const { name } = pick(nodeTypes);
      return `"${name}:${name === 'Contact' ? pick(ids) : whole(9)}"`;
    };
    const fragments = some(nodeTypes, whole(4)).map(
      (type) => `... on ${type.name} ${selection(type, createChance(whole(1e9)), 2)}`,
    );
    const below = `{ ${[...fragments, pick(['id', '__typename', 'a: id ... on Node { id }'])].join(' ')} }`;
    return odds(0.5)
      ? `node(id: ${drawId()}) ${below}`
      : `nodes(ids: [${[1, 2, 3, 4].map(drawId).join(', ')}]) ${below}`;
  };

  const drawRoot = (chance: Chance): string => {
    const { pick, odds, whole } = chance;
    if (odds(0.15)) return drawNodes(chance);
    // Contacts lead to everything else, so that half of the documents begin with them.
    const field = odds(0.5)
      ? query.getFields()[pick(['contact', 'contacts', 'searchContacts', 'tags', 'segments'])]!
      : pick(roots);
    const below = selection(getNamedType(field.type) as GraphQLObjectType, createChance(whole(1e9)), 4);
    const isOne = field.args.some(({ name }) => name === 'id');
    const args = isOne ? `(id: ${field.name === 'contact' ? pick(ids) : 1 + whole(6)})` : argumentsOf(field, chance);
    return `${odds(0.2) ? 'root: ' : ''}${field.name}${args} ${below}`;
  };

  /** The first place where two texts differ, since a long difference takes the runner minutes to show. */
  const shorten = (one: string, other: string): string => {
    const at = [...one].findIndex((letter, index) => letter !== other[index]);
    return one.slice(Math.max(0, at - 100), at + 100);
  };

  it('is answered alike, whatever of it is text', async () => {
    const rounds = chooseCount(150, 2000, 20_000);
    const counts = { whole: 0, partly: 0, wrong: 0, failed: 0, raced: 0 };
    const drawn = createChance(seedOf(process.env.TEST_SEED!, 45));
    for (let round = 0; round < rounds; round++) {
      const text = `query ($yes: Boolean = true, $no: Boolean!, $some: [ID!] = [1, 2, 3, 5, 8, "13"]) { viewer @skip(if: $no) { __typename } ${drawRoot(drawn)} used: contacts(first: 0) @include(if: $yes) { edges { cursor node { id } } } forms(filter: { id: { in: $some } }) @skip(if: $yes) { totalCount } }`;
      const document = parse(text);
      // Two fields under one key, which do not merge.
      if (validate(schema, document).length > 0) {
        counts.wrong++;
        continue;
      }
      const variables = { no: drawn.odds(0.5) };
      const context = contextOf();
      const plain = await execute({ schema, document, variableValues: variables, contextValue: contextOf() });
      const expected = stringifyResult(JSON.parse(JSON.stringify({ data: plain.data, errors: plain.errors })));
      const planJson = planExecution(document, findOperation(document, null)!, null);
      // Twice: the second time the plan is remembered.
      for (const _ of [1, 2]) {
        const { data, errors } = await planJson(context, variables);
        const found = stringifyResult(
          JSON.parse(stringifyResult({ data, errors: errors && JSON.parse(JSON.stringify(errors)) })),
        );
        if (found === expected) continue;
        // Several fields fail, each of which makes the whole null: by the specification, any one of them is told.
        if (plain.data === null && data === null && errors) counts.raced++;
        else expect(shorten(found, expected), text).toBe(shorten(expected, found));
      }
      if (plain.errors) counts.failed++;
      const plan = planJsonPassthrough(schema, document)!(variables, contextOf());
      if (plan) counts[plan.isWhole ? 'whole' : 'partly']++;
    }
    expect(counts.raced).toBeLessThanOrEqual(Math.ceil(rounds / 50));
    expect(counts.whole).toBeGreaterThan(rounds / 10);
    expect(counts.partly).toBeGreaterThan(rounds / 2);
    expect(counts.failed).toBeGreaterThan(rounds / 200);
  }, 1_200_000);

  it.each([
    ['a mutation without records', 'mutation { deleteContact(input: { id: 1 }) { id: databaseId } }'],
    ['no record at all', '{ contacts { totalCount } }'],
  ])('with %s is left to the resolvers', (_, text) => {
    expect(planJsonPassthrough(schema, parse(text))?.({}, contextOf())).toBeUndefined();
  });

  it('is planned for the values of its arguments and for the role of its caller', async () => {
    const [{ contact_id: id }] = await door.sql(
      'select contact_id from interactions where group_id = 1 and deleted_at is null group by 1 order by count(*) desc limit 1',
    );
    await door.sql('update interactions set only_super_admin = true where contact_id = ? and id % 2 = 0', [id]);
    const document = parse(
      `query ($a: Int, $b: Int) { contact(id: ${id}) { notes(first: $a) { nodes { id } } interactions(first: $b) { totalCount nodes { id } } } }`,
    );
    const run = planExecution(document, findOperation(document, null)!, null);
    const answers = new Set<string>();
    // Each again in another order: plans are remembered by then.
    for (const [a, b] of [
      [1, 2],
      [2, 1],
      [1, 2],
      [5, 0],
    ] as const)
      for (const roleType of ['superadmin', 'user', 'superadmin'] as const) {
        const context = contextOf();
        const contextValue = { ...context, caller: { ...context.caller, roleType } };
        const expected = await execute({
          schema,
          document,
          variableValues: { a, b },
          contextValue: { ...contextValue },
        });
        const found = stringifyResult(await run(contextValue, { a, b }));
        expect(JSON.parse(found)).toEqual(JSON.parse(JSON.stringify(expected)));
        answers.add(found);
      }
    expect(answers.size).toBeGreaterThan(3);
  });

  it('with records under two root fields is answered by the door', async () => {
    const query = `{ contact(id: ${ids[0]}) { surname: lastName tags { name } } contacts(first: 2) { nodes { id: databaseId } } searchContacts(first: 300) { nodes { mail: email } totalCount } }`;
    const expected = await execute({ schema, document: parse(query), contextValue: contextOf() });
    for (let round = 0; round < 3; round++)
      expect((await door.graphql(query)).body).toEqual(JSON.parse(JSON.stringify(expected)));
  });

  it('is answered so by the door', async () => {
    const query =
      '{ contacts(first: 2) { nodes { name: lastName tags { name } } totalCount } viewer { user { id: databaseId } } }';
    const { body, status } = await door.graphql(query);
    expect(status).toBe(200);
    const expected = await execute({ schema, document: parse(query), contextValue: contextOf() });
    expect(body).toEqual(JSON.parse(JSON.stringify(expected)));
  });
});
