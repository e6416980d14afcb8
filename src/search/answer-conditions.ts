// Conditions on answers to forms and on custom fields (spec §4.13, form attributes), and whether the text of an answer can be read by the type of its form.
// Answers are the contact's own values, so the negation of a condition is its complement.
import type { Source } from './attribute.ts';
import { negateSql } from './contact-conditions.ts';
import { parseAbsoluteDate } from './datetime.ts';
import { buildExistsSql } from './join-strategy.ts';
import type { Operand } from './operand.ts';
import { type Operator, splitNegation } from './operators.ts';
import type { Condition } from './parse.ts';
import { type Binder, predicates } from './predicates.ts';

/** How many characters of an answer the column `answers.folded` holds. */
const foldedLength = 160;

export const compileAnswerCondition = (
  { custom }: Extract<Source, { of: 'answers' }>,
  { operator, operand, formId, formRefIds = [] }: Condition,
  binder: Binder,
): string => {
  const [asked, negated] = splitNegation(operator);
  const form = `cast(${binder.value(formId)} as bigint)`;
  const refs = [...new Set(formRefIds)];
  // Deleted forms, and forms of the other kind, have no answers.
  const living = `select id from forms where group_id = :group and id = ${form} and deleted_at is null and kind ${custom ? '=' : '<>'} 'custom_fields'`;
  const forms = binder.lookup(living);
  if (asked === 'ext' || (!operand.given && refs.length === 0)) return negateSql(`s.form_ids && ${forms}`, negated);
  const list = `array[${refs.map((ref) => `cast(${binder.value(ref)} as bigint)`).join(', ')}]`;
  if (!operand.given) {
    const known = binder.lookup(
      `select id from form_refs where group_id = :group and form_id in (${living}) and id = any(${list})`,
    );
    return negateSql(`(cardinality(${known}) = ${refs.length} and s.form_ref_ids @> ${known})`, negated);
  }
  const matchReference = (ref?: number): string =>
    `r.group_id = :group and r.form_id = any(${forms})${ref === undefined ? '' : ` and r.form_ref_id = cast(${binder.value(ref)} as bigint)`}`;
  const every = (places: string[]): string =>
    places.map((place) => hasAnswersSql([place], asked, operand, binder)).join(' and ');
  const places = (refs.length > 0 ? refs : [undefined]).map(matchReference);
  if (refs.length === 0 || (!negated && binder.join !== 'probe')) {
    return negateSql(hasAnswersSql(places, asked, operand, binder), negated);
  }
  // Only contacts that answered under all of these values can match: the search row tells so before any answer is read.
  return negateSql(`(s.form_ref_ids @> ${list} and ${every(places)})`, negated);
};

/** Whether there is such an answer in each of these places. The folded column decides, except for the few answers that are longer; both cases have an index. */
const hasAnswersSql = (places: string[], operator: Operator, operand: Operand, binder: Binder): string => {
  const every = (one: (of: string) => string): string => places.map(one).join(' and ');
  if (operator !== 'eql' && operator !== 'contains') return every((of) => compareByType(of, operand, binder));
  const test = (x: string): string => predicates.text(x, operator, operand, binder);
  const long = `length(r.folded) = ${foldedLength}`;
  const whole = test('fold_inline(r.data) collate "C"');
  const brief =
    operator === 'contains'
      ? test('r.folded')
      : `r.folded = left(fold(${binder.value(operand.values[0])}), ${foldedLength}) and not ${long}`;
  if (binder.join === 'probe')
    return every((of) => hasAnswerSql(`${of} and (${brief} or ${long} and ${whole})`, binder));
  const lists = places.map(
    (of) => `(select r.contact_id from answers r where ${of} and ${brief}
      union all
      select r.contact_id from answers r where ${of} and ${long} and ${whole})`,
  );
  return `s.contact_id in (${lists.join('\n intersect ')})`;
};

const hasAnswerSql = (where: string, { join }: Binder): string =>
  buildExistsSql(join, { from: 'answers r', contact: 'r.contact_id', where });

/** Compares by the type of the form. An answer or a value that cannot be read as that type does not match. */
const compareByType = (
  of: string,
  { from, to, span = {} }: Operand,
  { value, join, noteMissingStatistics }: Binder,
): string => {
  noteMissingStatistics();
  const whole = `(case when length(r.folded) < ${foldedLength} then r.folded else fold_inline(r.data) collate "C" end)`;
  const bounds = (x: string, lower: unknown, upper: unknown, wrap: (value: string) => string): string =>
    [
      ...(from === undefined ? [] : [`${x} >= ${wrap(value(lower ?? null))}`]),
      ...(to === undefined ? [] : [`${x} <= ${wrap(value(upper ?? null))}`]),
    ].join(' and ');
  const predicate = `case f.type
      when 'numeric' then ${bounds('readable_number(r.data)', from, to, (text) => `readable_number(${text})`)}
      when 'date' then ${bounds('readable_instant(r.data)', span.from, span.to, (text) => `cast(${text} as timestamptz)`)}
      else ${whole} <> '' and ${bounds(whole, from, to, (text) => `fold(${text})`)} end`;
  const asked = 'answers r join forms f on f.group_id = :group and f.id = r.form_id';
  return buildExistsSql(join, { from: asked, contact: 'r.contact_id', where: `${of} and ${predicate}` });
};

/** Whether it is a number, as the SQL function readable_number reads it: digits, perhaps a sign and a point. */
export const isNumberText = (text: string): boolean => /^\s*-?\d{1,100}(\.\d{1,100})?\s*$/.test(text);

/** Whether it is a date, or a date-time of RFC 3339, as the SQL function readable_instant reads it. */
export const isDateText = (text: string): boolean => parseAbsoluteDate(text.trim()) !== undefined;
