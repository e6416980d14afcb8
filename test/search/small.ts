// Hand-made populations for tests: a few rows, of which only the relevant values are given.
import { now } from './pools.ts';
import type { Population, Tables } from './rows.ts';

export type Sketch = { [Table in keyof Tables]?: Partial<Tables[Table][number]>[] };

const contact = {
  external_id: null,
  firstname: null,
  surname: null,
  married_name: null,
  gender: null,
  birthdate: null,
  age_category: null,
  birth_city: null,
  birth_country: null,
  birth_dept: null,
  phone_invalid: false,
  mobile_invalid: false,
  nationality: null,
  mail: null,
  phone: null,
  mobile: null,
  black_list: false,
  user_id: null,
  user_contact_id: null,
  lastchange: now,
  created_at: now,
  updated_at: now,
};

const defaults: { [Table in keyof Tables]?: Partial<Tables[Table][number]> } = {
  contacts: contact,
  addresses: {
    citycode: null,
    county: null,
    state: null,
    infos: null,
    location: null,
    latitude: null,
    longitude: null,
    score: null,
    addition: null,
    building: null,
    city: null,
    country: null,
    door: null,
    floor: null,
    house_number: null,
    invalid: null,
    polling_station: null,
    postal_code: null,
    street: null,
  },
  answers: { data: null },
  transactions: {
    amount: 0,
    currency: 'EUR',
    date: now,
    code_campaign: null,
    payment_method_kind: null,
    status_id: null,
  },
  donations: { amount: 0, currency: 'EUR', transaction_date: now, transaction_id: null, donation_price_id: null },
  memberships: {
    amount: 0,
    start_date: '2026-01-01',
    end_date: null,
    transaction_date: null,
    transaction_id: null,
    membership_price_id: null,
  },
  campaigns: {
    template_id: null,
    subject: null,
    sender: null,
    goal: null,
    is_successful: null,
    performance_rating: null,
  },
  emails: {
    campaign_id: null,
    user_id: null,
    type: null,
    clicked_urls: null,
    delivered_at: null,
    opened_at: null,
    clicked_at: null,
    bounced_at: null,
    unsubscribed_at: null,
    blacklisted_at: null,
    abuse_report_at: null,
  },
  sanctions: { status: null, start_date: null, end_date: null },
};

const names: (keyof Tables)[] = [
  ...([
    'contacts',
    'addresses',
    'former_mails',
    'consent_changes',
    'tags',
    'contact_tags',
    'actions',
    'contact_actions',
    'forms',
    'answers',
  ] as const),
  ...([
    'transactions',
    'donations',
    'memberships',
    'templates',
    'campaigns',
    'emails',
    'sanctions',
    'notes',
    'interactions',
  ] as const),
];

/** Rows of space 1 unless they say otherwise. */
export const createSmallPopulation = (sketch: Sketch): Population => {
  const tables = Object.fromEntries(
    names.map((name) => [
      name,
      (sketch[name] ?? []).map((row: object, index: number) => ({
        group_id: 1,
        id: index + 1,
        created_at: now,
        deleted_at: null,
        ...defaults[name],
        ...row,
      })),
    ]),
  );
  return { seed: 0, now, tables: tables as unknown as Tables };
};

/** Contacts 1, 2, 3 … which have these fields. */
export const createContactsWith = (...fields: Sketch['contacts'] & object): Population =>
  createSmallPopulation({ contacts: fields });

/** As many contacts, of which the n-th has the n-th list of records. */
export const createContactsWithRecords = <
  Table extends 'transactions' | 'donations' | 'memberships' | 'emails' | 'sanctions',
>(
  table: Table,
  lists: Partial<Tables[Table][number]>[][],
  rest: Sketch = {},
): Population =>
  createSmallPopulation({
    ...rest,
    contacts: lists.map(() => ({})),
    [table]: lists
      .flatMap((list, index) => list.map((row) => ({ contact_id: index + 1, ...row })))
      .map((row, index) => ({
        id: index + 1,
        ...row,
      })),
  });
