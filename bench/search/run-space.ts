// Runs all searches in one space, by hand and over HTTP, and compares the results.
import type { Client } from 'pg';
import { buildSearch, buildSearchBody } from './body.ts';
import { countByHand, pageByHand, prepareHandQueries } from './by-hand.ts';
import { type Hand, listHandQueries } from './hand.ts';
import { fetchServedIndexes, findPlannedIndexes } from './indexes-used.ts';
import { measureTimes, type Times } from './measure.ts';
import { countOverHttp, pageOverHttp, prepareHttpRequests } from './over-http.ts';
import { trackPhase } from './progress.ts';
import { listQueries, type Query } from './queries.ts';
import type { Ask } from './service.ts';
import { readSubject, type Subject } from './subject.ts';

/** The server of the product. Without it, only the hand-written SQL is measured. */
export interface Doors {
  ask: Ask;
  countStatements(work: (ask: Ask) => Promise<unknown>): Promise<number>;
}

interface Measured {
  page: Times;
  count: Times;
  indexes: string[];
}

export interface Row {
  query: Query;
  matches: number;
  hand: Measured;
  served?: Measured & { statements: number };
  /** The error over HTTP, or the difference from the result of the hand-written SQL. */
  problem?: string;
}

export interface SpaceResult {
  subject: Subject;
  /** The time of a request without a search. */
  floor?: { page: Times; count: Times };
  rows: Row[];
}

const difference = (hand: number[], served: number[], matches: number, total: number): string | undefined => {
  if (matches !== total) return `counts ${total}, by hand ${matches}`;
  const place = hand.findIndex((id, index) => served[index] !== id);
  if (place >= 0) return `contact ${place} of the page is ${served[place]}, by hand ${hand[place]}`;
  return hand.length === served.length ? undefined : `${served.length} contacts on the page, by hand ${hand.length}`;
};

interface Asked {
  client: Client;
  space: number;
  query: Query;
  hand: Hand;
  repeat: number;
}

const handAlone = async ({ client, space, query, hand, repeat }: Asked): Promise<Row> => {
  const [page, count] = await measureTimes(repeat, prepareHandQueries(client, space, hand));
  const indexes = await findPlannedIndexes(client, hand.page, space);
  return { query, matches: countByHand(count!.result), hand: { page: page!.times, count: count!.times, indexes } };
};

const handAndServed = async ({ client, space, query, hand, repeat }: Asked, doors: Doors): Promise<Row> => {
  const works = [...prepareHandQueries(client, space, hand), ...prepareHttpRequests(doors.ask, query.search)];
  const [page, count, servedPage, servedCount] = await measureTimes(repeat, works);
  const matches = countByHand(count!.result);
  const [ids, servedIds] = [pageByHand(page!.result), pageOverHttp(servedPage!.result)];
  const problem = difference(ids, servedIds, matches, countOverHttp(servedCount!.result));
  return {
    query,
    matches,
    hand: { page: page!.times, count: count!.times, indexes: await findPlannedIndexes(client, hand.page, space) },
    served: {
      page: servedPage!.times,
      count: servedCount!.times,
      indexes: await fetchServedIndexes(client, doors.ask, query.search),
      statements: await doors.countStatements((ask) => ask('/search', buildSearchBody(query.search))),
    },
    ...(problem && { problem }),
  };
};

interface Plan {
  doors: Doors | undefined;
  repeat: number;
  only: string[] | undefined;
}

export const runSpace = async (client: Client, space: number, { doors, repeat, only }: Plan): Promise<SpaceResult> => {
  const subject = await readSubject(client, space);
  const hands = listHandQueries(subject);
  const asked = listQueries(subject)
    .map((query, place): Asked => ({ client, space, query, hand: hands[place]!, repeat }))
    .filter(({ query }) => !only || only.includes(query.id));
  const rows: Row[] = [];
  await trackPhase(`space of ${subject.contacts}`, asked.length, [], async (done) => {
    for (const one of asked) {
      const failed = async (error: Error): Promise<Row> => ({ ...(await handAlone(one)), problem: error.message });
      rows.push(doors ? await handAndServed(one, doors).catch(failed) : await handAlone(one));
      done();
    }
  });
  if (!doors) return { subject, rows };
  const floor = await measureTimes(repeat, prepareHttpRequests(doors.ask, buildSearch(undefined, []))).catch(
    () => undefined,
  );
  return { subject, rows, ...(floor && { floor: { page: floor[0]!.times, count: floor[1]!.times } }) };
};
