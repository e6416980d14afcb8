// Starts an entry: Muster from its bundle, the floor bundled in the same way, a peer beside its own packages.
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { locatePackageFile } from '../../src/database/package-file.ts';
import { buildPlainUrl } from '../harness/database.ts';
import { type Command, type Server, startProcess } from '../harness/process.ts';
import { type Entry, findPackageEntry } from './entries.ts';
import { copyServers, findNodeBinary } from './install.ts';

/** The bucket is active but never runs empty, since it is not measured. All other settings are defaults. */
const settings = { BUCKET_CAPACITY: '1000000000', BUCKET_REFILL: '1000000000', LOG_LEVEL: 'error', HOST: '127.0.0.1' };

/** The server of a folder with a built Muster; by default this one. */
export const startMuster = (
  databaseUrl: string,
  folder = fileURLToPath(locatePackageFile('./')),
  flags: string[] = [],
): Promise<Server> =>
  startProcess('muster', {
    args: [join(folder, 'dist/main.js'), 'serve', ...flags],
    cwd: folder,
    env: { ...settings, DATABASE_URL: databaseUrl },
  });

const servers = fileURLToPath(new URL('servers/', import.meta.url));

/** Bundled like Muster, so that loading slows neither of them. */
const bundle = async (name: string, cache: string): Promise<string> => {
  const outfile = join(cache, 'bundled', name.replace(/\.ts$/, '.mjs'));
  await build({
    entryPoints: [join(servers, name)],
    outfile,
    bundle: true,
    platform: 'node',
    target: 'node20',
    format: 'esm',
    logLevel: 'error',
    external: ['pg-native'],
    banner: {
      js: "import { createRequire as requireOf } from 'node:module'; const require = requireOf(import.meta.url);",
    },
  });
  return outfile;
};

const commandOf = async (entry: Entry, cache: string, databaseUrl: string): Promise<Command> => {
  const { name } = findPackageEntry(entry);
  const { server, env = {} } = entry;
  const given = { ...env, PLAIN_URL: buildPlainUrl(databaseUrl) };
  if (server.endsWith('.ts')) return { args: [await bundle(server, cache)], cwd: cache, env: given };
  const home = join(cache, name);
  if (!existsSync(join(home, 'node_modules')))
    throw new Error(
      `${name} is not installed: run with --install once (its packages go to ${cache}, not into the project)`,
    );
  copyServers(home);
  return { node: findNodeBinary(entry, home), args: [join(home, server)], cwd: home, env: given };
};

export const startEntry = async (entry: Entry, cache: string, databaseUrl: string): Promise<Server> => {
  mkdirSync(cache, { recursive: true });
  if (entry.server === 'muster') return startMuster(databaseUrl);
  return startProcess(entry.name, await commandOf(entry, cache, databaseUrl));
};
