// The kind of value of each attribute of a search, which decides how it is compared, and the family of records that it belongs to.

export type Kind =
  | 'text'
  | 'texts'
  | 'phone'
  | 'moment'
  | 'day'
  | 'money'
  | 'count'
  | 'whole'
  | 'decimal'
  | 'wholes'
  | 'flag'
  | 'years'
  | 'twice'
  | 'validity'
  | 'record'
  | 'answer'
  | 'consent'
  | 'circle'
  | 'area';

const kinds = (kind: Kind, names: string, prefix = ''): Record<string, Kind> =>
  Object.fromEntries(names.split(' ').map((name) => [prefix + name, kind]));

export const kindOf: Record<string, Kind> = {
  ...kinds('text', 'external_id firstname surname married_name gender birthcity birthcountry nationality mail'),
  ...kinds(
    'text',
    'city postalcode street country housenumber building floor door addition pollingstation invalid',
    'address.',
  ),
  ...kinds('phone', 'phone mobile'),
  ...kinds('day', 'birthdate'),
  ...kinds('moment', 'lastchange UpdatedAt CreatedAt opted_out_at'),
  ...kinds('whole', 'id age_cat user_id user_contact_id segment'),
  ...kinds('texts', 'tags.name emails.clicked_urls'),
  ...kinds('wholes', 'action_ids'),
  ...kinds('flag', 'black_list emails.campaign_is_successful'),
  ...kinds('moment', 'created_at date', 'transactions.'),
  ...kinds('money', 'amount sum_amount', 'transactions.'),
  ...kinds('count', 'transactions.count_amount donations.count_amount memberships.count_amount'),
  ...kinds('count', 'emails.count_amount sanctions.count_amount notes.count_amount interactions.count_amount'),
  ...kinds('record', 'transactions donations memberships emails sanctions notes interactions'),
  ...kinds('text', 'birth_dept'),
  ...kinds('flag', 'phone_invalid mobile_invalid notes.pinned'),
  ...kinds('texts', 'actions.name'),
  ...kinds('text', 'citycode county state infos location', 'address.'),
  ...kinds('decimal', 'latitude longitude score', 'address.'),
  ...kinds('money', 'memberships.amount'),
  ...kinds('moment', 'transactions.updated_at donations.updated_at memberships.updated_at sanctions.updated_at'),
  ...kinds('moment', 'notes.created_at notes.updated_at interactions.created_at interactions.updated_at'),
  ...kinds('text', 'notes.content interactions.type interactions.sub_type interactions.title interactions.comments'),
  ...kinds('whole', 'notes.user_id interactions.user_id'),
  ...kinds('text', 'code_campaign payment_method_kind', 'transactions.'),
  ...kinds('whole', 'transactions.status_id donations.donation_price_id memberships.membership_price_id'),
  ...kinds('moment', 'created_at transaction_date', 'donations.'),
  ...kinds('text', 'donations.payment_method_kind'),
  ...kinds('money', 'amount sum_amount', 'donations.'),
  ...kinds('moment', 'created_at transaction_date', 'memberships.'),
  ...kinds('day', 'start_date end_date', 'memberships.'),
  ...kinds('years', 'memberships.period'),
  ...kinds('twice', 'memberships.multiple_in_period'),
  ...kinds('moment', 'created_at delivered_at opened_at clicked_at bounced_at', 'emails.'),
  ...kinds('moment', 'unsubscribed_at blacklisted_at abuse_report_at', 'emails.'),
  ...kinds('whole', 'campaign_performance_rating user_id campaign_id template_id', 'emails.'),
  ...kinds('text', 'type sender campaign_goal subject campaign_name template_name', 'emails.'),
  ...kinds('moment', 'created_at start_date end_date', 'sanctions.'),
  ...kinds('text', 'sanctions.status'),
  ...kinds('validity', 'sanctions.validity'),
  ...kinds('answer', 'custom_fields form'),
  ...kinds('consent', 'consented_at'),
  ...kinds('circle', 'address.near'),
  ...kinds('area', 'address.within'),
};

export const getKind = (attr: string): Kind => {
  const kind = kindOf[attr];
  if (!kind) throw new Error(`No kind of value for ${attr}: add it to kindOf in test/search/oracle-attributes.ts`);
  return kind;
};

const families = ['transactions', 'donations', 'memberships', 'emails', 'sanctions', 'notes', 'interactions'];

/** The family and the field of an attribute of records; undefined for the contact's own values, totals among them. */
export const recordField = (attr: string): { family: string; field: string } | undefined => {
  const [family, field] = attr.split('.') as [string, string?];
  return field && families.includes(family) && !/\.(sum|count)_amount$/.test(attr) ? { family, field } : undefined;
};
