// The two forms of the schema: the public graph, and the one that stored operations run on for legacy clients.
import { MapperKind, mapSchema, pruneSchema } from '@graphql-tools/utils';
import { GraphQLEnumType, type GraphQLSchema, GraphQLString } from 'graphql';

declare module 'graphql' {
  interface GraphQLInputFieldExtensions {
    /** Legacy clients send a text, which is stored as it is. */
    legacyText?: boolean;
  }
}

/** The schema without the fields that only stored operations select, and without types that only these fields use. */
export const hideLegacyFields = (schema: GraphQLSchema): GraphQLSchema =>
  pruneSchema(
    mapSchema(schema, {
      [MapperKind.OBJECT_FIELD]: ({ extensions }) => (extensions?.legacy ? null : undefined),
    }),
  );

/** The schema whose enums have the values of the program as their names, as the contract spells them, and whose inputs take its types. */
export const convertToLegacySchema = (schema: GraphQLSchema): GraphQLSchema =>
  mapSchema(schema, {
    [MapperKind.INPUT_OBJECT_FIELD]: (field) =>
      field.extensions?.legacyText ? { ...field, type: GraphQLString } : undefined,
    [MapperKind.ENUM_TYPE]: (type) => {
      const { values, ...config } = type.toConfig();
      const renamed = Object.entries(values).map(([name, value]) => [
        /^\w+$/.test(value.value) ? value.value : name,
        value,
      ]);
      return new GraphQLEnumType({ ...config, values: Object.fromEntries(renamed) });
    },
  });
