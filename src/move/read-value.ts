// Reads single values of another server, which may spell numbers and flags as texts.
import { parseDateTime } from '../../schema/graph/scalars.ts';
import { limits } from '../limits/limits.ts';
import type { SourceRecord } from './source.ts';

export const isSourceRecord = (value: unknown): value is SourceRecord =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The objects of a list. One object is a list of it, and what is no list is empty. */
export const getItems = (value: unknown): SourceRecord[] =>
  (Array.isArray(value) ? value : [value]).filter(isSourceRecord);

/** An id: a whole number below 2^53, or its decimal text. */
export const readId = (value: unknown): number | undefined => {
  const number = typeof value === 'string' && /^\d{1,16}$/.test(value.trim()) ? Number(value) : value;
  return typeof number === 'number' && Number.isSafeInteger(number) && number >= 0 ? number : undefined;
};

/** A text that is not blank. Zero bytes and lone surrogates, which PostgreSQL refuses, make it unreadable. */
export const readText = (value: unknown, most: number = limits.value.lineCharacters): string | undefined => {
  const text = typeof value === 'number' || typeof value === 'boolean' ? String(value) : value;
  if (typeof text !== 'string' || text.trim() === '' || text.length > most) return undefined;
  return text.includes('\0') || !text.isWellFormed() ? undefined : text;
};

export const readProse = (value: unknown): string | undefined => readText(value, limits.value.proseCharacters);

export const readFlag = (value: unknown): boolean =>
  value === true || value === 1 || value === '1' || (typeof value === 'string' && value.toLowerCase() === 'true');

/** The instant of the first of these that is one. */
export const readInstant = (...values: unknown[]): string | null => {
  for (const value of values) {
    const instant = typeof value === 'string' ? parseDateTime(value) : undefined;
    if (instant !== undefined) return instant;
  }
  return null;
};
