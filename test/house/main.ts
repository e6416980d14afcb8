// npm run house: what the names, the sentences and the imports of the program are like, and the names of its tests, as tables.
import { Command } from 'commander';
import { findCycles, findUpwardImports, groupByFolder, groupByRoom, isLoose, readLayers } from './layers.ts';
import { readProgram, readTests } from './tree.ts';
import { countWords, findInvertedSentences, hasLeadingVerb, splitName, type WordCounts } from './words.ts';

const program = new Command('house')
  .description(
    'Counts what the names, the comments, the folders and the imports of the program are like, and the names of its tests, and prints tables. Exits with 1 when folders or files import each other in a circle, or a layer above.',
  )
  .option('--walks', 'also count the files and functions that one warm request runs; starts a PostgreSQL')
  .option('--list', 'also list the names, sentences, imports and circles that are counted against the program')
  .parse();

const percent = (part: number, whole: number): string => `${((100 * part) / whole).toFixed(1)} %`;

type Row = [what: string, found: string, wanted: string];

const describeNames = ({ functions, withVerb, words, ofOneWord }: WordCounts, wanted: string[]): Row[] => [
  ['exported functions that begin with a verb', percent(withVerb, functions), wanted[0]!],
  ['words in the name of an exported function', (words / functions).toFixed(2), wanted[1]!],
  ['exported functions of one word', percent(ofOneWord, functions), wanted[2]!],
];

const printTable = (title: string, rows: Row[]): void => {
  console.log(`| ${title} | found | wanted |\n| --- | --: | --: |`);
  for (const row of rows) console.log(`| ${row.join(' | ')} |`);
};

const { list, walks } = program.opts<{ list?: true; walks?: true }>();
const files = readProgram();
const tests = readTests();
const layers = readLayers();
const counts = countWords(files);
const upward = findUpwardImports(files, layers);
const cycles = [...findCycles(files), ...findCycles(groupByFolder(files))];
const rooms = groupByRoom(files);
const countLoose = (folder: string): string =>
  String(files.filter(({ path }) => path.startsWith(folder) && isLoose(path)).length);
const countLines = (folders: RegExp): string =>
  String(files.filter(({ path }) => folders.test(path)).reduce((sum, { lines }) => sum + lines, 0));
printTable(`${files.length} files, ${counts.functions} exported functions`, [
  ...describeNames(counts, ['≥ 85 %', '≥ 2.6', '≤ 5 %']),
  ['files of one word', percent(counts.filesOfOneWord, counts.files), ''],
  ['sentences of comments that begin without their subject', percent(counts.inverted, counts.sentences), '0 %'],
  ['files of more than 300 lines', String(files.filter(({ lines }) => lines > 300).length), ''],
  ['imports of a layer above', String(upward.length), '0'],
  ['circles of files or of folders', String(cycles.length), '0'],
]);
console.log();
printTable('folders', [
  ['folders and loose files of `ls src packages`, `schema` and `codegen`', String(rooms.length), '≤ 30'],
  ['pairs of these that import each other', String(rooms.flatMap(({ imports }) => imports).length), '≤ 155'],
  ['loose files in `src`, in `schema`', `${countLoose('src/')}, ${countLoose('schema/')}`, '≤ 5, 1'],
  ['lines of `src` and `schema`', countLines(/^(src|schema)\//), '≤ 46500'],
  ['lines of `packages`', countLines(/^packages\//), '≤ 4500'],
]);
if (walks) {
  const { measureWalks } = await import('./walks.ts');
  const wanted = ['≤ 42 (170)', '≤ 66 (310)', '≤ 56 (240)', '≤ 64 (290)', '≤ 8 (25)'];
  const rows = (await measureWalks()).map(
    ({ what, files: ran, functions }, at): Row => [what, `${ran.length} (${functions})`, wanted[at]!],
  );
  console.log();
  printTable('files (functions) that it runs when all is warm', rows);
}
const countsOfTests = countWords(tests);
const title = `${tests.length} files of tests and benchmarks, ${countsOfTests.functions} exported functions`;
console.log();
printTable(title, describeNames(countsOfTests, ['≥ 85 %', '', '≤ 15 %']));

if (list) {
  for (const { path, functions } of [...files, ...tests])
    for (const name of functions)
      if (!hasLeadingVerb(name) || splitName(name).length === 1) console.log(`name: ${path}: ${name}`);
  for (const file of files)
    for (const sentence of findInvertedSentences(file)) console.log(`sentence: ${file.path}: ${sentence}`);
  for (const one of upward) console.log(`upward: ${one}`);
  for (const circle of cycles) console.log(`circle: ${circle.join(', ')}`);
}
if (upward.length + cycles.length > 0) process.exitCode = 1;
