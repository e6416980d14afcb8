// The access token of the demo's superadmin. The start that fills the demo creates it; no other start does.
import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { isValidToken } from '../database/access-token.ts';
import type { Database } from '../database/database.ts';
import { digestSecret, isSecretForm } from '../database/secret.ts';
import { createAccessToken } from '../gate/token.ts';
import { writePrivateFile } from './private-file.ts';

/** Its lifetime in days. */
export const demoTokenDays = 30;

/** The users of the demo whose tokens are created along: one of each other role. The treasurer has a custom role. */
const others = { admin: 2, manager: 4, treasurer: 7, user: 10 };

export const demoRoles = Object.keys(others);

/** The demo token as a start reports it. */
export interface DemoToken {
  /** The file that stores it. */
  file: string;
  works: boolean;
  /** The token itself. Only the start that created it has it. */
  made?: string;
}

const locateTokenFile = (dataDir: string): string => join(resolve(dataDir), 'demo-token');

/**
 * Creates the token. Only the start that has just seeded calls it. When that start dies before this call, the demo has no token, and later
 * starts create none: otherwise a start would restore access that somebody has revoked.
 */
export const createDemoToken = async (database: Database, dataDir: string): Promise<DemoToken> => {
  const expires = new Date(Date.now() + demoTokenDays * 86_400_000).toISOString();
  const created = await createAccessToken(database, 1, 1, expires);
  const file = locateTokenFile(dataDir);
  const write = (path: string, token: string) =>
    writePrivateFile(path, async (target) => void target.write(`${token}\n`));
  for (const [role, user] of Object.entries(others))
    await write(`${file}.${role}`, await createAccessToken(database, 1, user, expires));
  await write(file, created);
  return { file, works: true, made: created };
};

/** Reads the token that an earlier start created. */
export const findDemoToken = async (database: Database, dataDir: string): Promise<DemoToken> => {
  const file = locateTokenFile(dataDir);
  const stored = await readFile(file, 'utf8').then(
    (text) => text.trim(),
    () => '',
  );
  return { file, works: isSecretForm('token', stored) && (await isValidToken(database.readers, digestSecret(stored))) };
};
