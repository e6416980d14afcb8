// Fields that lead from records to other records: a resolver reads those of many records at once, and PostgreSQL can write them as JSON.
import type { Context } from '../../src/context.ts';
import type { RecordSource } from '../../src/data/noun/json-sql.ts';
import type { Space } from '../../src/database/space.ts';
import { createRelationLoader, mapRelated, takeFirstRelated } from '../../src/plan/loader.ts';

/** A loader of the rows that have an id in this column: their own, or that of what they belong to. */
export const createLoaderByColumn = <Row>(
  read: (space: Space, ids: readonly number[]) => Promise<Row[]>,
  column: { [Name in keyof Row]: Row[Name] extends number ? Name : never }[keyof Row],
) =>
  createRelationLoader(
    ({ space }: Context, ids) => read(space, ids),
    (row: Row) => row[column] as number,
  );

/** The options of fields that lead to the record whose id is in a column. */
export const createReference = <Row extends { id: number }>({ read, buildSql }: RecordSource<Row>) => {
  const load = createRelationLoader(
    ({ space }, ids) => read(space, ids),
    (row: Row) => row.id,
  );
  const createExtensions = (by: string) => ({ json: { rows: { by, buildSql }, pick: 'one' as const } });
  return {
    /** A record that may be missing: null without an id, or without the record. */
    find: <Column extends string>(by: Column) => ({
      nullable: true as const,
      extensions: createExtensions(by),
      resolve: (source: Record<Column, number | null>, _: unknown, context: Context) =>
        source[by] === null ? null : takeFirstRelated(load(context, source[by])),
    }),
    /** A record that is there as long as the one that refers to it. */
    require: <Column extends string>(by: Column) => ({
      extensions: createExtensions(by),
      resolve: (source: Record<Column, number>, _: unknown, context: Context) =>
        mapRelated(load(context, source[by]), ([row]) => row!),
    }),
  };
};
