// In charge of clocks: things done many times in turn, and what is said of the times they took.

export interface Times {
  median: number;
  /** Nineteen of twenty were no slower. */
  p95: number;
}

const quantile = (times: number[], share: number): number =>
  times.toSorted((a, b) => a - b)[Math.max(0, Math.ceil(times.length * share) - 1)] ?? Number.NaN;

export const median = (times: number[]): number => quantile(times, 0.5);

export interface Timed {
  times: Times;
  /** Of the first round. */
  result: unknown;
}

/**
 * One round apart, in which all is still cold, then `repeat` rounds. Each round does every work once, so that what is compared
 * meets the same moods of the machine. In milliseconds.
 */
export const timed = async (repeat: number, works: (() => Promise<unknown>)[]): Promise<Timed[]> => {
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
  return taken.map(([_, ...warm], place) => ({
    times: { median: median(warm), p95: quantile(warm, 0.95) },
    result: results[place],
  }));
};
