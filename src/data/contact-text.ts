// Contacts as JSON text: what a projection shows of them, written by PostgreSQL and passed on as it is.
import { byId, living, type Part, relations } from './contact.ts';
import {
  jsonOf,
  Keys,
  type Leaf,
  leafOf,
  type Member,
  membersSql,
  nothing,
  objectSql,
  type Projection,
  type Written,
} from './projection.ts';
import { prepared, type Space, type Statement, type Values } from './space.ts';

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

/** A stretch of members that comes with the row, or a part that is read for many rows at once. */
type Piece = { run: string } | { key: string; nulls: boolean; use: PartUse; column: string };

interface Plan {
  runs: Column[];
  /** What is selected of a contact `c`, its runs among that, and what is joined to it. */
  columns: string;
  joins: string;
  values: Values;
  pieces: Piece[];
  apart: { part: Part; read: Packed; values: Values }[];
}

/** What is selected of a row, and under which name. */
interface Column {
  name: string;
  sql: string;
}

const ofId: Column = { name: 'id', sql: 'c.id' };

const selected = (columns: Column[]): string => columns.map(({ name, sql }) => `${sql} as ${name}`).join(', ');

const isUse = (value: Leaf | PartUse): value is PartUse => 'part' in value;

const itemOf = ({ of }: PartUse, keys: Keys): string =>
  'column' in of || 'constant' in of ? jsonOf(leafOf('r', of as Leaf)) : objectSql(of as Projection, 'r', keys);

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
    return `select ${selected(gathered(uses, nameOf, keys))} ${rows}`;
  return `select ${selected(uses.map((use) => ({ name: nameOf(use), sql: itemOf(use, keys) })))} ${rows} limit 1`;
};

const textOf = (noun: string, sql: string, trusted: boolean): Statement =>
  prepared(`contact.text.${noun}`, sql, trusted);

const none = { all: '[]', first: 'null' };

type Texts = Record<string, string>;

/** A statement whose rows come as one text, which is received in a fraction of the time: no JSON of PostgreSQL has a line end in it. */
interface Packed {
  names: string[];
  read: Statement;
}

/** `columns` of each row: the id of a contact, then texts, in which null is empty. */
const packed = (noun: string, columns: Column[], from: string, trusted: boolean): Packed => {
  const names = columns.map(({ name }) => name);
  // Not by a function, which takes a hundred values at most.
  const lines = names.map((name) => `coalesce(cast(r.${name} as text), '')`).join(" || '\n' || ");
  const sql = `select string_agg(${lines}, '\n') as lines from (select ${selected(columns)} ${from}) r`;
  return { names, read: textOf(noun, sql, trusted) };
};

/** The texts of each row by its id. */
const unpacked = async (space: Space, { names, read }: Packed, values: Values): Promise<Map<number, Texts>> => {
  const row = await space.row<{ lines: string | null }>(read, values);
  const lines = row?.lines?.split('\n') ?? [];
  const found = new Map<number, Texts>();
  for (let start = 0; start < lines.length; start += names.length) {
    const texts: Texts = {};
    for (let place = 1; place < names.length; place++) texts[names[place]!] = lines[start + place]!;
    found.set(Number(lines[start]), texts);
  }
  return found;
};

/** `along`: the parts that come with each row; the others are read for all rows at once. */
const planOf = (projection: ContactProjection, along: (part: Part) => boolean, trusted: boolean): Plan => {
  const keys = new Keys(trusted);
  const all = projection.map(({ value }) => value).filter(isUse);
  // The wire has the same under two names.
  const uses = [...new Map(all.map((use) => [JSON.stringify(use), use])).values()];
  const nameOf = (use: PartUse): string => `use${uses.findIndex((one) => JSON.stringify(one) === JSON.stringify(use))}`;
  const parts = [...new Set(uses.map(({ part }) => part))];
  const usesOf = (part: Part): PartUse[] => uses.filter((use) => use.part === part);

  const joins = parts
    .filter(along)
    .map((part) => `left join lateral (${ofOne(part, usesOf(part), nameOf, keys)}) ${part}_of on true`);
  const writtenOf = (value: Leaf | PartUse): Written => {
    if (!isUse(value)) return leafOf('c', value);
    const column = `${value.part}_of.${nameOf(value)}`;
    const all = value.pick === 'all';
    return { around: nothing, sql: all ? `coalesce(${column}, '[]')` : column, nullable: !all };
  };

  const pieces: Piece[] = [];
  const runs: Column[] = [];
  let run: Member<Leaf | PartUse>[] = [];
  const endRun = (): void => {
    if (run.length === 0) return;
    const name = `run${runs.length}`;
    pieces.push({ run: name });
    runs.push({ name, sql: membersSql(run, keys, writtenOf) });
    run = [];
  };
  for (const member of projection) {
    const { key, nulls, value } = member;
    if (!isUse(value) || along(value.part)) run.push(member);
    else {
      endRun();
      pieces.push({ key: `,"${key}":`, nulls, use: value, column: nameOf(value) });
    }
  }
  endRun();

  const apart = parts
    .filter((part) => !along(part))
    .map((part) => {
      const own = new Keys(trusted);
      const columns = [{ name: 'id', sql: 'r.contact_id' }, ...gathered(usesOf(part), nameOf, own)];
      const from = `from (${relations[part]('= any(:ids)')}) r group by r.contact_id`;
      return { part, read: packed(part, columns, from, trusted), values: own.values };
    });
  return {
    runs,
    columns: selected([ofId, { name: 'version', sql: 'c.version' }, ...runs]),
    joins: joins.join('\n'),
    values: keys.values,
    pieces,
    apart,
  };
};

