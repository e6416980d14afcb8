// muster token create | list | revoke: manages access tokens.
import { Command, InvalidArgumentError } from 'commander';
import { parseDateTime } from '../../schema/time.ts';
import { readConfig } from '../config.ts';
import { listTokens, revokeToken } from '../database/access-token.ts';
import { Database } from '../database/database.ts';
import { createAccessToken } from '../gate/token.ts';
import { parseWholeNumber } from './arguments.ts';
import { findDatabaseUrl } from './database-url.ts';

const id = parseWholeNumber(0, Number.MAX_SAFE_INTEGER);
const units = { m: 60, h: 3600, d: 86_400 } as const;

/** Reads an expiry: a duration from now (`30d`, `12h`, `15m`), or a date-time of RFC 3339. */
const parseExpiry = (text: string): string => {
  const duration = /^(\d{1,6})([mhd])$/.exec(text);
  const instant = duration
    ? new Date(Date.now() + Number(duration[1]) * units[duration[2] as keyof typeof units] * 1000).toISOString()
    : parseDateTime(text);
  if (!instant)
    throw new InvalidArgumentError(
      'must be a duration such as 30d, 12h or 15m, or a date-time such as 2027-01-31T00:00:00Z',
    );
  if (Date.parse(instant) <= Date.now()) throw new InvalidArgumentError('is in the past');
  return instant;
};

const withDatabase = async <Result>(work: (database: Database) => Promise<Result>): Promise<Result> => {
  const database = new Database(await findDatabaseUrl(readConfig()), { poolSize: 1 });
  try {
    return await work(database);
  } finally {
    await database.close();
  }
};

export const createTokenCommand = (): Command => {
  const command = new Command('token').description('Access tokens: create, list, revoke.').helpCommand(false);
  command
    .command('create')
    .description('Create a token and print only the token. Muster stores its digest alone and cannot print it again.')
    .requiredOption('--space <id>', 'the space it acts in', id)
    .requiredOption('--user <id>', 'the user it belongs to, a member of that space', id)
    .option(
      '--expires <when>',
      'a duration (30d, 12h, 15m) or a date-time (2027-01-31T00:00:00Z) (default: never)',
      parseExpiry,
    )
    .action(async ({ space, user, expires }: { space: number; user: number; expires?: string }) => {
      console.log(await withDatabase((database) => createAccessToken(database, space, user, expires ?? null)));
    });
  command
    .command('list')
    .description('List tokens with their user, last use and state.')
    .option('--space <id>', 'only those of this space', id)
    .option('--json', 'print one JSON object per line')
    .action(async ({ space, json }: { space?: number; json?: boolean }) => {
      const tokens = await withDatabase(({ knex }) => listTokens(knex, space));
      if (json) for (const token of tokens) console.log(JSON.stringify(token));
      else console.table(Object.fromEntries(tokens.map(({ id: key, ...rest }) => [key, rest])));
    });
  command
    .command('revoke')
    .description('Revoke a token. The next request with it is refused.')
    .argument('<id>', 'id of the token, as listed', id)
    .action(async (token: number) => {
      if (!(await withDatabase(({ knex }) => revokeToken(knex, token))))
        throw new Error(`There is no valid token ${token}`);
      console.log(`token ${token} revoked`);
    });
  return command;
};
