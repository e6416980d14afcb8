// In charge of the packages of the peers: exact versions, each peer in a folder of its own, none of them in the project.
import { execFile } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { type Entry, packedAs } from './entries.ts';

const run = promisify(execFile);

const servers = fileURLToPath(new URL('servers/', import.meta.url));

/** Packages are looked for from where a file is: the servers are laid beside those of a peer. */
export const layServers = (home: string): void => cpSync(servers, home, { recursive: true });

/** A newer Node for the peers that want one, as a package too. */
const newerNode = (major: number): Record<string, string> => ({
  [`node-${process.platform}-${process.arch}`]: `${major}`,
});
const needsNewer = ({ node = 0 }: Entry): boolean => Number(process.versions.node.split('.')[0]) < node;

/** The node that an entry is run by. */
export const nodeOf = (entry: Entry, home: string): string =>
  needsNewer(entry)
    ? join(home, 'node_modules', `node-${process.platform}-${process.arch}`, 'bin', 'node')
    : process.execPath;

/** What an entry runs with: packages in C are built for its node, whose headers its package has. */
const environmentOf = (entry: Entry, home: string): NodeJS.ProcessEnv => {
  if (!needsNewer(entry)) return process.env;
  const folder = dirname(nodeOf(entry, home));
  return { ...process.env, PATH: `${folder}${delimiter}${process.env.PATH}`, npm_config_nodedir: dirname(folder) };
};

/** Scripts are for building what is in C: our own .npmrc turns them off, and `npm run` hands that on to every npm below it. */
const flags = ['--ignore-scripts=false', '--no-audit', '--no-fund', '--loglevel=error'];

/**
 * Installs by npm what is not there yet as it is wanted, and prepares it. Takes some seconds for most, and minutes for Directus, which
 * needs Python, make and a compiler of C++. What was cut off is begun anew, since npm builds a package only when it lays it down.
 */
export const install = async (entries: Entry[], cache: string): Promise<void> => {
  for (const entry of new Set(entries.map(packedAs))) {
    const { name, packages, node, prepare } = entry;
    if (!packages) continue;
    const home = join(cache, name);
    const newer = node && needsNewer(entry) ? newerNode(node) : undefined;
    const wanted = JSON.stringify({ ...packages, ...newer });
    const whole = join(home, 'installed.json');
    if (existsSync(whole) && readFileSync(whole, 'utf8') === wanted) continue;
    rmSync(home, { recursive: true, force: true });
    mkdirSync(home, { recursive: true });
    console.error(`installing ${name}`);
    const add = async (dependencies: Record<string, string>): Promise<void> => {
      const manifest = { name: `peer-${name}`, private: true, type: 'module', dependencies };
      writeFileSync(join(home, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
      const env = environmentOf(entry, home);
      await run('npm', ['install', ...flags], { cwd: home, env });
    };
    // The node first: the others are installed, and built, by it.
    if (newer) await add(newer);
    await add({ ...packages, ...newer });
    layServers(home);
    if (prepare) await run(nodeOf(entry, home), prepare, { cwd: home });
    writeFileSync(whole, wanted);
  }
};
