// Lists the work that is under way or waits, in all spaces, for operators.
import { changeFamily, listUnfinishedImports } from '../data/import/contacts.ts';
import { readRederiveProgress } from '../data/search/rederive.ts';
import type { Database } from '../database/database.ts';
import { createCacheKey } from '../limits/cache-key.ts';
import { listLeases } from './leases.ts';
import { findJobWork, jobNames } from './table.ts';

export interface Work {
  space: number;
  /** The name of the job, or `import` with the type of its rows. */
  work: string;
  /** The change, the import, the webhook; null for work on the whole space. */
  id: number | null;
  name: string | null;
  /** A process works on it; none does yet; it failed and waits. The server cannot know whether the command of an unfinished import still runs. */
  state: 'running' | 'waiting' | 'failed' | 'unfinished';
  /** How often it failed in a row. */
  failures: number;
  done: number | null;
  total: number | null;
  since: string | null;
}

/** Imports and changes first, in the order in which they began; then the jobs that have nothing to count. */
export const listWork = async (database: Database): Promise<Work[]> => {
  const leases = await listLeases(database.jobPool);
  const describe = (job: string, key: string): Pick<Work, 'state' | 'failures'> => {
    const { held, failures } = leases.get(createCacheKey(job, key)) ?? { held: false, failures: 0 };
    return { state: held ? 'running' : failures > 0 ? 'failed' : 'waiting', failures };
  };
  const imports = (await listUnfinishedImports(database)).map(({ family, isUploaded, ...rest }): Work => {
    const job = family === changeFamily ? 'change-contacts' : isUploaded ? 'import-file' : undefined;
    return job
      ? { work: job, ...describe(job, `${rest.space}/${rest.id}`), ...rest }
      : { work: `import ${family}`, state: 'unfinished', failures: 0, ...rest };
  });
  const found: Work[] = [];
  for (const job of jobNames.filter((name) => name !== 'change-contacts' && name !== 'import-file'))
    for (const [key, { space = 0, webhook = null }] of await findJobWork(job, database)) {
      const counts =
        job === 'rederive-search' ? await readRederiveProgress(database.space(space)) : { done: null, total: null };
      found.push({ space, work: job, id: webhook, name: null, ...describe(job, key), ...counts, since: null });
    }
  return [...imports, ...found];
};
