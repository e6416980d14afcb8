// How much the tests do. `small` is for each change; `all` has every file; `rest` has the files of `all` in which `small` has not all tests; `thorough` is all that they can do, before a release.
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
 * tests of the tests, long walks and races, and what starts many programs or pages to show what tests in one process show, too.
 */
export const leftOutOfSmall = [
  'abuse/batches.',
  'abuse/connections.',
  'abuse/event-loop.',
  'abuse/long-headers.',
  'abuse/long-input-bench.',
  'abuse/long-texts.',
  'abuse/prepared.',
  'abuse/secrets.',
  'abuse/walks.',
  'bench/smoke.',
  'clients/example-app.',
  'commands/backup.',
  'commands/commands.',
  'commands/distribute.',
  'commands/export-files.',
  'commands/installation.',
  'commands/serve.',
  'commands/setup.',
  'contract/export-moving.',
  'data/erasure-overtakes.',
  'data/expired-rows.',
  'data/retention.',
  'data/segment-events.',
  'database/backup.',
  'database/encoding.',
  'database/migration',
  'demo-data/',
  'deploy/image.',
  'docs/commands.',
  'docs/graphql-guide.',
  'docs/typescript-guide.',
  'embedded-server/',
  'faults/',
  'gate/admission.',
  'gate/bucket.',
  'permissions/permission-ways-out.',
  'graphql/clients/',
  'graphql/event-price.',
  'graphql/graphiql.',
  'graphql/random-documents.',
  'graphql/search-tree.',
  'graphql/subscriptions.',
  'harness/near.',
  'house/contributing.',
  'import/broken.',
  'import/command.',
  'import/excel.',
  'import/faults.',
  'import/key.',
  'import/real-data.',
  'import/records-back.',
  'import/records-undo.',
  'import/records.',
  'import/runs.',
  'import/spreadsheets.',
  'import/undo-rights.',
  'jobs/kill-',
  'model/at-once.',
  'model/echoes.',
  'model/writes.',
  'move/interrupted.',
  'move/server.',
  'move/small-bucket.',
  'pages/explore',
  'pages/guide.',
  'pages/kept-pages.',
  'pages/token-links.',
  'release/',
  'reports/hostile-role.',
  'reports/protocol-fuzz.',
  'rest/reference.',
  'rest/typescript.',
  'scale-out/citus-',
  'scale-out/pgbouncer.',
  'scale-out/replica.',
  'scale-out/traversals.',
  'scale-out/workers.',
  'search/bound.',
  'search/contact-query.',
  'search/differential.',
  'search/laws-pages.',
  'search/load.',
  'search/mutants.',
  'search/rows.',
  'search/rows-command.',
  'search/rows-race.',
  'search/traversal-memory.',
  'search/traversals.',
  'server/browser.',
  'telemetry/monitoring.',
  'webhook/kill.',
  'webhook/reach.',
  'webhook/restored.',
];

/** Whether a size has a file, given its path below test/, and whether its tests depend on the size. */
export const hasFile = (size: Size, path: string, isSized: boolean): boolean => {
  const isLeftOut = leftOutOfSmall.some((start) => path.startsWith(start));
  return size === 'small' ? !isLeftOut : size === 'rest' ? isLeftOut || isSized : true;
};

/** Files that are in every share of a run: the smallest run of each benchmark, and random writes replayed from the feed and from messages. */
export const inEachShare = ['bench/smoke.', 'model/replay.'];

/** One of so many shares of the files, which take about as long as each other: the seed says which one, so that all get their turn. */
export const drawShareFor = (
  seed: string,
  files: readonly string[],
  shares: number,
  secondsOf: (file: string) => number,
): string[] => {
  const isInEach = (file: string): boolean => inEachShare.some((start) => file.startsWith(start));
  const parts = Array.from({ length: shares }, () => ({ seconds: 0, files: files.filter(isInEach) }));
  const longestFirst = files.filter((file) => !isInEach(file)).sort((a, b) => secondsOf(b) - secondsOf(a));
  for (const file of longestFirst) {
    const shortest = parts.reduce((one, other) => (other.seconds < one.seconds ? other : one));
    shortest.files.push(file);
    // Any file takes a second to load.
    shortest.seconds += secondsOf(file) + 1;
  }
  return parts[createChance(seedOf(seed, shares)).whole(shares)]!.files;
};

/** In how many shares a run is divided, of which it is one. */
export const readShares = (given = process.env.TEST_SHARES ?? '1'): number => {
  if (!/^[1-9]\d?$/.test(given)) throw new Error(`TEST_SHARES is a number from 1 to 99, and not ${given}`);
  return Number(given);
};

export const countFor = (size: Size, small: number, all: number, thorough: number): number =>
  size === 'small' ? small : size === 'thorough' ? thorough : all;
export const chooseCount = (small: number, all: number, thorough: number): number =>
  countFor(readSize(), small, all, thorough);

/** One of so many of the cases, drawn by the seed, in their order. A larger size has those of a smaller one, too. */
export const drawSampleFor = <Case>(
  size: Size,
  seed: string,
  cases: readonly Case[],
  { small = 1, all = 1 }: { small?: number; all?: number },
): Case[] => {
  const places = createChance(seedOf(seed, cases.length)).shuffle([...cases.keys()]);
  return places
    .slice(0, Math.ceil(cases.length / countFor(size, small, all, 1)))
    .sort((a, b) => a - b)
    .map((place) => cases[place]!);
};
/** The configuration of Vitest sets the seed. */
export const drawSample = <Case>(cases: readonly Case[], oneIn: { small?: number; all?: number }): Case[] =>
  drawSampleFor(readSize(), process.env.TEST_SEED!, cases, oneIn);
