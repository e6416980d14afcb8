// Marks text in CSV cells that a spreadsheet would run as a formula, and removes the mark.

/** The beginning of a formula, also after white space, which some programs skip. Marked text is marked again, so that an import restores it exactly. */
const formula = /^'*\s*[=+\-@＝＋－＠\t\r\n]/;
const markedFormula = /^''*\s*[=+\-@＝＋－＠\t\r\n]/;

/**
 * A sign followed only by characters of phone numbers and amounts. Such text cannot contain a function, a cell reference or a command. At
 * worst a spreadsheet adds the numbers.
 */
const harmless = /^(?:[ \u00a0\u202f]*\+)?[\d \u00a0\u202f.()/-]*$/;

/** Marks text that a spreadsheet would run. The values come from people who filled in forms. */
export const markFormulaText = (text: string): string =>
  formula.test(text) && !harmless.test(text) ? `'${text}` : text;

/** Removes the mark of a marked text. */
export const unmarkFormulaText = (text: string): string => (markedFormula.test(text) ? text.slice(1) : text);
