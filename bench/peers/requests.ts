// The requests of the peers: each asks for the same people in the peer's own terms.
import {
  address,
  allOfAddress,
  allOfAnswer,
  allOfContact,
  allOfNote,
  basic,
  buildGetRequest,
  buildGraphRequest,
  buildIntrospection,
  buildPostRequest,
  everything,
  type Manner,
  notes,
  noteText,
  type Request,
  tags,
  written,
} from '../harness/requests.ts';

/** The floor, and the hand-written REST peers. */
export const plainRest: Manner = {
  single: ({ id }) => buildGetRequest(`/single?id=${id}`),
  list50: ({ page }) => buildGetRequest(`/list50?skip=${page * 50}`),
  filter: ({ city, tags: [one, other] }) => buildGetRequest(`/filter?city=${city}&tags=${one},${other}`),
  agg: ({ letter }) => buildGetRequest(`/agg?letter=${letter}`),
  bulk: ({ bulkPage }) => buildGetRequest(`/bulk?skip=${bulkPage * 1000}`),
  note: ({ id }) => buildPostRequest(`/note?id=${id}`, { content: noteText, pinned: false }),
};

/** The graph of servers/hand.mjs. */
export const handGraphql: Manner = {
  single: ({ id }) =>
    buildGraphRequest(
      `query ($id: Float!) { contact(id: $id) { ${basic} ${address} ${tags} ${notes} } }`,
      { id },
      'contact',
    ),
  list50: ({ page }) =>
    buildGraphRequest(
      `query ($skip: Int!) { contacts(skip: $skip, limit: 50) { ${basic} ${tags} ${notes} } }`,
      { skip: page * 50 },
      'contacts',
    ),
  filter: ({ city, tags: ids }) =>
    buildGraphRequest(
      `query ($city: String!, $tags: [Int!]!) { search(city: $city, tags: $tags) { ${basic} ${address} ${tags} } }`,
      { city, tags: ids },
      'search',
    ),
  agg: ({ letter }) =>
    buildGraphRequest(`query ($letter: String!) { givers(letter: $letter) { ${basic} } }`, { letter }, 'givers'),
  bulk: ({ bulkPage }) =>
    buildGraphRequest(
      `query ($skip: Int!) { contacts(skip: $skip, limit: 1000) { ${everything} } }`,
      { skip: bulkPage * 1000 },
      'contacts',
    ),
  note: ({ id }) =>
    buildGraphRequest(
      `mutation ($id: Float!, $content: String!, $pinned: Boolean!) { createNote(contactId: $id, content: $content, pinned: $pinned) { ${written} } }`,
      { id, content: noteText, pinned: false },
      'createNote',
    ),
  introspect: buildIntrospection,
};

/** The generated graph of PostGraphile, which calls ids `rowId` in version 5. */
export const createPostgraphileManner = (id: 'id' | 'rowId'): Manner => {
  const ID = id === 'id' ? 'ID' : 'ROW_ID';
  const own = `${id} ${basic.replace('id ', '')}`;
  const ofTags = `tags: contactTags(orderBy: TAG_ID_ASC) { nodes { tag { name color } } }`;
  const order = `orderBy: [PINNED_DESC, CREATED_AT_DESC, ${ID}_DESC]`;
  const ofNotes = (fields: string): string => `notes(${order}) { nodes { ${id} ${fields.replace('id ', '')} } }`;
  const by = `orderBy: [SURNAME_ASC, ${ID}_ASC]`;
  const filter = 'contacts.nodes';
  const bulk = `${own} ${allOfContact} address { ${id} ${allOfAddress.replace('id ', '')} } ${ofTags} ${ofNotes(allOfNote)} answers(orderBy: ${ID}_ASC) { nodes { ${id} ${allOfAnswer.replace('id ', '')} } }`;
  const page = (first: number, fields: string, skip: number): Request =>
    buildGraphRequest(
      `query ($skip: Int!) { contacts(condition: { groupId: 1 }, ${by}, first: ${first}, offset: $skip) { nodes { ${fields} } } }`,
      { skip },
      filter,
    );
  const plainNotes = ofNotes('id content pinned createdAt');
  return {
    single: (draw) =>
      buildGraphRequest(
        `query ($id: BigInt!) { contact(${id}: $id) { ${own} ${address} ${ofTags} ${plainNotes} } }`,
        { id: String(draw.id) },
        'contact',
      ),
    list50: (draw) => page(50, `${own} ${ofTags} ${plainNotes}`, draw.page * 50),
    filter: ({ city, tags: ids }) =>
      buildGraphRequest(
        `query ($city: String!, $tags: [Int!]!) { contacts(filter: { groupId: { equalTo: 1 }, address: { city: { equalTo: $city } }, contactTags: { some: { tagId: { in: $tags } } } }, ${by}, first: 50) { nodes { ${own} ${address} ${ofTags} } } }`,
        { city, tags: ids },
        filter,
      ),
    agg: ({ letter }) =>
      buildGraphRequest(
        `query ($letter: String!) { contacts(filter: { groupId: { equalTo: 1 }, surname: { startsWith: $letter }, transactions: { aggregates: { sum: { amount: { greaterThanOrEqualTo: "10000" } } } } }, ${by}, first: 50) { nodes { ${own} } } }`,
        { letter },
        filter,
      ),
    bulk: (draw) => page(1000, bulk, draw.bulkPage * 1000),
    note: (draw) =>
      buildGraphRequest(
        `mutation ($id: BigInt!) { createNote(input: { note: { contactId: $id, content: "${noteText}", pinned: false } }) { note { ${id} ${written.replace('id ', '')} } } }`,
        { id: String(draw.id) },
        'createNote.note',
      ),
    introspect: buildIntrospection,
  };
};
