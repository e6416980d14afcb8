// Whether the text of an answer can be read by the type of its form, as the functions of migration 0005 do.
import { readAbsolute } from './datetime.ts';

/** Whether it says a number: digits, a sign, a point. */
export const isNumber = (text: string): boolean => /^\s*-?\d{1,100}(\.\d{1,100})?\s*$/.test(text);

/** Whether it names a day, or an instant of RFC 3339. */
export const isDate = (text: string): boolean => readAbsolute(text.trim()) !== undefined;
