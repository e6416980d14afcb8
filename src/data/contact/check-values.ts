// Validates values that are new to a contact: a malformed mail, a phone without a digit, a birthdate in the future, a latitude or longitude out of range.
import { isDateText, isNumberText } from '../../search/answer-conditions.ts';
import { formatUtcDay, getCurrentMicros } from '../../search/datetime.ts';
import { trimLine } from '../../search/trim-line.ts';
import type { ColumnValue, ContactContent } from './patch.ts';

interface Rule {
  holds(value: ColumnValue): boolean;
  message: string;
}

/** One @, something visible before it, and a domain with a dot after it. Mail servers do not agree on stricter rules. */
const mailPattern =
  /^[^\s\p{C}@,;:<>()[\]\\"]+@[\p{L}\p{N}](?:[\p{L}\p{N}-]*[\p{L}\p{N}])?(?:\.[\p{L}\p{N}](?:[\p{L}\p{N}-]*[\p{L}\p{N}])?)+$/u;

const isMail = (value: ColumnValue): boolean => mailPattern.test(trimLine(String(value)).normalize());
const hasDigit = (value: ColumnValue): boolean => /\p{Nd}/u.test(String(value));
const within =
  (bound: number) =>
  (value: ColumnValue): boolean =>
    Math.abs(Number(value)) <= bound;

/** A day begins 14 hours earlier in the first time zone than in UTC. */
const firstZone = 14n * 3_600_000_000n;
const isPast = (value: ColumnValue): boolean => String(value) <= formatUtcDay(getCurrentMicros() + firstZone);

const phone: Rule = { holds: hasDigit, message: 'must be a phone number, with a digit at least' };
const columns: Record<string, Rule> = {
  mail: { holds: isMail, message: 'must be a mail address, such as ada@example.org' },
  phone,
  mobile: phone,
  birthdate: { holds: isPast, message: 'must be today or earlier' },
};
const address: Record<string, Rule> = {
  latitude: { holds: within(90), message: 'must be from -90 to 90' },
  longitude: { holds: within(180), message: 'must be from -180 to 180' },
};

/** Rules of free input by the type of its form, as searches read it. */
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

/** A value that breaks a rule: its column or part of the address, the rule's message, and the value. */
interface BadValue {
  path: string[];
  message: string;
  value: ColumnValue;
}

const broken = (
  rules: Record<string, Rule>,
  values: Record<string, ColumnValue | undefined>,
  path: string[],
): BadValue[] =>
  Object.entries(rules).flatMap(([name, { holds, message }]) => {
    const value = values[name] ?? null;
    return value === null || holds(value) ? [] : [{ path: [...path, name], message, value }];
  });

/** The faults of these values, which are new to the contact. */
export const findBadValues = ({ columns: values, address: parts }: ContactContent): BadValue[] => [
  ...broken(columns, values, []),
  ...broken(address, parts ?? {}, ['address']),
];

/** The fault of an answer to a form of this type; undefined when there is none, or when the answer is empty. */
export const findAnswerFault = (type: string, data: string | null | undefined): string | undefined => {
  const rule = inputs[type];
  return rule && data != null && data.trim() !== '' && !rule.holds(data) ? rule.message : undefined;
};
