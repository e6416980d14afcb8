// Work that is done to see what would come of it, and taken back.
import type { Space } from './space.ts';

/** Ends a transaction whose outcome is all that was wanted of it. */
class Rehearsed extends Error {}

/** What comes of `work` in one transaction, which is rolled back. Its locks are held until then. */
export const runAndRollBack = async <Result>(space: Space, work: (tx: Space) => Promise<Result>): Promise<Result> => {
  let outcome: { result: Result } | undefined;
  try {
    await space.transaction(async (tx) => {
      outcome = { result: await work(tx) };
      throw new Rehearsed();
    });
  } catch (error) {
    if (!(error instanceof Rehearsed)) throw error;
  }
  return outcome!.result;
};
