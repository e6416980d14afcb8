// How texts and telephone numbers are compared: what the contract calls equal, contained and leading (decisions §4, eql on text).

/** Letters that Unicode does not take apart into a base and an accent, but readers do. */
const plain: Record<string, string> = { œ: 'oe', æ: 'ae', ß: 'ss', ø: 'o', ł: 'l', đ: 'd', ı: 'i' };

const folds = new Map<string, string>();

/** A text without its case, accents and surrounding space. */
export const foldText = (text: string): string => {
  let folded = folds.get(text);
  if (folded === undefined) {
    folded = text
      .toLowerCase()
      .normalize('NFKD')
      .replace(/\p{M}/gu, '')
      .replace(/[œæßøłđı]/g, (letter) => plain[letter]!)
      .trim();
    folds.set(text, folded);
  }
  return folded;
};

/** Neither missing nor empty nor blank. */
export const isSet = (text: string | null | undefined): text is string => text != null && text.trim() !== '';

/** The digits of a telephone number, with the plus that leads them. */
export const extractDigits = (text: string): string =>
  (text.trim().startsWith('+') ? '+' : '') + text.replace(/[^0-9]/g, '');

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
