// The directives of the schema: what a root field costs, and the permission that a field or a type needs.
import {
  DirectiveLocation,
  GraphQLDirective,
  type GraphQLEnumType,
  type GraphQLField,
  GraphQLInt,
  GraphQLNonNull,
  GraphQLSchema,
  GraphQLString,
} from 'graphql';
import {
  findTypePermission,
  getOperationPermission,
  getScope,
  type PermissionName,
  permissions,
} from '../../src/permissions/permissions.ts';

const defineDirectives = (roleType: GraphQLEnumType): GraphQLDirective[] => [
  new GraphQLDirective({
    name: 'cost',
    description:
      'Points that the root field takes from the bucket of the space; 1 without this directive. A document costs the sum of its root fields, and more when it may yield many records.',
    locations: [DirectiveLocation.FIELD_DEFINITION],
    args: { weight: { type: new GraphQLNonNull(GraphQLInt), description: 'The number of points.' } },
  }),
  new GraphQLDirective({
    name: 'requiresRole',
    description:
      'The role that callers need at least, or a custom role with the permission; and the scope that their access token needs. Others get the code `forbidden`, before anything is done. For a type this holds wherever a document selects it; `node` and `nodes` return null instead.',
    locations: [DirectiveLocation.FIELD_DEFINITION, DirectiveLocation.OBJECT],
    args: {
      role: { type: new GraphQLNonNull(roleType), description: 'The least type of role.' },
      scope: {
        type: new GraphQLNonNull(GraphQLString),
        description: 'The least scope of the access token: read, write or admin.',
      },
      permission: { type: new GraphQLNonNull(GraphQLString), description: 'What a custom role must name.' },
    },
  }),
];

export const addDirectives = (schema: GraphQLSchema): GraphQLSchema => {
  const config = schema.toConfig();
  const roleType = schema.getType('RoleType') as GraphQLEnumType;
  return new GraphQLSchema({ ...config, directives: [...config.directives, ...defineDirectives(roleType)] });
};

const formatPermission = (schema: GraphQLSchema, name: PermissionName): string[] => {
  const { role, own } = permissions[name];
  if (own) return [];
  const least = (schema.getType('RoleType') as GraphQLEnumType).serialize(role);
  return [`@requiresRole(role: ${least}, scope: "${getScope(name)}", permission: "${name}")`];
};

/** The directives of a field, as the SDL shows them. */
export const formatFieldDirectives = (
  schema: GraphQLSchema,
  { name, extensions: { cost = 1 } }: GraphQLField<unknown, unknown>,
  type: string,
): string[] => [
  ...(cost === 1 ? [] : [`@cost(weight: ${cost})`]),
  ...(['Query', 'Mutation'].includes(type) ? formatPermission(schema, getOperationPermission(name)) : []),
];

/** The directives of an object type, as the SDL shows them. */
export const formatTypeDirectives = (schema: GraphQLSchema, type: string): string[] => {
  const permission = findTypePermission(type);
  return permission ? formatPermission(schema, permission) : [];
};
