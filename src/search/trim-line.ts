// Trims texts of one line: what is invisible at their edges is no part of them, here as in the folding of the database.

/** A space of any kind, or what shows nothing: zero width, soft hyphen, a mark of direction. */
export const invisible = /[\s\u0085\u00ad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]/;

const isInvisible = (text: string, at: number): boolean => {
  const code = text.charCodeAt(at);
  return code < 0x7f ? code === 0x20 || (code >= 0x09 && code <= 0x0d) : invisible.test(text[at]!);
};

export const trimLine = (text: string): string => {
  let [start, end] = [0, text.length];
  while (start < end && isInvisible(text, start)) start++;
  while (end > start && isInvisible(text, end - 1)) end--;
  return start === 0 && end === text.length ? text : text.slice(start, end);
};
