// The tables that a search can see, as plain rows named like their columns: what a population is made of.

export interface Owned {
  group_id: number;
  id: number;
}

export interface Mortal extends Owned {
  deleted_at: string | null;
}

export interface ContactRow extends Mortal {
  external_id: string | null;
  firstname: string | null;
  surname: string | null;
  married_name: string | null;
  gender: string | null;
  birthdate: string | null;
  age_category: number | null;
  birth_city: string | null;
  birth_country: string | null;
  birth_dept: string | null;
  phone_invalid: boolean;
  mobile_invalid: boolean;
  nationality: string | null;
  mail: string | null;
  phone: string | null;
  mobile: string | null;
  black_list: boolean;
  user_id: number | null;
  user_contact_id: number | null;
  lastchange: string;
  created_at: string;
  updated_at: string;
}

export interface AddressRow extends Owned {
  contact_id: number;
  citycode: string | null;
  county: string | null;
  state: string | null;
  infos: string | null;
  location: string | null;
  latitude: number | null;
  longitude: number | null;
  score: number | null;
  addition: string | null;
  building: string | null;
  city: string | null;
  country: string | null;
  door: string | null;
  floor: string | null;
  house_number: string | null;
  invalid: string | null;
  polling_station: string | null;
  postal_code: string | null;
  street: string | null;
}

export interface FormRow extends Mortal {
  kind: string;
  label: string;
  type: string;
}

export interface FormRefRow extends Owned {
  form_id: number;
  label: string;
  value: string | null;
  position: number;
}

export interface AnswerRow extends Owned {
  contact_id: number;
  form_id: number;
  form_ref_id: number;
  data: string | null;
}

export interface ConsentRow extends Owned {
  contact_id: number;
  form_id: number | null;
  form_ref_id: number | null;
  option_id: number | null;
  before: string | null;
  after: string | null;
  operation: string;
  created_at: string;
}

export interface RecordRow extends Mortal {
  contact_id: number;
  created_at: string;
  /** E-mails have none. */
  updated_at?: string;
}

export interface TransactionRow extends RecordRow {
  amount: number;
  currency: string;
  date: string;
  code_campaign: string | null;
  payment_method_kind: string | null;
  status_id: number | null;
}

export interface DonationRow extends RecordRow {
  transaction_id: number | null;
  donation_price_id: number | null;
  amount: number;
  currency: string;
  transaction_date: string;
}

export interface MembershipRow extends RecordRow {
  transaction_id: number | null;
  membership_price_id: number | null;
  amount: number;
  currency: string;
  start_date: string;
  end_date: string | null;
  transaction_date: string | null;
}

export interface CampaignRow extends Mortal {
  template_id: number | null;
  name: string;
  subject: string | null;
  sender: string | null;
  goal: string | null;
  is_successful: boolean | null;
  performance_rating: number | null;
}

export interface EmailRow extends RecordRow {
  campaign_id: number | null;
  user_id: number | null;
  type: string | null;
  clicked_urls: string[] | null;
  delivered_at: string | null;
  opened_at: string | null;
  clicked_at: string | null;
  bounced_at: string | null;
  unsubscribed_at: string | null;
  blacklisted_at: string | null;
  abuse_report_at: string | null;
}

export interface SanctionRow extends RecordRow {
  status: string | null;
  start_date: string | null;
  end_date: string | null;
}

export interface NoteRow extends RecordRow {
  updated_at: string;
  content: string;
  pinned: boolean;
  user_id: number | null;
}

export interface InteractionRow extends RecordRow {
  updated_at: string;
  type: string;
  sub_type: string | null;
  title: string | null;
  comments: string | null;
  user_id: number | null;
  only_super_admin: boolean;
}

/** In the order in which they can be inserted: parents first. */
export interface Tables {
  spaces: { id: number; name: string }[];
  users: { id: number; mail: string }[];
  roles: (Owned & { name: string; type: string })[];
  members: { group_id: number; user_id: number; role_id: number }[];
  contacts: ContactRow[];
  addresses: AddressRow[];
  former_mails: { group_id: number; contact_id: number; mail: string }[];
  tags: (Owned & { name: string })[];
  contact_tags: { group_id: number; contact_id: number; tag_id: number }[];
  actions: (Mortal & { name: string })[];
  contact_actions: { group_id: number; contact_id: number; action_id: number }[];
  forms: FormRow[];
  form_refs: FormRefRow[];
  answers: AnswerRow[];
  consent_changes: ConsentRow[];
  membership_price_groups: (Owned & { name: string })[];
  membership_prices: (Mortal & { membership_price_group_id: number; name: string; amount: number })[];
  donation_prices: (Mortal & { name: string; amount: number })[];
  transaction_statuses: (Mortal & { name: string })[];
  transactions: TransactionRow[];
  donations: DonationRow[];
  memberships: MembershipRow[];
  templates: (Mortal & { name: string })[];
  campaigns: CampaignRow[];
  emails: EmailRow[];
  sanctions: SanctionRow[];
  notes: NoteRow[];
  interactions: InteractionRow[];
}

export interface Population {
  seed: number;
  /** The one instant that every `now` of a search means. */
  now: string;
  tables: Tables;
}
