// Contacts as JSON text: what a projection shows of them, written by PostgreSQL and passed on as it is.
import { BatchedQuery } from '../../database/batched-query.ts';
import type { EncodedColumn } from '../../database/row-codec.ts';
import type { Space } from '../../database/space.ts';
import type { Values } from '../../database/statement.ts';
import {
  type ContactProjection,
  defineEncodedRead,
  type EncodedRead,
  emptyRelation,
  idColumn,
  type JsonPlan,
  planContactJson,
  readEncodedTexts,
  readTextsById,
} from './json-plan.ts';
import { type ContactRelation, living, matchContactIdSql } from './read.ts';

/** A contact with its JSON text. */
export interface ContactText {
  id: number;
  /** Not there on a page of many. */
  version?: number;
  json: string;
}

/** A contact whose text is still in pieces: its runs, which are stretches of members. */
export interface ContactPieces {
  id: number;
  runs: readonly string[];
}

/** Glues the text of each contact together, once what was left apart is read: with `whole`, the runs too. */
const joinPieces = async <Found extends ContactPieces>(
  space: Space,
  found: Found[],
  { pieces, apart, values }: JsonPlan,
  whole?: EncodedRead,
): Promise<(Found & { json: string })[]> => {
  const ids = found.map(({ id }) => id);
  const parts = new Map<ContactRelation, Map<number, string[]>>();
  const read = async ({ part, read, values }: JsonPlan['apart'][number]): Promise<void> => {
    parts.set(part, await readTextsById(space, read, { ...values, ids }));
  };
  const [all] =
    ids.length > 0
      ? await Promise.all([whole && readTextsById(space, whole, { ...values, ids }), ...apart.map(read)])
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
          parts.get(use.part)!.get(row.id)?.[number] ||
          (use.pick === 'all' || nulls ? emptyRelation[use.pick] : undefined);
        if (value !== undefined) text += key + value;
      }
    }
    return Object.assign(row, { json: `{${text.slice(1)}}` });
  });
};

/** Up to so many contacts come with all their parts. Of more each part of many rows is read by itself, by several connections at once. */
const smallPage = 200;
/** Contacts that are asked for by id, each by another request, and read at once. */
const maxBatchedIds = 20;
const beside: ReadonlySet<ContactRelation> = new Set(['address', 'actions', 'notes']);

interface SmallPagePlan extends JsonPlan {
  one: BatchedQuery<number, string[] | undefined>;
  after: EncodedRead;
}

/** A projection that is read again and again, with how to read it. */
export class ContactJsonQuery {
  readonly #projection: ContactProjection;
  readonly #trusted: boolean;
  #few: SmallPagePlan | undefined;
  #many: (JsonPlan & { whole: EncodedRead; after: EncodedRead }) | undefined;

  /** `trusted` when its keys are our own words, and so may stand in SQL. */
  constructor(projection: ContactProjection, trusted: boolean) {
    this.#projection = projection;
    this.#trusted = trusted;
  }

  get #ofFew(): SmallPagePlan {
    if (!this.#few) {
      const plan = planContactJson(this.#projection, () => true, this.#trusted);
      this.#few = { ...plan, one: this.#oneOf(plan), after: this.#afterOf(plan) };
    }
    return this.#few;
  }

  get #ofMany(): JsonPlan & { whole: EncodedRead; after: EncodedRead } {
    if (!this.#many) {
      const plan = planContactJson(this.#projection, (part) => beside.has(part), this.#trusted);
      const ofIds = `from contacts c ${plan.joins} where c.group_id = :group and c.deleted_at is null and c.id = any(:ids)`;
      const whole = defineEncodedRead('whole', [idColumn, ...plan.runs], ofIds, this.#trusted);
      this.#many = { ...plan, whole, after: this.#afterOf(plan) };
    }
    return this.#many;
  }

  /** What is read of the contact of an id; the id that was asked for comes first, and may be of one that was merged. */
  #oneOf({ runs, joins, values }: JsonPlan): BatchedQuery<number, string[] | undefined> {
    const columns = [{ name: 'asked', sql: 'c.asked' }, { name: 'version', sql: 'c.version' }, idColumn, ...runs];
    const asked = `select asked.id as asked, c.* from contacts c where ${matchContactIdSql('c', 'asked.id')} offset 0`;
    const from = `from unnest(cast(:ids as bigint[])) asked (id) cross join lateral (${asked}) c ${joins}`;
    const read = defineEncodedRead('by_id', columns, from, this.#trusted);
    return new BatchedQuery(maxBatchedIds, async (space, ids) => {
      const found = await readTextsById(space, read, { ...values, ids: [...new Set(ids)] });
      return ids.map((id) => found.get(id));
    });
  }

  #afterOf({ runs, joins }: JsonPlan): EncodedRead {
    const page = `select * from contacts where ${living} and id > :after order by id limit :limit`;
    return defineEncodedRead('after', [idColumn, ...runs], `from (${page}) c ${joins} order by c.id`, this.#trusted);
  }

  /** A contact by id; the survivor, when it was merged. One statement, whatever is shown. */
  async byId(space: Space, id: number): Promise<ContactText | undefined> {
    const plan = this.#ofFew;
    const row = await space.runBatched(plan.one, id);
    if (!row) return undefined;
    const [version, found, ...runs] = row;
    return (await joinPieces(space, [{ version: Number(version), id: Number(found), runs }], plan))[0];
  }

  /** Up to `limit` contacts whose id is greater than `after`, by id. */
  async after(space: Space, options: { after: number; limit: number }): Promise<ContactText[]> {
    const plan = options.limit > smallPage ? this.#ofMany : this.#ofFew;
    const rows = await readEncodedTexts(space, plan.after, { ...plan.values, ...options });
    const found = rows.map(([id, ...runs]) => ({ id: Number(id), runs }));
    return joinPieces(space, found, plan);
  }

  /** What a page of at most `limit` found contacts reads of each contact `c`, if anything, from what is joined to it, and what that binds. */
  ofPage(limit: number): { runs: EncodedColumn[]; joins: string; values: Values } {
    return limit > smallPage ? { runs: [], joins: '', values: {} } : this.#ofFew;
  }

  /** The texts of a page whose rows have what `ofPage` names. */
  texts<Found extends ContactPieces>(
    space: Space,
    rows: Found[],
    limit: number,
  ): Promise<(Found & { json: string })[]> {
    return limit > smallPage
      ? joinPieces(space, rows, this.#ofMany, this.#ofMany.whole)
      : joinPieces(space, rows, this.#ofFew);
  }
}
