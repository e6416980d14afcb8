// From a checked query to a condition in SQL over the search row `s`. The texts are constants of this folder; every value of a client is bound.
import { getAttribute } from './attributes.ts';
import { type Compiled, compileCondition } from './compile-condition.ts';
import { getColumnBound, getColumnSql, readsFormer } from './contact-conditions.ts';
import { buildFromClause, type EmailRows } from './from-clause.ts';
import { buildRowsSql, type JoinStrategy, mergeRowsTests } from './join-strategy.ts';
import { type Operator, splitNegation } from './operators.ts';
import { type Condition, type Group, matchEverybody } from './parse.ts';
import type { Binder } from './predicates.ts';

/** A condition on a contact, and whether it reads rows of e-mails. */
export interface Clause {
  sql: string;
  emails: EmailRows;
}

/** A condition with the values that it binds by name, beside `:group`. */
export interface Where extends Clause {
  values: Record<string, unknown>;
  /** Conditions that every match satisfies on a column of `s` or `m`, by the column. */
  bounds: Record<string, string[]>;
  /** Whether a condition is of a kind for which PostgreSQL has no statistics. */
  lacksStatistics: boolean;
  /** Whether it reads nothing beyond the columns of `s` and `m`: it is a filter then, whatever the plan. */
  readsRowOnly: boolean;
  /** A condition that every match satisfies, that one index answers, and that few contacts may satisfy. */
  leading: string | undefined;
}

/** A group whose conditions are compiled, and which is not joined to one condition yet. */
interface CompiledGroup {
  every: boolean;
  negated: boolean;
  isRequired: boolean;
  parts: (Compiled | CompiledGroup)[];
}

/** Sources whose conditions read nothing but the search row. */
const rowSources: ReadonlySet<string> = new Set(['row', 'tags', 'actions', 'actionNames']);

const isGroup = (part: Group | Condition): part is Group => 'parts' in part;

const joinSql = (parts: string[], every: boolean): string =>
  parts.length > 1 ? `(${parts.join(every ? '\n and ' : '\n or ')})` : parts[0]!;

const emailsOfContact = 'contact_emails e where e.group_id = :group and e.contact_id = s.contact_id';

/** The purpose of a compiled query: finding all matches, counting them, testing one contact after the other, or finding all contacts that fail. */
type Purpose = 'find' | 'count' | 'probe' | 'fail';

/** Ids by the lookup that found them. */
export type LookupIds = Record<string, number[]>;

type IdSets = Map<string, ReadonlySet<number>>;

/**
 * Drops conditions that others imply: an e-mail of one of these campaigns is an e-mail of one of those, when all
 * of these are among those. Negations find nearly every campaign, and reading all their e-mails takes long.
 */
const dropImplied = (parts: Compiled[], every: boolean, sets: IdSets): Compiled[] => {
  const getSet = (part: Compiled) => ('campaigns' in part ? sets.get(part.campaigns!) : undefined);
  const implies = (one: Compiled, other: Compiled): boolean => {
    const [inner, outer] = every ? [getSet(one), getSet(other)] : [getSet(other), getSet(one)];
    return inner !== undefined && outer !== undefined && [...inner].every((id) => outer.has(id));
  };
  const isImplied = (part: Compiled, index: number): boolean =>
    parts.some((other, place) => place !== index && implies(other, part) && (place < index || !implies(part, other)));
  return parts.filter((part, index) => !isImplied(part, index));
};

/** Columns of `s` with an index over all contacts, and the operators that such an index answers. */
const indexedColumns = ['surname', 'firstname', 'city', 'postal_code', 'birthdate'];
const indexedOperators: Operator[] = ['eql', 'start_with'];

const castLookup = (name: string): string => `cast(:${name} as bigint[])`;

/** Compiles the groups of one query for one purpose. All its texts share the values and the lookups. */
class QueryCompiler {
  readonly values: Record<string, unknown> = {};
  /** By the name under which its ids are bound: a query of the column `id`. The same for every purpose. */
  readonly lookups: Record<string, string> = {};
  readonly bounds: Record<string, string[]> = {};
  readsRowOnly = true;
  lacksStatistics = false;
  leading: string | undefined;
  readonly #sets: IdSets = new Map();
  /** Conditions over tables, with the same over the search row. */
  readonly #overRow = new Map<string, string>();
  readonly #purpose: Purpose;
  readonly #required: Binder;
  readonly #alternative: Binder;
  // Names are counted here: counting the keys each time would take quadratic time for long lists.
  #valueCount = 0;
  #lookupCount = 0;
  #readsEmails = false;
  /** Whether a group of the query is negated. */
  #negates = false;
  /** Whether every match has e-mails. */
  #requiresEmails = false;

