// The numbers of README.md are those of the tables in docs/benchmarks.md.
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { computeMedian } from '../../bench/harness/median.ts';

const benchmarks = readFileSync('docs/benchmarks.md', 'utf8');

/** The cells of the rows below a heading, until the next one. */
const readTable = (heading: string): string[][] => {
  const [, below] = benchmarks.split(`${heading}\n`);
  const [text] = below!.split(/^#/m);
  const lines = text!.split('\n').filter((line) => line.startsWith('|'));
  return lines.map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
};

/** A cell of a table, by the name of its row and the beginning of its column's. */
const readCell = (heading: string, row: string, column: string): string => {
  const [head, ...rows] = readTable(heading);
  const place = head!.findIndex((name) => name.startsWith(column));
  return rows.find(([name]) => name === row)![place]!;
};

it('the numbers of README.md are measured', () => {
  const [, rate, ofRate, searches, milliseconds, ofSearches, memory, ofMemory] =
    /\*\*([\d,]+) contacts a second\*\*[^(]*\((.+?)\)[\s\S]*\*\*half of (\d+) searches of a million contacts within (\d+) ms\*\* \((.+?)\)[\s\S]*\*\*(\d+) MiB\*\*[^(]*\((.+?)\)/.exec(
      readFileSync('README.md', 'utf8'),
    )!;
  const readDay = (command: string) => new RegExp(`^\`npm run ${command}.*\` on (\\S+):`, 'm').exec(benchmarks)?.[1];
  const ofPeers = readDay('bench:peers --');
  expect([ofRate, ofSearches, ofMemory]).toEqual([
    ofPeers,
    readDay('bench:search -- --contacts 1000000 --spaces 20 --repeat 8'),
    ofPeers,
  ]);
  expect(
    readCell(
      '### Requests per second (ratio to the yardstick) [SQL statements per request]',
      'muster-graphql',
      'single',
    ),
  ).toMatch(new RegExp(`^${rate} \\(`));
  const [head, ...questions] = readTable('### A space of 1,000,000 contacts').filter(([name]) => /^Q\d*$/.test(name!));
  const medians = questions.map((cells) => Number.parseFloat(cells[head!.indexOf('page')]!));
  expect(medians).toHaveLength(Number(searches));
  expect(Math.ceil(computeMedian(medians))).toBe(Number(milliseconds));
  const processors = '### Microseconds of CPU per request: server + PostgreSQL (server beside that of the yardstick)';
  expect(readCell(processors, 'muster-graphql', 'MiB after the mix')).toMatch(new RegExp(`^${memory} /`));
});
