// muster user confirm
import { Command } from 'commander';
import { readConfig } from '../config.ts';
import { confirmAccountMail } from '../data/account.ts';
import { Database } from '../database/database.ts';
import { parseWholeNumber } from './arguments.ts';
import { findDatabaseUrl } from './database-url.ts';

export const createUserCommand = (): Command => {
  const command = new Command('user').description('Users: confirm that a mail is theirs.').helpCommand(false);
  command
    .command('confirm')
    .description(
      'Confirm that the mail of a user is theirs. After a user changes their mail, they cannot accept invitations until this is done: make sure first that they read what is sent to it.',
    )
    .argument('<id>', 'id of the user', parseWholeNumber(0, Number.MAX_SAFE_INTEGER))
    .option('--mail <mail>', 'the mail that was checked; nothing is done if they have changed it since')
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
  return command;
};
