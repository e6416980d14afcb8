// Gathers rows: the columns of every table that the seed fills, their next ids, and their text for COPY.

/** Every table comes after the tables that its rows refer to. */
export const columns = {
  spaces: 'id, name, created_at, updated_at',
  users:
    'id, mail, firstname, surname, phone, address, city, postal, location, locale, avatar, birthdate, status, two_factor_enable, two_factor_method, created_at, updated_at',
  roles: 'group_id, id, name, type, position, color, mobile, web, permissions, created_at, updated_at',
  members: 'group_id, user_id, role_id, created_at',
  teams: 'group_id, id, name, description, private, hide_users, version, created_at, updated_at, deleted_at',
  team_users: 'group_id, team_id, user_id, leader, position',
  team_addresses:
    'group_id, id, team_id, addition, building_type, city, citycode, country, county, house_number, invalid, latitude, location, longitude, polling_station, postal_code, score, state, street',
  invitations:
    'group_id, id, email, mobile_phone, role_id, user_id, invited_by, last_sent, accepted_at, created_at, updated_at, deleted_at',
  invitation_teams: 'group_id, invitation_id, team_id',
  tags: 'group_id, id, name, color, created_at, updated_at',
  actions: 'group_id, id, name, starts_at, created_at, updated_at, deleted_at',
  forms: 'group_id, id, kind, label, type, created_at, updated_at, deleted_at',
  form_refs: 'group_id, id, form_id, label, value, position, created_at, updated_at',
  membership_price_groups: 'group_id, id, name, hidden, created_at, updated_at',
  membership_prices:
    'group_id, id, membership_price_group_id, name, amount, allow_custom_amount, hidden, kind, duration, rolling_period, created_at, updated_at',
  donation_prices: 'group_id, id, name, amount, allow_custom_amount, hidden, kind, created_at, updated_at',
  transaction_statuses: 'group_id, id, name, color, kind, archived, created_at, updated_at',
  segments: 'group_id, id, name, description, query, is_watched, author_id, created_at, updated_at',
  segment_uses: 'group_id, segment_id, used_id',
  templates: 'group_id, id, name, created_at, updated_at',
  campaigns:
    'group_id, id, template_id, name, subject, sender, goal, is_successful, performance_rating, sent_at, created_at, updated_at',
  contacts:
    'group_id, id, external_id, firstname, surname, married_name, gender, birthdate, age_category, birth_city, birth_country, birth_dept, nationality, mail, phone, phone_invalid, mobile, mobile_invalid, black_list, user_id, user_contact_id, version, lastchange, created_at, updated_at, deleted_at',
  addresses:
    'group_id, id, contact_id, addition, building, city, citycode, country, county, door, floor, house_number, infos, invalid, latitude, location, longitude, polling_station, postal_code, score, state, street, created_at, updated_at',
  contact_tags: 'group_id, contact_id, tag_id',
  contact_actions: 'group_id, contact_id, action_id',
  notes: 'group_id, id, contact_id, user_id, content, pinned, created_at, updated_at, deleted_at',
  interactions:
    'group_id, id, contact_id, user_id, type, sub_type, title, comments, only_super_admin, created_at, updated_at, deleted_at',
  files: 'group_id, id, interaction_id, owner_id, subject, url, folder, mime, name, created_at',
  answers: 'group_id, id, contact_id, form_id, form_ref_id, survey_id, data, date, created_at, updated_at',
  transactions:
    'group_id, id, contact_id, amount, currency, date, code_campaign, payment_method_kind, status_id, created_at, updated_at, deleted_at',
  donations:
    'group_id, id, contact_id, transaction_id, donation_price_id, amount, currency, transaction_date, created_at, updated_at',
  memberships:
    'group_id, id, contact_id, transaction_id, membership_price_id, amount, currency, start_date, end_date, transaction_date, created_at, updated_at',
  emails:
    'group_id, id, contact_id, campaign_id, user_id, type, clicked_urls, delivered_at, opened_at, clicked_at, bounced_at, unsubscribed_at, blacklisted_at, abuse_report_at, created_at',
  sanctions: 'group_id, id, contact_id, status, start_date, end_date, created_at, updated_at',
};

export type Table = keyof typeof columns;
type Value = string | number | boolean | null;

export const tables = Object.keys(columns) as Table[];
export const withId = tables.filter((table) => / ?\bid,/.test(columns[table]));

const special = /[\\\t\n\r]/;
const escapes: Record<string, string> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' };
const escaped = (text: string): string =>
  special.test(text) ? text.replace(/[\\\t\n\r]/g, (character) => escapes[character] as string) : text;
const written = (value: Value): string => {
  if (value === null) return '\\N';
  if (typeof value === 'string') return escaped(value);
  if (typeof value === 'number') return String(value);
  return value ? 't' : 'f';
};

/** The text of one table, in memory outside the heap: collecting batches as garbage would take longer than creating them. */
class Sheet {
  #bytes = Buffer.allocUnsafe(1 << 16);
  #end = 0;

  add(line: string): void {
    // A UTF-16 unit takes at most three bytes.
    while (this.#end + line.length * 3 > this.#bytes.length) {
      const larger = Buffer.allocUnsafe(this.#bytes.length * 2);
      this.#bytes.copy(larger, 0, 0, this.#end);
      this.#bytes = larger;
    }
    this.#end += this.#bytes.write(line, this.#end);
  }

  take(): Buffer {
    const taken = this.#bytes.subarray(0, this.#end);
    this.#bytes = Buffer.allocUnsafe(this.#bytes.length);
    this.#end = 0;
    return taken;
  }

  get empty(): boolean {
    return this.#end === 0;
  }
}

/** The rows of all tables until they are sent to the database. */
export class SeedRows {
  total = 0;
  /** The last existing ids; new ones follow them. */
  readonly lastIds: Partial<Record<Table, number>>;
  readonly #sheets = new Map<Table, Sheet>(tables.map((table) => [table, new Sheet()]));

  constructor(lastIds: SeedRows['lastIds']) {
    this.lastIds = lastIds;
  }

  id(table: Table): number {
    return this.took(table, (this.lastIds[table] ?? 0) + 1);
  }

  /** Adds a row with a given id. */
  took(table: Table, id: number): number {
    this.lastIds[table] = Math.max(id, this.lastIds[table] ?? 0);
    return id;
  }

  /** Adds a row with values in the order of the table's columns. */
  add(table: Table, values: Value[]): void {
    let line = written(values[0] as Value);
    for (let i = 1; i < values.length; i++) line += `\t${written(values[i] as Value)}`;
    this.#sheets.get(table)?.add(`${line}\n`);
    this.total++;
  }

  take(): Map<Table, Buffer> {
    const filled = [...this.#sheets].filter(([, sheet]) => !sheet.empty);
    return new Map(filled.map(([table, sheet]) => [table, sheet.take()]));
  }
}
