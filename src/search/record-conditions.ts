// Conditions on records (money, memberships, e-mails, sanctions, consents): each asks for at least one record that satisfies it.
// A negation asks for a record whose value is set and differs; `not_ext` for one whose field is empty.
import type { Attribute, RecordSource, Source } from './attribute.ts';
import { getAttribute } from './attributes.ts';
import { negateSql } from './contact-conditions.ts';
import { ownCurrency } from './currency.ts';
import { buildExistsSql, buildRowsSql, type RowsTest } from './join-strategy.ts';
import type { Operand } from './operand.ts';
import { type Operator, splitNegation } from './operators.ts';
import { type Condition, type Group, matchEverybody } from './parse.ts';
import {
  type Binder,
  compareByTrigrams,
  escapeWildcards,
  foldForComparison,
  isFilledSql,
  predicates,
} from './predicates.ts';

type SourceOf<Name extends Source['of']> = Extract<Source, { of: Name }>;
type ValueKind = Attribute['kind'];

const alive = 'r.group_id = :group and r.deleted_at is null';
/** The records of a family that are searched: never interactions that only superadmins see, so that a segment has the same members for all. */
const selectSearched = (family: RecordSource): string =>
  family === 'interactions' ? `${alive} and not r.only_super_admin` : alive;

/** The payment of a record, under the alias `p`. */
const joinPayment =
  'left join transactions p on p.group_id = :group and p.id = r.transaction_id and p.deleted_at is null';

/** The records of a family, with the tables beside them that a test reads. */
const buildRecordsFrom = (family: RecordSource, test: string): string =>
  /\bp\./.test(test) ? `${family} r ${joinPayment}` : `${family} r`;

const testRecords = (family: RecordSource, test: string, { join }: Binder): RowsTest => ({
  join,
  from: buildRecordsFrom(family, test),
  contact: 'r.contact_id',
  scope: selectSearched(family),
  test,
  negated: false,
  isSingle: false,
});
const hasRecordSql = (family: RecordSource, test: string, binder: Binder): string =>
  buildRowsSql(testRecords(family, test, binder));

/** Texts whose folding has an index of their trigrams. */
export const trigramTexts: readonly string[] = ['r.content', 'r.title', 'r.comments'];

/** Whether a text to look for has a trigram. One or two letters within a text have none. */
export const hasTrigram = (operator: Operator, text: string): boolean =>
  operator === 'start_with' || (operator === 'contains' && text.trim().length > 2);

/** The condition that one record, or one campaign, must satisfy. */
const buildRecordPredicate = (
  kind: ValueKind,
  column: string,
  operator: Operator,
  operand: Operand,
  binder: Binder,
): string => {
  const [asked, negated] = splitNegation(operator);
  // A year and a validity are computed from the whole record.
  const isSet = kind === 'year' || kind === 'validity' ? 'true' : isFilledSql(kind, column);
  const isIndexed = trigramTexts.includes(column) && !negated && hasTrigram(asked, String(operand.values[0]));
  if (asked === 'ext') return negated ? `not (${isSet})` : isSet;
  // A record at hand is tested sooner by the function that PostgreSQL inlines than by that of the index.
  if (isIndexed && binder.join !== 'probe')
    return compareByTrigrams(`fold(${column}) collate "C"`, asked, operand, binder);
  const predicate = predicates[kind](foldForComparison(kind, column), asked, operand, binder);
  return negated ? `${isSet} and not (${predicate})` : predicate;
};

/**
 * The clicked links are a list: one of them satisfies the operator, or, negated, none does. Their text, of an index of trigrams, has each between line
 * feeds, and is null where there are none.
 */
const buildLinksPredicate = (operator: Operator, { values }: Operand, { value, constant }: Binder): string => {
  const [asked, negated] = splitNegation(operator);
  if (asked === 'ext')
    return negated ? `cardinality(coalesce(r.clicked_urls, '{}')) = 0` : 'cardinality(r.clicked_urls) > 0';
  const before = asked === 'contains' ? '%' : String.raw`%\n`;
  const after = asked === 'eql' ? String.raw`\n%` : '%';
  const pattern = `E'${before}' || ${escapeWildcards(`fold(${value(values[0])})`)} || E'${after}'`;
  return `fold_links(r.clicked_urls) collate "C" ${negated ? 'not like' : 'like'} ${constant(pattern)}`;
};

