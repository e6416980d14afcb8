// What is wrong with values that a contact is newly given: a mail that is none, a phone without a digit, a place that is not on earth.
import { isDateText, isNumberText } from '../../search/answer-text.ts';
import type { ContactContent, Value } from './patch.ts';

interface Rule {
  holds(value: Value): boolean;
  message: string;
}

/** One @, something before it, and a domain with a dot behind it. What more may be asked, mail servers do not agree on. */
const mailPattern =
  /^[^\s@,;:<>()[\]\\"]+@[\p{L}\p{N}](?:[\p{L}\p{N}-]*[\p{L}\p{N}])?(?:\.[\p{L}\p{N}](?:[\p{L}\p{N}-]*[\p{L}\p{N}])?)+$/u;

const isMail = (value: Value): boolean => mailPattern.test(String(value).trim().normalize());
const hasDigit = (value: Value): boolean => /\p{Nd}/u.test(String(value));
const within =
  (bound: number) =>
  (value: Value): boolean =>
    Math.abs(Number(value)) <= bound;

const phone: Rule = { holds: hasDigit, message: 'must be a phone number, with a digit at least' };
const columns: Record<string, Rule> = {
  mail: { holds: isMail, message: 'must be a mail address, such as ada@example.org' },
  phone,
  mobile: phone,
};
const address: Record<string, Rule> = {
  latitude: { holds: within(90), message: 'must be from -90 to 90' },
  longitude: { holds: within(180), message: 'must be from -180 to 180' },
};

/** Free input by the type of its form, as searches read it. */
const inputs: Record<string, Rule> = {
  numeric: {
    holds: (value) => isNumberText(String(value)),
    message: 'must be a number such as 12 or 9.5, since the form is numeric',
  },
  date: {
    holds: (value) => isDateText(String(value)),
    message: 'must be a date such as 2026-11-21, since the form is of dates',
  },
};

/** A value that breaks a rule: the column, or part of the address, what is asked of it, and what it is. */
export interface BadValue {
  path: string[];
  message: string;
  value: Value;
}

const broken = (rules: Record<string, Rule>, values: Record<string, Value | undefined>, path: string[]): BadValue[] =>
  Object.entries(rules).flatMap(([name, { holds, message }]) => {
    const value = values[name] ?? null;
    return value === null || holds(value) ? [] : [{ path: [...path, name], message, value }];
  });

/** What is wrong with these values, which are new to the contact. */
export const findBadValues = ({ columns: values, address: parts }: ContactContent): BadValue[] => [
  ...broken(columns, values, []),
  ...broken(address, parts ?? {}, ['address']),
];

/** What is wrong with an answer to a form of this type; undefined when nothing is, or nothing is said. */
export const findAnswerFault = (type: string, data: string | null | undefined): string | undefined => {
  const rule = inputs[type];
  return rule && data != null && data.trim() !== '' && !rule.holds(data) ? rule.message : undefined;
};
