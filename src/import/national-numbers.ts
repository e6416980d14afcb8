// Restores the leading zeros that spreadsheets remove from phones and postal codes, by the country of the contact.
import { type CountryCode, isSupportedCountry, parsePhoneNumberFromString } from 'libphonenumber-js/min';

/** Countries whose postal codes have five digits, of which the first may be zero. */
const fiveDigits = new Set(['DE', 'DZ', 'EE', 'ES', 'FI', 'FR', 'IT', 'KR', 'LT', 'MX', 'MY', 'TR', 'UA', 'US']);

const foldName = (name: string): string => name.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();

let codesByName: Map<string, string> | undefined;
/** Codes of countries by their names in English, French and German. */
const mapCountryNames = (): Map<string, string> => {
  const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'];
  const codes = letters
    .flatMap((first) => letters.map((second) => first + second))
    .filter((code) => isSupportedCountry(code));
  const names = ['en', 'fr', 'de'].flatMap((language) => {
    const printer = new Intl.DisplayNames(language, { type: 'region' });
    return codes.map((code) => [foldName(printer.of(code)!), code] as const);
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

/** Restores zeros in the phones and the postal code of a record, and counts them. A record without a country has that of the options. */
export const restoreZeros = (record: Record<string, unknown>, fallback: string | undefined, counts: string[]): void => {
  const { phone, mobile, address } = record;
  const place = address as Record<string, unknown> | undefined;
  const phones = { phone, mobile };
  const lacking = Object.entries(phones).filter(([, text]) => typeof text === 'string' && bareDigits.test(text));
  const code = place?.postalcode;
  const isShort = typeof code === 'string' && /^[1-9]\d{3}$/.test(code);
  if (lacking.length === 0 && !isShort) return;
  const country = typeof place?.country === 'string' ? findCountry(place.country) : fallback;
  if (country === undefined) return;
  if (isShort && fiveDigits.has(country)) {
    record.address = { ...place, postalcode: `0${code}` };
    counts.push('zeros of postal codes put back');
  }
  if (!isSupportedCountry(country)) return;
  for (const [name, text] of lacking) {
    const restored = restorePhone(text as string, country);
    if (restored === text) continue;
    record[name] = restored;
    counts.push('zeros of phones put back');
  }
};
