// The Chromium of the run. Each file has its own contexts in it, which are gone when it closes its connection.
import { type Browser, chromium } from 'playwright-core';
import { inject } from 'vitest';

export const connectBrowser = (): Promise<Browser> => chromium.connect(inject('browserUrl'));
