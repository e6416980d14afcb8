// Starts the PostgreSQL of a run, with the template that tests clone: migrated, with the seeded spaces 1 and 2.
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import { join, relative } from 'node:path';
import { createDemoPlan } from '../../packages/demo-data/index.ts';
import { owner, superuser } from '../../packages/embedded-server/owner-role.ts';
import { findEmbedded, startEmbedded } from '../../packages/embedded-server/server.ts';
import { seedDatabase } from '../../src/commands/seed.ts';
import { migrateDatabase } from '../../src/database/migrate.ts';
import { createCacheKey } from '../../src/limits/cache-key.ts';
import { buildDatabaseUrl, runStatement } from './databases.ts';
import { listNeeded } from './imports.ts';
import { choosePlace, copyKept, getDataFolder, makeRunFolder } from './kept-folder.ts';

const root = join(import.meta.dirname, '../..');

/** Data need not survive a crash, and the log is short, as it may be in memory. Many connections are allowed: tests run several servers at once, each with its pools. */
const settings = {
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  max_wal_size: '256MB',
  max_connections: '400',
};

export const fillTemplate = async (url: string): Promise<void> => {
  await migrateDatabase(url);
  await seedDatabase(url, createDemoPlan(400, 7));
};

/** The name of what is kept: all that it depends on. Until the machine is started again, as nothing is synced to disk. */
const nameKept = (): string => {
  const boot = '/proc/sys/kernel/random/boot_id';
  const files = [
    ...listNeeded(import.meta.filename),
    ...fs.readdirSync(join(root, 'migrations')).map((name) => join(root, 'migrations', name)),
    // The packages that are installed, with the version of PostgreSQL.
    join(root, 'node_modules/.package-lock.json'),
    ...(fs.existsSync(boot) ? [boot] : []),
  ].sort();
  const parts = files.flatMap((file) => [relative(root, file), fs.readFileSync(file, 'utf8')]);
  return createHash('sha256')
    .update(createCacheKey(process.version, ...parts))
    .digest('hex');
};

const start = async (folder: string) => {
  const server = await startEmbedded(folder, { settings });
  // Tests run with the role of the server, which is no superuser, but may create databases.
  const adminUrl = (await findEmbedded(folder, 'muster', superuser))!;
  await runStatement(adminUrl, `alter role ${owner} createdb`);
  return { url: server.url, adminUrl, stop: server.stop };
};

/** Starts it in a folder of this run, which `stop` removes. */
export const startSeeded = async () => {
  const template = 'muster_template';
  const place = choosePlace();
  const run = await makeRunFolder(place);
  const data = getDataFolder(run);
  const fill = async (): Promise<boolean> => {
    const { url, stop } = await start(data);
    await runStatement(url, `create database ${template}`);
    await fillTemplate(buildDatabaseUrl(url, template));
    await stop();
    // Each run has its own.
    for (const name of ['pg-port', 'pg.log']) fs.rmSync(join(data, name), { force: true });
    // A copy of a cluster that has its place elsewhere would share it, and one that was killed is not whole.
    return !['pg-place', 'pg/postmaster.pid'].some((name) => fs.existsSync(join(data, name)));
  };
  if (process.env.TEST_KEEP === 'false' || process.platform === 'win32') await fill();
  else await copyKept(run, place, nameKept(), fill);
  const { url, adminUrl, stop } = await start(data);
  const remove = async (): Promise<void> => {
    await stop();
    await fs.promises.rm(run, { recursive: true, force: true });
  };
  const programFolder = join(run, 'program');
  fs.mkdirSync(programFolder);
  return { url, adminUrl, template, programFolder, stop: remove };
};
