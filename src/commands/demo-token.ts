// The token of the demo's superadmin: made once, by the start that fills the demo, and by nobody after that.
import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { isValidToken } from '../database/access-token.ts';
import type { Database } from '../database/database.ts';
import { createAccessToken, digestToken, isTokenForm } from '../gate/token.ts';
import { writePrivateFile } from './private-file.ts';

/** In days: how long it works. */
export const demoTokenDays = 30;

/** What a start may tell of it: where it is kept, whether it works, and the token itself where this start has made it. */
export interface DemoToken {
  file: string;
  works: boolean;
  made?: string;
}

const fileIn = (dataDir: string): string => join(resolve(dataDir), 'demo-token');

/**
 * For the start that has just seeded, and for no other. One that dies in between leaves a demo without a token, and none is
 * made up for: a start that makes tokens when it misses one would bring back what somebody has revoked.
 */
export const makeDemoToken = async (database: Database, dataDir: string): Promise<DemoToken> => {
  const expires = new Date(Date.now() + demoTokenDays * 86_400_000).toISOString();
  const made = await createAccessToken(database, 1, 1, expires);
  const file = fileIn(dataDir);
  await writePrivateFile(file, async (target) => void target.write(`${made}\n`));
  return { file, works: true, made };
};

/** What a later start finds of it. */
export const findDemoToken = async (database: Database, dataDir: string): Promise<DemoToken> => {
  const file = fileIn(dataDir);
  const kept = await readFile(file, 'utf8').then(
    (text) => text.trim(),
    () => '',
  );
  return { file, works: isTokenForm(kept) && (await isValidToken(database.knex, digestToken(kept))) };
};
