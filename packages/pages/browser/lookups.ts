// Completion of values: records by their names, as lists of the graph find them, and the names of records that a link holds by their ids.
import type { Api } from './api.ts';

export interface Choice {
  value: string;
  label: string;
  hint?: string;
}

export interface FormChoice extends Choice {
  hasChoices: boolean;
  /** The options, and what is stored of who answers with one. */
  options: { value: string; label: string; answer: string }[];
}

export const joinNames = (...names: (string | null | undefined)[]): string => names.filter(Boolean).join(' ');

/** A name for a sentence that is plain text: its direction is that of its own script. */
export const isolate = (name: string): string => (name ? `\u2068${name}\u2069` : '');

interface Named {
  databaseId: number;
  name?: string;
  label?: string;
  firstName?: string | null;
  lastName?: string | null;
  email?: string | null;
}

interface Lookup {
  permission: string;
  /** A document with `$text` that yields `found { nodes }`. */
  document: string;
  /** The fields that are selected of one record. */
  fields: string;
}

/** How many matching records are offered: as many as one point pays for. People know the name of a record, and not its number. */
const most = 100;

const define = (list: string, permission: string, { by = 'name', fields = 'databaseId name' } = {}): Lookup => ({
  permission,
  fields,
  document: `query ($text: String!) { found: ${list}(first: ${most}, filter: { ${by}: { contains: $text } }) { nodes { ${fields} } } }`,
});

const person = 'databaseId firstName lastName email';
const lookups: Record<string, Lookup> = {
  Action: define('actions', 'contacts.read'),
  Segment: define('segments', 'contacts.read'),
  Campaign: define('campaigns', 'campaigns.read'),
  Template: define('templates', 'campaigns.read'),
  TransactionStatus: define('transactionStatuses', 'money.read'),
  DonationPrice: define('donationPrices', 'money.read'),
  User: define('users', 'people.read', { by: 'lastName', fields: person }),
  Contact: {
    permission: 'contacts.read',
    fields: person,
    document: `query ($text: String!) { found: contacts(first: 8, search: $text) { nodes { ${person} } } }`,
  },
};

/** Whether records of a type can be chosen by name; otherwise their numbers are typed. */
export const canLookUp = (recordType: string | null, permissions: readonly string[]): boolean =>
  recordType !== null && permissions.includes(lookups[recordType]?.permission ?? 'none');

const describe = ({ databaseId, name, firstName, lastName, email }: Named): Choice => ({
  value: String(databaseId),
  label: name ?? (joinNames(firstName, lastName) || (email ?? `${databaseId}`)),
  hint: `${databaseId}`,
});

type Found = { found: { nodes: Named[] } };

export const findRecords = async (
  api: Api,
  recordType: string,
  text: string,
  signal: AbortSignal,
): Promise<Choice[]> => {
  // Quick search wants words.
  if (recordType === 'Contact' && text.trim() === '') return [];
  const { found } = await api.query<Found>(lookups[recordType]!.document, { text }, signal);
  return found.nodes.map(describe);
};

/** The names of tags that contain a text. */
export const findTags = async (api: Api, text: string, signal: AbortSignal): Promise<Choice[]> => {
  const document = `query ($text: String!) { found: tags(first: 8, filter: { name: { contains: $text } }, orderBy: { field: NAME }) { nodes { databaseId name } } }`;
  const { found } = await api.query<Found>(document, { text }, signal);
  return found.nodes.map(({ name }) => ({ value: name!, label: name! }));
};

/** Cities of the space that begin with a text, those of most contacts first. */
export const findCities = async (api: Api, text: string, signal: AbortSignal): Promise<Choice[]> => {
  const document = `query ($query: ContactQuery) { contactFacets(by: CITY, first: 8, query: $query) { values { value count } } }`;
  const query = text.trim() === '' ? undefined : { address: { city: { startsWith: text } } };
  type Cities = { contactFacets: { values: { value: string; count: number }[] } };
  const { contactFacets } = await api.query<Cities>(document, { query }, signal);
  return contactFacets.values.map(({ value, count }) => ({ value, label: value, hint: `${count}` }));
};

const formFields = 'databaseId label type options { databaseId label value }';
interface FoundForm {
  databaseId: number;
  label: string;
  type: string;
  options: { databaseId: number; label: string; value: string | null }[];
}

/** Whether a form of this type is answered by choosing, and not by typing. */
export const hasChoices = (type: string): boolean => ['RADIO', 'SELECT', 'CHECKBOX'].includes(type);

const describeForm = ({ databaseId, label, type, options }: FoundForm): FormChoice => ({
  value: String(databaseId),
  label,
  hasChoices: hasChoices(type),
  options: options.map(({ databaseId, label: name, value }) => ({
    value: String(databaseId),
    label: name,
    answer: value ?? name,
  })),
});

/** Forms by their labels: those of these kinds, or all. */
export const findForms = async (
  api: Api,
  variables: { kinds?: string[] | undefined; text: string },
  signal: AbortSignal,
): Promise<FormChoice[]> => {
  const document = `query ($text: String!, $kinds: [FormKind!]) { found: forms(first: ${most}, filter: { label: { contains: $text }, kind: { in: $kinds } }, orderBy: { field: LABEL }) { nodes { ${formFields} } } }`;
  const { found } = await api.query<{ found: { nodes: FoundForm[] } }>(document, variables, signal);
  return found.nodes.map(describeForm);
};

export const readForm = async (api: Api, id: string, signal: AbortSignal): Promise<FormChoice | undefined> => {
  const document = `query ($id: ID!) { form(id: $id) { ${formFields} } }`;
  const { form } = await api.query<{ form: FoundForm | null }>(document, { id: `Form:${id}` }, signal);
  return form ? describeForm(form) : undefined;
};

/** The names of up to 100 records, each at the index of its id; undefined where there is none. */
export const readRecords = async (
  api: Api,
  recordType: string,
  ids: readonly string[],
  signal: AbortSignal,
): Promise<(Choice | undefined)[]> => {
  const document = `query ($ids: [ID!]!) { nodes(ids: $ids) { ... on ${recordType} { ${lookups[recordType]!.fields} } } }`;
  const variables = { ids: ids.map((id) => `${recordType}:${id}`) };
  const { nodes } = await api.query<{ nodes: (Named | null)[] }>(document, variables, signal);
  return nodes.map((node) => (node ? describe(node) : undefined));
};
