// Mutations of one document: each shows the records as they are after it; and where they share a transaction, one that fails takes back what it did itself, and no more.
import { defaultFieldResolver, type GraphQLField } from 'graphql';
import type { Context } from '../context.ts';

/**
 * Sets a mutation apart from the others of its document: it begins with empty loaders, and where they share a transaction it is
 * one of its own, which counts when it is done. Mutations run one after the other, each with all that is selected of it.
 */
export const isolateMutation = (field: GraphQLField<unknown, Context>): void => {
  const { resolve = defaultFieldResolver } = field;
  field.resolve = (source, args, context, info) => {
    const { shared, space } = context;
    context.writes = (context.writes ?? 0) + 1;
    if (!shared) return resolve(source, args, context, info);
    return space.transaction(async (own) => {
      // In place, since loaders know a request by its context.
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
