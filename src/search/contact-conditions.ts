// Conditions on what is the contact's own: columns of the search row, tags, actions, the rare columns of contact and address.
// Negation is the complement: a contact without the value matches.
import type { Attribute, Source } from './attribute.ts';
import { buildExistsSql } from './join-strategy.ts';
import type { Operand } from './operand.ts';
import { type Operator, splitNegation } from './operators.ts';
import { type Binder, foldForComparison, isFilledSql, tests } from './predicates.ts';

type Of<Name extends Source['of']> = Extract<Source, { of: Name }>;

export const negateSql = (sql: string, negated: boolean): string => (negated ? `not (${sql})` : sql);

export const getColumnSql = ({ in: table, column }: Of<'row'>): string => `${table ?? 's'}.${column}`;

/** What the condition says of the column itself, in the words of orders: there an index leads, and a part that is ruled out is not walked. */
export const getColumnBound = (source: Of<'row'>, operator: Operator, sql: string): string => {
  const [asked, negated] = splitNegation(operator);
  return asked === 'ext' && source.filled ? `${getColumnSql(source)} ${negated ? '=' : '>'} ''` : sql;
};

export const compileRowCondition = (
  kind: Attribute['kind'],
  source: Of<'row'>,
  operator: Operator,
  operand: Operand,
  binder: Binder,
): string => {
  const [asked, negated] = splitNegation(operator);
  const x = getColumnSql(source);
  if (asked === 'ext') {
    // Written as one comparison either way, since the statistics know it in these words.
    if (source.filled) return `(s.filled & ${source.filled}) ${negated ? '=' : '<>'} 0`;
    if (source.empty) return `${x} ${negated ? '=' : '<>'} ${source.empty}`;
    return negated ? 'false' : 'true';
  }
  if (asked === 'eql:strictdata') {
    const text = binder.value(operand.values[0]);
    // Few have the mail but for case and accents: each is looked at.
    const where = `c.group_id = :group and c.mail = ${text}`;
    return negateSql(
      `(s.mail = fold(${text}) and ${buildExistsSql('probe', { from: 'contacts c', contact: 'c.id', where })})`,
      negated,
    );
  }
  const test = tests[kind](x, asked, operand, binder);
  // A day that is not known is stored as the last of all.
  return negateSql(kind === 'day' ? `(${test} and ${x} < 'infinity')` : test, negated);
};

export const compileTableCondition = (
  kind: Attribute['kind'],
  { of, column }: Of<'contact' | 'address'>,
  operator: Operator,
  operand: Operand,
  binder: Binder,
): string => {
  const [asked, negated] = splitNegation(operator);
  const [from, contact] = of === 'contact' ? ['contacts c', 'c.id'] : ['addresses c', 'c.contact_id'];
  const x = `c.${column}`;
  if (kind === 'text') binder.guess();
  const test = asked === 'ext' ? isFilledSql(kind, x) : tests[kind](foldForComparison(kind, x), asked, operand, binder);
  return negateSql(buildExistsSql(binder.reach, { from, contact, where: `c.group_id = :group and ${test}` }), negated);
};

/** Whether the contact is linked to one of these: its row has them in a list, a table each as a row of its own. */
const onLinks = (noun: 'tag' | 'action', ids: string, { reach, rowless }: Binder): string =>
  rowless
    ? buildExistsSql(reach, {
        from: `contact_${noun}s r`,
        contact: 'r.contact_id',
        where: `r.group_id = :group and r.${noun}_id = any(${ids})`,
      })
    : `s.${noun}_ids && ${ids}`;

export const compileTagCondition = (operator: Operator, { values }: Operand, binder: Binder): string => {
  const { value, lookup } = binder;
  const [asked, negated] = splitNegation(operator);
  if (asked === 'ext') return `s.tag_ids ${negated ? '=' : '<>'} '{}'`;
  const any = (names: unknown[]): string => {
    const folded = names.map((name) => `fold(${value(name)})`).join(', ');
    return onLinks('tag', lookup(`select id from tags where group_id = :group and fold(name) in (${folded})`), binder);
  };
  // Two tags may fold to one name, so that each name asks for any of its tags.
  if (asked === 'all_of') return `(${values.map((name) => any([name])).join(' and ')})`;
  return negateSql(any(values), negated);
};

/** A deleted action is none. */
export const compileActionCondition = (operator: Operator, { values }: Operand, binder: Binder): string => {
  const { value, lookup } = binder;
  const living = `select id from actions where group_id = :group and id = cast(${value(values[0])} as bigint) and deleted_at is null`;
  return negateSql(onLinks('action', lookup(living), binder), splitNegation(operator)[1]);
};
