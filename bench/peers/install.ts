// In charge of the packages of the peers: exact versions, each peer in a folder of its own, none of them in the project.
import { execFile } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Entry } from './entries.ts';

const run = promisify(execFile);

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

/** Installs what is not there yet, by npm. Takes some seconds for most. */
export const install = async (entries: Entry[], cache: string): Promise<void> => {
  for (const entry of entries) {
    const { name, packages, node } = entry;
    if (!packages) continue;
    const home = join(cache, name);
    mkdirSync(home, { recursive: true });
    const dependencies = { ...packages, ...(node && needsNewer(entry) && newerNode(node)) };
    const manifest = { name: `peer-${name}`, private: true, type: 'module', dependencies };
    writeFileSync(join(home, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
    console.error(`installing ${name}`);
    await run('npm', ['install', '--no-audit', '--no-fund', '--loglevel=error'], { cwd: home });
  }
};
