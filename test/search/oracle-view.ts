// One space of a population as a search sees it: every living contact with its own values, its records and its answers, folded once.
import { extractBirthday, parseMicros, readDate } from './oracle-dates.ts';
import { foldText, isSet, type Phone, readPhone } from './oracle-text.ts';
import type { Population, RecordRow, Tables } from './rows.ts';

/** A text under both kinds of equality. */
export interface Text {
  letters: string;
  folded: string;
}

export interface Answer {
  ref: number;
  /** Null where nothing was answered. */
  folded: string | null;
  number: number | null;
  moment: bigint | null;
}

/** A value is null where the field has none: the same for what is missing, empty or blank. */
export type Fields = Record<string, unknown>;

export interface Person {
  id: number;
  own: Fields;
  birthday: string | null;
  /** Degrees north and east; null where either is missing. */
  at: { latitude: number; longitude: number } | null;
  records: Record<string, Fields[]>;
  /** By form; only of forms that are there. */
  answers: Map<number, Answer[]>;
  /** Each time that an answer on consent was given. */
  given: { form: number; option: number; at: bigint }[];
}

export interface View {
  people: Person[];
  forms: Map<number, { kind: string; type: string }>;
}

const text = (value: string | null | undefined): Text | null =>
  isSet(value) ? { letters: value, folded: foldText(value) } : null;
const phone = (value: string | null, country: string | null | undefined): Phone | null =>
  isSet(value) ? readPhone(value, country ?? null) : null;
const moment = (value: string | null): bigint | null => (value === null ? null : parseMicros(value));
const some = <T>(items: T[]): T[] | null => (items.length > 0 ? items : null);

/** Read by the contract's own notation, or not at all: a decimal point, no exponent, no thousands. */
const readNumber = (data: string): number | null => (/^-?\d+(\.\d+)?$/.test(data) ? Number(data) : null);

const readAnswer = (ref: number, data: string | null): Answer => ({
  ref,
  folded: isSet(data) ? foldText(data) : null,
  number: data === null ? null : readNumber(data.trim()),
  moment: data === null ? null : (readDate(data.trim())?.from ?? null),
});

const views = new WeakMap<Population, Map<number, View>>();

export const getView = (population: Population, group: number): View => {
  const known = views.get(population) ?? new Map<number, View>();
  views.set(population, known);
  const found = known.get(group);
  if (found) return found;
  const view = build(population.tables, group);
  known.set(group, view);
  return view;
};

