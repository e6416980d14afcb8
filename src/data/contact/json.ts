// Contacts as JSON text: what a projection shows of them, written by PostgreSQL and passed on as it is.

import { Together } from '../../database/batched-query.ts';
import { type Column, decodeRows, encodeRowsSql, type PackedRow, selectColumnsSql } from '../../database/row-codec.ts';
import type { Space } from '../../database/space.ts';
import { prepareStatement, type Scoped, type Statement, type Values } from '../../database/statement.ts';
import {
  buildJsonSql,
  buildMembersSql,
  buildObjectSql,
  Keys,
  type Leaf,
  type Member,
  nothing,
  type Projection,
  type Written,
  writeLeafSql,
} from './json-sql.ts';
import { living, matchContactIdSql, type Part, relations } from './read.ts';

/** What is shown of the rows of a part: of all, or of the first; a value of each, or an object. */
export interface PartUse {
  part: Part;
  pick: 'all' | 'first';
  /** Only the rows whose column holds this, or only the others. */
  where?: { column: string; is: string; not?: true };
  of: Leaf | Projection;
}

export type ContactProjection = Projection<Leaf | PartUse>;

/** A contact with its JSON text. */
export interface ContactText {
  id: number;
  /** Not there on a page of many. */
  version?: number;
  json: string;
}

/** A contact whose text is still in pieces: its runs, which are stretches of members. */
export interface Unglued {
  id: number;
  runs: readonly string[];
}

/** A run by its number, or what of a part that is read for many rows at once: the number of the use among those of the part. */
type Piece = { run: number } | { key: string; nulls: boolean; use: PartUse; number: number };

interface Plan {
  /** What is read of a contact `c`, and what is joined to it for that. */
  runs: Column[];
  joins: string;
  values: Values;
  pieces: Piece[];
  apart: { part: Part; read: ReadAtOnce; values: Values }[];
}

const ofId: Column = { name: 'id', sql: 'c.id' };

const isUse = (value: Leaf | PartUse): value is PartUse => 'part' in value;

const itemOf = ({ of }: PartUse, keys: Keys): string =>
  'column' in of || 'constant' in of
    ? buildJsonSql(writeLeafSql('r', of as Leaf))
    : buildObjectSql(of as Projection, 'r', keys);

const aggregate = (use: PartUse, keys: Keys): string => {
  const { pick, where } = use;
  const item = itemOf(use, keys);
  const only = where ? ` filter (where r.${where.column} ${where.not ? '<>' : '='} '${where.is}')` : '';
  return pick === 'all' ? `'[' || string_agg(${item}, ',')${only} || ']'` : `(array_agg(${item})${only})[1]`;
};

/** SQL of what is used of a part, a column for each use. Rows are gathered in the order in which the relation has them. */
const gathered = (uses: PartUse[], nameOf: (use: PartUse) => string, keys: Keys): Column[] =>
  uses.map((use) => ({ name: nameOf(use), sql: aggregate(use, keys) }));

/** The same of the parts of one contact: nothing is gathered where the first row is all that is shown. */
const ofOne = (part: Part, uses: PartUse[], nameOf: (use: PartUse) => string, keys: Keys): string => {
  const rows = `from (${relations[part]('= c.id')}) r`;
  if (uses.some(({ pick, where }) => pick === 'all' || where))
    return `select ${selectColumnsSql(gathered(uses, nameOf, keys))} ${rows}`;
  return `select ${selectColumnsSql(uses.map((use) => ({ name: nameOf(use), sql: itemOf(use, keys) })))} ${rows} limit 1`;
};

const textOf = (noun: string, sql: string, trusted: boolean): Statement =>
  prepareStatement(`contact.text.${noun}`, sql, trusted);

const none = { all: '[]', first: 'null' };

/** What is read of rows, packed. */
interface ReadAtOnce {
  columns: Column[];
  read: Statement;
}

const atOnce = (noun: string, columns: Column[], from: string, trusted: boolean): ReadAtOnce => ({
  columns,
  read: textOf(noun, encodeRowsSql(columns, from), trusted),
});

const textsOf = async (space: Scoped, { columns, read }: ReadAtOnce, values: Values): Promise<string[][]> =>
  decodeRows(await space.rows<PackedRow>(read, values), columns);

