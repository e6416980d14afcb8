// Whether one contact satisfies one condition: the operators on each kind of value, and the meaning of negation for each source (decisions §4).

import { answerHolds, consentHolds } from './oracle-answers.ts';
import { getKind, type Kind, recordField } from './oracle-attributes.ts';
import { compileDayTest, compileMomentTest, isInPeriod } from './oracle-dates.ts';
import { compileNearTest, compileWithinTest } from './oracle-places.ts';
import { extractDigits, foldText, listOf, type Phone } from './oracle-text.ts';
import type { Fields, Person, Text, View } from './oracle-view.ts';

export interface Condition {
  attr: string;
  ope: string;
  value?: unknown;
  from?: unknown;
  to?: unknown;
  form_id?: number;
  form_ref_ids?: number[];
  currency?: string;
  /** What one record must satisfy together. */
  $all?: { $condition: Condition }[];
  $at_least_one?: { $condition: Condition }[];
}

/** Tests a value that is set. */
type Test = (value: unknown) => boolean;
export type Holds = (person: Person) => boolean;

const negated: Record<string, string> = {
  not_eql: 'eql',
  not_ext: 'ext',
  not_contains: 'contains',
  not_start_with: 'start_with',
  'not_eql:strictdata': 'eql:strictdata',
  none_of: 'any_of',
  none: 'any',
  not_inside: 'inside',
};

const test = <T>(of: (value: T) => boolean): Test => of as Test;

const text = (value: unknown): string => {
  if (typeof value !== 'string') throw new Error(`No text: ${JSON.stringify(value)}`);
  return value;
};

/** Decimal euros as cents. */
export const parseCents = (value: unknown): bigint => {
  const match = /^(-?)(\d+)(?:\.(\d{1,2}))?$/.exec(text(value));
  if (!match) throw new Error(`No amount: ${value}`);
  return BigInt(`${match[1]}${match[2]}${(match[3] ?? '').padEnd(2, '0')}`);
};

const whole = (value: unknown): number => {
  if (!/^-?\d+$/.test(String(value))) throw new Error(`No whole number: ${value}`);
  return Number(value);
};

const flag = (value: unknown): boolean => {
  if (!['true', 'false'].includes(String(value))) throw new Error(`Neither true nor false: ${value}`);
  return String(value) === 'true';
};

const unknown = (kind: Kind, ope: string): never => {
  throw new Error(`No ${ope} on ${kind}`);
};

const textTest = (ope: string, { value }: Condition): ((of: Text) => boolean) => {
  if (ope === 'any_of') {
    const items = new Set(listOf(value).map(foldText));
    return ({ folded }) => items.has(folded);
  }
  const wanted = text(value);
  const needle = foldText(wanted);
  if (needle === '') throw new Error('An empty text has no reading');
  if (ope === 'eql') return ({ folded }) => folded === needle;
  if (ope === 'eql:strictdata') return ({ letters }) => letters === wanted;
  if (ope === 'contains') return ({ folded }) => folded.includes(needle);
  if (ope === 'start_with') return ({ folded }) => folded.startsWith(needle);
  return unknown('text', ope);
};

/** A number with its calling code is compared as a whole. Any other is compared as it is dialled, or begins to be, within a country or from elsewhere. */
const phoneTest = (ope: string, { value }: Condition): ((of: Phone) => boolean) => {
  const needle = extractDigits(text(value));
  if (!/\d/.test(needle)) throw new Error('A number without digits has no reading');
  const isWhole = needle.startsWith('+');
  if (ope === 'eql') {
    const forms = [needle, ...(needle.startsWith('0') ? [] : [`0${needle}`])];
    if (/^1\d{10}$/.test(needle)) forms.push(needle.slice(1));
    return ({ whole, national }) => (isWhole ? whole === needle : forms.includes(national));
  }
  if (ope === 'start_with')
    return ({ whole, national }) =>
      isWhole ? whole.startsWith(needle) : national.startsWith(needle) || whole.startsWith(`+${needle}`);
  if (ope === 'contains') {
    // Within a number, two zeros may be two zeros.
    const plain = /^\P{Nd}*[+＋]/u.test(text(value)) ? needle : needle.replace('+', '00');
    return ({ whole, national }) => whole.includes(needle) || whole.includes(plain) || national.includes(plain);
  }
  return unknown('phone', ope);
};

