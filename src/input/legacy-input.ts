// Reads the JSON of legacy clients as input of the graph: their spellings and values, with faults placed where the client wrote them.
import { type GraphQLInputField, type GraphQLInputObjectType, getNamedType } from 'graphql';
import { parseLegacyId } from './global-id.ts';
import { convertToCapitals, isReadWithoutCase, isRounded } from './input-value.ts';
import { InputReader } from './read-input.ts';
import { convertToSnakeCase } from './snake-case.ts';

/** Fields that the contract names differently, by the contract's name in camelCase. */
const personNames = { firstName: 'firstname', lastName: 'surname', birthDate: 'birthdate', email: 'mail' };
const contactNames = {
  ...personNames,
  birthDepartment: 'birthDept',
  optedOut: 'blackList',
  accountId: 'userContactId',
};
const answerNames = { optionId: 'formRefId', text: 'data', answeredAt: 'date' };
const contractNames: Record<string, Record<string, string>> = {
  AnswerInput: answerNames,
  FormAnswerInput: answerNames,
  ContactCreateInput: contactNames,
  ContactUpdateInput: contactNames,
  ContactUpsertInput: contactNames,
  ContactAddressInput: { cityCode: 'citycode', details: 'infos', invalidReason: 'invalid' },
  TeamAddressInput: { cityCode: 'citycode', details: 'infos' },
  UserUpdateInput: { ...personNames, postalCode: 'postal' },
};

/** The name of a field in the contract, in camelCase. */
export const getContractName = (typeName: string, field: string): string => contractNames[typeName]?.[field] ?? field;

const contactSpellings = {
  birthCity: ['birthcity', 'birth_city'],
  birthCountry: ['birthcountry', 'birth_country'],
  birthDepartment: ['birthdept', 'birth_dept'],
  ageCategory: ['age_category', 'age_cat'],
  actionIds: ['actions_ids', 'action_ids'],
  answers: ['formdatas'],
};
const addressSpellings = {
  latitude: ['latitude', 'lattitude'],
  pollingStation: ['pollingstation', 'polling_station'],
};

/** Wire spellings of input fields that are not just the contract's name in snake_case. The first spelling present counts. */
export const spellings: Record<string, Record<string, string[]>> = {
  TeamAddressInput: {
    ...addressSpellings,
    houseNumber: ['house_number', 'housenumber'],
    postalCode: ['postal_code', 'postalcode'],
  },
  UserUpdateInput: { updateToken: ['UpdateToken'] },
  ContactNoteInput: { content: ['content', 'data'] },
  // Clients echo back whole records, in the spellings of either shape (spec §2.2, §2.3).
  ContactCreateInput: { ...contactSpellings, customFields: ['customfields', 'custom_fields'] },
  ContactUpdateInput: { ...contactSpellings, customFields: ['customfields', 'custom_fields'] },
  ContactUpsertInput: {
    ...contactSpellings,
    customFields: ['custom_fields', 'customfields'],
    namePresences: ['name_presences', 'presence_status'],
  },
  ContactAddressInput: {
    ...addressSpellings,
    houseNumber: ['housenumber', 'house_number'],
    postalCode: ['postalcode', 'postal_code'],
  },
};

/** Changes of values that have another form on the wire. */
const values: Record<string, Record<string, (value: unknown) => unknown>> = {
  // An integer or a list of one (decisions on spec §4.6).
  UserUpdateInput: { selectedGroupId: (value) => (Array.isArray(value) && value.length === 1 ? value[0] : value) },
  ContactCreateInput: { notes: listOfOne },
  ContactUpdateInput: { notes: listOfOne },
  ContactUpsertInput: { notes: listOfOne },
};

/** Input types whose records clients read with numbers for stored texts and texts for stored numbers (spec §2.2, §2.3): they accept both. */
const loose = [
  'ContactCreateInput',
  'ContactUpdateInput',
  'ContactUpsertInput',
  'ContactAddressInput',
  'AnswerInput',
  'FormAnswerInput',
];

const findConversion = (
  typeName: string,
  { name, type }: GraphQLInputField,
): ((value: unknown) => unknown) | undefined => {
  const change = values[typeName]?.[name];
  if (change || !loose.includes(typeName)) return change;
  const named = getNamedType(type);
  // The address of a team has a flag of this name: to its clients `false` says that nothing is wrong.
  if (name === 'invalidReason') return (value) => (value === false ? null : writeText(value));
  if (named.name === 'String') return writeText;
  if (named.name === 'Float')
    return (value) => (typeof value === 'string' && value.trim() !== '' ? readNumber(value) : value);
  return isReadWithoutCase(named) ? (value) => convertToCapitals(named, value) : undefined;
};

/** Whether texts of this input may be sent as numbers, and numbers as texts. */
export const isLoose = (typeName: string): boolean => loose.includes(typeName);

/** Another form in which a field may be sent: one item in place of a list, or a list of one in place of an id. */
export const findOtherForm = (typeName: string, field: string): 'item' | 'list' | undefined => {
  const change = values[typeName]?.[field];
  return change && (change === listOfOne ? 'item' : 'list');
};

/** A number that was rounded is left to be refused: as a text it would be the id or the number of somebody else. */
const writeText = (value: unknown): unknown =>
  (typeof value === 'number' && !isRounded(value)) || typeof value === 'boolean' ? String(value) : value;

/** A number as a text. A small one has many decimals: replies write 17 digits after its zeros, and no exponent, as exports and spreadsheets do. */
export const numberText = /^\s*-?\d{1,15}(\.\d{1,340})?([eE]-\d{1,3})?\s*$/;
const readNumber = (text: string): unknown => (numberText.test(text) ? Number(text) : text);

/** Contact search shows a single note without a list, and clients send it back so (spec §2.3). */
function listOfOne(value: unknown): unknown {
  return value === undefined || value === null || Array.isArray(value) ? value : [value];
}

/** Clients send tags and notes as texts or as objects (decisions on spec §4.14). */
const texts: Record<string, string> = { ContactTagInput: 'name', ContactNoteInput: 'content' };

/** The field of an input that may be sent in place of the whole, as a text. */
export const findTextField = (typeName: string): string | undefined => texts[typeName];

/** Notes with an id are stored already, and stay unchanged (decisions on spec §4.14). No stored note has an id that is not above 0: clients send 0 for a new one. */
const isThere = (typeName: string, item: unknown): boolean =>
  typeName === 'ContactNoteInput' && Number((item as { id?: unknown } | null)?.id) > 0;

/** The message of a rule, with the names of the contract in place of those of the graph. */
const rephrase = (message: string): string =>
  message.replace('firstName, lastName or email', 'firstname, surname or mail');

export const listSpellings = (typeName: string, field: string): string[] =>
  spellings[typeName]?.[field] ?? [convertToSnakeCase(getContractName(typeName, field))];

/** The fields of an input type in the order of the contract's names. */
export const sortInputFields = (type: GraphQLInputObjectType): GraphQLInputField[] => {
  const orderOf = ({ name }: GraphQLInputField): string => getContractName(type.name, name);
  return Object.values(type.getFields()).sort((one, other) => (orderOf(one) < orderOf(other) ? -1 : 1));
};

export const { read, relocate } = new InputReader({
  spellingsOf: listSpellings,
  sortFields: sortInputFields,
  findConversion,
  parseId: parseLegacyId,
  rephrase,
  textOf: findTextField,
  isThere,
});
