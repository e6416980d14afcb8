// Values of command line options.
import { InvalidArgumentError } from 'commander';

/** A parser of whole numbers within bounds. */
export const parseWholeNumber =
  (lowest: number, highest: number) =>
  (text: string): number => {
    const value = Number(text);
    if (/^\d+$/.test(text) && value >= lowest && value <= highest) return value;
    throw new InvalidArgumentError(`must be a whole number from ${lowest} to ${highest}`);
  };
