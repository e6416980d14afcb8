// The workloads as requests to each kind of API: the floor, Muster's two doors, the hand-written graph, PostGraphile.
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

export const get = (path: string, at = ''): Request => ({ method: 'GET', path, at });
export const post = (path: string, body: unknown, at = ''): Request => ({ method: 'POST', path, body, at });
export const graph = (query: string, variables: Record<string, unknown>, at: string): Request =>
  post('/graphql', { query, variables }, `data.${at}`);

export const basic = 'id firstname surname mail mobile birthdate gender';
const address = 'address { street houseNumber postalCode city country }';
const tags = 'tags { name color }';
const notes = 'notes { id content pinned createdAt }';
export const allOfContact =
  'groupId userId marriedName ageCategory birthDept birthCity birthCountry nationality phone phoneInvalid mobileInvalid blackList lastchange createdAt updatedAt';
export const allOfAddress =
  'id houseNumber street addition building floor door infos postalCode citycode city county state country pollingStation latitude longitude score invalid';
export const allOfNote = 'id content pinned userId groupId createdAt updatedAt';
export const allOfAnswer = 'id formId formRefId data date createdAt updatedAt';
const everything = `${basic} ${allOfContact} address { ${allOfAddress} } ${tags} notes { ${allOfNote} } answers { ${allOfAnswer} }`;
export const written = 'id contactId content pinned createdAt updatedAt';

const types = (depth: number): string => (depth > 0 ? `kind name ofType { ${types(depth - 1)} }` : 'kind name');
const introspection = `query IntrospectionQuery { __schema { queryType { name } mutationType { name } subscriptionType { name }
  types { ...Full } directives { name description locations args { ...Input } } } }
  fragment Full on __Type { kind name description fields(includeDeprecated: true) { name description args { ...Input } type { ...Ref } isDeprecated deprecationReason }
    inputFields { ...Input } interfaces { ...Ref } enumValues(includeDeprecated: true) { name description isDeprecated deprecationReason } possibleTypes { ...Ref } }
  fragment Input on __InputValue { name description type { ...Ref } defaultValue }
  fragment Ref on __Type { ${types(7)} }`;
export const introspect = (): Request => graph(introspection, {}, '__schema.queryType');

/** The floor, and the hand-written REST peers. */
export const plainRest: Manner = {
  single: ({ id }) => get(`/single?id=${id}`),
  list50: ({ page }) => get(`/list50?skip=${page * 50}`),
  filter: ({ city, tags: [one, other] }) => get(`/filter?city=${city}&tags=${one},${other}`),
  agg: ({ letter }) => get(`/agg?letter=${letter}`),
  bulk: ({ bulkPage }) => get(`/bulk?skip=${bulkPage * 1000}`),
  note: ({ id }) => post(`/note?id=${id}`, { content: noteText, pinned: false }),
};

const search = (first: number, fields: string): string =>
  `query ($query: SearchGroup, $page: WholeNumber) { searchContacts(query: $query, first: ${first}, page: $page, sortBy: surname, ascending: true) { nodes { ${fields} } } }`;
const found = (first: number, fields: string, variables: Record<string, unknown>): Request =>
  graph(search(first, fields), variables, 'searchContacts.nodes');
const all = (...conditions: object[]): object => ({ all: conditions.map((condition) => ({ condition })) });

export const musterGraphql: Manner = {
  single: ({ id }) =>
    graph(`query ($id: Id!) { contact(id: $id) { ${basic} ${address} ${tags} ${notes} } }`, { id }, 'contact'),
  list50: ({ page }) => found(50, `${basic} ${tags} ${notes}`, { page }),
  filter: ({ city, tags: named }) =>
    found(50, `${basic} ${address} ${tags}`, {
      query: all(
        { attribute: 'address_city', operator: 'eql', value: city },
        { attribute: 'tags_name', operator: 'any_of', values: named.map((id) => `tag${id}`) },
      ),
    }),
  agg: ({ letter }) =>
    found(50, basic, {
      query: all(
        { attribute: 'surname', operator: 'start_with', value: letter },
        { attribute: 'transactions_sum_amount', operator: 'gte', value: '100' },
      ),
    }),
  bulk: ({ bulkPage }) => found(1000, everything, { page: bulkPage }),
  note: ({ id }) =>
    graph(
      `mutation ($id: Id!, $input: NoteInput!) { createNote(contactId: $id, input: $input) { ${written} } }`,
      { id, input: { content: noteText, pinned: false } },
      'createNote',
    ),
  introspect,
};

