// Writes the page of the documentation that says who may do what.
import {
  getScope,
  grantablePermissions,
  isAtLeast,
  type PermissionName,
  permissionNames,
  permissions,
  roleTypes,
  usualCustomPermissions,
} from '../src/permissions/permissions.ts';
import { formatMarkdownTable, made } from './format.ts';

const fixedRoles = roleTypes.filter((type) => type !== 'custom').reverse();
const quote = (names: readonly string[]): string => names.map((name) => `\`${name}\``).join(', ');

const formatCustom = (name: PermissionName): string => {
  if (permissions[name].own) return 'yes';
  return grantablePermissions.includes(name) ? 'if named' : '';
};

export const writePermissionsPage = (): string => `# Permissions

${made}

Every operation belongs to one permission. A caller needs the permission and an access token whose scope reaches far enough; everybody else gets 403 (\`forbidden\`) before
anything is done. An operation that is in no permission is open to nobody.

## Roles

A member has one role in a space. Roles of the types \`user\`, \`manager\`, \`admin\` and \`superadmin\` have fixed permissions, each those of the types before it.
A role of the type \`custom\` has the permissions that it names, such as ${quote(['contacts.read', 'money.read', 'money.write'])} for a treasurer. Without such a list it has ${quote(usualCustomPermissions)}; with an empty one it has none.

${formatMarkdownTable(
  ['Permission', 'Opens', ...fixedRoles, 'custom', 'Scope'],
  permissionNames.map((name) => [
    `\`${name}\``,
    permissions[name].description,
    ...fixedRoles.map((role) => (isAtLeast(role, permissions[name].role) ? 'yes' : '')),
    formatCustom(name),
    `\`${getScope(name)}\``,
  ]),
)}

- **Records are protected wherever they are selected.** \`{ contact(id: "Contact:1") { donations { nodes { amount { amount } } } } }\` needs \`contacts.read\` and \`money.read\`. \`node\` and \`nodes\`
  return null for records that the caller may not see.
- **A search is a reader.** A condition on donations needs \`money.read\`: the contacts found would tell what the donations are.
- **Users change their own profile.** Admins change that of a user of their space alone whose role is not above theirs. Nobody gives a role above their own, or touches a member above them.
- **Invitations** are for those whose role is not below the one that is offered to renew or take back. They open the space only while the person who invited may still invite to the role; one by the operator always does.
  When the type of a role is raised, the secrets of invitations to it end.
- **Webhooks** have the rights that both their creator and their last editor have, at the time of each message. Who reaches less far may not change, renew, test, replay or delete them.
- **What a caller may not read is not counted for them**: a merge counts the records that move without those, and interactions for superadmins are missing for others in the audit log and in the log of deliveries too.
- **Segments** that ask for records which a caller may not read are not theirs to change or delete.
- **Private teams** are seen by their members and by admins. To others they are missing.
- **[Apps](operations.md#apps)** have the permissions that they name, of those that a custom role can name, and \`self.read\`; \`self.write\` is for users. Like a custom role, an app sees no private team, and changes only its own notes.

## Scopes of tokens

\`read\` reads, \`write\` reads and writes, \`admin\` does all that the role, or the app, may. Without the scope \`admin\`, a token reaches at most as far as that of a manager, whoever it belongs to.
Tokens have the scope \`admin\` unless they are created with another one.

## Legacy clients

A client of the REST paths that reads and writes contacts, notes, tags and teams works with the token of a manager. One that invites users or exports files needs the token of an admin.
Clients that only read can have a token of the scope \`read\`.

## Operations

${formatMarkdownTable(
  ['Permission', 'Root fields', 'Types'],
  permissionNames.map((name) => [
    `\`${name}\``,
    quote(permissions[name].operations.filter((operation) => !/(Page|List)$/.test(operation))),
    quote(permissions[name].types),
  ]),
)}
`;
