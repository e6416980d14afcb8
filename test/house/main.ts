// npm run house: what the names, the sentences and the imports of the program are like, as a table.
import { Command } from 'commander';
import { findCycles, findUpwardImports, readLayers } from './layers.ts';
import { readProgram } from './tree.ts';
import { beginsWithVerb, countWords, findInvertedSentences, splitName } from './words.ts';

const program = new Command('house')
  .description('Counts what the names, the comments and the imports of the program are like, and prints a table.')
  .option('--list', 'also list the names, sentences, imports and circles that are counted against the program')
  .parse();

const percent = (part: number, whole: number): string => `${((100 * part) / whole).toFixed(1)} %`;

const files = readProgram();
const layers = readLayers();
const counts = countWords(files);
const upward = findUpwardImports(files, layers);
const cycles = findCycles(files);
const rows: [what: string, found: string, wanted: string][] = [
  ['exported functions that begin with a verb', percent(counts.withVerb, counts.functions), '≥ 85 %'],
  ['words in the name of an exported function', (counts.words / counts.functions).toFixed(2), '≥ 2.6'],
  ['exported functions of one word', percent(counts.ofOneWord, counts.functions), '≤ 5 %'],
  ['files of one word', percent(counts.filesOfOneWord, counts.files), ''],
  ['sentences of comments that begin without their subject', percent(counts.inverted, counts.sentences), '0 %'],
  ['files of more than 300 lines', String(files.filter(({ lines }) => lines > 300).length), '0'],
  ['imports of a layer above', String(upward.length), '0'],
  ['circles of imports', String(cycles.length), '0'],
];
console.log(`| ${files.length} files, ${counts.functions} exported functions | found | wanted |\n| --- | --: | --: |`);
for (const row of rows) console.log(`| ${row.join(' | ')} |`);

if (program.opts().list) {
  for (const { path, functions } of files)
    for (const name of functions)
      if (!beginsWithVerb(name) || splitName(name).length === 1) console.log(`name: ${path}: ${name}`);
  for (const file of files)
    for (const sentence of findInvertedSentences(file)) console.log(`sentence: ${file.path}: ${sentence}`);
  for (const one of upward) console.log(`upward: ${one}`);
  for (const circle of cycles) console.log(`circle: ${circle.join(', ')}`);
}
