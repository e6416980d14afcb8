// Reads the text of a cell by the kind of its column, as spreadsheets and people write it.
import { readBooleanWord } from '../data/form/form.ts';
import { trimLine } from '../search/trim-line.ts';
import { createDayReader, createInstantReader, type DayOptions } from './days.ts';

/** Tells of a cell that is read otherwise than it is written. */
export interface CellNotes {
  /** Tells of this one cell. */
  remark(message: string): void;
  /** Counts it among those of its kind. */
  count(kind: string): void;
}

export interface CellOptions extends DayOptions {
  /** Whether decimals have a comma. */
  decimalComma?: boolean | undefined;
  /** Whether `NULL`, `#N/A` and the like are values. */
  keepPlaceholders?: boolean | undefined;
}

/** Removes spaces and invisible characters at the edges, and carriage returns of Windows within. */
export const cleanText = (text: string): string => {
  const trimmed = trimLine(text);
  return trimmed.includes('\r') ? trimmed.replace(/\r\n?/g, '\n') : trimmed;
};

/** The texts that programs write for no value. A name is written otherwise: there are people called Null. */
const placeholders = new Set(
  (
    'NULL null (null) undefined NaN - -- N/A n/a #N/A #NA #REF! #VALUE! #NAME? #DIV/0! #NUM! #NULL! ' +
    '#NV #BEZUG! #WERT! #VALEUR! #NOM? #NOMBRE!'
  ).split(' '),
);
const maxPlaceholder = 9;

export const isPlaceholder = (text: string): boolean => text.length <= maxPlaceholder && placeholders.has(text);

/** Reads a placeholder as an empty text, and counts it. */
export const dropPlaceholder = (text: string, notes: CellNotes): string => {
  if (!isPlaceholder(text)) return text;
  notes.count('placeholders');
  return '';
};

/** Marks that stand for a word in columns of flags. */
const marks = new Map(Object.entries({ x: true, o: true, on: true, off: false }));

const readFlag = (text: string): boolean => {
  const flag = readBooleanWord(text) ?? marks.get(text.toLowerCase());
  if (flag === undefined) throw new Error('must be true or false');
  return flag;
};
const readNumber = (text: string): number => {
  if (!/^-?\d+$/.test(text)) throw new Error('must be a whole number');
  return Number(text);
};
const readJson = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    throw new Error('must be JSON');
  }
};

const genders: [gender: 'F' | 'M' | 'O' | undefined, words: string][] = [
  ['F', 'f,femme,mme,madame,mlle,mademoiselle,féminin,female,woman,mrs,ms,miss,frau,weiblich,w'],
  ['M', 'm,mr,homme,h,monsieur,masculin,male,man,herr,männlich'],
  ['O', 'o,autre,other,divers,d,non binaire,non-binaire,nonbinary,non-binary'],
  // Programs that know no gender of a person write these.
  [undefined, 'unspecified,non spécifié,keine angabe'],
];
const genderWords = new Map(
  genders.flatMap(([gender, words]) => words.split(',').map((word) => [word, gender] as const)),
);
const readGender = (text: string): string | undefined => {
  if (text === 'F' || text === 'M') return text;
  const word = text.normalize('NFC').toLowerCase().replace(/\.$/, '');
  if (!genderWords.has(word)) throw new Error('must be one of F, M, O');
  return genderWords.get(word);
};

/** A number that a spreadsheet has shortened, such as 3,36E+10: its last digits are lost. */
const shortened = /^\d+(?:[.,]\d+)?E\+?\d+$/i;
const refuseShortened = (text: string): string => {
  if (text.length < 16 && shortened.test(text))
    throw new Error(
      'was shortened by a spreadsheet and has lost digits: give the column the format Text there, enter the value again, and save the file again',
    );
  return text;
};

/** A phone of zeros alone is none. */
const zeros = /^[\s+().-]*0[0\s+().-]*$/;
const createPhoneReader =
  ({ keepPlaceholders }: CellOptions) =>
  (text: string, notes: CellNotes): string | undefined => {
    if (keepPlaceholders || !zeros.test(text)) return refuseShortened(text);
    notes.count('placeholders');
    return undefined;
  };

const splitAt = (text: string, separator: string | RegExp): string[] =>
  text.split(separator).map(cleanText).filter(Boolean);
/** Splits a cell of Google Contacts with several values. */
export const splitMultiple = (text: string): string[] => splitAt(text, ' ::: ');
export const splitList = (text: string): string[] => splitAt(text, /;| ::: /);

const plainMail = /^[\w.+-]+@[\w-]+(?:\.[\w-]+)+$/;
/** Takes an address out of `mailto:…`, `<…>` and `Ada <…>`, and removes a dot behind it. */
const bareMail = (text: string): string => {
  const within = /<([^<>]+)>[\s;,]*$/.exec(text)?.[1] ?? text;
  return cleanText(within)
    .replace(/^mailto:/i, '')
    .replace(/\.$/, '');
};
const readMail = (text: string, notes: CellNotes): string => {
  if (plainMail.test(text)) return text;
  const parts = text.includes('@', text.indexOf('@') + 1) ? text.split(/[;,/|\n]+| ::: | (?=\S+@)/) : [text];
  const [first = '', ...others] = parts.map(bareMail).filter((part) => part.includes('@'));
  if (others.length > 0 && /^[^\s@]+@[^\s@]+$/.test(first)) {
    for (const other of others)
      notes.remark(`has several mails: ${first} is the mail of the contact, ${other} is left out`);
    return first;
  }
  const mail = bareMail(text);
  const [hidden] = /[\p{Cc}\p{Cf}\u00a0\u2000-\u200a\u202f]/u.exec(mail) ?? [];
  if (hidden !== undefined)
    throw new Error(
      `has an invisible character, U+${hidden.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}`,
    );
  return mail;
};

/** A number with a comma for its decimals, as JSON writes it. Another text stays. */
export const readDecimal = (text: string, { decimalComma }: CellOptions): string =>
  decimalComma && /^[+-]?\d{1,15},\d{1,15}(?:e-\d{1,3})?$/i.test(text) ? text.replace(',', '.') : text;

/** Programs write these for no day, and for a day without its year. */
const noDay = /^0{1,4}[./-]0{1,2}[./-]0{1,4}$/;
const yearless = /^--\d{2}-\d{2}$/;
const createCellDayReader = (options: CellOptions) => {
  const readDay = createDayReader(options);
  return (text: string, notes: CellNotes): string | undefined => {
    if (!options.keepPlaceholders && noDay.test(text)) notes.count('placeholders');
    else if (yearless.test(text)) notes.remark('has no year, and is left out');
    else return readDay(text);
    return undefined;
  };
};

/** Reads the text of a cell; undefined when the cell has no value. It throws an error that explains a bad text. */
export type CellReader = (text: string, notes: CellNotes) => unknown;

/** The reader of each kind of column. */
export const createCellReaders = (options: CellOptions) =>
  ({
    text: (text) => text,
    key: refuseShortened,
    number: readNumber,
    decimal: (text) => readDecimal(text, options),
    flag: readFlag,
    json: readJson,
    day: createCellDayReader(options),
    instant: createInstantReader(options),
    gender: readGender,
    phone: createPhoneReader(options),
    mail: readMail,
  }) satisfies Record<string, CellReader>;
export type CellKind = keyof ReturnType<typeof createCellReaders>;
