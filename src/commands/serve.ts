// muster serve: starts the database, migrates it, fills the demo if it is empty, and serves until a signal stops it.
import cluster from 'node:cluster';
import { availableParallelism } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { Command } from 'commander';
import type { Logger } from 'pino';
import { type EmbeddedServer, explainByDisk, startEmbedded } from '../../packages/embedded-server/server.ts';
import type { EmbeddedEvent } from '../../packages/embedded-server/supervisor.ts';
import { type Config, divideByWorkers, readConfig } from '../config/config.ts';
import { findMisspeltSettings } from '../config/setting-report.ts';
import { Database } from '../database/database.ts';
import { convertToDatabaseProblem } from '../database/driver-error.ts';
import { migrateDatabase } from '../database/migrate.ts';
import { readPackage } from '../database/package-file.ts';
import { Problem } from '../problem.ts';
import { startMetricsServer } from '../server/metrics-server.ts';
import { requirePort } from '../server/port.ts';
import type { RunningServer } from '../server/server.ts';
import { type LogLines, openLog } from '../telemetry/log.ts';
import { measureProcess, metrics, readMetricsText } from '../telemetry/metrics.ts';
import { parseWholeNumber } from './arguments.ts';
import { createDemoToken, type DemoToken, findDemoToken, formatStart, formatWelcome } from './demo-token.ts';
import { showProgress } from './progress-bar.ts';
import { seedWithProgress } from './seed.ts';
import { type Listening, startWorkerProcesses, stopWorkers, tellMetrics, WorkerMetrics } from './workers.ts';

/** One worker per core. */
const auto = 'auto';
const parseWorkers = (text: string): Config['WORKERS'] => (text === auto ? auto : parseWholeNumber(1, 128)(text));

/** In seconds. Load balancers usually notice within this time that a server is not ready. */
const proxyDelay = 5;

interface ServeOptions {
  demo?: boolean;
  workers?: Config['WORKERS'];
  behindProxy?: boolean;
}

export const createCommand = (): Command =>
  new Command('serve')
    .description(
      'Serve GraphQL and REST. Without DATABASE_URL it starts an embedded PostgreSQL, and fills it with a demo when it is empty.',
    )
    .option(
      '--workers <number>',
      'number of worker processes on one port; auto: one per core (default: WORKERS)',
      parseWorkers,
    )
    .option('--demo', 'start the embedded PostgreSQL with its demo, whatever DATABASE_URL says')
    .option(
      '--behind-proxy',
      `after a stop signal, serve for ${proxyDelay} more seconds while /health/ready answers 503 (default: DRAIN_DELAY)`,
    )
    .action((options: ServeOptions) => (cluster.isWorker ? serveAsWorker() : serve(options)));

/** In milliseconds. Under `npm start` the same signal arrives twice: from the terminal and from npm. The second one within this time is ignored. */
const repeatedSignalMs = 1000;
/** In milliseconds: how long a stop may take after the time for running requests. */
const stopTimeoutMs = 1300;
/** In milliseconds: how long the last lines of the log may then take. */
const lastLinesMs = 300;
/** In milliseconds: how long an immediate stop waits for the embedded server, which disconnects its clients. */
const quickStopMs = 2000;

const onSignals = (end: (signal: NodeJS.Signals) => void): void => {
  let last = Number.NEGATIVE_INFINITY;
  const onSignal = (signal: NodeJS.Signals): void => {
    if (performance.now() - last < repeatedSignalMs) return;
    last = performance.now();
    end(signal);
  };
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, onSignal);
};

const databaseSettings = ['DATABASE_URL', 'DATABASE_DIRECT_URL', 'DATABASE_REPLICA_URL', 'DATABASE_POOLER'];

