// Orders of lists and positions in them: by one field, records without a value last in both directions, then by id in the same direction.
import { queryBuilder, type Sql } from '../../database/statement.ts';
import { createInvalidProblem } from '../../problem.ts';
import { type FieldType, type ListField, sqlTypes } from './fields.ts';

export type Direction = 'asc' | 'desc';

/** A position in an order: the exact value of the ordering field as text, null without a value or in the order by id, and the id. */
export interface Position {
  key: string | null;
  id: number;
}

/** An order in SQL. */
export interface ListOrder {
  /** SQL of the id. */
  id: string;
  /** SQL of the value that is compared and its type; null in the order by id. */
  key: { sql: string; type: FieldType; nullable: boolean } | null;
  direction: Direction;
}

/** A part of an order, which one index range has in the right order: the records with a value, or those without. */
interface OrderPart {
  test: string | null;
  hasKey: boolean;
}

/** Texts are compared as they are searched: without case and accents, byte by byte, so that every server has the same order. */
const buildKeySql = ({ column, type }: ListField): string => {
  if (type === 'text') return `fold_inline(${column}) collate "C"`;
  return type === 'code' ? `${column} collate "C"` : column;
};

export const buildOrder = (id: ListField, field: ListField, direction: Direction): ListOrder => ({
  id: id.column,
  key: field === id ? null : { sql: buildKeySql(field), type: field.type, nullable: field.nullable === true },
  direction,
});

/** SQL of the key of a position. */
export const selectKeySql = ({ key }: ListOrder): string => (key ? `cast(${key.sql} as text)` : 'cast(null as text)');

const listParts = ({ key }: ListOrder): OrderPart[] => {
  if (!key?.nullable) return [{ test: null, hasKey: key !== null }];
  return [
    { test: `${key.sql} is not null`, hasKey: true },
    { test: `${key.sql} is null`, hasKey: false },
  ];
};

/** A bound of a range: the records after a position or before it, with the one at the position or without. */
export interface Bound {
  position: Position;
  side: 'after' | 'before';
  inclusive: boolean;
}

/** The condition of a bound within a part; true when the whole part fulfils it, false when no record of it does. */
const buildBound = (order: ListOrder, part: OrderPart, { position, side, inclusive }: Bound): Sql | boolean => {
  const { key, id, direction } = order;
  const isKeyed = key !== null && position.key !== null;
  if (part.hasKey !== isKeyed) return (side === 'after') === isKeyed;
  const operator = `${(side === 'after') === (direction === 'asc') ? '>' : '<'}${inclusive ? '=' : ''}`;
  if (!isKeyed) return queryBuilder.raw(`${id} ${operator} cast(? as bigint)`, [position.id]);
  const beyond = `(${key.sql}, ${id}) ${operator} (cast(? as ${sqlTypes[key.type]}), cast(? as bigint))`;
  return queryBuilder.raw(beyond, [position.key!, position.id]);
};

/** An index range: its conditions, the columns that it is ordered by, and in which direction it is read. */
export interface OrderRange {
  conditions: Sql[];
  columns: string[];
  towards: 'asc' | 'desc';
}

/** The records within some bounds, as ranges that are read one after the other, forwards or backwards through the list. */
export const listRanges = (order: ListOrder, bounds: readonly Bound[], backwards: boolean): OrderRange[] => {
  const isAscending = (order.direction === 'asc') !== backwards;
  const towards = isAscending ? 'asc' : 'desc';
  const ranges = listParts(order).flatMap((part): OrderRange[] => {
    const limits = bounds.map((bound) => buildBound(order, part, bound));
    if (limits.includes(false)) return [];
    const conditions = limits.filter((one) => typeof one !== 'boolean');
    if (part.test) conditions.push(queryBuilder.raw(part.test));
    return [{ conditions, columns: [...(part.hasKey ? [order.key!.sql] : []), order.id], towards }];
  });
  return backwards ? ranges.reverse() : ranges;
};

/** The texts that PostgreSQL writes for values of these types. */
const keyPatterns: Partial<Record<FieldType, RegExp>> = {
  id: /^\d{1,16}$/,
  number: /^-?\d{1,16}$/,
  instant: /^-?infinity$|^\d{4,6}-\d\d-\d\d \d\d:\d\d:\d\d(\.\d{1,6})?\+00( BC)?$/,
  day: /^-?infinity$|^\d{4,7}-\d\d-\d\d( BC)?$/,
  boolean: /^(true|false)$/,
};

/** Throws 400 for a position that is none of this order, such as one of another order. */
export const requirePosition = ({ key }: ListOrder, position: Position, location: string): void => {
  const fits =
    position.key === null
      ? key === null || key.nullable
      : key !== null && (keyPatterns[key.type]?.test(position.key) ?? true);
  if (fits && Number.isSafeInteger(position.id)) return;
  throw createInvalidProblem([{ location, message: 'is no cursor of a list in this order', value: position.key }]);
};
