// muster app create | list | token | delete: manages the apps of a space.
import { Command, InvalidArgumentError, Option } from 'commander';
import {
  type AppContent,
  createApp,
  createAppToken,
  deleteApp,
  listApps,
  managingOperator,
  usualShare,
} from '../data/access/app.ts';
import { grantablePermissions, tokenScopes } from '../permissions/permissions.ts';
import { parseId, parseName, parseWholeNumber } from './arguments.ts';
import { withSpace, writeInSpace } from './database-url.ts';
import { formatMinute, printRows } from './table.ts';
import { parseExpiry } from './token.ts';

/** Reads names of permissions, separated by commas. */
const parsePermissions = (text: string): string[] => {
  const named = text.split(',').map((name) => name.trim());
  const known: readonly string[] = grantablePermissions;
  const unknown = named.filter((name) => !known.includes(name));
  if (unknown.length > 0)
    throw new InvalidArgumentError(`${unknown.join(', ')}: an app can have ${grantablePermissions.join(', ')}`);
  return named;
};

export const createCommand = (): Command => {
  const command = new Command('app')
    .description('Apps of a space, programs that call as themselves: create, list, token, delete.')
    .helpCommand(false);
  const addSubcommand = (name: string, description: string): Command =>
    command.command(name).description(description).requiredOption('--space <id>', 'the space', parseId);
  const expiry = [
    '--expires <when>',
    'when the token ends: a duration (30d, 12h, 15m) or a date-time (2027-01-31T00:00:00Z) (default: never)',
    parseExpiry,
  ] as const;
  addSubcommand(
    'create',
    'Create an app and print only its token. Muster stores its digest alone and cannot print it again.',
  )
    .requiredOption('--name <text>', 'its name, which no other app of the space has', parseName)
    .requiredOption(
      '--permissions <names>',
      `what it may do, separated by commas: ${grantablePermissions.join(', ')}`,
      parsePermissions,
    )
    .addOption(new Option('--scope <scope>', 'what its access tokens may do').choices(tokenScopes).default('admin'))
    .option(
      '--share <percent>',
      'the part of the bucket of the space that it can use, 1 to 100',
      parseWholeNumber(1, 100),
      usualShare,
    )
    .option(...expiry)
    .action(async ({ space: id, expires, ...content }: AppContent & { space: number; expires?: string }) => {
      const { token } = await writeInSpace(
        id,
        'createApp',
        (tx) => createApp(tx, { ...content, expiresAt: expires ?? null }, managingOperator),
        (created) => ({ type: 'App', ids: [created.app.id] }),
      );
      console.log(token);
    });
  addSubcommand('list', 'List the apps of a space.')
    .option('--json', 'print one JSON object per line')
    .action(async ({ space, json }: { space: number; json?: boolean }) => {
      printRows(
        await withSpace(space, listApps),
        {
          ID: ({ id }) => id,
          NAME: ({ name }) => name,
          SCOPE: ({ scope }) => scope,
          SHARE: ({ share }) => `${share} %`,
          PERMISSIONS: ({ permissions }) => permissions.join(','),
          CREATED: ({ created_at }) => formatMinute(created_at),
        },
        json,
      );
    });
  addSubcommand(
    'token',
    'Create another token of an app and print only the token. "muster token revoke" ends the old one.',
  )
    .requiredOption('--app <id>', 'id of the app, as listed', parseId)
    .option('--label <text>', 'what it is for', parseName)
    .option(...expiry)
    .action(
      async ({ space: id, app, label, expires }: { space: number; app: number; label?: string; expires?: string }) => {
        const { token } = await writeInSpace(
          id,
          'createAppToken',
          (tx) => createAppToken(tx, app, { label, expiresAt: expires }, managingOperator),
          ({ row }) => ({ type: 'AccessToken', ids: [row.id] }),
        );
        console.log(token);
      },
    );
  addSubcommand('delete', 'Delete an app and revoke its tokens. What it wrote stays.')
    .requiredOption('--app <id>', 'id of the app, as listed', parseId)
    .action(async ({ space: id, app }: { space: number; app: number }) => {
      await writeInSpace(
        id,
        'deleteApp',
        (tx) => deleteApp(tx, app, managingOperator),
        (deleted) => ({ type: 'App', ids: [deleted] }),
      );
      console.log(`app ${app} deleted`);
    });
  return command;
};
