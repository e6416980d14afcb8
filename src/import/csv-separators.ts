// Detects what separates the columns and the rows of a CSV file.

/** The separators of columns and rows. */
interface CsvSeparators {
  delimiter: string;
  newline: string;
}

/** In characters. The search for the end of the head stops there. */
const maxHeadLength = 1_000_000;

/** Detects the separators. Columns are separated by the one of four characters that is most frequent in the head outside quotes, rows by the newline that ends the head. */
export const detectSeparators = async (text: AsyncIterable<string>): Promise<CsvSeparators> => {
  let start = '';
  for await (const piece of text) {
    start += piece;
    if (findHead(start).isComplete || start.length > maxHeadLength) break;
  }
  const { head, newline } = findHead(start);
  const counts = [',', ';', '\t', '|'].map((mark) => [mark, head.split(mark).length] as const);
  return { delimiter: counts.sort(([, one], [, other]) => other - one)[0]![0], newline };
};
/** Finds the head outside quotes: the first row with a name. */
const findHead = (start: string): { head: string; newline: string; isComplete: boolean } => {
  const bare = removeQuotedText(start);
  const begin = bare.search(/[^\s;,|]/);
  const named = begin < 0 ? '' : bare.slice(begin);
  const end = named.search(/[\r\n]/);
  if (end < 0) return { head: named, newline: '\n', isComplete: false };
  const newline = named.startsWith('\r\n', end) ? '\r\n' : named[end]!;
  // A carriage return at the very end may be the first half of a newline.
  return { head: named.slice(0, end), newline, isComplete: newline !== '\r' || end + 1 < named.length };
};

/** Removes quoted text, also after a quote that is not closed yet. */
const removeQuotedText = (text: string): string => text.replace(/"[^"]*("|$)/g, 'q');
