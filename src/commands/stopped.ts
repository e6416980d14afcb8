// Long work of a command that a signal ends: as a failure, so that what is left behind can be told.

const signals = { SIGINT: 2, SIGTERM: 15, SIGHUP: 1 } as const;
type Signal = keyof typeof signals;

export class StoppedBySignal extends Error {
  /** As a shell tells of it. */
  readonly exitCode: number;

  constructor(signal: Signal) {
    super(`Stopped by ${signal}`);
    this.exitCode = 128 + signals[signal];
  }
}

/** The steps of long work. Throws `Stopped` as soon as a signal comes, without waiting for the step under way; a second one ends the process. */
export async function* runUntilStopped<Step>(steps: AsyncIterable<Step>): AsyncGenerator<Step> {
  const names = Object.keys(signals) as Signal[];
  let stop = (_: Signal): void => {};
  const stopped = new Promise<never>((_, reject) => {
    stop = (signal) => reject(new StoppedBySignal(signal));
  });
  // Heard of by whoever asks for the next step.
  stopped.catch(() => {});
  for (const name of names) process.once(name, stop);
  const iterator = steps[Symbol.asyncIterator]();
  let left: unknown;
  try {
    for (;;) {
      const step = await Promise.race([iterator.next(), stopped]);
      if (step.done) return;
      yield step.value;
    }
  } catch (error) {
    left = error;
    throw error;
  } finally {
    for (const name of names) process.removeListener(name, stop);
    if (!(left instanceof StoppedBySignal)) await iterator.return?.();
  }
}
