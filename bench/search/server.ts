// Starts the measured PostgreSQL: the embedded one in its own folder, or that of DATABASE_URL.
import pg from 'pg';
import { superuser } from '../../src/database/embedded/owner-role.ts';
import { type EmbeddedServer, findEmbedded, startEmbedded } from '../../src/database/embedded/server.ts';
import { type Build, buildDatabase, isBuilt } from './build/build.ts';
import type { Parameters } from './build/parameters.ts';

/** Settings for a machine with 16 GB and little other load. */
const measured = {
  shared_buffers: '2GB',
  maintenance_work_mem: '512MB',
  max_wal_size: '8GB',
  effective_cache_size: '8GB',
};

/** Settings for building, without durability: an interrupted build starts again. */
const building = {
  ...measured,
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  wal_level: 'minimal',
  max_wal_senders: '0',
  checkpoint_timeout: '1h',
  autovacuum: 'off',
};

export interface BenchServer {
  url: string;
  stop(): Promise<void>;
}

const withClient = async <Result>(url: string, work: (client: pg.Client) => Promise<Result>): Promise<Result> => {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => {});
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
};

const sibling = (url: string, database: string): string =>
  Object.assign(new URL(url), { pathname: `/${database}` }).href;

const emptied = (url: string): Promise<void> =>
  withClient(sibling(url, 'postgres'), async (client) => {
    const name = pg.escapeIdentifier(decodeURIComponent(new URL(url).pathname.slice(1)));
    await client.query(`drop database ${name} with (force)`);
    await client.query(`create database ${name}`);
  });

export interface Place {
  dataDir: string;
  databaseUrl?: string;
  rebuild: boolean;
}

const say = (text: string): void => console.error(text);

/**
 * Starts a server and builds missing data. The embedded server starts with the settings for building if
 * something must be built, and then again with those for measuring.
 */
export const startBench = async (
  { dataDir, databaseUrl, rebuild }: Place,
  parameters: Parameters,
): Promise<{ server: BenchServer; built: Build }> => {
  if (databaseUrl) {
    if (rebuild) throw new Error('--rebuild is for the embedded server: empty the database of DATABASE_URL yourself');
    return { server: { url: databaseUrl, stop: async () => {} }, built: await buildDatabase(databaseUrl, parameters) };
  }
  // The superuser is needed to load without checks, to write checkpoints and to create the database again.
  const start = async (settings: Record<string, string>): Promise<EmbeddedServer> => {
    const started = await startEmbedded(dataDir, { settings, onStep: say });
    return { ...started, url: (await findEmbedded(dataDir, 'muster', superuser))! };
  };
  let server = await start(measured);
  stopOnSignal(() => server);
  try {
    if (rebuild || !(await withClient(server.url, (client) => isBuilt(client, parameters)))) {
      await server.stop();
      server = await start(building);
      // Another process uses it and would lose its data.
      if (server.attached) throw new Error(`The server of ${dataDir} is in use: stop it first`);
      if (rebuild) await emptied(server.url);
      await buildDatabase(server.url, parameters);
      await server.stop();
      server = await start(measured);
    }
    // Applies new migrations, and reads which build it is.
    return { server, built: await buildDatabase(server.url, parameters) };
  } catch (error) {
    await server.stop();
    throw error;
  }
};

/** PostgreSQL is a separate process and would outlive an interrupted run. */
const stopOnSignal = (server: () => BenchServer): void => {
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(
      signal,
      () =>
        void server()
          .stop()
          .finally(() => process.exit(1)),
    );
};
