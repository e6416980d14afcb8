// A tour of a new installation, as its first visitor takes it. Each stop is a page or a program; the exit code is 1 when one of them fails.
import { Command } from 'commander';
import { hasBrowser } from '../harness/browser.ts';
import { type Installation, installMuster, removeInstallation } from './installation.ts';
import { lastStop, ways } from './stops.ts';
import { closeBrowser } from './visitor.ts';

new Command('tour')
  .description(
    'Starts Muster as `npm start` does, with an empty home and data folder, and visits it in Chromium: the front page, the reference of REST, the segment builder, GraphiQL, the guide, the ' +
      'example app. Follows every link, looks for barriers with axe, and fails on any word on the console, refused request or request to another server. Chromium is expected in ' +
      '/usr/bin/chromium, or where CHROMIUM_PATH says. Exits with 1 when a stop fails.',
  )
  .parse();

if (!hasBrowser) {
  console.error('The tour needs Chromium.');
  process.exit(1);
}

const seconds = (since: number): string => `${((performance.now() - since) / 1000).toFixed(1)} s`;
let failures = 0;

/** Runs one stop, and prints how it went. */
const visit = async <Result>(name: string, run: () => Promise<Result>): Promise<Result | undefined> => {
  const began = performance.now();
  try {
    const result = await run();
    console.log(`✓ ${name}${typeof result === 'string' ? `: ${result}` : ''} (${seconds(began)})`);
    return result;
  } catch (error) {
    failures++;
    console.error(`✗ ${name} (${seconds(began)})\n${error instanceof Error ? (error.stack ?? error.message) : error}`);
    return undefined;
  }
};

try {
  const began = performance.now();
  let installation: Installation | undefined;
  await visit('npm start', async () => {
    installation = await installMuster();
    return installation.url;
  });
  const walk = async (stops: (typeof ways)[number]): Promise<void> => {
    if (installation) for (const [name, run] of stops) await visit(name, () => run(installation!));
  };
  await Promise.all(ways.map(walk));
  await walk([lastStop]);
  console.log(`${failures === 0 ? 'The tour is complete' : `${failures} stops failed`} (${seconds(began)})`);
} finally {
  await closeBrowser();
  await removeInstallation();
}
process.exitCode = failures === 0 ? 0 : 1;
