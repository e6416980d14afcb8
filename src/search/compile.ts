// From a checked query to SQL over the search row `s`. Texts are constants of this folder; every value of a client is bound.
import { compileAnswerCondition } from './answer-conditions.ts';
import { getAttribute } from './attributes.ts';
import {
  compileActionCondition,
  compileRowCondition,
  compileTableCondition,
  compileTagCondition,
  getColumnBound,
  getColumnSql,
} from './contact-conditions.ts';
import { buildFromClause, type Mailed } from './from-clause.ts';
import type { Reach } from './join-strategy.ts';
import { type Operator, splitNegation } from './operators.ts';
import type { Condition, Group } from './parse.ts';
import type { Binder } from './predicates.ts';
import {
  compileCampaignCondition,
  compileEventCondition,
  compileRecordCondition,
  compileSeveralCondition,
} from './record-conditions.ts';

/** A condition on a contact, and whether it reads rows of e-mails beside the tables that stand in it. */
export interface Clause {
  sql: string;
  mailed: Mailed;
}

/** SQL with the values it binds by name, beside `:group`, and the lists of ids that must be read first. */
export interface Where extends Clause {
  values: Record<string, unknown>;
  /** By the name under which its ids are bound: a query of the column `id`. The same for every purpose. */
  lookups: Record<string, string>;
  /** What every match satisfies of a column of `s` or `m`, by the column. */
  bounds: Record<string, string[]>;
  /** Whether how many match is expected without any statistics. */
  guessed: boolean;
  /** Whether it asks for nothing beyond the columns of `s` and `m`: it is a filter then, whatever the plan. */
  isOwn: boolean;
  /** Of what every match satisfies, a condition that an index answers by itself, and that few may satisfy. */
  leading: string | undefined;
}

/** A condition on `s`, or on `e`, the one row that tells what became of the contact's e-mails; with the lookup of the campaigns of which an e-mail is asked. */
type Compiled = ({ sql: string } | { mails: string }) & { campaigns?: string };

/** Computed once for a statement, also where a plan that knows no values would compute it for each row. */
const once = (sql: string): string => `(select ${sql})`;

const compileCondition = (condition: Condition, binder: Binder): Compiled => {
  const { source, kind } = getAttribute(condition.attribute);
  const { operator, operand } = condition;
  switch (source.of) {
    case 'row':
      return {
        sql: compileRowCondition(
          kind,
          source,
          operator,
          operand,
          binder.reach === 'probe' ? { ...binder, constant: once } : binder,
        ),
      };
    case 'contact':
    case 'address':
      return { sql: compileTableCondition(kind, source, operator, operand, binder) };
    case 'tags':
      return { sql: compileTagCondition(operator, operand, binder) };
    case 'actions':
      return { sql: compileActionCondition(operator, operand, binder) };
    case 'record':
      return { sql: compileRecordCondition(kind, source, operator, operand, binder) };
    case 'event':
      return compileEventCondition(source, operator, operand, binder);
    case 'campaign':
      return compileCampaignCondition(kind, source, operator, operand, binder);
    case 'several':
      return { sql: compileSeveralCondition(kind, source, operand, binder) };
    case 'answers':
      return { sql: compileAnswerCondition(source, condition, binder) };
  }
};

/** Sources of which the search row has all that is asked. */
const ofRow: ReadonlySet<string> = new Set(['row', 'tags', 'actions']);

const isGroup = (part: Group | Condition): part is Group => 'parts' in part;

const join = (parts: string[], every: boolean): string =>
  parts.length > 1 ? `(${parts.join(every ? '\n and ' : '\n or ')})` : parts[0]!;

const mailsOf = 'contact_emails e where e.group_id = :group and e.contact_id = s.contact_id';

/** What a query is compiled for: to find all that match, to count them, to look at contacts one after the other, or to find all that fail it. */
export type Purpose = 'find' | 'count' | 'probe' | 'fail';

/** Ids by the lookup that found them. */
export type LookupIds = Record<string, number[]>;

type Sets = Map<string, ReadonlySet<number>>;

/**
 * Without the conditions that others make needless: an e-mail of one of these campaigns is an e-mail of one of those, when all
 * of these are among those. Negations find nearly every campaign, and to read all their e-mails takes long.
 */
const withoutNeedless = (parts: Compiled[], every: boolean, sets: Sets): Compiled[] => {
  const setOf = (part: Compiled) => ('campaigns' in part ? sets.get(part.campaigns!) : undefined);
  const makesNeedless = (one: Compiled, other: Compiled): boolean => {
    const [inner, outer] = every ? [setOf(one), setOf(other)] : [setOf(other), setOf(one)];
    return inner !== undefined && outer !== undefined && [...inner].every((id) => outer.has(id));
  };
  const needless = (part: Compiled, index: number): boolean =>
    parts.some(
      (other, place) => place !== index && makesNeedless(other, part) && (place < index || !makesNeedless(part, other)),
    );
  return parts.filter((part, index) => !needless(part, index));
};

interface Compiler {
  compileWhole(group: Group): Clause;
  values: Record<string, unknown>;
  lookups: Record<string, string>;
  bounds: Record<string, string[]>;
  /** Of all that was compiled. */
  known(): Pick<Where, 'guessed' | 'isOwn' | 'leading'>;
}

