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
const isLongSql = (alias: string): string => `length(${alias}.folded) = ${foldedLength}`;

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
  if (asked === 'ext' || (!operand.given && refs.length === 0))
    return negateSql(`s.form_ids && ${binder.lookup(living)}`, negated);
  const list = `array[${refs.map((ref) => `cast(${binder.value(ref)} as bigint)`).join(', ')}]`;
  if (!operand.given) {
    const known = binder.lookup(
      `select id from form_refs where group_id = :group and form_id in (${living}) and id = any(${list})`,
    );
    return negateSql(`(cardinality(${known}) = ${refs.length} and s.form_ref_ids @> ${known})`, negated);
  }
  const match =
    (ref?: number): Place =>
    (alias, forms) =>
      `${alias}.form_id = any(${forms})${ref === undefined ? '' : ` and ${alias}.form_ref_id = cast(${binder.value(ref)} as bigint)`}`;
  const places = (refs.length > 0 ? refs : [undefined]).map(match);
  const tests =
    asked === 'eql' || asked === 'contains'
      ? listTextTests(living, asked, operand, binder)
      : listTypedTests(living, operand, binder);
  const sql = hasAnswersSql(places, tests, binder);
  // Only contacts that answered under all of these values can match: the search row tells so before any answer is read.
  const isFiltered = refs.length > 0 && (negated || binder.join === 'probe');
  return negateSql(isFiltered ? `(s.form_ref_ids @> ${list} and ${sql})` : sql, negated);
};

/** A condition on the answers under an alias, given the ids of the forms: they are looked for there. */
type Place = (alias: string, forms: string) => string;

/** A condition on the answer `r` in a place, for which there is an index. An answer matches if one of several tests holds. */
type AnswerTest = (place: Place) => string;

/** Whether there is a matching answer in each of these places. */
const hasAnswersSql = (places: Place[], tests: AnswerTest[], { join }: Binder): string =>
  places
    .map((place) => tests.map((test) => test(place)).join(' or '))
    .map((where) =>
      buildExistsSql(join, {
        from: 'answers r',
        contact: 'r.contact_id',
        where: `r.group_id = :group and (${where})`,
      }),
    )
    .join(' and ');

/** A comparison of an answer with a value. The folded column alone decides, unless both are longer. */
const compareWithText = (operator: '=' | '>=' | '<=', text: string): string =>
  `r.folded ${operator} left(fold(${text}), ${foldedLength}) and (length(fold(${text})) < ${foldedLength}
   or (case when ${isLongSql('r')} then fold_inline(r.data) collate "C" else r.folded end) ${operator} fold(${text}))`;

/** A test of texts. Only the few answers that the column has no more than the beginning of are folded. */
const listTextTests = (living: string, operator: Operator, operand: Operand, binder: Binder): AnswerTest[] => {
  const forms = binder.lookup(living);
  const test = (x: string): string => predicates.text(x, operator, operand, binder);
  if (operator === 'eql') {
    const equals = compareWithText('=', binder.value(operand.values[0]));
    return [(place) => `${place('r', forms)} and ${equals}`];
  }
  const testLong = (alias: string): string =>
    `${isLongSql(alias)} and ${test(`fold_inline(${alias}.data) collate "C"`)}`;
  const [brief, long, longApart] = [test('r.folded'), testLong('r'), testLong('l')];
  // An index has the folded column. So no answer is read but the long ones, which are found apart.
  const findLong = (place: Place): string =>
    `${isLongSql('r')} and r.contact_id in (select l.contact_id from answers l where l.group_id = :group and ${place('l', forms)} and ${longApart})`;
  return [(place) => `${place('r', forms)} and (${brief} or ${binder.join === 'probe' ? long : findLong(place)})`];
};

/** Tests by the type of the form. An answer or a value that cannot be read as that type does not match. */
const listTypedTests = (living: string, { from, to, span = {} }: Operand, binder: Binder): AnswerTest[] => {
  const { value, lookup, noteMissingStatistics } = binder;
  // The answers to one form are among those to all others.
  noteMissingStatistics();
  const bound = (test: (operator: '>=' | '<=', value: string) => string, lower: unknown, upper: unknown): string =>
    [
      ...(from === undefined ? [] : [test('>=', value(lower ?? null))]),
      ...(to === undefined ? [] : [test('<=', value(upper ?? null))]),
    ].join(' and ');
  const tests = {
    "= 'numeric'": bound((operator, text) => `readable_number(r.data) ${operator} readable_number(${text})`, from, to),
    "= 'date'": `begins_with_date(r.data) and ${bound(
      (operator, text) => `readable_instant(r.data) ${operator} cast(${text} as timestamptz)`,
      span.from,
      span.to,
    )}`,
    "not in ('numeric', 'date')": `r.folded <> '' and ${bound(compareWithText, from, to)}`,
  };
  return Object.entries(tests).map(([type, test]) => {
    const forms = lookup(`${living} and type ${type}`);
    return (place) => `${place('r', forms)} and ${test}`;
  });
};

/** Whether it is a number, as the SQL function readable_number reads it: digits, perhaps a sign and a point, and no more than 200 characters. */
export const isNumberText = (text: string): boolean => text.length <= 200 && /^\s*-?\d+(\.\d+)?\s*$/.test(text);

/** Whether it is a date, or a date-time of RFC 3339, as the SQL function readable_instant reads it. */
export const isDateText = (text: string): boolean => parseAbsoluteDate(text.trim()) !== undefined;
