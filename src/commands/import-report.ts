// What an import tells while it runs: rows that are left out, and how far it has come.
import type { Refused, Step } from '../import/run.ts';
import { openPrivate } from './private-file.ts';
import { progressBar } from './progress-bar.ts';
import { untilStopped } from './stopped.ts';

export const count = (number: number): string => number.toLocaleString('en-US');

/** Faults shown; all of them go to the file of --faults. */
const shown = 20;

/** Tells of rows that are left out: the first of them on stderr, all of them in the file of --faults. */
const reporter = async (file: string | undefined) => {
  const target = file ? await openPrivate(file) : undefined;
  let failure: Error | undefined;
  target?.on('error', ({ message }) => {
    failure = new Error(`${file} cannot be written: ${message}`);
  });
  let told = 0;
  return {
    tell(refused: Refused[], clear: () => void): void {
      if (failure) throw failure;
      for (const one of refused) {
        target?.write(`${JSON.stringify(one)}\n`);
        for (const { location, message } of one.faults) {
          if (told === 0) clear();
          if (told < shown) console.error(`row ${one.row}: ${location} ${message}`);
          if (told === shown)
            console.error(`… more; ${file ? `all of them are in ${file}` : 'see all with --faults <file>'}`);
          told++;
        }
      }
    },
    end: () => new Promise<void>((resolve) => (target && !failure ? target.end(() => resolve()) : resolve())),
  };
};

/** What a run of an import came to. */
export interface Sum {
  rows: number;
  refused: number;
  seconds: string;
}

/** Runs through the steps of an import of a file of so many bytes, with a bar on stderr; what they come to. */
export const follow = async (
  steps: AsyncIterable<Step>,
  { size, progress, faults }: { size: number; progress: { bytes: number }; faults: string | undefined },
): Promise<Sum> => {
  const report = await reporter(faults);
  const bar = await progressBar('{bar} {percentage}% | {rows} rows | {rate}/s | {eta_formatted} left');
  const started = performance.now();
  const sum = { rows: 0, refused: 0 };
  bar.start(Math.max(size, 1), { rows: 0, rate: 0 });
  try {
    for await (const step of untilStopped(steps)) {
      sum.rows += step.rows;
      sum.refused += step.refused.length;
      report.tell(step.refused, () => bar.clear());
      const rate = count(Math.round((sum.rows * 1000) / (performance.now() - started)));
      bar.update(progress.bytes, { rows: count(sum.rows), rate });
    }
  } finally {
    bar.stop();
    await report.end();
  }
  return { ...sum, seconds: ((performance.now() - started) / 1000).toFixed(1) };
};
