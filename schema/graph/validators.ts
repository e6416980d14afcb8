// Rules for the values of inputs: their length, the characters that PostgreSQL can store, their form, and null.
import { z } from 'zod';
import { isBlankText } from '../../src/input/blank.ts';
import { limits } from '../../src/limits/limits.ts';
import { trimLine } from '../../src/search/trim-line.ts';

/** PostgreSQL can store neither U+0000 nor lone surrogates. */
const isStorable = (text: string): boolean => !text.includes('\0') && text.isWellFormed();
/** A character has one or two code units. */
const fits = (text: string, limit: number): boolean =>
  text.length <= limit || (text.length <= 2 * limit && [...text].length <= limit);

const limitText = (limit: number) =>
  z
    .string()
    .refine(isStorable, { error: 'must not contain U+0000 or a lone surrogate', abort: true })
    .refine((value) => fits(value, limit), { error: `must be at most ${limit} characters`, abort: true })
    // OpenAPI takes from here what a function does not tell.
    .meta({ maxLength: limit });

/** A text of one line, such as a name. */
export const shortText = limitText(limits.value.lineCharacters);
/** A cursor, which may contain the longest sort key. */
export const cursorText = limitText(limits.value.cursorCharacters);
const requireVisible = (text: z.ZodString) =>
  text.refine((value) => !isBlankText(value), 'must not be blank').meta({ pattern: '\\S' });
/** A text of one line that is not blank, nor invisible. */
export const nonBlank = requireVisible(shortText);
export const searchText = nonBlank.refine(
  (value) => value.split(/[^\p{L}\p{M}\p{N}]+/u).filter((word) => word !== '').length <= limits.search.quickWords,
  `must have at most ${limits.search.quickWords} words`,
);
/** The code of a currency. A blank one is refused: the usual currency might not be that of the amount. */
export const currencyCode = shortText.regex(/^[A-Z]{3}$/, 'must be three capital letters, such as EUR');
/** A long text: a comment, a description. */
export const longText = limitText(limits.value.proseCharacters);
/** A long text that is not blank: a note. */
export const nonBlankProse = requireVisible(longText);
export const email = shortText
  .refine((value) => z.email().safeParse(trimLine(value)).success, 'must be a valid email address')
  .meta({ format: 'email' });

/** In characters. */
const urlLimit = 2048;
/** Two slashes, or a slash and a backslash, would name a server. */
const isPath = (text: string): boolean => /^\/(?![/\\])[^\s\p{Cc}]*$/u.test(text);
const isWeb = (text: string): boolean => /^https?:\/\/[^\s\p{Cc}]+$/iu.test(text) && URL.canParse(text);

/** An address of http or https, or a path on the server that shows it; or blank. */
export const url = longText
  .refine((text) => text.length <= urlLimit, { error: `must be at most ${urlLimit} characters`, abort: true })
  .refine(
    (text) => isBlankText(text) || isPath(text) || isWeb(text),
    'must be an http or https address, or a path that begins with /',
  );
export const nonBlankUrl = requireVisible(url);

export const refuseNullFields = (...fields: string[]) =>
  z.unknown().superRefine((input, check) => {
    for (const field of fields)
      if ((input as Record<string, unknown>)[field] === null)
        check.addIssue({ code: 'custom', path: [field], message: 'must not be null' });
  });
