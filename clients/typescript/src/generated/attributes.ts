// Written by `npm run codegen`: change its source instead.
import type { AnswerAttribute, Attribute, AttributeTable, RecordId } from '../search/attribute.ts';
import type { SearchDate } from '../search/search-date.ts';

/** The attributes that contacts are searched by, each with the operators that it permits. */
export interface ContactAttributes {
  /** first name */
  firstName: Attribute<string, 'equals' | 'exists' | 'notEquals' | 'notStartsWith' | 'startsWith'>;
  /** family name */
  lastName: Attribute<string, 'equals' | 'exists' | 'notEquals' | 'notStartsWith' | 'startsWith'>;
  /** name by marriage */
  marriedName: Attribute<string, 'equals' | 'exists' | 'notEquals' | 'notStartsWith' | 'startsWith'>;
  /** M, F or O */
  gender: Attribute<'F' | 'M' | 'O', 'equals' | 'exists' | 'notEquals'>;
  /** day of birth */
  birthDate: Attribute<SearchDate | Date, 'between' | 'equals' | 'exists' | 'gte' | 'inPeriod' | 'lte'>;
  /** age category, 0 to 6 */
  ageCategory: Attribute<number, 'equals' | 'exists' | 'notEquals'>;
  /** city of birth */
  birthCity: Attribute<string, 'equals' | 'exists' | 'notEquals'>;
  /** department of birth */
  birthDepartment: Attribute<string, 'equals' | 'exists' | 'notEquals'>;
  /** country of birth */
  birthCountry: Attribute<string, 'equals' | 'exists' | 'notEquals'>;
  /** nationality */
  nationality: Attribute<string, 'equals' | 'exists' | 'notEquals'>;
  /** email address, also a former one */
  email: Attribute<string, 'equals' | 'equalsExactly' | 'exists' | 'notEquals' | 'notEqualsExactly' | 'notStartsWith' | 'startsWith'>;
  /** landline number */
  phone: Attribute<string, 'equals' | 'exists' | 'notEquals' | 'notStartsWith' | 'startsWith'>;
  /** mobile number */
  mobile: Attribute<string, 'contains' | 'equals' | 'exists' | 'notEquals' | 'notStartsWith' | 'startsWith'>;
  /** the landline number is of no use */
  phoneInvalid: Attribute<boolean, 'equals' | 'notEquals'>;
  /** the mobile number is of no use */
  mobileInvalid: Attribute<boolean, 'equals' | 'notEquals'>;
  /** name of a tag */
  tags: Attribute<string, 'equals' | 'exists' | 'hasAll' | 'in' | 'notEquals' | 'notIn'>;
  /** opted out of all communication */
  optedOut: Attribute<boolean, 'equals' | 'notEquals'>;
  /** when a user last changed the contact */
  lastChangedAt: Attribute<SearchDate | Date, 'between' | 'equals' | 'exists' | 'gte' | 'lte'>;
  /** the user who last edited */
  lastChangedById: Attribute<RecordId<'User'>, 'equals' | 'exists' | 'notEquals'>;
  /** whether the contact is a user */
  accountId: Attribute<never, 'exists'>;
  /** an action that the contact is linked to */
  actionId: Attribute<RecordId<'Action'>, 'equals' | 'notEquals'>;
  /** name of an action that the contact is linked to */
  actions: Attribute<string, 'equals' | 'hasAll' | 'in' | 'notEquals' | 'notIn'>;
  address: {
    /** city */
    city: Attribute<string, 'equals' | 'exists' | 'notEquals' | 'notStartsWith' | 'startsWith'>;
    /** postal code */
    postalCode: Attribute<string, 'equals' | 'exists' | 'notEquals' | 'notStartsWith' | 'startsWith'>;
    /** street */
    street: Attribute<string, 'equals' | 'exists' | 'notEquals' | 'notStartsWith' | 'startsWith'>;
    /** country */
    country: Attribute<string, 'equals' | 'exists' | 'notEquals'>;
    /** house number */
    houseNumber: Attribute<string, 'equals' | 'exists' | 'notEquals'>;
    /** building */
    building: Attribute<string, 'equals' | 'exists' | 'notEquals'>;
    /** floor */
    floor: Attribute<string, 'equals' | 'exists' | 'notEquals'>;
    /** door */
    door: Attribute<string, 'equals' | 'exists' | 'notEquals'>;
    /** second line of the address */
    addition: Attribute<string, 'equals' | 'exists' | 'notEquals'>;
    /** polling station */
    pollingStation: Attribute<string, 'equals' | 'exists' | 'in' | 'notEquals' | 'notIn'>;
    /** why the address is of no use */
    invalidReason: Attribute<string, 'equals' | 'exists' | 'notEquals' | 'notStartsWith' | 'startsWith'>;
    /** code of the municipality */
    cityCode: Attribute<string, 'equals' | 'exists' | 'notEquals' | 'notStartsWith' | 'startsWith'>;
    /** county or department */
    county: Attribute<string, 'equals' | 'exists' | 'notEquals' | 'notStartsWith' | 'startsWith'>;
    /** state or region */
    state: Attribute<string, 'equals' | 'exists' | 'notEquals' | 'notStartsWith' | 'startsWith'>;
    /** further details */
    details: Attribute<string, 'equals' | 'exists' | 'notEquals'>;
    /** named place */
    location: Attribute<string, 'equals' | 'exists' | 'notEquals'>;
    /** latitude in degrees */
    latitude: Attribute<number, 'between' | 'exists' | 'gte' | 'lte'>;
    /** longitude in degrees */
    longitude: Attribute<number, 'between' | 'exists' | 'gte' | 'lte'>;
    /** how sure the geocoding is */
    score: Attribute<number, 'between' | 'exists' | 'gte' | 'lte'>;
  };
  transactions: {
    /** when a transaction was recorded */
    createdAt: Attribute<SearchDate | Date, 'between' | 'gte' | 'lte'>;
    /** when a transaction was last changed */
    updatedAt: Attribute<SearchDate | Date, 'between' | 'equals' | 'gte' | 'lte' | 'notEquals'>;
    /** date of a transaction */
    date: Attribute<SearchDate | Date, 'between' | 'equals' | 'gte' | 'lte' | 'notEquals'>;
    /** amount of a transaction */
    amount: Attribute<number, 'between' | 'equals' | 'gte' | 'lte' | 'notEquals'>;
    /** total of the transactions */
    total: Attribute<number, 'between' | 'equals' | 'gte' | 'lte' | 'notEquals'>;
    /** number of transactions */
    count: Attribute<number, 'between' | 'equals' | 'gte' | 'lte' | 'notEquals'>;
    /** campaign code of a transaction */
    codeCampaign: Attribute<string, 'contains' | 'equals' | 'exists' | 'notContains' | 'notEquals' | 'notStartsWith' | 'startsWith'>;
    /** means of payment of a transaction */
    paymentMethodKind: Attribute<string, 'equals' | 'notEquals'>;
    /** status of a transaction */
    statusId: Attribute<RecordId<'TransactionStatus'>, 'equals' | 'notEquals'>;
  };
  donations: {
    /** when a donation was recorded */
    createdAt: Attribute<SearchDate | Date, 'between' | 'equals' | 'gte' | 'lte' | 'notEquals'>;
    /** when a donation was last changed */
    updatedAt: Attribute<SearchDate | Date, 'between' | 'equals' | 'gte' | 'lte' | 'notEquals'>;
    /** date of a donation */
    transactionDate: Attribute<SearchDate | Date, 'between' | 'equals' | 'gte' | 'lte' | 'notEquals'>;
    /** amount of a donation */
    amount: Attribute<number, 'between' | 'equals' | 'gte' | 'lte' | 'notEquals'>;
    /** total of the donations */
    total: Attribute<number, 'between' | 'equals' | 'gte' | 'lte' | 'notEquals'>;
    /** number of donations */
    count: Attribute<number, 'between' | 'equals' | 'gte' | 'lte' | 'notEquals'>;
    /** price of a donation */
    donationPriceId: Attribute<RecordId<'DonationPrice'>, 'equals' | 'notEquals'>;
    /** means of payment of a donation */
    paymentMethodKind: Attribute<string, 'equals' | 'notEquals'>;
  };
  memberships: {
    /** number of memberships */
    count: Attribute<number, 'between' | 'equals' | 'gte' | 'lte' | 'notEquals'>;
    /** when a membership was recorded */
    createdAt: Attribute<SearchDate | Date, 'between' | 'equals' | 'gte' | 'lte' | 'notEquals'>;
    /** when a membership was last changed */
    updatedAt: Attribute<SearchDate | Date, 'between' | 'equals' | 'gte' | 'lte' | 'notEquals'>;
    /** amount of a membership */
    amount: Attribute<number, 'between' | 'equals' | 'gte' | 'lte' | 'notEquals'>;
    /** first day of a membership */
    startDate: Attribute<SearchDate | Date, 'between' | 'equals' | 'gte' | 'lte' | 'notEquals'>;
    /** last day of a membership */
    endDate: Attribute<SearchDate | Date, 'between' | 'equals' | 'gte' | 'lte' | 'notEquals'>;
    /** when a membership was paid */
    transactionDate: Attribute<SearchDate | Date, 'between' | 'equals' | 'gte' | 'lte' | 'notEquals'>;
    /** calendar year in which a membership is active */
    year: Attribute<number, 'between' | 'equals' | 'gte' | 'lte' | 'notEquals'>;
    /** calendar year in which two or more memberships are active */
    severalInYear: Attribute<number, 'equals'>;
    /** price of a membership */
    membershipPriceId: Attribute<RecordId<'MembershipPrice'>, 'equals' | 'notEquals'>;
  };
  emails: {
    /** number of emails */
    count: Attribute<number, 'between' | 'equals' | 'gte' | 'lte' | 'notEquals'>;
    /** when an email was made */
    createdAt: Attribute<SearchDate | Date, 'between' | 'exists' | 'gte' | 'lte'>;
    /** when an email was delivered */
    deliveredAt: Attribute<SearchDate | Date, 'between' | 'exists' | 'gte' | 'lte'>;
    /** when an email was opened */
    openedAt: Attribute<SearchDate | Date, 'between' | 'exists' | 'gte' | 'lte'>;
    /** when a link of an email was clicked */
    clickedAt: Attribute<SearchDate | Date, 'between' | 'exists' | 'gte' | 'lte'>;
    /** when an email bounced */
    bouncedAt: Attribute<SearchDate | Date, 'between' | 'exists' | 'gte' | 'lte'>;
    /** when the contact unsubscribed by an email */
    unsubscribedAt: Attribute<SearchDate | Date, 'between' | 'exists' | 'gte' | 'lte'>;
    /** when an email led to blacklisting */
    blacklistedAt: Attribute<SearchDate | Date, 'between' | 'exists' | 'gte' | 'lte'>;
    /** when an email was reported as abuse */
    abuseReportAt: Attribute<SearchDate | Date, 'between' | 'exists' | 'gte' | 'lte'>;
    /** performance of the campaign of an email, 0 to 100 */
    campaignPerformanceRating: Attribute<number, 'between' | 'exists' | 'gte' | 'lte'>;
    /** type of an email */
    type: Attribute<string, 'equals' | 'exists' | 'notEquals'>;
    /** sender of an email */
    sender: Attribute<string, 'equals' | 'exists' | 'notEquals'>;
    /** user who sent an email */
    sentById: Attribute<RecordId<'User'>, 'equals' | 'exists' | 'notEquals'>;
    /** campaign of an email */
    campaignId: Attribute<RecordId<'Campaign'>, 'equals' | 'exists' | 'notEquals'>;
    /** goal of the campaign of an email */
    campaignGoal: Attribute<string, 'equals' | 'exists' | 'notEquals'>;
    /** whether the campaign of an email succeeded */
    campaignIsSuccessful: Attribute<boolean, 'equals' | 'exists' | 'notEquals'>;
    /** template of an email */
    templateId: Attribute<RecordId<'Template'>, 'equals' | 'exists' | 'notEquals'>;
    /** subject of an email */
    subject: Attribute<string, 'contains' | 'exists' | 'notContains' | 'notStartsWith' | 'startsWith'>;
    /** name of the campaign of an email */
    campaignName: Attribute<string, 'contains' | 'exists' | 'notContains' | 'notStartsWith' | 'startsWith'>;
    /** name of the template of an email */
    templateName: Attribute<string, 'contains' | 'exists' | 'notContains' | 'notStartsWith' | 'startsWith'>;
    /** a link of an email that was clicked */
    clickedUrls: Attribute<string, 'contains' | 'equals' | 'exists' | 'notEquals' | 'startsWith'>;
  };
  sanctions: {
    /** number of sanctions */
    count: Attribute<number, 'between' | 'equals' | 'gte' | 'lte' | 'notEquals'>;
    /** when a sanction was recorded */
    createdAt: Attribute<SearchDate | Date, 'between' | 'equals' | 'gte' | 'lte' | 'notEquals'>;
    /** when a sanction was last changed */
    updatedAt: Attribute<SearchDate | Date, 'between' | 'equals' | 'gte' | 'lte' | 'notEquals'>;
    /** when a sanction starts */
    startDate: Attribute<SearchDate | Date, 'between' | 'equals' | 'gte' | 'lte' | 'notEquals'>;
    /** when a sanction ends */
    endDate: Attribute<SearchDate | Date, 'between' | 'equals' | 'exists' | 'gte' | 'lte' | 'notEquals'>;
    /** status of a sanction */
    status: Attribute<string, 'contains' | 'equals' | 'notContains' | 'notEquals'>;
    /** ongoing or ended */
    validity: Attribute<'ENDED' | 'ONGOING', 'equals'>;
  };
  notes: {
    /** number of notes */
    count: Attribute<number, 'between' | 'equals' | 'gte' | 'lte' | 'notEquals'>;
    /** when a note was written */
    createdAt: Attribute<SearchDate | Date, 'between' | 'equals' | 'gte' | 'lte' | 'notEquals'>;
    /** when a note was last changed */
    updatedAt: Attribute<SearchDate | Date, 'between' | 'equals' | 'gte' | 'lte' | 'notEquals'>;
    /** text of a note */
    content: Attribute<string, 'contains' | 'notContains'>;
    /** whether a note is pinned */
    pinned: Attribute<boolean, 'equals' | 'notEquals'>;
    /** the user who wrote a note */
    authorId: Attribute<RecordId<'User'>, 'equals' | 'exists' | 'notEquals'>;
  };
  interactions: {
    /** number of interactions */
    count: Attribute<number, 'between' | 'equals' | 'gte' | 'lte' | 'notEquals'>;
    /** when an interaction was recorded */
    createdAt: Attribute<SearchDate | Date, 'between' | 'equals' | 'gte' | 'lte' | 'notEquals'>;
    /** when an interaction was last changed */
    updatedAt: Attribute<SearchDate | Date, 'between' | 'equals' | 'gte' | 'lte' | 'notEquals'>;
    /** type of an interaction */
    type: Attribute<string, 'equals' | 'notEquals'>;
    /** kind of an interaction within its type */
    subType: Attribute<string, 'equals' | 'exists' | 'notEquals'>;
    /** title of an interaction */
    title: Attribute<string, 'contains' | 'exists' | 'notContains' | 'notStartsWith' | 'startsWith'>;
    /** comments on an interaction */
    comments: Attribute<string, 'contains' | 'exists' | 'notContains' | 'notStartsWith' | 'startsWith'>;
    /** the user who recorded an interaction */
    authorId: Attribute<RecordId<'User'>, 'equals' | 'exists' | 'notEquals'>;
  };
  /** answer to a custom field */
  customField: AnswerAttribute<string, 'between' | 'contains' | 'equals' | 'exists' | 'gte' | 'lte' | 'notContains' | 'notEquals'>;
  /** answer to a form */
  answer: AnswerAttribute<string, 'between' | 'contains' | 'equals' | 'exists' | 'gte' | 'lte' | 'notContains' | 'notEquals'>;
  /** id of the contact */
  id: Attribute<RecordId<'Contact'>, 'equals' | 'in' | 'notEquals' | 'notIn'>;
  /** id in another system */
  externalId: Attribute<string, 'equals' | 'exists' | 'in' | 'notEquals' | 'notIn'>;
  /** when the contact was created */
  createdAt: Attribute<SearchDate | Date, 'between' | 'equals' | 'gte' | 'lte'>;
  /** when the contact was last written */
  updatedAt: Attribute<SearchDate | Date, 'between' | 'equals' | 'gte' | 'lte'>;
  /** when a contact who is opted out did so last; there is no time for one that the history of consent does not know */
  optedOutAt: Attribute<SearchDate | Date, 'between' | 'exists' | 'gte' | 'lte'>;
  /** when the present answer to a form on consent was given last, a refusal too: options say which answers count */
  consentedAt: AnswerAttribute<SearchDate | Date, 'between' | 'exists' | 'gte' | 'lte'>;
  /** saved segment that the contact is in */
  segment: Attribute<RecordId<'Segment'>, 'in' | 'notIn'>;
}

