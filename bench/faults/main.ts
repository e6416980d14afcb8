// Kills processes under load, and prints a table of lost writes and of the times without answers.
import { randomUUID } from 'node:crypto';
import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Command } from 'commander';
import type pg from 'pg';
import { findEmbedded } from '../../packages/embedded-server/server.ts';
import { parseWholeNumber } from '../../src/commands/arguments.ts';
import { findFreePort } from '../../test/harness/free-port.ts';
import { startOwnServer, tokenOf, useClient } from '../harness/database.ts';
import { loadDemo } from '../harness/demo.ts';
import { computeMedian } from '../harness/median.ts';
import { runProgram } from '../harness/run-program.ts';
import { printSection } from '../harness/section.ts';
import { listChildProcesses, Program, readCommand } from './program.ts';

interface Options {
  rounds: number;
  writers: number;
  out?: string;
}

const program = new Command('bench:faults')
  .description(
    'Kills processes under load: writers write notes, each under an idempotency key, and repeat each request until it ' +
      'succeeds, while the server, a worker, the database or one of its backends is killed with SIGKILL.',
  )
  .option('--rounds <number>', 'number of kills', parseWholeNumber(1, 10_000), 52)
  .option('--writers <number>', 'writers at once', parseWholeNumber(1, 200), 8)
  .option('--out <file>', 'write the table into this Markdown file, between its markers');

/** The shortest and longest pause before a kill, in milliseconds. */
const calm = [300, 1200] as const;

/** The written notes, each with the time of its acknowledgement in milliseconds of `performance.now()`. */
interface Note {
  content: string;
  sentAt: number;
  doneAt?: number;
}

class Writers {
  readonly notes: Note[] = [];
  readonly statuses = new Map<number, number>();
  readonly #url: string;
  readonly #headers: Record<string, string>;
  #isOver = false;
  readonly #all: Promise<void>[];

  constructor(url: string, token: string, { count, contact }: { count: number; contact: number }) {
    this.#url = `${url}/v1/contacts/${contact}/notes`;
    this.#headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
    this.#all = Array.from({ length: count }, () => this.#writeOn());
  }

  async stop(): Promise<void> {
    this.#isOver = true;
    await Promise.all(this.#all);
  }

  async #writeOn(): Promise<void> {
    while (!this.#isOver) await this.#write();
  }

  /** Repeats the request until the note is acknowledged. */
  async #write(): Promise<void> {
    const note: Note = { content: randomUUID(), sentAt: performance.now() };
    this.notes.push(note);
    const headers = { ...this.#headers, 'Idempotency-Key': note.content };
    const body = JSON.stringify({ content: note.content, pinned: false });
    for (;;) {
      note.sentAt = performance.now();
      const status = await fetch(this.#url, {
        method: 'POST',
        headers,
        body,
        signal: AbortSignal.timeout(20_000),
      }).then(
        async (response) => {
          await response.arrayBuffer();
          return response.status;
        },
        () => 0,
      );
      this.statuses.set(status, (this.statuses.get(status) ?? 0) + 1);
      if (status === 201) break;
      await sleep(20);
    }
    note.doneAt = performance.now();
  }
}

/** A process to kill: its name, and a function that finds it. */
const victims: { name: string; pidOf(program: Program, url: string): Promise<number | undefined> }[] = [
  { name: 'the server', pidOf: async ({ pid }) => pid },
  { name: 'a worker', pidOf: async ({ workers }) => workers[Math.floor(Math.random() * workers.length)] },
  { name: 'PostgreSQL', pidOf: async (_, url) => postmasterOf(url) },
  {
    name: 'a backend of it',
    pidOf: async (_, url) => {
      const backends = listChildProcesses(await postmasterOf(url)).filter((pid) =>
        readCommand(pid).includes('muster_owner'),
      );
      return backends[Math.floor(Math.random() * backends.length)];
    },
  },
];

const ask = <Row extends pg.QueryResultRow>(url: string, sql: string): Promise<Row[]> =>
  useClient(url, async (client) => (await client.query<Row>(sql)).rows);

const postmasterOf = async (url: string): Promise<number> => {
  const [{ folder }] = (await ask<{ folder: string }>(url, `select current_setting('data_directory') as folder`)) as [
    { folder: string },
  ];
  return Number(readFileSync(join(folder, 'postmaster.pid'), 'utf8').split('\n')[0]);
};

