// Writes the cells of a table as Excel takes them in a language: days and instants as dates, phones as text, words in place of keys, and no JSON.
import type { Language } from '../../packages/pages/language.ts';

interface Sheet {
  /**
   * Excel splits a file at the list separator of the computer: a semicolon where decimals have a comma, else a comma. No separator opens right
   * everywhere, and a line `sep=;` would make Excel overlook the byte order mark, and be a row for other programs.
   */
  separator: ',' | ';';
  decimalSign: '.' | ',';
  flags: Record<'true' | 'false', string>;
  genders: Readonly<Record<string, string>>;
  colon: string;
}

/** The words are those that an import reads. */
export const sheets: Record<Language, Sheet> = {
  en: {
    separator: ',',
    decimalSign: '.',
    flags: { true: 'yes', false: 'no' },
    genders: { M: 'male', F: 'female', O: 'other' },
    colon: ': ',
  },
  fr: {
    separator: ';',
    decimalSign: ',',
    flags: { true: 'oui', false: 'non' },
    genders: { M: 'masculin', F: 'féminin', O: 'autre' },
    colon: ' : ',
  },
};

/** The meaning of a text. */
export type ExcelKind = 'day' | 'instant' | 'phone' | 'gender' | 'other';

/** The beginning of an international number: a plus and the code of the country. */
const callingCode = /^\+(?:1|7|2[07]|3[0-469]|4[013-9]|5[1-8]|6[0-6]|8[1246]|9[0-58]|\d{3})/;

/**
 * Excel takes a phone of digits alone for a number, and drops its zero or its plus. Spaces between pairs of digits make it text there, as people
 * write it, and harm no other program: `0612345678` is `06 12 34 56 78`.
 */
const printPhone = (phone: string): string => {
  if (!/^\+?\d{3,}$/.test(phone)) return phone;
  const [code = ''] = callingCode.exec(phone) ?? [];
  const rest = phone.slice(code.length);
  const odd = rest.length % 2;
  return [code, rest.slice(0, odd), ...(rest.slice(odd).match(/\d\d/g) ?? [])].filter(Boolean).join(' ');
};

/** An answer with the label of its form. */
const printItem = (item: unknown, colon: string): string => {
  if (typeof item !== 'object' || item === null) return String(item);
  const { form, refvalue, data } = item as { form?: { label: string }; refvalue?: { label: string }; data?: string };
  return [form?.label, refvalue?.label ?? data].filter(Boolean).join(colon);
};

/** Creates the writer of cells for Excel. A day is the day of its midnight; an instant is in UTC, to the minute. */
export const createExcelPrinter =
  (language: Language) =>
  (value: unknown, kind: ExcelKind): unknown => {
    const { decimalSign, flags, genders, colon } = sheets[language];
    if (value === null || value === undefined) return '';
    if (typeof value === 'boolean') return flags[`${value}`];
    if (typeof value === 'number') return String(value).replace('.', decimalSign);
    if (Array.isArray(value)) return value.map((item) => printItem(item, colon)).join(', ');
    const text = String(value);
    if (kind === 'day') return text.slice(0, 10);
    if (kind === 'instant') return text.slice(0, 16).replace('T', ' ');
    if (kind === 'phone') return printPhone(text);
    return kind === 'gender' ? (genders[text] ?? text) : text;
  };
