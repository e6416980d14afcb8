// Plain copies of a space: one that is fed by the messages of a webhook with values, one that reads again what the feed names; and the space itself, read whole.
import { type PublishedType, publishedTypes } from '../../src/data/event/published.ts';
import type { Door, Json } from '../harness/app.ts';

const place =
  'addition building city cityCode country county details door floor houseNumber latitude location longitude pollingStation postalCode score state street';
const answer = '{ id formId: form { id } optionId: option { id } text answeredAt surveyId }';
const money = 'amount { amount currency }';
const price = `name ${money} allowCustomAmount hidden kind`;
const ofContact = 'contactId: contact { id }';

/** What is compared of each type, in the words of messages; nothing of users, whose profiles are no change of the space. */
const shown: Record<Exclude<PublishedType, 'User'>, { table: string; fields: string }> = {
  Contact: {
    table: 'contacts',
    fields: `externalId firstName lastName marriedName gender birthDate ageCategory birthCity birthCountry birthDepartment nationality email phone phoneInvalid
      mobile mobileInvalid optedOut accountId: account { id } address { ${place} invalid invalidReason } tags { id } actions { id } answers(first: 50) { nodes ${answer} } customFields ${answer}`,
  },
  Note: { table: 'notes', fields: `${ofContact} authorId: author { id } content pinned` },
  Interaction: {
    table: 'interactions',
    fields: `${ofContact} authorId: author { id } type subType title comments onlySuperAdmin files { id addedById: addedBy { id } subject url folder mime name }`,
  },
  Transaction: {
    table: 'transactions',
    fields: `${ofContact} ${money} date codeCampaign paymentMethodKind statusId: status { id }`,
  },
  Donation: {
    table: 'donations',
    fields: `${ofContact} ${money} transactionDate transactionId: transaction { id } donationPriceId: donationPrice { id }`,
  },
  Membership: {
    table: 'memberships',
    fields: `${ofContact} ${money} startDate endDate transactionDate transactionId: transaction { id } membershipPriceId: membershipPrice { id }`,
  },
  Sanction: { table: 'sanctions', fields: `${ofContact} status startDate endDate` },
  Email: {
    table: 'emails',
    fields: `${ofContact} campaignId: campaign { id } sentById: sentBy { id } type clickedUrls deliveredAt openedAt clickedAt bouncedAt unsubscribedAt blacklistedAt abuseReportAt`,
  },
  Tag: { table: 'tags', fields: 'name color' },
  Action: { table: 'actions', fields: 'name startsAt' },
  Form: { table: 'forms', fields: 'kind label type options { id label value }' },
  Team: {
    table: 'teams',
    fields: `name description private hideUsers users { id } leaders { id } address { ${place} buildingType invalid }`,
  },
  Role: { table: 'roles', fields: 'name type position color mobile web permissions' },
  Invitation: {
    table: 'invitations',
    fields: 'email mobilePhone roleId: role { id } acceptedById: acceptedBy { id } lastSentAt teams { id }',
  },
  Campaign: {
    table: 'campaigns',
    fields: 'templateId: template { id } name subject sender goal isSuccessful performanceRating sentAt',
  },
  Template: { table: 'templates', fields: 'name' },
  MembershipPriceGroup: { table: 'membership_price_groups', fields: 'name hidden' },
  MembershipPrice: {
    table: 'membership_prices',
    fields: `membershipPriceGroupId: group { id } ${price} duration rollingPeriod`,
  },
  DonationPrice: { table: 'donation_prices', fields: price },
  TransactionStatus: { table: 'transaction_statuses', fields: 'name color kind archived' },
  Import: { table: 'imports', fields: 'name family finishedAt undoneAt created updated refused unchanged' },
  Segment: { table: 'segments', fields: 'authorId: author { id } name description query isWatched' },
};
type ShownType = keyof typeof shown;
const isShown = (type: string): type is ShownType => type in shown;
export const shownTypes = publishedTypes.filter(isShown);

