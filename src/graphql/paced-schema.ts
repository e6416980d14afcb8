// The schema for large operations: records are completed piece by piece, so that no operation holds the event loop.
import { MapperKind, mapSchema } from '@graphql-tools/utils';
import { defaultFieldResolver, type GraphQLSchema, getNamedType, isCompositeType } from 'graphql';
import type { Context } from '../context.ts';
import type { Pace } from '../pace.ts';

const isPromise = (value: unknown): value is Promise<unknown> => value instanceof Promise;

/** Items of a list that make one piece. Each promise costs as much as two records. */
const itemsOfPiece = 50;

const pieces = (value: unknown, pace: Pace): unknown =>
  Array.isArray(value) && value.length > itemsOfPiece
    ? value.map(async (item) => {
        await pace.turn();
        return item;
      })
    : value;

/** A copy of the schema in which fields that yield records, and each piece of their lists, wait for the pace of the context. */
export const createPacedSchema = (schema: GraphQLSchema): GraphQLSchema =>
  mapSchema(schema, {
    [MapperKind.OBJECT_FIELD]: (config) => {
      if (!isCompositeType(getNamedType(config.type))) return undefined;
      const { resolve = defaultFieldResolver } = config;
      return {
        ...config,
        resolve: (source, args, context: Context, info) => {
          const pace = context.pace!;
          const found = resolve(source, args, context, info);
          if (!isPromise(found)) return pieces(found, pace);
          // Loaders settle many promises at once, so each waits for the pace before it is completed.
          return found.then(async (value) => {
            await pace.turn();
            return pieces(value, pace);
          });
        },
      };
    },
  });
