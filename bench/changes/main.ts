// Measures a change of many contacts, what other callers notice of it, and lists of possible duplicates.
import { cpus, totalmem } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { Command } from 'commander';
import { parseWholeNumber } from '../../src/commands/arguments.ts';
import { hasSpaces, startServer, tokenOf } from '../harness/database.ts';
import { loadDemo } from '../harness/demo.ts';
import { computeMedian } from '../harness/median.ts';
import {
  computeDatabaseUse,
  limitless,
  measureCpu,
  measureDatabaseCpu,
  type Server,
  startMuster,
} from '../harness/process.ts';
import { runProgram } from '../harness/run-program.ts';
import { printSection } from '../harness/section.ts';
import { quantile } from '../search/measure.ts';

interface Options {
  contacts: number;
  seconds: number;
  rounds: number;
  pages: number;
  out?: string;
  dataDir: string;
}

const program = new Command('bench:changes')
  .description(
    'Adds a tag to all contacts of a space of the demo data while others read and write, and reads pages of possible duplicates. It uses the data of an earlier run, in its folder or in DATABASE_URL; every round tags other contacts.',
  )
  .option(
    '--contacts <number>',
    'contacts of the space, if there are none yet',
    parseWholeNumber(1000, 5_000_000),
    1_000_000,
  )
  .option('--seconds <number>', 'after which a change is cancelled', parseWholeNumber(1, 3600), 20)
  .option('--rounds <number>', 'rounds; the table has their median', parseWholeNumber(1, 99), 3)
  .option('--pages <number>', 'pages of each kind of duplicates, at most', parseWholeNumber(1, 1000), 10)
  .option('--out <file>', 'write the tables into this Markdown file, between its markers')
  .option('--data-dir <folder>', 'folder of the embedded server', '.muster-peers/changes');

// biome-ignore lint/suspicious/noExplicitAny: JSON of any shape
type Ask = (query: string, variables?: Record<string, unknown>) => Promise<any>;

const createAsk =
  (port: number, token: string): Ask =>
  async (query, variables = {}) => {
    const response = await fetch(`http://127.0.0.1:${port}/graphql`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ query, variables }),
    });
    const { data, errors } = (await response.json()) as { data: unknown; errors?: unknown };
    if (errors) throw new Error(JSON.stringify(errors));
    return data;
  };

const everybody = { createdAt: { gte: '1970-01-01' } };
const tagPrefix = 'measured ';
const callers = 4;
/** By turns, a third each. */
const others: readonly string[] = [
  'query ($id: ID!) { contact(id: $id) { firstName lastName email address { city } tags { name } notes(first: 5) { nodes { content } } } }',
  'query ($id: ID!) { contact(id: $id) { id } searchContacts(query: { tags: { equals: "Bénévole" } }, first: 50) { totalCount nodes { firstName lastName } } }',
  'mutation ($id: ID!, $text: String) { updateContact(input: { id: $id, nationality: $text }) { contact { id } } }',
];

/** The 95th percentile of what others wait for, in milliseconds, as long as `goesOn`. */
const measureOthers = async (ask: Ask, ids: readonly string[], goesOn: () => boolean): Promise<number> => {
  const taken: number[] = [];
  const call = async (caller: number): Promise<void> => {
    for (let turn = caller; goesOn() || turn < callers + caller; turn += callers) {
      const started = performance.now();
      await ask(others[turn % others.length]!, { id: ids[(turn * 7919) % ids.length], text: `${turn}` });
      taken.push(performance.now() - started);
    }
  };
  await Promise.all(Array.from({ length: callers }, (_, caller) => call(caller)));
  return quantile(taken, 0.95);
};

const lasts = (seconds: number): (() => boolean) => {
  const end = performance.now() + 1000 * seconds;
  return () => performance.now() < end;
};

/** The subject of a measurement. */
interface Subject {
  ask: Ask;
  /** Ids of some contacts. */
  ids: readonly string[];
  url: string;
  server: Server;
}

interface Round {
  /** Contacts per second, while nobody else asks and beside others. */
  alone: number;
  beside: number;
  /** Microseconds of CPU for a contact, while nobody else asks. */
  serverCpu: number;
  databaseCpu: number;
  /** The 95th percentile of others, in milliseconds. */
  before: number;
  during: number;
}

/** Follows a change for some seconds, or until its end: how many contacts it changed meanwhile, and how many in a second. */
const followChange = async (
  ask: Ask,
  id: string,
  goesOn: () => boolean,
): Promise<{ changed: number; rate: number }> => {
  const read = async (): Promise<{ state: string; changed: number }> =>
    (await ask('query ($id: ID!) { contactChange(id: $id) { state changed } }', { id })).contactChange;
  const [first, started] = [(await read()).changed, performance.now()];
  for (;;) {
    const { state, changed } = await read();
    const result = { changed: changed - first, rate: (1000 * (changed - first)) / (performance.now() - started) };
    if (state !== 'RUNNING' || !goesOn()) return result;
    await sleep(100);
  }
};

