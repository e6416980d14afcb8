// The schema documents itself: everything is described, and every text input has a rule.
import {
  type GraphQLArgument,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isIntrospectionType,
  isObjectType,
  isSpecifiedScalarType,
} from 'graphql';
import { describe, expect, it } from 'vitest';
import { schema } from '../../schema/index.ts';

const types = Object.values(schema.getTypeMap()).filter(
  (type) => !isIntrospectionType(type) && !isSpecifiedScalarType(type),
);
const sentence = /^[A-Z`].*[.`]$/s;

describe('every part of the schema is described', () => {
  const parts = types.flatMap((type) => {
    const own: [string, string | null | undefined][] = [[type.name, type.description]];
    if (isEnumType(type))
      own.push(
        ...type.getValues().map((value) => [`${type.name}.${value.name}`, value.description] as [string, string]),
      );
    if (isObjectType(type) || isInputObjectType(type)) {
      for (const field of Object.values(type.getFields())) {
        own.push([`${type.name}.${field.name}`, field.description]);
        const args: readonly GraphQLArgument[] = 'args' in field ? field.args : [];
        for (const argument of args) own.push([`${type.name}.${field.name}(${argument.name})`, argument.description]);
      }
    }
    return own;
  });

  it('in sentences', () => {
    expect(parts.filter(([, description]) => !sentence.test(description ?? ''))).toEqual([]);
    expect(parts.length).toBeGreaterThan(200);
  });
});

/** The names of an input type and of those below it. */
const listInputTypes = (type: unknown, names = new Set<string>()): Set<string> => {
  if (!isInputObjectType(type) || names.has(type.name)) return names;
  names.add(type.name);
  for (const field of Object.values(type.getFields())) listInputTypes(getNamedType(field.type), names);
  return names;
};

it('every text input has a rule: its length, and its characters', () => {
  const inputs = types.flatMap((type) => {
    if (isInputObjectType(type))
      return Object.values(type.getFields()).map((field) => [`${type.name}.${field.name}`, field] as const);
    if (isObjectType(type))
      return Object.values(type.getFields()).flatMap((field) =>
        field.args.map((argument) => [`${type.name}.${field.name}(${argument.name})`, argument] as const),
      );
    return [];
  });
  const texts = inputs.filter(([, input]) => getNamedType(input.type).name === 'String');
  // The rule of the whole query reads every text of it: test/graphql/search-attributes.test.ts holds it to that.
  const inQueries = listInputTypes(schema.getType('ContactQuery'));
  const lawless = texts.filter(([name, input]) => {
    const rules = input.extensions['@pothos/plugin-validation']?.schemas ?? [];
    if (inQueries.has(name.split('.')[0]!)) return false;
    return !rules.some(
      (rule: (typeof rules)[number]) => (rule['~standard'].validate('\0') as { issues?: unknown[] }).issues?.length,
    );
  });
  expect(lawless.map(([name]) => name)).toEqual([]);
  expect(texts.length).toBeGreaterThan(20);
});

it('every connection is paged in both directions, but for that of the trees of the contract', () => {
  const connections = types.flatMap((type) =>
    isObjectType(type)
      ? Object.values(type.getFields())
          .filter(({ type: given }) => getNamedType(given).name.endsWith('Connection'))
          .map(({ name, args }) => [`${type.name}.${name}`, args.map((argument) => argument.name)] as const)
      : [],
  );
  const partly = connections.filter(
    ([, args]) => !['first', 'after', 'last', 'before'].every((one) => args.includes(one)),
  );
  expect(partly.map(([name]) => name)).toEqual(['Query.searchContactsByTree']);
  expect(connections.length).toBeGreaterThan(25);
});
