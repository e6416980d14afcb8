// muster token create | list | revoke: manages access tokens.
import { Command, InvalidArgumentError, Option } from 'commander';
import { parseDateTime } from '../../schema/graph/scalars.ts';
import { issueToken, revokeIssuedToken } from '../data/access/token.ts';
import { type AuditedRecords, addAuditLines, describeCommand } from '../data/noun/audit.ts';
import { findSpaceOfToken, listTokens, type TokenRow } from '../database/access-token.ts';
import type { Space } from '../database/space.ts';
import { type TokenScope, tokenScopes } from '../permissions/permissions.ts';
import { parseId, parseName } from './arguments.ts';
import { withDatabase, writeInSpace } from './database-url.ts';
import { formatMinute, printRows } from './table.ts';

const units = { m: 60, h: 3600, d: 86_400 } as const;

/** Reads an expiry: a duration from now (`30d`, `12h`, `15m`), or a date-time of RFC 3339. */
export const parseExpiry = (text: string): string => {
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

/** A valid token that ends says when. */
const formatState = ({ state, expiresAt }: TokenRow): string =>
  state === 'valid' && expiresAt !== null ? `valid until ${formatMinute(expiresAt)}` : state;

const describeToken = ({ id }: { id: number }): AuditedRecords => ({ type: 'AccessToken', ids: [id] });

interface CreateOptions {
  space: number;
  user: number;
  label?: string;
  scope: TokenScope;
  expires?: string;
}

export const createCommand = (): Command => {
  const command = new Command('token').description('Access tokens: create, list, revoke.').helpCommand(false);
  command
    .command('create')
    .description('Create an access token and print it alone. Muster stores its digest alone and cannot print it again.')
    .requiredOption('--space <id>', 'the space it acts in', parseId)
    .requiredOption('--user <id>', 'the user it belongs to, a member of that space', parseId)
    .option('--label <text>', 'what it is for', parseName)
    .addOption(new Option('--scope <scope>', 'what it may do').choices(tokenScopes).default('admin'))
    .option(
      '--expires <when>',
      'a duration (30d, 12h, 15m) or a date-time (2027-01-31T00:00:00Z) (default: never)',
      parseExpiry,
    )
    .action(async ({ space, user, expires, ...content }: CreateOptions) => {
      const create = async (tx: Space) => {
        const issued = await issueToken(tx, { userId: user, expiresAt: expires ?? null, ...content });
        if (!issued) throw new Error(`User ${user} is not a member of space ${space}`);
        return issued;
      };
      const { token } = await writeInSpace(space, 'createToken', create, describeToken);
      console.log(token);
    });
  command
    .command('list')
    .description('List access tokens with their user or app, state and last use.')
    .option('--space <id>', 'only those of this space', parseId)
    .option('--json', 'print one JSON object per line')
    .action(async ({ space, json }: { space?: number; json?: boolean }) => {
      const tokens = await withDatabase(({ readers }) => listTokens(readers, space), space);
      printRows(
        tokens,
        {
          ID: ({ id }) => id,
          TOKEN: ({ prefix }) => `${prefix}…`,
          LABEL: ({ label }) => label,
          SCOPE: ({ scope }) => scope,
          SPACE: ({ groupId }) => groupId,
          USER: ({ mail, app }) => mail ?? `app ${app}`,
          STATE: formatState,
          'LAST USE': ({ lastUsedAt }) => formatMinute(lastUsedAt),
        },
        json,
      );
    });
  command
    .command('revoke')
    .description('Revoke an access token. The next request with it is refused.')
    .argument('<id>', 'id of the token, as listed', parseId)
    .action(async (id: number) => {
      await withDatabase(async (database) => {
        const missing = new Error(`There is no valid access token ${id}`);
        const space = await findSpaceOfToken(database.readers, id);
        if (space === undefined) throw missing;
        await database.space(space).transaction(async (tx) => {
          if (!(await revokeIssuedToken(tx, id))) throw missing;
          await addAuditLines(tx, describeCommand('revokeToken'), describeToken({ id }));
        });
      });
      console.log(`token ${id} revoked`);
    });
  return command;
};