/** Numbers and amounts: what is ordered and comes as one value. */
const orderedTest = <T extends number | bigint>(
  ope: string,
  condition: Condition,
  read: (value: unknown) => T,
): ((of: T) => boolean) => {
  if (ope === 'any_of') {
    const items = new Set(listOf(condition.value).map(read));
    return (value) => items.has(value);
  }
  if (ope === 'range') {
    const [from, to] = [read(condition.from), read(condition.to)];
    return (value) => from <= value && value <= to;
  }
  const wanted = read(condition.value);
  if (ope === 'eql') return (value) => value === wanted;
  if (ope === 'lte') return (value) => value <= wanted;
  if (ope === 'gte') return (value) => value >= wanted;
  return unknown('whole', ope);
};

const textsTest = (ope: string, condition: Condition): ((of: Text[]) => boolean) => {
  if (ope === 'all_of') {
    const items = listOf(condition.value).map(foldText);
    return (texts) => items.every((item) => texts.some(({ folded }) => folded === item));
  }
  const one = textTest(ope, condition);
  return (texts) => texts.some(one);
};

const wholesTest = (ope: string, condition: Condition): ((of: number[]) => boolean) => {
  const one = orderedTest(ope, condition, whole);
  return (numbers) => numbers.some(one);
};

interface Years {
  first: number;
  last: number;
}

/** Active in at least one of the years that the operator names. */
const yearsTest = (ope: string, condition: Condition): ((of: Years) => boolean) => {
  const active = (from: number, to: number) => (years: Years) =>
    Math.max(from, years.first) <= Math.min(to, years.last);
  if (ope === 'range') return active(whole(condition.from), whole(condition.to));
  const year = whole(condition.value);
  if (ope === 'eql') return active(year, year);
  if (ope === 'lte') return active(Number.NEGATIVE_INFINITY, year);
  if (ope === 'gte') return active(year, Number.MAX_SAFE_INTEGER);
  return unknown('years', ope);
};

const validityTest = ({ value }: Condition, now: bigint) => {
  type Validity = { start: bigint | null; end: bigint | null };
  const ended = ({ end }: Validity) => end !== null && end < now;
  const started = ({ start }: Validity) => start === null || start <= now;
  if (value === 'ended') return ended;
  if (value === 'ongoing') return (validity: Validity) => started(validity) && !ended(validity);
  throw new Error(`No validity: ${value}`);
};

const testOf = (kind: Kind, ope: string, condition: Condition, now: bigint): Test => {
  if (ope === 'ext') return () => true;
  if (kind === 'text') return test(textTest(ope, condition));
  if (kind === 'texts') return test(textsTest(ope, condition));
  if (kind === 'phone') return test(phoneTest(ope, condition));
  if (kind === 'moment') return test(compileMomentTest(ope, condition, now));
  if (kind === 'day') return test(compileDayTest(ope, condition, now));
  if (kind === 'money') return test(orderedTest(ope, condition, parseCents));
  if (kind === 'count') return test(orderedTest(ope, condition, (value) => BigInt(text(value))));
  if (kind === 'whole') return test(orderedTest(ope, condition, whole));
  if (kind === 'decimal') return test(orderedTest(ope, condition, Number));
  if (kind === 'wholes') return test(wholesTest(ope, condition));
  if (kind === 'flag') {
    const wanted = flag(condition.value);
    return (value) => value === wanted;
  }
  if (kind === 'years') return test(yearsTest(ope, condition));
  if (kind === 'validity') return test(validityTest(condition, now));
  return unknown(kind, ope);
};