const serve = async ({ demo, workers, behindProxy }: ServeOptions): Promise<void> => {
  // Workers inherit the environment: none of them may reach another database.
  if (demo) for (const name of databaseSettings) delete process.env[name];
  const config = readConfig();
  for (const [name, meant] of findMisspeltSettings())
    console.error(`muster: ${name} is not a setting and is ignored. Is ${meant} meant?`);
  // Each serving process reads the list again. This stops a start with a faulty one before the database runs.
  if (config.TRUSTED_DOCUMENTS !== 'off')
    await (await import('../graphql/trusted-documents.ts')).readTrustedDocuments(config);
  const wanted = workers ?? config.WORKERS;
  const count = wanted === auto ? availableParallelism() : wanted;
  config.DRAIN_DELAY ??= behindProxy || count > 1 ? proxyDelay : 0;
  // At a terminal the first lines say where to go; those of every request would push them away.
  const isAtTerminal = process.stdout.isTTY === true;
  if (isAtTerminal && !config.DATABASE_URL && !process.env.LOG_LEVEL) config.LOG_LEVEL = 'warn';
  const { log, lines } = openLog(config.LOG_LEVEL);
  let embedded: Promise<EmbeddedServer> | undefined;
  let server: Listening | undefined;

  /** Stops it even while it is starting: otherwise PostgreSQL would outlive an interrupted start. */
  const stopEmbedded = async (): Promise<void> => (await embedded?.catch(() => undefined))?.stop();

  const exit = async (code: number): Promise<never> => {
    await lines.flush();
    process.exit(code);
  };

  let stopping = false;
  onSignals(async (signal) => {
    if (stopping) {
      await Promise.race([stopEmbedded().catch(() => {}), sleep(quickStopMs)]);
      return exit(1);
    }
    stopping = true;
    // A stop that hangs ends here. PostgreSQL has its signal and stops by itself; otherwise the next start finds it.
    setTimeout(() => exit(1), config.DRAIN_SECONDS * 1000 + stopTimeoutMs);
    // So does one whose last lines nobody reads.
    setTimeout(() => process.exit(1), config.DRAIN_SECONDS * 1000 + stopTimeoutMs + lastLinesMs);
    log.info({ signal }, 'stopping');
    // The first workers answer before all of them have started.
    await (server ? server.stop() : stopWorkers(config.DRAIN_SECONDS));
    await stopEmbedded();
    log.info('stopped');
    return exit(0);
  });

  try {
    await requirePort(config);
    if (!config.DATABASE_URL)
      embedded = startEmbedded(config.MUSTER_DATA_DIR, {
        onStep: (text) => console.error(text),
        watch: { report: (event) => logEmbeddedEvent(log, event) },
      });
    await serveMetrics(config, count, log);
    // The graph is read while the embedded PostgreSQL starts. Another server is connected to first: reading blocks the process, and on a slow
    // machine the connection would time out.
    if (count === 1 && embedded) importServer().catch(() => {});
    server = await start(config, { workers: count, isAtTerminal, embedded: await embedded }, { log, lines });
    log.info({ url: server.url, node: process.version }, 'listening');
    await Promise.race([server.failed, (await embedded)?.failed].filter(Boolean));
  } catch (error) {
    // After a stop signal the database goes away, and a start fails. This error is expected.
    if (stopping) return;
    stopping = true;
    // PostgreSQL that has no room left ends, and then it only seems to be unreachable.
    const fullDisk = embedded && explainByDisk(config.MUSTER_DATA_DIR);
    await server?.stop();
    await stopEmbedded();
    await lines.flush();
    exitSoon();
    throw fullDisk ? new Error(fullDisk, { cause: error }) : error;
  }
};

const logEmbeddedEvent = (log: Logger, { event, ...facts }: EmbeddedEvent): void => {
  if (event === 'restarted') {
    metrics.embeddedRestarts.inc();
    log.warn(facts, 'the embedded PostgreSQL runs again');
  } else if (event === 'ended') log.error(facts, 'the embedded PostgreSQL ended');
  else log.error(facts, 'the embedded PostgreSQL failed');
};

/** Serves the metrics, if they have a port: before the database starts, so that it can be seen starting. */
const serveMetrics = async (config: Config, workers: number, log: Logger): Promise<void> => {
  const { METRICS_PORT: port, METRICS_HOST: host } = config;
  if (port === undefined) return;
  measureProcess(readPackage().version);
  const ofWorkers = workers > 1 ? new WorkerMetrics() : undefined;
  const read = (): Promise<string> => (ofWorkers ? ofWorkers.read() : readMetricsText());
  const onFailure = (error: unknown): void => log.error({ reason: String(error) }, 'metrics failed');
  const { url } = await startMetricsServer({ host, port, read, onFailure });
  log.info({ url }, 'metrics');
};

/**
 * Ends the process even when nobody reads its error message: Node otherwise waits for a reader. The command line sets the exit code once it has
 * written the message, which may take long on a busy machine.
 */
const exitSoon = (): void =>
  void setInterval(() => {
    if (process.exitCode !== undefined) process.exit();
  }, 1000).unref();

interface Output {
  log: Logger;
  lines: LogLines;
}

