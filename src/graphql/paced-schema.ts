// Large operations: how many run at once, and their schema, which completes records piece by piece, so that no operation holds the event loop.
import { MapperKind, mapSchema } from '@graphql-tools/utils';
import {
  defaultFieldResolver,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  introspectionTypes,
  isCompositeType,
  isListType,
  isObjectType,
} from 'graphql';
import type { Context } from '../context.ts';
import { KeyedSemaphore } from '../database/concurrency-limit.ts';
import { Pace } from '../limits/pace.ts';
import { Problem } from '../problem.ts';

/** Items of a list that make one piece. Each promise costs as much as two records. */
const itemsOfPiece = 50;

const pieces = (value: unknown, pace: Pace): unknown =>
  Array.isArray(value) && value.length > itemsOfPiece
    ? value.map(async (item) => {
        await pace.turn();
        return item;
      })
    : value;

let isIntrospectionPaced = false;

/** Lets the lists of introspection wait too. Their types belong to graphql-js, which has one of each for all schemas. */
const paceIntrospection = (): void => {
  if (isIntrospectionPaced) return;
  isIntrospectionPaced = true;
  for (const type of introspectionTypes.filter(isObjectType))
    for (const field of Object.values(type.getFields())) {
      const { resolve = defaultFieldResolver } = field;
      if (!isListType(getNullableType(field.type))) continue;
      field.resolve = (source, args, context: Context | undefined, info) => {
        const found = resolve(source, args, context, info);
        return context?.pace ? pieces(found, context.pace) : found;
      };
    }
};

/**
 * A copy of the schema in which fields that yield records, and each piece of their lists, wait for the pace of the context. These are no steps of
 * the schema itself: a small operation would ask for its pace at each record, and the text of a twin is no list.
 */
export const createPacedSchema = (schema: GraphQLSchema): GraphQLSchema => {
  paceIntrospection();
  return mapSchema(schema, {
    [MapperKind.OBJECT_FIELD]: (config) => {
      if (!isCompositeType(getNamedType(config.type))) return undefined;
      const { resolve = defaultFieldResolver } = config;
      return {
        ...config,
        resolve: (source, args, context: Context, info) => {
          const pace = context.pace!;
          const found = resolve(source, args, context, info);
          if (!(found instanceof Promise)) return pieces(found, pace);
          // Loaders settle many promises at once, so each waits for the pace before it is completed.
          return found.then(async (value) => {
            await pace.turn();
            return pieces(value, pace);
          });
        },
      };
    },
  });
};

/** Operations that may yield more records than this are paced. */
const pacedFrom = 1000;
/** Large operations of this process at once, and of one space; how many more of each wait, and for how many milliseconds. */
const ofProcess = { maxConcurrent: 2, maxQueue: 200, queueTimeoutMs: 10_000 };
const ofSpace = { maxConcurrent: 1, maxQueue: 20, queueTimeoutMs: 10_000 };

const createTooManyProblem = (): Problem =>
  new Problem('too-many-large-operations', 'Too many large operations are under way; ask again when one is done', {
    headers: { 'Retry-After': '1' },
  });

export class LargeOperations {
  readonly #all = new KeyedSemaphore({ ...ofProcess, refusal: createTooManyProblem });
  readonly #spaces = new KeyedSemaphore({ ...ofSpace, refusal: createTooManyProblem });

  /** The pace of an operation that may yield so many records; undefined for a small one. */
  paceOf(nodes: number, space: number, signal: () => AbortSignal): Pace | undefined {
    return nodes > pacedFrom ? new Pace(() => this.#enter(space, signal())) : undefined;
  }

  async #enter(space: number, signal: AbortSignal): Promise<() => void> {
    const leaveSpace = await this.#spaces.acquire(space, { signal });
    try {
      const leaveAll = await this.#all.acquire(0, { signal });
      return () => {
        leaveAll();
        leaveSpace();
      };
    } catch (error) {
      leaveSpace();
      throw error;
    }
  }
}
