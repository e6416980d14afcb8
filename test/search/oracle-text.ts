// How texts and telephone numbers are compared: what the contract calls equal, contained and leading (decisions §4, eql on text).

/** Letters that Unicode does not take apart into a base and an accent, but readers do. */
const plain: Record<string, string> = { œ: 'oe', æ: 'ae', ß: 'ss', ø: 'o', ł: 'l', đ: 'd', ı: 'i' };

const folds = new Map<string, string>();

/** What shows nothing: zero width, soft hyphen, marks of direction. */
const invisible = /[\u00ad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]/g;

/** A text without its case, its accents (of Latin, Greek and Cyrillic letters), what is invisible, and with one space where there are some. */
export const foldText = (text: string): string => {
  let folded = folds.get(text);
  if (folded === undefined) {
    folded = text
      .replace(invisible, '')
      .toLowerCase()
      .normalize('NFD')
      .replace(/[\u0300-\u036f]/g, '')
      .normalize('NFC')
      .replaceAll('ς', 'σ')
      .replace(/[\s\u0085]+/g, ' ')
      .replace(/[œæßøłđı]/g, (letter) => plain[letter]!)
      .trim();
    folds.set(text, folded);
  }
  return folded;
};

/** Neither missing nor empty nor blank. */
export const isSet = (text: string | null | undefined): text is string => text != null && text.trim() !== '';

/** A digit of any script. Those of a script follow each other from its zero; only those of mathematics are several rows without a gap. */
const readDigit = (digit: string): string => {
  const code = digit.codePointAt(0)!;
  if (code >= 0x1d7ce && code <= 0x1d7ff) return String((code - 0x1d7ce) % 10);
  let zero = code;
  while (/\p{Nd}/u.test(String.fromCodePoint(zero - 1))) zero--;
  return String(code - zero);
};

/** The digits of a telephone number, with a plus before those that begin with a calling code: it is written as a plus or as `00`. */
export const extractDigits = (text: string): string => {
  const plain = text.replace(/\p{Nd}/gu, readDigit);
  const digits = plain.replace(/[^0-9]/g, '');
  if (!/^[^0-9]*\+/.test(plain) && !/^00./.test(digits)) return digits;
  return `+${plain
    .replace(/([1-9][^0-9]*)\(0\)/, '$1')
    .replace(/[^0-9]/g, '')
    .replace(/^00(?=.)/, '')}`;
};

export interface Phone {
  /** With the calling code after a plus, where it is known. */
  whole: string;
  /** As it is dialled within the country. */
  national: string;
}

/** Of the countries in the population. All of them dial a 0 before a number of their own. */
const callingCodes: Record<string, string> = { FR: '33', BE: '32', TR: '90', DE: '49' };

/** A telephone number by the country of its contact, or of the space. */
export const readPhone = (text: string, country: string | null): Phone => {
  const digits = extractDigits(text);
  if (/^\+?$/.test(digits)) return { whole: '', national: '' };
  if (digits.startsWith('+')) {
    const code = Object.values(callingCodes).find((one) => digits.startsWith(`+${one}`));
    return { whole: digits, national: code ? `0${digits.slice(1 + code.length)}` : digits.slice(1) };
  }
  const code = callingCodes[country?.trim().toUpperCase() ?? ''];
  if (!code) return { whole: digits, national: digits };
  const isWhole = digits.startsWith(code) && digits.length >= code.length + 9;
  const own = isWhole ? digits.slice(code.length) : digits.replace(/^0/, '');
  return { whole: `+${code}${own}`, national: `0${own}` };
};

/** UTF-16 puts the surrogates, which stand for the highest code points, below U+E000. */
const rank = (unit: number): number => (unit >= 0xe000 ? unit - 0x800 : unit >= 0xd800 ? unit + 0x2000 : unit);

/** By code point, which is also the order of the bytes in UTF-8. */
export const compareText = (left: string, right: string): number => {
  const length = Math.min(left.length, right.length);
  for (let index = 0; index < length; index++) {
    const difference = left.charCodeAt(index) - right.charCodeAt(index);
    if (difference !== 0) return rank(left.charCodeAt(index)) - rank(right.charCodeAt(index));
  }
  return left.length - right.length;
};

/** The items of any_of, none_of and all_of: a JSON array, or a text with commas, read as one (decisions §4). */
export const listOf = (value: unknown): string[] => {
  if (Array.isArray(value)) return value.map(String);
  if (typeof value === 'number') return [String(value)];
  if (typeof value !== 'string') throw new Error(`No list: ${JSON.stringify(value)}`);
  return value
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');
};
