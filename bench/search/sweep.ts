// Asks for every attribute with every operator alone, for values of nobody, of few, of a tenth and of most: all ways to a page, and the count.
import type { Client } from 'pg';
import { type AttributeName, attributes, getAttribute } from '../../src/search/attributes.ts';
import type { Operator } from '../../src/search/operators.ts';
import { translateQuery } from '../../test/search/contact-query.ts';
import { computeMedian } from '../harness/median.ts';
import { computeDatabaseUse, readDatabaseCpu } from '../harness/process.ts';
import { buildSearch, requireAll, type Search } from './body.ts';
import { type Choice, chooseValues, type Share } from './cell-values.ts';
import { askGraph, countOverHttp, countSearch, searchPage } from './over-http.ts';
import { countSeconds } from './progress.ts';
import { ms } from './report.ts';
import type { Ask } from './service.ts';

/** The ways to a page, in the order in which they are asked, and the count. A jump is a page out of turn, `next` the one that follows it; `ceiling` counts to 10,000. */
export const ways = ['first', 'tenth', 'jump', 'next', 'backwards', 'ceiling', 'count'] as const;
export type Way = (typeof ways)[number];

export interface Cell {
  name: string;
  share: Share;
  search: Search;
  matches: number;
  /** Medians in milliseconds; undefined where there are not so many pages. */
  times: Partial<Record<Way, number>>;
  /** Milliseconds of CPU of PostgreSQL for one request. */
  cpu: Partial<Record<Way, number>>;
  /** The error, or the difference from the number that was counted by hand. */
  problem?: string;
}

const size = 50;
/** Where the jump goes to, of the matches. */
const far = 0.9;

const buildCellSearch = (name: AttributeName, operator: Operator, { operand }: Choice): Search =>
  buildSearch('surname', [requireAll({ attr: name, ope: operator, ...operand })], { size });

const measureCell = async (client: Client, ask: Ask, cell: Cell, repeat: number): Promise<void> => {
  const { search } = cell;
  cell.matches = countOverHttp(await countSearch(ask, search));
  const pages = Math.ceil(cell.matches / size);
  const at = (page: number) => (): Promise<unknown> => searchPage(ask, { ...search, page });
  // A page that is asked for again begins where it began before, so each round jumps to another one.
  let target = Math.floor(pages * far);
  const document = `query ($query: ContactQuery!) { searchContacts(last: ${size}, orderBy: { field: LAST_NAME }, query: $query) { nodes { databaseId firstName lastName email } } }`;
  const query = translateQuery(search.query);
  const works: Partial<Record<Way, () => Promise<unknown>>> = {
    first: at(0),
    ...(pages > 10 && { tenth: at(9) }),
    ...(pages > 40 && {
      jump: () => {
        target -= 2;
        return at(target)();
      },
      next: () => at(target + 1)(),
    }),
    backwards: () => askGraph(ask, document, { query }),
    ceiling: () =>
      askGraph(ask, 'query ($query: ContactQuery!) { searchContacts(first: 0, query: $query) { count { value } } }', {
        query,
      }),
    count: () => countSearch(ask, search),
  };
  const taken = new Map<Way, number[]>();
  const used = new Map<Way, number>();
  for (let round = 0; round <= repeat; round++) {
    for (const [way, work] of Object.entries(works) as [Way, () => Promise<unknown>][]) {
      const before = await readDatabaseCpu(client);
      const started = performance.now();
      await work();
      const took = performance.now() - started;
      used.set(way, (used.get(way) ?? 0) + computeDatabaseUse(before, await readDatabaseCpu(client)) / 1000);
      // The cold round counts only where there is no other.
      if (round > 0 || repeat === 0) taken.set(way, [...(taken.get(way) ?? []), took]);
    }
  }
  for (const [way, times] of taken) {
    cell.times[way] = computeMedian(times);
    cell.cpu[way] = used.get(way)! / (repeat + 1);
  }
};

/** Values that are not sought alone: a segment takes as long as its query, a condition on records as what it asks of each. */
const isAskedAlone = (name: AttributeName): boolean => !['segment', 'records'].includes(getAttribute(name).source.of);

/** A cell by the way in which it took longest. */
export interface SlowCell {
  cell: Cell;
  way: Way;
  ms: number;
}

/** The cells that took longest, each by the way in which it did, the slowest first. */
export const listSlowest = (cells: readonly Cell[], many: number): SlowCell[] =>
  cells
    .flatMap((cell) => {
      const [slowest] = Object.entries(cell.times).toSorted(([, a], [, b]) => b - a);
      return slowest ? [{ cell, way: slowest[0] as Way, ms: slowest[1] }] : [];
    })
    .toSorted((a, b) => b.ms - a.ms)
    .slice(0, many);

/** Each cell is asked once cold, and `repeat` times after that. */
export const measureCells = async (
  client: Client,
  ask: Ask,
  { space, contacts, repeat, only }: { space: number; contacts: number; repeat: number; only: string[] | undefined },
): Promise<Cell[]> => {
  const names = (Object.keys(attributes) as AttributeName[]).filter(
    (name) => isAskedAlone(name) && (!only || only.some((one) => name.toUpperCase().startsWith(one))),
  );
  const swept: Cell[] = [];
  for (const [place, name] of names.entries()) {
    const started = performance.now();
    const cells: Cell[] = [];
    for (const [operator, choices] of await chooseValues(client, space, contacts, name)) {
      for (const choice of choices) {
        const search = buildCellSearch(name, operator, choice);
        const cell: Cell = { name: `${name} ${operator}`, share: choice.share, search, matches: 0, times: {}, cpu: {} };
        await measureCell(client, ask, cell, repeat).catch((error: Error) => {
          cell.problem = error.message;
        });
        if (choice.byHand !== undefined && !cell.problem && choice.byHand !== cell.matches)
          cell.problem = `counts ${cell.matches}, by hand ${choice.byHand}`;
        cells.push(cell);
      }
    }
    swept.push(...cells);
    const slowest = listSlowest(cells, 2).map(
      ({ cell, way, ms: took }) => `${cell.name.slice(name.length + 1)} ${cell.share} ${way} ${ms(took)} ms`,
    );
    console.error(
      `${place + 1} of ${names.length}: ${name}, ${cells.length} conditions in ${countSeconds(started).toFixed(0)} s; ${slowest.join(', ')}`,
    );
  }
  return swept;
};
