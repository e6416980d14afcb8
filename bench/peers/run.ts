// A whole run: starts all entries, compares the answers of each with its reference, then runs rounds of load.
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { findDifference, readAnswer, sendRequest } from '../harness/compare-answers.ts';
import { cleanUp, tokenOf, useClient } from '../harness/database.ts';
import {
  computeDatabaseUse,
  listProcessTree,
  measureBusyTime,
  measureCpu,
  measureDatabaseCpu,
  measureMemory,
  type Server,
} from '../harness/process.ts';
import type { Request } from '../harness/requests.ts';
import { connections, drawValues, listRequestKinds, pickRequestKind, type Workload } from '../harness/workloads.ts';
import { pauseFor, runLoad, writeScript } from '../harness/wrk.ts';
import { type Entry, findEntry, findServingEntry } from './entries.ts';
import { startEntry } from './launch.ts';

export interface Options {
  entries: Entry[];
  workloads: Workload[];
  seconds: number;
  rounds: number;
  people: number;
  /** The number of different tokens. */
  tokens: number;
  /** Concurrent connections, if not those of the workload. */
  connections: number | undefined;
  cache: string;
}

/** One entry under one workload for some seconds. CPU is in microseconds per request. */
export interface Round {
  rate: number;
  p50: number;
  p99: number;
  gateway: number;
  database: number;
  memory: number;
  errors: number;
  /** Processors that other programs on this machine used, the load generator included. */
  others: number;
}

export interface Measured {
  entry: Entry;
  workload: Workload;
  /** SQL statements per request; undefined when they were not counted. */
  statements: number | undefined;
  rounds: Round[];
  /** Milliseconds until the entry answered for the first time. */
  startMs: number;
}

export interface Running {
  entry: Entry;
  server: Server;
}

export const canServe = ({ manner }: Entry, workload: Workload): boolean =>
  listRequestKinds(workload).every((kind) => manner[kind] !== undefined);

const requestsOf = ({ manner }: Entry, workload: Workload, people: number, count: number, seed: number): Request[] =>
  drawValues(count, people, seed).map((draw) => manner[pickRequestKind(workload, draw)]!(draw));

/** The number of requests that are compared, and over which statements are counted. */
const samples = 8;

type Headers = Record<string, string>;

/** The requests of an entry. */
const headersOf = ({ token }: Entry, headers: Headers): Headers =>
  token ? { ...headers, Authorization: `Bearer ${token}` } : headers;

const isEmpty = (answer: unknown): boolean => Array.isArray(answer) && answer.length === 0;

/** Throws at the first difference between an entry and its reference, and when the reference finds no contacts. */
export const verifyAnswers = async (
  { entry, server }: Running,
  yardstick: Running,
  workload: Workload,
  { people, headers }: { people: number; headers: Record<string, string> },
): Promise<void> => {
  const sent = requestsOf(entry, workload, people, samples, 11);
  const expected =
    entry !== yardstick.entry && canServe(yardstick.entry, workload)
      ? requestsOf(yardstick.entry, workload, people, samples, 11)
      : [];
  let empty = 0;
  const compared = new Set<string>();
  for (const [place, request] of sent.entries()) {
    // There are few pages of a thousand, and one introspection: draws repeat them.
    const text = JSON.stringify(request);
    if (compared.has(text)) continue;
    compared.add(text);
    const got = readAnswer(await sendRequest(server.port, request, headersOf(entry, headers)), request);
    const other = expected[place];
    if (!other) continue;
    const wanted = readAnswer(
      await sendRequest(yardstick.server.port, other, headersOf(yardstick.entry, headers)),
      other,
    );
    if (isEmpty(wanted)) empty++;
    const differs = findDifference(got, wanted);
    if (differs)
      throw new Error(`${entry.name} does not answer ${workload} as ${yardstick.entry.name} does: ${differs}`);
  }
  if (expected.length > 0 && empty === compared.size)
    throw new Error(`${yardstick.entry.name} finds nobody for ${workload} in ${empty} draws: nothing was compared`);
};

/** SQL statements per request, as PostgreSQL counts them, or undefined without its counters. */
const countStatements = async (
  url: string,
  { entry, server }: Running,
  workload: Workload,
  { people, headers }: { people: number; headers: Record<string, string> },
): Promise<number | undefined> => {
  const sent = requestsOf(entry, workload, people, workload === 'bulk' ? 2 : samples, 11);
  return useClient(url, async (client) => {
    await client.query('select pg_stat_statements_reset()');
    for (const request of sent) await sendRequest(server.port, request, headersOf(entry, headers));
    const { rows } = await client.query<{ calls: number }>(
      `select coalesce(sum(calls), 0)::int as calls from pg_stat_statements
        where dbid = (select oid from pg_database where datname = current_database()) and query not like '%pg_stat_statements%'`,
    );
    return rows[0]!.calls / sent.length;
  }).catch(() => undefined);
};

