// The description of a list, from which its statements are composed, and the queries that all of them begin with.
import { type Query, queryBuilder, type Sql } from '../../database/statement.ts';
import type { ListField, ListFields } from './fields.ts';

/** A list of one noun. The SQL in it is the program's own; what clients send is bound. */
export interface ListDescription<Fields extends ListFields = ListFields> {
  noun: string;
  /** The tables with their aliases: `donations r`. */
  from: string;
  /** The aliases in `from` whose space is compared with the caller's; the joins of `from` compare those of the others with it. */
  scoped: readonly string[];
  columns: string;
  /** More columns, computed from those of the rows of a page: `page`. */
  computed?: string;
  /** The condition that a record is there, deleted ones are not. */
  living?: string;
  /** SQL of the contact's id, for records of contacts: they are there as long as their contact is. */
  contact?: string;
  /** The condition for callers who may not see all records; `?` is the id of their user. */
  restricted?: string;
  /** By the names of the graph. One of them is `id`. */
  fields: Fields & { id: ListField };
  orders: readonly (keyof Fields & string)[];
  /** The orders that an index has: without a filter, a page in one of them reads few records. */
  indexed?: readonly (keyof Fields & string)[];
  /** Whether a space has so few of these records that any query over all of them is short. */
  isShort?: boolean;
  /** The fields by which totals may be grouped, beside periods. */
  groups?: readonly (keyof Fields & string)[];
  /** The columns that totals add up. */
  amount?: { column: string; currency: string };
}

/** The reader of a list. Records that are hidden from them are missing. */
export interface Viewer {
  userId: number;
  /** Whether they see records that are hidden from others. */
  seesAll: boolean;
}

/** The parents whose lists are read: the column with the parent's id, and the ids. */
export interface Parents {
  column: string;
  ids: readonly number[];
}

const selectContact = (contact: string, test: string): string =>
  `exists (select 1 from contacts o where o.group_id = :group and o.id = ${contact} and o.deleted_at ${test})`;

/** The records with some conditions that a caller may see, those of deleted contacts too. */
const selectRecordsOfAll = (
  { from, scoped, living, restricted }: ListDescription,
  conditions: readonly Sql[],
  viewer: Viewer,
): Query => {
  const query = queryBuilder.from(queryBuilder.raw(from)) as Query;
  for (const alias of scoped) query.whereRaw(`${alias}.group_id = :group`);
  if (living) query.whereRaw(living);
  if (restricted && !viewer.seesAll) query.whereRaw(restricted, restricted.includes('?') ? [viewer.userId] : []);
  for (const condition of conditions) query.whereRaw(condition);
  return query;
};

/** The records of a list that a caller may see, with some conditions. */
export const selectRecords = (list: ListDescription, conditions: readonly Sql[], viewer: Viewer): Query => {
  const query = selectRecordsOfAll(list, conditions, viewer);
  return list.contact ? query.whereRaw(selectContact(list.contact, 'is null')) : query;
};

/** How many records of a list a caller may see: `count`. Few contacts are deleted, so their records are subtracted, and no other contact is read. */
export const countRecords = (list: ListDescription, conditions: readonly Sql[], viewer: Viewer): Query => {
  const count = () => selectRecordsOfAll(list, conditions, viewer).select(queryBuilder.raw('count(*) as count'));
  if (!list.contact) return count();
  const ofDeleted = count().whereRaw(selectContact(list.contact, 'is not null'));
  return queryBuilder.select(queryBuilder.raw('(?) - (?) as count', [count(), ofDeleted] as never[])) as Query;
};
