// Sends equal requests to both servers in rotation, and finds out whether one has become slower.
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { findDifference, readAnswer, sendRequest } from '../harness/compare-answers.ts';
import { cleanUp } from '../harness/database.ts';
import { computeMedian } from '../harness/median.ts';
import type { Manner } from '../harness/requests.ts';
import { connections, drawValues, type Kind } from '../harness/workloads.ts';
import { writeScript } from '../harness/wrk.ts';
import { loadOnce, type Running } from '../peers/run.ts';

/** One of the two servers with its database. */
export interface Side {
  name: string;
  url: string;
  running: Running;
  /** Its requests by door: the graph of another commit may have other names. */
  doors: Record<Door, Manner>;
}

export type Door = 'graphql' | 'rest';

export interface Comparing {
  ours: Side;
  theirs: Side;
  headers: Record<string, string>;
  people: number;
  seconds: number;
  rounds: number;
  /** The accepted loss of speed, as a share. */
  tolerance: number;
  /** For the scripts of the load generator. */
  place: string;
}

const doors: Door[] = ['graphql', 'rest'];
const workloads: Kind[] = ['single', 'list50', 'filter', 'note'];

const say = (text: string): void => console.error(text);

/** The rate of our server divided by the other's: the median over rounds. Each round measures both one after the other and alternates the order. */
const ratioOf = async (
  kind: Kind,
  scripts: Map<Side, string>,
  { ours, theirs, seconds, rounds }: Comparing,
): Promise<number> => {
  const ratios: number[] = [];
  for (let round = 0; round <= rounds; round++) {
    const rates = new Map<Side, number>();
    for (const side of round % 2 ? [ours, theirs] : [theirs, ours]) {
      // Interrupted searches of the previous round still run for a moment and would slow the next server.
      await sleep(1000);
      // The first round warms up.
      const { rate, errors } = await loadOnce(side.url, side.running, scripts.get(side)!, {
        connections: connections[kind],
        seconds: round === 0 ? 2 : seconds,
      });
      if (errors > 0) throw new Error(`${side.name} failed ${errors} times at ${kind}`);
      rates.set(side, rate);
      if (kind === 'note') await cleanUp(side.url);
    }
    if (round > 0) ratios.push(rates.get(ours)! / rates.get(theirs)!);
  }
  return computeMedian(ratios);
};

/** The reason why the two cannot be compared, or undefined. Different answers may be intended, so they are only reported. */
const hindrance = async (
  door: Door,
  kind: Kind,
  { ours, theirs, headers, people }: Comparing,
): Promise<string | undefined> => {
  const [draw] = drawValues(1, people, 11);
  const answerOf = async (side: Side) => {
    const request = side.doors[door][kind]!(draw!);
    return readAnswer(await sendRequest(side.running.server.port, request, headers), request);
  };
  const answer = await answerOf(ours);
  const other = await answerOf(theirs).catch((error: Error) => error);
  if (other instanceof Error) return `${theirs.name} cannot answer: ${other.message}`;
  const differs = findDifference(answer, other);
  if (differs) say(`${kind} over ${door} has different answers: ${differs}`);
  return undefined;
};

/** Describes the requests that were too slow in both of two tries. */
export const describeSlowRequests = async (comparing: Comparing): Promise<string[]> => {
  const found: string[] = [];
  for (const door of doors) {
    for (const kind of workloads) {
      const hindered = await hindrance(door, kind, comparing);
      if (hindered) {
        say(`${kind} over ${door} is skipped: ${hindered}`);
        continue;
      }
      const drawn = drawValues(1000, comparing.people, 7);
      const scripts = new Map<Side, string>();
      for (const [index, side] of [comparing.ours, comparing.theirs].entries()) {
        const script = join(comparing.place, `${door}-${kind}-${index}.lua`);
        writeScript(script, drawn.map(side.doors[door][kind]!), [comparing.headers]);
        scripts.set(side, script);
      }
      const tries: number[] = [];
      do tries.push(await ratioOf(kind, scripts, comparing));
      while (tries.length < 2 && tries[0]! < 1 - comparing.tolerance);
      const text = `${kind.padEnd(7)} over ${door.padEnd(8)} ${tries.map((ratio) => ratio.toFixed(2)).join(', then ')} of the rate of ${comparing.theirs.name}`;
      say(text);
      if (tries.every((ratio) => ratio < 1 - comparing.tolerance)) found.push(text);
    }
  }
  return found;
};
