// Escapes text from files and the database for a terminal, so that it cannot move the cursor or do more.

/** Control characters of C0 and C1 except tab and newline, and marks that change the direction of text. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: it must match control characters
const controls = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

export const escapeForTerminal = (text: string): string =>
  text.replace(controls, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
