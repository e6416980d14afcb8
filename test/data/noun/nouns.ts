// The nouns with lists, for tests: how many records of each are made, with which values, and how they are read plainly.

import { invitationList } from '../../../src/data/access/invitation.ts';
import { teamList } from '../../../src/data/access/team.ts';
import { userList } from '../../../src/data/access/user.ts';
import { actions } from '../../../src/data/contact/action.ts';
import { answerList } from '../../../src/data/contact/answer.ts';
import { campaigns, templates } from '../../../src/data/contact/campaign.ts';
import { emailList } from '../../../src/data/contact/email.ts';
import { interactionList } from '../../../src/data/contact/interaction.ts';
import { noteList } from '../../../src/data/contact/note.ts';
import { tagList } from '../../../src/data/contact/tag.ts';
import { formList } from '../../../src/data/form/form.ts';
import { importList } from '../../../src/data/import/contacts.ts';
import { donations, memberships, sanctions, transactions } from '../../../src/data/money/records.ts';
import { donationPrices, membershipPriceGroups, transactionStatuses } from '../../../src/data/money/settings.ts';

type Column =
  | 'contact'
  | 'amount'
  | 'currency'
  | 'instant'
  | 'day'
  | 'text'
  | 'unique'
  | 'code'
  | 'flag'
  | 'rating'
  | 'formKind'
  | 'formType'
  | { id: string };

export interface Noun {
  // biome-ignore lint/suspicious/noExplicitAny: twenty lists, each with its own fields
  list: any;
  /** The table into which records are inserted; none for nouns that have enough demo data. */
  table?: string;
  /** Its columns, and of which kind their values are; a `?` at the end of a name says that a quarter are null. */
  columns?: Record<string, Column>;
  /** SQL of the records with a column for each field, from `r`; without it, `select r.*` of the table. */
  plain?: string;
}

const times = { created_at: 'instant', updated_at: 'instant' } as const;
const dated = { ...times, 'deleted_at?': 'instant' } as const;
const ofContact = { contact_id: 'contact', ...dated } as const;
const money = { amount: 'amount', currency: 'currency' } as const;

export const nouns: Record<string, Noun> = {
  transactions: {
    list: transactions.list,
    table: 'transactions',
    columns: {
      ...ofContact,
      ...money,
      date: 'instant',
      'code_campaign?': 'code',
      'payment_method_kind?': 'code',
      'status_id?': { id: 'transaction_statuses' },
    },
  },
  donations: {
    list: donations.list,
    table: 'donations',
    columns: {
      ...ofContact,
      ...money,
      transaction_date: 'instant',
      'transaction_id?': { id: 'transactions' },
      'donation_price_id?': { id: 'donation_prices' },
    },
  },
  memberships: {
    list: memberships.list,
    table: 'memberships',
    columns: {
      ...ofContact,
      ...money,
      start_date: 'day',
      'transaction_date?': 'instant',
      'transaction_id?': { id: 'transactions' },
    },
  },
  notes: {
    list: noteList,
    table: 'notes',
    columns: { ...ofContact, 'user_id?': { id: 'users' }, content: 'text', pinned: 'flag' },
    plain: 'select r.*, r.user_id as author_id from notes r where r.group_id = ?',
  },
  emails: {
    list: emailList,
    table: 'emails',
    plain: 'select r.*, r.user_id as sent_by_id from emails r where r.group_id = ?',
    columns: {
      contact_id: 'contact',
      created_at: 'instant',
      'deleted_at?': 'instant',
      'campaign_id?': { id: 'campaigns' },
      'type?': 'code',
      'delivered_at?': 'instant',
      'opened_at?': 'instant',
      'clicked_at?': 'instant',
    },
  },
  interactions: {
    list: interactionList,
    table: 'interactions',
    plain: 'select r.*, r.user_id as author_id from interactions r where r.group_id = ?',
    columns: { ...ofContact, type: 'code', 'sub_type?': 'code', 'title?': 'text', only_super_admin: 'flag' },
  },
  sanctions: {
    list: sanctions.list,
    table: 'sanctions',
    columns: { ...ofContact, 'status?': 'code', 'start_date?': 'instant' },
  },
  answers: {
    list: answerList,
    plain: `select r.*, r.form_ref_id as option_id, r.data as text, r.date as answered_at, f.kind from answers r join forms f on f.group_id = r.group_id and f.id = r.form_id and f.deleted_at is null where r.group_id = ?`,
  },
  actions: { list: actions.list, table: 'actions', columns: { ...dated, name: 'text', 'starts_at?': 'instant' } },
  campaigns: {
    list: campaigns.list,
    table: 'campaigns',
    columns: {
      ...dated,
      'template_id?': { id: 'templates' },
      name: 'text',
      'subject?': 'text',
      'is_successful?': 'flag',
      'performance_rating?': 'rating',
      'sent_at?': 'instant',
    },
  },
  templates: { list: templates.list, table: 'templates', columns: { ...dated, name: 'text' } },
  tags: { list: tagList, table: 'tags', columns: { ...times, name: 'unique', 'color?': 'code' } },
  imports: {
    list: importList,
    table: 'imports',
    columns: { created_at: 'instant', name: 'text', 'finished_at?': 'instant' },
  },
  invitations: {
    list: invitationList,
    table: 'invitations',
    columns: {
      created_at: 'instant',
      'deleted_at?': 'instant',
      email: 'unique',
      role_id: { id: 'roles' },
      last_sent: 'instant',
    },
    plain:
      'select r.*, r.user_id as accepted_by_id, r.last_sent as last_sent_at from invitations r where r.group_id = ?',
  },
  forms: { list: formList, table: 'forms', columns: { ...dated, kind: 'formKind', label: 'unique', type: 'formType' } },
  membership_price_groups: {
    list: membershipPriceGroups.list,
    table: 'membership_price_groups',
    columns: { ...dated, name: 'text', hidden: 'flag' },
  },
  donation_prices: {
    list: donationPrices.list,
    table: 'donation_prices',
    columns: { ...dated, name: 'text', amount: 'rating', currency: 'currency', hidden: 'flag', 'kind?': 'code' },
  },
  transaction_statuses: {
    list: transactionStatuses.list,
    table: 'transaction_statuses',
    columns: { ...dated, name: 'text', 'kind?': 'code', archived: 'flag' },
  },
  teams: { list: teamList, table: 'teams', columns: { ...dated, name: 'text', description: 'text', private: 'flag' } },
  users: {
    list: userList,
    plain: `select u.id, u.mail as email, u.firstname as first_name, u.surname as last_name, r.role_id, o.type as role_type, u.created_at, u.updated_at, u.deleted_at
       from members r join users u on u.id = r.user_id join roles o on o.group_id = r.group_id and o.id = r.role_id where r.group_id = ?`,
  },
};
