// Rows of CSV: any table comes back from its text, however the text arrives, and a broken quote never costs another row.
import { Readable } from 'node:stream';
import { stringify } from 'csv-stringify/sync';
import { describe, expect, it } from 'vitest';
import { type CsvRow, type CsvShape, splitCsvRows } from '../../src/import/csv-rows.ts';
import { createChance } from '../search/random.ts';

const most = { characters: 100_000, message: 'too long' };
const split = async (pieces: string[], shape: CsvShape): Promise<CsvRow[]> => {
  const rows: CsvRow[] = [];
  for await (const row of splitCsvRows(Readable.from(pieces), shape, most)) rows.push(row);
  return rows;
};

/** Cuts a text into pieces of a few characters. */
const cut = (text: string, draw: ReturnType<typeof createChance>): string[] => {
  const pieces: string[] = [];
  for (let at = 0; at < text.length; ) {
    const next = at + 1 + draw.whole(9);
    pieces.push(text.slice(at, next));
    at = next;
  }
  return pieces;
};

const parts = ['a', 'é', ' ', '"', '""', ';', ',', '\n', '\r\n', "'", '😀'];
const drawTable = (seed: number) => {
  const draw = createChance(seed);
  const width = 1 + draw.whole(4);
  const drawCell = (): string => Array.from({ length: draw.whole(6) }, () => draw.pick(parts)).join('');
  // A row of one empty cell is a blank line.
  const table = Array.from({ length: 1 + draw.whole(5) }, () => Array.from({ length: width }, () => `x${drawCell()}`));
  return { draw, width, table };
};

describe('a table', () => {
  it.each([
    [';', '\n'],
    [',', '\r\n'],
    ['\t', '\n'],
  ])('comes back from its text, separated by %j and %j', async (delimiter, end) => {
    for (let seed = 0; seed < 2000; seed++) {
      const { draw, width, table } = drawTable(seed);
      const text = stringify(table, { delimiter, record_delimiter: end, quoted_match: /[\r\n]/ });
      const rows = await split(cut(text, draw), { delimiter, newline: '\n', width });
      expect(rows.map(({ cells }) => cells)).toEqual(table);
      expect(rows.map((row) => row.text).join('')).toBe(text);
    }
  });

  it('of rows without line breaks loses one row at most to a quote that is put anywhere', async () => {
    for (let seed = 0; seed < 2000; seed++) {
      const draw = createChance(seed);
      const table = Array.from({ length: 6 }, (_, row) =>
        ['A', 'B', 'C'].map((name) => `${name}${row}${draw.pick(['', ';', ' "x"'])}`),
      );
      const text = stringify(table, { delimiter: ';', quoted: draw.odds(0.5) });
      const at = draw.whole(text.length);
      const broken = `${text.slice(0, at)}"${text.slice(at)}`;
      const rows = await split(cut(broken, draw), { delimiter: ';', newline: '\n', width: 3 });
      const known = new Set(table.map((cells) => JSON.stringify(cells)));
      const kept = rows.filter(({ cells, fault }) => !fault && known.has(JSON.stringify(cells)));
      expect([seed, broken, kept.length]).toEqual([seed, broken, expect.toSatisfy((count: number) => count >= 5)]);
    }
  });
});

it('a row without an end is refused before it fills the memory', async () => {
  const shape = { delimiter: ';', newline: '\n', width: 1 } as const;
  for (const start of ['', '"', '"a""'])
    await expect(split([start, ...Array.from({ length: 200 }, () => 'a""'.repeat(300))], shape)).rejects.toThrow(
      'too long',
    );
});
