// Measures a full synchronisation: all contacts of a space, a thousand at a time, as legacy clients read them.

import { computeMedian } from '../harness/median.ts';
import { buildSearch } from './body.ts';
import { pageOverHttp, searchPage } from './over-http.ts';
import { trackPhase } from './progress.ts';
import type { Ask } from './service.ts';

export interface Sync {
  order: string;
  pages: number;
  contacts: number;
  seconds: number;
  /** Medians of the first ten pages and of the last ten, in milliseconds. */
  first: number;
  last: number;
  /** The median of a page that does not follow the last one, at nine tenths: PostgreSQL counts rows from the beginning. */
  jump: number;
}

const size = 1000;
const edge = 10;

/** Throws when a contact is missing or occurs twice. */
export const runSync = async (ask: Ask, contacts: number, sort: string | undefined): Promise<Sync> => {
  const order = sort ?? 'id';
  const pages = Math.ceil(contacts / size);
  const seen = new Set<number>();
  const times: number[] = [];
  await trackPhase(`all contacts by ${order}`, pages, [], async (done) => {
    for (let page = 0; page < pages; page++) {
      const started = performance.now();
      const answer = await searchPage(ask, buildSearch(sort, [], { size, page }));
      times.push(performance.now() - started);
      for (const id of pageOverHttp(answer)) seen.add(id);
      done();
    }
  });
  const far = Math.floor(pages * 0.9);
  const jumps: number[] = [];
  for (let round = 0; round < Math.min(edge, pages); round++) {
    const started = performance.now();
    await searchPage(ask, buildSearch(sort, [], { size, page: far }));
    jumps.push(performance.now() - started);
  }
  if (seen.size !== contacts) throw new Error(`By ${order} ${seen.size} of ${contacts} contacts came`);
  const seconds = times.reduce((sum, time) => sum + time, 0) / 1000;
  const [first, last] = [computeMedian(times.slice(0, edge)), computeMedian(times.slice(-edge))];
  return { order, pages, contacts, seconds, first, last, jump: computeMedian(jumps) };
};
