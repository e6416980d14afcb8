// How much the tests do. `small` is for each change; `all` has every file; `rest` is what `all` has beyond `small`; `thorough` is all that they can do, before a release.
import { createChance, seedOf } from '../search/random.ts';

const sizes = ['small', 'rest', 'all', 'thorough'] as const;
export type Size = (typeof sizes)[number];

export const readSize = (given = process.env.TEST_SIZE ?? 'all'): Size => {
  const size = sizes.find((one) => one === given);
  if (!size) throw new Error(`TEST_SIZE is one of ${sizes.join(', ')}, and not ${given}`);
  return size;
};
/** For the few slow tests of a file whose others are quick. */
export const isSmall = readSize() === 'small';
export const isThorough = readSize() === 'thorough';

/**
 * Files that `npm test` leaves out, by what their paths begin with: kills, restarts, faults of disk and network, other servers, benchmarks,
 * tests of the tests, and what starts many programs or pages to show what tests in one process show, too.
 */
export const leftOutOfSmall = [
  ...['abuse/connections.', 'abuse/embedded-', 'abuse/event-loop.', 'abuse/long-input-bench.', 'abuse/prepared.'],
  ...['bench/', 'clients/example-app.', 'commands/backup.', 'commands/installation.', 'commands/serve.'],
  ...['contract/export-moving.', 'data/erasure-overtakes.', 'data/expired-rows.', 'database/backup.'],
  ...['database/migrations-before.', 'docs/commands.', 'docs/graphql-guide.', 'docs/typescript-guide.'],
  ...['faults/black-hole.', 'faults/disk.', 'faults/embedded', 'faults/event-cost.', 'faults/export.', 'faults/log.'],
  ...['faults/network.', 'faults/overload.', 'faults/rolling-restart.', 'faults/search-database.', 'faults/server.'],
  ...['faults/signals.', 'gate/admission.', 'graphql/event-price.', 'house/contributing.', 'house/names.'],
  ...['import/broken.', 'import/command.', 'import/excel.', 'import/faults.', 'import/real-data.'],
  ...['import/records-back.', 'import/records-undo.', 'import/runs.', 'move/interrupted.', 'move/server.'],
  ...['move/small-bucket.', 'pages/explore-', 'pages/token-links.', 'rest/reference.', 'rest/typescript.'],
  ...['scale-out/citus-', 'scale-out/pgbouncer.', 'scale-out/replica.', 'scale-out/traversals.'],
  ...['scale-out/workers.', 'search/bound.', 'search/differential.', 'search/laws-pages.', 'search/mutants.'],
  ...['search/rows-command.', 'search/traversals.', 'seed/seed.', 'server/browser.', 'server/monitoring.'],
  ...['webhook/kill.'],
];

/** Whether a size has a file, given its path below test/, and whether its tests depend on the size. */
export const hasFile = (size: Size, path: string, isSized: boolean): boolean => {
  const isLeftOut = leftOutOfSmall.some((start) => path.startsWith(start));
  return size === 'small' ? !isLeftOut : size === 'rest' ? isLeftOut || isSized : true;
};

export const countFor = (size: Size, small: number, all: number, thorough: number): number =>
  size === 'small' ? small : size === 'thorough' ? thorough : all;
export const chooseCount = (small: number, all: number, thorough: number): number =>
  countFor(readSize(), small, all, thorough);

/** One of so many of the cases, drawn by the seed, in their order. `all` has those of `small`, and `rest` has what `all` has beyond them. */
export const drawSampleFor = <Case>(
  size: Size,
  seed: string,
  cases: readonly Case[],
  { small = 1, all = 1 }: { small?: number; all?: number },
): Case[] => {
  const places = createChance(seedOf(seed, cases.length)).shuffle([...cases.keys()]);
  const countIn = (one: Size): number => Math.ceil(cases.length / countFor(one, small, all, 1));
  const [inSmall, inAll] = [countIn('small'), countIn('all')];
  // A file that `small` leaves out does not say what it would draw there.
  const start = size === 'rest' && inSmall < inAll ? inSmall : 0;
  return places
    .slice(start, countIn(size))
    .sort((a, b) => a - b)
    .map((place) => cases[place]!);
};
/** The configuration of Vitest sets the seed. */
export const drawSample = <Case>(cases: readonly Case[], oneIn: { small?: number; all?: number }): Case[] =>
  drawSampleFor(readSize(), process.env.TEST_SEED!, cases, oneIn);
