// muster member add | invite | role | remove: manages the members of a space.
import { Command } from 'commander';
import { readConfig } from '../config/config.ts';
import { type AccountContent, ensureOwnerOfMail } from '../data/access/account.ts';
import { formatInvitationLink, inviteUsers } from '../data/access/invitation.ts';
import { addMember, changeMemberRole, removeMember } from '../data/access/member.ts';
import { listRoles, type RoleRow } from '../data/access/role.ts';
import type { UserRow } from '../data/access/user.ts';
import type { AuditedRecords } from '../data/noun/audit.ts';
import { operator } from '../data/noun/reach.ts';
import type { Space } from '../database/space.ts';
import { parseId, parseMail, parseName } from './arguments.ts';
import { writeInSpace } from './database-url.ts';
import { describeAccount } from './setup.ts';
import { escapeForTerminal } from './table.ts';

const describeRole = ({ id, name, type }: RoleRow): string => `${id} ${escapeForTerminal(name)} (${type})`;

/** The role that a text means: an id, a name without regard to case, or a type. Throws when it means none, or several. */
const findRole = async (space: Space, text: string): Promise<RoleRow> => {
  const roles = await listRoles(space);
  const fold = (name: string): string => name.trim().toLowerCase();
  const readings = [
    roles.filter(({ id }) => String(id) === text),
    roles.filter(({ name }) => fold(name) === fold(text)),
    roles.filter(({ type }) => type === fold(text)),
  ];
  const found = readings.find(({ length }) => length > 0) ?? [];
  if (found.length === 1) return found[0]!;
  const what =
    found.length === 0 ? `There is no role ${text}` : `${found.length} roles are called ${text}: give the id`;
  throw new Error(
    `${what}. The roles of the space: ${(found.length === 0 ? roles : found).map(describeRole).join(', ')}`,
  );
};

const describeMember = ({ id, mail, role }: UserRow, space: Space): string =>
  `user ${id} (${escapeForTerminal(mail)}) is a member of space ${space.id}, as ${escapeForTerminal(role.name)}`;

interface AddOptions extends Partial<Record<'mail' | 'firstName' | 'lastName', string>> {
  space: number;
  role: string;
  user?: number;
}

/** Adds a user by id, or the account of a mail, which is created when there is none: both or nothing. */
const addUser = async (tx: Space, { role, user, mail, firstName, lastName }: AddOptions) => {
  const { id: roleId } = await findRole(tx, role);
  const content: AccountContent = { mail: mail ?? '', firstName: firstName ?? null, lastName: lastName ?? null };
  const account = user === undefined ? await ensureOwnerOfMail(tx, content) : undefined;
  const added = await addMember(tx, { userId: account?.id ?? user!, roleId }, operator);
  return { id: added.id, lines: [...(account ? [describeAccount(account)] : []), describeMember(added, tx)] };
};

const describeUser = ({ id, unchanged = false }: { id: number; unchanged?: boolean }): AuditedRecords => ({
  type: 'User',
  ids: unchanged ? [] : [id],
});

export const createCommand = (): Command => {
  const command = new Command('member')
    .description('Members of a space: add, invite, role, remove.')
    .helpCommand(false);
  const addSubcommand = (name: string, description: string): Command =>
    command.command(name).description(description).requiredOption('--space <id>', 'the space', parseId);
  addSubcommand('add', 'Make a user a member of a space. An account of the mail is created when there is none.')
    .option('--mail <mail>', 'mail of the user', parseMail)
    .option('--user <id>', 'or the id of the user', parseId)
    .option('--role <role>', 'id, name or type of the role', 'user')
    .option('--first-name <name>', 'first name of a new account', parseName)
    .option('--last-name <name>', 'last name of a new account', parseName)
    .action(async (options: AddOptions, self: Command) => {
      if ((options.mail === undefined) === (options.user === undefined))
        self.error('error: give either --mail or --user');
      const { lines } = await writeInSpace(options.space, 'addMember', (tx) => addUser(tx, options), describeUser);
      console.log(lines.join('\n'));
    });
  addSubcommand('invite', 'Invite a person to a space. Prints the secret of the invitation: send it to them.')
    .requiredOption('--mail <mail>', 'mail of the person', parseMail)
    .option('--role <role>', 'id, name or type of the role', 'user')
    .addHelpText(
      'after',
      '\nWith INVITATION_URL it prints a link. The secret works once, for INVITATION_DAYS days; inviting again makes a new one.',
    )
    .action(async ({ space: id, mail, role }: { space: number; mail: string; role: string }) => {
      const { INVITATION_DAYS: days, INVITATION_URL: url } = readConfig();
      const [sent] = await writeInSpace(
        id,
        'inviteUsers',
        async (tx) => {
          const { id: roleId } = await findRole(tx, role);
          return inviteUsers(tx, { invitations: [{ email: mail, roleId }], days, sendsToWebhooks: true }, operator);
        },
        (invited) => ({ type: 'Invitation', ids: invited.map(({ invitation }) => invitation.id) }),
      );
      console.log(formatInvitationLink(sent!.secret, url) ?? sent!.secret);
    });
  addSubcommand('role', 'Give a member another role.')
    .requiredOption('--user <id>', 'id of the user', parseId)
    .requiredOption('--role <role>', 'id, name or type of the role')
    .action(async ({ space: id, user, role }: { space: number; user: number; role: string }) => {
      const changed = await writeInSpace(
        id,
        'changeMemberRole',
        async (tx) => {
          const { id: roleId } = await findRole(tx, role);
          const member = await changeMemberRole(tx, { userId: user, roleId }, operator);
          return { ...member, line: describeMember(member, tx) };
        },
        describeUser,
      );
      console.log(changed.line);
    });
  addSubcommand('remove', 'Remove a user from a space and its teams, with their tokens for it. The account stays.')
    .requiredOption('--user <id>', 'id of the user', parseId)
    .action(async ({ space: id, user }: { space: number; user: number }) => {
      await writeInSpace(
        id,
        'removeMember',
        (tx) => removeMember(tx, user, operator),
        (removed) => describeUser({ id: removed }),
      );
      console.log(`user ${user} is no longer a member of space ${id}`);
    });
  return command;
};
