// muster user link | unlink: which person of the identity provider a user is.

import { Command, InvalidArgumentError } from 'commander';
import { readConfig } from '../config/config.ts';
import { linkAccount, unlinkAccount } from '../data/access/account.ts';
import { Problem } from '../problem.ts';
import { parseId } from './arguments.ts';
import { withDatabase } from './database-url.ts';

const parseSubject = (text: string): string => {
  if (/^[\x20-\x7e]{1,255}$/.test(text) && text.trim() !== '') return text;
  throw new InvalidArgumentError('must be 1 to 255 characters of ASCII');
};

export const createLinkCommand = (): Command =>
  new Command('link')
    .description(
      'Store which person of the identity provider a user is. From then on the subject decides, not the mail.',
    )
    .argument('<id>', 'id of the user', parseId)
    .requiredOption('--subject <sub>', 'the person at the provider: `sub` in their tokens', parseSubject)
    .option('--issuer <url>', 'the provider (default: OIDC_ISSUER)')
    .action(
      async (id: number, { subject, issuer = readConfig().OIDC_ISSUER }: { subject: string; issuer?: string }) => {
        if (!issuer) throw new Error('Set OIDC_ISSUER, or name the provider with --issuer');
        const mail = await withDatabase(({ readers }) => linkAccount(readers, id, { issuer, subject })).catch(
          (error) => {
            const isTaken = error instanceof Problem && error.code === 'conflict';
            throw isTaken ? new Error(`Another user is already ${subject} at ${issuer}`) : error;
          },
        );
        if (mail === undefined)
          throw new Error(
            `There is no user ${id} without another person: muster user unlink ${id} forgets the one before`,
          );
        console.log(`user ${id} (${mail}) is ${subject} at ${issuer}`);
      },
    );

export const createUnlinkCommand = (): Command =>
  new Command('unlink')
    .description(
      'Forget which person of the identity provider a user is, and end the sessions of their tokens. Own tokens stay. Their next token with the verified mail of the user stores its person again.',
    )
    .argument('<id>', 'id of the user', parseId)
    .action(async (id: number) => {
      const mail = await withDatabase(({ readers }) => unlinkAccount(readers, id));
      if (mail === undefined) throw new Error(`There is no user ${id} with a person of an identity provider`);
      console.log(`user ${id} (${mail}) is nobody at an identity provider any more`);
    });
