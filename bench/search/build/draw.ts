// SQL expressions that draw random values.
import { escapeLiteral } from 'pg';

/** 0 to n - 1, lower values more often, as tags, names and places are distributed in real lists. */
export const drawZipf = (n: number): string => `least(${n - 1}, floor(exp(random() * ${Math.log(n + 1)}) - 1)::int)`;

/** 0 to n - 1, uniformly. */
export const drawBelow = (n: number): string => `floor(random() * ${n})::int`;

export const chooseByChance = (share: number, value: string, otherwise = 'null'): string =>
  `case when random() < ${share} then ${value} else ${otherwise} end`;

/** One of the texts, the first the most frequent. */
export const drawOneOf = (...texts: string[]): string =>
  `(array[${texts.map(escapeLiteral).join(', ')}])[1 + ${drawZipf(texts.length)}]`;

export const drawDigits = (n: number): string => `lpad(${drawBelow(10 ** n)}::text, ${n}, '0')`;
