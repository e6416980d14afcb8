// The directives of the SDL say what fields cost and which permissions they need, and scalars name their specifications.
import { readFileSync } from 'node:fs';
import {
  buildSchema,
  type ConstDirectiveNode,
  type GraphQLSchema,
  isObjectType,
  isScalarType,
  isSpecifiedScalarType,
  print,
} from 'graphql';
import { beforeAll, describe, expect, it } from 'vitest';
import { listNodeTypes } from '../../schema/graph/node.ts';
import { schema } from '../../schema/index.ts';
import {
  findTypePermission,
  getOperationPermission,
  getScope,
  type PermissionName,
  permissions,
} from '../../src/permissions/permissions.ts';
import { type Door, openApp } from '../harness/app.ts';

const read = buildSchema(readFileSync('schema/schema.graphql', 'utf8'));
const ours = ['cost', 'requiresRole'];

/** The directives of a node of the SDL that are ours. */
const directivesOf = (node: { directives?: readonly ConstDirectiveNode[] } | null | undefined): string[] =>
  (node?.directives ?? []).filter(({ name }) => ours.includes(name.value)).map(print);

const listFields = (of: GraphQLSchema) =>
  Object.values(of.getTypeMap()).flatMap((type) =>
    isObjectType(type) && !type.name.startsWith('__')
      ? Object.values(type.getFields()).map((field) => [`${type.name}.${field.name}`, field] as const)
      : [],
  );

const formatRequired = (name: PermissionName | undefined): string[] => {
  if (!name || permissions[name].own) return [];
  const { role } = permissions[name];
  return [`@requiresRole(role: ${role.toUpperCase()}, scope: "${getScope(name)}", permission: "${name}")`];
};

describe('the SDL', () => {
  it('shows the cost of each field that costs more than a token, and each permission, and no others', () => {
    const declared = listFields(schema).flatMap(([name, { name: field, extensions }]) => {
      const { cost = 1 } = extensions;
      const isRoot = /^(Query|Mutation)\./.test(name);
      const directives = [
        ...(cost === 1 ? [] : [`@cost(weight: ${cost})`]),
        ...(isRoot ? formatRequired(getOperationPermission(field)) : []),
      ];
      return directives.length > 0 ? [[name, directives]] : [];
    });
    const printed = listFields(read).flatMap(([name, { astNode }]) => {
      const directives = directivesOf(astNode);
      return directives.length > 0 ? [[name, directives]] : [];
    });
    expect(Object.fromEntries(printed)).toEqual(Object.fromEntries(declared));
    expect(printed).toContainEqual([
      'Mutation.mergeContacts',
      ['@cost(weight: 5)', '@requiresRole(role: MANAGER, scope: "write", permission: "contacts.write")'],
    ]);
  });

  it('shows what a type needs', () => {
    const declared = listNodeTypes().flatMap((name) => {
      const directives = formatRequired(findTypePermission(name));
      return directives.length > 0 ? [[name, directives]] : [];
    });
    const printed = Object.values(read.getTypeMap()).flatMap(({ name, astNode }) => {
      const directives = directivesOf(astNode);
      return directives.length > 0 ? [[name, directives]] : [];
    });
    expect(Object.fromEntries(printed)).toEqual(Object.fromEntries(declared));
    expect(printed.length).toBeGreaterThan(0);
  });

  it('keeps the directives of GraphQL itself', () => {
    const oneOf = (of: GraphQLSchema): string[] =>
      Object.values(of.getTypeMap()).flatMap((type) => ('isOneOf' in type && type.isOneOf ? [type.name] : []));
    expect(oneOf(read).sort()).toEqual(oneOf(schema).sort());
    expect(oneOf(read).length).toBeGreaterThan(0);
  });

  it('names the specification of every scalar', () => {
    const scalars = Object.values(read.getTypeMap()).filter(
      (type) => isScalarType(type) && !isSpecifiedScalarType(type),
    );
    const addresses = scalars.map((type) => [type.name, isScalarType(type) && type.specifiedByURL]);
    expect(addresses.filter(([, url]) => !/^https:\/\/[\w.-]+\/\S+$/.test(String(url)))).toEqual([]);
    expect(addresses.length).toBeGreaterThan(2);
  });
});

describe('introspection', () => {
  let door: Door;
  beforeAll(async () => {
    door = await openApp();
  });

  it('lists the directives with their arguments', async () => {
    const { body } = await door.graphql(
      '{ __schema { directives { name description locations args { name description type { kind ofType { name } } } } } }',
    );
    const found = body.data.__schema.directives.filter(({ name }: { name: string }) => ours.includes(name));
    expect(found).toMatchObject([
      {
        name: 'cost',
        locations: ['FIELD_DEFINITION'],
        args: [{ name: 'weight', type: { kind: 'NON_NULL', ofType: { name: 'Int' } } }],
      },
      {
        name: 'requiresRole',
        locations: ['FIELD_DEFINITION', 'OBJECT'],
        args: [
          { name: 'role', type: { kind: 'NON_NULL', ofType: { name: 'RoleType' } } },
          { name: 'scope', type: { kind: 'NON_NULL', ofType: { name: 'String' } } },
          { name: 'permission', type: { kind: 'NON_NULL', ofType: { name: 'String' } } },
        ],
      },
    ]);
    for (const one of found)
      for (const { description } of [one, ...one.args]) expect(description).toMatch(/^[A-Z].*\.$/);
  });

  it('lists the specifications of scalars', async () => {
    const { body } = await door.graphql('{ __type(name: "DateTime") { specifiedByURL } }');
    expect(body.data.__type.specifiedByURL).toBe('https://www.rfc-editor.org/rfc/rfc3339#section-5.6');
  });
});