const advanced = (per_page: number, page: number, ...conditions: object[]): Request =>
  post(
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
  single: ({ id }) => get(`/contacts/${id}`, 'data.contact'),
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
  note: ({ id }) => post(`/v1/contacts/${id}/notes`, { content: noteText, pinned: false }),
};

/** The graph of servers/hand.mjs. */
export const handGraphql: Manner = {
  single: ({ id }) =>
    graph(`query ($id: Float!) { contact(id: $id) { ${basic} ${address} ${tags} ${notes} } }`, { id }, 'contact'),
  list50: ({ page }) =>
    graph(
      `query ($skip: Int!) { contacts(skip: $skip, limit: 50) { ${basic} ${tags} ${notes} } }`,
      { skip: page * 50 },
      'contacts',
    ),
  filter: ({ city, tags: ids }) =>
    graph(
      `query ($city: String!, $tags: [Int!]!) { search(city: $city, tags: $tags) { ${basic} ${address} ${tags} } }`,
      { city, tags: ids },
      'search',
    ),
  agg: ({ letter }) => graph(`query ($letter: String!) { givers(letter: $letter) { ${basic} } }`, { letter }, 'givers'),
  bulk: ({ bulkPage }) =>
    graph(
      `query ($skip: Int!) { contacts(skip: $skip, limit: 1000) { ${everything} } }`,
      { skip: bulkPage * 1000 },
      'contacts',
    ),
  note: ({ id }) =>
    graph(
      `mutation ($id: Float!, $content: String!, $pinned: Boolean!) { createNote(contactId: $id, content: $content, pinned: $pinned) { ${written} } }`,
      { id, content: noteText, pinned: false },
      'createNote',
    ),
  introspect,
};

/** The generated graph of PostGraphile, which calls ids `rowId` in version 5. */
export const postgraphile = (id: 'id' | 'rowId'): Manner => {
  const ID = id === 'id' ? 'ID' : 'ROW_ID';
  const own = `${id} ${basic.replace('id ', '')}`;
  const ofTags = `tags: contactTags(orderBy: TAG_ID_ASC) { nodes { tag { name color } } }`;
  const order = `orderBy: [PINNED_DESC, CREATED_AT_DESC, ${ID}_DESC]`;
  const ofNotes = (fields: string): string => `notes(${order}) { nodes { ${id} ${fields.replace('id ', '')} } }`;
  const by = `orderBy: [SURNAME_ASC, ${ID}_ASC]`;
  const filter = 'contacts.nodes';
  const bulk = `${own} ${allOfContact} address { ${id} ${allOfAddress.replace('id ', '')} } ${ofTags} ${ofNotes(allOfNote)} answers(orderBy: ${ID}_ASC) { nodes { ${id} ${allOfAnswer.replace('id ', '')} } }`;
  const page = (first: number, fields: string, skip: number): Request =>
    graph(
      `query ($skip: Int!) { contacts(condition: { groupId: 1 }, ${by}, first: ${first}, offset: $skip) { nodes { ${fields} } } }`,
      { skip },
      filter,
    );
  const plainNotes = ofNotes('id content pinned createdAt');
  return {
    single: (draw) =>
      graph(
        `query ($id: BigInt!) { contact(${id}: $id) { ${own} ${address} ${ofTags} ${plainNotes} } }`,
        { id: String(draw.id) },
        'contact',
      ),
    list50: (draw) => page(50, `${own} ${ofTags} ${plainNotes}`, draw.page * 50),
    filter: ({ city, tags: ids }) =>
      graph(
        `query ($city: String!, $tags: [Int!]!) { contacts(filter: { groupId: { equalTo: 1 }, address: { city: { equalTo: $city } }, contactTags: { some: { tagId: { in: $tags } } } }, ${by}, first: 50) { nodes { ${own} ${address} ${ofTags} } } }`,
        { city, tags: ids },
        filter,
      ),
    agg: ({ letter }) =>
      graph(
        `query ($letter: String!) { contacts(filter: { groupId: { equalTo: 1 }, surname: { startsWith: $letter }, transactions: { aggregates: { sum: { amount: { greaterThanOrEqualTo: "10000" } } } } }, ${by}, first: 50) { nodes { ${own} } } }`,
        { letter },
        filter,
      ),
    bulk: (draw) => page(1000, bulk, draw.bulkPage * 1000),
    note: (draw) =>
      graph(
        `mutation ($id: BigInt!) { createNote(input: { note: { contactId: $id, content: "${noteText}", pinned: false } }) { note { ${id} ${written.replace('id ', '')} } } }`,
        { id: String(draw.id) },
        'createNote.note',
      ),
    introspect,
  };
};
