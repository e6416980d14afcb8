// Finds the noun of an id in a request: by its name, by its list, or by the operation. It never guesses.
import type { Noun } from './ids.ts';

/** Names of ids, in the graph and on the wire. */
const byName: Record<string, Noun> = {
  contactId: 'contacts',
  survivorId: 'contacts',
  ids: 'otherContacts',
  actionIds: 'actions',
  actions_ids: 'actions',
  accountId: 'users',
  userId: 'users',
  user_contact_id: 'users',
  roleId: 'roles',
  role_id: 'roles',
  teamIds: 'teams',
  team_ids: 'teams',
  selectedGroupId: 'spaces',
  selected_group_id: 'spaces',
  formId: 'forms',
  optionIds: 'forms',
  optionId: 'form_refs',
  transactionId: 'transactions',
  statusId: 'transaction_statuses',
  donationPriceId: 'donation_prices',
  membershipPriceId: 'membership_prices',
  membershipPriceGroupId: 'membership_price_groups',
  contactIds: 'contacts',
  importId: 'imports',
  actionId: 'actions',
  interactionId: 'interactions',
  templateId: 'templates',
  campaignId: 'campaigns',
  emailId: 'emails',
  appId: 'apps',
  authorId: 'users',
  sentById: 'users',
  acceptedById: 'users',
  lastChangedById: 'users',
  form: 'forms',
  options: 'form_refs',
  segment: 'segments',
};

/** Lists whose items have an id of their own noun. Ids in the answers of an upsert are those of forms. */
const byList: Record<string, Noun> = {
  options: 'form_refs',
  users: 'users',
  leaders: 'users',
  consents: 'forms',
  status: 'forms',
  forms: 'forms',
  customFields: 'forms',
  actions: 'forms',
  namePresences: 'forms',
  // A condition on the id of the contact.
  query: 'contacts',
};

/** Operations whose own record is named `id`. */
const byOperation: Record<string, Noun> = {
  contact: 'contacts',
  searchContacts: 'contacts',
  contactFacets: 'contacts',
  explainSearch: 'contacts',
  upsertContact: 'contacts',
  upsertContacts: 'contacts',
  importContacts: 'contacts',
  restoreContact: 'deletedContacts',
  ContactById: 'contacts',
  ContactAsFound: 'contacts',
  UpsertContact: 'contacts',
  team: 'teams',
  replaceTeam: 'teams',
  TeamById: 'teams',
  ReplaceTeam: 'teams',
  user: 'users',
  UserById: 'users',
  form: 'forms',
  contactBy: 'contacts',
  acceptInvitation: 'invitations',
  formOption: 'form_refs',
  import: 'imports',
  answer: 'answers',
  undoImport: 'imports',
  changeContacts: 'contacts',
  contactChange: 'contactChanges',
  cancelContactChange: 'contactChanges',
  undoContactChange: 'doneChanges',
  undoContactMerge: 'merges',
  revokeToken: 'tokens',
  createAppToken: 'apps',
  auditLine: 'auditLines',
  consentChange: 'consent_changes',
  consentChanges: 'consent_changes',
  suppression: 'suppressions',
  suppressions: 'suppressions',
  eraseSuppression: 'suppressions',
  auditLog: 'auditLines',
  webhook: 'webhooks',
  webhookDelivery: 'webhook_deliveries',
  rotateWebhookSecret: 'webhooks',
  testWebhook: 'webhooks',
  replayWebhookDeliveries: 'webhook_deliveries',
};

/** Nouns of operations such as `updateTag`, `DeleteTeam` and `tag`. */
const byWrittenType: Record<string, Noun> = {
  Contact: 'contacts',
  Team: 'teams',
  User: 'users',
  Invitation: 'invitations',
  Transaction: 'transactions',
  Donation: 'donations',
  Membership: 'memberships',
  Sanction: 'sanctions',
  MembershipPriceGroup: 'membership_price_groups',
  MembershipPrice: 'membership_prices',
  DonationPrice: 'donation_prices',
  TransactionStatus: 'transaction_statuses',
  Note: 'notes',
  Interaction: 'interactions',
  File: 'files',
  Tag: 'tags',
  Action: 'actions',
  Form: 'freeForms',
  Template: 'templates',
  Campaign: 'campaigns',
  Email: 'emails',
  Role: 'roles',
  AccessToken: 'tokens',
  App: 'apps',
  Segment: 'segments',
  Webhook: 'webhooks',
  WebhookDelivery: 'webhook_deliveries',
};

/** Throws when no table has the place, and says what to add. */
export const findNoun = (operation: string, path: readonly string[]): Noun => {
  // A condition has its values below the field: `filter.contactId.equals`.
  const operators = ['equals', 'in', 'notEquals', 'notIn'];
  const steps = path.filter((step) => step !== '0' && !operators.includes(step));
  const [name, list] = steps.reverse();
  const noun =
    byName[name!] ??
    byList[list ?? ''] ??
    (steps.at(-1) === 'filter' && operation !== 'auditLog'
      ? (operation.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`) as Noun)
      : undefined) ??
    byOperation[operation] ??
    byWrittenType[
      operation.replace(/^(update|delete|Update|Delete)/, '').replace(/^[a-z]/, (letter) => letter.toUpperCase())
    ];
  if (!noun)
    throw new Error(
      `No noun for the id ${path.join('.')} of ${operation}: add it to a table of test/requests/nouns.ts`,
    );
  return noun;
};
