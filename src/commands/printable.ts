// Text from files and the database as a terminal shows it: what would move its cursor, or do more, is spelled out.

/** Controls of C0 and C1 but for tab and newline, and marks that turn the direction of text. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what it is about
const acting = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

export const escapeForTerminal = (text: string): string =>
  text.replace(acting, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
