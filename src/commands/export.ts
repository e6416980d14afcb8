// muster export: contacts, or records of a family
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import type { Writable } from 'node:stream';
import { Argument, Command, Option } from 'commander';
import type { Context } from '../context.ts';
import type { Database } from '../data/database.ts';
import { type FamilyName, familyNames } from '../data/record-family.ts';
import type { FormatName } from '../rest/export.ts';
import { wholeNumber } from './arguments.ts';
import { openDatabase } from './database-url.ts';
import { writePrivate } from './private-file.ts';

interface Options {
  space: number;
  search?: string;
  format: FormatName;
  interactions?: true;
  out?: string;
}

type Search = Record<string, unknown>;

/** What a file asks for: the body of a search, what is in it, or the query alone. */
const readSearch = async (file: string): Promise<Record<string, unknown>> => {
  const text = await readFile(file, 'utf8');
  let body: { data?: { advanced_search?: Search }; advanced_search?: Search } & Search;
  try {
    body = JSON.parse(text);
  } catch (error) {
    throw new Error(`${file} is not JSON: ${(error as Error).message}`);
  }
  const search = body.data?.advanced_search ?? body.advanced_search ?? body;
  const isQuery = '$all' in search || '$at_least_one' in search;
  return {
    tree: isQuery ? search : search.query,
    sortBy: search.sort_attr,
    ascending: search.sort_asc === true,
  };
};

/** Whoever runs commands on the database may see all of a space. */
const operator = (database: Database, space: number): Context => ({
  caller: { tokenId: 0, userId: 0, groupId: space, roleId: 0, roleType: 'superadmin' },
  bucket: { tokens: 0, cost: 0, capacity: 0, refill: 0 },
  space: database.space(space),
});

/** Writes pieces of text as they are read, and tells how many of `what` they hold. */
const send = async (pieces: AsyncIterable<{ text: string; count: number }>, what: string, target: Writable) => {
  const started = performance.now();
  let total = 0;
  for await (const { text, count } of pieces) {
    total += count;
    if (!target.write(text)) await once(target, 'drain');
    const rate = Math.round((total * 1000) / (performance.now() - started));
    if (process.stderr.isTTY) process.stderr.write(`\r${total.toLocaleString('en-US')} ${what}, ${rate}/s `);
  }
  console.error(`${process.stderr.isTTY ? '\r' : ''}${total.toLocaleString('en-US')} ${what} exported`);
};

// Each is loaded when it is needed, since most commands do without the graph.
async function* contactPieces(database: Database, { space, format }: Options, variables: object) {
  const [{ schema }, { compileStored }, { exported, formats }] = await Promise.all([
    import('../../schema/index.ts'),
    import('../rest/stored.ts'),
    import('../rest/export.ts'),
  ]);
  const pages = exported(compileStored(schema).Export, operator(database, space), { ...variables }, formats[format]);
  for await (const { text, contacts } of pages) yield { text, count: contacts };
}
async function* recordPieces(database: Database, { space, format }: Options, family: FamilyName) {
  const { writtenRecords } = await import('../import/write.ts');
  for await (const { text, records } of writtenRecords(database.space(space), family, format))
    yield { text, count: records };
}

const run = async (what: 'contacts' | FamilyName, options: Options, command: Command): Promise<void> => {
  const { space, search, interactions, out } = options;
  if (what !== 'contacts' && (search || interactions))
    command.error(`error: --search and --interactions go with contacts, not with ${what}`);
  const variables = { ...(search && (await readSearch(search))), withInteractions: interactions ?? false };
  const database = await openDatabase(space);
  const write = (target: Writable): Promise<void> =>
    send(
      what === 'contacts' ? contactPieces(database, options, variables) : recordPieces(database, options, what),
      what,
      target,
    );
  try {
    await (out ? writePrivate(out, write) : write(process.stdout));
  } finally {
    await database.close();
  }
};

export const exportCommand = (): Command =>
  new Command('export')
    .description(
      'Write the contacts of a space, those that a search finds, or the records of a family, as NDJSON or CSV.',
    )
    .addArgument(new Argument('[what]', 'what to write').choices(['contacts', ...familyNames]).default('contacts'))
    .requiredOption('--space <id>', 'the space', wholeNumber(0, Number.MAX_SAFE_INTEGER))
    .option(
      '--search <file>',
      'JSON of a search for contacts: the body of POST /search, or its query; everybody without it',
    )
    .addOption(new Option('--format <format>', 'how to write them').choices(['ndjson', 'csv']).default('ndjson'))
    .option('--interactions', 'with what happened with each contact, files included (NDJSON only)')
    .option('--out <file>', 'write to this file instead of standard output')
    .action(run);
