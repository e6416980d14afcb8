// Reads the JSON of legacy clients as input of the graph: their spellings and values, with faults placed where the client wrote them.
import { type GraphQLInputField, getNamedType } from 'graphql';
import { InputReader } from './read-input.ts';
import { convertToSnakeCase } from './snake-case.ts';

export type { Sent } from './read-input.ts';

const contactSpellings = {
  birthCity: ['birthcity', 'birth_city'],
  birthCountry: ['birthcountry', 'birth_country'],
  birthDept: ['birthdept', 'birth_dept'],
  ageCategory: ['age_category', 'age_cat'],
  actionIds: ['actions_ids', 'action_ids'],
  answers: ['formdatas'],
};

/** Wire spellings of input fields that are not just snake_case. The first spelling present counts. */
export const spellings: Record<string, Record<string, string[]>> = {
  TeamAddressInput: {
    houseNumber: ['house_number', 'housenumber'],
    postalCode: ['postal_code', 'postalcode'],
    latitude: ['latitude', 'lattitude'],
    pollingStation: ['pollingstation', 'polling_station'],
  },
  UserInput: { updateToken: ['UpdateToken'] },
  ContactNoteInput: { content: ['content', 'data'] },
  // Clients echo back whole records, in the spellings of either shape (spec §2.2, §2.3).
  ContactInput: { ...contactSpellings, customFields: ['customfields', 'custom_fields'] },
  UpsertContactInput: {
    ...contactSpellings,
    customFields: ['custom_fields', 'customfields'],
    namePresences: ['name_presences', 'presence_status'],
  },
  ContactAddressInput: {
    houseNumber: ['housenumber', 'house_number'],
    postalCode: ['postalcode', 'postal_code'],
    latitude: ['latitude', 'lattitude'],
    pollingStation: ['pollingstation', 'polling_station'],
  },
};

/** Changes of values that have another form on the wire. */
const values: Record<string, Record<string, (value: unknown) => unknown>> = {
  // An integer or a list of one (decisions on spec §4.6).
  UserInput: { selectedGroupId: (value) => (Array.isArray(value) && value.length === 1 ? value[0] : value) },
  ContactInput: { notes: listOfOne },
  UpsertContactInput: { notes: listOfOne },
};

/** Input types whose records clients read with numbers for stored texts and texts for stored numbers (spec §2.2, §2.3): they accept both. */
const loose = ['ContactInput', 'UpsertContactInput', 'ContactAddressInput', 'AnswerInput', 'FormAnswerInput'];

/** Converts a value to the form that a field of the graph takes. */
const inForm = (typeName: string, field: GraphQLInputField, value: unknown): unknown => {
  const change = values[typeName]?.[field.name];
  if (change) return change(value);
  if (!loose.includes(typeName)) return value;
  const { name } = getNamedType(field.type);
  if (name === 'String' && (typeof value === 'number' || typeof value === 'boolean')) return String(value);
  if (name === 'Float' && typeof value === 'string' && value.trim() !== '') return readNumber(value);
  return value;
};

const readNumber = (text: string): unknown => (/^\s*-?\d{1,15}(\.\d{1,20})?\s*$/.test(text) ? Number(text) : text);

/** Contact search shows a single note without a list, and clients send it back so (spec §2.3). */
function listOfOne(value: unknown): unknown {
  return value === undefined || value === null || Array.isArray(value) ? value : [value];
}

/** Clients send tags and notes as texts or as objects (decisions on spec §4.14). */
const texts: Record<string, string> = { ContactTagInput: 'name', ContactNoteInput: 'content' };

/** Notes with an id are stored already, and stay unchanged (decisions on spec §4.14). */
const isThere = (typeName: string, item: unknown): boolean =>
  typeName === 'ContactNoteInput' && (item as { id?: unknown } | null)?.id != null;

/** All spellings of a field of an input type. */
export const listSpellings = (typeName: string, field: string): string[] =>
  spellings[typeName]?.[field] ?? [convertToSnakeCase(field)];

export const { read, relocate } = new InputReader({
  spellingsOf: listSpellings,
  inForm,
  textOf: (typeName) => texts[typeName],
  isThere,
});
