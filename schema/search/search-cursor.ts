// Cursors of searches: a position in the order of a search as an opaque text, and back.
import { z } from 'zod';
import { parseAbsoluteDate } from '../../src/search/datetime.ts';
import { farthest } from '../../src/search/places.ts';
import { countOrderParts, getKeyType, type Order, type SortPosition } from '../../src/search/sort.ts';
import { decodeCursor, encodeCursor } from '../graph/connection.ts';

const formatOrder = ({ sort, ascending }: Order): string => `search ${sort ?? 'id'} ${ascending ? 'asc' : 'desc'}`;

/** The cursor of a position. */
export const encodePosition = (order: Order, { part, key, id }: SortPosition): string =>
  encodeCursor(formatOrder(order), part, key, id);

const cursorContent = z.tuple([z.int().min(0), z.string().nullable(), z.int().min(0)]);
const dateKey = /^\d{4}-\d\d-\d\d( \d\d:\d\d:\d\d(\.\d{1,6})?\+00)?$/;

/** Days and instants as the database prints them, and only those that exist. */
const isDateKey = (key: string): boolean =>
  dateKey.test(key) && parseAbsoluteDate(key.replace(' ', 'T').replace(/\+00$/, 'Z')) !== undefined;

/** The position of a cursor. Throws 400 for a cursor of another order, and for one that no position of this order has. */
export const decodePosition = (order: Order, text: string, location: string): SortPosition => {
  const content = cursorContent.refine(([part, key]) => {
    const type = part < countOrderParts(order) ? getKeyType(order, part) : undefined;
    if (type === null || key === null) return type === key;
    if (type === 'double precision') return /^\d+(\.\d+)?(e[+-]?\d+)?$/.test(key) && Number(key) <= farthest;
    return type === 'text' ? !key.includes('\0') && key.isWellFormed() : type !== undefined && isDateKey(key);
  });
  const [part, key, id] = decodeCursor(formatOrder(order), content, text, location);
  return { part, key, id };
};
