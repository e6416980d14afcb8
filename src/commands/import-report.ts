// What an import tells while it runs: rows that are left out, and how far it has come.
import type { Encoded } from '../import/encoding.ts';
import type { Progress } from '../import/rows.ts';
import type { Refused, Step } from '../import/run.ts';
import type { Fault } from '../problem.ts';
import { openPrivateFile } from './private-file.ts';
import { createProgressBar, printNotice } from './progress-bar.ts';
import { openRejectsFile } from './rejects-file.ts';
import { runUntilStopped } from './stopped.ts';

export const formatCount = (number: number): string => number.toLocaleString('en-US');

/** Faults shown, and kinds of them; all faults go to the file of --faults. */
const shown = 20;
/** Kinds of faults that are counted apart: some messages name what is in a row. */
const kindsHeld = 1000;
/** Characters shown of a value. */
const valueCharacters = 100;

/** A value as it can be shown: in quotes, on one line, and not too long. */
const quoted = (value: unknown): string => {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
  return JSON.stringify(text.length > valueCharacters ? `${text.slice(0, valueCharacters)}…` : text);
};

/** The value is told at its column. */
const withoutValue = (message: string): string => message.replace(/, not ".*"$/s, '');
const placeOf = (location: string): string => (location === 'row' ? 'the row' : location);
const wordsOf = ({ location, message, value }: Fault): string =>
  `${placeOf(location)}${value === undefined || value === null || value === '' ? '' : ` ${quoted(value)}`} ${withoutValue(message)}`;

/** Counts faults by their kind: the column, and what is wrong there. */
const newTally = () => {
  const kinds = new Map<string, number>();
  let others = 0;
  return {
    add({ location, message }: Fault): void {
      const kind = `${placeOf(location)} ${withoutValue(message)}`;
      if (kinds.has(kind) || kinds.size < kindsHeld) kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
      else others++;
    },
    tell(): void {
      if (kinds.size === 0) return;
      const most = [...kinds].sort(([, one], [, other]) => other - one);
      const rest = most.slice(shown).reduce((sum, [, times]) => sum + times, others);
      printNotice('faults by kind:');
      for (const [kind, times] of most.slice(0, shown)) printNotice(`  ${formatCount(times)} × ${kind}`);
      if (rest > 0) printNotice(`  ${formatCount(rest)} × others`);
    },
  };
};

/** Tells of rows that are left out: the first of them on stderr, all of them in the file of --faults. */
const reporter = async (file: string | undefined) => {
  const target = file ? await openPrivateFile(file) : undefined;
  let failure: Error | undefined;
  target?.on('error', ({ message }) => {
    failure = new Error(`${file} cannot be written: ${message}`);
  });
  const tally = newTally();
  let told = 0;
  return {
    tell(refused: Refused[]): void {
      if (failure) throw failure;
      for (const { line, faults } of refused) {
        const all = faults.map(({ location, message, value }) => ({ column: location, message, value }));
        target?.write(`${JSON.stringify({ line, faults: all })}\n`);
        for (const fault of faults) {
          tally.add(fault);
          if (told < shown) printNotice(`line ${line}: ${wordsOf(fault)}`);
          if (told === shown)
            printNotice(`… more; ${file ? `all of them are in ${file}` : 'see all with --faults <file>'}`);
          told++;
        }
      }
    },
    async end(): Promise<void> {
      tally.tell();
      await new Promise<void>((resolve) => (target && !failure ? target.end(() => resolve()) : resolve()));
    },
  };
};

/** What a run of an import came to. */
export interface Sum {
  rows: number;
  refused: number;
  seconds: string;
}

interface Following {
  /** In bytes. */
  size: number;
  progress: Progress;
  how: Encoded;
  faults: string | undefined;
  rejects: string | undefined;
}

/** Runs through the steps of an import of a file of so many bytes, with a bar on stderr; what they come to. */
export const followImportSteps = async (
  steps: AsyncIterable<Step>,
  { size, progress, how, faults, rejects: path }: Following,
): Promise<Sum> => {
  const rejects = path === undefined ? undefined : await openRejectsFile(path, how);
  const report = await reporter(faults);
  const bar = await createProgressBar('{bar} {percentage}% | {rows} rows | {rate}/s | {eta_formatted} left');
  const started = performance.now();
  const sum = { rows: 0, refused: 0 };
  bar.start(Math.max(size, 1), { rows: 0, rate: 0 });
  try {
    for await (const step of runUntilStopped(steps)) {
      sum.rows += step.rows;
      sum.refused += step.refused.length;
      report.tell(step.refused);
      await rejects?.write(
        progress.head,
        step.refused.map(({ text }) => text),
      );
      const rate = formatCount(Math.round((sum.rows * 1000) / (performance.now() - started)));
      bar.update(progress.bytes, { rows: formatCount(sum.rows), rate });
    }
  } finally {
    bar.stop();
    await report.end();
    await rejects?.end();
  }
  return { ...sum, seconds: ((performance.now() - started) / 1000).toFixed(1) };
};