const build = (tables: Tables, group: number): View => {
  /** Deleted rows are missing everywhere (decisions §3). */
  const alive = <T extends { group_id: number; deleted_at?: string | null }>(rows: readonly T[]): T[] =>
    rows.filter((row) => row.group_id === group && (row.deleted_at ?? null) === null);
  const byId = <T extends { group_id: number; id: number }>(rows: readonly T[]): Map<number, T> =>
    new Map(alive(rows).map((row) => [row.id, row]));
  const byContact = <T extends { group_id: number; contact_id: number }>(rows: readonly T[]): Map<number, T[]> => {
    const grouped = new Map<number, T[]>();
    for (const row of alive(rows)) grouped.set(row.contact_id, [...(grouped.get(row.contact_id) ?? []), row]);
    return grouped;
  };
  const forms = byId(tables.forms);
  const tags = byId(tables.tags);
  const actions = byId(tables.actions);
  const campaigns = byId(tables.campaigns);
  const templates = byId(tables.templates);
  const addresses = byContact(tables.addresses);
  const formers = byContact(tables.former_mails);
  const tagged = byContact(tables.contact_tags);
  const linked = byContact(tables.contact_actions);
  const answered = byContact(tables.answers);
  const agreed = byContact(tables.consent_changes);
  const transactions = byContact(tables.transactions);
  const payments = byId(tables.transactions);
  const donations = byContact(tables.donations);
  const memberships = byContact(tables.memberships);
  const emails = byContact(tables.emails);
  const sanctions = byContact(tables.sanctions);
  const notes = byContact(tables.notes);
  // Those that only superadmins see are found by nobody.
  const interactions = byContact(tables.interactions.filter((row) => !row.only_super_admin));

  const people = alive(tables.contacts).map((contact): Person => {
    const { id } = contact;
    const address = addresses.get(id)?.[0];
    const part = (name: keyof NonNullable<typeof address>) => text(address?.[name] as string | null | undefined);
    const changes = (agreed.get(id) ?? []).filter(({ before, after }) => before !== after);
    const optOuts = changes.filter(({ form_id, after }) => form_id === null && after === 'true');
    const own: Fields = {
      id,
      opted_out_at:
        contact.black_list && optOuts.length > 0
          ? optOuts.map(({ created_at }) => parseMicros(created_at)).reduce((a, b) => (a > b ? a : b))
          : null,
      external_id: text(contact.external_id),
      firstname: text(contact.firstname),
      surname: text(contact.surname),
      married_name: text(contact.married_name),
      gender: text(contact.gender),
      birthdate: moment(contact.birthdate),
      age_cat: contact.age_category,
      birthcity: text(contact.birth_city),
      birth_dept: text(contact.birth_dept),
      phone_invalid: contact.phone_invalid,
      mobile_invalid: contact.mobile_invalid,
      birthcountry: text(contact.birth_country),
      nationality: text(contact.nationality),
      mail: text(contact.mail),
      former_mails: (formers.get(id) ?? []).flatMap(({ mail }) => text(mail) ?? []),
      phone: phone(contact.phone, address?.country),
      mobile: phone(contact.mobile, address?.country),
      'tags.name': some((tagged.get(id) ?? []).map(({ tag_id }) => text(tags.get(tag_id)!.name)!)),
      black_list: contact.black_list,
      lastchange: moment(contact.lastchange),
      UpdatedAt: moment(contact.updated_at),
      CreatedAt: moment(contact.created_at),
      user_id: contact.user_id,
      user_contact_id: contact.user_contact_id,
      action_ids: some((linked.get(id) ?? []).map(({ action_id }) => action_id).filter((one) => actions.has(one))),
      'actions.name': some((linked.get(id) ?? []).flatMap(({ action_id }) => text(actions.get(action_id)?.name) ?? [])),
      'address.citycode': part('citycode'),
      'address.county': part('county'),
      'address.state': part('state'),
      'address.infos': part('infos'),
      'address.location': part('location'),
      'address.latitude': address?.latitude ?? null,
      'address.longitude': address?.longitude ?? null,
      'address.score': address?.score ?? null,
      'address.city': part('city'),
      'address.postalcode': part('postal_code'),
      'address.street': part('street'),
      'address.country': part('country'),
      'address.housenumber': part('house_number'),
      'address.building': part('building'),
      'address.floor': part('floor'),
      'address.door': part('door'),
      'address.addition': part('addition'),
      'address.pollingstation': part('polling_station'),
      'address.invalid': part('invalid'),
      ...totals('transactions', transactions.get(id)),
      ...totals('donations', donations.get(id)),
    };
    const answers = new Map<number, Answer[]>();
    for (const { form_id, form_ref_id, data } of answered.get(id) ?? [])
      if (forms.has(form_id)) answers.set(form_id, [...(answers.get(form_id) ?? []), readAnswer(form_ref_id, data)]);
    const records: Record<string, Fields[]> = {
      transactions: (transactions.get(id) ?? []).map((row) => ({
        ...made(row),
        date: moment(row.date),
        amount: BigInt(row.amount),
        currency: row.currency,
        code_campaign: text(row.code_campaign),
        payment_method_kind: text(row.payment_method_kind),
        status_id: row.status_id,
      })),
      donations: (donations.get(id) ?? []).map((row) => ({
        ...made(row),
        transaction_date: moment(row.transaction_date),
        amount: BigInt(row.amount),
        currency: row.currency,
        donation_price_id: row.donation_price_id,
        payment_method_kind: text(payments.get(row.transaction_id ?? -1)?.payment_method_kind),
      })),
      memberships: (memberships.get(id) ?? []).map((row) => ({
        ...made(row),
        start_date: moment(row.start_date),
        end_date: moment(row.end_date),
        transaction_date: moment(row.transaction_date),
        amount: BigInt(row.amount),
        currency: row.currency,
        membership_price_id: row.membership_price_id,
        period: {
          first: Number(row.start_date.slice(0, 4)),
          last: row.end_date === null ? Number.POSITIVE_INFINITY : Number(row.end_date.slice(0, 4)),
        },
      })),
      emails: (emails.get(id) ?? []).map((row) => {
        const campaign = row.campaign_id === null ? undefined : campaigns.get(row.campaign_id);
        return {
          ...made(row),
          delivered_at: moment(row.delivered_at),
          opened_at: moment(row.opened_at),
          clicked_at: moment(row.clicked_at),
          bounced_at: moment(row.bounced_at),
          unsubscribed_at: moment(row.unsubscribed_at),
          blacklisted_at: moment(row.blacklisted_at),
          abuse_report_at: moment(row.abuse_report_at),
          type: text(row.type),
          user_id: row.user_id,
          campaign_id: row.campaign_id,
          clicked_urls: some((row.clicked_urls ?? []).map((url) => text(url)).filter((url) => url !== null)),
          sender: text(campaign?.sender),
          subject: text(campaign?.subject),
          campaign_name: text(campaign?.name),
          campaign_goal: text(campaign?.goal),
          campaign_is_successful: campaign?.is_successful ?? null,
          campaign_performance_rating: campaign?.performance_rating ?? null,
          template_id: campaign?.template_id ?? null,
          template_name: text(campaign?.template_id == null ? null : templates.get(campaign.template_id)?.name),
        };
      }),
      notes: (notes.get(id) ?? []).map((row) => ({
        ...made(row),
        content: text(row.content),
        pinned: row.pinned,
        user_id: row.user_id,
      })),
      interactions: (interactions.get(id) ?? []).map((row) => ({
        ...made(row),
        type: text(row.type),
        sub_type: text(row.sub_type),
        title: text(row.title),
        comments: text(row.comments),
        user_id: row.user_id,
      })),
      sanctions: (sanctions.get(id) ?? []).map((row) => ({
        ...made(row),
        start_date: moment(row.start_date),
        end_date: moment(row.end_date),
        status: text(row.status),
        validity: { start: moment(row.start_date), end: moment(row.end_date) },
      })),
    };
    const given = changes.flatMap(({ form_id, option_id, after, created_at }) =>
      form_id === null || after === null ? [] : [{ form: form_id, option: option_id!, at: parseMicros(created_at) }],
    );
    const { latitude = null, longitude = null } = address ?? {};
    const at = latitude === null || longitude === null ? null : { latitude, longitude };
    return { id, own, at, birthday: contact.birthdate && extractBirthday(contact.birthdate), records, answers, given };
  });
  return { people, forms };
};

const made = (row: RecordRow): Fields => ({
  created_at: parseMicros(row.created_at),
  ...(row.updated_at !== undefined && { updated_at: parseMicros(row.updated_at) }),
});

/** A sum is the contact's, of one currency, and 0 where there are no records (decisions §4). */
const totals = (family: string, rows: readonly { amount: number; currency: string }[] = []): Fields => {
  const sums = new Map<string, bigint>();
  for (const { amount, currency } of rows) sums.set(currency, (sums.get(currency) ?? 0n) + BigInt(amount));
  return { [`${family}.sum_amount`]: sums };
};
