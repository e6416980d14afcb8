// Reads a space back through both doors, and says where it is not as the model has it.
import { parseDateTime } from '../../schema/graph/scalars.ts';
import type { Json } from '../harness/app.ts';
import { selectFields, translateResult } from './graph-names.ts';
import {
  type Answer,
  fieldNames,
  flags,
  type Hung,
  type Model,
  type Person,
  partNames,
  type Relation,
  relations,
} from './model.ts';

const record: Record<Relation, string[]> = {
  notes: ['content', 'pinned', 'userId'],
  interactions: ['type', 'title', 'onlySuperAdmin', 'userId'],
  transactions: ['amount', 'currency', 'date', 'codeCampaign', 'statusId'],
  donations: ['amount', 'currency', 'transactionDate', 'transactionId', 'donationPriceId'],
  memberships: ['amount', 'currency', 'startDate', 'endDate', 'transactionId', 'membershipPriceId'],
  emails: ['campaignId', 'type', 'clickedUrls', 'deliveredAt', 'openedAt', 'clickedAt', 'bouncedAt', 'unsubscribedAt'],
  sanctions: ['status', 'startDate', 'endDate'],
};
/** With all digits of a second, by which texts of instants are in order. */
export const normalizeInstant = (text: string): string => parseDateTime(text)!;

const types: Record<Relation, string> = {
  notes: 'Note',
  interactions: 'Interaction',
  transactions: 'Transaction',
  donations: 'Donation',
  memberships: 'Membership',
  emails: 'Email',
  sanctions: 'Sanction',
};
const answer = `{ ${selectFields('Answer', ['id', 'formId', 'formRefId', 'data', 'date', 'surveyId'])} }`;
const own = ['id', 'version', 'userId', 'lastchange', 'createdAt', 'updatedAt', 'userContactId', 'actionIds'];
const everybody = `query ($after: String) { contacts(first: 40, after: $after) { pageInfo { endCursor hasNextPage } nodes {
  ${selectFields('Contact', [...own, ...fieldNames])}
  address { ${selectFields('Address', partNames)} } tags { name color } answers(first: 50) { nodes ${answer} } customFields ${answer}
  ${relations.map((name) => `${name}(first: 50) { nodes { ${selectFields(types[name], ['id', ...record[name]])} } }`).join(' ')} } } }`;

const byId = (rows: Json[]): Json[] => [...rows].sort((one, other) => one.id - other.id);
const sorted = <T>(items: Iterable<T>): T[] => [...items].sort();
const numbers = (items: Iterable<number>): number[] => [...items].sort((one, other) => one - other);
const isCustom = ({ form }: Answer): boolean => form.kind === 'custom_fields';

/** Of clicked links the order says nothing. */
const recordView = (name: Relation, { id, ...fields }: Json): Json => ({
  id,
  ...Object.fromEntries(record[name].map((field) => [field, fields[field] ?? null])),
  ...(name === 'emails' && { clickedUrls: sorted(fields.clickedUrls) }),
});

/** Answers whose ids are not known yet take those that were read: from then on they stay. */
const answersOf = (person: Person, read: Json[], custom: boolean): Json[] =>
  person.answers
    .filter((one) => isCustom(one) === custom)
    .map((one) => {
      one.id ??= read.find(({ formId, formRefId }) => formId === one.form.id && formRefId === one.ref)?.id;
      const { id, form, ref, data, date, survey } = one;
      return { id, formId: form.id, formRefId: ref, data, date, surveyId: survey };
    });

/** The colour of a tag; one that is not known is what was read, from then on. */
const colourOf = (model: Model, name: string, read: Json[]): string | null => {
  const seen = read.find((tag) => tag.name === name);
  if (seen && model.tags.get(name) === undefined) model.tags.set(name, seen.color);
  return model.tags.get(name) ?? null;
};

/** The fields that are shown: a transaction goes with its contact. */
const fieldsOf = (model: Model, { id, fields }: Hung): Json => {
  const payer = model.hung.transactions.get(fields.transactionId)?.contact;
  const isGone = payer !== undefined && model.persons.get(payer)!.deleted;
  return { ...fields, id, ...(isGone && { transactionId: null }) };
};