const urlOf = async (dataDir: string): Promise<string> => {
  const url = await findEmbedded(dataDir, 'muster', 'muster');
  if (!url) throw new Error('The embedded database does not run');
  return url;
};

const show = (ms: number): string => (ms / 1000).toFixed(2);

const run = async ({ rounds, writers: count, out }: Options): Promise<void> => {
  const place = mkdtempSync(join(tmpdir(), 'muster-bench-faults-'));
  // The OS user of PostgreSQL, which is another one for root, passes through.
  chmodSync(place, 0o711);
  const dataDir = join(place, 'data');
  const filling = await startOwnServer(dataDir, {});
  await loadDemo(filling.url, 500).finally(filling.stop);
  const server = new Program(await findFreePort(), dataDir);
  let writers: Writers | undefined;
  try {
    await server.ready();
    const url = (await findEmbedded(dataDir))!;
    const sql = 'select id::int from contacts where group_id = 1 and deleted_at is null order by id limit 1';
    const [{ id: contact }] = (await ask<{ id: number }>(url, sql)) as [{ id: number }];
    const token = await tokenOf(url);
    writers = new Writers(server.url, token, { count, contact });
    const recoveries = new Map<string, number[]>(victims.map(({ name }) => [name, []]));
    for (let round = 0; round < rounds; round++) {
      await sleep(calm[0] + Math.random() * (calm[1] - calm[0]));
      const { name, pidOf } = victims[round % victims.length]!;
      const pid = await pidOf(server, await urlOf(dataDir));
      if (!pid) throw new Error(`${name} was not found`);
      const killedAt = performance.now();
      process.kill(pid, 'SIGKILL');
      // Only a request that was sent after the kill counts, not an answer that was under way.
      const isAfter = ({ sentAt, doneAt }: Note): boolean => doneAt !== undefined && sentAt > killedAt + 5;
      let first: Note | undefined;
      for (const from = Math.max(0, writers.notes.length - 2 * count); !first; await sleep(2))
        first = writers.notes.slice(from).find(isAfter);
      const ms = first.doneAt! - killedAt;
      recoveries.get(name)!.push(ms);
      console.error(`${round + 1}/${rounds}: ${name}, recovered after ${show(ms)} s`);
      await server.ready();
    }
    await writers.stop();
    const rows = await ask<{ content: string; times: number }>(
      await urlOf(dataDir),
      `select content, count(*)::int as times from notes where group_id = 1 and contact_id = ${contact} group by content`,
    );
    const times = new Map(rows.map(({ content, times }) => [content, times]));
    const lost = writers.notes.filter(({ content }) => !times.has(content)).length;
    const doubled = writers.notes.filter(({ content }) => (times.get(content) ?? 0) > 1).length;
    const sent = [...writers.statuses].sort(([, a], [, b]) => b - a).map(([status, n]) => `${n} × ${status || 'cut'}`);
    const table = [...recoveries, ['all', [...recoveries.values()].flat()] as const].map(
      ([name, list]) => `| ${name} | ${list.length} | ${show(computeMedian(list))} | ${show(Math.max(...list))} |`,
    );
    const text = [
      `\`npm run bench:faults -- --rounds ${rounds} --writers ${count}\` on ${new Date().toISOString().slice(0, 10)}: Node ${process.versions.node}, ${cpus().length} × ${cpus()[0]?.model ?? 'CPU'}; two workers,
embedded database, everything on this one machine. ${count} writers write notes under idempotency keys and ask again until they are told 201. Recovery: from the kill to the first answer of 201 to a request that was sent after it.`,
      `**${writers.notes.length} writes acknowledged, ${lost} lost, ${doubled} doubled.** Answers: ${sent.join(', ')}.`,
      `| killed with SIGKILL | rounds | recovery p50, s | longest, s |\n| --- | ---: | ---: | ---: |\n${table.join('\n')}`,
    ].join('\n\n');
    printSection('faults', text, out);
    if (lost + doubled > 0) process.exitCode = 1;
  } finally {
    await writers?.stop();
    await server.stop();
    rmSync(place, { recursive: true, force: true });
  }
};

await runProgram<Options>(program, run);