/** The texts of each contact by its id, which stands first. */
const textsById = async (space: Scoped, read: ReadAtOnce, values: Values): Promise<Map<number, string[]>> =>
  new Map((await textsOf(space, read, values)).map(([id, ...texts]) => [Number(id), texts]));

/** `along`: the parts that come with each row; the others are read for all rows at once. */
const planOf = (projection: ContactProjection, along: (part: Part) => boolean, trusted: boolean): Plan => {
  const keys = new Keys(trusted);
  const all = projection.map(({ value }) => value).filter(isUse);
  // The wire has the same under two names.
  const uses = [...new Map(all.map((use) => [JSON.stringify(use), use])).values()];
  const numberOf = (use: PartUse, among: PartUse[]): number =>
    among.findIndex((one) => JSON.stringify(one) === JSON.stringify(use));
  const nameOf = (use: PartUse): string => `use${numberOf(use, uses)}`;
  const parts = [...new Set(uses.map(({ part }) => part))];
  const usesOf = (part: Part): PartUse[] => uses.filter((use) => use.part === part);

  const joins = parts
    .filter(along)
    .map((part) => `left join lateral (${ofOne(part, usesOf(part), nameOf, keys)}) ${part}_of on true`);
  const writtenOf = (value: Leaf | PartUse): Written => {
    if (!isUse(value)) return writeLeafSql('c', value);
    const column = `${value.part}_of.${nameOf(value)}`;
    const all = value.pick === 'all';
    return { around: nothing, sql: all ? `coalesce(${column}, '[]')` : column, nullable: !all };
  };

  const pieces: Piece[] = [];
  const runs: Column[] = [];
  let run: Member<Leaf | PartUse>[] = [];
  const endRun = (): void => {
    if (run.length === 0) return;
    pieces.push({ run: runs.length });
    runs.push({ name: `run${runs.length}`, sql: buildMembersSql(run, keys, writtenOf) });
    run = [];
  };
  for (const member of projection) {
    const { key, nulls, value } = member;
    if (!isUse(value) || along(value.part)) run.push(member);
    else {
      endRun();
      pieces.push({ key: `,"${key}":`, nulls, use: value, number: numberOf(value, usesOf(value.part)) });
    }
  }
  endRun();

  const apart = parts
    .filter((part) => !along(part))
    .map((part) => {
      const own = new Keys(trusted);
      const columns = [{ name: 'id', sql: 'r.contact_id' }, ...gathered(usesOf(part), nameOf, own)];
      const from = `from (${relations[part]('= any(:ids)')}) r group by r.contact_id`;
      return { part, read: atOnce(part, columns, from, trusted), values: own.values };
    });
  return {
    runs,
    joins: joins.join('\n'),
    values: keys.values,
    pieces,
    apart,
  };
};

/** Glues the text of each contact together, once what was left apart is read: with `whole`, the runs too. */
const finish = async <Found extends Unglued>(
  space: Space,
  found: Found[],
  { pieces, apart, values }: Plan,
  whole?: ReadAtOnce,
): Promise<(Found & { json: string })[]> => {
  const ids = found.map(({ id }) => id);
  const parts = new Map<Part, Map<number, string[]>>();
  const read = async ({ part, read, values }: Plan['apart'][number]): Promise<void> => {
    parts.set(part, await textsById(space, read, { ...values, ids }));
  };
  const [all] =
    ids.length > 0
      ? await Promise.all([whole && textsById(space, whole, { ...values, ids }), ...apart.map(read)])
      : [undefined];
  // Who was deleted since the page was found is on it no more.
  const rows = all ? found.filter(({ id }) => all.has(id)) : found;
  return rows.map((row) => {
    const runs = all?.get(row.id) ?? row.runs;
    let text = '';
    for (const piece of pieces) {
      if ('run' in piece) text += runs[piece.run];
      else {
        const { key, nulls, use, number } = piece;
        const value =
          parts.get(use.part)!.get(row.id)?.[number] || (use.pick === 'all' || nulls ? none[use.pick] : undefined);
        if (value !== undefined) text += key + value;
      }
    }
    return Object.assign(row, { json: `{${text.slice(1)}}` });
  });
};

