// THE table of permissions: which operations and types each one opens, and the least role that has it. Operations in no permission are open to nobody.
// The check of each root field, the directives of the SDL, the documentation and the tests derive from it. It begins with the types of roles, and how far each reaches (spec §2.5).

export const roleTypes = ['superadmin', 'admin', 'manager', 'user', 'custom'] as const;
export type RoleType = (typeof roleTypes)[number];

/** How far a type of role reaches; a custom role reaches as far as a user's. */
const reach: Record<RoleType, number> = { superadmin: 4, admin: 3, manager: 2, user: 1, custom: 1 };

/** Whether the role type `held` permits everything that `needed` permits. */
export const isAtLeast = (held: RoleType, needed: RoleType): boolean => reach[held] >= reach[needed];

/** A type of role with its article: `an admin`. */
export const nameRoleType = (type: RoleType): string => `${type === 'admin' ? 'an' : 'a'} ${type}`;

/** The same at the beginning of a sentence. */
export const beginWithRoleType = (type: RoleType): string => `${type === 'admin' ? 'An' : 'A'} ${type}`;

/** The role types that reach no further than `held`. */
export const listTypesWithin = (held: RoleType): RoleType[] => roleTypes.filter((type) => isAtLeast(held, type));

/** How far a token reaches, whatever the role of its user. */
export const tokenScopes = ['read', 'write', 'admin'] as const;
export type TokenScope = (typeof tokenScopes)[number];

interface Permission {
  description: string;
  /** The least type of role that has it. */
  role: Exclude<RoleType, 'custom'>;
  /** Every user has it, those with a custom role too; an app, if it only reads. */
  own?: true;
  /** Not for custom roles, and not for apps: whoever has it could give themselves more. */
  guarded?: true;
  writes: boolean;
  /** Root fields. */
  operations: readonly string[];
  /** Types whose records it opens, wherever a document selects them. */
  types: readonly string[];
}

/** The root fields that read one record of each of these types, and their lists. */
const listReads = (...types: string[]): string[] =>
  types.flatMap((type) => {
    const one = type[0]!.toLowerCase() + type.slice(1);
    return [one, one.endsWith('s') ? `${one}es` : `${one.replace(/y$/, 'ie')}s`];
  });
const listWrites = (...types: string[]): string[] =>
  types.flatMap((type) => [`create${type}`, `update${type}`, `delete${type}`]);

const definePermission =
  (writes: boolean) =>
  (
    role: Permission['role'],
    description: string,
    operations: readonly string[],
    types: readonly string[] = [],
    bounds: Pick<Permission, 'own' | 'guarded'> = {},
  ): Permission => ({ role, description, writes, operations, types, ...bounds });
const reading = definePermission(false);
const writing = definePermission(true);

