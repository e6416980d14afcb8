// muster serve: the database, the schema, the demo where there is nothing yet, then the server until it is told to stop.
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Command } from 'commander';
import { pino } from 'pino';
import { type Config, readConfig } from '../config.ts';
import type { Database } from '../data/database.ts';
import { type EmbeddedServer, startEmbedded } from '../data/embedded.ts';
import { migrate } from '../data/migrate.ts';
import { tokenWorks } from '../data/token.ts';
import { createToken, digest, isToken } from '../gate/token.ts';
import { type RunningServer, startServer } from '../server.ts';
import { seedWithProgress } from './seed.ts';

export const serveCommand = (): Command =>
  new Command('serve')
    .description(
      'Serve both doors. Without DATABASE_URL an embedded PostgreSQL is started, and filled with a demo when it is empty.',
    )
    .action(serve);

const serve = async (): Promise<void> => {
  const config = readConfig();
  const log = pino({ level: config.LOG_LEVEL, base: null, timestamp: pino.stdTimeFunctions.isoTime });
  let embedded: Promise<EmbeddedServer> | undefined;
  let server: RunningServer | undefined;

  /** Also while it is on its way: PostgreSQL would outlive a start that is broken off. */
  const stopEmbedded = async (): Promise<void> => (await embedded?.catch(() => undefined))?.stop();

  let stopping = false;
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    if (stopping) process.exit(1);
    stopping = true;
    log.info({ signal }, 'stopping');
    await server?.stop();
    await stopEmbedded();
    log.info('stopped');
    process.exit(0);
  };
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, (name) => void end(name));

  try {
    if (!config.DATABASE_URL)
      embedded = startEmbedded(config.MUSTER_DATA_DIR, { onStep: (text) => console.error(text) });
    server = await start(config, await embedded, log);
  } catch (error) {
    // A start fails when it is told to stop and its database goes: that is no news.
    if (stopping) return;
    await stopEmbedded();
    throw error;
  }
  log.info({ url: server.url, node: process.version }, 'listening');
};

const start = async (
  config: Config,
  embedded: EmbeddedServer | undefined,
  log: pino.Logger,
): Promise<RunningServer> => {
  const databaseUrl = config.DATABASE_URL ?? embedded!.url;
  await migrate(databaseUrl, (name) => log.info({ migration: name }, 'migrated'));
  const server = await startServer(config, databaseUrl, log);
  try {
    if (embedded) {
      if (await server.database.isEmpty()) await seedWithProgress(databaseUrl, 10_000, 1);
      console.log(welcome(server.url, await demoToken(server.database, config.MUSTER_DATA_DIR), config.GRAPHIQL));
    } else console.log(`Muster answers at ${server.url}`);
  } catch (error) {
    await server.stop();
    throw error;
  }
  return server;
};

/** The token of the demo's superadmin: kept for its owner alone, so that what was pasted yesterday works today. */
const demoToken = async (database: Database, dataDir: string): Promise<string | undefined> => {
  const file = join(dataDir, 'demo-token');
  const kept = await readFile(file, 'utf8').then(
    (text) => text.trim(),
    () => '',
  );
  if (isToken(kept) && (await tokenWorks(database.knex, digest(kept)))) return kept;
  const token = await createToken(database, 1, 1).catch(() => undefined);
  if (token) {
    await mkdir(dataDir, { recursive: true });
    await writeFile(file, `${token}\n`, { mode: 0o600 });
  }
  return token;
};

const welcome = (url: string, token: string | undefined, graphiql: boolean): string => {
  if (!token) return `Muster answers at ${url}`;
  const query = `{"query":"{ viewer { user { firstname } } contacts(first: 3) { nodes { id firstname surname } totalCount } }"}`;
  return `
Muster answers at ${url}
${graphiql ? `\n  GraphiQL   ${url}/graphql#token=${token}` : ''}
  Token      ${token}
  Try        curl -s ${url}/graphql -H 'Authorization: Bearer ${token}' -H 'Content-Type: application/json' -d '${query}'
  Stop       Ctrl-C
`;
};
