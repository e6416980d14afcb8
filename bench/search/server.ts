// Starts the measured PostgreSQL: the embedded one in its own folder, or that of DATABASE_URL.
import {
  type BenchDatabase,
  findGivenDatabase,
  resetDatabase,
  startOwnServer,
  useClient,
} from '../harness/database.ts';
import { type Build, buildDatabase, isBuilt } from './build/build.ts';
import type { Parameters } from './build/parameters.ts';

/** Settings for a machine with 16 GB and little other load. */
export const measured = {
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

export interface Place {
  dataDir: string;
  rebuild: boolean;
}

/**
 * Starts a server and builds missing data. The embedded server starts with the settings for building if
 * something must be built, and then again with those for measuring.
 */
export const startBench = async (
  { dataDir, rebuild }: Place,
  parameters: Parameters,
): Promise<{ server: BenchDatabase; built: Build }> => {
  const given = findGivenDatabase();
  if (given) {
    if (rebuild) throw new Error('--rebuild is for the embedded server: empty the database of DATABASE_URL yourself');
    return { server: given, built: await buildDatabase(given.url, parameters) };
  }
  let server = await startOwnServer(dataDir, measured);
  stopOnSignal(() => server);
  try {
    if (rebuild || !(await useClient(server.url, (client) => isBuilt(client, parameters)))) {
      await server.stop();
      server = await startOwnServer(dataDir, building);
      // Another process uses it and would lose its data.
      if (server.attached) throw new Error(`The server of ${dataDir} is in use: stop it first`);
      if (rebuild) await resetDatabase(server.url, new URL(server.url).pathname.slice(1));
      await buildDatabase(server.url, parameters);
      await server.stop();
      server = await startOwnServer(dataDir, measured);
    }
    // Applies new migrations, and reads which build it is.
    return { server, built: await buildDatabase(server.url, parameters) };
  } catch (error) {
    await server.stop();
    throw error;
  }
};

/** PostgreSQL is a separate process and would outlive an interrupted run. */
const stopOnSignal = (server: () => BenchDatabase): void => {
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(
      signal,
      () =>
        void server()
          .stop()
          .finally(() => process.exit(1)),
    );
};
