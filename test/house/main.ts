// npm run house: what the names, the sentences and the imports of the program are like, and the names of its tests, as tables.
import { Command } from 'commander';
import { findCycles, findUpwardImports, readLayers } from './layers.ts';
import { readProgram, readTests } from './tree.ts';
import { countWords, findInvertedSentences, hasLeadingVerb, splitName, type WordCounts } from './words.ts';

const program = new Command('house')
  .description(
    'Counts what the names, the comments and the imports of the program are like, and the names of its tests, and prints tables.',
  )
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

const files = readProgram();
const tests = readTests();
const layers = readLayers();
const counts = countWords(files);
const upward = findUpwardImports(files, layers);
const cycles = findCycles(files);
printTable(`${files.length} files, ${counts.functions} exported functions`, [
  ...describeNames(counts, ['≥ 85 %', '≥ 2.6', '≤ 5 %']),
  ['files of one word', percent(counts.filesOfOneWord, counts.files), ''],
  ['sentences of comments that begin without their subject', percent(counts.inverted, counts.sentences), '0 %'],
  ['files of more than 300 lines', String(files.filter(({ lines }) => lines > 300).length), '0'],
  ['imports of a layer above', String(upward.length), '0'],
  ['circles of imports', String(cycles.length), '0'],
]);
const countsOfTests = countWords(tests);
const title = `${tests.length} files of tests and benchmarks, ${countsOfTests.functions} exported functions`;
console.log();
printTable(title, describeNames(countsOfTests, ['≥ 85 %', '', '≤ 15 %']));

if (program.opts().list) {
  for (const { path, functions } of [...files, ...tests])
    for (const name of functions)
      if (!hasLeadingVerb(name) || splitName(name).length === 1) console.log(`name: ${path}: ${name}`);
  for (const file of files)
    for (const sentence of findInvertedSentences(file)) console.log(`sentence: ${file.path}: ${sentence}`);
  for (const one of upward) console.log(`upward: ${one}`);
  for (const circle of cycles) console.log(`circle: ${circle.join(', ')}`);
}
