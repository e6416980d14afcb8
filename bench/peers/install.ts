// Installs exact versions of the peers' packages, each peer in its own folder outside the project.
import { execFile } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { type Entry, findPackageEntry } from './entries.ts';

const run = promisify(execFile);

const servers = fileURLToPath(new URL('servers/', import.meta.url));

/** Node resolves packages from the location of a file, so the servers are copied beside the packages of a peer. */
export const copyServers = (home: string): void => cpSync(servers, home, { recursive: true });

/** A newer Node as a package, for the peers that need one. */
const newerNode = (major: number): Record<string, string> => ({
  [`node-${process.platform}-${process.arch}`]: `${major}`,
});
const needsNewer = ({ node = 0 }: Entry): boolean => Number(process.versions.node.split('.')[0]) < node;

/** The node binary of an entry. */
export const findNodeBinary = (entry: Entry, home: string): string =>
  needsNewer(entry)
    ? join(home, 'node_modules', `node-${process.platform}-${process.arch}`, 'bin', 'node')
    : process.execPath;

/** The environment of an entry. Native packages are built for its node, with the headers of its package. */
const environmentOf = (entry: Entry, home: string): NodeJS.ProcessEnv => {
  if (!needsNewer(entry)) return process.env;
  const folder = dirname(findNodeBinary(entry, home));
  return { ...process.env, PATH: `${folder}${delimiter}${process.env.PATH}`, npm_config_nodedir: dirname(folder) };
};

/** Install scripts build native packages. Our .npmrc disables them, and `npm run` passes that on to every npm below it. */
const flags = ['--ignore-scripts=false', '--no-audit', '--no-fund', '--loglevel=error'];

/**
 * Installs missing packages with npm and prepares them. Most take seconds, Directus takes minutes and
 * needs Python, make and a C++ compiler. An interrupted installation starts again, since npm builds a package only when it unpacks it.
 */
export const installPackages = async (entries: Entry[], cache: string): Promise<void> => {
  for (const entry of new Set(entries.map(findPackageEntry))) {
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
    // Node comes first, since it installs and builds the others.
    if (newer) await add(newer);
    await add({ ...packages, ...newer });
    copyServers(home);
    if (prepare) await run(findNodeBinary(entry, home), prepare, { cwd: home });
    writeFileSync(whole, wanted);
  }
};
