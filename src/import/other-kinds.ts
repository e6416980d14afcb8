// Files that people take for a list: how they begin, and what to do with them.

export const saveAsCsv = 'save it as CSV (UTF-8) there, and import that file';

const others: readonly [start: Buffer, message: string][] = [
  [Buffer.from('PK\x03\x04', 'latin1'), `is a spreadsheet or an archive, not CSV: ${saveAsCsv}`],
  [Buffer.from([0xd0, 0xcf, 0x11, 0xe0]), `is a spreadsheet of an old Excel, not CSV: ${saveAsCsv}`],
  [Buffer.from('%PDF', 'latin1'), 'is a PDF, not CSV: ask for the list as a spreadsheet, and save that as CSV (UTF-8)'],
  [Buffer.from('{\\rtf', 'latin1'), `is a text document, not CSV: ${saveAsCsv}`],
];

export const beginsWith = (bytes: Buffer, start: Buffer): boolean => bytes.subarray(0, start.length).equals(start);

/** Says of a file that begins so why it is no list; undefined when it may be one. */
export const findOtherKind = (bytes: Buffer): string | undefined =>
  others.find(([start]) => beginsWith(bytes, start))?.[1];
