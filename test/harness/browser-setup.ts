// Starts one Chromium for all files that drive a browser.
import type { TestProject } from 'vitest/node';
import { hasBrowser, launchSharedBrowser } from './browser.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    browserUrl: string;
  }
}

export default async function setup(project: TestProject): Promise<(() => Promise<void>) | undefined> {
  if (!hasBrowser) return undefined;
  const browser = await launchSharedBrowser();
  project.provide('browserUrl', browser.wsEndpoint());
  return () => browser.close();
}