export const compileRecordCondition = (
  kind: ValueKind,
  { family, column, extremes, summary }: SourceOf<'record'>,
  operator: Operator,
  operand: Operand,
  binder: Binder,
): { rows: RowsTest } | { sql: string } | { emailSql: string } => {
  const emailSql = summary && compileSummary(kind, summary, operator, { operand, binder });
  if (emailSql) return { emailSql };
  const test = buildRecordTest(kind, { column }, operator, operand, binder);
  if (!extremes || operand.currency) return { rows: testRecords(family, test, binder) };
  return { sql: compileExtremes({ family, extremes }, operator, { operand, test }, binder) };
};

/** A condition on the values of e-mails that the row of a contact's e-mails lists; undefined where it does not tell. */
const compileSummary = (
  kind: ValueKind,
  { has, lacks, list }: NonNullable<SourceOf<'record'>['summary']>,
  operator: Operator,
  { operand: { values }, binder: { value } }: { operand: Operand; binder: Binder },
): string | undefined => {
  if (operator === 'ext') return has;
  if (operator === 'not_ext') return lacks;
  if (!list || values.length !== 1) return undefined;
  const one = kind === 'text' ? `fold(${value(values[0])})` : `cast(${value(values[0])} as bigint)`;
  return operator === 'eql' ? `${list} @> array[${one}]` : `(${list} <> '{}' and ${list} <> array[${one}])`;
};

/** The condition that one record must satisfy. One on an amount is of a currency. */
const buildRecordTest = (
  kind: ValueKind,
  { column }: Pick<SourceOf<'record'>, 'column'>,
  operator: Operator,
  operand: Operand,
  binder: Binder,
): string => {
  if (column === 'r.clicked_urls') return buildLinksPredicate(operator, operand, binder);
  const predicate = buildRecordPredicate(kind, column, operator, operand, binder);
  return kind === 'cents' ? `${isInSql(operand.currency ?? ownCurrency, binder)} and ${predicate}` : predicate;
};

const buildPartTest = (condition: Condition, binder: Binder): string => {
  const { attribute, operator, operand, location } = condition;
  const { source, kind } = getAttribute(attribute);
  if (source.of === 'record') return buildRecordTest(kind, source, operator, operand, binder);
  if (source.of === 'event') return buildRecordPredicate(kind, source.column, operator, operand, binder);
  if (source.of === 'campaign') return buildCampaignTest(kind, source, operator, operand, binder).test;
  throw new Error(`${location}: ${attribute} is no value of one record`);
};

/** A test without conditions is one of these. Citus plans no table whose test is constant. */
const constants = ['true', 'false'];
const negateTest = (test: string): string =>
  constants.includes(test) ? String(test === 'false') : `(${test} is not true)`;

/** The conditions of a group as one on a record: all must hold, or one. It may be null if a value is missing. */
const buildTogetherTest = ({ every, negated, parts }: Group, binder: Binder): string => {
  const tests = parts.map((part) =>
    'parts' in part ? buildTogetherTest(part, binder) : `(${buildPartTest(part, binder)})`,
  );
  const decisive = String(!every);
  const open = tests.includes(decisive) ? [decisive] : tests.filter((test) => !constants.includes(test));
  const together = open.length > 1 ? `(${open.join(every ? ' and ' : ' or ')})` : (open[0] ?? String(every));
  return negated ? negateTest(together) : together;
};

/** Conditions on records that satisfy others together: at least one, every one or none of them, or a number. */
export const compileTogetherCondition = (
  family: RecordSource,
  { attribute, operator, operand, record = matchEverybody }: Condition,
  binder: Binder,
): { rows: RowsTest } | { sql: string } | { emailSql: string } => {
  const isCount = getAttribute(attribute).kind !== 'record';
  if (isCount && family === 'emails' && record === matchEverybody) return compileEmailCount(operator, operand, binder);
  const test = buildTogetherTest(record, binder);
  if (isCount) return { sql: compileTotal('count(*)', { family, test }, operator, operand, binder) };
  const found = operator === 'all' ? negateTest(test) : test;
  if (found === 'false') return { sql: String(operator !== 'any') };
  return { rows: { ...testRecords(family, found, binder), negated: operator !== 'any' } };
};

const isInSql = (currency: string, { value }: Binder): string => `r.currency = ${value(currency)}`;