const summed = (pids: number[], what: (pid: number) => number): number => pids.reduce((sum, pid) => sum + what(pid), 0);

/** One round of load. */
export const loadOnce = async (
  url: string,
  { server }: Pick<Running, 'server'>,
  script: string,
  { connections, seconds }: { connections: number; seconds: number },
): Promise<Round> => {
  const processes = listProcessTree(server.pid);
  const before = {
    busy: measureBusyTime(),
    gateway: summed(processes, measureCpu),
    database: await measureDatabaseCpu(url),
    at: performance.now(),
  };
  const loaded = await runLoad(script, { port: server.port, connections, seconds });
  const requests = Math.max(1, loaded.requests);
  const gateway = summed(processes, measureCpu) - before.gateway;
  // PostgreSQL notices a lost client late. Until then neither sum contains the CPU of that connection.
  await sleep(pauseFor(seconds));
  const database = computeDatabaseUse(before.database, await measureDatabaseCpu(url));
  const others = measureBusyTime() - before.busy - gateway - (Number.isNaN(database) ? 0 : database);
  return {
    rate: loaded.requests / loaded.seconds,
    p50: loaded.p50,
    p99: loaded.p99,
    gateway: gateway / requests,
    database: database / requests,
    memory: summed(processes, measureMemory),
    errors: loaded.errors,
    others: others / 1000 / (performance.now() - before.at),
  };
};

/** Starts entries. An entry that shares a process is not started twice. */
export const startAll = async (entries: Entry[], cache: string, url: string): Promise<Running[]> => {
  const running: Running[] = [];
  try {
    for (const entry of entries) {
      const shared = running.find(({ entry: other }) => findServingEntry(other) === findServingEntry(entry));
      running.push({ entry, server: shared?.server ?? (await startEntry(findServingEntry(entry), cache, url)) });
    }
    return running;
  } catch (error) {
    await stopAll(running);
    throw error;
  }
};

export const stopAll = async (running: Running[]): Promise<void> => {
  for (const { server } of running) await server.stop();
};

const say = (text: string): void => console.error(text);

export const runComparison = async (url: string, options: Options): Promise<Measured[]> => {
  const { entries, workloads, rounds, seconds, people, tokens, cache } = options;
  // An interrupted run has left rows.
  await cleanUp(url);
  const callers: Headers[] = [];
  while (callers.length < tokens) callers.push({ Authorization: `Bearer ${await tokenOf(url)}` });
  const headers = callers[0]!;
  // The references always start, since all answers are compared with theirs.
  const needed = [...new Set([...entries.map(({ yardstick }) => findEntry(yardstick)), ...entries])];
  const running = await startAll(needed, cache, url);
  const runningOf = (name: string): Running => running.find(({ entry }) => entry.name === name)!;
  const measured: Measured[] = [];
  try {
    for (const workload of workloads) {
      const able = running.filter(({ entry }) => entries.includes(entry) && canServe(entry, workload));
      const scripts = new Map<string, string>();
      const isWriting = workload === 'note' || workload === 'mix';
      for (const one of able) {
        await verifyAnswers(one, runningOf(one.entry.yardstick), workload, { people, headers });
        const statements = await countStatements(url, one, workload, { people, headers });
        if (isWriting) await cleanUp(url);
        const script = join(cache, `${one.entry.name}-${workload}.lua`);
        const count = workload === 'introspect' ? 1 : 1000;
        const asked = callers.map((caller) => headersOf(one.entry, caller));
        writeScript(script, requestsOf(one.entry, workload, people, count, 7), asked);
        scripts.set(one.entry.name, script);
        measured.push({ entry: one.entry, workload, statements, rounds: [], startMs: one.server.startMs });
      }
      // The first one warms up.
      for (let round = 0; rounds > 0 && round <= rounds; round++) {
        // The order alternates, so that changes of the machine's speed affect all entries.
        for (const one of round % 2 ? able : able.toReversed()) {
          const script = scripts.get(one.entry.name)!;
          // The load ends during requests. Their remaining work must not count in the next round.
          await sleep(pauseFor(seconds));
          const result = await loadOnce(url, one, script, {
            connections: options.connections ?? connections[workload],
            seconds: round === 0 ? 2 : seconds,
          });
          if (isWriting) await cleanUp(url);
          if (round === 0) continue;
          measured.find(({ entry, workload: of }) => entry === one.entry && of === workload)!.rounds.push(result);
          say(
            `${workload.padEnd(10)} ${one.entry.name.padEnd(16)} ${result.rate.toFixed(1).padStart(9)}/s  gateway ${result.gateway.toFixed(0)} µs, database ${result.database.toFixed(0)} µs, others ${result.others.toFixed(2)}${result.errors ? `, ${result.errors} errors` : ''}`,
          );
        }
      }
    }
    return measured;
  } finally {
    await stopAll(running);
  }
};
