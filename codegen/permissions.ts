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
- **Users change their own profile.** Admins also change the profiles of users who are in their space alone, and whose role is not above theirs. Nobody gives a role above their own, or touches a member above them.
- **Invitations** can be renewed or taken back by members whose role is not below the offered one. An invitation opens the space only while its sender may still invite to the role; one by the operator always does.
  When the type of a role is raised, the secrets of invitations to it end.
- **Webhooks** have the rights that both their creator and their last editor have, at the time of each message. Users with fewer rights may not change, renew, test, replay or delete them.
- **Counts leave out what a caller may not read**: a merge counts the moved records without those, and the audit log and the log of deliveries show interactions for superadmins to superadmins alone.
- **Segments** with conditions that a caller may not search by cannot be changed or deleted by that caller.
- **Private teams** are visible to their members and to admins. For others they do not exist.
- **[Apps](operations.md#apps)** have the permissions that they name, of those that a custom role can name, and \`self.read\`; \`self.write\` is for users. Like a custom role, an app sees no private team, and changes only its own notes.

## Scopes of tokens

\`read\` reads, \`write\` reads and writes, \`admin\` does all that the role, or the app, may. Without the scope \`admin\`, a token can do at most what a manager's can.
In GraphQL, \`createToken\` and \`createApp\` require a scope. Commands give \`admin\` unless \`--scope\` says otherwise.

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
