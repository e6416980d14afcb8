// muster user create | list | confirm | link | unlink: manages accounts, and which person of the identity provider a user is.
import { Command, InvalidArgumentError } from 'commander';
import { readConfig } from '../config/config.ts';
import { confirmAccountMail, ensureAccount, linkAccount, listAccounts, unlinkAccount } from '../data/access/account.ts';
import { Problem } from '../problem.ts';
import { parseId, parseMail, parseName } from './arguments.ts';
import { withDatabase } from './database-url.ts';
import { describeAccount } from './setup.ts';
import { printRows } from './table.ts';

const parseSubject = (text: string): string => {
  if (/^[\x20-\x7e]{1,255}$/.test(text) && text.trim() !== '') return text;
  throw new InvalidArgumentError('must be 1 to 255 characters of ASCII');
};

export const createCommand = (): Command => {
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
      const users = await withDatabase(({ readers }) => listAccounts(readers, space ?? null), space);
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
  command
    .command('link')
    .description(
      'Store which person of the identity provider a user is. From then on the subject decides, not the mail.',
    )
    .argument('<id>', 'id of the user', parseId)
    .requiredOption('--subject <sub>', 'the person at the provider: `sub` in their tokens', parseSubject)
    .option('--issuer <url>', 'the provider (default: OIDC_ISSUER)')
    .action(async (id: number, { subject, issuer: named }: { subject: string; issuer?: string }) => {
      const { OIDC_ISSUER } = readConfig();
      const issuer = named ?? OIDC_ISSUER;
      if (!issuer) throw new Error('Set OIDC_ISSUER, or name the provider with --issuer');
      if (OIDC_ISSUER && issuer !== OIDC_ISSUER)
        throw new Error(`${issuer} is not OIDC_ISSUER (${OIDC_ISSUER}), whose tokens alone are accepted`);
      if (!OIDC_ISSUER)
        console.error(`OIDC_ISSUER is not set here: make sure that the server has ${issuer} to the letter`);
      const mail = await withDatabase(({ readers }) => linkAccount(readers, id, { issuer, subject })).catch((error) => {
        const isTaken = error instanceof Problem && error.code === 'conflict';
        throw isTaken ? new Error(`Another user is already ${subject} at ${issuer}`) : error;
      });
      if (mail === undefined)
        throw new Error(
          `There is no user ${id} without another person: muster user unlink ${id} forgets the one before`,
        );
      console.log(`user ${id} (${mail}) is ${subject} at ${issuer}`);
    });
  command
    .command('unlink')
    .description(
      'Forget which person of the identity provider a user is, and end the sessions of their tokens. Own tokens stay. Their next token with the verified mail of the user stores its person again.',
    )
    .argument('<id>', 'id of the user', parseId)
    .action(async (id: number) => {
      const mail = await withDatabase(({ readers }) => unlinkAccount(readers, id));
      if (mail === undefined) throw new Error(`There is no user ${id} with a person of an identity provider`);
      console.log(`user ${id} (${mail}) is nobody at an identity provider any more`);
    });
  return command;
};
