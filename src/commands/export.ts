// muster export: writes contacts, records of one type, or opt-outs of deleted people, to a file or to standard output.
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import type { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { Argument, Command, Option } from 'commander';
import { findLanguage, type Language, languages } from '../../packages/pages/language.ts';
import type { Context } from '../context.ts';
import { type ExportedName, exportedNames } from '../data/import/export-page.ts';
import type { Space } from '../database/space.ts';
import type { TableOptions } from '../import/csv-table.ts';
import { isRecord } from '../input/input-value.ts';
import { getCurrentMicros } from '../search/datetime.ts';
import { type FileFormat, fileFormats, findFileFormat, parseId } from './arguments.ts';
import { workInSpace } from './database-url.ts';
import { nameFile, writePrivateFile } from './private-file.ts';
import { runUntilStopped } from './stopped.ts';
import { formatCount } from './table.ts';

interface Options {
  space: number;
  search?: string;
  format?: FileFormat;
  excel?: true | Language;
  columns?: string[];
  interactions?: true;
  out?: string;
}

type Search = Record<string, unknown>;

const searchKeys = ['query', 'sort_attr', 'sort_asc', 'per_page', 'page', 'include_interactions'];

/** Reads a search from a file: the whole body of POST /search, its `advanced_search`, or the query alone. */
const readSearch = async (file: string): Promise<Search> => {
  const text = await readFile(file, 'utf8');
  let body: { data?: { advanced_search?: Search } | null; advanced_search?: Search } & Search;
  try {
    body = JSON.parse(text);
  } catch (error) {
    throw new Error(`${file} is not JSON: ${(error as Error).message}`);
  }
  const search = body?.data?.advanced_search ?? body?.advanced_search ?? body;
  const hasOne = (keys: readonly string[]): boolean => isRecord(search) && keys.some((key) => key in search);
  const isQuery = hasOne(['$all', '$at_least_one']);
  // A misspelt search must not write everybody.
  if (!isQuery && !hasOne(searchKeys))
    throw new Error(
      `${file} has no search: it must be the body of POST /search, or its query, such as {"$all": []} for everybody`,
    );
  return {
    tree: isQuery ? search : search.query,
    sortBy: search.sort_attr,
    ascending: search.sort_asc === true,
  };
};

/** The caller of an operation that a command runs: it may read the whole space. */
const createOperatorContext = (space: Space): Context => ({
  caller: {
    tokenId: 0,
    userId: 0,
    groupId: space.id,
    roleId: 0,
    roleType: 'superadmin',
    scope: 'admin',
    permissions: null,
  },
  bucket: { tokens: 0, cost: 0, capacity: 0, refill: 0 },
  requestId: null,
  space,
  now: getCurrentMicros(),
});

/** Writes each piece of text as it is read, and prints how many of `what` were written. */
const writePieces = async (pieces: AsyncIterable<{ text: string; count: number }>, what: string, target: Writable) => {
  const started = performance.now();
  let total = 0;
  for await (const { text, count } of pieces) {
    total += count;
    const isFull = !target.write(text);
    if (target.errored) throw target.errored;
    if (isFull) await once(target, 'drain');
    const rate = Math.round((total * 1000) / (performance.now() - started));
    if (process.stderr.isTTY) process.stderr.write(`\r${formatCount(total)} ${what}, ${rate}/s `);
  }
  console.error(`${process.stderr.isTTY ? '\r' : ''}${formatCount(total)} ${what} exported`);
};

/** The format of the file, and the options of a table. */
type OutputFormat = TableOptions & { format: FileFormat };

/** The text of an export. Its modules are imported on demand, since most commands do not need the graph. */
const readPieces = async (
  space: Space,
  what: 'contacts' | ExportedName,
  { format, ...table }: OutputFormat,
  variables: Record<string, unknown>,
): Promise<AsyncIterable<{ text: string; count: number }>> => {
  if (what !== 'contacts') {
    const { writeRecordsAsText } = await import('../import/write-records.ts');
    return writeRecordsAsText(space, what, format, table);
  }
  const [{ legacySchema }, { compileStoredOperations }, { exportContactPages, formats }, { createCsvFormat }] =
    await Promise.all([
      import('../../schema/index.ts'),
      import('../rest/stored.ts'),
      import('../rest/export.ts'),
      import('../import/csv-table.ts'),
    ]);
  const writing = format === 'csv' ? createCsvFormat(table) : formats.ndjson;
  const operation = compileStoredOperations(legacySchema).Export;
  return exportContactPages(operation, createOperatorContext(space), variables, writing);
};

const listColumns = async (what: 'contacts' | ExportedName): Promise<string[]> =>
  what === 'contacts'
    ? Object.keys((await import('../import/csv-table.ts')).contactTableColumns)
    : (await import('../import/write-records.ts')).listWrittenColumns(what);

/** Reads the output format from the options. Options that contradict each other are a usage error. */
const readOutputFormat = async (
  what: 'contacts' | ExportedName,
  options: Options,
  command: Command,
): Promise<OutputFormat> => {
  const { format: chosen, excel, columns: names, interactions, out } = options;
  const formatOfName = out === undefined ? undefined : findFileFormat(out);
  const format = chosen ?? (excel ? 'csv' : formatOfName) ?? 'ndjson';
  if (formatOfName && formatOfName !== format)
    command.error(
      `error: the name ${out} means ${formatOfName}, but ${chosen ? `--format says ${chosen}` : '--excel means CSV'}`,
    );
  if (excel && format !== 'csv') command.error(`error: --excel means CSV, but --format says ${format}`);
  if (names && format !== 'csv') command.error('error: --columns works with CSV only: add --format csv or --excel');
  if (interactions && format === 'csv') command.error('error: --interactions works with NDJSON only, not with CSV');
  if (names) {
    const all = await listColumns(what);
    const unknown = names.filter((name, index) => !all.includes(name) || names.indexOf(name) !== index);
    if (unknown.length > 0)
      command.error(
        `error: --columns: unknown, or named twice: ${unknown.join(', ')}. The columns are ${all.join(', ')}`,
      );
  }
  const language = excel === true ? findLanguage([Intl.DateTimeFormat().resolvedOptions().locale]) : excel;
  return { format, names, excel: language };
};

const compressTo =
  (write: (target: Writable) => Promise<void>) =>
  async (target: Writable): Promise<void> => {
    const zip = createGzip();
    const whole = pipeline(zip, target, { end: false });
    await Promise.all([whole, write(zip).then(() => zip.end())]);
  };

const runExport = async (what: 'contacts' | ExportedName, options: Options, command: Command): Promise<void> => {
  const { space: id, search, interactions, out } = options;
  if (what !== 'contacts' && (search || interactions))
    command.error(`error: --search and --interactions work with contacts only, not with ${what}`);
  const output = await readOutputFormat(what, options, command);
  const variables = { ...(search && (await readSearch(search))), withInteractions: interactions ?? false };
  await workInSpace({ space: id }, async (space) => {
    // A stopped export leaves no part of its file behind.
    const pieces = runUntilStopped(await readPieces(space, what, output, variables));
    const write = (target: Writable): Promise<void> => writePieces(pieces, what, target);
    try {
      if (out) await writePrivateFile(out, /\.gz$/i.test(out) ? compressTo(write) : write);
      else {
        // The code below reports the failure: `main.ts` does so only where nobody else listens.
        process.stdout.on('error', () => {});
        await write(process.stdout);
      }
    } catch (error) {
      // The reader of standard output may close it, as `head` does after ten lines.
      if (out || (error as NodeJS.ErrnoException | null)?.code !== 'EPIPE') throw nameFile('standard output', error);
    }
  });
};

const splitColumnNames = (text: string): string[] => text.split(',').map((name) => name.trim());

export const createCommand = (): Command =>
  new Command('export')
    .description(
      'Write contacts of a space (all, or the result of a search), its records of one type, or the digests of its suppressions, as NDJSON or CSV.',
    )
    .addArgument(new Argument('[what]', 'what to write').choices(['contacts', ...exportedNames]).default('contacts'))
    .requiredOption('--space <id>', 'the space', parseId)
    .option(
      '--search <file>',
      'a JSON file with a search for contacts: the body of POST /search, or its query (default: all contacts)',
    )
    .addOption(
      new Option('--format <format>', 'format of the output (default: by the name of --out, else ndjson)').choices(
        fileFormats,
      ),
    )
    .addOption(
      new Option(
        '--excel [language]',
        'CSV for Excel in this language: heads and values in words, days as days (default: the language of the shell, else en)',
      ).choices(languages),
    )
    .option('--columns <names>', 'only these columns of CSV, in this order: id,surname,mail', splitColumnNames)
    .option('--interactions', 'include the interactions of each contact, with their files (NDJSON only)')
    .option('--out <file>', 'write to this file instead of standard output; compressed when it ends in .gz')
    .action(runExport);
