// Dry runs: work is done in a transaction that is rolled back, to learn its outcome.
import type { Space } from './space.ts';

/** Rolls the transaction back once its outcome is known. */
class DryRunEnded extends Error {}

/** Runs `work` in one transaction, rolls it back, and returns its result. Its locks are held until then. */
export const runAndRollBack = async <Result>(space: Space, work: (tx: Space) => Promise<Result>): Promise<Result> => {
  let outcome: { result: Result } | undefined;
  try {
    await space.transaction(async (tx) => {
      outcome = { result: await work(tx) };
      throw new DryRunEnded();
    });
  } catch (error) {
    if (!(error instanceof DryRunEnded)) throw error;
  }
  return outcome!.result;
};
