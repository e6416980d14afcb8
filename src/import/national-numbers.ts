// Reads phones and postal codes by the country of the contact: zeros that spreadsheets remove, second numbers, impossible ones.
import { type CountryCode, getCountries, isSupportedCountry, parsePhoneNumberFromString } from 'libphonenumber-js/min';
import { spareNumbers } from './columns.ts';
import type { RowNotes } from './row-reader.ts';

/** Countries whose postal codes have five digits, of which the first may be zero. */
const fiveDigits = new Set(['DE', 'DZ', 'EE', 'ES', 'FI', 'FR', 'IT', 'KR', 'LT', 'MX', 'MY', 'TR', 'UA', 'US']);

const foldName = (name: string): string => name.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();

let codesByName: Map<string, string> | undefined;
/** Codes of countries by their names in English, French and German. */
const mapCountryNames = (): Map<string, string> => {
  const names = ['en', 'fr', 'de'].flatMap((language) => {
    const printer = new Intl.DisplayNames(language, { type: 'region' });
    return getCountries().map((code) => [foldName(printer.of(code)!), code] as const);
  });
  return new Map(names);
};

/** The code of a country that a file names by its code or its name. */
const findCountry = (text: string): string | undefined => {
  const code = text.toUpperCase();
  if (code.length === 2) return code;
  codesByName ??= mapCountryNames();
  return codesByName.get(foldName(text));
};

/** Restores the zero of a phone that is a number of the country only with it, or that the country writes with it. */
const restorePhone = (phone: string, country: CountryCode): string => {
  const numbers = [phone, `0${phone}`].map((text) => parsePhoneNumberFromString(text, country));
  const written = numbers
    .find((number) => number?.isValid())
    ?.formatNational()
    .replace(/\D/g, '');
  return written === `0${phone}` ? written : phone;
};

const bareDigits = /^[1-9]\d{4,13}$/;

const phoneColumns = ['phone', 'mobile'] as const;

/** Gives a second number of a cell the other column of phones, if that is empty, and tells it. The rest is left out, and told. */
const placeSpareNumbers = (record: NumberRecord, { remarks }: RowNotes): void => {
  for (const number of record[spareNumbers] ?? []) {
    const empty = phoneColumns.find((column) => record[column] === undefined);
    const taken = phoneColumns.find((column) => column !== empty)!;
    if (record[taken] === undefined) {
      record.phone = number;
      continue;
    }
    if (empty) record[empty] = number;
    remarks.push({
      location: taken,
      message: `has several values: ${JSON.stringify(number)} is ${empty ? `the ${empty}` : 'left out'}`,
      value: record[taken],
    });
  }
};

/** The fields that are read by the country. */
type NumberRecord = Record<string, unknown> & { [spareNumbers]?: string[] };

/**
 * Reads the phones and the postal code of a record by its country, or by that of the options: restores zeros, and counts them, and tells
 * numbers that no phone can have. They are written.
 */
export const readNationalNumbers = (record: NumberRecord, fallback: string | undefined, notes: RowNotes): void => {
  const { counts, remarks } = notes;
  placeSpareNumbers(record, notes);
  const place = record.address as Record<string, unknown> | undefined;
  const country = typeof place?.country === 'string' ? findCountry(place.country) : fallback;
  const code = place?.postalcode;
  if (country !== undefined && fiveDigits.has(country) && typeof code === 'string' && /^[1-9]\d{3}$/.test(code)) {
    record.address = { ...place, postalcode: `0${code}` };
    counts.push('zeros of postal codes put back');
  }
  const defaultCountry = country !== undefined && isSupportedCountry(country) ? country : undefined;
  for (const column of phoneColumns) {
    const text = record[column];
    if (typeof text !== 'string') continue;
    const phone = defaultCountry && bareDigits.test(text) ? restorePhone(text, defaultCountry) : text;
    if (phone !== text) {
      record[column] = phone;
      counts.push('zeros of phones put back');
    } else if (defaultCountry || text.startsWith('+')) {
      const number = parsePhoneNumberFromString(text, { defaultCountry, extract: false });
      if (!number?.isPossible())
        remarks.push({
          location: column,
          message: `is no possible number${text.startsWith('+') ? '' : ` of ${defaultCountry}`}; it is written`,
          value: text,
        });
    }
  }
};
