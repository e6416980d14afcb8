// Measures the first five minutes: installing, the first answer, the next start, and the size of what is shipped.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, lstatSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Command } from 'commander';
import { makeRelease } from '../../packages/release/release.ts';
import { parseWholeNumber } from '../../src/commands/arguments.ts';
import { locatePackageFile } from '../../src/database/package-file.ts';
import { buildImage, nodePath } from '../../test/deploy/image.ts';
import { computeMedian } from '../harness/median.ts';
import { measureBusyTime } from '../harness/process.ts';
import { runProgram } from '../harness/run-program.ts';
import { printSection } from '../harness/section.ts';

interface Options {
  rounds: number;
  out?: string;
}

const program = new Command('bench:start')
  .description(
    'Clones this checkout, installs its packages, starts it twice, makes a release, installs and starts that one, and makes the files of the image. Changes that are not committed are not measured. npm asks the network for what its cache lacks.',
  )
  .option('--rounds <number>', 'rounds of the starts, whose medians count', parseWholeNumber(1, 20), 3)
  .option('--out <file>', 'write the table into this Markdown file, between its markers');

const here = fileURLToPath(locatePackageFile('./'));

const toSeconds = (since: number): number => (performance.now() - since) / 1000;

/** Runs a program to its end. Returns its seconds. */
const time = (cwd: string, ...[command, ...args]: [string, ...string[]]): number => {
  const since = performance.now();
  execFileSync(command, args, { cwd, stdio: ['ignore', 'ignore', 'inherit'] });
  return toSeconds(since);
};

/** The bytes of all files in a folder, in millions. */
const measureFolder = (folder: string): number =>
  (readdirSync(folder, { recursive: true }) as string[])
    .map((path) => lstatSync(join(folder, path)))
    .reduce((sum, file) => sum + (file.isFile() ? file.size : 0), 0) / 1e6;

/** Starts a server with its demo, asks it for contacts, and stops it. Returns the seconds until it has answered. */
const timeStart = async (cwd: string, data: string, ...[command, ...args]: [string, ...string[]]): Promise<number> => {
  const since = performance.now();
  // A group of processes, since npm passes no signals on.
  const child = spawn(command, args, {
    cwd,
    env: { PATH: process.env.PATH, HOME: cwd, PORT: '0', MUSTER_DATA_DIR: data },
    detached: true,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'close');
  let said = '';
  child.stdout!.on('data', (text) => (said += text));
  while (!said.includes('Ctrl-C') && child.exitCode === null) await sleep(5);
  try {
    const response = await fetch(`${/answers at (\S+)/.exec(said)?.[1]}/graphql`, {
      method: 'POST',
      headers: {
        Authorization: `Bearer ${readFileSync(join(data, 'demo-token'), 'utf8').trim()}`,
        'Content-Type': 'application/json',
      },
      body: JSON.stringify({ query: '{ contacts(first: 1) { totalCount } }' }),
    });
    if (!((await response.json()).data.contacts.totalCount > 0)) throw new Error('The demo has nobody');
    return toSeconds(since);
  } finally {
    process.kill(-child.pid!, 'SIGTERM');
    await ended;
  }
};

/** Starts so many times, with a new data folder each, and once again with what the first start has left. Returns medians. */
const timeStarts = async (cwd: string, rounds: number, before: () => void, ...command: [string, ...string[]]) => {
  const [first, again]: [number[], number[]] = [[], []];
  const data = join(cwd, 'data');
  for (let round = 0; round < rounds; round++) {
    rmSync(data, { recursive: true, force: true });
    before();
    first.push(await timeStart(cwd, data, ...command));
    again.push(await timeStart(cwd, data, ...command));
  }
  return { first: computeMedian(first), again: computeMedian(again), size: measureFolder(data) };
};

const run = async (place: string, { rounds, out }: Options): Promise<void> => {
  const [checkout, release, home] = ['checkout', 'release', 'home'].map((name) => join(place, name)) as [
    string,
    string,
    string,
  ];
  const [began, busy] = [performance.now(), measureBusyTime()];
  time(place, 'git', 'clone', '--quiet', here, checkout);
  const installed = time(checkout, 'npm', 'ci', '--omit=dev', '--prefer-offline');
  const unbuild = (): void => rmSync(join(checkout, 'dist'), { recursive: true, force: true });
  const started = await timeStarts(checkout, rounds, unbuild, 'npm', 'start', '--silent');
  unbuild();
  const built = time(checkout, 'node', 'build.js');

  makeRelease(release);
  const file = readdirSync(release).find((name) => name.startsWith('muster-server'))!;
  mkdirSync(home);
  const unpacked = time(home, 'npm', 'install', '--prefer-offline', '--silent', join(release, file));
  const size = measureFolder(home);
  const program = join(home, 'node_modules/.bin/muster');
  const demo = await timeStarts(home, rounds, () => {}, program, 'serve', '--demo');

  const { folder } = buildImage(join(place, 'image'));
  const packed = execFileSync('sh', ['-c', 'tar --create . | gzip -6 | wc -c'], { cwd: folder, encoding: 'utf8' });
  const nodeSize = lstatSync(join(folder, nodePath)).size / 1e6;

  const load = (measureBusyTime() - busy) / 1e3 / (performance.now() - began);
  const rows: [string, number | undefined, number | undefined][] = [
    ['`npm ci --omit=dev`, from the cache of npm', installed, measureFolder(join(checkout, 'node_modules'))],
    ['the first `npm start`, until a request for contacts is answered; its data', started.first, started.size],
    ['of which: the build', built, measureFolder(join(checkout, 'dist'))],
    ['the next `npm start`', started.again, undefined],
    [`the release, \`${file}\``, undefined, lstatSync(join(release, file)).size / 1e6],
    ['`npm install` of it, with the embedded PostgreSQL', unpacked, size],
    ['the first `muster serve --demo` of it', demo.first, demo.size],
    ['the next one', demo.again, undefined],
    ['the image, as it is pulled (`gzip`)', undefined, Number(packed) / 1e6],
    [`the image, unpacked; Node is ${nodeSize.toFixed(0)} of it`, undefined, measureFolder(folder)],
  ];
  const text = [
    '## The first start',
    '',
    `\`npm run bench:start -- --rounds ${rounds}\` on ${new Date().toISOString().slice(0, 10)}: Node ${process.versions.node}, ${cpus().length} × ${cpus()[0]!.model.trim()}; everything on the machine used ${load.toFixed(1)} of them.`,
    'A fresh clone, and the demo in a new database; medians of the starts. Sizes are the bytes of all files, in millions. `npm run tour` prints the seconds of each stop of a first visit.',
    '',
    '| Step | seconds | MB |',
    '| --- | ---: | ---: |',
    ...rows.map(
      (row) => `| ${row.map((cell) => (typeof cell === 'number' ? cell.toFixed(1) : (cell ?? ''))).join(' | ')} |`,
    ),
  ].join('\n');
  printSection('start', text, out);
};

await runProgram<Options>(program, async (options) => {
  const place = mkdtempSync(join(tmpdir(), 'muster-bench-start-'));
  // The embedded PostgreSQL runs as another user when root starts it.
  chmodSync(place, 0o711);
  try {
    await run(place, options);
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
});
