// THE table of permissions: which operations and types each one opens, and the least role that has it. Operations in no permission are open to nobody.
// The check of each root field, the directives of the SDL, the documentation and the tests derive from it. It begins with the types of roles, and how far each reaches (spec §2.5).

export const roleTypes = ['superadmin', 'admin', 'manager', 'user', 'custom'] as const;
export type RoleType = (typeof roleTypes)[number];

/** How far a type of role reaches; a custom role reaches as far as a user's. */
const reach: Record<RoleType, number> = { superadmin: 4, admin: 3, manager: 2, user: 1, custom: 1 };

/** Whether the role type `held` permits everything that `needed` permits. */
export const isAtLeast = (held: RoleType, needed: RoleType): boolean => reach[held] >= reach[needed];

/** The role types that reach no further than `held`. */
export const listTypesWithin = (held: RoleType): RoleType[] => roleTypes.filter((type) => isAtLeast(held, type));

/** How far a token reaches, whatever the role of its user. */
export const tokenScopes = ['read', 'write', 'admin'] as const;
export type TokenScope = (typeof tokenScopes)[number];

interface Permission {
  description: string;
  /** The least type of role that has it. */
  role: Exclude<RoleType, 'custom'>;
  /** Every caller has it, those with a custom role too. */
  own?: true;
  /** Not for custom roles: whoever has it could give themselves more. */
  guarded?: true;
  writes: boolean;
  /** Root fields. */
  operations: readonly string[];
  /** Types whose records it opens, wherever a document selects them. */
  types?: readonly string[];
}

/** The root fields that read one record of each of these types, and their lists. */
const listReads = (...types: string[]): string[] =>
  types.flatMap((type) => {
    const one = type[0]!.toLowerCase() + type.slice(1);
    return [one, one.endsWith('s') ? `${one}es` : `${one.replace(/y$/, 'ie')}s`];
  });
const listWrites = (...types: string[]): string[] =>
  types.flatMap((type) => [`create${type}`, `update${type}`, `delete${type}`]);

