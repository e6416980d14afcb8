// The longest texts of files and arguments, filled with what is worst for those who split or match them.

/** A text of about this many characters, and a harmless one for comparison. */
export interface LongText {
  name: string;
  worst(length: number): string;
  harmless(length: number): string;
}

const lines = (length: number): string => 'surname\n'.concat('Somebody\n'.repeat(length / 9));
const objects = (length: number): string => '{"surname":"Somebody"}\n'.repeat(length / 23);

/** Files of imports, by their format. */
export const longFiles: (LongText & { format: 'csv' | 'ndjson' })[] = [
  { name: 'a line without an end', format: 'csv', worst: (length) => 'a'.repeat(length), harmless: lines },
  {
    name: 'an open quote',
    format: 'csv',
    worst: (length) => `surname\n"${'a\n'.repeat(length / 2)}`,
    harmless: lines,
  },
  { name: 'quotes', format: 'csv', worst: (length) => `surname\n"${'""'.repeat(length / 2)}"\n`, harmless: lines },
  { name: 'a head of blanks', format: 'csv', worst: (length) => `${' \n'.repeat(length / 2)}`, harmless: lines },
  {
    name: 'a head of many columns',
    format: 'csv',
    worst: (length) => `${Array.from({ length: length / 8 }, (_, n) => `c${n}`).join(',')}\n`,
    harmless: lines,
  },
  {
    name: 'a line without an end',
    format: 'ndjson',
    worst: (length) => `{"surname":"${'a'.repeat(length)}"}`,
    harmless: objects,
  },
];

/** Cells of the column of tags. */
export const longTags: LongText[] = [
  { name: 'blanks', worst: (length) => `a${' '.repeat(length)}b`, harmless: (length) => 'a'.repeat(length) },
  { name: 'separators', worst: (length) => ';'.repeat(length), harmless: (length) => 'a;'.repeat(length / 2) },
];

/** Texts of a quick search. */
export const longSearches: LongText[] = [
  { name: 'blanks', worst: (length) => ' '.repeat(length), harmless: (length) => 'a'.repeat(length) },
  { name: 'signs', worst: (length) => '(+1).-'.repeat(length / 6), harmless: (length) => 'a'.repeat(length) },
  { name: 'pairs', worst: (length) => '😀'.repeat(length / 4), harmless: (length) => 'a'.repeat(length) },
];
