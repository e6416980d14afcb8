// THE table of the search language: each attribute is a kind of value, a source, and the operators it permits (spec §4.13).
// SQL, the inputs of the graph, the faults, the documentation and the tests derive from it.
import {
  type Attribute,
  defineAmountAttributes as amount,
  defineCampaignAttribute as campaign,
  defineChangeAttribute as change,
  defineCountAttribute as count,
  defineEmailAttribute as email,
  defineEventAttribute as event,
  defineAttributeFamily as family,
  defineOwnAttribute as own,
  type RecordSource,
  defineRecordsAttribute as records,
  defineRowAttribute as row,
} from './attribute.ts';
import type { PlaceKind } from './places.ts';

const equal = ['eql', 'not_eql'] as const;
const present = ['ext', 'not_ext'] as const;
const begins = ['start_with', 'not_start_with'] as const;
const holds = ['contains', 'not_contains'] as const;
const bounds = ['lte', 'gte', 'range'] as const;
const whole = [...equal, ...bounds] as const;
const dated = [...bounds, 'within'] as const;
const dates = [...whole, 'within'] as const;
const phrase = [...present, ...holds, ...begins] as const;

const named = [...equal, ...present, ...begins] as const;
const plain = [...equal, ...present] as const;

export const attributes = {
  firstname: row('text', 'firstname', named, 'first name', { filled: 64 }),
  surname: row('text', 'surname', named, 'family name', { filled: 128 }),
  married_name: row('text', 'married_name', named, 'name by marriage', { filled: 16 }),
  gender: row('gender', 'gender', plain, 'M, F or O', { empty: `''` }),
  birthdate: row('day', 'birthdate', ['eql', ...present, 'range', 'lte', 'gte', 'period', 'within'], 'day of birth', {
    empty: `'infinity'`,
  }),
  age_cat: row('ageCategory', 'age_category', plain, 'age category, 0 to 6', { empty: '-1' }),
  birthcity: own('text', 'birth_city', plain, 'city of birth'),
  birth_dept: own('text', 'birth_dept', plain, 'department of birth'),
  birthcountry: own('text', 'birth_country', plain, 'country of birth'),
  nationality: own('text', 'nationality', plain, 'nationality'),
  mail: row(
    'text',
    'mail',
    ['eql:strictdata', 'not_eql:strictdata', ...present, ...begins, ...equal],
    'email address, also a former one',
    { filled: 1, former: 'former_mails' },
  ),
  phone: row('phone', 'phone', named, 'landline number', { filled: 4 }),
  mobile: row('phone', 'mobile', [...equal, ...present, 'contains', ...begins], 'mobile number', {
    filled: 2,
  }),
  phone_invalid: own('flag', 'phone_invalid', equal, 'the landline number is of no use'),
  mobile_invalid: own('flag', 'mobile_invalid', equal, 'the mobile number is of no use'),
  'tags.name': {
    kind: 'text',
    source: { of: 'tags' },
    operators: [...equal, 'any_of', 'none_of', 'all_of', ...present],
    doc: 'name of a tag',
  },
  black_list: row('flag', 'black_list', equal, 'opted out of all communication'),
  lastchange: change(
    'instant',
    'lastchange',
    ['eql', ...present, 'range', 'lte', 'gte', 'within'],
    'when a user last changed the contact',
  ),
  user_id: change('id', 'user_id', plain, 'the user who last edited', { empty: '-1' }),
  user_contact_id: row('id', 'user_contact_id', present, 'whether the contact is a user', {
    filled: 32,
  }),
  action_ids: {
    kind: 'id',
    source: { of: 'actions' },
    operators: equal,
    doc: 'an action that the contact is linked to',
  },
  'actions.name': {
    kind: 'text',
    source: { of: 'actionNames' },
    operators: [...equal, 'any_of', 'none_of', 'all_of'],
    doc: 'name of an action that the contact is linked to',
  },
  ...family('address', {
    city: row('text', 'city', named, 'city', { filled: 8 }),
    postalcode: row('text', 'postal_code', named, 'postal code', { filled: 256 }),
    street: ['text', named, 'street'],
    country: ['text', plain, 'country'],
    housenumber: ['text', plain, 'house number', 'house_number'],
    building: ['text', plain, 'building'],
    floor: ['text', plain, 'floor'],
    door: ['text', plain, 'door'],
    addition: ['text', plain, 'second line of the address'],
    pollingstation: ['text', [...equal, 'any_of', 'none_of', ...present], 'polling station', 'polling_station'],
    invalid: ['text', named, 'why the address is of no use'],
    citycode: ['text', named, 'code of the municipality'],
    county: ['text', named, 'county or department'],
    state: ['text', named, 'state or region'],
    infos: ['text', plain, 'further details'],
    location: ['text', plain, 'named place'],
    latitude: ['decimal', [...present, ...bounds], 'latitude in degrees'],
    longitude: ['decimal', [...present, ...bounds], 'longitude in degrees'],
    score: ['decimal', [...present, ...bounds], 'how sure the geocoding is'],
  }),

  transactions: records('transactions'),
  ...family('transactions', {
    created_at: ['instant', dated, 'when a transaction was recorded'],
    updated_at: ['instant', dates, 'when a transaction was last changed'],
    date: ['instant', dates, 'date of a transaction'],
    amount: amount('transactions', whole, 'amount of a transaction'),
    sum_amount: row('cents', 'transactions_sum', whole, 'total of the transactions', { sums: 'transactions' }),
    count_amount: row('whole', 'transactions_count', whole, 'number of transactions', { counts: 'transactions' }),
    code_campaign: ['text', [...present, ...equal, ...holds, ...begins], 'campaign code of a transaction'],
    payment_method_kind: ['text', equal, 'means of payment of a transaction'],
    status_id: ['id', equal, 'status of a transaction'],
  }),
  donations: records('donations'),
  ...family('donations', {
    created_at: ['instant', dates, 'when a donation was recorded'],
    updated_at: ['instant', dates, 'when a donation was last changed'],
    transaction_date: ['instant', dates, 'date of a donation'],
    amount: amount('donations', whole, 'amount of a donation'),
    sum_amount: row('cents', 'donations_sum', whole, 'total of the donations', { sums: 'donations' }),
    count_amount: row('whole', 'donations_count', whole, 'number of donations', { counts: 'donations' }),
    donation_price_id: ['id', equal, 'price of a donation'],
    payment_method_kind: ['text', equal, 'means of payment of a donation', 'p.payment_method_kind'],
  }),
  memberships: records('memberships'),
  ...family('memberships', {
    count_amount: count('memberships', whole),
    created_at: ['instant', dates, 'when a membership was recorded'],
    updated_at: ['instant', dates, 'when a membership was last changed'],
    amount: ['cents', whole, 'amount of a membership'],
    start_date: ['day', dates, 'first day of a membership'],
    end_date: ['day', dates, 'last day of a membership'],
    transaction_date: ['instant', dates, 'when a membership was paid'],
    period: ['year', whole, 'calendar year in which a membership is active', 'r'],
    multiple_in_period: {
      kind: 'year',
      source: { of: 'several', family: 'memberships' },
      operators: ['eql'],
      doc: 'calendar year in which two or more memberships are active',
    },
    membership_price_id: ['id', equal, 'price of a membership'],
  }),

  emails: records('emails'),
  ...family('emails', {
    count_amount: count('emails', whole),
    created_at: event('r.created_at', 1, 'when an email was made', {
      earliest: 'e.created_min',
      latest: 'e.created_max',
    }),
    delivered_at: event('r.delivered_at', 2, 'when an email was delivered', {
      earliest: 'e.delivered_min',
      latest: 'e.delivered_max',
    }),
    opened_at: event('r.opened_at', 4, 'when an email was opened', { latest: 'e.opened_max' }),
    clicked_at: event('r.clicked_at', 8, 'when a link of an email was clicked', { latest: 'e.clicked_max' }),
    bounced_at: event('r.bounced_at', 16, 'when an email bounced'),
    unsubscribed_at: event('r.unsubscribed_at', 32, 'when the contact unsubscribed by an email'),
    blacklisted_at: event('r.blacklisted_at', 64, 'when an email led to blacklisting'),
    abuse_report_at: event('r.abuse_report_at', 128, 'when an email was reported as abuse'),
    campaign_performance_rating: campaign(
      'whole',
      'k.performance_rating',
      [...present, ...bounds],
      'performance of the campaign of an email, 0 to 100',
    ),
    type: email('text', 'r.type', plain, 'type of an email', {
      has: `e.types <> '{}'`,
      lacks: 'e.lacks_type',
      list: 'e.types',
    }),
    sender: campaign('text', 'k.sender', plain, 'sender of an email'),
    user_id: email('id', 'r.user_id', plain, 'user who sent an email', {
      has: `e.user_ids <> '{}'`,
      lacks: 'e.lacks_user',
      list: 'e.user_ids',
    }),
    campaign_id: campaign('id', 'c.id', plain, 'campaign of an email'),
    campaign_goal: campaign('text', 'k.goal', plain, 'goal of the campaign of an email'),
    campaign_is_successful: campaign('flag', 'k.is_successful', plain, 'whether the campaign of an email succeeded'),
    template_id: campaign('id', 'k.template_id', plain, 'template of an email'),
    subject: campaign('text', 'k.subject', phrase, 'subject of an email'),
    campaign_name: campaign('text', 'k.name', phrase, 'name of the campaign of an email'),
    template_name: campaign('text', 't.name', phrase, 'name of the template of an email'),
    clicked_urls: email(
      'text',
      'r.clicked_urls',
      [...plain, 'contains', 'start_with'],
      'a link of an email that was clicked',
      { has: 'e.has_links', lacks: 'e.lacks_links' },
    ),
  }),

  sanctions: records('sanctions'),
  ...family('sanctions', {
    count_amount: count('sanctions', whole),
    created_at: ['instant', dates, 'when a sanction was recorded'],
    updated_at: ['instant', dates, 'when a sanction was last changed'],
    start_date: ['instant', dates, 'when a sanction starts'],
    end_date: ['instant', [...equal, ...present, ...dated], 'when a sanction ends'],
    status: ['text', [...equal, ...holds], 'status of a sanction'],
    validity: ['validity', ['eql'], 'ongoing or ended', 'r'],
  }),

  // Not in the spec: it has these records, and no attributes of them.
  notes: records('notes'),
  ...family('notes', {
    count_amount: count('notes', whole),
    created_at: ['instant', dates, 'when a note was written'],
    updated_at: ['instant', dates, 'when a note was last changed'],
    content: ['text', holds, 'text of a note'],
    pinned: ['flag', equal, 'whether a note is pinned'],
    user_id: ['id', plain, 'the user who wrote a note'],
  }),
  interactions: records('interactions'),
  ...family('interactions', {
    count_amount: count('interactions', whole),
    created_at: ['instant', dates, 'when an interaction was recorded'],
    updated_at: ['instant', dates, 'when an interaction was last changed'],
    type: ['text', equal, 'type of an interaction'],
    sub_type: ['text', plain, 'kind of an interaction within its type'],
    title: ['text', phrase, 'title of an interaction'],
    comments: ['text', phrase, 'comments on an interaction'],
    user_id: ['id', plain, 'the user who recorded an interaction'],
  }),

  custom_fields: {
    kind: 'answer',
    source: { of: 'answers', custom: true },
    operators: [...present, ...equal, ...holds, ...bounds],
    doc: 'answer to a custom field',
  },
  form: {
    kind: 'answer',
    source: { of: 'answers', custom: false },
    operators: [...present, ...equal, ...holds, ...bounds],
    doc: 'answer to a form',
  },

  // Not in the spec; clients in the field send them.
  id: row('id', 'contact_id', [...equal, 'any_of', 'none_of'], 'id of the contact', { identifies: 'id' }),
  external_id: own('text', 'external_id', [...equal, 'any_of', 'none_of', ...present], 'id in another system', {
    identifies: 'external_id',
  }),
  CreatedAt: own('instant', 'created_at', ['eql', ...dated], 'when the contact was created'),
  UpdatedAt: change('instant', 'updated_at', ['eql', ...dated], 'when the contact was last written'),

  // Not in the spec: where people live.
  'address.near': {
    kind: 'circle',
    source: { of: 'place' },
    operators: ['inside', 'not_inside'],
    doc: 'lives within so many kilometres of a point, of where a contact lives now, or of the middle of a postal code',
  },
  'address.within': {
    kind: 'area',
    source: { of: 'place' },
    operators: ['inside', 'not_inside'],
    doc: 'lives within a polygon of GeoJSON: an outer ring and holes, each of closed positions `[longitude, latitude]`',
  },

  // Not in the spec: what people agreed to, and when.
  opted_out_at: {
    kind: 'instant',
    source: { of: 'optOut' },
    operators: [...present, ...dated],
    doc: 'when a contact who is opted out did so last; there is no time for one that the history of consent does not know',
  },
  consented_at: {
    kind: 'instant',
    source: { of: 'consents' },
    operators: [...present, ...dated],
    doc: 'when the present answer to a form on consent was given last, a refusal too: options say which answers count',
  },

  // Not in the spec: saved segments are of the graph, and trees name them too.
  segment: {
    kind: 'id',
    source: { of: 'segment' },
    operators: ['any_of', 'none_of'],
    doc: 'saved segment that the contact is in',
  },
} satisfies Record<string, Attribute>;

