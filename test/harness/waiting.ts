// Waiting for what must come to be.
import { setTimeout as sleep } from 'node:timers/promises';

/** Resolves when it is true; fails, in these words, when it does not become so. `patience` in milliseconds. */
export const until = async (what: string, truth: () => unknown, patience = 20_000): Promise<void> => {
  for (const deadline = Date.now() + patience; !(await truth()); await sleep(20))
    if (Date.now() > deadline) throw new Error(`It never came to this: ${what}`);
};
