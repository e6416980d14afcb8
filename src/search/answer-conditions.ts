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
const isLong = `length(r.folded) = ${foldedLength}`;

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
    (forms) =>
      `r.form_id = any(${forms})${ref === undefined ? '' : ` and r.form_ref_id = cast(${binder.value(ref)} as bigint)`}`;
  const places = (refs.length > 0 ? refs : [undefined]).map(match);
  const tests =
    asked === 'eql' || asked === 'contains'
      ? listTextTests(living, asked, operand, binder)
      : listTypedTests(living, operand, binder);
  if (refs.length === 0 || (!negated && binder.join !== 'probe'))
    return negateSql(hasAnswersSql(places, tests, binder), negated);
  // Only contacts that answered under all of these values can match: the search row tells so before any answer is read.
  const every = places.map((place) => hasAnswersSql([place], tests, binder)).join(' and ');
  return negateSql(`(s.form_ref_ids @> ${list} and ${every})`, negated);
};

/** Where answers are looked for: a condition on `r`, given the ids of the forms. */
type Place = (forms: string) => string;

/** A test of answers `r` to some forms, which one index answers. An answer matches if one of several tests holds. */
interface AnswerTest {
  forms: string;
  test: string;
}

/** Whether there is a matching answer in each of these places. */
const hasAnswersSql = (places: Place[], tests: AnswerTest[], { join }: Binder): string => {
  const listTests = (place: Place): string[] => tests.map(({ forms, test }) => `${place(forms)} and ${test}`);
  if (join === 'probe') {
    const hasOne = (place: Place): string =>
      buildExistsSql(join, {
        from: 'answers r',
        contact: 'r.contact_id',
        where: `r.group_id = :group and (${listTests(place).join(' or ')})`,
      });
    return places.map(hasOne).join(' and ');
  }
  const lists = places.map((place) =>
    listTests(place)
      .map((where) => `select r.contact_id from answers r where r.group_id = :group and ${where}`)
      .join('\n union all '),
  );
  return `s.contact_id in (${lists.map((list) => `(${list})`).join('\n intersect ')})`;
};

/** Tests of texts. The folded column decides, except for the few answers that are longer. */
const listTextTests = (living: string, operator: Operator, operand: Operand, binder: Binder): AnswerTest[] => {
  const forms = binder.lookup(living);
  const test = (x: string): string => predicates.text(x, operator, operand, binder);
  const brief =
    operator === 'contains'
      ? test('r.folded')
      : `r.folded = left(fold(${binder.value(operand.values[0])}), ${foldedLength}) and not ${isLong}`;
  return [
    { forms, test: brief },
    { forms, test: `${isLong} and ${test('fold_inline(r.data) collate "C"')}` },
  ];
};

/** Tests by the type of the form. An answer or a value that cannot be read as that type does not match. */
const listTypedTests = (living: string, { from, to, span = {} }: Operand, binder: Binder): AnswerTest[] => {
  const { value, lookup, noteMissingStatistics } = binder;
  noteMissingStatistics();
  const bound = (test: (operator: '>=' | '<=', value: string) => string, lower: unknown, upper: unknown): string =>
    [
      ...(from === undefined ? [] : [test('>=', value(lower ?? null))]),
      ...(to === undefined ? [] : [test('<=', value(upper ?? null))]),
    ].join(' and ');
  const whole = `(case when ${isLong} then fold_inline(r.data) collate "C" else r.folded end)`;
  const tests = {
    "= 'numeric'": bound((operator, text) => `readable_number(r.data) ${operator} readable_number(${text})`, from, to),
    "= 'date'": bound(
      (operator, text) => `readable_instant(r.data) ${operator} cast(${text} as timestamptz)`,
      span.from,
      span.to,
    ),
    // The column alone decides, unless the value is longer as well.
    "not in ('numeric', 'date')": bound(
      (operator, text) =>
        `r.folded <> '' and r.folded ${operator} left(fold(${text}), ${foldedLength})
         and (length(fold(${text})) < ${foldedLength} or ${whole} ${operator} fold(${text}))`,
      from,
      to,
    ),
  };
  return Object.entries(tests).map(([type, test]) => ({ forms: lookup(`${living} and type ${type}`), test }));
};

/** Whether it is a number, as the SQL function readable_number reads it: digits, perhaps a sign and a point. */
export const isNumberText = (text: string): boolean => /^\s*-?\d{1,100}(\.\d{1,100})?\s*$/.test(text);

/** Whether it is a date, or a date-time of RFC 3339, as the SQL function readable_instant reads it. */
export const isDateText = (text: string): boolean => parseAbsoluteDate(text.trim()) !== undefined;
