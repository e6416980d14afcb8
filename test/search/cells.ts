// The operators that each attribute of a search permits: the tables of the contract (§4.13), and separately those that decisions §4 adds.

export const operators = [
  ...(['eql', 'not_eql', 'ext', 'not_ext', 'lte', 'gte', 'range', 'contains', 'not_contains', 'start_with'] as const),
  ...(['not_start_with', 'eql:strictdata', 'not_eql:strictdata', 'any_of', 'none_of', 'all_of', 'period'] as const),
  ...(['within', 'any', 'all', 'none', 'inside', 'not_inside'] as const),
] as const;
export type Operator = (typeof operators)[number];

export interface Cell {
  attr: string;
  ope: Operator;
}

type Table = Record<string, readonly Operator[]>;

const rows = (attributes: string, permitted: string, prefix = ''): Table =>
  Object.fromEntries(
    attributes.split(/, */).map((attribute) => [prefix + attribute, permitted.split(/, */) as Operator[]]),
  );

const contact: Table = {
  ...rows('firstname, surname, married_name', 'eql, not_eql, ext, not_ext, start_with, not_start_with'),
  ...rows('gender', 'eql, not_eql, ext, not_ext'),
  ...rows('birthdate', 'eql, ext, not_ext, range, lte, gte, period'),
  ...rows('age_cat', 'eql, not_eql, ext, not_ext'),
  ...rows('birthcity, birthcountry, nationality', 'eql, not_eql, ext, not_ext'),
  ...rows('mail', 'eql:strictdata, not_eql:strictdata, ext, not_ext, start_with, not_start_with'),
  ...rows('phone', 'eql, not_eql, ext, not_ext, start_with, not_start_with'),
  ...rows('mobile', 'eql, not_eql, ext, not_ext, contains, start_with, not_start_with'),
  ...rows('tags.name', 'eql, not_eql, any_of, none_of, all_of, ext, not_ext'),
  ...rows('black_list', 'eql, not_eql'),
  ...rows('lastchange', 'eql, ext, not_ext, range, lte, gte'),
  ...rows('user_id', 'eql, not_eql, ext, not_ext'),
  ...rows('user_contact_id', 'ext, not_ext'),
  ...rows('action_ids', 'eql, not_eql'),
  ...rows('city, postalcode, street', 'eql, not_eql, ext, not_ext, start_with, not_start_with', 'address.'),
  ...rows('country, housenumber, building, floor, door, addition', 'eql, not_eql, ext, not_ext', 'address.'),
  ...rows('pollingstation', 'eql, not_eql, any_of, none_of, ext, not_ext', 'address.'),
  ...rows('invalid', 'eql, not_eql, ext, not_ext, start_with, not_start_with', 'address.'),
};

const compared = 'eql, not_eql, lte, gte, range';

const financial: Table = {
  ...rows('created_at', 'lte, gte, range', 'transactions.'),
  ...rows('date', compared, 'transactions.'),
  ...rows('amount, sum_amount, count_amount', compared, 'transactions.'),
  ...rows(
    'code_campaign',
    'ext, not_ext, eql, not_eql, contains, not_contains, start_with, not_start_with',
    'transactions.',
  ),
  ...rows('payment_method_kind, status_id', 'eql, not_eql', 'transactions.'),
  ...rows('created_at, transaction_date, amount, sum_amount, count_amount', compared, 'donations.'),
  ...rows('donation_price_id', 'eql, not_eql', 'donations.'),
  ...rows('created_at, start_date, end_date, transaction_date, period', compared, 'memberships.'),
  ...rows('multiple_in_period', 'eql', 'memberships.'),
  ...rows('membership_price_id', 'eql, not_eql', 'memberships.'),
};

const email: Table = {
  ...rows(
    'created_at, delivered_at, opened_at, clicked_at, bounced_at, unsubscribed_at, blacklisted_at, abuse_report_at, campaign_performance_rating',
    'ext, not_ext, lte, gte, range',
    'emails.',
  ),
  ...rows(
    'type, sender, user_id, campaign_id, campaign_goal, campaign_is_successful, template_id',
    'ext, not_ext, eql, not_eql',
    'emails.',
  ),
  ...rows(
    'subject, campaign_name, template_name',
    'ext, not_ext, contains, not_contains, start_with, not_start_with',
    'emails.',
  ),
  ...rows('clicked_urls', 'ext, not_ext, eql, not_eql, contains, start_with', 'emails.'),
};

