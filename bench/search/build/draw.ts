// In charge of chance in SQL: the expressions with which rows are drawn.
import { escapeLiteral } from 'pg';

/** 0 to n - 1, the lower the more frequent: how tags, names and places are spread in real lists. */
export const zipf = (n: number): string => `least(${n - 1}, floor(exp(random() * ${Math.log(n + 1)}) - 1)::int)`;

/** 0 to n - 1, each as frequent as the others. */
export const below = (n: number): string => `floor(random() * ${n})::int`;

export const chance = (share: number, value: string, otherwise = 'null'): string =>
  `case when random() < ${share} then ${value} else ${otherwise} end`;

/** One of the texts, the first the most frequent. */
export const oneOf = (...texts: string[]): string =>
  `(array[${texts.map(escapeLiteral).join(', ')}])[1 + ${zipf(texts.length)}]`;

export const digits = (n: number): string => `lpad(${below(10 ** n)}::text, ${n}, '0')`;
