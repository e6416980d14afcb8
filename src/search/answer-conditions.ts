// Conditions on answers to forms and on custom fields (spec §4.13, form attributes). They are the contact's own, so that negation is the complement.
import type { Source } from './attribute.ts';
import { negateSql } from './contact-conditions.ts';
import { buildExistsSql } from './join-strategy.ts';
import type { Operand } from './operand.ts';
import { type Operator, splitNegation } from './operators.ts';
import type { Condition } from './parse.ts';
import { type Binder, tests } from './predicates.ts';

/** How many characters of an answer the column `answers.folded` holds. */
const kept = 160;

export const compileAnswerCondition = (
  { custom }: Extract<Source, { of: 'answers' }>,
  { operator, operand, formId, formRefIds = [] }: Condition,
  binder: Binder,
): string => {
  const [asked, negated] = splitNegation(operator);
  const form = `cast(${binder.value(formId)} as bigint)`;
  const refs = [...new Set(formRefIds)];
  // Deleted forms, and forms of the other sort, have no answers.
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
  const under = (ref?: number): string =>
    `r.group_id = :group and r.form_id = any(${forms})${ref === undefined ? '' : ` and r.form_ref_id = cast(${binder.value(ref)} as bigint)`}`;
  const every = (places: string[]): string =>
    places.map((place) => answered([place], asked, operand, binder)).join(' and ');
  const places = (refs.length > 0 ? refs : [undefined]).map(under);
  if (refs.length === 0 || (!negated && binder.reach !== 'probe')) {
    return negateSql(answered(places, asked, operand, binder), negated);
  }
  // Who has not answered under all of them has not said so under all of them: the row tells, before any answer is read.
  return negateSql(`(s.form_ref_ids @> ${list} and ${every(places)})`, negated);
};

/** Whether there is such an answer in each of these places. What is kept folded decides, but for the few that are longer; each has an index of its own. */
const answered = (places: string[], operator: Operator, operand: Operand, binder: Binder): string => {
  const every = (one: (of: string) => string): string => places.map(one).join(' and ');
  if (operator !== 'eql' && operator !== 'contains') return every((of) => byType(of, operand, binder));
  const test = (x: string): string => tests.text(x, operator, operand, binder);
  const long = `length(r.folded) = ${kept}`;
  const whole = test('fold_inline(r.data) collate "C"');
  const brief =
    operator === 'contains'
      ? test('r.folded')
      : `r.folded = left(fold(${binder.value(operand.values[0])}), ${kept}) and not ${long}`;
  if (binder.reach === 'probe') return every((of) => anyAnswer(`${of} and (${brief} or ${long} and ${whole})`, binder));
  const lists = places.map(
    (of) => `(select r.contact_id from answers r where ${of} and ${brief}
      union all
      select r.contact_id from answers r where ${of} and ${long} and ${whole})`,
  );
  return `s.contact_id in (${lists.join('\n intersect ')})`;
};

const anyAnswer = (where: string, { reach }: Binder): string =>
  buildExistsSql(reach, { from: 'answers r', contact: 'r.contact_id', where });

/** Compares by the form's type: an answer, or a value, that cannot be read as a number or a date does not match. */
const byType = (of: string, { from, to, span = {} }: Operand, { value, reach, guess }: Binder): string => {
  guess();
  const whole = `(case when length(r.folded) < ${kept} then r.folded else fold_inline(r.data) collate "C" end)`;
  const bounds = (x: string, lower: unknown, upper: unknown, wrap: (value: string) => string): string =>
    [
      ...(from === undefined ? [] : [`${x} >= ${wrap(value(lower ?? null))}`]),
      ...(to === undefined ? [] : [`${x} <= ${wrap(value(upper ?? null))}`]),
    ].join(' and ');
  const says = `case f.type
      when 'numeric' then ${bounds('readable_number(r.data)', from, to, (text) => `readable_number(${text})`)}
      when 'date' then ${bounds('readable_instant(r.data)', span.from, span.to, (text) => `cast(${text} as timestamptz)`)}
      else ${whole} <> '' and ${bounds(whole, from, to, (text) => `fold(${text})`)} end`;
  const asked = 'answers r join forms f on f.group_id = r.group_id and f.id = r.form_id';
  return buildExistsSql(reach, { from: asked, contact: 'r.contact_id', where: `${of} and ${says}` });
};
