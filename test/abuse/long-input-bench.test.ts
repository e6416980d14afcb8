// The benchmark of long headers and files runs, has a row for each header that the server reads, and no row costs far more than the others.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { formatLongInput, measureLongInput } from '../../bench/abuse/long-input.ts';
import { createDatabase } from '../harness/app.ts';
import { spawnServer } from '../harness/serving.ts';
import { listFiles, root } from '../house/tree.ts';

/** Read of requests of strangers, and short by the rules of HTTP, or longer than 15,000 characters nowhere. */
const others = ['host', 'content-length', 'transfer-encoding', 'forwarded'];

it('has a row for each header and kind of file', async () => {
  const serving = await spawnServer({ DATABASE_URL: await createDatabase() });
  const rows = await measureLongInput({ port: Number(new URL(serving.url).port), pid: serving.child.pid! }, 2);
  expect(rows.length).toBeGreaterThan(100);
  const times = rows.map(({ ms }) => ms).sort((one, other) => one - other);
  // A pattern that takes quadratic time took 300 times as long as a harmless one.
  expect(times.at(-1)! / times[Math.floor(times.length / 2)]!).toBeLessThan(200);
  const table = formatLongInput(rows).toLowerCase();
  const read = listFiles(['src'], '.ts')
    .filter((path) => !path.includes('/browser/') && !path.startsWith('src/move/') && !path.startsWith('src/jobs/'))
    .flatMap((path) => [...readFileSync(join(root, path), 'utf8').matchAll(/headers\.get\('([\w-]+)'\)/g)])
    .map(([, name]) => name!.toLowerCase())
    .filter((name) => !others.includes(name));
  expect(read.length).toBeGreaterThan(8);
  expect([...new Set(read)].filter((name) => !table.includes(`| ${name} |`))).toEqual([]);
  expect(table).toContain('| a file of csv |');
}, 120_000);
