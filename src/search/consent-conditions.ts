// Conditions on when contacts opted out, or gave the answers on consent that they have. Only what holds at present has such a time.
// A time is of the contact itself, so the negation of a condition is its complement.
import { negateSql } from './contact-conditions.ts';
import { buildExistsSql } from './join-strategy.ts';
import type { Operand } from './operand.ts';
import { type Operator, splitNegation } from './operators.ts';
import type { Condition } from './parse.ts';
import type { Binder } from './predicates.ts';

/** Lines of the history under an alias: their table, and what they must be. */
type Lines = (alias: string) => { from: string; where: string };

/** Whether the latest of these lines of the contact is within the bounds: one is, and none is later. */
const isLatestWithinSql = (lines: Lines, { from, to }: Operand, binder: Binder): string => {
  const { value, join } = binder;
  // The planner does not know that those with lines are those who are opted out, or have the answers.
  binder.noteMissingStatistics();
  const [line, later] = [lines('r'), lines('l')];
  const compare = (x: string, bound: unknown): string => `${x} cast(${value(bound)} as timestamptz)`;
  const tests = [
    ...(from === undefined ? [] : [compare('r.created_at >=', from)]),
    ...(to === undefined
      ? []
      : [
          compare('r.created_at <=', to),
          `not exists (select 1 from ${later.from} where ${later.where} and l.contact_id = r.contact_id and ${compare('l.created_at >', to)})`,
        ]),
  ];
  const where = [line.where, ...tests].join(' and ');
  return buildExistsSql(join, { from: line.from, contact: 'r.contact_id', where });
};

/** A line of which both sides are equal is a change that its transaction took back. A merge is nobody's consent: the lines of the other contacts say when that was. */
const matchChange = (alias: string): string =>
  `${alias}.group_id = :group and ${alias}.before is distinct from ${alias}.after and ${alias}.operation is distinct from 'mergeContacts'`;

export const compileOptOutCondition = (operator: Operator, operand: Operand, binder: Binder): string => {
  const lines: Lines = (alias) => ({
    from: `consent_changes ${alias}`,
    where: `${matchChange(alias)} and ${alias}.form_id is null and ${alias}.after = 'true'`,
  });
  return negateSql(`(s.black_list and ${isLatestWithinSql(lines, operand, binder)})`, splitNegation(operator)[1]);
};

/** With options, it must hold for the answer under each of them. */
export const compileConsentCondition = (
  { operator, operand, formId, formRefIds = [] }: Condition,
  binder: Binder,
): string => {
  const [asked, negated] = splitNegation(operator);
  const { value, lookup } = binder;
  const forms = lookup(
    `select id from forms where group_id = :group and id = cast(${value(formId)} as bigint) and deleted_at is null and kind = 'consent'`,
  );
  const buildLines =
    (option?: number): Lines =>
    (alias) => {
      // Lines of other answers are those of merged contacts.
      const answer = `a.group_id = :group and a.contact_id = ${alias}.contact_id and a.form_ref_id = ${alias}.option_id`;
      const given = `${alias}.form_id = any(${forms}) and ${alias}.after is not null and a.form_id = any(${forms})`;
      const chosen = option === undefined ? '' : ` and ${alias}.option_id = cast(${value(option)} as bigint)`;
      return {
        from: `consent_changes ${alias} join answers a on ${answer}`,
        where: `${matchChange(alias)} and ${given}${chosen}`,
      };
    };
  const options = asked === 'ext' || formRefIds.length === 0 ? [undefined] : [...new Set(formRefIds)];
  const sql = options.map((option) => isLatestWithinSql(buildLines(option), operand, binder)).join(' and ');
  return negateSql(sql, negated);
};
