// The directives of the schema: what a root field costs, and the role that a field or a type needs. They are printed from the extensions of fields.
import {
  DirectiveLocation,
  GraphQLDirective,
  type GraphQLEnumType,
  type GraphQLField,
  GraphQLInt,
  GraphQLNonNull,
  GraphQLSchema,
} from 'graphql';
import type { RoleType } from '../src/role-type.ts';
import { findNodeRole } from './node.ts';

const defineDirectives = (roleType: GraphQLEnumType): GraphQLDirective[] => [
  new GraphQLDirective({
    name: 'cost',
    description:
      'Tokens that the root field takes from the bucket of the space; 1 without this directive. A document costs the sum of its root fields, and more when it may yield many records.',
    locations: [DirectiveLocation.FIELD_DEFINITION],
    args: { weight: { type: new GraphQLNonNull(GraphQLInt), description: 'The number of tokens.' } },
  }),
  new GraphQLDirective({
    name: 'requiresRole',
    description:
      'The role that callers need at least. The root field refuses others with the code `forbidden`. For a type, `node` and `nodes` return null to others.',
    locations: [DirectiveLocation.FIELD_DEFINITION, DirectiveLocation.OBJECT],
    args: { role: { type: new GraphQLNonNull(roleType), description: 'The type of the role.' } },
  }),
];

/** The schema with the definitions of its directives. */
export const addDirectives = (schema: GraphQLSchema): GraphQLSchema => {
  const config = schema.toConfig();
  const roleType = schema.getType('RoleType') as GraphQLEnumType;
  return new GraphQLSchema({ ...config, directives: [...config.directives, ...defineDirectives(roleType)] });
};

const formatRole = (schema: GraphQLSchema, role: RoleType): string =>
  `@requiresRole(role: ${(schema.getType('RoleType') as GraphQLEnumType).serialize(role)})`;

/** The directives of a field, as the SDL shows them. */
export const formatFieldDirectives = (
  schema: GraphQLSchema,
  { extensions }: GraphQLField<unknown, unknown>,
): string[] => {
  const { cost = 1, role } = extensions;
  return [...(cost === 1 ? [] : [`@cost(weight: ${cost})`]), ...(role ? [formatRole(schema, role)] : [])];
};

/** The directives of an object type, as the SDL shows them. */
export const formatTypeDirectives = (schema: GraphQLSchema, type: string): string[] => {
  const role = findNodeRole(type);
  return role ? [formatRole(schema, role)] : [];
};