/** Their names in the contract, and the kinds of their values. */
export const attributeTable: AttributeTable = {
  firstName: {"name":"firstname","kind":"text","operators":["equals","exists","notEquals","notStartsWith","startsWith"]},
  lastName: {"name":"surname","kind":"text","operators":["equals","exists","notEquals","notStartsWith","startsWith"]},
  marriedName: {"name":"married_name","kind":"text","operators":["equals","exists","notEquals","notStartsWith","startsWith"]},
  gender: {"name":"gender","kind":"gender","operators":["equals","exists","notEquals"]},
  birthDate: {"name":"birthdate","kind":"day","operators":["between","equals","exists","gte","inPeriod","lte"]},
  ageCategory: {"name":"age_cat","kind":"ageCategory","operators":["equals","exists","notEquals"]},
  birthCity: {"name":"birthcity","kind":"text","operators":["equals","exists","notEquals"]},
  birthDepartment: {"name":"birth_dept","kind":"text","operators":["equals","exists","notEquals"]},
  birthCountry: {"name":"birthcountry","kind":"text","operators":["equals","exists","notEquals"]},
  nationality: {"name":"nationality","kind":"text","operators":["equals","exists","notEquals"]},
  email: {"name":"mail","kind":"text","operators":["equals","equalsExactly","exists","notEquals","notEqualsExactly","notStartsWith","startsWith"]},
  phone: {"name":"phone","kind":"phone","operators":["equals","exists","notEquals","notStartsWith","startsWith"]},
  mobile: {"name":"mobile","kind":"phone","operators":["contains","equals","exists","notEquals","notStartsWith","startsWith"]},
  phoneInvalid: {"name":"phone_invalid","kind":"flag","operators":["equals","notEquals"]},
  mobileInvalid: {"name":"mobile_invalid","kind":"flag","operators":["equals","notEquals"]},
  tags: {"name":"tags.name","kind":"text","operators":["equals","exists","hasAll","in","notEquals","notIn"]},
  optedOut: {"name":"black_list","kind":"flag","operators":["equals","notEquals"]},
  lastChangedAt: {"name":"lastchange","kind":"instant","operators":["between","equals","exists","gte","lte"]},
  lastChangedById: {"name":"user_id","kind":"id","operators":["equals","exists","notEquals"]},
  accountId: {"name":"user_contact_id","kind":"id","operators":["exists"]},
  actionId: {"name":"action_ids","kind":"id","operators":["equals","notEquals"]},
  actions: {"name":"actions.name","kind":"text","operators":["equals","hasAll","in","notEquals","notIn"]},
  address: {
    city: {"name":"address.city","kind":"text","operators":["equals","exists","notEquals","notStartsWith","startsWith"]},
    postalCode: {"name":"address.postalcode","kind":"text","operators":["equals","exists","notEquals","notStartsWith","startsWith"]},
    street: {"name":"address.street","kind":"text","operators":["equals","exists","notEquals","notStartsWith","startsWith"]},
    country: {"name":"address.country","kind":"text","operators":["equals","exists","notEquals"]},
    houseNumber: {"name":"address.housenumber","kind":"text","operators":["equals","exists","notEquals"]},
    building: {"name":"address.building","kind":"text","operators":["equals","exists","notEquals"]},
    floor: {"name":"address.floor","kind":"text","operators":["equals","exists","notEquals"]},
    door: {"name":"address.door","kind":"text","operators":["equals","exists","notEquals"]},
    addition: {"name":"address.addition","kind":"text","operators":["equals","exists","notEquals"]},
    pollingStation: {"name":"address.pollingstation","kind":"text","operators":["equals","exists","in","notEquals","notIn"]},
    invalidReason: {"name":"address.invalid","kind":"text","operators":["equals","exists","notEquals","notStartsWith","startsWith"]},
    cityCode: {"name":"address.citycode","kind":"text","operators":["equals","exists","notEquals","notStartsWith","startsWith"]},
    county: {"name":"address.county","kind":"text","operators":["equals","exists","notEquals","notStartsWith","startsWith"]},
    state: {"name":"address.state","kind":"text","operators":["equals","exists","notEquals","notStartsWith","startsWith"]},
    details: {"name":"address.infos","kind":"text","operators":["equals","exists","notEquals"]},
    location: {"name":"address.location","kind":"text","operators":["equals","exists","notEquals"]},
    latitude: {"name":"address.latitude","kind":"decimal","operators":["between","exists","gte","lte"]},
    longitude: {"name":"address.longitude","kind":"decimal","operators":["between","exists","gte","lte"]},
    score: {"name":"address.score","kind":"decimal","operators":["between","exists","gte","lte"]},
  },
  transactions: {
    createdAt: {"name":"transactions.created_at","kind":"instant","operators":["between","gte","lte"]},
    updatedAt: {"name":"transactions.updated_at","kind":"instant","operators":["between","equals","gte","lte","notEquals"]},
    date: {"name":"transactions.date","kind":"instant","operators":["between","equals","gte","lte","notEquals"]},
    amount: {"name":"transactions.amount","kind":"cents","operators":["between","equals","gte","lte","notEquals"]},
    total: {"name":"transactions.sum_amount","kind":"cents","operators":["between","equals","gte","lte","notEquals"]},
    count: {"name":"transactions.count_amount","kind":"whole","operators":["between","equals","gte","lte","notEquals"]},
    codeCampaign: {"name":"transactions.code_campaign","kind":"text","operators":["contains","equals","exists","notContains","notEquals","notStartsWith","startsWith"]},
    paymentMethodKind: {"name":"transactions.payment_method_kind","kind":"text","operators":["equals","notEquals"]},
    statusId: {"name":"transactions.status_id","kind":"id","operators":["equals","notEquals"]},
  },
  donations: {
    createdAt: {"name":"donations.created_at","kind":"instant","operators":["between","equals","gte","lte","notEquals"]},
    updatedAt: {"name":"donations.updated_at","kind":"instant","operators":["between","equals","gte","lte","notEquals"]},
    transactionDate: {"name":"donations.transaction_date","kind":"instant","operators":["between","equals","gte","lte","notEquals"]},
    amount: {"name":"donations.amount","kind":"cents","operators":["between","equals","gte","lte","notEquals"]},
    total: {"name":"donations.sum_amount","kind":"cents","operators":["between","equals","gte","lte","notEquals"]},
    count: {"name":"donations.count_amount","kind":"whole","operators":["between","equals","gte","lte","notEquals"]},
    donationPriceId: {"name":"donations.donation_price_id","kind":"id","operators":["equals","notEquals"]},
    paymentMethodKind: {"name":"donations.payment_method_kind","kind":"text","operators":["equals","notEquals"]},
  },
  memberships: {
    count: {"name":"memberships.count_amount","kind":"whole","operators":["between","equals","gte","lte","notEquals"]},
    createdAt: {"name":"memberships.created_at","kind":"instant","operators":["between","equals","gte","lte","notEquals"]},
    updatedAt: {"name":"memberships.updated_at","kind":"instant","operators":["between","equals","gte","lte","notEquals"]},
    amount: {"name":"memberships.amount","kind":"cents","operators":["between","equals","gte","lte","notEquals"]},
    startDate: {"name":"memberships.start_date","kind":"day","operators":["between","equals","gte","lte","notEquals"]},
    endDate: {"name":"memberships.end_date","kind":"day","operators":["between","equals","gte","lte","notEquals"]},
    transactionDate: {"name":"memberships.transaction_date","kind":"instant","operators":["between","equals","gte","lte","notEquals"]},
    year: {"name":"memberships.period","kind":"year","operators":["between","equals","gte","lte","notEquals"]},
    severalInYear: {"name":"memberships.multiple_in_period","kind":"year","operators":["equals"]},
    membershipPriceId: {"name":"memberships.membership_price_id","kind":"id","operators":["equals","notEquals"]},
  },
  emails: {
    count: {"name":"emails.count_amount","kind":"whole","operators":["between","equals","gte","lte","notEquals"]},
    createdAt: {"name":"emails.created_at","kind":"instant","operators":["between","exists","gte","lte"]},
    deliveredAt: {"name":"emails.delivered_at","kind":"instant","operators":["between","exists","gte","lte"]},
    openedAt: {"name":"emails.opened_at","kind":"instant","operators":["between","exists","gte","lte"]},
    clickedAt: {"name":"emails.clicked_at","kind":"instant","operators":["between","exists","gte","lte"]},
    bouncedAt: {"name":"emails.bounced_at","kind":"instant","operators":["between","exists","gte","lte"]},
    unsubscribedAt: {"name":"emails.unsubscribed_at","kind":"instant","operators":["between","exists","gte","lte"]},
    blacklistedAt: {"name":"emails.blacklisted_at","kind":"instant","operators":["between","exists","gte","lte"]},
    abuseReportAt: {"name":"emails.abuse_report_at","kind":"instant","operators":["between","exists","gte","lte"]},
    campaignPerformanceRating: {"name":"emails.campaign_performance_rating","kind":"whole","operators":["between","exists","gte","lte"]},
    type: {"name":"emails.type","kind":"text","operators":["equals","exists","notEquals"]},
    sender: {"name":"emails.sender","kind":"text","operators":["equals","exists","notEquals"]},
    sentById: {"name":"emails.user_id","kind":"id","operators":["equals","exists","notEquals"]},
    campaignId: {"name":"emails.campaign_id","kind":"id","operators":["equals","exists","notEquals"]},
    campaignGoal: {"name":"emails.campaign_goal","kind":"text","operators":["equals","exists","notEquals"]},
    campaignIsSuccessful: {"name":"emails.campaign_is_successful","kind":"flag","operators":["equals","exists","notEquals"]},
    templateId: {"name":"emails.template_id","kind":"id","operators":["equals","exists","notEquals"]},
    subject: {"name":"emails.subject","kind":"text","operators":["contains","exists","notContains","notStartsWith","startsWith"]},
    campaignName: {"name":"emails.campaign_name","kind":"text","operators":["contains","exists","notContains","notStartsWith","startsWith"]},
    templateName: {"name":"emails.template_name","kind":"text","operators":["contains","exists","notContains","notStartsWith","startsWith"]},
    clickedUrls: {"name":"emails.clicked_urls","kind":"text","operators":["contains","equals","exists","notEquals","startsWith"]},
  },
  sanctions: {
    count: {"name":"sanctions.count_amount","kind":"whole","operators":["between","equals","gte","lte","notEquals"]},
    createdAt: {"name":"sanctions.created_at","kind":"instant","operators":["between","equals","gte","lte","notEquals"]},
    updatedAt: {"name":"sanctions.updated_at","kind":"instant","operators":["between","equals","gte","lte","notEquals"]},
    startDate: {"name":"sanctions.start_date","kind":"instant","operators":["between","equals","gte","lte","notEquals"]},
    endDate: {"name":"sanctions.end_date","kind":"instant","operators":["between","equals","exists","gte","lte","notEquals"]},
    status: {"name":"sanctions.status","kind":"text","operators":["contains","equals","notContains","notEquals"]},
    validity: {"name":"sanctions.validity","kind":"validity","operators":["equals"]},
  },
  notes: {
    count: {"name":"notes.count_amount","kind":"whole","operators":["between","equals","gte","lte","notEquals"]},
    createdAt: {"name":"notes.created_at","kind":"instant","operators":["between","equals","gte","lte","notEquals"]},
    updatedAt: {"name":"notes.updated_at","kind":"instant","operators":["between","equals","gte","lte","notEquals"]},
    content: {"name":"notes.content","kind":"text","operators":["contains","notContains"]},
    pinned: {"name":"notes.pinned","kind":"flag","operators":["equals","notEquals"]},
    authorId: {"name":"notes.user_id","kind":"id","operators":["equals","exists","notEquals"]},
  },
  interactions: {
    count: {"name":"interactions.count_amount","kind":"whole","operators":["between","equals","gte","lte","notEquals"]},
    createdAt: {"name":"interactions.created_at","kind":"instant","operators":["between","equals","gte","lte","notEquals"]},
    updatedAt: {"name":"interactions.updated_at","kind":"instant","operators":["between","equals","gte","lte","notEquals"]},
    type: {"name":"interactions.type","kind":"text","operators":["equals","notEquals"]},
    subType: {"name":"interactions.sub_type","kind":"text","operators":["equals","exists","notEquals"]},
    title: {"name":"interactions.title","kind":"text","operators":["contains","exists","notContains","notStartsWith","startsWith"]},
    comments: {"name":"interactions.comments","kind":"text","operators":["contains","exists","notContains","notStartsWith","startsWith"]},
    authorId: {"name":"interactions.user_id","kind":"id","operators":["equals","exists","notEquals"]},
  },
  customField: {"name":"custom_fields","kind":"answer","operators":["between","contains","equals","exists","gte","lte","notContains","notEquals"],"hasForm":true},
  answer: {"name":"form","kind":"answer","operators":["between","contains","equals","exists","gte","lte","notContains","notEquals"],"hasForm":true},
  id: {"name":"id","kind":"id","operators":["equals","in","notEquals","notIn"]},
  externalId: {"name":"external_id","kind":"text","operators":["equals","exists","in","notEquals","notIn"]},
  createdAt: {"name":"CreatedAt","kind":"instant","operators":["between","equals","gte","lte"]},
  updatedAt: {"name":"UpdatedAt","kind":"instant","operators":["between","equals","gte","lte"]},
  optedOutAt: {"name":"opted_out_at","kind":"instant","operators":["between","exists","gte","lte"]},
  consentedAt: {"name":"consented_at","kind":"instant","operators":["between","exists","gte","lte"],"hasForm":true},
  segment: {"name":"segment","kind":"id","operators":["in","notIn"]},
};
