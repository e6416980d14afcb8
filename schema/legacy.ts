// The two forms of the schema: the public graph, and the one that stored operations run on for legacy clients.
import { MapperKind, mapSchema, pruneSchema } from '@graphql-tools/utils';
import { GraphQLEnumType, type GraphQLSchema } from 'graphql';

/** The schema without the fields that only stored operations select, and without types that only these fields use. */
export const hideLegacyFields = (schema: GraphQLSchema): GraphQLSchema =>
  pruneSchema(
    mapSchema(schema, {
      [MapperKind.OBJECT_FIELD]: ({ extensions }) => (extensions?.legacy ? null : undefined),
    }),
  );

/** The schema whose enums have the values of the program as their names, as the contract spells them. */
export const spellLegacyEnums = (schema: GraphQLSchema): GraphQLSchema =>
  mapSchema(schema, {
    [MapperKind.ENUM_TYPE]: (type) => {
      const { values, ...config } = type.toConfig();
      const renamed = Object.entries(values).map(([name, value]) => [
        /^\w+$/.test(value.value) ? value.value : name,
        value,
      ]);
      return new GraphQLEnumType({ ...config, values: Object.fromEntries(renamed) });
    },
  });
