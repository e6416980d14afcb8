// In charge of the comparison: the same requests to both servers in turn, and whether one of them has become slower.
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { cleanUp } from '../peers/database.ts';
import { type Manner, musterGraphql, musterRest } from '../peers/requests.ts';
import { loadOnce, type Running } from '../peers/run.ts';
import { ask, difference, read } from '../peers/same.ts';
import { connections, draws, type Kind } from '../peers/workloads.ts';
import { writeScript } from '../peers/wrk.ts';

/** One of the two servers with its database. */
export interface Side {
  name: string;
  url: string;
  running: Running;
}

export interface Comparing {
  ours: Side;
  theirs: Side;
  headers: Record<string, string>;
  people: number;
  seconds: number;
  rounds: number;
  /** How much slower is too slow, as a share. */
  tolerance: number;
  /** For the scripts of the load generator. */
  place: string;
}

const doors: Record<string, Manner> = { graphql: musterGraphql, rest: musterRest };
const workloads: Kind[] = ['single', 'list50', 'filter', 'note'];

const median = (values: number[]): number => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!;
const say = (text: string): void => console.error(text);

/** The rate of ours as a share of theirs: the median over rounds of what was measured one right after the other, in turn which first. */
const ratioOf = async (kind: Kind, script: string, { ours, theirs, seconds, rounds }: Comparing): Promise<number> => {
  const ratios: number[] = [];
  for (let round = 0; round <= rounds; round++) {
    const rates = new Map<Side, number>();
    for (const side of round % 2 ? [ours, theirs] : [theirs, ours]) {
      // Searches that the round before cut off go on for a moment, at the expense of whoever is asked next.
      await sleep(1000);
      // The first is to warm up.
      const { rate, errors } = await loadOnce(side.url, side.running, script, {
        connections: connections[kind],
        seconds: round === 0 ? 2 : seconds,
      });
      if (errors > 0) throw new Error(`${side.name} failed ${errors} times at ${kind}`);
      rates.set(side, rate);
      if (kind === 'note') await cleanUp(side.url);
    }
    if (round > 0) ratios.push(rates.get(ours)! / rates.get(theirs)!);
  }
  return median(ratios);
};

/** Why the two cannot be compared; undefined when they can. Other answers may be what the change is for, and are said only. */
const hindrance = async (
  door: string,
  kind: Kind,
  { ours, theirs, headers, people }: Comparing,
): Promise<string | undefined> => {
  const request = doors[door]![kind]!(draws(1, people, 11)[0]!);
  const answerOf = async ({ running }: Side) => read(await ask(running.server.port, request, headers), request);
  const answer = await answerOf(ours);
  const other = await answerOf(theirs).catch((error: Error) => error);
  if (other instanceof Error) return `${theirs.name} cannot answer: ${other.message}`;
  const differs = difference(answer, other);
  if (differs) say(`${kind} over ${door} is answered differently: ${differs}`);
  return undefined;
};

/** What is slower in both of two tries, in words; nothing when all is well. */
export const slower = async (comparing: Comparing): Promise<string[]> => {
  const found: string[] = [];
  for (const door of Object.keys(doors)) {
    for (const kind of workloads) {
      const hindered = await hindrance(door, kind, comparing);
      if (hindered) {
        say(`${kind} over ${door} is left out: ${hindered}`);
        continue;
      }
      const script = join(comparing.place, `${door}-${kind}.lua`);
      writeScript(
        script,
        draws(1000, comparing.people, 7).map((draw) => doors[door]![kind]!(draw)),
        [comparing.headers],
      );
      const tries: number[] = [];
      do tries.push(await ratioOf(kind, script, comparing));
      while (tries.length < 2 && tries[0]! < 1 - comparing.tolerance);
      const text = `${kind.padEnd(7)} over ${door.padEnd(8)} ${tries.map((ratio) => ratio.toFixed(2)).join(', then ')} of the rate of ${comparing.theirs.name}`;
      say(text);
      if (tries.every((ratio) => ratio < 1 - comparing.tolerance)) found.push(text);
    }
  }
  return found;
};
