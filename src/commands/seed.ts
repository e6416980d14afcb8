// muster seed: fills an empty database with demo data.
import { Command } from 'commander';
import type { Loaded, SeedPlan, SeedProgress } from '../../packages/demo-data/index.ts';
import { derivedTables, deriveSearchRows, listContactRanges } from '../data/search/derive.ts';
import { openClient } from '../database/open-client.ts';
import { parseWholeNumber } from './arguments.ts';
import { findMigratedUrl } from './database-url.ts';
import { showProgress } from './progress-bar.ts';
import { formatCount } from './table.ts';

/** The package is imported on demand: it is large, and other commands do not need it. */
const importDemoData = () => import('../../packages/demo-data/index.ts');

/** Loads a plan completely or not at all. Throws when a space of the plan exists. */
export const seedDatabase = async (
  url: string,
  plan: SeedPlan,
  onProgress?: (progress: SeedProgress) => void,
): Promise<Loaded> => {
  const { loadPlan } = await importDemoData();
  const connect = () => openClient(url, 'muster seed');
  return loadPlan({ connect, derivedTables, listContactRanges, deriveSearchRows }, plan, onProgress);
};

/** Seeds a database, with a progress bar and a summary on stderr. */
export const seedWithProgress = async (url: string, contacts: number, number: number): Promise<void> => {
  const { createDemoPlan } = await importDemoData();
  const plan = createDemoPlan(contacts, number);
  const total = plan.spaces.reduce((sum, space) => sum + space.contacts, 0);
  const format = '{step} {bar} {percentage}% | {duration_formatted} | {eta_formatted} left';
  const { people, rows, seconds } = await showProgress(format, (bar) => {
    bar.start(total, 0, { step: 'seeding' });
    return seedDatabase(url, plan, ({ step, done }) => bar.update(done, { step }));
  });
  console.error(`${formatCount(people)} people in space 1, ${formatCount(rows)} rows in ${seconds.toFixed(1)} s`);
};

export const createCommand = (): Command =>
  new Command('seed')
    .description('Fill an empty database with invented people: space 1 of the given size, and a small space 2.')
    .option('--contacts <number>', 'contacts in space 1', parseWholeNumber(1, 10_000_000), 10_000)
    .option('--seed <number>', 'the same number gives the same data', parseWholeNumber(0, 2 ** 32 - 1), 1)
    .action(async (options: { contacts: number; seed: number }) => {
      await seedWithProgress(await findMigratedUrl(), options.contacts, options.seed);
    });