/** Columns of `s` that an index leads along, for all who have a value there and all who have none. */
const led = ['mail', 'surname', 'firstname', 'city', 'postal_code', 'birthdate'];
const leads: Operator[] = ['eql', 'start_with'];

/** Ids that are not found yet are looked up where they are asked for, once for the statement, when contacts are looked at one after the other. */
const compilerFor = (now: string, purpose: Purpose, found: LookupIds | undefined, rowless = false): Compiler => {
  const sets: Sets = new Map();
  const values: Record<string, unknown> = {};
  const lookups: Record<string, string> = {};
  const bounds: Record<string, string[]> = {};
  let [isOwn, guessed] = [true, false];
  let leading: string | undefined;
  let mailed = false;
  // Whether all that match have e-mails.
  let allMailed = false;
  // To count the names each time would take for ever where lists are long.
  let [count, looked] = [0, 0];
  const value = (one: unknown): string => {
    const name = `v${count++}`;
    values[name] = one;
    return `:${name}`;
  };
  const binderFor = (reach: Reach): Binder => ({
    reach,
    counting: purpose === 'count',
    rowless,
    value,
    constant: (sql) => sql,
    now: () => value(now),
    size: (text) => sets.get(text)?.size ?? Infinity,
    guess: () => {
      guessed = true;
    },
    lookup: (sql) => {
      if (purpose === 'probe' && !found) return `array(${sql})`;
      const name = `ids${looked++}`;
      const text = `cast(:${name} as bigint[])`;
      lookups[name] = sql;
      if (found?.[name]) sets.set(text, new Set(found[name]));
      return text;
    },
  });
  const together = binderFor(purpose === 'probe' ? 'probe' : 'join');
  const alternative = binderFor(purpose === 'probe' ? 'probe' : 'set');

  const withMails = (mails: string, always: boolean): string => {
    if (purpose === 'probe') return `(select ${mails} from ${mailsOf})`;
    mailed = true;
    allMailed ||= always;
    // Who has no e-mails has no such row: that is no, not nothing, where it is negated.
    return purpose === 'fail' ? `coalesce(${mails}, false)` : mails;
  };

  /** `always`: whether all that are to be found must satisfy it, or fail it. Conditions on the row of e-mails are asked of it together. */
  const compileGroup = ({ every, parts }: Group, always: boolean): Compiled => {
    if (parts.length === 0) return { sql: every ? 'true' : 'false' };
    const inner = always && (every !== (purpose === 'fail') || parts.length === 1);
    const whole = parts.map((part): Compiled => {
      if (isGroup(part)) return compileGroup(part, inner);
      const one = compileCondition(part, inner ? together : alternative);
      const { source } = getAttribute(part.attribute);
      // A mail to the letter is looked up in the contact.
      if (!ofRow.has(source.of) || splitNegation(part.operator)[0] === 'eql:strictdata') isOwn = false;
      if (inner && source.of === 'row' && 'sql' in one) {
        const column = getColumnSql(source);
        bounds[column] = [...(bounds[column] ?? []), getColumnBound(source, part.operator, one.sql)];
        if (led.includes(source.column) && leads.includes(part.operator)) leading ??= one.sql;
      }
      return one;
    });
    const compiled = withoutNeedless(whole, every, sets);
    const mails = compiled.flatMap((part) => ('mails' in part ? [part.mails] : []));
    const sqls = compiled.flatMap((part) => ('sql' in part ? [part.sql] : []));
    if (sqls.length === 0) return { mails: join(mails, every) };
    return { sql: join([...sqls, ...(mails.length > 0 ? [withMails(join(mails, every), inner)] : [])], every) };
  };

  const compileWhole = (group: Group): Clause => {
    [mailed, allMailed] = [false, false];
    const compiled = compileGroup(group, true);
    const sql = 'mails' in compiled ? withMails(compiled.mails, true) : compiled.sql;
    return { sql, mailed: mailed ? (rowless && allMailed ? 'all' : 'some') : 'none' };
  };

  return { compileWhole, values, lookups, bounds, known: () => ({ guessed, isOwn, leading }) };
};

/** The condition of a WHERE clause, over the tables that stand in it (`tables.ts`). `now` is the one instant of the request; `found` what its lookups found, once they are read. */
export const compileSearch = (
  query: Group,
  now: string,
  purpose: Exclude<Purpose, 'fail'> = 'find',
  found?: LookupIds,
): Where => {
  const whole = (rowless: boolean): Where => {
    const { compileWhole, known, ...bound } = compilerFor(now, purpose, found, rowless);
    return { ...compileWhole(query), ...bound, ...known() };
  };
  const rowless = purpose === 'count' && whole(true);
  // Where the search row is read after all, its lists are at hand.
  return rowless && buildFromClause([rowless.sql], rowless.mailed).isRowless ? rowless : whole(false);
};

/** A clause for each part of a query that all must satisfy: whoever fails the query is found by one of them. */
export const compileFailingClauses = (
  query: Group,
  now: string,
  found: LookupIds,
): { clauses: Clause[]; values: Record<string, unknown> } => {
  const { compileWhole, values } = compilerFor(now, 'fail', found);
  const parts = query.every ? query.parts : [query];
  const clauses = parts.map((part) => {
    const { sql, mailed } = compileWhole({ every: true, parts: [part] });
    return { sql: `not (${sql})`, mailed };
  });
  return { clauses, values };
};