  constructor(now: string, purpose: Purpose, found?: LookupIds) {
    this.#purpose = purpose;
    const value = (one: unknown): string => {
      // Named by purpose, so that one statement can hold a query that is compiled for two.
      const name = `${purpose}${this.#valueCount++}`;
      this.values[name] = one;
      return `:${name}`;
    };
    const createBinder = (strategy: JoinStrategy): Binder => ({
      join: strategy,
      counting: purpose === 'count',
      // Counting whole tables is less work than reading the search row, which buildClause checks in the end.
      chooseSource: (overTable, overRow) => {
        if (purpose !== 'count') return overRow;
        this.#overRow.set(overTable, overRow);
        return overTable;
      },
      value,
      constant: (sql) => sql,
      now: () => value(now),
      isToCome: (instant) => (instant as string) >= now,
      size: (text) => this.#sets.get(text)?.size ?? Infinity,
      noteMissingStatistics: () => {
        this.lacksStatistics = true;
      },
      lookup: (sql) => {
        const name = `ids${this.#lookupCount++}`;
        this.lookups[name] = sql;
        if (found?.[name]) this.#sets.set(castLookup(name), new Set(found[name]));
        return castLookup(name);
      },
    });
    this.#required = createBinder(purpose === 'probe' ? 'probe' : 'join');
    this.#alternative = createBinder(purpose === 'probe' ? 'probe' : 'set');
  }