export const permissions = {
  'self.read': reading(
    'user',
    'The caller and their profile, their space and its bucket',
    ['viewer', 'rateLimit', 'node', 'nodes', 'user', 'tokens', 'accessToken'],
    ['Space', 'AccessToken'],
    { own: true },
  ),
  'self.write': writing(
    'user',
    'The own profile and tokens, invitations to the caller, leaving the space',
    ['updateUser', 'createToken', 'revokeToken', 'acceptInvitation', 'removeMember'],
    [],
    { own: true },
  ),
  'changes.read': reading('user', 'The change feed, with the changes of what the caller may read', [
    'changes',
    'contactChanged',
    'segmentChanged',
  ]),
  'contacts.read': reading(
    'user',
    'Contacts with what is noted on them: search, segments, notes, interactions, tags, actions, forms and answers',
    [
      'contact',
      'contactBy',
      'contacts',
      'searchContacts',
      'searchContactsByTree',
      'explainSearch',
      'searchAttributes',
      'contactFacets',
      'duplicateContacts',
      ...listReads('ConsentChange'),
      'contactChange',
      'contactChangeProgressed',
      ...listReads('Note', 'Interaction'),
      'file',
      ...listReads('Tag', 'Action', 'Answer', 'Form'),
      'formList',
      'formOption',
      ...listReads('Segment'),
    ],
    [
      'Contact',
      'ConsentChange',
      'ContactChange',
      'Note',
      'Interaction',
      'File',
      'Tag',
      'Action',
      'Answer',
      'Form',
      'FormOption',
      'Segment',
    ],
  ),
  'notes.write': writing('user', 'Notes, and interactions with their files', [
    ...listWrites('Note', 'Interaction'),
    'addFile',
    'deleteFile',
  ]),
  'contacts.write': writing('manager', 'Contacts with their addresses, answers, tags and actions', [
    'createContact',
    'updateContact',
    'deleteContact',
    'restoreContact',
    'mergeContacts',
    'undoContactMerge',
    'keepContactsApart',
    'releaseContacts',
    'upsertContact',
    'upsertContacts',
    'tagContacts',
    'untagContacts',
    'linkAction',
    'unlinkAction',
    'changeContacts',
    'cancelContactChange',
    'undoContactChange',
  ]),
  'contacts.export': reading('admin', 'Files of all contacts that a search finds', []),
  'tags.write': writing('manager', 'The tags and actions that contacts can have', listWrites('Tag', 'Action')),
  'segments.write': writing('manager', 'Saved segments', listWrites('Segment')),
  'money.read': reading(
    'user',
    'Donations, memberships, transactions, their prices and statuses',
    [
      ...listReads('Donation', 'Membership', 'Transaction', 'DonationPrice'),
      'donationPricesPage',
      'membershipPrice',
      ...listReads('MembershipPriceGroup'),
      'membershipPriceGroupsPage',
      ...listReads('TransactionStatus'),
      'transactionStatusesPage',
    ],
    [
      'Donation',
      'Membership',
      'Transaction',
      'DonationPrice',
      'MembershipPrice',
      'MembershipPriceGroup',
      'TransactionStatus',
    ],
  ),
  'money.write': writing('manager', 'Donations, memberships and transactions', [
    ...listWrites('Donation', 'Membership', 'Transaction'),
    'createPayment',
  ]),
  'sanctions.read': reading('user', 'Sanctions', ['sanction', 'sanctions'], ['Sanction']),
  'sanctions.write': writing('manager', 'Sanctions', listWrites('Sanction')),
  'emails.read': reading('user', 'What was mailed to contacts, and what became of it', ['email', 'emails'], ['Email']),
  'campaigns.read': reading('manager', 'Campaigns and their templates', listReads('Campaign', 'Template'), [
    'Campaign',
    'Template',
  ]),
  'campaigns.write': writing('manager', 'Campaigns, their templates, and what was mailed', [
    ...listWrites('Campaign', 'Template'),
    'recordEmails',
    'recordEmailEvents',
  ]),
  'people.read': reading(
    'user',
    'The users of the space, their roles and teams',
    ['users', 'usersPage', 'role', 'roles', 'team', 'teams', 'teamsPage'],
    ['User', 'Role', 'Team'],
  ),
  'teams.write': writing('manager', 'Teams and who is in them', ['createTeam', 'replaceTeam', 'deleteTeam']),
  'invitations.read': reading(
    'manager',
    'Invitations to the space',
    ['invitation', 'invitationList', 'invitations'],
    ['Invitation'],
  ),
  'members.write': writing(
    'admin',
    'Invitations to the space, roles, and who has which',
    ['inviteUsers', 'deleteInvitation', 'changeMemberRole', 'createRole', 'updateRole'],
    [],
    { guarded: true },
  ),
  apps: writing(
    'admin',
    'Apps with their tokens, and what each caller spends of the bucket',
    [...listReads('App'), ...listWrites('App'), 'createAppToken', 'spaceUsage'],
    ['App'],
    { guarded: true },
  ),
  'audit.read': reading('admin', 'Who wrote what, and when', ['auditLine', 'auditLog'], ['AuditLine'], {
    guarded: true,
  }),
  webhooks: writing(
    'admin',
    'Sending changes to other systems, and what was sent',
    [
      ...listReads('Webhook', 'WebhookDelivery'),
      ...listWrites('Webhook'),
      'rotateWebhookSecret',
      'testWebhook',
      'replayWebhookDeliveries',
    ],
    ['Webhook', 'WebhookDelivery'],
    { guarded: true },
  ),
  suppressions: writing(
    'admin',
    'Opt-outs that outlive their contact, and erasing them',
    ['suppression', 'suppressions', 'eraseSuppression'],
    ['Suppression'],
    { guarded: true },
  ),
  'person.erase': writing(
    'superadmin',
    'Exporting all that the space holds of one person, and erasing it',
    ['personExport', 'erasePerson'],
    [],
    { guarded: true },
  ),
  'settings.write': writing(
    'admin',
    'Forms, prices and statuses',
    listWrites('Form', 'DonationPrice', 'MembershipPrice', 'MembershipPriceGroup', 'TransactionStatus'),
  ),
  'imports.read': reading('admin', 'Imports and their reports', ['import', 'imports', 'importProgressed'], ['Import']),
  'imports.write': writing('admin', 'Importing many contacts at once, and undoing that', [
    'importContacts',
    'undoImport',
  ]),
} satisfies Record<string, Permission>;
export type PermissionName = keyof typeof permissions;
export const permissionNames = Object.keys(permissions) as PermissionName[];

/** The permissions of a custom role that names none. */
export const usualCustomPermissions: readonly PermissionName[] = ['contacts.read'];
/** The permissions that a custom role can name, or an app. */
export const grantablePermissions = permissionNames.filter(
  (name) => !permissions[name].guarded && !permissions[name].own,
);

const indexBy = (list: (permission: Permission) => readonly string[]): ReadonlyMap<string, PermissionName> =>
  new Map(permissionNames.flatMap((name) => list(permissions[name]).map((key) => [key, name] as const)));
const byOperation = indexBy(({ operations }) => operations);
const byType = indexBy(({ types }) => types);

/** The permission of a root field. Throws for one that is in no permission. */
export const getOperationPermission = (operation: string): PermissionName => {
  const found = byOperation.get(operation);
  if (!found) throw new Error(`${operation} is in no permission: add it to src/permissions/permissions.ts`);
  return found;
};
/** The permission of a type; undefined for a part of other records. */
export const findTypePermission = (type: string): PermissionName | undefined => byType.get(type);

/** The permissions of conditions in searches, by the first part of an attribute's name: `donations.amount`. Other attributes are of the contact itself. */
export const familyPermissions: Readonly<Partial<Record<string, PermissionName>>> = {
  transactions: 'money.read',
  donations: 'money.read',
  memberships: 'money.read',
  emails: 'emails.read',
  sanctions: 'sanctions.read',
};

/** The least scope of a token for it. */
export const getScope = (name: PermissionName): TokenScope => {
  const { role, writes } = permissions[name];
  if (isAtLeast(role, 'admin')) return 'admin';
  return writes ? 'write' : 'read';
};
