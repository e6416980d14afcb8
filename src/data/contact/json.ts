// Reads contacts as JSON text that PostgreSQL writes from a projection.
import { BatchedQuery } from '../../database/batcher.ts';
import type { EncodedColumn } from '../../database/row-codec.ts';
import type { Space } from '../../database/space.ts';
import type { Values } from '../../database/statement.ts';
import {
  type ContactProjection,
  defineEncodedRead,
  type EncodedRead,
  emptyRelations,
  idColumn,
  type JsonPlan,
  planContactJson,
  readEncodedTexts,
  readTextsById,
} from './json-plan.ts';
import { bindIdPage, type ContactRelation, type IdPage, type IdPageName, idPages, matchContactIdSql } from './read.ts';

/** A contact with its JSON text. */
export interface ContactText {
  id: number;
  /** Not read for pages. */
  version?: number;
  json: string;
}

/** A contact whose JSON is still in pieces: runs of consecutive members. */
export interface ContactPieces {
  id: number;
  runs: readonly string[];
}

/** Joins the pieces of each contact once the relations that are read separately are here; `whole` also reads the runs. */
const joinPieces = async <Found extends ContactPieces>(
  space: Space,
  found: Found[],
  { pieces, separate: apart, values }: JsonPlan,
  whole?: EncodedRead,
): Promise<(Found & { json: string })[]> => {
  const ids = found.map(({ id }) => id);
  const parts = new Map<ContactRelation, Map<number, string[]>>();
  const read = async ({ part, read, values }: JsonPlan['separate'][number]): Promise<void> => {
    parts.set(part, await readTextsById(space, read, { ...values, ids }));
  };
  const [all] =
    ids.length > 0
      ? await Promise.all([whole && readTextsById(space, whole, { ...values, ids }), ...apart.map(read)])
      : [undefined];
  // Contacts deleted since the page was computed are dropped.
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
          (use.pick === 'all' || nulls ? emptyRelations[use.pick] : undefined);
        if (value !== undefined) text += key + value;
      }
    }
    return Object.assign(row, { json: `{${text.slice(1)}}` });
  });
};

/**
 * Up to this many contacts are read with all their relations. For more, relations with many rows are read separately, over several
 * connections at once.
 */
export const maxInlinePage = 200;
/** Contacts that concurrent requests ask for by id, and that one statement reads. */
const maxBatchedIds = 20;
const inlineRelations: ReadonlySet<ContactRelation> = new Set(['address', 'actions', 'notes']);

type PageReads = (name: IdPageName) => EncodedRead;

interface SmallPagePlan extends JsonPlan {
  one: BatchedQuery<number, string[] | undefined>;
  pages: PageReads;
}

/** A projection with the statements that read it, which are built once. */
export class ContactJsonQuery {
  readonly #projection: ContactProjection;
  readonly #trusted: boolean;
  #inline: SmallPagePlan | undefined;
  #separate: (JsonPlan & { whole: EncodedRead; pages: PageReads }) | undefined;

  /** `trusted` when the keys are constants of the program, and so may stand in SQL. */
  constructor(projection: ContactProjection, trusted: boolean) {
    this.#projection = projection;
    this.#trusted = trusted;
  }

  get #inlinePlan(): SmallPagePlan {
    if (!this.#inline) {
      const plan = planContactJson(this.#projection, () => true, this.#trusted);
      this.#inline = { ...plan, one: this.#createIdQuery(plan), pages: this.#definePageReads(plan) };
    }
    return this.#inline;
  }

  get #separatePlan(): JsonPlan & { whole: EncodedRead; pages: PageReads } {
    if (!this.#separate) {
      const plan = planContactJson(this.#projection, (part) => inlineRelations.has(part), this.#trusted);
      const ofIds = `from contacts c ${plan.joins} where c.group_id = :group and c.deleted_at is null and c.id = any(:ids)`;
      const whole = defineEncodedRead('whole', [idColumn, ...plan.runs], ofIds, this.#trusted);
      this.#separate = { ...plan, whole, pages: this.#definePageReads(plan) };
    }
    return this.#separate;
  }

  /** Reads the contact of each id. The requested id comes first: it may be the old id of a merged contact. */
  #createIdQuery({ runs, joins, values }: JsonPlan): BatchedQuery<number, string[] | undefined> {
    const columns = [{ name: 'asked', sql: 'c.asked' }, { name: 'version', sql: 'c.version' }, idColumn, ...runs];
    const asked = `select asked.id as asked, c.* from contacts c where ${matchContactIdSql('c', 'asked.id')} offset 0`;
    const from = `from unnest(cast(:ids as bigint[])) asked (id) cross join lateral (${asked}) c ${joins}`;
    const read = defineEncodedRead('by_id', columns, from, this.#trusted);
    return new BatchedQuery(maxBatchedIds, async (space, ids) => {
      const found = await readTextsById(space, read, { ...values, ids: [...new Set(ids)] });
      return ids.map((id) => found.get(id));
    });
  }

  /** The statement of each way to read a page, prepared when it is first asked for. */
  #definePageReads({ runs, joins }: JsonPlan): PageReads {
    const known = new Map<IdPageName, EncodedRead>();
    return (name) => {
      const from = `from ${idPages[name]} c ${joins} order by c.id`;
      const read = known.get(name) ?? defineEncodedRead(name, [idColumn, ...runs], from, this.#trusted);
      known.set(name, read);
      return read;
    };
  }

  /** A contact by id; the survivor, when it was merged. One statement, whatever is selected. */
  async readById(space: Space, id: number): Promise<ContactText | undefined> {
    const plan = this.#inlinePlan;
    const row = await space.runBatched(plan.one, id);
    if (!row) return undefined;
    const [version, found, ...runs] = row;
    return (await joinPieces(space, [{ version: Number(version), id: Number(found), runs }], plan))[0];
  }

  /** A page of contacts by id, in ascending order. */
  async readPage(space: Space, page: IdPage): Promise<ContactText[]> {
    const plan = page.limit > maxInlinePage ? this.#separatePlan : this.#inlinePlan;
    const { name, values } = bindIdPage(page);
    const rows = await readEncodedTexts(space, plan.pages(name), { ...plan.values, ...values });
    const found = rows.map(([id, ...runs]) => ({ id: Number(id), runs }));
    return joinPieces(space, found, plan);
  }

  /** The living contacts among these, in this order. */
  readByIds(space: Space, ids: readonly number[]): Promise<ContactText[]> {
    const asked = ids.map((id) => ({ id, runs: [] }));
    return joinPieces(space, asked, this.#separatePlan, this.#separatePlan.whole);
  }

  /** The columns, joins and values with which a search reads a page of at most `limit` contacts `c`; none when the page is read separately. */
  ofPage(limit: number): { runs: EncodedColumn[]; joins: string; values: Values } {
    return limit > maxInlinePage ? { runs: [], joins: '', values: {} } : this.#inlinePlan;
  }

  /** The JSON of a page whose rows have the columns of `ofPage`. */
  texts<Found extends ContactPieces>(
    space: Space,
    rows: Found[],
    limit: number,
  ): Promise<(Found & { json: string })[]> {
    return limit > maxInlinePage
      ? joinPieces(space, rows, this.#separatePlan, this.#separatePlan.whole)
      : joinPieces(space, rows, this.#inlinePlan);
  }
}
