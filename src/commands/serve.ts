// muster serve: the database, the schema, the demo where there is nothing yet, then the server until it is told to stop.
import cluster from 'node:cluster';
import { availableParallelism } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { Command } from 'commander';
import type { Logger } from 'pino';
import { type Config, divideByWorkers, readConfig } from '../config.ts';
import { Database } from '../database/database.ts';
import { type EmbeddedServer, startEmbedded } from '../database/embedded/server.ts';
import type { EmbeddedEvent } from '../database/embedded/supervisor.ts';
import { migrateDatabase } from '../database/migrate.ts';
import { type LogLines, openLog } from '../log.ts';
import { type RunningServer, startServer } from '../server.ts';
import { parseWholeNumber } from './arguments.ts';
import { findDemoToken, makeDemoToken } from './demo-token.ts';
import { seedWithProgress } from './seed.ts';
import { printWelcome } from './welcome.ts';
import { startWorkerProcesses } from './workers.ts';

/** As many as there are cores. */
const auto = 'auto';
const workersIn = (text: string): Config['WORKERS'] => (text === auto ? auto : parseWholeNumber(1, 128)(text));

/** In seconds: within this time balancers notice that a server is not ready, as a rule. */
const proxyDelay = 5;

interface ServeOptions {
  workers?: Config['WORKERS'];
  behindProxy?: boolean;
}

export const createServeCommand = (): Command =>
  new Command('serve')
    .description(
      'Serve both doors. Without DATABASE_URL an embedded PostgreSQL is started, and filled with a demo when it is empty.',
    )
    .option(
      '--workers <number>',
      'processes that serve, on one port; auto: one for each core (default: WORKERS)',
      workersIn,
    )
    .option(
      '--behind-proxy',
      `when told to stop, take requests for ${proxyDelay} s more while /health/ready says 503 (default: DRAIN_DELAY)`,
    )
    .action((options: ServeOptions) => (cluster.isWorker ? serveAsWorker() : serve(options)));

/** In milliseconds. `npm start` passes on what its whole process group is sent: the same signal comes twice. */
const sameSignal = 1000;
/** In milliseconds: how long an end may take beyond the time for requests under way. */
const longestEnd = 1800;
/** In milliseconds: how long an end at once waits for the embedded server, which cuts off whoever uses it. */
const quickStop = 2000;

const onSignals = (end: (signal: NodeJS.Signals) => void): void => {
  let last = Number.NEGATIVE_INFINITY;
  const hear = (signal: NodeJS.Signals): void => {
    if (performance.now() - last < sameSignal) return;
    last = performance.now();
    end(signal);
  };
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, hear);
};

const serve = async ({ workers, behindProxy }: ServeOptions): Promise<void> => {
  const config = readConfig();
  const wanted = workers ?? config.WORKERS;
  const count = wanted === auto ? availableParallelism() : wanted;
  config.DRAIN_DELAY ??= behindProxy || count > 1 ? proxyDelay : 0;
  const { log, lines } = openLog(config.LOG_LEVEL);
  let embedded: Promise<EmbeddedServer> | undefined;
  let server: Listening | undefined;

  /** Also while it is on its way: PostgreSQL would outlive a start that is broken off. */
  const stopEmbedded = async (): Promise<void> => (await embedded?.catch(() => undefined))?.stop();

  const exit = async (code: number): Promise<never> => {
    await lines.flush();
    process.exit(code);
  };

  let stopping = false;
  onSignals(async (signal) => {
    if (stopping) {
      await Promise.race([stopEmbedded().catch(() => {}), sleep(quickStop)]);
      return exit(1);
    }
    stopping = true;
    // Whatever keeps the server or its database from ending. PostgreSQL ends by itself once it was told, or is found by the next start.
    setTimeout(() => exit(1), config.DRAIN_SECONDS * 1000 + longestEnd);
    log.info({ signal }, 'stopping');
    await server?.stop();
    await stopEmbedded();
    log.info('stopped');
    return exit(0);
  });

  try {
    if (!config.DATABASE_URL)
      embedded = startEmbedded(config.MUSTER_DATA_DIR, {
        onStep: (text) => console.error(text),
        watch: { report: (event) => reportEmbedded(log, event) },
      });
    server = await start(config, count, await embedded, { log, lines });
    log.info({ url: server.url, node: process.version }, 'listening');
    await Promise.race([server.failed, (await embedded)?.failed].filter(Boolean));
  } catch (error) {
    // A start fails when it is told to stop and its database goes: that is no news.
    if (stopping) return;
    stopping = true;
    await server?.stop();
    await stopEmbedded();
    await lines.flush();
    exitUnread();
    throw error;
  }
};