const sanction: Table = {
  ...rows('created_at, start_date', compared, 'sanctions.'),
  ...rows('end_date', 'eql, not_eql, ext, not_ext, lte, gte, range', 'sanctions.'),
  ...rows('status', 'eql, not_eql, contains, not_contains', 'sanctions.'),
  ...rows('validity', 'eql', 'sanctions.'),
};

const answer: Table = rows(
  'custom_fields, form',
  'ext, not_ext, eql, not_eql, contains, not_contains, lte, gte, range',
);

/** The tables of the contract. */
export const permitted: Table = { ...contact, ...financial, ...email, ...sanction, ...answer };

/** Beyond them, because clients in the field send them (decisions §4), the history of consent, saved segments, places, and conditions that one record satisfies together. */
export const opened: Table = {
  ...rows('mail', 'eql, not_eql'),
  ...rows('UpdatedAt, CreatedAt', 'eql, lte, gte, range, within'),
  ...rows('id', 'eql, not_eql, any_of, none_of'),
  ...rows('external_id', 'eql, not_eql, any_of, none_of, ext, not_ext'),
  ...rows('opted_out_at, consented_at', 'ext, not_ext, lte, gte, range, within'),
  ...rows('segment', 'any_of, none_of'),
  ...rows('transactions.updated_at, donations.updated_at', `${compared}, within`),
  ...rows('memberships.updated_at, sanctions.updated_at', `${compared}, within`),
  ...rows('memberships.amount', compared),
  ...rows('birth_dept', 'eql, not_eql, ext, not_ext'),
  ...rows('phone_invalid, mobile_invalid', 'eql, not_eql'),
  ...rows('actions.name', 'eql, not_eql, any_of, none_of, all_of'),
  ...rows('citycode, county, state', 'eql, not_eql, ext, not_ext, start_with, not_start_with', 'address.'),
  ...rows('infos, location', 'eql, not_eql, ext, not_ext', 'address.'),
  ...rows('latitude, longitude, score', 'ext, not_ext, lte, gte, range', 'address.'),
  ...rows('created_at, updated_at', `${compared}, within`, 'notes.'),
  ...rows('content', 'contains, not_contains', 'notes.'),
  ...rows('pinned', 'eql, not_eql', 'notes.'),
  ...rows('user_id', 'eql, not_eql, ext, not_ext', 'notes.'),
  ...rows('created_at, updated_at', `${compared}, within`, 'interactions.'),
  ...rows('type', 'eql, not_eql', 'interactions.'),
  ...rows('sub_type, user_id', 'eql, not_eql, ext, not_ext', 'interactions.'),
  ...rows('title, comments', 'ext, not_ext, contains, not_contains, start_with, not_start_with', 'interactions.'),
  ...rows('near, within', 'inside, not_inside', 'address.'),
  ...rows('lastchange, birthdate', 'within'),
  ...rows('created_at, date', 'within', 'transactions.'),
  ...rows('created_at, transaction_date', 'within', 'donations.'),
  ...rows('created_at, start_date, end_date, transaction_date', 'within', 'memberships.'),
  ...rows('created_at, delivered_at, opened_at, clicked_at, bounced_at', 'within', 'emails.'),
  ...rows('unsubscribed_at, blacklisted_at, abuse_report_at', 'within', 'emails.'),
  ...rows('created_at, start_date, end_date', 'within', 'sanctions.'),
  ...rows('transactions, donations, memberships, emails, sanctions, notes, interactions', 'any, all, none'),
  ...rows('memberships.count_amount, emails.count_amount, sanctions.count_amount', compared),
  ...rows('notes.count_amount, interactions.count_amount', compared),
  ...rows('donations.payment_method_kind', 'eql, not_eql'),
};

const cellsOf = (table: Table): Cell[] =>
  Object.entries(table).flatMap(([attr, list]) => list.map((ope) => ({ attr, ope })));

export const permittedCells = cellsOf(permitted);
export const openedCells = cellsOf(opened);
export const allCells = [...permittedCells, ...openedCells];

const isOpen = (attr: string, ope: Operator): boolean => opened[attr]?.includes(ope) ?? false;
const without = (attributes: string[]): Cell[] =>
  attributes.flatMap((attr) =>
    operators
      .filter((ope) => !permitted[attr]?.includes(ope) && !isOpen(attr, ope))
      .map((ope): Cell => ({ attr, ope })),
  );

/** The contract's forbidden cells but for those that decisions §4 opens. */
export const forbiddenCells = without(Object.keys(permitted));
/** The forbidden cells of the attributes that only decisions §4 knows. */
export const forbiddenOfOpened = without(Object.keys(opened).filter((attr) => !(attr in permitted)));
