// Measures the longest headers of strangers and the worst files of others: a row for each header, path and kind of file.
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { Agent, request as ask } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createProgress, readFileRows } from '../../src/import/rows.ts';
import type { Sent } from './attacks.ts';
import { longHeaders } from './long-headers.ts';
import { longFiles } from './long-texts.ts';

/** In characters: as long as a server lets headers be, together with those that a client adds. */
const length = 15_500;
/** In milliseconds: the CPU that the worst text may add to a request of a stranger. */
export const allowedMs = 2;

interface Target {
  port: number;
  pid: number;
}

/** The text that costs most at a place, the CPU of the server for it in milliseconds, and that for a harmless text of its length. */
export interface LongInputRow {
  what: string;
  worst: string;
  ms: number;
  harmless: number;
}

/** Adds a time to the row of its place, which has the longest. */
const addTime = (rows: Map<string, LongInputRow>, what: string, worst: string, ms: number, harmless: number): void => {
  if (ms >= (rows.get(what)?.ms ?? 0)) rows.set(what, { what, worst, ms, harmless });
};

const agent = new Agent({ keepAlive: true, maxSockets: 1 });

const send = ({ port }: Target, { method, path, headers, body }: Sent): Promise<void> =>
  new Promise((resolve, reject) => {
    const sent = ask({ agent, host: '127.0.0.1', port, method, path, headers }, (response) => {
      response.resume().once('end', resolve);
    });
    sent.once('error', reject).end(body);
  });

/** In milliseconds: the CPU that all threads of a process have used, to the nanosecond. */
const readCpu = (pid: number): number =>
  readdirSync(`/proc/${pid}/task`)
    .map((task) => Number(readFileSync(`/proc/${pid}/task/${task}/schedstat`, 'utf8').split(' ')[0]))
    .reduce((total, ns) => total + ns, 0) / 1e6;

const measureRequest = async (target: Target, sent: Sent): Promise<number> => {
  const before = readCpu(target.pid);
  await send(target, sent);
  return readCpu(target.pid) - before;
};

/** The least of so many: collections of garbage, and whatever else a process does, make some of them larger. */
const findFastest = async (rounds: number, once: () => Promise<number>): Promise<number> => {
  let fastest = Number.POSITIVE_INFINITY;
  for (let round = 0; round < rounds; round++) fastest = Math.min(fastest, await once());
  return fastest;
};

/** What each header costs a stranger at each path, filled with the worst of the known texts. */
const measureHeaders = async (server: Target, rounds: number): Promise<LongInputRow[]> => {
  const rows = new Map<string, LongInputRow>();
  let harmless = 0;
  for (const { place, header, text, request } of longHeaders) {
    const ms = await findFastest(rounds, () => measureRequest(server, request(length)));
    // The harmless text comes first.
    if (text === 'letters') harmless = ms;
    addTime(rows, `${header} at ${place}`, text, ms, harmless);
  }
  return [...rows.values()];
};

/** What each kind of file costs whoever imports it. */
const measureFiles = async (rounds: number): Promise<LongInputRow[]> => {
  const folder = mkdtempSync(join(tmpdir(), 'muster-bench-files-'));
  const path = join(folder, 'file');
  const rows = new Map<string, LongInputRow>();
  try {
    for (const { name, format, worst, harmless } of longFiles) {
      const read = (content: string): Promise<number> => {
        writeFileSync(path, content);
        return findFastest(rounds, async () => {
          const before = readCpu(process.pid);
          const progress = createProgress(() => {});
          try {
            for await (const _ of readFileRows(path, { format, encoding: 'utf-8', bom: false }, progress));
          } catch {
            // Most of them are refused.
          }
          return readCpu(process.pid) - before;
        });
      };
      addTime(rows, `a file of ${format}`, name, await read(worst(length)), await read(harmless(length)));
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
  return [...rows.values()];
};

export const measureLongInput = async (server: Target, rounds: number): Promise<LongInputRow[]> => {
  try {
    return [...(await measureHeaders(server, rounds)), ...(await measureFiles(rounds))];
  } finally {
    agent.destroy();
  }
};

/** A table of the rows, those of one header together: the path at which it costs most. */
export const formatLongInput = (rows: readonly LongInputRow[]): string => {
  const dearest = new Map<string, LongInputRow & { places: number }>();
  for (const row of rows) {
    const [header] = row.what.split(' at ') as [string];
    const known = dearest.get(header);
    const places = (known?.places ?? 0) + 1;
    const isDearer = !known || row.ms - row.harmless > known.ms - known.harmless;
    dearest.set(header, { ...(isDearer ? row : known), places });
  }
  return [
    '| what | places | dearest at | with | CPU, ms | with letters, ms |',
    '| --- | ---: | --- | --- | ---: | ---: |',
    ...[...dearest].map(
      ([what, { what: where, worst, ms, harmless, places }]) =>
        `| ${what} | ${places} | ${where.split(' at ')[1] ?? ''} | ${worst} | ${ms.toFixed(2)} | ${harmless.toFixed(2)} |`,
    ),
  ].join('\n');
};
