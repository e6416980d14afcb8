// The fields of a contact and of its records that have no attribute of their own: the attribute that stands for each, or why there is none.
import type { AttributeName } from './attributes.ts';

/** By `Type.field` of the graph: a field that is searched under another name. */
export const searchedAs: Readonly<Record<string, AttributeName>> = {
  'Contact.answers': 'form',
  'Contact.consentHistory': 'consented_at',
  'Contact.customFields': 'custom_fields',
  'Contact.databaseId': 'id',
  'Contact.formerEmails': 'mail',
  'Contact.lastChangedByApp': 'user_id',
  'Contact.note': 'notes',
  'Email.sentByApp': 'emails.user_id',
  'Interaction.authorApp': 'interactions.user_id',
  'Note.authorApp': 'notes.user_id',
};

/** By `Type.field` of the graph: why a field is not searched. `*` stands for any record. */
export const unsearched: Readonly<Record<string, string>> = {
  '*.id': 'The number of a record names it alone: `transactionById` and the like read it.',
  '*.databaseId': 'As `id`.',
  '*.contact': 'It is the contact that is searched for.',
  'Contact.timeline': 'Its entries are the records that have attributes of their own.',
  'Contact.version': 'It counts changes, for writers that must not overwrite each other; `updatedAt` says when.',
  'Address.databaseId': 'An address is of one contact, and has no meaning by its number.',
  'Address.invalid': 'It is derived: `invalidReason` has a value.',
  'Address.buildingType': 'Addresses of contacts have none; those of teams do.',
  'Transaction.donations': 'They are records of the same contact: `donations`.',
  'Transaction.memberships': 'They are records of the same contact: `memberships`.',
  'Donation.transaction': 'Its payment is searched as `donations.paymentMethodKind` and `transactions`.',
  'Membership.transaction': 'As of donations.',
  'Interaction.files': 'Files have no rows of their own in a search; the interactions that they are of do.',
  'Interaction.onlySuperAdmin':
    'Interactions that only superadmins see are found by no search, so that a segment is the same for everybody.',
};

/** Facts that no record has, though people ask for them. */
export const unrecorded: readonly string[] = [
  'Since when a contact is in a segment: the members of a watched segment are kept without a date. The change feed tells when they entered.',
  'Who, or which import, created a contact: the audit log has both, and only those who may read it.',
];
