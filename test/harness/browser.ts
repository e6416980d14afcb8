// A headless Chromium: where it is, and how it starts.
import { existsSync } from 'node:fs';
import { type Browser, type BrowserServer, chromium } from 'playwright-core';

const executablePath = process.env.CHROMIUM_PATH ?? '/usr/bin/chromium';

/** Whether there is a browser. Without one, tests in a browser are skipped, and say so. */
export const hasBrowser = existsSync(executablePath);
if (!hasBrowser) console.warn(`Skipped: tests in a browser, as there is no ${executablePath} (set CHROMIUM_PATH)`);

const quiet = [
  'disable-gpu',
  'disable-quic',
  'no-first-run',
  'disable-background-networking',
  'disable-component-update',
  'disable-sync',
];

const args = [...quiet, ...(process.getuid?.() === 0 ? ['no-sandbox'] : [])].map((flag) => `--${flag}`);

export const browserOptions = { executablePath, args };
export const launchBrowser = (): Promise<Browser> => chromium.launch(browserOptions);
/** One that other processes connect to. */
export const launchSharedBrowser = (): Promise<BrowserServer> => chromium.launchServer(browserOptions);