/** A condition on the sum of the amounts in a currency that no column holds. */
export const compileSumCondition = (
  family: RecordSource,
  operator: Operator,
  { currency, ...operand }: Operand,
  binder: Binder,
): string => compileTotal('sum(r.amount)', { family, test: isInSql(currency!, binder) }, operator, operand, binder);

const includesZero = ({ values, from = -Infinity, to = Infinity }: Operand): boolean =>
  values.length > 0 ? values[0] === 0 : Number(from) <= 0 && Number(to) >= 0;

/** A condition on the number of e-mails, which the row of e-mails has. Contacts without e-mails have no such row. */
const compileEmailCount = (
  operator: Operator,
  operand: Operand,
  binder: Binder,
): { rows: RowsTest } | { emailSql: string } => {
  const [asked, negated] = splitNegation(operator);
  const compare = (x: string): string => predicates.whole(x, asked, operand, binder);
  if (includesZero(operand) === negated) return { emailSql: negateSql(compare('e.emails'), negated) };
  return {
    rows: {
      join: binder.join,
      from: 'contact_emails c',
      contact: 'c.contact_id',
      scope: 'c.group_id = :group',
      test: negateSql(compare('c.emails'), !negated),
      negated: true,
      isSingle: true,
    },
  };
};

/** A condition on a total over the records that satisfy a test. It is 0 for a contact without such records. */
const compileTotal = (
  total: 'sum(r.amount)' | 'count(*)',
  { family, test }: { family: RecordSource; test: string },
  operator: Operator,
  operand: Operand,
  binder: Binder,
): string => {
  const [asked, negated] = splitNegation(operator);
  binder.noteMissingStatistics();
  const of = `${buildRecordsFrom(family, test)} where ${selectSearched(family)} and ${test}`;
  const compare = (x: string): string => predicates.whole(x, asked, operand, binder);
  if (binder.join === 'probe') {
    const sql = `(select ${compare(`coalesce(${total}, 0)`)} from ${of} and r.contact_id = s.contact_id)`;
    return negated ? `not ${sql}` : sql;
  }
  const hasZero = includesZero(operand);
  const sums = `(select r.contact_id from ${of} group by r.contact_id having ${hasZero ? 'not ' : ''}(${compare(total)}))`;
  return `s.contact_id ${hasZero === negated ? 'in' : 'not in'} ${sums}`;
};

/** A condition on the amounts of records in euros, whose least and greatest the search row has. */
const compileExtremes = (
  { family, extremes }: Required<Pick<SourceOf<'record'>, 'family' | 'extremes'>>,
  operator: Operator,
  { operand, test }: { operand: Operand; test: string },
  binder: Binder,
): string => {
  // The least and the greatest amount decide, except for a range that neither of them lies in.
  const { count, least, most } = extremes;
  const cast = (value: unknown): string => `cast(${binder.value(value)} as bigint)`;
  const [from, to] = operand.values.length > 0 ? [operand.values[0], operand.values[0]] : [operand.from, operand.to];
  // A contact without records has 0 for both: the number of records matters only where 0 would match.
  const some = (from as number) > 0 || (to as number) < 0 ? '' : `${count} > 0 and `;
  // A contact with records and none in euros has a least amount above the greatest.
  if (operator === 'not_eql')
    return `(${count} > 0 and ${least} <= ${most} and (${least} <> ${cast(from)} or ${most} <> ${cast(from)}))`;
  if (to === undefined) return `(${some}${most} >= ${cast(from)})`;
  if (from === undefined) return `(${some}${least} <= ${cast(to)})`;
  const [low, high] = [cast(from), cast(to)];
  const between = hasRecordSql(family, test, { ...binder, join: binder.join === 'join' ? 'set' : binder.join });
  return `(${some}${most} >= ${low} and ${least} <= ${high} and (${least} >= ${low} or ${most} <= ${high} or ${between}))`;
};

/**
 * Conditions on what became of e-mails. `emailSql` is a condition on `e`, the one row that a contact with e-mails has; the caller joins
 * several such conditions. `sql` is a condition on `s`.
 */
