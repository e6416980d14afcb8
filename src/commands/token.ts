// muster token create | list | revoke
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

/** `30d`, `12h`, `15m` from now, or an instant of RFC 3339. */
const expiry = (text: string): string => {
  const span = /^(\d{1,6})([mhd])$/.exec(text);
  const instant = span
    ? new Date(Date.now() + Number(span[1]) * units[span[2] as keyof typeof units] * 1000).toISOString()
    : parseDateTime(text);
  if (!instant)
    throw new InvalidArgumentError(
      'must be a span such as 30d, 12h or 15m, or an instant such as 2027-01-31T00:00:00Z',
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
    .description('Print a new token, and nothing else. It is not stored and cannot be shown again.')
    .requiredOption('--space <id>', 'the space it acts in', id)
    .requiredOption('--user <id>', 'the user it belongs to, a member of that space', id)
    .option(
      '--expires <when>',
      'a span (30d, 12h, 15m) or an instant (2027-01-31T00:00:00Z); without it, never',
      expiry,
    )
    .action(async ({ space, user, expires }: { space: number; user: number; expires?: string }) => {
      console.log(await withDatabase((database) => createAccessToken(database, space, user, expires ?? null)));
    });
  command
    .command('list')
    .description('List tokens: whose they are, when they were last used, whether they still work.')
    .option('--space <id>', 'only those of this space', id)
    .option('--json', 'one JSON object a line')
    .action(async ({ space, json }: { space?: number; json?: boolean }) => {
      const tokens = await withDatabase(({ knex }) => listTokens(knex, space));
      if (json) for (const token of tokens) console.log(JSON.stringify(token));
      else console.table(Object.fromEntries(tokens.map(({ id: key, ...rest }) => [key, rest])));
    });
  command
    .command('revoke')
    .description('Revoke a token; the next request with it is refused.')
    .argument('<id>', 'id of the token, as listed', id)
    .action(async (token: number) => {
      if (!(await withDatabase(({ knex }) => revokeToken(knex, token))))
        throw new Error(`There is no token ${token} that still works`);
      console.log(`token ${token} revoked`);
    });
  return command;
};
