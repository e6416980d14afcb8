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
  version: number;
  json: string;
}

type Row = { id: number; version: number } & Record<string, string | null>;

/** A stretch of members that comes with the row, or a part that is read for many rows at once. */
type Piece = { run: string } | { key: string; nulls: boolean; use: PartUse; column: string };

interface Plan {
  /** What is selected of a contact `c`, and what is joined to it. */
  columns: string;
  joins: string;
  values: Values;
  pieces: Piece[];
  apart: { part: Part; read: Statement; values: Values }[];
}

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
const gathered = (uses: PartUse[], nameOf: (use: PartUse) => string, keys: Keys): string =>
  uses.map((use) => `${aggregate(use, keys)} as ${nameOf(use)}`).join(', ');

/** The same of the parts of one contact: nothing is gathered where the first row is all that is shown. */
const ofOne = (part: Part, uses: PartUse[], nameOf: (use: PartUse) => string, keys: Keys): string => {
  const rows = `from (${relations[part]('= c.id')}) r`;
  if (uses.some(({ pick, where }) => pick === 'all' || where)) return `select ${gathered(uses, nameOf, keys)} ${rows}`;
  return `select ${uses.map((use) => `${itemOf(use, keys)} as ${nameOf(use)}`).join(', ')} ${rows} limit 1`;
};

const textOf = (noun: string, sql: string, trusted: boolean): Statement =>
  prepared(`contact.text.${noun}`, sql, trusted);

const none = { all: '[]', first: 'null' };

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
  const runs: string[] = [];
  let run: Member<Leaf | PartUse>[] = [];
  const endRun = (): void => {
    if (run.length === 0) return;
    pieces.push({ run: `run${runs.length}` });
    runs.push(`${membersSql(run, keys, writtenOf)} as run${runs.length}`);
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
      const sql = `select r.contact_id, ${gathered(usesOf(part), nameOf, own)} from (${relations[part]('= any(:ids)')}) r group by r.contact_id`;
      return { part, read: textOf(part, sql, trusted), values: own.values };
    });
  return {
    columns: ['c.id', 'c.version', ...runs].join(', '),
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
  whole?: Statement,
): Promise<(Found & ContactText)[]> => {
  const ids = found.map(({ id }) => id);
  const parts = new Map<Part, Map<number, Record<string, string | null>>>();
  const read = async ({ part, read, values }: Plan['apart'][number]): Promise<void> => {
    const found = await space.rows<{ contact_id: number } & Record<string, string | null>>(read, { ...values, ids });
    parts.set(part, new Map(found.map((row) => [row.contact_id, row])));
  };
  const [all] =
    ids.length > 0
      ? await Promise.all([whole && space.rows<Row>(whole, { ...values, ids }), ...apart.map(read)])
      : [undefined];
  const known = all && new Map(all.map((row) => [row.id, row]));
  // Who was deleted since the page was found is on it no more.
  const rows = known ? found.flatMap((row) => (known.has(row.id) ? { ...row, ...known.get(row.id) } : [])) : found;
  for (const row of rows as unknown as (Row & ContactText)[]) {
    let text = '';
    for (const piece of pieces) {
      if ('run' in piece) text += row[piece.run];
      else {
        const { key, nulls, use, column } = piece;
        const value =
          parts.get(use.part)!.get(row.id)?.[column] ?? (use.pick === 'all' || nulls ? none[use.pick] : undefined);
        if (value !== undefined) text += key + value;
      }
    }
    row.json = `{${text.slice(1)}}`;
  }
  return rows as unknown as (Found & ContactText)[];
};

/** Up to so many contacts come with all their parts. Of more each part of many rows is read by itself, by several connections at once. */
const few = 200;
const beside: ReadonlySet<Part> = new Set(['address', 'actions', 'notes']);

/** A projection that is read again and again, with how to read it. */
export class Contacts {
  readonly #projection: ContactProjection;
  readonly #trusted: boolean;
  #few: (Plan & { one: Statement; after: Statement }) | undefined;
  #many: (Plan & { after: Statement; whole: Statement }) | undefined;

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

  get #ofMany(): Plan & { after: Statement; whole: Statement } {
    if (!this.#many) {
      const plan = planOf(this.#projection, (part) => beside.has(part), this.#trusted);
      const whole = `select ${plan.columns} from contacts c ${plan.joins} where c.group_id = :group and c.deleted_at is null and c.id = any(:ids)`;
      this.#many = { ...plan, after: this.#afterOf(plan), whole: textOf('whole', whole, this.#trusted) };
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
  texts<Found extends { id: number }>(space: Space, rows: Found[], limit: number): Promise<(Found & ContactText)[]> {
    return limit > few ? finish(space, rows, this.#ofMany, this.#ofMany.whole) : finish(space, rows, this.#ofFew);
  }
}
