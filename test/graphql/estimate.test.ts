// The estimate of records: exact counts for pages, defaults, variables, fragments, aliases and lists, on a small schema of its own.
import {
  buildSchema,
  GraphQLInt,
  type GraphQLSchema,
  isObjectType,
  type OperationDefinitionNode,
  parse,
  validate,
} from 'graphql';
import { describe, expect, it } from 'vitest';
import { limits } from '../../src/limits/limits.ts';
import { estimateRecordCount } from '../../src/plan/cost.ts';

const usualSize = 20;

/** People know people: connections nest in each other, with a usual size that only an extension tells. */
const createSchema = (): GraphQLSchema => {
  const schema = buildSchema(`
    interface Thing { id: ID! }
    type Person implements Thing {
      id: ID!
      boss: Person
      friends(first: Int, last: Int, after: String): PersonConnection!
      colleagues: [Person!]!
    }
    type Place implements Thing { id: ID! people(first: Int = 7): PersonConnection! }
    type PersonConnection { nodes: [Person!]! edges: [PersonEdge!]! totalCount: Int! }
    type PersonEdge { node: Person! cursor: String! }
    input PeopleInput { people: [PersonInput!] names: [String!] }
    input PersonInput { name: String friends: [ID!] }
    type PeoplePayload { people: [Person!]! }
    union Anything = Person | Place
    type Query {
      person: Person
      people(first: Int = 50): PersonConnection!
      byLimit(limit: Int! = 10): PersonConnection!
      things(ids: [ID!]!): [Thing]!
      anything: [Anything!]!
    }
    type Mutation { invite(input: PeopleInput!): PeoplePayload! remove(ids: [ID!], names: [String!]): PeoplePayload! }
  `);
  const person = schema.getType('Person');
  if (!isObjectType(person)) throw new Error('Person is a type');
  for (const argument of person.getFields().friends!.args)
    if (argument.type === GraphQLInt) argument.extensions = { usualSize };
  return schema;
};
const schema = createSchema();

const estimate = (text: string, variables: Record<string, unknown> = {}) => {
  const document = parse(text);
  expect(validate(schema, document)).toEqual([]);
  return estimateRecordCount(schema, document, document.definitions[0] as OperationDefinitionNode)(variables);
};
const count = (text: string, variables?: Record<string, unknown>): number => estimate(text, variables).total;

describe('pages', () => {
  it.each([
    ['{ person { id } }', 1],
    ['{ people { nodes { id } } }', 50],
    ['{ people { totalCount } }', 0],
    ['{ people(first: 3) { nodes { id } } }', 3],
    ['{ people(first: 0) { nodes { friends { nodes { id } } } } }', 0],
    ['{ byLimit { nodes { id } } }', 10],
    ['{ byLimit(limit: 4) { nodes { id } } }', 4],
    ['{ people(first: 3) { edges { cursor node { id } } } }', 3],
    ['{ people(first: 3) { edges { node { id } } nodes { id } } }', 6],
    ['{ people(first: 3) { nodes { friends { nodes { id } } } } }', 3 + 3 * usualSize],
    ['{ people(first: 3) { nodes { friends(first: 5) { nodes { id } } } } }', 3 + 15],
    ['{ people(first: 3) { nodes { friends(last: 5) { edges { node { id } } } } } }', 3 + 15],
    ['{ people(first: 3) { nodes { friends(last: 5, first: null) { nodes { id } } } } }', 3 + 15],
    ['{ people(first: 3) { nodes { friends(first: null) { nodes { id } } } } }', 3 + 3 * usualSize],
    [
      '{ people(first: 2) { nodes { friends(first: 3) { nodes { friends(first: 5) { nodes { boss { id } } } } } } } }',
      68,
    ],
    // The rules of the argument refuse these values. Until then they count as the largest page.
    ['{ people(first: 5000) { nodes { id } } }', limits.list.page],
    ['{ people(first: -1) { nodes { id } } }', limits.list.page],
  ])('%s yields %i', (text, records) => {
    expect(count(text)).toBe(records);
  });

  it.each([
    [{ a: 3, b: 5 }, 3 + 15],
    [{ a: 3 }, 3 + 3 * 2],
    // Null is no value: it does not give the default of the variable, but the usual size of the field.
    [{ a: 3, b: null }, 3 + 3 * usualSize],
    [{ b: 5 }, 50 + 50 * 5],
    [{ a: null, b: 1 }, 50 + 50],
    [{ a: '3', b: 1 }, 2 * limits.list.page],
  ])('of variables: %j yields %i', (variables, records) => {
    const text = 'query ($a: Int, $b: Int = 2) { people(first: $a) { nodes { friends(first: $b) { nodes { id } } } } }';
    expect(count(text, variables)).toBe(records);
  });
});

