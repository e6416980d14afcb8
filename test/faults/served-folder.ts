// Creates data folders with a small demo, for servers with an embedded PostgreSQL.
import fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createDemoPlan } from '../../packages/demo-data/index.ts';
import { findEmbedded, startEmbedded } from '../../packages/embedded-server/server.ts';
import { seedDatabase } from '../../src/commands/seed.ts';
import { migrateDatabase } from '../../src/database/migrate.ts';
import { cleanUpAfterFile } from '../harness/cleanup.ts';
import { createToken, type Serving } from '../harness/serving.ts';

const settings = { fsync: 'off', shared_buffers: '16MB' };

const folders: string[] = [];
cleanUpAfterFile(async () => {
  for (const data of folders.splice(0)) {
    if (await findEmbedded(data)) await (await startEmbedded(data)).stop();
    fs.rmSync(data, { recursive: true, force: true });
  }
});

/** A new folder. After the tests of the file, everything that still runs on it is stopped, and it is deleted. */
export const makeFolder = (): string => {
  const data = fs.realpathSync(fs.mkdtempSync(join(tmpdir(), 'muster-served-')));
  fs.chmodSync(data, 0o755);
  folders.push(data);
  return data;
};

/** A folder with the demo in it; a new one by default. */
export const makeServedFolder = async (data = makeFolder()): Promise<{ data: string; url: string; token: string }> => {
  const server = await startEmbedded(data, { settings });
  try {
    await migrateDatabase(server.url);
    await seedDatabase(server.url, createDemoPlan(5, 1));
    return { data, url: server.url, token: await createToken(server.url) };
  } finally {
    await server.stop();
  }
};

/** What the log of a server says about its PostgreSQL. */
export const listDatabaseEvents = (server: Serving) =>
  server.logged().filter(({ msg }) => /^the embedded PostgreSQL/.test(msg));