const start = async (
  config: Config,
  { workers, isAtTerminal, embedded }: { workers: number; isAtTerminal: boolean; embedded: EmbeddedServer | undefined },
  { log, lines }: Output,
): Promise<Listening> => {
  const url = config.DATABASE_URL ?? embedded!.url;
  await migrate(config.DATABASE_DIRECT_URL ?? url, log);
  const { GRAPHIQL: graphiql, EXPLORE: explore, DOCS: docs, MUSTER_DATA_DIR: dataDir } = config;
  const database = new Database(url, { poolSize: 1, pooler: config.DATABASE_POOLER });
  let format: (served: Pick<Listening, 'url'>) => string;
  try {
    const missing = config.DATABASE_POOLER === 'none' ? [] : await database.missingSettings();
    if (missing.length > 0) log.warn({ missing }, 'the sessions of the pooler lack settings');
    if (embedded) {
      const demo = await prepareDemo(database, embedded, dataDir);
      const facts = { graphiql, explore, docs, demo, dataDir, version: embedded.version, terminal: isAtTerminal };
      format = (server) => formatWelcome({ url: server.url, ...facts });
    } else {
      const isEmpty = await database.isEmpty();
      format = (server) => formatStart({ url: server.url, graphiql, explore, docs }, isEmpty);
    }
  } finally {
    await database.close();
  }
  // Last, so that whom it answers finds everything there.
  const server = await listen(config, { workers, url }, { log, lines });
  lines.write(format(server));
  return server;
};

/** From so many migrations on, a bar shows how far they are. */
const shownFrom = 5;

/** Migrates the database, with a progress bar at a terminal and lines in the log. */
const migrate = (url: string, log: Logger): Promise<unknown> =>
  showProgress('tables {bar} {percentage}% | {value}/{total} migrations', (bar) => {
    let done = 0;
    return migrateDatabase(url, {
      onApply: (name, left) => {
        log.info({ migration: name }, 'migrated');
        if (done === 0 && left >= shownFrom) bar.start(left + 1, 0);
        bar.update(++done);
      },
      onWait: (reason) => log.warn({ reason }, 'the migration waits'),
    });
  });

/** Fills an empty database with the demo. When two first starts run at the same time, the later one finds it. */
const prepareDemo = (database: Database, embedded: EmbeddedServer, dataDir: string): Promise<DemoToken> =>
  retryWhileUnavailable(dataDir, () =>
    embedded.inTurn(async () => {
      let isNew = false;
      if (await database.isEmpty()) {
        try {
          await seedWithProgress(embedded.url, 10_000, 1);
          isNew = true;
        } catch (error) {
          // Somebody has set up a space just now: then there is no demo.
          if (await database.isEmpty()) throw error;
        }
      }
      return (isNew ? createDemoToken : findDemoToken)(database, dataDir);
    }),
  );

/** In milliseconds: how long a start waits for an embedded server that has crashed meanwhile. It is restarted, or recovers. */
const startPatienceMs = 30_000;

/** Repeats work that failed because the database was not available, as the next start would. A full disk stays full. */
const retryWhileUnavailable = async <Result>(dataDir: string, work: () => Promise<Result>): Promise<Result> => {
  for (const deadline = performance.now() + startPatienceMs; ; await sleep(200))
    try {
      return await work();
    } catch (error) {
      const problem = convertToDatabaseProblem(error);
      const isUnavailable = problem instanceof Problem && problem.code === 'unavailable';
      if (!isUnavailable || performance.now() > deadline || explainByDisk(dataDir)) throw error;
    }
};

/** Imported on demand: the process that only starts workers does not need the graph. */
const importServer = () => import('../server/server.ts');
const startServer = async (config: Config, url: string, log: Logger): Promise<RunningServer> =>
  (await importServer()).startServer(config, url, log);

const listen = async (
  config: Config,
  { workers, url }: { workers: number; url: string },
  { log, lines }: Output,
): Promise<Listening> => {
  if (workers === 1) return startServer(config, url, log);
  const env = {
    ...divideByWorkers(config, workers),
    DATABASE_URL: url,
    DRAIN_DELAY: config.DRAIN_DELAY ?? 0,
    LOG_LEVEL: config.LOG_LEVEL,
  };
  return startWorkerProcesses(workers, env, { log, lines, drainSeconds: config.DRAIN_SECONDS });
};

/** Serves as one of several workers. The database is ready, and the environment has the worker's share of the connections. */
const serveAsWorker = async (): Promise<void> => {
  const config = readConfig();
  const { log, lines } = openLog(config.LOG_LEVEL, { worker: cluster.worker!.id });
  if (config.METRICS_PORT !== undefined) {
    measureProcess(readPackage().version);
    tellMetrics();
  }
  let server: RunningServer | undefined;
  let stopping = false;
  // The terminal and the primary process may both send the signal: the second one is ignored.
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
    // The channel to the primary process would keep this process alive.
    cluster.worker!.disconnect();
    exitSoon();
    throw error;
  }
  process.send!({ url: server.url });
};
