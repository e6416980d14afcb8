// Contact search: the page that a checked query finds, and how many there are in all.

import {
  decodeRows,
  type EncodedColumn,
  type EncodedRows,
  encodeRowsSql,
  selectColumnsSql,
} from '../../database/row-codec.ts';
import type { Space } from '../../database/space.ts';
import { defineStatement, prepareStatement, type Rows, type Values } from '../../database/statement.ts';
import { compileFailingClauses, compileSearch, type LookupIds, type Where } from '../../search/compile.ts';
import {
  bindPageValues,
  buildGatherSql,
  buildMatchesSql,
  buildPageSql,
  choosePageWay,
  type Expected,
  isShortWalk,
  listOrderBounds,
  matchesMany,
  matchesNearlyAll,
  type Order,
  type Page,
  type SortPosition,
  shortWalkRows,
  type Way,
} from '../../search/order.ts';
import type { Group } from '../../search/parse.ts';
import type { ContactJsonQuery, ContactPieces, ContactText } from '../contact/json.ts';
import { type ContactRelation, type ContactWith, selectContactColumns } from '../contact/read.ts';
import { getSearchMemory, type RememberedSearch } from './match-counts.ts';
import { computePageOffset, type Numbered, openNumberedPage } from './traversal.ts';

export interface Search {
  query: Group;
  /** The one instant of the request, as text. */
  now: string;
  order: Order;
  /** What was asked, in the words of the client: the same words, the same search. */
  words: string;
}

/** Where a page begins: after a place in the order, or by its number. */
export type Start = { after: SortPosition | null } | Numbered;

export type FoundContact = ContactWith & SortPosition;
export type FoundText = ContactText & SortPosition;

/** A condition with all that it binds: the ids that it looks up are read. */
export interface BoundCondition {
  where: Where;
  values: Record<string, unknown>;
}

/** Compiles a query with the ids that it looks up, for the purpose that is asked for. */
export const bindSearchQuery = async (
  rows: Rows,
  query: Group,
  now: string,
): Promise<{ boundFor(purpose: 'find' | 'probe'): BoundCondition; found: LookupIds }> => {
  const plain = compileSearch(query, now);
  const lists = Object.entries(plain.lookups).map(([name, ids]) => `array(${ids}) as ${name}`);
  if (lists.length === 0)
    return {
      boundFor: (purpose) => boundOf(purpose === 'find' ? plain : compileSearch(query, now, purpose), {}),
      found: {},
    };
  const [found] = await rows<LookupIds>(prepareStatement('search.lookup', `select ${lists.join(', ')}`), plain.values);
  return { boundFor: (purpose) => boundOf(compileSearch(query, now, purpose, found!), found!), found: found! };
};

const boundOf = (where: Where, found: LookupIds): BoundCondition => ({ where, values: { ...where.values, ...found } });

interface Estimate {
  'QUERY PLAN': [{ Plan: { 'Plan Rows': number } }];
}

/** How many contacts the planner expects. */
const estimate = async (rows: Rows, { where, values }: BoundCondition): Promise<number> => {
  const sql = `explain (format json) select ${buildMatchesSql(where)}`;
  const [plan] = await rows<Estimate>(defineStatement(null, sql), values);
  return plan!['QUERY PLAN'][0].Plan['Plan Rows'];
};

const matchEverybody: Group = { every: true, parts: [] };

/** How many contacts a search concerns, as far as the planner knows. */
export const estimateMatches = async (
  rows: Rows,
  space: Space,
  { query, now, order }: Search,
  { memory, find }: { memory: RememberedSearch; find(): BoundCondition },
): Promise<Expected> => {
  if (memory.expected) return memory.expected;
  const everyone: BoundCondition = { where: compileSearch(matchEverybody, now), values: {} };
  const total = await getSearchMemory(space).sizeOf(space.id, () => estimate(rows, everyone));
  const expected: Expected = { matches: total, total, along: total };
  if (!query.every || query.parts.length > 0) {
    const bound = find();
    const narrow = listOrderBounds(order, bound.where);
    const stretch: BoundCondition = { ...bound, where: { ...bound.where, sql: narrow.join(' and '), mailed: 'none' } };
    if (narrow.length > 0) expected.along = await estimate(rows, stretch);
    expected.matches = await estimate(rows, bound);
  }
  memory.learnExpected(expected);
  return expected;
};

