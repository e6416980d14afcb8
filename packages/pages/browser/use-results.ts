// The results of a segment, live: the count soon after a change, then what each part finds alone, and the charts. Answers of older segments are dropped.
import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import {
  type Api,
  type ApiProblem,
  beginReading,
  convertToProblem,
  type PlacedFault,
  sleep,
  type Work,
} from './api.ts';
import { findPartAt, type WrittenQuery } from './graph-query.ts';

/** The people that one part of the segment finds alone, and the work that takes. */
interface PartCost {
  matches: number;
  exact: boolean;
  milliseconds: number | null;
  indexes: string[];
  /** Why it finds nobody whatever else is in it. */
  note: string | null;
}

export const facetNames = ['AGE', 'CITY', 'TAG', 'MONTH_OF_LAST_CHANGE'] as const;
export type FacetName = (typeof facetNames)[number];
export interface Facets {
  total: number;
  withoutValue: number;
  distinctValues: number;
  values: { value: string; count: number }[];
}

/** How many people there are, or that there are more than so many. */
interface Found {
  total: number;
  isExact: boolean;
}

export interface Results {
  /** How many people the space has, as far as is known. */
  everybody: number;
  /** They are those of the segment before the change, as long as that is being counted. */
  found?: Found | undefined;
  isCounting: boolean;
  /** The charts and what each part finds alone are still those of the segment before the change. */
  areDetailsOld: boolean;
  /** By the id of the part; the faults of no part are under the empty id. */
  faults: ReadonlyMap<string, string[]>;
  costs: ReadonlyMap<string, PartCost>;
  facets: Partial<Record<FacetName, Facets>>;
  /** How often a change of somebody else has moved the count. */
  moves: number;
  /** Why there is no answer, and whether it is tried again by itself. */
  problem?: ApiProblem | undefined;
}

/** With the query, as a text, whose results they are. */
type ResultsOf = Results & { of?: string | undefined };

const nothing: Omit<ResultsOf, 'everybody'> = {
  isCounting: true,
  areDetailsOld: true,
  faults: new Map(),
  costs: new Map(),
  facets: {},
  moves: 0,
};

/** In milliseconds: from the last key to the search, and from its answer to what costs more. */
export const typingPause = 250;
const restingPause = 600;

interface Explained extends PartCost {
  location: string;
  parts?: Explained[];
}

/** Levels of a query that are explained: each level of the document multiplies its price. */
const explainedLevels = 4;

const explanation = (levels: number): string =>
  `location matches exact milliseconds indexes note${levels > 0 ? ` parts { ${explanation(levels - 1)} }` : ''}`;

/** The exact number of most of a large space takes long. The charts count everybody all the same, and tell it. */
const countDocument =
  'query ($query: ContactQuery) { searchContacts(query: $query, first: 0) { count(upTo: 10000) { value isExact } } }';
type Counted = { searchContacts: { count: { value: number; isExact: boolean } } };
const everybodyField = 'everybody: searchContacts(first: 0) { totalCount }';
const totalDocument = `query ($query: ContactQuery) { searchContacts(query: $query, first: 0) { totalCount } ${everybodyField} }`;
type Totalled = Record<'searchContacts' | 'everybody', { totalCount: number }>;

const facetsDocument = `query ($query: ContactQuery) {
  ${everybodyField}
  ${facetNames.map((by) => `${by}: contactFacets(query: $query, by: ${by}, first: 6) { total withoutValue distinctValues values { value count } }`).join('\n')}
}`;

const placeFaults = (written: WrittenQuery, faults: readonly PlacedFault[]): Map<string, string[]> => {
  const placed = new Map<string, string[]>();
  for (const { location, message } of faults) {
    const id = findPartAt(written, location) ?? '';
    placed.set(id, [...(placed.get(id) ?? []), message]);
  }
  return placed;
};

const listCosts = (written: WrittenQuery, explained: Explained, costs = new Map<string, PartCost>()) => {
  const id = written.places.get(explained.location && `.${explained.location}`);
  if (id !== undefined && !costs.has(id)) costs.set(id, explained);
  for (const part of explained.parts ?? []) listCosts(written, part, costs);
  return costs;
};

export const useResults = (api: Api, atFirst: number, written: WrittenQuery, levels: number) => {
  const [{ of, ...results }, setResults] = useState<ResultsOf>({ ...nothing, everybody: atFirst });
  const [attempt, setAttempt] = useState(0);
  const key = JSON.stringify(written.query);
  const current = useRef(written.query);
  current.current = written.query;
  const places = JSON.stringify([...written.places]);

  useEffect(() => {
    const { query } = written;
    let isCounted = false;
    const read = async ({ signal, change, ask }: Work<ResultsOf>): Promise<void> => {
      change({ isCounting: true, areDetailsOld: true, of: key });
      await sleep(typingPause, signal);
      const { value, isExact } = (await ask<Counted>(countDocument, { query })).searchContacts.count;
      change({ found: { total: value, isExact }, isCounting: false, faults: new Map() });
      isCounted = true;
      await sleep(restingPause, signal);
      if (query) {
        const document = `query ($query: ContactQuery) { explainSearch(query: $query) { ${explanation(Math.min(levels, explainedLevels))} } }`;
        const { explainSearch } = await ask<{ explainSearch: Explained }>(document, { query });
        change({ costs: listCosts(written, explainSearch) });
      } else change({ costs: new Map() });
      const { everybody, ...facets } = await ask<Record<FacetName, Facets> & Pick<Totalled, 'everybody'>>(
        facetsDocument,
        { query },
      );
      const found = { total: facets.AGE.total, isExact: true };
      change({ facets, everybody: everybody.totalCount, areDetailsOld: false, ...(!isExact && { found }) });
    };
    return beginReading(api, setResults, read, (problem) => ({
      isCounting: false,
      problem,
      faults: placeFaults(written, problem.faults),
      // The number of the segment before the change would pass for that of this one.
      ...(!isCounted && problem.retryAfter === undefined && { found: undefined }),
      ...(problem.faults.length > 0 && { found: undefined, costs: new Map(), facets: {}, areDetailsOld: false }),
    }));
  }, [api, key, places, levels, attempt]);

  /** Counts again after somebody else has changed something: nothing else is asked, and nothing is said when it fails, unless the token is refused. */
  const countAgain = useCallback(async (): Promise<void> => {
    const query = current.current;
    const answer = await api.query<Totalled>(totalDocument, { query }).catch((error: unknown) => {
      if (convertToProblem(error).code === 'unauthenticated') setAttempt((old) => old + 1);
    });
    if (!answer || current.current !== query) return;
    const total = answer.searchContacts.totalCount;
    setResults((given) => {
      const old = { ...given, everybody: answer.everybody.totalCount };
      // A count that is under way is newer than this one.
      const isSettled = old.found?.isExact && !old.isCounting && !old.problem;
      const found = { total, isExact: true };
      return isSettled && old.found!.total !== total ? { ...old, found, moves: old.moves + 1 } : old;
    });
  }, [api]);

  // Another segment is shown once before anything is asked about it.
  const areDetailsOld = results.areDetailsOld || of !== key;
  return { ...results, areDetailsOld, retry: () => setAttempt((old) => old + 1), countAgain };
};