/** A value of a view; null where the field is empty, undefined where the view does not read it. */
const readValue = (fields: Fields | undefined, name: string, attr: string): unknown => {
  const value = fields?.[name];
  if (value === undefined) throw new Error(`No value of ${attr}: add it to test/search/oracle-view.ts`);
  return value;
};

/** Whether one record satisfies a condition: a missing value neither equals nor differs. */
export const compileRecordTest = (condition: Condition, now: bigint): ((fields: Fields) => boolean) => {
  const { attr, ope, currency = 'EUR' } = condition;
  const kind = getKind(attr);
  const positive = negated[ope] ?? ope;
  const holds = testOf(kind, positive, condition, now);
  const ofValue: Test =
    ope === 'not_ext' ? (value) => value === null : (value) => value !== null && holds(value) !== (positive !== ope);
  return (fields) =>
    (kind !== 'money' || fields.currency === currency) && ofValue(readValue(fields, recordField(attr)!.field, attr));
};

/** How many records of a contact satisfy the conditions of a condition together. */
const compileCounting = (condition: Condition, now: bigint): ((person: Person) => { some: number; all: number }) => {
  const family = condition.attr.split('.')[0]!;
  const { $all, $at_least_one } = condition;
  const tests = ($all ?? $at_least_one ?? []).map((part) => compileRecordTest(part.$condition, now));
  const holds = (fields: Fields): boolean =>
    $at_least_one ? tests.some((one) => one(fields)) : tests.every((one) => one(fields));
  return ({ records }) => ({ some: records[family]!.filter(holds).length, all: records[family]!.length });
};

export const compileCondition = (condition: Condition, view: View, now: bigint): Holds => {
  const { attr, ope } = condition;
  const kind = getKind(attr);
  const positive = negated[ope] ?? ope;
  const negative = positive !== ope;
  if (kind === 'answer') {
    const holds = answerHolds(positive, condition, view, now);
    return (person) => holds(person) !== negative;
  }
  if (kind === 'consent') {
    const holds = consentHolds(positive, condition, view, now);
    return (person) => holds(person) !== negative;
  }
  if (kind === 'circle' || kind === 'area') {
    const holds = kind === 'circle' ? compileNearTest(condition, view) : compileWithinTest(condition);
    return ({ at }) => (at !== null && holds(at)) !== negative;
  }
  if (ope === 'period') return ({ birthday }) => birthday !== null && isInPeriod(birthday, condition);
  if (kind === 'twice') {
    const active = yearsTest(ope, condition);
    return ({ records }) => records.memberships!.filter(({ period }) => active(period as Years)).length >= 2;
  }
  if (kind === 'record') {
    const count = compileCounting(condition, now);
    if (ope === 'all') return (person) => count(person).some === count(person).all;
    return (person) => count(person).some > 0 !== negative;
  }
  const holds = testOf(kind, positive, condition, now);
  if (kind === 'count') {
    const count = compileCounting(condition, now);
    return (person) => holds(BigInt(count(person).some)) !== negative;
  }
  const record = recordField(attr);
  const { currency = 'EUR' } = condition;
  // The contact's own values: the negation is the complement.
  if (!record)
    return ({ own }) => {
      const read = readValue(own, attr, attr);
      // A sum is of one currency, and 0 without records in it.
      const value = kind === 'money' ? ((read as Map<string, bigint>).get(currency) ?? 0n) : read;
      // A contact is found by the mails that it had before, too.
      const former = attr === 'mail' && ['eql', 'start_with'].includes(positive) ? (own.former_mails as Text[]) : [];
      return ((value !== null && holds(value)) || former.some(holds)) !== negative;
    };
  // Records: at least one satisfies the operator.
  const ofRecord = compileRecordTest(condition, now);
  return ({ records }) => records[record.family]!.some(ofRecord);
};
