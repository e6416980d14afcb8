// The progress bar of long commands, on stderr when that is a terminal.
import type { SingleBar } from 'cli-progress';
import { escapeForTerminal } from './table.ts';

/** Writes a line on stderr over the bar, which is then drawn again. */
export const printNotice = (text: string): void => {
  if (process.stderr.isTTY) process.stderr.write('\r\u001b[K');
  console.error(escapeForTerminal(text));
};

export const createProgressBar = async (format: string): Promise<SingleBar> => {
  const { default: progress } = await import('cli-progress');
  return new progress.SingleBar({
    format,
    stream: process.stderr,
    noTTYOutput: false,
    // At a signal the library would remove the bar and let the process continue.
    gracefulExit: false,
  });
};

/** Runs work that shows how far it is, and removes the bar at its end. */
export const showProgress = async <Result>(
  format: string,
  work: (bar: SingleBar) => Promise<Result>,
): Promise<Result> => {
  const bar = await createProgressBar(format);
  try {
    return await work(bar);
  } finally {
    bar.stop();
  }
};
