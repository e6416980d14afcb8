// Conditions on records (money, memberships, e-mails, sanctions): each asks for at least one record of which it holds.
// Negated, for one whose value is set and differs; without a value, for one whose field is empty.
import type { Attribute, RecordSource, Source } from './attribute.ts';
import { buildExistsSql } from './join-strategy.ts';
import type { Operand } from './operand.ts';
import { type Operator, splitNegation } from './operators.ts';
import { type Binder, foldForComparison, isFilledSql, tests } from './predicates.ts';

type Of<Name extends Source['of']> = Extract<Source, { of: Name }>;
type ValueKind = Attribute['kind'];

const alive = 'r.group_id = :group and r.deleted_at is null';
const anyRecord = (family: RecordSource, test: string, { reach }: Binder): string =>
  buildExistsSql(reach, { from: `${family} r`, contact: 'r.contact_id', where: `${alive} and ${test}` });

/** What one record, or one campaign, must be like. */
const holds = (kind: ValueKind, column: string, operator: Operator, operand: Operand, binder: Binder): string => {
  const [asked, negated] = splitNegation(operator);
  // A year and a validity are asked of the record as a whole.
  const set = kind === 'year' || kind === 'validity' ? 'true' : isFilledSql(kind, column);
  if (kind === 'text') binder.guess();
  if (asked === 'ext') return negated ? `not (${set})` : set;
  const test = tests[kind](foldForComparison(kind, column), asked, operand, binder);
  return negated ? `${set} and not (${test})` : test;
};

/** The links that were clicked are a list: one of them fits, or, negated, none does. */
const onLinks = (operator: Operator, operand: Operand, binder: Binder): string => {
  const [asked, negated] = splitNegation(operator);
  const set = `cardinality(coalesce(r.clicked_urls, '{}')) > 0`;
  binder.guess();
  if (asked === 'ext') return negated ? `not (${set})` : set;
  const test = tests.text(foldForComparison('text', 'u.url'), asked, operand, binder);
  return `${set} and ${negated ? 'not ' : ''}exists (select from unnest(r.clicked_urls) u (url) where ${test})`;
};

export const compileRecordCondition = (
  kind: ValueKind,
  { family, column, extremes }: Of<'record'>,
  operator: Operator,
  operand: Operand,
  binder: Binder,
): string => {
  if (column === 'r.clicked_urls') return anyRecord(family, onLinks(operator, operand, binder), binder);
  const test = holds(kind, column, operator, operand, binder);
  if (!extremes) return anyRecord(family, test, binder);
  // The least and the greatest of them decide, but for a span with neither in it.
  const { count, least, most } = extremes;
  const cast = (value: unknown): string => `cast(${binder.value(value)} as bigint)`;
  const [from, to] = operand.values.length > 0 ? [operand.values[0], operand.values[0]] : [operand.from, operand.to];
  // Who has none has 0 for either: only where that would do must there be some.
  const some = (from as number) > 0 || (to as number) < 0 ? '' : `${count} > 0 and `;
  if (operator === 'not_eql') return `(${count} > 0 and (${least} <> ${cast(from)} or ${most} <> ${cast(from)}))`;
  if (to === undefined) return `(${some}${most} >= ${cast(from)})`;
  if (from === undefined) return `(${some}${least} <= ${cast(to)})`;
  const [low, high] = [cast(from), cast(to)];
  const between = anyRecord(family, test, { ...binder, reach: binder.reach === 'join' ? 'set' : binder.reach });
  return `(${some}${most} >= ${low} and ${least} <= ${high} and (${least} >= ${low} or ${most} <= ${high} or ${between}))`;
};

/**
 * What became of e-mails. `mails` is a condition on `e`, the one row that a contact with e-mails has; the caller brings
 * several such conditions together. `sql` is a condition on `s`.
 */
export const compileEventCondition = (
  { column, bit, latest }: Of<'event'>,
  operator: Operator,
  operand: Operand,
  binder: Binder,
): { mails: string } | { sql: string } => {
  if (operator === 'ext') return { mails: `(e.with_value & ${bit}) <> 0` };
  // Every e-mail was created at some time.
  if (operator === 'not_ext' && bit === 1) return { sql: 'false' };
  if (operator === 'not_ext') return { mails: `(e.without_value & ${bit}) <> 0` };
  if (operator === 'gte' && latest) return { mails: tests.instant(latest, operator, operand, binder) };
  return { sql: anyRecord('emails', tests.instant(column, operator, operand, binder), binder) };
};

/**
 * What the e-mails of a campaign have in common: campaigns are few, and found first. A deleted one says nothing any more.
 * `campaigns` is the lookup of them, unless e-mails without a campaign are meant too.
 */
export const compileCampaignCondition = (
  kind: ValueKind,
  { column }: Of<'campaign'>,
  operator: Operator,
  operand: Operand,
  binder: Binder,
): ({ sql: string } | { mails: string }) & { campaigns?: string } => {
  const test = holds(kind, column, operator, operand, binder);
  const [campaigns, others] = ['', 'is not true'].map((outcome) =>
    binder.lookup(`select c.id from campaigns c
    left join campaigns k on k.group_id = c.group_id and k.id = c.id and k.deleted_at is null
    left join templates t on t.group_id = k.group_id and t.id = k.template_id and t.deleted_at is null
    where c.group_id = :group and (${test}) ${outcome}`),
  ) as [string, string];
  const found = `r.campaign_id = any(${campaigns})`;
  if (operator === 'not_ext') return { sql: anyRecord('emails', `(r.campaign_id is null or ${found})`, binder) };
  if (binder.counting && binder.size(others) < binder.size(campaigns))
    return { mails: notOnly(others, binder), campaigns };
  return { sql: anyRecord('emails', found, binder), campaigns };
};

/** Whether there are e-mails of campaigns beside those of these: where these are few, it takes less than to read all others. */
const notOnly = (campaigns: string, { reach }: Binder): string => {
  const of = `select r.contact_id, cast(count(*) as integer) as mailings from emails r
      where ${alive} and r.campaign_id = any(${campaigns}) group by r.contact_id`;
  const fewer =
    reach === 'join'
      ? `not exists (select from (${of}) r where r.contact_id = e.contact_id and r.mailings = e.mailings)`
      : `(e.contact_id, e.mailings) not in (${of})`;
  return `(e.mailings > 0 and ${fewer})`;
};

export const compileSeveralCondition = (
  kind: ValueKind,
  { family }: Of<'several'>,
  operand: Operand,
  binder: Binder,
): string => {
  const test = `${alive} and ${tests[kind]('r', 'eql', operand, binder)}`;
  return binder.reach === 'probe'
    ? `(select count(*) > 1 from ${family} r where r.contact_id = s.contact_id and ${test})`
    : `s.contact_id in (select r.contact_id from ${family} r where ${test} group by r.contact_id having count(*) > 1)`;
};