const definePermissions = <Name extends string>(table: Record<Name, Permission>): Record<Name, Permission> => table;
export const permissions = definePermissions({
  'self.read': {
    description: 'The caller and their profile, their space and its bucket',
    role: 'user',
    own: true,
    writes: false,
    operations: ['viewer', 'rateLimit', 'node', 'nodes', 'user', 'tokens', 'accessToken'],
    types: ['Space', 'AccessToken'],
  },
  'self.write': {
    description: 'The own profile and tokens, invitations to the caller, leaving the space',
    role: 'user',
    own: true,
    writes: true,
    operations: ['updateUser', 'createToken', 'revokeToken', 'acceptInvitation', 'removeMember'],
  },
  'changes.read': {
    description: 'The change feed, with the changes of what the caller may read',
    role: 'user',
    writes: false,
    operations: ['changes', 'contactChanged', 'segmentChanged'],
  },
  'contacts.read': {
    description:
      'Contacts with what is noted on them: search, segments, notes, interactions, tags, actions, forms and answers',
    role: 'user',
    writes: false,
    operations: [
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
    types: [
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
  },
  'notes.write': {
    description: 'Notes, and interactions with their files',
    role: 'user',
    writes: true,
    operations: [...listWrites('Note', 'Interaction'), 'addFile', 'deleteFile'],
  },
  'contacts.write': {
    description: 'Contacts with their addresses, answers, tags and actions',
    role: 'manager',
    writes: true,
    operations: [
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
    ],
  },
  'contacts.export': {
    description: 'Files of all contacts that a search finds',
    role: 'admin',
    writes: false,
    operations: [],
  },
  'tags.write': {
    description: 'The tags and actions that contacts can have',
    role: 'manager',
    writes: true,
    operations: listWrites('Tag', 'Action'),
  },
  'segments.write': {
    description: 'Saved segments',
    role: 'manager',
    writes: true,
    operations: listWrites('Segment'),
  },
  'money.read': {
    description: 'Donations, memberships, transactions, their prices and statuses',
    role: 'user',
    writes: false,
    operations: [
      ...listReads('Donation', 'Membership', 'Transaction', 'DonationPrice'),
      'donationPricesPage',
      'membershipPrice',
      ...listReads('MembershipPriceGroup'),
      'membershipPriceGroupsPage',
      ...listReads('TransactionStatus'),
      'transactionStatusesPage',
    ],
    types: [
      'Donation',
      'Membership',
      'Transaction',
      'DonationPrice',
      'MembershipPrice',
      'MembershipPriceGroup',
      'TransactionStatus',
    ],
  },
  'money.write': {
    description: 'Donations, memberships and transactions',
    role: 'manager',
    writes: true,
    operations: [...listWrites('Donation', 'Membership', 'Transaction'), 'createPayment'],
  },
  'sanctions.read': {
    description: 'Sanctions',
    role: 'user',
    writes: false,
    operations: ['sanction', 'sanctions'],
    types: ['Sanction'],
  },
  'sanctions.write': {
    description: 'Sanctions',
    role: 'manager',
    writes: true,
    operations: listWrites('Sanction'),
  },
  'emails.read': {
    description: 'What was mailed to contacts, and what became of it',
    role: 'user',
    writes: false,
    operations: ['email', 'emails'],
    types: ['Email'],
  },
  'campaigns.read': {
    description: 'Campaigns and their templates',
    role: 'manager',
    writes: false,
    operations: listReads('Campaign', 'Template'),
    types: ['Campaign', 'Template'],
  },
  'campaigns.write': {
    description: 'Campaigns, their templates, and what was mailed',
    role: 'manager',
    writes: true,
    operations: [...listWrites('Campaign', 'Template'), 'recordEmails', 'recordEmailEvents'],
  },
  'people.read': {
    description: 'The users of the space, their roles and teams',
    role: 'user',
    writes: false,
    operations: ['users', 'usersPage', 'role', 'roles', 'team', 'teams', 'teamsPage'],
    types: ['User', 'Role', 'Team'],
  },
  'teams.write': {
    description: 'Teams and who is in them',
    role: 'manager',
    writes: true,
    operations: ['createTeam', 'replaceTeam', 'deleteTeam'],
  },
  'invitations.read': {
    description: 'Invitations to the space',
    role: 'manager',
    writes: false,
    operations: ['invitation', 'invitationList', 'invitations'],
    types: ['Invitation'],
  },
  'members.write': {
    description: 'Invitations to the space, roles, and who has which',
    role: 'admin',
    guarded: true,
    writes: true,
    operations: ['inviteUsers', 'deleteInvitation', 'changeMemberRole', 'createRole', 'updateRole'],
  },
  'audit.read': {
    description: 'Who wrote what, and when',
    role: 'admin',
    guarded: true,
    writes: false,
    operations: ['auditLine', 'auditLog'],
    types: ['AuditLine'],
  },
  webhooks: {
    description: 'Sending changes to other systems, and what was sent',
    role: 'admin',
    guarded: true,
    writes: true,
    operations: [
      ...listReads('Webhook', 'WebhookDelivery'),
      ...listWrites('Webhook'),
      'rotateWebhookSecret',
      'testWebhook',
      'replayWebhookDeliveries',
    ],
    types: ['Webhook', 'WebhookDelivery'],
  },
  suppressions: {
    description: 'Opt-outs that outlive their contact, and erasing them',
    role: 'admin',
    guarded: true,
    writes: true,
    operations: ['suppression', 'suppressions', 'eraseSuppression'],
    types: ['Suppression'],
  },
  'person.erase': {
    description: 'Exporting all that the space holds of one person, and erasing it',
    role: 'superadmin',
    guarded: true,
    writes: true,
    operations: ['personExport', 'erasePerson'],
  },
  'settings.write': {
    description: 'Forms, prices and statuses',
    role: 'admin',
    writes: true,
    operations: listWrites('Form', 'DonationPrice', 'MembershipPrice', 'MembershipPriceGroup', 'TransactionStatus'),
  },
  'imports.read': {
    description: 'Imports and their reports',
    role: 'admin',
    writes: false,
    operations: ['import', 'imports', 'importProgressed'],
    types: ['Import'],
  },
  'imports.write': {
    description: 'Importing many contacts at once, and undoing that',
    role: 'admin',
    writes: true,
    operations: ['importContacts', 'undoImport'],
  },
});
export type PermissionName = keyof typeof permissions;
export const permissionNames = Object.keys(permissions) as PermissionName[];

/** The permissions of a custom role that names none. */
export const usualCustomPermissions: readonly PermissionName[] = ['contacts.read'];
/** The permissions that a custom role can name. */
export const grantablePermissions = permissionNames.filter(
  (name) => !permissions[name].guarded && !permissions[name].own,
);

const indexBy = (
  list: (permission: Permission) => readonly string[] | undefined,
): ReadonlyMap<string, PermissionName> =>
  new Map(permissionNames.flatMap((name) => (list(permissions[name]) ?? []).map((key) => [key, name] as const)));
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
