// Values of command line options, and the format of a file by its name.
import { InvalidArgumentError } from 'commander';
import type { z } from 'zod';
import { email, nonBlank } from '../../schema/graph/validators.ts';
import { trimLine } from '../search/trim-line.ts';

export const parseWholeNumber =
  (lowest: number, highest: number) =>
  (text: string): number => {
    const value = Number(text);
    if (/^\d+$/.test(text) && value >= lowest && value <= highest) return value;
    throw new InvalidArgumentError(`must be a whole number from ${lowest} to ${highest}`);
  };

/** The id of a space, a user, a token. */
export const parseId = parseWholeNumber(0, Number.MAX_SAFE_INTEGER);

/** A parser of texts that a rule of the graph accepts. */
const parseBy =
  (rule: z.ZodType<string>) =>
  (text: string): string => {
    const { success, error } = rule.safeParse(text);
    if (success) return text;
    throw new InvalidArgumentError(error.issues.map(({ message }) => message).join(', '));
  };
export const parseName = parseBy(nonBlank);
/** Without what is invisible at its edges, as both doors store it. */
export const parseMail = (text: string): string => trimLine(parseBy(email)(text));

export const parseCountry = (text: string): string => {
  if (/^[A-Z]{2}$/i.test(text)) return text.toUpperCase();
  throw new InvalidArgumentError('must be a country by its two letters of ISO 3166, such as FR');
};

export const fileFormats = ['csv', 'ndjson'] as const;
export type FileFormat = (typeof fileFormats)[number];

/** Reads the format from the extension, without `.gz`. Returns undefined for any other extension. */
export const findFileFormat = (file: string): FileFormat | undefined => {
  const [, end] = /\.(csv|(?:nd)?jsonl?)(?:\.gz)?$/i.exec(file) ?? [];
  if (!end) return undefined;
  return end.toLowerCase() === 'csv' ? 'csv' : 'ndjson';
};
