// The bar that shows how far long work has come: on stderr, when that is a terminal.
import { escapeForTerminal } from './printable.ts';

export interface ProgressBar {
  start(total: number, shown: object): void;
  update(value: number, shown: object): void;
  stop(): void;
}

/** Writes a line of text on stderr, in place of the bar, which is drawn again. */
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
    // Its own manner to end at a signal is to go on without the bar.
    gracefulExit: false,
  });
  return {
    start: (total, shown) => bar.start(total, 0, shown),
    update: (value, shown) => bar.update(value, shown),
    stop: () => bar.stop(),
  };
};
