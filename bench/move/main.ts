// Measures moving in: Muster serves a seeded space with the bucket of the contract, and muster move-in moves it into another database, where all is compared.
import { execFile } from 'node:child_process';
import { isDeepStrictEqual, promisify } from 'node:util';
import { Command } from 'commander';
import { parseWholeNumber } from '../../src/commands/arguments.ts';
import { locatePackageFile } from '../../src/database/package-file.ts';
import { makeComparable } from '../../test/move/comparable.ts';
import { createSecondDatabase, tokenOf, useDatabase } from '../harness/database.ts';
import { loadDemo } from '../harness/demo.ts';
import { type Server, startMuster } from '../harness/process.ts';
import { runProgram } from '../harness/run-program.ts';
import { printSection } from '../harness/section.ts';

interface Options {
  contacts: number;
  out?: string;
}

const program = new Command('bench:move')
  .description('Moves a space with muster move-in, compares source and target, and moves it again.')
  .option('--contacts <number>', 'contacts to move', parseWholeNumber(100, 5_000_000), 100_000)
  .option('--out <file>', 'write the table into this Markdown file, between its markers');

const main = locatePackageFile('dist/main.js').pathname;
const run = promisify(execFile);

const ask = async (address: string, token: string, path: string, body?: unknown) => {
  const response = await fetch(`${address}${path}`, {
    headers: { Authorization: `Bearer ${token}`, ...(body !== undefined && { 'Content-Type': 'application/json' }) },
    ...(body !== undefined && { method: 'POST', body: JSON.stringify(body) }),
  });
  // biome-ignore lint/suspicious/noExplicitAny: JSON of any shape
  return ((await response.json()) as any).data;
};

const kinds = ['consent', 'level_of_support', 'presence_status', 'custom_fields', 'survey', 'tasks'];
const lists = ['/v1/membership_price_groups', '/v1/donation_prices', '/v1/transaction_statuses'];

/** Compares everything that both show. Returns the number of contacts that are equal, and what differs. */
const compare = async (source: [string, string], target: [string, string]) => {
  const differing: string[] = [];
  for (const path of [...kinds.map((kind) => `/forms/${kind}`), ...lists.map((list) => `${list}?limit=1000`)]) {
    const [one, other] = await Promise.all([ask(...source, path), ask(...target, path)]);
    if (!isDeepStrictEqual(makeComparable(one), makeComparable(other))) differing.push(path);
  }
  let equal = 0;
  for (let page = 0; ; page++) {
    const search = { data: { advanced_search: { per_page: 1000, page, include_interactions: true } } };
    const [one, other] = await Promise.all([ask(...source, '/search', search), ask(...target, '/search', search)]);
    if (one.contacts.length === 0 && other.contacts.length === 0) return { equal, differing };
    for (let at = 0; at < Math.max(one.contacts.length, other.contacts.length); at++) {
      // The members of the source are no users here, and so no authors.
      const [mine, theirs] = [one.contacts[at], other.contacts[at]].map((contact) => makeComparable(contact));
      if (isDeepStrictEqual(dropAuthors(mine), dropAuthors(theirs))) equal++;
      else differing.push(`contact ${mine?.id ?? theirs?.id}`);
    }
  }
};

// biome-ignore lint/suspicious/noExplicitAny: JSON of any shape
const dropAuthors = (contact: any): any =>
  contact && {
    ...contact,
    ...(contact.notes && { notes: { ...contact.notes, user_id: null } }),
    interactions: contact.interactions?.map((one: object) => ({ ...one, user_id: null })),
  };

const measure = async (from: string, { contacts, out }: Options): Promise<void> => {
  const to = await createSecondDatabase(from);
  const muster = async (url: string, args: string[], env: Record<string, string> = {}) => {
    const started = performance.now();
    const { stdout, stderr } = await run(process.execPath, [main, ...args], {
      env: { ...process.env, ...env, DATABASE_URL: url },
      maxBuffer: 1e9,
    }).catch((error) => error as { stdout: string; stderr: string });
    console.error(stdout, stderr);
    return { seconds: (performance.now() - started) / 1000, out: stdout };
  };
  const servers: Server[] = [];
  /** Serves a database until the end, and returns its address. */
  const serve = async (url: string, settings: Record<string, string>): Promise<string> => {
    const server = await startMuster(url, settings);
    servers.push(server);
    return `http://127.0.0.1:${server.port}`;
  };
  try {
    await loadDemo(from, contacts);
    const owner = ['--mail', 'admin@example.org', '--first-name', 'A', '--last-name', 'B'];
    await muster(to, ['setup', '--name', 'Target', '--bare', ...owner]);
    const [sourceToken, targetToken] = [await tokenOf(from), await tokenOf(to)];
    const [source, target] = [await serve(from, {}), await serve(to, { BUCKET_CAPACITY: '100000' })];
    const rows: string[] = [];
    const move = async (what: string, ...more: string[]): Promise<void> => {
      const { seconds, out: said } = await muster(to, ['move-in', '--from', source, '--space', '1', ...more], {
        SOURCE_TOKEN: sourceToken,
      });
      const counts = /contacts: (.*)/.exec(said)?.[1] ?? 'failed';
      const read = Number(/([\d,]+) read/.exec(counts)?.[1]?.replaceAll(',', '') ?? 0);
      rows.push(
        `| ${what} | ${counts} | ${seconds.toFixed(1)} | ${Math.round(read / seconds).toLocaleString('en-US')} |`,
      );
    };
    await move('into an empty space', '--page', '1000');
    await move('again, nothing has changed', '--page', '1000');
    const fast = await serve(from, { BUCKET_CAPACITY: '100000' });
    const { equal, differing } = await compare([fast, sourceToken], [target, targetToken]);
    const verdict =
      differing.length === 0
        ? `Compared afterwards: forms, prices and statuses, and ${equal.toLocaleString('en-US')} contacts with their interactions. Everything is equal.`
        : `Compared afterwards: ${equal.toLocaleString('en-US')} contacts are equal. Different: ${differing.slice(0, 20).join(', ')}.`;
    const text = `## Moving in

\`npm run bench:move -- --contacts ${contacts}\` on ${new Date().toISOString().slice(0, 10)}: a space of the demo data with ${contacts.toLocaleString('en-US')} contacts, served by
Muster with the bucket of the contract (100 points, 10 a second), and moved into a space of another database with \`muster move-in\`. Source,
target and their database server run on one machine. Seconds from start to end of the command.

| what | contacts | seconds | contacts per second |
| --- | --- | ---: | ---: |
${rows.join('\n')}

${verdict} The comparison leaves out ids and times of addresses, answers and files, authors, and the order of tags and answers.`;
    printSection('move', text, out);
    if (differing.length > 0) process.exitCode = 1;
  } finally {
    for (const server of servers) await server.stop();
  }
};

await runProgram<Options>(program, (options) => useDatabase((url) => measure(url, options), { shared_buffers: '1GB' }));