const reportEmbedded = (log: Logger, { event, ...facts }: EmbeddedEvent): void => {
  if (event === 'restarted') log.warn(facts, 'the embedded PostgreSQL runs again');
  else if (event === 'ended') log.error(facts, 'the embedded PostgreSQL ended');
  else log.error(facts, 'the embedded PostgreSQL failed');
};

/** Ends the process even when nobody reads its error message, which Node writes before it exits. */
const exitUnread = (): void => void setTimeout(() => process.exit(1), 1000).unref();

/** A server in this process, or several in others. */
interface Listening {
  url: string;
  /** Rejects when it cannot go on. */
  failed?: Promise<never>;
  stop(): Promise<void>;
}

const start = async (
  config: Config,
  workers: number,
  embedded: EmbeddedServer | undefined,
  { log, lines }: { log: Logger; lines: LogLines },
): Promise<Listening> => {
  const url = config.DATABASE_URL ?? embedded!.url;
  const direct = config.DATABASE_DIRECT_URL ?? url;
  await migrateDatabase(direct, (name) => log.info({ migration: name }, 'migrated'));
  const server = await listen(config, { workers, url }, { log, lines });
  const database = new Database(url, { poolSize: 1, pooler: config.DATABASE_POOLER });
  try {
    const missing = config.DATABASE_POOLER === 'none' ? [] : await database.missingSettings();
    if (missing.length > 0) log.warn({ missing }, 'the sessions of the pooler lack settings');
    if (embedded) {
      const { GRAPHIQL: graphiql, MUSTER_DATA_DIR: dataDir } = config;
      // Of two first starts at once the later one finds the demo.
      const demo = await embedded.inTurn(async () => {
        const isNew = await database.isEmpty();
        if (isNew) await seedWithProgress(url, 10_000, 1);
        return (isNew ? makeDemoToken : findDemoToken)(database, dataDir);
      });
      const { version } = embedded;
      const terminal = process.stdout.isTTY === true;
      lines.write(`${printWelcome({ url: server.url, graphiql, demo, version, terminal })}\n`);
    } else lines.write(`Muster answers at ${server.url}\n`);
  } catch (error) {
    await server.stop();
    throw error;
  } finally {
    await database.close();
  }
  return server;
};

const listen = async (
  config: Config,
  { workers, url }: { workers: number; url: string },
  { log, lines }: { log: Logger; lines: LogLines },
): Promise<Listening> => {
  if (workers === 1) return startServer(config, url, log);
  const env = { ...divideByWorkers(config, workers), DATABASE_URL: url, DRAIN_DELAY: config.DRAIN_DELAY ?? 0 };
  return startWorkerProcesses(workers, env, { log, lines, drainSeconds: config.DRAIN_SECONDS });
};

/** One of several: its database is there already, and its share of the connections stands in its environment. */
const serveAsWorker = async (): Promise<void> => {
  const config = readConfig();
  const { log, lines } = openLog(config.LOG_LEVEL, { worker: cluster.worker!.id });
  let server: RunningServer | undefined;
  let stopping = false;
  // A terminal sends its signals to all processes, and the one that started this one sends its own: once is enough.
  onSignals(async () => {
    if (stopping) return;
    stopping = true;
    await server?.stop();
    await lines.flush();
    process.exit(0);
  });
  try {
    server = await startServer(config, config.DATABASE_URL!, log);
  } catch (error) {
    // The channel to the one that started it would keep this process.
    cluster.worker!.disconnect();
    exitUnread();
    throw error;
  }
  process.send!({ url: server.url });
};