interface PageOptions {
  start: Start;
  limit: number;
  /** The way to insist on, whatever is expected. */
  way?: Way;
}

/** What is read of the contacts of a page. */
interface SelectedColumns<Row> {
  /** SQL of it, given that of the ids of the page with their places. */
  sql(ids: string): string;
  values: Values;
  rowsOf(rows: unknown[]): Row[];
}

/** Contacts before a page from which on it is worth a look whether there are so many at all. */
const deep = 10_000;
/** There are no more contacts than ids up to the largest. Deleted ones count: a traversal may have read them. */
const lastId = defineStatement('search.last_id', 'select max(id) as id from contacts where group_id = :group');

/** Whether a page by number begins after the last contact of the space, told without looking for any. */
const isPastAll = async (space: Space, { page }: Numbered, limit: number): Promise<boolean> => {
  const offset = computePageOffset(page, limit);
  return offset >= deep && offset > ((await space.row<{ id: number | null }>(lastId))?.id ?? -1);
};

const findPageOfRows = async <Row extends SortPosition>(
  space: Space,
  search: Search,
  { start, limit, way }: PageOptions,
  selected: SelectedColumns<Row>,
): Promise<Row[]> => {
  if ('after' in start)
    return findPageByWay(space, search, { page: { limit, after: start.after, offset: 0 }, way }, selected);
  if (await isPastAll(space, start, limit)) return [];
  for (let looks = false; ; looks = true) {
    const { page, close } = await openNumberedPage(space, search, start, { limit, looks });
    const found = await findPageByWay(space, search, { page, way }, selected);
    if (await close(found)) return found;
  }
};

/** A page as a stretch of the order, and the way to insist on, whatever is expected. */
interface PageStretch {
  page: Page;
  way: Way | undefined;
}

const findPageByWay = async <Row extends SortPosition>(
  space: Space,
  search: Search,
  { page, way }: PageStretch,
  selected: SelectedColumns<Row>,
): Promise<Row[]> => {
  const memory = getSearchMemory(space).of(space.id, search.words);
  const soon = way ? undefined : await findPageSoon<Row>(space, search, page, { selected, memory });
  if (soon && soon !== 'walked') return soon;
  return space.runSlow(async (rows) => {
    const { boundFor } = await bindSearchQuery(rows, search.query, search.now);
    const find = (): BoundCondition => boundFor('find');
    const expected = await estimateMatches(rows, space, search, { memory, find });
    const insisted = way && { first: way, otherwise: 'sort' as const, steps: undefined };
    const { first: usual, otherwise, steps } = insisted ?? choosePageWay(page, expected, find().where.guessed);
    const first = soon === 'walked' ? otherwise : usual;
    const read = async (way: Way): Promise<Row[]> => {
      const { where, values } = boundFor(way === 'walk' ? 'probe' : 'find');
      const sql = selected.sql(buildPageSql(search.order, page, where, way));
      const bound = { ...selected.values, ...values, ...bindPageValues(page, steps) };
      return selected.rowsOf(await rows(prepareStatement('search.page', sql), bound));
    };
    const found = await read(first);
    const isFull = first !== 'walk' || found.length >= page.limit;
    return isFull ? found : read(otherwise);
  });
};

/**
 * A page that is had in a moment, whatever the values, by the columns of the search row alone: most are. A search that was asked
 * before is walked to when a short walk should do; of any other those are gathered whom one condition leads to. Undefined where
 * neither is to be tried, or too many would have been gathered; else it says that it walked in vain.
 */
const findPageSoon = async <Row extends SortPosition>(
  space: Space,
  { query, now, order }: Search,
  page: Page,
  { selected, memory }: { selected: SelectedColumns<Row>; memory: RememberedSearch },
): Promise<Row[] | 'walked' | undefined> => {
  const where = compileSearch(query, now, 'probe');
  if (!where.isOwn) return undefined;
  const ask = async (name: string, sql: string): Promise<Row[] | undefined> => {
    const values = { ...selected.values, ...where.values, ...bindPageValues(page, shortWalkRows) };
    const rows = await space.runIndexOnly(prepareStatement(name, selected.sql(sql)), values);
    return rows && selected.rowsOf(rows);
  };
  if (memory.expected && isShortWalk(order, page, where, memory.expected)) {
    const found = await ask('search.walk', buildPageSql(order, page, where, 'walk'));
    return found && found.length < page.limit ? 'walked' : found;
  }
  if (!where.leading || memory.isWide) return undefined;
  const found = await ask('search.gather', buildGatherSql(order, page, where));
  if (found && found.length > 0) return found;
  memory.learnWide();
  return undefined;
};

