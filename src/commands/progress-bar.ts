// The progress bar of long commands, on stderr when that is a terminal.
import { escapeForTerminal } from './table.ts';

interface ProgressBar {
  start(total: number, values: object): void;
  update(value: number, values: object): void;
  /** Sets a total that was not known at the start. */
  setTotal(total: number): void;
  stop(): void;
}

/** Writes a line on stderr over the bar, which is then drawn again. */
export const printNotice = (text: string): void => {
  if (process.stderr.isTTY) process.stderr.write('\r\u001b[K');
  console.error(escapeForTerminal(text));
};

export const createProgressBar = async (format: string): Promise<ProgressBar> => {
  const { default: progress } = await import('cli-progress');
  const bar = new progress.SingleBar({
    format,
    stream: process.stderr,
    noTTYOutput: false,
    // At a signal the library would remove the bar and let the process continue.
    gracefulExit: false,
  });
  return {
    start: (total, values) => bar.start(total, 0, values),
    update: (value, values) => bar.update(value, values),
    setTotal: (total) => bar.setTotal(total),
    stop: () => bar.stop(),
  };
};