/** Up to so many contacts come with all their parts. Of more each part of many rows is read by itself, by several connections at once. */
const few = 200;
/** Contacts that are asked for by id, each by another request, and read at once. */
const abreast = 20;
const beside: ReadonlySet<Part> = new Set(['address', 'actions', 'notes']);

interface PlanOfFew extends Plan {
  one: Together<number, string[] | undefined>;
  after: ReadAtOnce;
}

/** A projection that is read again and again, with how to read it. */
export class Contacts {
  readonly #projection: ContactProjection;
  readonly #trusted: boolean;
  #few: PlanOfFew | undefined;
  #many: (Plan & { whole: ReadAtOnce; after: ReadAtOnce }) | undefined;

  /** `trusted` when its keys are our own words, and so may stand in SQL. */
  constructor(projection: ContactProjection, trusted: boolean) {
    this.#projection = projection;
    this.#trusted = trusted;
  }

  get #ofFew(): PlanOfFew {
    if (!this.#few) {
      const plan = planOf(this.#projection, () => true, this.#trusted);
      this.#few = { ...plan, one: this.#oneOf(plan), after: this.#afterOf(plan) };
    }
    return this.#few;
  }

  get #ofMany(): Plan & { whole: ReadAtOnce; after: ReadAtOnce } {
    if (!this.#many) {
      const plan = planOf(this.#projection, (part) => beside.has(part), this.#trusted);
      const ofIds = `from contacts c ${plan.joins} where c.group_id = :group and c.deleted_at is null and c.id = any(:ids)`;
      const whole = atOnce('whole', [ofId, ...plan.runs], ofIds, this.#trusted);
      this.#many = { ...plan, whole, after: this.#afterOf(plan) };
    }
    return this.#many;
  }

  /** What is read of the contact of an id; the id that was asked for comes first, and may be of one that was merged. */
  #oneOf({ runs, joins, values }: Plan): Together<number, string[] | undefined> {
    const columns = [{ name: 'asked', sql: 'c.asked' }, { name: 'version', sql: 'c.version' }, ofId, ...runs];
    const asked = `select asked.id as asked, c.* from contacts c where ${matchContactIdSql('c', 'asked.id')} offset 0`;
    const from = `from unnest(cast(:ids as bigint[])) asked (id) cross join lateral (${asked}) c ${joins}`;
    const read = atOnce('by_id', columns, from, this.#trusted);
    return new Together(abreast, async (space, ids) => {
      const found = await textsById(space, read, { ...values, ids: [...new Set(ids)] });
      return ids.map((id) => found.get(id));
    });
  }

  #afterOf({ runs, joins }: Plan): ReadAtOnce {
    const page = `select * from contacts where ${living} and id > :after order by id limit :limit`;
    return atOnce('after', [ofId, ...runs], `from (${page}) c ${joins} order by c.id`, this.#trusted);
  }

  /** A contact by id; the survivor, when it was merged. One statement, whatever is shown. */
  async byId(space: Space, id: number): Promise<ContactText | undefined> {
    const plan = this.#ofFew;
    const row = await space.together(plan.one, id);
    if (!row) return undefined;
    const [version, found, ...runs] = row;
    return (await finish(space, [{ version: Number(version), id: Number(found), runs }], plan))[0];
  }

  /** Up to `limit` contacts whose id is greater than `after`, by id. */
  async after(space: Space, options: { after: number; limit: number }): Promise<ContactText[]> {
    const plan = options.limit > few ? this.#ofMany : this.#ofFew;
    const rows = await textsOf(space, plan.after, { ...plan.values, ...options });
    const found = rows.map(([id, ...runs]) => ({ id: Number(id), runs }));
    return finish(space, found, plan);
  }

  /** What a page of at most `limit` found contacts reads of each contact `c`, if anything, from what is joined to it, and what that binds. */
  ofPage(limit: number): { runs: Column[]; joins: string; values: Values } {
    return limit > few ? { runs: [], joins: '', values: {} } : this.#ofFew;
  }

  /** The texts of a page whose rows have what `ofPage` names. */
  texts<Found extends Unglued>(space: Space, rows: Found[], limit: number): Promise<(Found & { json: string })[]> {
    return limit > few ? finish(space, rows, this.#ofMany, this.#ofMany.whole) : finish(space, rows, this.#ofFew);
  }
}