  /** Compiles the conditions of a group. `always`: whether every contact to be found must satisfy it, or fail it. */
  compileGroup({ every, negated = false, parts }: Group, always = true): CompiledGroup {
    this.#negates ||= negated;
    const isRequired = always && !negated && (every !== (this.#purpose === 'fail') || parts.length === 1);
    return {
      every,
      negated,
      isRequired,
      parts: parts.map((part) => {
        if (isGroup(part)) return this.compileGroup(part, isRequired);
        const one = compileCondition(part, isRequired ? this.#required : this.#alternative);
        const { source } = getAttribute(part.attribute);
        const { currency } = part.operand;
        // A mail to the letter is read from the contact, an amount in another currency than euros from the records.
        // So is the number of records that satisfy others.
        const isColumn = !currency && !part.record;
        if (!rowSources.has(source.of) || splitNegation(part.operator)[0] === 'eql:strictdata' || !isColumn)
          this.readsRowOnly = false;
        if (isRequired && source.of === 'row' && 'sql' in one && isColumn) {
          const column = getColumnSql(source);
          // Two indexes answer a condition that former values satisfy too.
          if (!readsFormer(source, part.operator)) {
            this.bounds[column] = [...(this.bounds[column] ?? []), getColumnBound(source, part.operator, one.sql)];
            if (indexedColumns.includes(source.column) && indexedOperators.includes(part.operator))
              this.leading ??= one.sql;
          }
        }
        return one;
      }),
    };
  }

  /** The condition of a compiled group. `found` are the ids of its lookups; without them the condition reads them itself. */
  buildClause(group: CompiledGroup, found?: LookupIds): Clause {
    this.#sets.clear();
    for (const [name, ids] of Object.entries(found ?? {})) this.#sets.set(castLookup(name), new Set(ids));
    [this.#readsEmails, this.#requiresEmails] = [false, false];
    const joined = this.#joinGroup(group);
    const sql = this.#settle(this.#purpose === 'fail' ? this.#negate(joined) : joined, true);
    const isRequired = this.#purpose === 'count' && this.#requiresEmails;
    const emails = this.#readsEmails ? (isRequired ? 'required' : 'optional') : 'none';
    return { sql: this.#preferRow(found ? sql : this.inlineLookups(sql), emails), emails };
  }

  #joinGroup(group: CompiledGroup): Compiled {
    const joined = this.#joinParts(group);
    return group.negated ? this.#negate(joined) : joined;
  }

  /** PostgreSQL joins rows that must be there, and rows that must not, but not those of a condition that is negated twice. */
  #negate(joined: Compiled): Compiled {
    if ('rows' in joined) return { rows: { ...joined.rows, negated: !joined.rows.negated } };
    return { sql: `not (${this.#settle(joined, false)})` };
  }

  /** A condition on `s`. `isRequired`: whether every match satisfies it. */
  #settle(joined: Compiled, isRequired: boolean): string {
    if ('rows' in joined) return buildRowsSql(joined.rows);
    return 'emailSql' in joined ? this.#testEmails(joined.emailSql, isRequired) : joined.sql;
  }

  /** Conditions on the row of e-mails are joined to one, so that the row is read once. */
  #joinParts({ every, isRequired, parts }: CompiledGroup): Compiled {
    if (parts.length === 0) return { sql: every ? 'true' : 'false' };
    const joined = dropImplied(
      parts.map((part) => ('parts' in part ? this.#joinGroup(part) : part)),
      every,
      this.#sets,
    );
    const emails = joined.flatMap((part) => ('emailSql' in part ? [part.emailSql] : []));
    const rows = joined.flatMap((part) => ('rows' in part ? [part.rows] : []));
    const merged = mergeRowsTests(rows, every);
    // Not built yet: the group above may have others on the same table.
    if (merged.length === 1 && rows.length === joined.length) return { rows: merged[0]! };
    const sqls = [...joined.flatMap((part) => ('sql' in part ? [part.sql] : [])), ...merged.map(buildRowsSql)];
    if (sqls.length === 0) return { emailSql: joinSql(emails, every) };
    const onEmails = emails.length > 0 ? [this.#testEmails(joinSql(emails, every), isRequired)] : [];
    return { sql: joinSql([...sqls, ...onEmails], every) };
  }

  #testEmails(emailSql: string, isRequired: boolean): string {
    // Contacts without e-mails have no such row. Negated, that must be false, not null.
    const settle = (sql: string): string =>
      this.#purpose === 'fail' || this.#negates ? `coalesce(${sql}, false)` : sql;
    if (this.#purpose === 'probe') return settle(`(select ${emailSql} from ${emailsOfContact})`);
    this.#readsEmails = true;
    this.#requiresEmails ||= isRequired;
    return settle(emailSql);
  }

  /** When the search row is read all the same, its lists are at hand. */
  #preferRow(sql: string, emails: EmailRows): string {
    if (this.#overRow.size === 0 || buildFromClause([sql], emails).skipsSearchRow) return sql;
    return [...this.#overRow].reduce((text, [overTable, overRow]) => text.replaceAll(overTable, () => overRow), sql);
  }

  inlineLookups(sql: string): string {
    return Object.entries(this.lookups).reduce(
      (text, [name, ids]) => text.replaceAll(castLookup(name), () => `array(${ids})`),
      sql,
    );
  }
}

/** A query compiled for one purpose. Its lookups are read before the condition is built, or by the condition itself. */
interface CompiledSearch {
  lookups: Record<string, string>;
  values: Record<string, unknown>;
  build(found?: LookupIds): Where;
}

const compileFor = (query: Group, compiler: QueryCompiler): CompiledSearch => {
  const group = compiler.compileGroup(query);
  const { values, lookups, bounds, readsRowOnly, lacksStatistics } = compiler;
  return {
    lookups,
    values,
    build: (found) => ({
      ...compiler.buildClause(group, found),
      values,
      bounds,
      readsRowOnly,
      lacksStatistics,
      leading: compiler.leading && !found ? compiler.inlineLookups(compiler.leading) : compiler.leading,
    }),
  };
};

/**
 * Compiles the condition of a WHERE clause, over the tables that stand in it (`from-clause.ts`). `now` is the one instant of the request.
 * This is the one function that compiles a query to find or to probe; a `SearchPlan` calls it once for each.
 */
export const compileSearch = (query: Group, now: string, purpose: 'find' | 'probe'): CompiledSearch =>
  compileFor(query, new QueryCompiler(now, purpose));

/** The condition by which matches are counted. If it can do without the search row, it reads whole tables of links and e-mails instead. */
export const compileCount = (query: Group, now: string, found: LookupIds): Where =>
  compileFor(query, new QueryCompiler(now, 'count', found)).build(found);

/** A clause for each part that every match must satisfy: a contact that fails the query is found by at least one of them. */
export const compileFailingClauses = (
  query: Group,
  now: string,
  found: LookupIds,
): { clauses: Clause[]; values: Record<string, unknown> } => {
  const compiler = new QueryCompiler(now, 'fail', found);
  const parts = query.every && !query.negated && query.parts.length > 0 ? query.parts : [query];
  const clauses = parts.map((part) =>
    compiler.buildClause(compiler.compileGroup({ ...matchEverybody, parts: [part] }), found),
  );
  return { clauses, values: compiler.values };
};