/** A contact as it must be read over GraphQL. */
const view = (model: Model, person: Person, read: Json): Json => ({
  id: person.id,
  version: person.version,
  userId: person.by,
  ...Object.fromEntries([...fieldNames, 'userContactId'].map((name) => [name, person.fields[name] ?? null])),
  address: person.address && Object.fromEntries(partNames.map((part) => [part, person.address![part] ?? null])),
  tags: sorted(person.tags).map((name) => ({ name, color: colourOf(model, name, read.tags) })),
  actionIds: numbers(person.actions),
  answers: byId(answersOf(person, read.answers, false)),
  customFields: byId(answersOf(person, read.customFields, true)),
  ...Object.fromEntries(
    relations.map((name) => [name, model.on(name, person.id).map((one) => recordView(name, fieldsOf(model, one)))]),
  ),
});

const normal = ({ lastchange: _, createdAt: __, updatedAt: ___, ...node }: Json): Json => ({
  ...node,
  tags: [...node.tags].sort((one: Json, other: Json) => (one.name < other.name ? -1 : 1)),
  actionIds: numbers(node.actionIds),
  answers: byId(node.answers),
  customFields: byId(node.customFields),
  ...Object.fromEntries(relations.map((name) => [name, byId(node[name]).map((one) => recordView(name, one))])),
});

/** When a contact was read last, and what its times were. */
export type Marks = Map<number, { version: number; lastchange: string; updatedAt: string }>;

/** Everybody over GraphQL, in full; and the times, which move when the version does and never else. */
export const readGraph = async (model: Model, marks: Marks): Promise<[read: Json, meant: Json]> => {
  const { door, space, boss } = model.ground;
  const nodes: Json[] = [];
  for (let after: string | null = null, more = true; more; ) {
    const { body } = await door.graphql(everybody, { after }, await door.token(space, boss));
    if (body.errors) throw new Error(JSON.stringify(body.errors));
    nodes.push(...translateResult(body.data.contacts.nodes));
    ({ endCursor: after, hasNextPage: more } = body.data.contacts.pageInfo);
  }
  for (const { id, version, lastchange, updatedAt } of nodes) {
    const mark = marks.get(id);
    const moved =
      mark &&
      normalizeInstant(lastchange) > normalizeInstant(mark.lastchange) &&
      normalizeInstant(updatedAt) > normalizeInstant(mark.updatedAt);
    const stayed = mark && lastchange === mark.lastchange && updatedAt === mark.updatedAt;
    if (mark && (version === mark.version ? !stayed : !moved))
      throw new Error(`Contact ${id} of version ${version}: ${lastchange}, ${updatedAt} after ${JSON.stringify(mark)}`);
    marks.set(id, { version, lastchange, updatedAt });
  }
  const meant = model.living().map((person) => view(model, person, nodes.find(({ id }) => id === person.id) ?? none));
  return [nodes.map(normal), meant];
};
const none = { answers: [], customFields: [], tags: [] };

const whole = (text: Json): Json => (/^(0|-?[1-9]\d*)$/.test(text ?? '') ? Number(text) : text);
const set = (fields: Json): Json => Object.fromEntries(Object.entries(fields).filter(([, value]) => value != null));
const startOfDay = (day: Json): Json => day && `${day}T00:00:00Z`;

