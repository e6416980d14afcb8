// Reads texts of conditions, and refuses those that mean nothing to the folding of the database.
import { trimLine } from './trim-line.ts';

/** A text that a condition can have; a number is one, too. */
export const readText = (value: unknown): string | undefined => {
  if (typeof value === 'number' && Number.isFinite(value)) return String(value);
  return typeof value === 'string' && value.length <= 256 && !value.includes('\0') && value.isWellFormed()
    ? value
    : undefined;
};

/** Marks of letters, which the folding removes, as it does what is invisible. */
const marks = /[\u0300-\u036f]|[\u20dd-\u20e0]|[\u20e2-\u20e4]/g;

/** A text of which the folding leaves something. Every value begins with an empty text and contains it, and absent values would equal it. */
export const readVisibleText = (value: unknown): string | undefined => {
  const found = readText(value);
  return found !== undefined && trimLine(found.replace(marks, '')) !== '' ? found : undefined;
};
