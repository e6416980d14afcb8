// Average sizes of the lists of introspection, for the price of a document that asks for the schema.
import { type GraphQLSchema, isInterfaceType, isObjectType } from 'graphql';

const known = new WeakMap<GraphQLSchema, Record<string, number>>();

/** The average size of each list of introspection: a document asks for the lists of all types at once. */
export const estimateIntrospection = (schema: GraphQLSchema): Record<string, number> => {
  const measured = known.get(schema);
  if (measured) return measured;
  const types = Object.values(schema.getTypeMap());
  const fields = types.flatMap((type) =>
    isObjectType(type) || isInterfaceType(type) ? Object.values(type.getFields()) : [],
  );
  const args = fields.reduce((sum, field) => sum + field.args.length, 0);
  const sizes = {
    types: types.length,
    fields: Math.ceil(fields.length / types.length),
    args: Math.ceil(args / fields.length),
    directives: schema.getDirectives().length,
    inputFields: 2,
    enumValues: 2,
    interfaces: 1,
    possibleTypes: 1,
  };
  known.set(schema, sizes);
  return sizes;
};
