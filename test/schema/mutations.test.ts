// The shape of mutations: one input, a payload of its own that may be null, and a document that tells what each of its mutations did.
import { GraphQLNonNull, isInputObjectType, isNonNullType, isObjectType } from 'graphql';
import { beforeAll, describe, expect, it } from 'vitest';
import { schema } from '../../schema/index.ts';
import { type Door, openApp } from '../harness/app.ts';

const mutations = Object.values(schema.getMutationType()!.getFields());

describe('each mutation', () => {
  it.each(mutations.map((field) => [field.name, field] as const))('%s', (name, { args, type }) => {
    const [, verb, noun] = /^([a-z]+)([A-Z]\w*)$/.exec(name)!;
    const [argument, ...others] = args;
    expect([argument!.name, others]).toEqual(['input', []]);
    expect(argument!.type).toBeInstanceOf(GraphQLNonNull);
    const input = (argument!.type as GraphQLNonNull<never>).ofType;
    expect(isInputObjectType(input)).toBe(true);
    expect(String(input)).toBe(`${noun}${verb![0]!.toUpperCase()}${verb!.slice(1)}Input`);
    expect(isNonNullType(type)).toBe(false);
    expect(isObjectType(type)).toBe(true);
    expect(String(type)).toBe(`${name[0]!.toUpperCase()}${name.slice(1)}Payload`);
  });
});

describe('a document of three mutations', () => {
  let door: Door;
  beforeAll(async () => {
    door = await openApp();
  });

  it('tells what the first and the third did when the second failed', async () => {
    const { body } = await door.graphql(`mutation {
      first: createTag(input: { name: "first of three" }) { tag { name } }
      second: updateTag(input: { id: 987654321, name: "second of three" }) { tag { name } }
      third: createTag(input: { name: "third of three" }) { tag { name } }
    }`);
    expect(body.data).toEqual({
      first: { tag: { name: 'first of three' } },
      second: null,
      third: { tag: { name: 'third of three' } },
    });
    expect(body.errors).toMatchObject([{ path: ['second'], extensions: { code: 'not-found', status: 404 } }]);
    const stored = await door.sql(`select name from tags where group_id = 1 and name like '% of three' order by name`);
    expect(stored.map(({ name }) => name)).toEqual(['first of three', 'third of three']);
  });

  it('names the place in the input of the one that is faulty', async () => {
    const { body } = await door.graphql(`mutation {
      first: createTag(input: { name: "of two" }) { tag { name } }
      second: createTag(input: { name: "of two" }) { tag { name } }
    }`);
    expect(body.data).toEqual({ first: { tag: { name: 'of two' } }, second: null });
    expect(body.errors[0].extensions).toMatchObject({
      code: 'conflict',
      errors: [{ location: 'input.name', message: 'is the name of another tag', value: 'of two' }],
    });
  });
});