export const compileEventCondition = (
  { column, bit, earliest, latest }: SourceOf<'event'>,
  operator: Operator,
  operand: Operand,
  binder: Binder,
): { emailSql: string } | { sql: string } => {
  if (operator === 'ext') return { emailSql: `(e.with_value & ${bit}) <> 0` };
  // Every e-mail has a time at which it was created.
  if (operator === 'not_ext' && bit === 1) return { sql: 'false' };
  if (operator === 'not_ext') return { emailSql: `(e.without_value & ${bit}) <> 0` };
  const extreme = { gte: latest, lte: earliest }[operator as string];
  if (extreme) return { emailSql: predicates.instant(extreme, operator, operand, binder) };
  const test = predicates.instant(column, operator, operand, binder);
  if (!latest || operand.from === undefined || !binder.isToCome(operand.to))
    return { sql: hasRecordSql('emails', test, binder) };
  // Hardly an e-mail is beyond such a span, so the last one decides.
  const [from, to] = [operand.from, operand.to].map((one) => `cast(${binder.value(one)} as timestamptz)`);
  const between = hasRecordSql('emails', test, { ...binder, join: binder.join === 'join' ? 'set' : binder.join });
  return { emailSql: `(${latest} >= ${from} and (${latest} <= ${to} or ${between}))` };
};

/**
 * The condition on an e-mail, by its campaign. Campaigns are few, and are looked up first, as are the others. The values of a deleted
 * campaign count as empty.
 */
const buildCampaignTest = (
  kind: ValueKind,
  { column }: SourceOf<'campaign'>,
  operator: Operator,
  operand: Operand,
  binder: Binder,
): { test: string; campaigns: string; others: string } => {
  const predicate = buildRecordPredicate(kind, column, operator, operand, binder);
  const [campaigns, others] = ['', 'is not true'].map((outcome) =>
    binder.lookup(`select c.id from campaigns c
    left join campaigns k on k.group_id = :group and k.id = c.id and k.deleted_at is null
    left join templates t on t.group_id = :group and t.id = k.template_id and t.deleted_at is null
    where c.group_id = :group and (${predicate}) ${outcome}`),
  ) as [string, string];
  const isFound = `r.campaign_id = any(${campaigns})`;
  return { test: operator === 'not_ext' ? `(r.campaign_id is null or ${isFound})` : isFound, campaigns, others };
};

/** Conditions on the campaign of an e-mail. `campaigns` is their lookup, unless e-mails without a campaign match as well. */
export const compileCampaignCondition = (
  kind: ValueKind,
  source: SourceOf<'campaign'>,
  operator: Operator,
  operand: Operand,
  binder: Binder,
): ({ sql: string } | { emailSql: string }) & { campaigns?: string } => {
  const { test, campaigns, others } = buildCampaignTest(kind, source, operator, operand, binder);
  if (operator === 'not_ext') return { sql: hasRecordSql('emails', test, binder) };
  if (binder.counting && binder.size(others) < binder.size(campaigns))
    return { emailSql: hasOtherCampaignSql(others, binder), campaigns };
  return { sql: hasRecordSql('emails', test, binder), campaigns };
};

/** Whether a contact has e-mails of other campaigns than these. If these are few, counting their e-mails is less work than reading all others. */
const hasOtherCampaignSql = (campaigns: string, { join }: Binder): string => {
  const of = `select r.contact_id, cast(count(*) as integer) as mailings from emails r
      where ${alive} and r.campaign_id = any(${campaigns}) group by r.contact_id`;
  const fewer =
    join === 'join'
      ? `not exists (select 1 from (${of}) r where r.contact_id = e.contact_id and r.mailings = e.mailings)`
      : `(e.contact_id, e.mailings) not in (${of})`;
  return `(e.mailings > 0 and ${fewer})`;
};

export const compileSeveralCondition = (
  kind: ValueKind,
  { family }: SourceOf<'several'>,
  operand: Operand,
  binder: Binder,
): string => {
  const predicate = `${alive} and ${predicates[kind]('r', 'eql', operand, binder)}`;
  binder.noteMissingStatistics();
  return binder.join === 'probe'
    ? `(select count(*) > 1 from ${family} r where r.contact_id = s.contact_id and ${predicate})`
    : `s.contact_id in (select r.contact_id from ${family} r where ${predicate} group by r.contact_id having count(*) > 1)`;
};

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
  const [, negated] = splitNegation(operator);
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
  const options = formRefIds.length === 0 ? [undefined] : [...new Set(formRefIds)];
  const sql = options.map((option) => isLatestWithinSql(buildLines(option), operand, binder)).join(' and ');
  return negateSql(sql, negated);
};