describe('lists', () => {
  it('without a limit have the length of the longest page', () => {
    expect(count('{ people(first: 2) { nodes { colleagues { id } } } }')).toBe(2 + 2 * limits.list.page);
  });

  it.each([
    ['query ($ids: [ID!]!) { things(ids: $ids) { id } }', { ids: ['1', '2', '3'] }, 3],
    ['query ($ids: [ID!]!) { things(ids: $ids) { id } }', { ids: '1' }, 1],
    ['query ($id: ID!) { things(ids: [$id, "2"]) { id } }', { id: '1' }, 2],
    ['{ things(ids: 7) { id } }', {}, 1],
    ['mutation { invite(input: { people: [{}, {}] }) { people { id } } }', {}, 2],
    ['mutation ($i: PeopleInput!) { invite(input: $i) { people { id } } }', { i: { people: [{}, {}, {}] } }, 3],
    ['mutation ($p: [PersonInput!]) { invite(input: { people: $p, names: ["a"] }) { people { id } } }', { p: [{}] }, 1],
    // Texts are not records, and lists within the records are not longer lists of them.
    ['mutation { remove(ids: ["1"], names: ["a", "b", "c"]) { people { id } } }', {}, 1],
    ['mutation { invite(input: { people: [{ friends: ["1", "2"] }] }) { people { id } } }', {}, 1],
    ['mutation { remove(names: ["a"]) { people { id } } }', {}, limits.list.page],
  ])('that are sent: %s with %j yields %i', (text, variables, records) => {
    expect(count(text, variables)).toBe(records);
  });
});

describe('selections', () => {
  it.each([
    [
      'aliases',
      '{ people(first: 2) { nodes { a: friends(first: 3) { nodes { id } } b: friends(first: 4) { nodes { id } } } } }',
      16,
    ],
    [
      'one key twice',
      '{ people(first: 2) { nodes { friends(first: 3) { nodes { id } } friends(first: 3) { nodes { boss { id } } } } } }',
      2 + 6 + 6,
    ],
    [
      'fragments',
      '{ people(first: 2) { nodes { ...F ... { boss { id } } } } } fragment F on Person { friends(first: 3) { nodes { id } } }',
      2 + 6 + 2,
    ],
    ['an interface', '{ things(ids: [1, 2]) { id ... on Person { friends(first: 3) { nodes { id } } } } }', 2 + 6],
    // An object has one of the types, but the server cannot know which.
    [
      'fragments on two types',
      '{ things(ids: [1]) { ... on Person { a: boss { id } } ... on Place { b: people { nodes { boss { id } } } } } }'.replace(
        'x: boss',
        'y: boss',
      ),
      1 + 1 + 7 + 7,
    ],
    ['a fragment on an interface within a type', '{ person { ... on Thing { id ... on Person { boss { id } } } } }', 2],
    [
      'a fragment on a type within an interface',
      '{ things(ids: 1) { ...T } } fragment T on Thing { ... on Place { people { nodes { id } } } }',
      1 + 7,
    ],
    ['a union', '{ anything { ... on Person { boss { id } } } }', 2 * limits.list.page],
  ])('with %s', (_, text, records) => {
    expect(count(text)).toBe(records);
  });
});

it('names the field that yields most, by its response keys', () => {
  const text =
    '{ people(first: 10) { nodes { boss { id } mine: friends(first: 3) { edges { node { friends(first: 2) { nodes { id } } } } } } } }';
  expect(estimate(text)).toEqual({
    total: 10 + 10 + 30 + 60,
    largest: { path: 'people.nodes.mine.edges.node.friends.nodes', count: 60 },
  });
});