const measureRound = async ({ ask, ids, url, server }: Subject, seconds: number): Promise<Round> => {
  const before = await measureOthers(ask, ids, lasts(seconds));
  const { tags } = await ask(
    'query ($start: String) { tags(filter: { name: { startsWith: $start } }, first: 1000) { nodes { name } } }',
    {
      start: tagPrefix,
    },
  );
  // Who got a tag of an earlier round is left out, so that each contact has as many tags as in every other round.
  const earlier = tags.nodes.map(({ name }: { name: string }) => ({ not: { tags: { equals: name } } }));
  const input = {
    of: { query: { and: [everybody, ...earlier] } },
    change: { addTags: [`${tagPrefix}${Date.now()}`] },
  };
  const { changeContacts } = await ask(
    'mutation ($input: ContactsChangeInput!) { changeContacts(input: $input) { job { id } } }',
    { input },
  );
  const { id } = changeContacts.job;
  const [serverBefore, databaseBefore] = [measureCpu(server.pid), await measureDatabaseCpu(url)];
  const alone = await followChange(ask, id, lasts(seconds));
  const serverCpu = (measureCpu(server.pid) - serverBefore) / alone.changed;
  const databaseCpu = computeDatabaseUse(databaseBefore, await measureDatabaseCpu(url)) / alone.changed;
  const goesOn = lasts(seconds);
  const [during, beside] = await Promise.all([measureOthers(ask, ids, goesOn), followChange(ask, id, goesOn)]);
  // A change of few contacts is over by now.
  await ask('mutation ($id: ID!) { cancelContactChange(input: { id: $id }) { job { state } } }', { id }).catch(
    () => {},
  );
  return { alone: alone.rate, beside: beside.rate, serverCpu, databaseCpu, before, during };
};

const reasons = ['SAME_EMAIL', 'SAME_PHONE', 'SAME_NAME_AND_BIRTHDATE', 'SIMILAR_NAME_SAME_ADDRESS'];

/** Milliseconds of each page of groups of one kind. */
const measurePages = async (ask: Ask, reason: string, pages: number): Promise<number[]> => {
  const document = `query ($after: String) { duplicateContacts(by: [${reason}], after: $after) { cursor hasMore nodes { contacts { id firstName lastName } } } }`;
  const taken: number[] = [];
  let at = { cursor: null as string | null, hasMore: true };
  while (at.hasMore && taken.length < pages) {
    const started = performance.now();
    at = (await ask(document, { after: at.cursor })).duplicateContacts;
    taken.push(performance.now() - started);
  }
  return taken;
};

const round = (value: number): string => (value < 10 ? value.toFixed(1) : Math.round(value).toLocaleString('en-US'));

const measure = async (url: string, server: Server, { seconds, rounds, pages }: Options): Promise<string> => {
  const ask = createAsk(server.port, await tokenOf(url));
  const { searchContacts } = await ask(
    'query ($query: ContactQuery) { searchContacts(query: $query, first: 1000) { totalCount nodes { id } } }',
    { query: everybody },
  );
  const ids = searchContacts.nodes.map(({ id }: { id: string }) => id);
  const measured: Round[] = [];
  for (let at = 0; at < rounds; at++) measured.push(await measureRound({ ask, ids, url, server }, seconds));
  const median = (of: (one: Round) => number): number => computeMedian(measured.map(of));
  const duplicates: string[] = [];
  for (const reason of reasons) {
    const taken = await measurePages(ask, reason, pages);
    duplicates.push(
      `| \`${reason}\` | ${taken.length} | ${round(taken[0]!)} | ${round(computeMedian(taken))} | ${round(Math.max(...taken))} |`,
    );
  }
  const machine = `Node ${process.versions.node}, ${cpus().length} × ${cpus()[0]!.model.replace(/ \d+-Core.*/, '')}, ${Math.round(totalmem() / 2 ** 30)} GB`;
  return `## Changes of many contacts, and possible duplicates

\`npm run bench:changes -- --seconds ${seconds} --rounds ${rounds} --pages ${pages}\` on ${new Date().toISOString().slice(0, 10)}: ${machine}.
A space of the demo data with ${searchContacts.totalCount.toLocaleString('en-US')} contacts; server, load and database on this one machine. A change adds a new tag to those without one of another round, two batches at once while nobody else asks; it runs for ${seconds} seconds alone, for as long beside ${callers} others, and is cancelled. The others
go on one after the other: they read a contact, search, and update a contact. Medians of the rounds; the ratio is that of each round.

| contacts per second, alone | beside others | server, µs of CPU for a contact | PostgreSQL | others before, 95th percentile, ms | beside the change | ratio |
| ---: | ---: | ---: | ---: | ---: | ---: | ---: |
| ${(['alone', 'beside', 'serverCpu', 'databaseCpu', 'before', 'during'] as const).map((figure) => round(median((one) => one[figure]))).join(' | ')} | ${median(({ before, during }) => during / before).toFixed(1)} |

Milliseconds for a page of 20 groups of \`duplicateContacts\`, with names.

| reason | pages | first | median | slowest |
| --- | ---: | ---: | ---: | ---: |
${duplicates.join('\n')}`;
};

await runProgram<Options>(program, async (options) => {
  const database = await startServer(options.dataDir);
  try {
    if (!(await hasSpaces(database.url))) await loadDemo(database.url, options.contacts);
    const server = await startMuster(database.url, limitless);
    try {
      printSection('changes', await measure(database.url, server, options), options.out);
    } finally {
      await server.stop();
    }
  } finally {
    await database.stop();
  }
});
