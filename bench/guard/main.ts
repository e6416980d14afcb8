// The command line: compares this working tree with another commit on one database, and exits with 1 when it is slower.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Command } from 'commander';
import { parseWholeNumber } from '../../src/commands/arguments.ts';
import { loadPeople, resetDatabase, runVacuum, startServer } from '../harness/database.ts';
import { requireWrk } from '../harness/wrk.ts';
import { findEntry } from '../peers/entries.ts';
import { startMuster } from '../peers/launch.ts';
import { describeSlowRequests, type Side } from './compare.ts';
import { checkOut, findDefaultReference, hasSameMigrations, here, migrateWith, type Worktree } from './worktree.ts';

interface Options {
  against?: string;
  seconds: number;
  rounds: number;
  people: number;
  slower: number;
  dataDir: string;
}

const program = new Command('bench:guard')
  .description(
    'Finds out whether this working tree is slower than another commit. Both servers run on one database and get the same requests, each in ' +
      'the words of its own benchmark: a contact, a page, a filtered page and a new note, over both doors. Exits with 1 when one of these is too slow in both of two tries. ' +
      'Needs wrk and git. Uses an embedded PostgreSQL, or databases of its own on the server of DATABASE_URL.',
  )
  .option('--against <commit>', 'the other commit (default: origin/main, or the previous commit on origin/main itself)')
  .option('--seconds <number>', 'seconds of load in a round', parseWholeNumber(1, 600), 3)
  .option('--rounds <number>', 'rounds; the median counts', parseWholeNumber(1, 99), 3)
  .option('--people <number>', 'how many people to load', parseWholeNumber(4000, 1_000_000), 20_000)
  .option('--slower <percent>', 'how much slower is too slow', parseWholeNumber(1, 99), 20)
  .option('--data-dir <folder>', 'folder of the embedded server', '.muster-peers/guard');

const running = { entry: findEntry('muster-graphql') };

/** A module of the benchmark of a commit. */
const importFrom = (folder: string, path: string) => import(pathToFileURL(join(folder, path)).href);

/** Loads the people and a token with the schema of the other commit. Our server migrates a copy when its schema differs. */
const prepare = async (
  serverUrl: string,
  other: Worktree,
  people: number,
): Promise<{ ours: string; theirs: string; token: string }> => {
  const theirs = await resetDatabase(serverUrl, 'muster_guard_theirs');
  await migrateWith(other.folder, theirs);
  console.error(`loading ${people} people`);
  await loadPeople(theirs, people);
  // Each commit writes tokens in its own schema.
  const { tokenOf }: typeof import('../harness/database.ts') = await importFrom(
    other.folder,
    'bench/harness/database.ts',
  );
  const token = await tokenOf(theirs);
  if (hasSameMigrations(here, other.folder)) return { ours: theirs, theirs, token };
  const ours = await resetDatabase(serverUrl, 'muster_guard_ours', 'muster_guard_theirs');
  await migrateWith(here, ours);
  await runVacuum(ours);
  return { ours, theirs, token };
};

/** The requests of a commit's own benchmark. */
const importRequests = async (folder: string): Promise<Side['doors']> => {
  const { musterGraphql, musterRest } = await importFrom(folder, 'bench/harness/requests.ts');
  return { graphql: musterGraphql, rest: musterRest };
};

const guard = async ({ against, seconds, rounds, people, slower: percent, dataDir }: Options): Promise<string[]> => {
  requireWrk();
  const reference = against ?? (await findDefaultReference());
  const undo: (() => Promise<void>)[] = [];
  const clear = async (): Promise<void> => {
    for (const step of undo.splice(0).reverse()) await step();
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => void clear().finally(() => process.exit(1)));
  try {
    const other = await checkOut(reference);
    undo.push(other.remove);
    const server = await startServer(dataDir);
    undo.push(server.stop);
    const { token, ...urls } = await prepare(server.url, other, people);
    const place = mkdtempSync(join(tmpdir(), 'muster-bench-guard-'));
    undo.push(async () => rmSync(place, { recursive: true, force: true }));
    const start = async (name: string, url: string, folder: string): Promise<Side> => {
      const started = await startMuster(url, folder);
      undo.push(started.stop);
      return { name, url, running: { ...running, server: started }, doors: await importRequests(folder) };
    };
    const theirs = await start(`${reference} (${other.commit})`, urls.theirs, other.folder);
    const ours = await start('this working tree', urls.ours, here);
    const headers = { Authorization: `Bearer ${token}` };
    return await describeSlowRequests({
      ours,
      theirs,
      headers,
      people,
      seconds,
      rounds,
      tolerance: percent / 100,
      place,
    });
  } finally {
    await clear();
  }
};

try {
  const found = await guard(program.parse().opts<Options>());
  if (found.length > 0) {
    console.error(`bench:guard: slower:\n${found.join('\n')}`);
    process.exitCode = 1;
  } else console.error('bench:guard: not slower');
} catch (error) {
  console.error(`bench:guard: ${(error as Error).message}`);
  process.exitCode = 1;
}
