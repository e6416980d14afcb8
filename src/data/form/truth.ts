// Words of truth, in the languages of files and clients.

const trueWords: ReadonlySet<string> = new Set('true 1 yes y oui vrai ja wahr'.split(' '));
const falseWords: ReadonlySet<string> = new Set('false 0 no n non faux nein falsch'.split(' '));

/** Reads a word of truth without case; undefined for another text. */
export const readTruth = (text: string): boolean | undefined => {
  const word = text.trim().toLowerCase();
  return trueWords.has(word) ? true : falseWords.has(word) ? false : undefined;
};
