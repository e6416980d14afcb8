// Text in the cells of a CSV that a spreadsheet would take for a formula: how it is marked as text, and how the mark is taken away.

/** What begins a formula, also behind white space, which some programs pass over; and a mark before it, so that no text is changed by the way back. */
const begins = String.raw`\s*[=+\-@＝＋－＠\t\r\n]`;
const formula = new RegExp(`^'*${begins}`);
const markedFormula = new RegExp(`^''*${begins}`);

/**
 * A sign, and then nothing but what phone numbers and amounts are written with: no name of a function, no reference to a cell, no
 * command can be in it. At the worst a spreadsheet adds it up.
 */
const harmless = /^[ \u00a0\u202f]*[+-]?[\d \u00a0\u202f.()/-]*$/;

/** These values come from whoever filled in a form, and are opened by somebody else. */
export const markFormulaText = (text: string): string =>
  formula.test(text) && !harmless.test(text) ? `'${text}` : text;

/** The text that was marked; any other as it is. */
export const unmarkFormulaText = (text: string): string => (markedFormula.test(text) ? text.slice(1) : text);
