// Times repeated work, and summarises the times.
import { computeMedian } from '../harness/median.ts';
import { computeDatabaseUse, measureDatabaseCpu } from '../harness/process.ts';

export interface Times {
  median: number;
  /** The 95th percentile. */
  p95: number;
}

export const quantile = (times: readonly number[], share: number): number =>
  times.toSorted((a, b) => a - b)[Math.max(0, Math.ceil(times.length * share) - 1)] ?? Number.NaN;

export interface Timed {
  times: Times;
  /** The times of the rounds that count. */
  taken: number[];
  /** The result of the first round. */
  result: unknown;
}

/**
 * Runs one cold round, then `repeat` rounds, which count if there are any. Each round runs every work once, so that all of them
 * meet the same conditions of the machine. Times are in milliseconds.
 */
export const measureTimes = async (repeat: number, works: (() => Promise<unknown>)[]): Promise<Timed[]> => {
  const taken: number[][] = works.map(() => []);
  const results: unknown[] = [];
  for (let round = 0; round <= repeat; round++) {
    for (const [place, work] of works.entries()) {
      const started = performance.now();
      const result = await work();
      taken[place]!.push(performance.now() - started);
      if (round === 0) results.push(result);
    }
  }
  return taken.map(([cold, ...warm], place) => {
    const counted = repeat > 0 ? warm : [cold!];
    const times = { median: computeMedian(counted), p95: quantile(counted, 0.95) };
    return { times, taken: counted, result: results[place] };
  });
};

/** The same, with all times together, and the milliseconds of CPU that PostgreSQL used for one of these works. */
export const measureUse = async (
  url: string,
  repeat: number,
  works: (() => Promise<unknown>)[],
): Promise<{ timed: Timed[]; taken: number[]; cpu: number }> => {
  const before = await measureDatabaseCpu(url);
  const timed = await measureTimes(repeat, works);
  const used = computeDatabaseUse(before, await measureDatabaseCpu(url));
  return { timed, taken: timed.flatMap(({ taken }) => taken), cpu: used / 1000 / (works.length * (repeat + 1)) };
};
