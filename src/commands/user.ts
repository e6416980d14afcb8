// muster user create | list | confirm | link | unlink: manages accounts.
import { Command } from 'commander';
import { confirmAccountMail, ensureAccount, listAccounts } from '../data/access/account.ts';
import { parseId, parseMail, parseName } from './arguments.ts';
import { withDatabase } from './database-url.ts';
import { describeAccount } from './setup.ts';
import { printRows } from './table.ts';
import { createLinkCommand, createUnlinkCommand } from './user-link.ts';

export const createUserCommand = (): Command => {
  const command = new Command('user')
    .description('Users: create, list, confirm a mail address, link a person of the identity provider.')
    .helpCommand(false);
  command
    .command('create')
    .description('Create an account, which is in no space yet. An account that has the mail already stays as it is.')
    .requiredOption('--mail <mail>', 'mail of the user', parseMail)
    .option('--first-name <name>', 'first name', parseName)
    .option('--last-name <name>', 'last name', parseName)
    .action(async ({ mail, firstName = null, lastName = null }) => {
      console.log(
        describeAccount(await withDatabase(({ readers }) => ensureAccount(readers, { mail, firstName, lastName }))),
      );
    });
  command
    .command('list')
    .description('List users with the spaces that they are in.')
    .option('--space <id>', 'only the members of this space, with their roles', parseId)
    .option('--json', 'print one JSON object per line')
    .action(async ({ space, json }: { space?: number; json?: boolean }) => {
      const users = await withDatabase(({ readers }) => listAccounts(readers, space ?? null));
      printRows(
        users,
        {
          USER: ({ id }) => id,
          MAIL: ({ mail }) => mail,
          NAME: ({ firstName, lastName }) => [firstName, lastName].filter(Boolean).join(' '),
          CONFIRMED: ({ mailConfirmed }) => (mailConfirmed ? 'yes' : 'no'),
          SPACES: ({ spaces }) => spaces.join(' '),
          ...(space !== undefined && { ROLE: ({ role }: (typeof users)[number]) => role }),
        },
        json,
      );
    });
  command
    .command('confirm')
    .description(
      'Confirm that a user owns their mail address. A user who changes it, or who joined by the secret of an invitation, cannot accept invitations until then. First make sure that they receive mail there.',
    )
    .argument('<id>', 'id of the user', parseId)
    .option('--mail <mail>', 'the mail address that was checked; the command fails when the user has changed it since')
    .action(async (id: number, { mail }: { mail?: string }) => {
      const confirmed = await withDatabase(({ readers }) => confirmAccountMail(readers, id, mail));
      if (confirmed === undefined) throw new Error(`There is no user ${id}${mail ? ` with the mail ${mail}` : ''}`);
      console.log(`${confirmed} is the mail of user ${id}: confirmed`);
    });
  command.addCommand(createLinkCommand());
  command.addCommand(createUnlinkCommand());
  return command;
};