/** The fields of a contact that only one of the two shapes of REST has, or under another name (spec §2.2, §2.3). */
const shapes = {
  bare: ({ fields, address }: Person): Json => ({
    ...set({ birth_city: fields.birthCity, birth_country: fields.birthCountry, nationality: fields.nationality }),
    ...Object.fromEntries(
      ['phone_invalid', 'mobile_invalid', 'black_list'].map((name, at) => [name, fields[flags[at]!]]),
    ),
    ...(address && {
      address: set({
        city: address.city,
        street: address.street,
        postal_code: address.postalCode,
        country: address.country,
        house_number: address.houseNumber,
        building: address.building,
        floor: address.floor,
        latitude: address.latitude == null ? null : String(address.latitude),
      }),
    }),
  }),
  found: ({ fields, address, actions }: Person): Json => ({
    ...set({
      birthcity: fields.birthCity,
      birth_city: fields.birthCity,
      birthcountry: fields.birthCountry,
      birth_country: fields.birthCountry,
    }),
    ...set({ birthdept: fields.birthDept, birth_dept: fields.birthDept, married_name: fields.marriedName }),
    ...set({ external_id: fields.externalId, nationality: fields.nationality }),
    ...set({ phone_invalid: fields.phoneInvalid || null, mobile_invalid: fields.mobileInvalid || null }),
    black_list: fields.blackList,
    actions_ids: numbers(actions),
    action_ids: numbers(actions),
    ...(address && {
      address: {
        ...set({ city: address.city, street: address.street, country: address.country, building: address.building }),
        ...set({
          housenumber: whole(address.houseNumber),
          postalcode: whole(address.postalCode),
          latitude: address.latitude,
        }),
        ...set({ floor: whole(address.floor) }),
        invalid: address.invalid ?? null,
      },
    }),
  }),
};

const common = ({ id, fields, tags, answers }: Person): Json => ({
  id,
  ...set({ firstname: fields.firstname, surname: fields.surname, gender: fields.gender, mail: fields.mail }),
  ...set({ phone: fields.phone, mobile: fields.mobile, age_category: fields.ageCategory }),
  ...set({ birthdate: startOfDay(fields.birthdate) }),
  tags: sorted(tags),
  formdatas: answers
    .filter((one) => !isCustom(one))
    .map(said)
    .sort(),
  custom_fields: answers.filter(isCustom).map(said).sort(),
});
const said = ({ id, form, ref, data }: Answer): string => [id, form.id, ref, data ?? undefined].join(' ');
const heard = ({ id, form_id, form_ref_id, data }: Json): string => [id, form_id, form_ref_id, data].join(' ');

const noteOf = (model: Model, { id }: Person): Json => {
  const [note] = model
    .on('notes', id)
    .sort((one, other) => +other.fields.pinned - +one.fields.pinned || other.id - one.id);
  return note && { notes: { id: note.id, data: note.fields.content, pinned: note.fields.pinned } };
};

const pick = (from: Json, like: Json): Json =>
  Object.fromEntries(Object.keys({ ...like, ...from }).flatMap((name) => (name in like ? [[name, from[name]]] : [])));

/** What is read over REST under an id, in one shape, and what must be; a contact that is not there is 404. */
export const readRest = async (
  model: Model,
  id: number,
  shape: keyof typeof shapes,
): Promise<[read: Json, meant: Json]> => {
  const { door, space, boss } = model.ground;
  const path = shape === 'bare' ? `/v1/contacts/${id}` : `/contacts/${id}`;
  const { status, body, headers } = await door.rest('GET', path, undefined, await door.token(space, boss));
  const person = model.read(id);
  if (!person || status !== 200) return [{ status }, { status: person ? 200 : 404 }];
  const contact = shape === 'bare' ? body : body.data.contact;
  const meant = { ...common(person), ...shapes[shape](person), ...(shape === 'found' && noteOf(model, person)) };
  const { id: _, location: __, ...address } = contact.address ?? {};
  const list = (items: Json[]): Json[] => items.map(heard).sort();
  const read = {
    ...contact,
    ...(contact.address && { address }),
    tags: sorted(contact.tags.map(({ name }: Json) => name)),
    formdatas: list(contact.formdatas),
    custom_fields: list(contact.custom_fields),
    ...(contact.actions_ids && { actions_ids: numbers(contact.actions_ids), action_ids: numbers(contact.action_ids) }),
    ...(contact.notes && { notes: pick(contact.notes, { id: 0, data: 0, pinned: 0 }) }),
  };
  const never = ['user_id', 'version', 'etag'].filter((name) => name in contact);
  const more =
    shape === 'found'
      ? ['group_id', 'CreatedAt', 'UpdatedAt', 'lastchange', 'customfields']
      : ['created_at', 'updated_at'];
  for (const name of [...never, ...more]) delete read[name];
  return [
    { ...read, etag: headers.get('etag'), never },
    { ...meant, etag: `"${person.version}"`, never: [] },
  ];
};
