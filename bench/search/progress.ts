// Prints the progress of long phases on stderr.
import progress from 'cli-progress';

export interface Timing {
  phase: string;
  total: number;
  seconds: number;
}

export const countSeconds = (since: number): number => (performance.now() - since) / 1000;

/** Draws a bar on a terminal, and prints a line at the end of each phase. */
export const trackPhase = async <Result>(
  name: string,
  total: number,
  timings: Timing[],
  work: (done: () => void) => Promise<Result>,
): Promise<Result> => {
  const started = performance.now();
  const bar = new progress.SingleBar({
    format: `${name.padEnd(24)} {bar} {value}/{total} | {duration_formatted}`,
    stream: process.stderr,
    noTTYOutput: false,
    clearOnComplete: true,
  });
  bar.start(total, 0);
  try {
    const result = await work(() => bar.increment());
    bar.stop();
    timings.push({ phase: name, total, seconds: countSeconds(started) });
    console.error(`${name.padEnd(24)} ${total}/${total}  ${countSeconds(started).toFixed(1)} s`);
    return result;
  } finally {
    bar.stop();
  }
};
