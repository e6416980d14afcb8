// The steps around resolvers: their order, which fields have them, and that a step that refuses lets no later one run.
import {
  type GraphQLInputType,
  type GraphQLResolveInfo,
  getNamedType,
  getNullableType,
  isInputObjectType,
  isListType,
  isObjectType,
  type OperationDefinitionNode,
  OperationTypeNode,
  parse,
} from 'graphql';
import { describe, expect, it } from 'vitest';
import { steps } from '../../schema/graph/field-steps.ts';
import { legacySchema, schema } from '../../schema/index.ts';
import type { Context, Field, Resolver } from '../../src/context.ts';
import { planListLengths } from '../../src/input/list-length.ts';
import { planIsolation } from '../../src/plan/isolate-mutation.ts';
import { Problem } from '../../src/problem.ts';

const roots = Object.values(OperationTypeNode);
const fieldsOf = (type: { getFields(): object } | null | undefined): Field[] => Object.values(type!.getFields());
const fields = Object.values(schema.getTypeMap()).flatMap((type) =>
  isObjectType(type) && !type.name.startsWith('__')
    ? fieldsOf(type).map((field) => ({ field, root: roots.find((root) => schema.getRootType(root) === type) }))
    : [],
);

const hasList = (type: GraphQLInputType, above: readonly string[] = []): boolean => {
  if (isListType(getNullableType(type))) return true;
  const named = getNamedType(type);
  if (!isInputObjectType(named) || above.includes(named.name)) return false;
  return Object.values(named.getFields()).some((field) => hasList(field.type, [...above, named.name]));
};

/** What a resolver is told of an operation that selects the root field `name`. */
const describeOperation = (text: string, name: string): GraphQLResolveInfo => {
  const [operation] = parse(text).definitions as [OperationDefinitionNode];
  return { schema, operation, fragments: {}, path: { key: name }, variableValues: {} } as never;
};

it('they stand in this order', () => {
  expect(steps.map(({ name }) => name)).toEqual([
    'planPermissions',
    'planSharedList',
    'planFaults',
    'planListLengths',
    'planRules',
    'planTrims',
    'planMergedContacts',
    'planIsolation',
  ]);
});

describe.each([
  ['the public graph', schema],
  ['the graph of stored operations', legacySchema],
])('in %s', (_, of) => {
  it.each(roots)('each field of a %s asks for permissions first', (root) => {
    const found = fieldsOf(of.getRootType(root));
    for (const { name, resolve, subscribe } of found) {
      const run = root === OperationTypeNode.SUBSCRIPTION ? subscribe : resolve;
      const info = describeOperation('{ __typename }', name);
      expect(() => run!({}, {}, {} as Context, info), name).toThrow(`The needs of the root field ${name}`);
    }
    expect(found.length).toBeGreaterThan(0);
  });
});

it('each field with lists in its input bounds their length, and no other', () => {
  const listed = fields.filter(({ field }) => field.args.some(({ type }) => hasList(type)));
  expect(fields.filter(({ field }) => planListLengths(field))).toEqual(listed);
  expect(listed.length).toBeGreaterThan(50);
});

it('each mutation is isolated, and no other field', () => {
  const isolated = fields.filter(({ field, root }) => planIsolation(field, root)).map(({ field }) => field);
  expect(isolated).toEqual(fieldsOf(schema.getMutationType()));
});

it('fields that PostgreSQL answers without their resolver have no steps', () => {
  const skipped = fields.filter(({ field: { extensions } }) => {
    const { json, pothosExposedField, globalIdOf } = extensions;
    if (!json) return pothosExposedField !== undefined || globalIdOf !== undefined;
    return !('connection' in json || 'contact' in json || 'records' in json);
  });
  const withSteps = skipped.filter(({ field, root }) => steps.some((plan) => plan(field, root)));
  expect(withSteps.map(({ field }) => field.name)).toEqual([]);
  expect(skipped.length).toBeGreaterThan(100);
});

it('a scalar without arguments keeps the default resolver', () => {
  const plain = fields.filter(({ field, root }) => !root && field.args.length === 0);
  expect(plain.filter(({ field, root }) => steps.some((plan) => plan(field, root)))).toEqual([]);
  expect(plain.some(({ field }) => field.resolve === undefined)).toBe(true);
});

describe('a step that refuses lets no later one run:', () => {
  const right = { contactIds: ['Contact:1', 2], tags: ['one'] };
  const long = Array.from({ length: 100_000 }, () => 'a\0b');
  it.each([
    ['a caller without the permission', 'viewer', { contactIds: ['Note:1'], tags: long }, []],
    ['a wrong id', 'admin', { contactIds: ['Note:1'], tags: long }, ['planPermissions']],
    ['a list that is too long', 'admin', { ...right, tags: long }, ['planPermissions', 'planFaults']],
    ['a broken rule', 'admin', { ...right, tags: ['a\0b'] }, ['planPermissions', 'planFaults', 'planListLengths']],
    [
      'a transaction that does not begin',
      'admin',
      right,
      ['planPermissions', 'planFaults', 'planListLengths', 'planRules', 'planMergedContacts'],
    ],
  ])('%s', async (_, roleType, input, passed) => {
    const field = schema.getMutationType()!.getFields().tagContacts!;
    const done: string[] = [];
    const run = steps.reduceRight<Resolver>(
      (next, plan) => {
        const goOn: Resolver = (...call) => {
          done.push(plan.name);
          return next(...call);
        };
        return plan(field, OperationTypeNode.MUTATION)?.(goOn) ?? next;
      },
      () => expect.unreachable('the resolver runs'),
    );
    const refuse = () => Promise.reject(new Problem('unavailable', 'there is no transaction'));
    const caller = { roleType, scope: 'admin', permissions: null };
    const context = { caller, space: { transaction: refuse } } as unknown as Context;
    const info = describeOperation('mutation { tagContacts }', 'tagContacts');
    const code = passed.length === 0 ? 'forbidden' : passed.length === 5 ? 'unavailable' : 'invalid-request';
    await expect((async () => run({}, { input }, context, info))()).rejects.toThrow(expect.objectContaining({ code }));
    expect(done).toEqual(passed);
  });
});
