// Trims texts of one line: what is invisible at their edges is no part of them, here as in the folding of the database.

/** A space of any kind, or what shows nothing: zero width, soft hyphen, a mark of direction. */
const invisible = /[\s\u0085\u00ad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]/;

export const trimLine = (text: string): string => {
  let [start, end] = [0, text.length];
  while (start < end && invisible.test(text[start]!)) start++;
  while (start < end && invisible.test(text[end - 1]!)) end--;
  return text.slice(start, end);
};
