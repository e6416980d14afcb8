// The workloads as requests: what they have in common, and those to Muster's two doors.
import type { Draw, Kind } from './workloads.ts';

export interface Request {
  method: 'GET' | 'POST';
  path: string;
  body?: unknown;
  /** The path of the contacts, or of the note, in the answer. */
  at: string;
}

/** Workloads that the API cannot express are missing. */
export type Manner = Partial<Record<Kind, (draw: Draw) => Request>>;

export const noteText = 'a note of the benchmark';

export const buildGetRequest = (path: string, at = ''): Request => ({ method: 'GET', path, at });
export const buildPostRequest = (path: string, body: unknown, at = ''): Request => ({ method: 'POST', path, body, at });
export const buildGraphRequest = (query: string, variables: Record<string, unknown>, at: string): Request =>
  buildPostRequest('/graphql', { query, variables }, `data.${at}`);

// The fields by the names of their columns, as most peers have them. The space of a record and its last user are not among them: our graph
// shows the first in `viewer` only, and the second as a user, who must be a member.
export const basic = 'id firstname surname mail mobile birthdate gender';
export const address = 'address { street houseNumber postalCode city country }';
export const tags = 'tags { name color }';
export const notes = 'notes { id content pinned createdAt }';
export const allOfContact =
  'marriedName ageCategory birthDept birthCity birthCountry nationality phone phoneInvalid mobileInvalid blackList lastchange createdAt updatedAt';
export const allOfAddress =
  'id houseNumber street addition building floor door infos postalCode citycode city county state country pollingStation latitude longitude score invalid';
export const allOfNote = 'id content pinned createdAt updatedAt';
export const allOfAnswer = 'id formId formRefId data date createdAt updatedAt';
export const everything = `${basic} ${allOfContact} address { ${allOfAddress} } ${tags} notes { ${allOfNote} } answers { ${allOfAnswer} }`;
export const written = 'id contactId content pinned createdAt updatedAt';

/** Our graph's name of a field, where it is another one. A record that a field refers to has its number in `databaseId`. */
const namesInGraph: Record<string, string> = {
  id: 'databaseId',
  firstname: 'firstName',
  surname: 'lastName',
  mail: 'email',
  birthdate: 'birthDate',
  birthDept: 'birthDepartment',
  blackList: 'optedOut',
  lastchange: 'lastChangedAt',
  infos: 'details',
  citycode: 'cityCode',
  invalid: 'invalidReason',
  data: 'text',
  date: 'answeredAt',
  formId: 'form { databaseId }',
  formRefId: 'option { databaseId }',
  contactId: 'contact { databaseId }',
};
/** The same selection of our graph, which answers under the names of the others, and has connections for lists that can grow. */
const inGraph = (fields: string): string =>
  fields
    .replace(/\b(notes|answers) (\{[^}]*\})/g, '$1 { nodes $2 }')
    .replace(/\w+/g, (name) => (Object.hasOwn(namesInGraph, name) ? `${name}: ${namesInGraph[name]}` : name));

const types = (depth: number): string => (depth > 0 ? `kind name ofType { ${types(depth - 1)} }` : 'kind name');
const introspection = `query IntrospectionQuery { __schema { queryType { name } mutationType { name } subscriptionType { name }
  types { ...Full } directives { name description locations args { ...Input } } } }
  fragment Full on __Type { kind name description fields(includeDeprecated: true) { name description args { ...Input } type { ...Ref } isDeprecated deprecationReason }
    inputFields { ...Input } interfaces { ...Ref } enumValues(includeDeprecated: true) { name description isDeprecated deprecationReason } possibleTypes { ...Ref } }
  fragment Input on __InputValue { name description type { ...Ref } defaultValue }
  fragment Ref on __Type { ${types(7)} }`;
export const buildIntrospection = (): Request => buildGraphRequest(introspection, {}, '__schema.queryType');

/** A page by number, as the others have it. */
const numbered = (first: number, fields: string, page: number): Request =>
  buildGraphRequest(
    `query ($page: WholeNumber) { searchContactsByTree(first: ${first}, page: $page, sortBy: surname, ascending: true) { nodes { ${inGraph(fields)} } } }`,
    { page },
    'searchContactsByTree.nodes',
  );
const found = (first: number, fields: string, query: object): Request =>
  buildGraphRequest(
    `query ($query: ContactQuery) { searchContacts(query: $query, first: ${first}, orderBy: { field: LAST_NAME }) { nodes { ${inGraph(fields)} } } }`,
    { query },
    'searchContacts.nodes',
  );

export const musterGraphql: Manner = {
  single: ({ id }) =>
    buildGraphRequest(
      `query ($id: ID!) { contact(id: $id) { ${inGraph(`${basic} ${address} ${tags} ${notes}`)} } }`,
      { id },
      'contact',
    ),
  list50: ({ page }) => numbered(50, `${basic} ${tags} ${notes}`, page),
  filter: ({ city, tags: named }) =>
    found(50, `${basic} ${address} ${tags}`, {
      and: [{ address: { city: { equals: city } } }, { tags: { in: named.map((id) => `tag${id}`) } }],
    }),
  agg: ({ letter }) =>
    found(50, basic, {
      and: [{ lastName: { startsWith: letter } }, { transactions: { total: { gte: 10000 } } }],
    }),
  bulk: ({ bulkPage }) => numbered(1000, everything, bulkPage),
  note: ({ id }) =>
    buildGraphRequest(
      `mutation ($input: NoteCreateInput!) { createNote(input: $input) { note { ${inGraph(written)} } } }`,
      { input: { contactId: id, content: noteText, pinned: false } },
      'createNote.note',
    ),
  introspect: buildIntrospection,
};

const advanced = (per_page: number, page: number, ...conditions: object[]): Request =>
  buildPostRequest(
    '/search',
    {
      data: {
        advanced_search: {
          per_page,
          page,
          sort_attr: 'surname',
          sort_asc: true,
          include_interactions: false,
          query: { $all: conditions.length > 0 ? [{ $all: conditions.map(($condition) => ({ $condition })) }] : [] },
        },
      },
    },
    'data.contacts',
  );

/** The contract has one shape of a contact and always returns all of it. */
export const musterRest: Manner = {
  single: ({ id }) => buildGetRequest(`/contacts/${id}`, 'data.contact'),
  list50: ({ page }) => advanced(50, page),
  filter: ({ city, tags: named }) =>
    advanced(
      50,
      0,
      { attr: 'address.city', ope: 'eql', value: city },
      { attr: 'tags.name', ope: 'any_of', value: named.map((id) => `tag${id}`) },
    ),
  agg: ({ letter }) =>
    advanced(
      50,
      0,
      { attr: 'surname', ope: 'start_with', value: letter },
      { attr: 'transactions.sum_amount', ope: 'gte', value: 100 },
    ),
  bulk: ({ bulkPage }) => advanced(1000, bulkPage),
  note: ({ id }) => buildPostRequest(`/v1/contacts/${id}/notes`, { content: noteText, pinned: false }),
};
