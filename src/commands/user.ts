// muster user confirm | link | unlink: confirms the mail address of a user, and says who they are at the identity provider.
import { Command } from 'commander';
import { readConfig } from '../config.ts';
import { confirmAccountMail } from '../data/account.ts';
import { Database } from '../database/database.ts';
import { parseWholeNumber } from './arguments.ts';
import { findDatabaseUrl } from './database-url.ts';
import { createLinkCommand, createUnlinkCommand } from './user-link.ts';

export const createUserCommand = (): Command => {
  const command = new Command('user')
    .description('Users: confirm a mail address, link a person of the identity provider.')
    .helpCommand(false);
  command
    .command('confirm')
    .description(
      'Confirm that a user owns their mail address. A user who changes it cannot accept invitations until then. First make sure that they receive mail there.',
    )
    .argument('<id>', 'id of the user', parseWholeNumber(0, Number.MAX_SAFE_INTEGER))
    .option('--mail <mail>', 'the mail address that was checked; the command fails when the user has changed it since')
    .action(async (id: number, { mail }: { mail?: string }) => {
      const database = new Database(await findDatabaseUrl(readConfig()), { poolSize: 1 });
      try {
        const confirmed = await confirmAccountMail(database.knex, id, mail);
        if (confirmed === undefined) throw new Error(`There is no user ${id}${mail ? ` with the mail ${mail}` : ''}`);
        console.log(`${confirmed} is the mail of user ${id}: confirmed`);
      } finally {
        await database.close();
      }
    });
  command.addCommand(createLinkCommand());
  command.addCommand(createUnlinkCommand());
  return command;
};