export type Copy = Map<string, Json>;
const typeOf = (id: string): ShownType => id.split(':')[0] as ShownType;

/** A reference by its id, and both lists of answers as one. */
const simplify = (value: Json): Json => {
  if (Array.isArray(value)) return value.map(simplify);
  if (value === null || typeof value !== 'object') return value;
  const { customFields, ...fields } = value;
  const all = customFields ? { ...fields, answers: [...fields.answers.nodes, ...customFields] } : fields;
  return Object.fromEntries(
    Object.entries<Json>(all).map(([name, one]) => [
      name,
      name.endsWith('Id') && one?.id ? one.id : name === 'query' ? one : simplify(one),
    ]),
  );
};

export type Read = (query: string, variables?: Json) => Promise<Json>;

/** Records as they are now; those that are not there are left out. */
const readRecords = async (read: Read, ids: readonly string[]): Promise<Copy> => {
  const copy: Copy = new Map();
  for (const type of shownTypes) {
    const some = ids.filter((id) => typeOf(id) === type);
    while (some.length > 0) {
      const chunk = some.splice(0, 50);
      const { nodes } = await read(
        `query ($ids: [ID!]!) { nodes(ids: $ids) { id ... on ${type} { ${shown[type].fields} } } }`,
        { ids: chunk },
      );
      // The id of one that was merged leads to its survivor.
      for (const [at, node] of nodes.entries())
        if (node?.id === chunk[at]) {
          const { id, ...fields } = node;
          copy.set(id, simplify(fields));
        }
    }
  }
  return copy;
};

/** All that lives in the space. */
export const readSpace = async (read: Read, { sql }: Door, space: number): Promise<Copy> => {
  const ids: string[] = [];
  for (const type of shownTypes)
    for (const { id } of await sql(`select id from ${shown[type].table} where group_id = ? order by id`, [space]))
      ids.push(`${type}:${id}`);
  return readRecords(read, ids);
};

/** A copy that a reader of the feed keeps: each change names a record, which is read again. */
export const createFeedCopy = (read: Read, copy: Copy) => {
  /** Records of a contact that was deleted when they were read: they are there again once it is restored. */
  const hidden = new Map<string, string>();
  return {
    copy,
    async follow(changes: readonly Json[]): Promise<void> {
      const ids = new Set<string>();
      const contacts = new Map<string, string>();
      for (const { recordId, contactId, operation } of changes) {
        if (!isShown(typeOf(recordId))) continue;
        ids.add(recordId);
        if (contactId) contacts.set(recordId, contactId);
        if (operation === 'RESTORED') for (const [id, contact] of hidden) if (contact === recordId) ids.add(id);
      }
      const found = await readRecords(read, [...ids]);
      for (const id of ids) {
        const node = found.get(id);
        if (node) copy.set(id, node);
        else copy.delete(id);
        const contact = contacts.get(id) ?? hidden.get(id);
        if (!node && contact) hidden.set(id, contact);
        else hidden.delete(id);
      }
    },
  };
};

/** Parts whose messages have the rows that went and those that came. */
const lists = ['tags', 'actions', 'answers', 'users', 'options', 'files', 'teams', 'counts'];
/** The name of a tag or an action is told of that one alone; the place of an option is not read. */
const freelyChanged = ['name', 'position'];
const keyOf = (row: Json): string => String(row.id ?? row.firstRow);

