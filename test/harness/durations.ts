// How long test files took where they ran before: `npm run test:times -- --write` keeps it.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const durations: Record<string, number> = JSON.parse(readFileSync(join(import.meta.dirname, 'durations.json'), 'utf8'));

/** The seconds of a file, given its path in the repository; 0 for a short one. */
export const secondsOf = (path: string): number => durations[path] ?? 0;
