// Waits for a condition.
import { setTimeout as sleep } from 'node:timers/promises';

/** Resolves when the condition is true; fails, with this description, when it stays false. `patience` is in milliseconds. */
export const waitUntil = async (what: string, truth: () => unknown, patience = 40_000): Promise<void> => {
  for (const deadline = Date.now() + patience; !(await truth()); await sleep(20))
    if (Date.now() > deadline) throw new Error(`It never came to this: ${what}`);
};
