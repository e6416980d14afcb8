// Records as text are what resolvers make of rows, key by key: over every stored read, and over documents drawn at random.
import { execute, type GraphQLObjectType, getNamedType, isLeafType, isObjectType, parse, validate } from 'graphql';
import { beforeAll, describe, expect, it } from 'vitest';
import { legacySchema, schema } from '../../schema/index.ts';
import type { Context } from '../../src/context.ts';
import { planJsonPassthrough } from '../../src/execution/json-passthrough.ts';
import { JsonText, stringifyResult } from '../../src/execution/json-text.ts';
import { reshapeReply } from '../../src/rest/output.ts';
import { wires } from '../../src/rest/routes/index.ts';
import { compileStoredOperations, type StoredName } from '../../src/rest/stored.ts';
import { type Door, type Json, openApp } from '../harness/app.ts';
import { createContext } from '../harness/context.ts';
import { type Chance, createChance } from '../search/random.ts';

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
  const contact = schema.getType('Contact') as GraphQLObjectType;

  /** A selection of some fields, under aliases, in fragments, twice, and behind directives. */
  const selection = (type: GraphQLObjectType, { whole, odds, pick, some }: Chance, depth: number): string => {
    const fields = Object.values(type.getFields()).filter(
      ({ type: of, args, extensions }) =>
        args.length === 0 &&
        (isLeafType(getNamedType(of)) || (depth > 0 && (extensions.part !== undefined || odds(0.02)))),
    );
    const one = (): string => {
      if (odds(0.02)) return '__typename';
      const field = pick(fields);
      const of = getNamedType(field.type);
      const alias = odds(0.3) ? `a${whole(1000)}: ` : '';
      const directive = pick(['', '', '', '', ' @include(if: $yes)', ' @skip(if: $yes)', ' @include(if: $no)']);
      return `${alias}${field.name}${directive} ${isObjectType(of) ? selection(of, createChance(whole(1e9)), depth - 1) : ''}`;
    };
    const many = Array.from({ length: 1 + whole(8) }, one);
    if (odds(0.2)) many.push(`... on ${type.name} @include(if: $yes) { ${some(many, 2).join(' ')} id }`);
    return `{ ${many.join(' ')} id: databaseId }`;
  };

  const roots = [
    (id: number, below: string) => `contact(id: ${id}) ${below}`,
    (id: number, below: string) => `other: contact(id: ${id}) ${below}`,
    (_: number, below: string) => `contacts(first: 7) { nodes ${below} totalCount }`,
    (_: number, below: string) => `contacts(first: 3) { edges { cursor node ${below} } pageInfo { endCursor } }`,
    (_: number, below: string) => `contacts(last: 5) { nodes ${below} pageInfo { startCursor } }`,
    (_: number, below: string) => `searchContacts(last: 6) { nodes ${below} pageInfo { hasPreviousPage } }`,
    (_: number, below: string) => `contacts(first: 6, search: "ma") { nodes ${below} pageInfo { endCursor } }`,
    (_: number, below: string) =>
      `searchContacts(first: 9, orderBy: { field: LAST_NAME }) { pageInfo { endCursor } nodes ${below} }`,
    (_: number, below: string) => `searchContactsByTree(first: 4, page: 2) { edges { node ${below} cursor } }`,
  ];

  it('is answered alike, by text where it can be', async () => {
    let byText = 0;
    const drawn = createChance(7);
    for (let round = 0; round < 1000; round++) {
      const below = selection(contact, createChance(drawn.whole(1e9)), 2);
      const query = `query ($yes: Boolean = true, $no: Boolean!) { ${drawn.pick(roots)(drawn.pick(ids), below)} }`;
      const document = parse(query);
      // Two fields under one alias, or one alias for two things: not for us to answer.
      if (validate(schema, document).length > 0) continue;
      const variableValues = { no: drawn.odds(0.5) };
      const plan = planJsonPassthrough(schema, document)!;
      const shown = plan.findQueries(variableValues);
      if (!shown) continue;
      byText++;
      const one = await execute({ schema, document, variableValues, contextValue: contextOf() });
      const contextValue = { ...contextOf(), jsonQueries: shown };
      const other = await execute({ ...plan, variableValues, contextValue });
      expect(one.errors ?? other.errors, query).toBeUndefined();
      expect(JSON.parse(stringifyResult(other)), query).toEqual(JSON.parse(JSON.stringify(one)));
      expect(keysOf(JSON.parse(stringifyResult(other))), query).toEqual(keysOf(JSON.parse(JSON.stringify(one))));
    }
    expect(byText).toBeGreaterThan(150);
  });

  const keysOf = (value: Json): Json =>
    Array.isArray(value)
      ? value.map(keysOf)
      : typeof value === 'object' && value !== null
        ? Object.entries(value).map(([key, inner]) => [key, keysOf(inner)])
        : null;

  it.each([
    ['two selections of one field', '{ contact(id: 1) { id: databaseId } contact(id: 1) { surname: lastName } }'],
    ['nodes beside edges', '{ contacts { nodes { id: databaseId } edges { node { surname: lastName } } } }'],
    ['a mutation', 'mutation { deleteContact(input: { id: 1 }) { id: databaseId } }'],
    ['no record at all', '{ contacts { totalCount } }'],
  ])('with %s is left to the resolvers', (_, query) => {
    expect(planJsonPassthrough(schema, parse(query))).toBeUndefined();
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
