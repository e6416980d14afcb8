// muster export: contacts, or records of a family
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import type { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { Argument, Command, Option } from 'commander';
import type { Context } from '../context.ts';
import type { TableOptions } from '../csv/table.ts';
import { type RecordTypeName, recordTypeNames } from '../data/import/record-types.ts';
import type { Database } from '../database/database.ts';
import { getCurrentMicros } from '../search/datetime.ts';
import { parseWholeNumber } from './arguments.ts';
import { openDatabase } from './database-url.ts';
import { type FileFormat, fileFormats, findFileFormat } from './file-format.ts';
import { writePrivateFile } from './private-file.ts';

interface Options {
  space: number;
  search?: string;
  format?: FileFormat;
  excel?: true;
  columns?: string[];
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
  now: getCurrentMicros(),
});

/** Whether a reader has seen enough, as `head` has after ten lines. */
const isLeft = (error: unknown): boolean => (error as NodeJS.ErrnoException | null)?.code === 'EPIPE';

/** Writes pieces of text as they are read, and tells how many of `what` they hold. */
const send = async (pieces: AsyncIterable<{ text: string; count: number }>, what: string, target: Writable) => {
  const started = performance.now();
  let total = 0;
  for await (const { text, count } of pieces) {
    total += count;
    const isFull = !target.write(text);
    if (target.errored) throw target.errored;
    if (isFull) await once(target, 'drain');
    const rate = Math.round((total * 1000) / (performance.now() - started));
    if (process.stderr.isTTY) process.stderr.write(`\r${total.toLocaleString('en-US')} ${what}, ${rate}/s `);
  }
  console.error(`${process.stderr.isTTY ? '\r' : ''}${total.toLocaleString('en-US')} ${what} exported`);
};

/** What a file is to be. */
interface Form extends TableOptions {
  format: FileFormat;
}

// Each is loaded when it is needed, since most commands do without the graph.
async function* contactPieces(database: Database, { space }: Options, { format, ...table }: Form, variables: object) {
  const [{ schema }, { compileStoredOperations }, { exportContactPages, formats }, { createCsvFormat }] =
    await Promise.all([
      import('../../schema/index.ts'),
      import('../rest/stored.ts'),
      import('../rest/export.ts'),
      import('../csv/contact-table.ts'),
    ]);
  const writing = format === 'csv' ? createCsvFormat(table) : formats.ndjson;
  const pages = exportContactPages(
    compileStoredOperations(schema).Export,
    operator(database, space),
    { ...variables },
    writing,
  );
  for await (const { text, contacts } of pages) yield { text, count: contacts };
}
async function* recordPieces(
  database: Database,
  { space }: Options,
  { format, ...table }: Form,
  family: RecordTypeName,
) {
  const { writeRecordsAsText } = await import('../import/write-records.ts');
  for await (const { text, records } of writeRecordsAsText(database.space(space), family, format, table))
    yield { text, count: records };
}

const columnsOf = async (what: 'contacts' | RecordTypeName): Promise<string[]> =>
  what === 'contacts'
    ? Object.keys((await import('../csv/contact-table.ts')).contactTableColumns)
    : (await import('../import/write-records.ts')).listWrittenColumns(what);

/** What the options ask for together; those that contradict one another are wrong usage. */
const formOf = async (what: 'contacts' | RecordTypeName, options: Options, command: Command): Promise<Form> => {
  const { format: said, excel, columns: names, interactions, out } = options;
  const named = out === undefined ? undefined : findFileFormat(out);
  const format = said ?? (excel ? 'csv' : named) ?? 'ndjson';
  if (named && named !== format)
    command.error(`error: ${out} is ${named} by its name, but ${said ? `--format says ${said}` : '--excel is CSV'}`);
  if (excel && format !== 'csv') command.error(`error: --excel is CSV, but --format says ${format}`);
  if (names && format !== 'csv') command.error('error: --columns goes with CSV: say --format csv, or --excel');
  if (interactions && format === 'csv') command.error('error: --interactions goes with NDJSON, not with CSV');
  if (names) {
    const all = await columnsOf(what);
    const unknown = names.filter((name, index) => !all.includes(name) || names.indexOf(name) !== index);
    if (unknown.length > 0)
      command.error(`error: --columns: no columns, or named twice: ${unknown.join(', ')}. There are ${all.join(', ')}`);
  }
  return { format, names, excel };
};

/** Compresses what is written to a target. */
const zipped =
  (write: (target: Writable) => Promise<void>) =>
  async (target: Writable): Promise<void> => {
    const zip = createGzip();
    const whole = pipeline(zip, target, { end: false });
    await Promise.all([whole, write(zip).then(() => zip.end())]);
  };

const run = async (what: 'contacts' | RecordTypeName, options: Options, command: Command): Promise<void> => {
  const { space, search, interactions, out } = options;
  if (what !== 'contacts' && (search || interactions))
    command.error(`error: --search and --interactions go with contacts, not with ${what}`);
  const form = await formOf(what, options, command);
  const variables = { ...(search && (await readSearch(search))), withInteractions: interactions ?? false };
  const database = await openDatabase(space);
  const write = (target: Writable): Promise<void> =>
    send(
      what === 'contacts'
        ? contactPieces(database, options, form, variables)
        : recordPieces(database, options, form, what),
      what,
      target,
    );
  try {
    if (out) await writePrivateFile(out, /\.gz$/i.test(out) ? zipped(write) : write);
    else await write(process.stdout);
  } catch (error) {
    if (out || !isLeft(error)) throw error;
  } finally {
    await database.close();
  }
};

const columnNames = (text: string): string[] => text.split(',').map((name) => name.trim());

export const createExportCommand = (): Command =>
  new Command('export')
    .description(
      'Write the contacts of a space, those that a search finds, or the records of a family, as NDJSON or CSV.',
    )
    .addArgument(new Argument('[what]', 'what to write').choices(['contacts', ...recordTypeNames]).default('contacts'))
    .requiredOption('--space <id>', 'the space', parseWholeNumber(0, Number.MAX_SAFE_INTEGER))
    .option(
      '--search <file>',
      'JSON of a search for contacts: the body of POST /search, or its query; everybody without it',
    )
    .addOption(
      new Option('--format <format>', 'how to write them; by the name of --out without it, else NDJSON').choices(
        fileFormats,
      ),
    )
    .option('--excel', 'CSV as Excel opens it by itself: semicolons, and UTF-8 with a byte order mark')
    .option('--columns <names>', 'only these columns of CSV, in this order: id,surname,mail', columnNames)
    .option('--interactions', 'with what happened with each contact, files included (NDJSON only)')
    .option('--out <file>', 'write to this file instead of standard output; compressed when it ends in .gz')
    .action(run);
