// The two forms of the schema: the public graph, and the one that stored operations run on for legacy clients.
import { MapperKind, mapSchema } from '@graphql-tools/utils';
import { GraphQLEnumType, GraphQLSchema, GraphQLString, isObjectType } from 'graphql';

declare module 'graphql' {
  interface GraphQLInputFieldExtensions {
    /** Legacy clients send a text, which is stored as it is. */
    legacyText?: boolean;
    /** Legacy clients do not send it. */
    graphOnly?: boolean;
  }
}

/** The schema without the fields that only stored operations select, and without types that only these fields use. */
export const hideLegacyFields = (schema: GraphQLSchema): GraphQLSchema => {
  const { types, ...config } = mapSchema(schema, {
    [MapperKind.OBJECT_FIELD]: ({ extensions }) => (extensions?.legacy ? null : undefined),
  }).toConfig();
  // The constructor finds the types that fields refer to, but not those that only implement an interface. It is much faster than pruneSchema.
  const implementations = types.filter((type) => isObjectType(type) && type.getInterfaces().length > 0);
  return new GraphQLSchema({ ...config, types: implementations });
};

/** The schema whose enums have the values of the program as their names, as the contract spells them, and whose inputs take its types. */
export const convertToLegacySchema = (schema: GraphQLSchema): GraphQLSchema =>
  mapSchema(schema, {
    [MapperKind.INPUT_OBJECT_FIELD]: (field) => {
      if (field.extensions?.graphOnly) return null;
      return field.extensions?.legacyText ? { ...field, type: GraphQLString } : undefined;
    },
    [MapperKind.ENUM_TYPE]: (type) => {
      const { values, ...config } = type.toConfig();
      const renamed = Object.entries(values).map(([name, value]) => [
        /^\w+$/.test(value.value) ? value.value : name,
        value,
      ]);
      return new GraphQLEnumType({ ...config, values: Object.fromEntries(renamed) });
    },
  });