export type AttributeName = keyof typeof attributes;

export const isAttributeName = (name: unknown): name is AttributeName =>
  typeof name === 'string' && Object.hasOwn(attributes, name);

/** The attribute with its general type; the types of the table are too narrow to compute with. */
export const getAttribute = (name: AttributeName): Attribute => attributes[name];

/** The family of which an attribute is a value of one record, so that it may stand beside others that the same record satisfies. */
export const getRecordFamily = (name: AttributeName): RecordSource | undefined => {
  const { source } = getAttribute(name);
  if (source.of === 'event' || source.of === 'campaign') return 'emails';
  return source.of === 'record' ? source.family : undefined;
};

/** The attributes of one record of a family. */
export const listRecordAttributes = (family: RecordSource): AttributeName[] =>
  (Object.keys(attributes) as AttributeName[]).filter((name) => getRecordFamily(name) === family);

/** The family whose records a condition asks for by conditions on each of them, which it takes beside its operator or as its operand. */
export const getAskedFamily = (name: AttributeName): RecordSource | undefined => {
  const { source } = getAttribute(name);
  if (source.of === 'row') return source.counts;
  return source.of === 'records' || source.of === 'count' ? source.family : undefined;
};

/** The kind of place that conditions on an attribute have; undefined for other attributes. */
export const getPlaceKind = (name: AttributeName): PlaceKind | undefined => {
  const { kind } = getAttribute(name);
  return kind === 'circle' || kind === 'area' ? kind : undefined;
};

/** Whether conditions on an attribute name a form, and options. */
export const asksForForm = (name: AttributeName): boolean =>
  ['answers', 'consents'].includes(getAttribute(name).source.of);