/** A copy of what messages say: fields are set; of lists, rows go and come. */
/** It begins with what the space has. */
export const createMessageCopy = (copy: Copy) => {
  const update = (record: Json, name: string, { before, after, id }: Json): void => {
    for (const side of [before, after])
      if (!(name in side)) throw new Error(`${id}: no ${name} in ${JSON.stringify({ before, after })}`);
    if (!lists.includes(name)) {
      record[name] = after[name];
      return;
    }
    const rows = new Map(record[name].map((row: Json) => [keyOf(row), row]));
    for (const row of before[name]) {
      // What goes was there as it is said to have been.
      const known: Json = rows.get(keyOf(row)) ?? {};
      const differs = ([field, value]: [string, Json]): boolean =>
        JSON.stringify(known[field]) !== JSON.stringify(value);
      if (Object.entries<Json>(row).some((one) => !freelyChanged.includes(one[0]) && differs(one)))
        throw new Error(`${id}: ${name} had ${JSON.stringify(known)}, and not ${JSON.stringify(row)}`);
      rows.delete(keyOf(row));
    }
    for (const row of after[name]) {
      if (rows.has(keyOf(row))) throw new Error(`${id}: ${name} had ${JSON.stringify(row)} before`);
      rows.set(keyOf(row), row);
    }
    record[name] = [...rows.values()];
  };
  return {
    copy,
    take({ type: event, data }: Json): void {
      const operation = event.split('.')[1];
      if (!isShown(data.type) || operation === 'entered' || operation === 'left') return;
      if (data.version !== 2) throw new Error(`version ${data.version}`);
      if (operation === 'deleted') copy.delete(data.id);
      else if (operation === 'updated') {
        const record = copy.get(data.id);
        if (record) for (const name of data.fields) update(record, name, data);
      } else copy.set(data.id, structuredClone(data.after));
    },
  };
};

const sum = (rows: Json[], name: string): number => rows.reduce((total, row) => total + row[name], 0);

/** The parts that the graph shows in another form than messages. */
const forms: Partial<Record<ShownType, (record: Json) => Json>> = {
  Team: ({ users, ...team }) => ({
    ...team,
    users: users.map(({ id }: Json) => ({ id })),
    leaders: users.filter(({ leader }: Json) => leader).map(({ id }: Json) => ({ id })),
  }),
  Import: ({ counts, userId: _, ...one }) => ({
    ...one,
    ...Object.fromEntries(['created', 'updated', 'refused', 'unchanged'].map((name) => [name, sum(counts, name)])),
  }),
  Invitation: ({ acceptedAt: _, invitedBy: __, ...one }) => one,
  Form: ({ options, ...form }) => ({
    ...form,
    options: options.map(({ position: _, ...option }: Json) => option),
  }),
};

const byId = (rows: Json): Json =>
  Array.isArray(rows) && rows[0]?.id ? [...rows].sort((one, other) => (one.id < other.id ? -1 : 1)) : rows;

/** A copy as it is compared: without what hangs on records that are deleted. */
export const compareForm = (copy: Copy, isOfMessages = false): Json => {
  const lives = ({ id }: Json): boolean => copy.has(id);
  const hangsOnLiving = ({ contactId }: Json): boolean => !contactId || copy.has(contactId);
  const isThere = (id: string): boolean => copy.has(id) && hangsOnLiving(copy.get(id));
  const records = [...copy].filter(([, record]) => hangsOnLiving(record));
  return Object.fromEntries(
    records.sort().map(([id, record]) => {
      const { tags, actions, answers, teams, ...rest } = isOfMessages
        ? (forms[typeOf(id)]?.(record) ?? record)
        : record;
      const parts = {
        // Reads show a transaction that was deleted, but none of a deleted contact: a copy may have neither.
        ...(rest.transactionId && { transactionId: isThere(rest.transactionId) ? rest.transactionId : null }),
        ...(teams && { teams: teams.filter(lives) }),
        ...(tags && {
          tags: tags.filter(lives).map((tag: Json) => ({ id: tag.id })),
          actions: actions.filter(lives).map((action: Json) => ({ id: action.id })),
          answers: answers.filter(({ formId }: Json) => copy.has(formId)),
        }),
      };
      const fields = Object.entries<Json>({ ...rest, ...parts }).map(([name, value]) => [name, byId(value)]);
      return [id, Object.fromEntries(fields.sort())];
    }),
  );
};