/** Glues the text of each row together, once what was left apart is read: with `whole`, what comes with the rows too. */
const finish = async <Found extends { id: number }>(
  space: Space,
  found: Found[],
  { pieces, apart, values }: Plan,
  whole?: Packed,
): Promise<(Found & { json: string })[]> => {
  const ids = found.map(({ id }) => id);
  const parts = new Map<Part, Map<number, Texts>>();
  const read = async ({ part, read, values }: Plan['apart'][number]): Promise<void> => {
    parts.set(part, await unpacked(space, read, { ...values, ids }));
  };
  const [all] =
    ids.length > 0
      ? await Promise.all([whole && unpacked(space, whole, { ...values, ids }), ...apart.map(read)])
      : [undefined];
  // Who was deleted since the page was found is on it no more.
  const rows = all ? found.filter(({ id }) => all.has(id)) : found;
  return rows.map((row) => {
    const texts = all?.get(row.id) ?? (row as unknown as Texts);
    let text = '';
    for (const piece of pieces) {
      if ('run' in piece) text += texts[piece.run];
      else {
        const { key, nulls, use, column } = piece;
        const value =
          parts.get(use.part)!.get(row.id)?.[column] || (use.pick === 'all' || nulls ? none[use.pick] : undefined);
        if (value !== undefined) text += key + value;
      }
    }
    return Object.assign(row, { json: `{${text.slice(1)}}` });
  });
};

/** Up to so many contacts come with all their parts. Of more each part of many rows is read by itself, by several connections at once. */
const few = 200;
const beside: ReadonlySet<Part> = new Set(['address', 'actions', 'notes']);

/** A projection that is read again and again, with how to read it. */
export class Contacts {
  readonly #projection: ContactProjection;
  readonly #trusted: boolean;
  #few: (Plan & { one: Statement; after: Statement }) | undefined;
  #many: (Plan & { after: Statement; whole: Packed }) | undefined;

  /** `trusted` when its keys are our own words, and so may stand in SQL. */
  constructor(projection: ContactProjection, trusted: boolean) {
    this.#projection = projection;
    this.#trusted = trusted;
  }

  get #ofFew(): Plan & { one: Statement; after: Statement } {
    if (!this.#few) {
      const plan = planOf(this.#projection, () => true, this.#trusted);
      const one = `select ${plan.columns} from contacts c ${plan.joins} where ${byId('c')}`;
      this.#few = { ...plan, one: textOf('by_id', one, this.#trusted), after: this.#afterOf(plan) };
    }
    return this.#few;
  }

  get #ofMany(): Plan & { after: Statement; whole: Packed } {
    if (!this.#many) {
      const plan = planOf(this.#projection, (part) => beside.has(part), this.#trusted);
      const ofIds = `from contacts c ${plan.joins} where c.group_id = :group and c.deleted_at is null and c.id = any(:ids)`;
      const whole = packed('whole', [ofId, ...plan.runs], ofIds, this.#trusted);
      this.#many = { ...plan, after: this.#afterOf(plan), whole };
    }
    return this.#many;
  }

  #afterOf({ columns, joins }: Plan): Statement {
    const page = `select * from contacts where ${living} and id > :after order by id limit :limit`;
    return textOf('after', `select ${columns} from (${page}) c ${joins} order by c.id`, this.#trusted);
  }

  /** A contact by id; the survivor, when it was merged. One statement, whatever is shown. */
  async byId(space: Space, id: number): Promise<ContactText | undefined> {
    const plan = this.#ofFew;
    const row = await space.row<ContactText>(plan.one, { ...plan.values, id });
    return row && (await finish(space, [row], plan))[0];
  }

  /** Up to `limit` contacts whose id is greater than `after`, by id. */
  async after(space: Space, options: { after: number; limit: number }): Promise<ContactText[]> {
    const plan = options.limit > few ? this.#ofMany : this.#ofFew;
    return finish(space, await space.rows<ContactText>(plan.after, { ...plan.values, ...options }), plan);
  }

  /** What a page of at most `limit` found contacts selects of each, from what is joined to it, and what that binds. */
  ofPage(limit: number): { columns: string; joins: string; values: Values } {
    if (limit > few) return { columns: 'page.contact_id as id', joins: '', values: {} };
    const { columns, joins, values } = this.#ofFew;
    return { columns, joins: `join contacts c on c.group_id = :group and c.id = page.contact_id ${joins}`, values };
  }

  /** The texts of a page whose rows have what `ofPage` selects. */
  texts<Found extends { id: number }>(
    space: Space,
    rows: Found[],
    limit: number,
  ): Promise<(Found & { json: string })[]> {
    return limit > few ? finish(space, rows, this.#ofMany, this.#ofMany.whole) : finish(space, rows, this.#ofFew);
  }
}
