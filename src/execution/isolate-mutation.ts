// Isolates the mutations of one document: each shows records as they are after it; if they share a transaction, a failed one rolls back only its own writes.
import { defaultFieldResolver, type GraphQLField } from 'graphql';
import type { Context } from '../context.ts';

/**
 * Runs a mutation with empty loaders and, when mutations share a transaction, within a savepoint of its own. Mutations run one after the
 * other, each with its whole selection.
 */
export const isolateMutation = (field: GraphQLField<unknown, Context>): void => {
  const { resolve = defaultFieldResolver } = field;
  field.resolve = (source, args, context, info) => {
    const { shared, space } = context;
    context.writes = (context.writes ?? 0) + 1;
    if (!shared) return resolve(source, args, context, info);
    return space.transaction(async (own) => {
      // The context is changed in place, since it identifies the request to the loaders.
      context.space = own;
      try {
        const result = await resolve(source, args, context, info);
        shared.done++;
        return result;
      } finally {
        context.space = space;
      }
    });
  };
};
