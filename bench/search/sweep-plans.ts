// The plans of the slowest cells: the statements that the server sends for one, explained with the settings of searches.
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Client } from 'pg';
import { countSearch, searchPage } from './over-http.ts';
import type { Ask } from './service.ts';
import type { Watched } from './statements.ts';
import { type Cell, listSlowest, type SlowCell } from './sweep.ts';

export interface Slow extends SlowCell {
  plan: string;
}

/** The plan alone: costs, times and values change from run to run. */
const explain = async (client: Client, { sql, bindings }: { sql: string; bindings: unknown[] }): Promise<string> => {
  const { rows } = await client.query(`explain (costs off) ${sql}`, bindings);
  return rows
    .map((row) => row['QUERY PLAN'] as string)
    .join('\n')
    .replaceAll(/'[^']*'/g, '…')
    .replaceAll(/\b\d{6,}\b/g, '…');
};

/** A page is explained as the first one, and its way beyond by the same statement. The last statement of a search yields its answer. */
export const explainSlowest = async (
  client: Client,
  { watched, ask }: { watched: Watched; ask: Ask },
  cells: readonly Cell[],
  many: number,
): Promise<Slow[]> => {
  const explained: Slow[] = [];
  for (const slow of listSlowest(cells, many)) {
    const { search } = slow.cell;
    const sent = await watched.record(() =>
      slow.way === 'count' ? countSearch(ask, search) : searchPage(ask, search),
    );
    const last = sent
      .filter(({ sql }) => /^\s*select/i.test(sql) && /contact_(search|emails|changes)/.test(sql))
      .at(-1);
    explained.push({ ...slow, plan: last ? await explain(client, last) : 'no statement' });
  }
  return explained;
};

const file = fileURLToPath(new URL('slowest-plans.txt', import.meta.url));

/** Writes the plans of the slowest beside this file, by name, so that only another plan is a difference. */
export const writePlans = (slowest: readonly Slow[]): void => {
  const parts = slowest.map(({ cell, way, plan }) => `${cell.name}, ${cell.share}, ${way}\n\n${plan}\n`).toSorted();
  writeFileSync(
    file,
    `The plans of the slowest searches of \`npm run bench:search -- --sweep\`, which writes this file.\n\n${parts.join('\n')}`,
  );
};
