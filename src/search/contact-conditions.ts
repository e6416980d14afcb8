// Conditions on the contact's own values: columns of the search row, tags, actions, the rare columns of contact and address.
// Their negation is the complement: a contact without the value matches.
import type { Attribute, Identity, Source } from './attribute.ts';
import { buildExistsSql, type RowsTest } from './join-strategy.ts';
import type { Operand } from './operand.ts';
import { type Operator, splitNegation } from './operators.ts';
import { type Binder, foldForComparison, isFilledSql, predicates } from './predicates.ts';

type SourceOf<Name extends Source['of']> = Extract<Source, { of: Name }>;

export const negateSql = (sql: string, negated: boolean): string => (negated ? `not (${sql})` : sql);

export const getColumnSql = ({ in: table, column }: SourceOf<'row'>): string => `${table ?? 's'}.${column}`;

/** The condition as one on the column itself, in the same text as the parts of an order: it narrows an index range, and excludes parts of the order. */
export const getColumnBound = (source: SourceOf<'row'>, operator: Operator, sql: string): string => {
  const [asked, negated] = splitNegation(operator);
  return asked === 'ext' && source.filled ? `${getColumnSql(source)} ${negated ? '=' : '>'} ''` : sql;
};

/** Contacts with a former value that satisfies the operator. They are few, and read before the search, so that it has an index for either. */
const findFormer = (
  { column, former }: SourceOf<'row'>,
  kind: Attribute['kind'],
  operator: Operator,
  operand: Operand,
  binder: Binder,
): string => {
  const predicate = predicates[kind](`fold(f.${column}) collate "C"`, operator, operand, binder);
  const ids = binder.lookup(`select f.contact_id as id from ${former} f where f.group_id = :group and ${predicate}`);
  return `s.contact_id = any(${ids})`;
};

/** Whether former values satisfy the condition too, so that it is no bound of the column. */
export const readsFormer = ({ former }: SourceOf<'row'>, operator: Operator): boolean =>
  former !== undefined && ['eql', 'start_with'].includes(splitNegation(operator)[0]);

/** A condition on the value of the id or the external id. The one of a merged contact means the survivor. */
export const compileIdentityCondition = (
  kind: Attribute['kind'],
  column: Identity,
  operator: Operator,
  operand: Operand,
  binder: Binder,
): string => {
  const [asked, negated] = splitNegation(operator);
  const x = kind === 'text' ? `fold(c.${column}) collate "C"` : `c.${column}`;
  const ids = `select coalesce(c.merged_into, c.id) from contacts c where c.group_id = :group and ${predicates[kind](x, asked, operand, binder)}`;
  return negateSql(`s.contact_id = any(array(${ids}))`, negated);
};

export const compileRowCondition = (
  kind: Attribute['kind'],
  source: SourceOf<'row'>,
  operator: Operator,
  operand: Operand,
  binder: Binder,
): string => {
  const [asked, negated] = splitNegation(operator);
  const x = getColumnSql(source);
  if (asked === 'ext') {
    // Negated or not, it compares this expression, because the statistics are of this expression.
    if (source.filled) return `(s.filled & ${source.filled}) ${negated ? '=' : '<>'} 0`;
    if (source.empty) return `${x} ${negated ? '=' : '<>'} ${source.empty}`;
    return negated ? 'false' : 'true';
  }
  if (asked === 'eql:strictdata') {
    const text = binder.value(operand.values[0]);
    // Few contacts have the same mail apart from case and accents: each is read.
    const where = `c.group_id = :group and c.mail = ${text}`;
    return negateSql(
      `(s.mail = fold(${text}) and ${buildExistsSql('probe', { from: 'contacts c', contact: 'c.id', where })})`,
      negated,
    );
  }
  const predicate = predicates[kind](x, asked, operand, binder);
  if (source.former) return negateSql(`(${predicate} or ${findFormer(source, kind, asked, operand, binder)})`, negated);
  // A missing day is stored as infinity.
  return negateSql(kind === 'day' ? `(${predicate} and ${x} < 'infinity')` : predicate, negated);
};

export const compileTableCondition = (
  kind: Attribute['kind'],
  { of, column }: SourceOf<'contact' | 'address'>,
  operator: Operator,
  operand: Operand,
  binder: Binder,
): RowsTest => {
  const [asked, negated] = splitNegation(operator);
  const [from, contact] = of === 'contact' ? ['contacts c', 'c.id'] : ['addresses c', 'c.contact_id'];
  const x = `c.${column}`;
  const rows = { join: binder.join, from, contact, scope: 'c.group_id = :group', isSingle: true };
  // Flags that are set are few: the others are found as those without one.
  if (kind === 'flag') return { ...rows, test: x, negated: negated === operand.values[0] };
  // Each text has an index over its folding. A contact at hand is tested sooner by the function that PostgreSQL inlines than by that of the index.
  const isIndexed = kind === 'text' && binder.join !== 'probe';
  const compared = isIndexed ? `fold(${x}) collate "C"` : foldForComparison(kind, x);
  const predicate = asked === 'ext' ? isFilledSql(kind, x) : predicates[kind](compared, asked, operand, binder);
  return { ...rows, test: predicate, negated };
};

/** Whether the contact is linked to one of these. The search row lists the links; a table has a row for each. */
const isLinkedSql = (noun: 'tag' | 'action', ids: string, { join, chooseSource }: Binder): string =>
  chooseSource(
    buildExistsSql(join, {
      from: `contact_${noun}s r`,
      contact: 'r.contact_id',
      where: `r.group_id = :group and r.${noun}_id = any(${ids})`,
    }),
    `s.${noun}_ids && ${ids}`,
  );

/** A condition on the names of tags or actions. Deleted actions do not count. */
export const compileNameCondition = (
  noun: 'tag' | 'action',
  operator: Operator,
  { values }: Operand,
  binder: Binder,
): string => {
  const { value, lookup } = binder;
  const [asked, negated] = splitNegation(operator);
  if (asked === 'ext') return `s.tag_ids ${negated ? '=' : '<>'} '{}'`;
  const hasAny = (names: unknown[]): string => {
    const folded = names.map((name) => `fold(${value(name)})`).join(', ');
    const living = noun === 'action' ? ' and deleted_at is null' : '';
    return isLinkedSql(
      noun,
      lookup(`select id from ${noun}s where group_id = :group${living} and fold(name) in (${folded})`),
      binder,
    );
  };
  // Two of them may fold to one name: each name asks for any of its own.
  if (asked === 'all_of') return `(${values.map((name) => hasAny([name])).join(' and ')})`;
  return negateSql(hasAny(values), negated);
};

/** Deleted actions do not count. */
export const compileActionCondition = (operator: Operator, { values }: Operand, binder: Binder): string => {
  const { value, lookup } = binder;
  const living = `select id from actions where group_id = :group and id = cast(${value(values[0])} as bigint) and deleted_at is null`;
  return negateSql(isLinkedSql('action', lookup(living), binder), splitNegation(operator)[1]);
};
