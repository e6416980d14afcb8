// Ends the long work of a command at a signal, with an error, so that the command can report what remains.

const signals = { SIGINT: 2, SIGTERM: 15, SIGHUP: 1 } as const;
type Signal = keyof typeof signals;
const names = Object.keys(signals) as Signal[];

export class StoppedBySignal extends Error {
  /** The exit code that shells use for this signal. */
  readonly exitCode: number;

  constructor(signal: Signal) {
    super(`Stopped by ${signal}`);
    this.exitCode = 128 + signals[signal];
  }
}

/** Yields the steps. Throws `StoppedBySignal` as soon as a signal arrives, without waiting for the running step. A second signal ends the process. */
export async function* runUntilStopped<Step>(steps: AsyncIterable<Step>): AsyncGenerator<Step> {
  let stop = (_: Signal): void => {};
  const stopped = new Promise<never>((_, reject) => {
    stop = (signal) => reject(new StoppedBySignal(signal));
  });
  // The next step reports the rejection. Until then it must not count as unhandled.
  stopped.catch(() => {});
  for (const name of names) process.once(name, stop);
  const iterator = steps[Symbol.asyncIterator]();
  let failure: unknown;
  try {
    for (;;) {
      const step = await Promise.race([iterator.next(), stopped]);
      if (step.done) return;
      yield step.value;
    }
  } catch (error) {
    failure = error;
    throw error;
  } finally {
    for (const name of names) process.removeListener(name, stop);
    if (!(failure instanceof StoppedBySignal)) await iterator.return?.();
  }
}

/** Runs work until a signal arrives: then `signal` aborts with `StoppedBySignal`. A second signal ends the process. */
export const runAbortable = async <Result>(work: (signal: AbortSignal) => Promise<Result>): Promise<Result> => {
  const controller = new AbortController();
  const stop = (name: Signal): void => controller.abort(new StoppedBySignal(name));
  for (const name of names) process.once(name, stop);
  try {
    return await work(controller.signal);
  } catch (error) {
    controller.signal.throwIfAborted();
    throw error;
  } finally {
    for (const name of names) process.removeListener(name, stop);
  }
};
