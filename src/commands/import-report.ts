// Reports an import while it runs: progress, faults, and the file of rejected rows, unchanged, so that somebody can correct and import them.

import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { type Encoded, encodeText } from '../import/encoding.ts';
import type { Progress } from '../import/rows.ts';
import type { Step } from '../import/run.ts';
import type { Fault } from '../problem.ts';
import { createLineWriter, openNewFile, openPrivateFile } from './private-file.ts';
import { createProgressBar, printNotice } from './progress-bar.ts';
import { runUntilStopped } from './stopped.ts';
import { formatCount } from './table.ts';

/** Creates the file of rejected rows, compressed when its name ends in .gz. Throws when the path exists. */
const openRejectsFile = async (path: string, { encoding, bom }: Encoded) => {
  const file = await openNewFile(path);
  const zip = path.endsWith('.gz') ? createGzip() : undefined;
  const target = zip ?? file;
  let failure: Error | undefined;
  const fail = ({ message }: Error): void => {
    failure = new Error(`${path} cannot be written: ${message}`);
  };
  file.on('error', fail);
  const written = zip ? pipeline(zip, file) : once(file, 'close');
  written.catch(fail);
  let rows = 0;
  return {
    /** Writes the head before the first row. */
    async write(head: string, some: readonly string[]): Promise<void> {
      if (failure) throw failure;
      if (some.length === 0) return;
      const text = `${rows === 0 ? (bom ? '\ufeff' : '') + head : ''}${some.join('')}`;
      rows += some.length;
      if (!target.write(encodeText(text, encoding))) await Promise.race([once(target, 'drain'), written]);
    },
    /** Closes the file, and removes it when it has no rows. */
    async end(): Promise<void> {
      target.end();
      await written.catch(() => {});
      if (rows === 0) await rm(path, { force: true });
      if (failure) throw failure;
    },
  };
};

/** Faults that are printed, and kinds of faults. All faults go to the file of --faults. */
const maxPrinted = 20;
/** Kinds of faults that have a count of their own. It is bounded, since some messages quote the row. */
const maxKinds = 1000;
/** Characters that are printed of a value. */
const maxValueLength = 100;

/** A value for the terminal: in quotes, on one line, and shortened. */
const quoteValue = (value: unknown): string => {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
  return JSON.stringify(text.length > maxValueLength ? `${text.slice(0, maxValueLength)}…` : text);
};

/** Removes the value, which is printed beside the column. */
const removeValue = (message: string): string => {
  const at = message.indexOf(', not "');
  return at >= 0 && message.endsWith('"') ? message.slice(0, at) : message;
};
const describePlace = (location: string): string => (location === 'row' ? 'the row' : location);
/** A fault for the terminal: its place, its value and what is allowed. */
export const describeFault = ({ location, message, value }: Fault): string =>
  `${describePlace(location)}${value === undefined || value === null || value === '' ? '' : ` ${quoteValue(value)}`} ${removeValue(message)}`;

/** Prints the first of some faults on stderr, each after its place, and where the rest is: in `file`, or `option` would write it. */
export const createFaultPrinter = (option: string, file: string | undefined) => {
  let printed = 0;
  return (place: string, faults: readonly Fault[]): void => {
    for (const fault of faults) {
      if (printed < maxPrinted) printNotice(`${place}: ${describeFault(fault)}`);
      if (printed === maxPrinted)
        printNotice(`… more; ${file ? `all of them are in ${file}` : `${option} <file> writes all of them to a file`}`);
      printed++;
    }
  };
};

/** Counts faults by kind. A kind is a column and a message without its value. */
export const createFaultCounter = () => {
  const kinds = new Map<string, number>();
  let others = 0;
  return {
    add({ location, message }: Fault): void {
      const kind = `${describePlace(location)} ${removeValue(message)}`.replace(/\bcontact \d+/, 'a contact');
      if (kinds.has(kind) || kinds.size < maxKinds) kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
      else others++;
    },
    print(title = 'faults by kind:'): void {
      if (kinds.size === 0) return;
      const byCount = [...kinds].sort(([, one], [, other]) => other - one);
      const rest = byCount.slice(maxPrinted).reduce((sum, [, times]) => sum + times, others);
      printNotice(title);
      for (const [kind, times] of byCount.slice(0, maxPrinted)) printNotice(`  ${formatCount(times)} × ${kind}`);
      if (rest > 0) printNotice(`  ${formatCount(rest)} × others`);
    },
  };
};

/** Prints the first faults of rejected rows and remarks on written ones on stderr, and writes all of them to the file of --faults. */
const createFaultReport = async (file: string | undefined) => {
  const target = file ? createLineWriter(file, await openPrivateFile(file)) : undefined;
  const [faultCounter, remarkCounter] = [createFaultCounter(), createFaultCounter()];
  const print = createFaultPrinter('--faults', file);
  const tell = (line: number, name: 'faults' | 'remarks', told: readonly Fault[]): void => {
    const all = told.map(({ location, message, value }) => ({ column: location, message, value }));
    target?.write({ line, [name]: all });
    for (const fault of told) (name === 'faults' ? faultCounter : remarkCounter).add(fault);
    print(`line ${line}`, told);
  };
  return {
    add({ refused, remarked }: Pick<Step, 'refused' | 'remarked'>): void {
      for (const { line, faults } of refused) tell(line, 'faults', faults);
      for (const { line, remarks = [] } of remarked) tell(line, 'remarks', remarks);
    },
    async end(): Promise<void> {
      faultCounter.print();
      remarkCounter.print('remarks on rows that are written, by kind:');
      await target?.end();
    },
  };
};

interface ReportOptions {
  /** The size of the file in bytes. */
  size: number;
  progress: Progress;
  how: Encoded;
  faults: string | undefined;
  rejects: string | undefined;
}

/** Runs the steps of an import, with a progress bar on stderr, and returns the totals. */
export const followImportSteps = async (
  steps: AsyncIterable<Step>,
  { size, progress, how, faults, rejects: path }: ReportOptions,
) => {
  const rejects = path === undefined ? undefined : await openRejectsFile(path, how);
  const report = await createFaultReport(faults);
  const bar = await createProgressBar('{bar} {percentage}% | {rows} rows | {rate}/s | {eta_formatted} left');
  const started = performance.now();
  const sum = { rows: 0, refused: 0 };
  bar.start(Math.max(size, 1), 0, { rows: 0, rate: 0 });
  try {
    for await (const step of runUntilStopped(steps)) {
      sum.rows += step.rows;
      sum.refused += step.refused.length;
      report.add(step);
      await rejects?.write(
        progress.head,
        step.refused.map(({ text }) => text),
      );
      const rate = formatCount(Math.round((sum.rows * 1000) / (performance.now() - started)));
      bar.update(progress.bytes, { rows: formatCount(sum.rows), rate });
    }
  } finally {
    bar.stop();
    await report.end().finally(() => rejects?.end());
  }
  return { ...sum, seconds: ((performance.now() - started) / 1000).toFixed(1) };
};
