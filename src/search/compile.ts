// From a checked query to SQL over the search row `s`. Texts are constants of this folder; every value of a client is bound.
import { onAnswers } from './answers.ts';
import { attributeOf } from './attributes.ts';
import type { Condition, Group } from './check.ts';
import { onActions, onRow, onTable, onTags } from './own.ts';
import { onCampaigns, onEvents, onRecords, onSeveral } from './records.ts';
import type { Binder } from './tests.ts';

/** SQL with the values it binds by name, beside `:group`, and the lists of ids that must be read first. */
export interface Where {
  sql: string;
  values: Record<string, unknown>;
  /** By the name under which its ids are bound: a query of the column `id`. */
  lookups: Record<string, string>;
}

/** A condition on `s`, or on `e`, the row that tells what became of the contact's e-mails. */
type Compiled = { sql: string } | { mails: string };

const compileCondition = (condition: Condition, binder: Binder): Compiled => {
  const { source, kind } = attributeOf(condition.attribute);
  const { operator, operand } = condition;
  switch (source.of) {
    case 'row':
      return { sql: onRow(kind, source, operator, operand, binder) };
    case 'contact':
    case 'address':
      return { sql: onTable(kind, source, operator, operand, binder) };
    case 'tags':
      return { sql: onTags(operator, operand, binder) };
    case 'actions':
      return { sql: onActions(operator, operand, binder) };
    case 'record':
      return { sql: onRecords(kind, source, operator, operand, binder) };
    case 'event':
      return onEvents(source, operator, operand, binder);
    case 'campaign':
      return { sql: onCampaigns(kind, source, operator, operand, binder) };
    case 'several':
      return { sql: onSeveral(kind, source, operand, binder) };
    case 'answers':
      return { sql: onAnswers(source, condition, binder) };
  }
};

const isGroup = (part: Group | Condition): part is Group => 'parts' in part;

const hasMails = (mails: string): string =>
  `exists (select from contact_emails e where e.group_id = :group and e.contact_id = s.contact_id and ${mails})`;

const join = (parts: string[], every: boolean): string =>
  parts.length > 1 ? `(${parts.join(every ? '\n and ' : '\n or ')})` : parts[0]!;

/** Conditions on the row of e-mails are asked of it together: it is one row, so that the answer is the same. */
const compileGroup = ({ every, parts }: Group, binder: Binder): Compiled => {
  if (parts.length === 0) return { sql: every ? 'true' : 'false' };
  const compiled = parts.map((part) => (isGroup(part) ? compileGroup(part, binder) : compileCondition(part, binder)));
  const mails = compiled.flatMap((part) => ('mails' in part ? [part.mails] : []));
  const sqls = compiled.flatMap((part) => ('sql' in part ? [part.sql] : []));
  if (sqls.length === 0) return { mails: join(mails, every) };
  return { sql: join([...sqls, ...(mails.length > 0 ? [hasMails(join(mails, every))] : [])], every) };
};

/** The condition of a WHERE clause over the search row `s`. `now` is the one instant of the request. */
export const compile = (query: Group, now: string): Where => {
  const values: Record<string, unknown> = {};
  const lookups: Record<string, string> = {};
  const binder: Binder = {
    value: (value) => {
      const name = `v${Object.keys(values).length}`;
      values[name] = value;
      return `:${name}`;
    },
    now: () => binder.value(now),
    lookup: (sql) => {
      const name = `ids${Object.keys(lookups).length}`;
      lookups[name] = sql;
      return `cast(:${name} as bigint[])`;
    },
  };
  const compiled = compileGroup(query, binder);
  return { sql: 'mails' in compiled ? hasMails(compiled.mails) : compiled.sql, values, lookups };
};
