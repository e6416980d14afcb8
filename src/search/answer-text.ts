// Whether the text of an answer can be read by the type of its form, as the SQL functions readable_number and readable_instant do.
import { parseAbsoluteDate } from './datetime.ts';

/** Whether it is a number: digits, perhaps a sign and a point. */
export const isNumberText = (text: string): boolean => /^\s*-?\d{1,100}(\.\d{1,100})?\s*$/.test(text);

/** Whether it is a date, or a date-time of RFC 3339. */
export const isDateText = (text: string): boolean => parseAbsoluteDate(text.trim()) !== undefined;