/** What is read of each contact `c` of a page, beside its place: one after the other, so that they stay in order. */
const contactsOf = (ids: string, columns: string, joins = ''): string => `
  from (${ids}) page cross join lateral (
    select ${columns} from contacts c ${joins} where c.group_id = :group and c.id = page.contact_id offset 0) r`;

/** The contacts of a page, in order, each with these parts and its place. */
export const findContacts = (
  space: Space,
  search: Search,
  { parts = [], ...page }: PageOptions & { parts?: readonly ContactRelation[] },
): Promise<FoundContact[]> =>
  findPageOfRows(space, search, page, {
    sql: (ids) => `select page.part, page.key, r.* ${contactsOf(ids, selectContactColumns(parts))}`,
    values: {},
    rowsOf: (rows) => rows as FoundContact[],
  });

/** Of a key no line end may be left. */
const placeColumns: EncodedColumn[] = [
  { name: 'part', sql: 'page.part' },
  { name: 'key', sql: 'to_json(page.key)' },
  { name: 'id', sql: 'page.contact_id' },
];

/** Of a page few keys are ever asked for: its last one, as a rule. */
class PlacedRow implements SortPosition, ContactPieces {
  readonly part: number;
  readonly #key: string;
  readonly id: number;
  readonly runs: string[];

  constructor([part, key, id, ...runs]: string[]) {
    this.part = Number(part);
    this.#key = key!;
    this.id = Number(id);
    this.runs = runs;
  }

  get key(): string | null {
    return this.#key === '' ? null : JSON.parse(this.#key);
  }
}

/** The same, each as what is shown of it. */
export const findContactsAsJson = async (
  space: Space,
  search: Search,
  { contacts, ...page }: PageOptions & { contacts: ContactJsonQuery },
): Promise<FoundText[]> => {
  const { runs, joins, values } = contacts.ofPage(page.limit);
  const columns = [...placeColumns, ...runs.map(({ name }) => ({ name, sql: `r.${name}` }))];
  const found = await findPageOfRows<PlacedRow>(space, search, page, {
    sql: (ids) =>
      encodeRowsSql(columns, runs.length > 0 ? contactsOf(ids, selectColumnsSql(runs), joins) : `from (${ids}) page`),
    values,
    rowsOf: (rows) => decodeRows(rows as EncodedRows[], columns).map((lines) => new PlacedRow(lines)),
  });
  return contacts.texts(space, found, page.limit);
};

/** How many contacts a search finds. When that is nearly everybody, those it does not find are counted off; `side` insists on one. */
export const countFoundContacts = (space: Space, search: Search, side?: 'matching' | 'failing'): Promise<number> =>
  space.runSlow(async (rows) => {
    const { boundFor, found } = await bindSearchQuery(rows, search.query, search.now);
    const find = boundFor('find');
    const count = async (sql: string, values: Record<string, unknown>): Promise<number> =>
      (await rows<{ total: number }>(defineStatement(null, sql), values))[0]!.total;
    const memory = getSearchMemory(space).of(space.id, search.words);
    const expected =
      search.query.parts.length > 0
        ? await estimateMatches(rows, space, search, { memory, find: () => find })
        : undefined;
    if (side ? side === 'matching' : !(expected && matchesNearlyAll(expected))) {
      const where =
        side || (expected && matchesMany(expected))
          ? compileSearch(search.query, search.now, 'count', found)
          : find.where;
      return count(`select count(*) as total ${buildMatchesSql(where)}`, { ...where.values, ...found });
    }
    const { clauses, values } = compileFailingClauses(search.query, search.now, found);
    const failing = clauses.map((clause) => `select s.contact_id ${buildMatchesSql(clause)}`).join(' union all ');
    const sql = `select (select count(*) from contact_search where group_id = :group) - (select count(distinct contact_id) from (${failing}) failing) as total`;
    return count(sql, { ...find.values, ...values });
  });
