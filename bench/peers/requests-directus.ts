// The workloads as requests to the two APIs of Directus: its REST items and its generated graph.
import {
  allOfAddress,
  allOfAnswer,
  allOfContact,
  allOfNote,
  basic,
  buildGetRequest,
  buildGraphRequest,
  buildIntrospection,
  buildPostRequest,
  type Manner,
  noteText,
  type Request,
  written,
} from '../harness/requests.ts';

const snake = (names: string): string => names.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
const byDate = ['-pinned', '-created_at', '-id'];
const bySurname = ['surname', 'id'];

/** Fields in Directus's notation: of the contact, and of its relations after a dot. */
const listed = (names: string, of = ''): string[] =>
  snake(names)
    .split(' ')
    .map((name) => of + name);
const someOfAddress = listed('street houseNumber postalCode city country', 'address.');
const ofTagging = ['contact_tags.tag_id.name', 'contact_tags.tag_id.color'];
const someOfNotes = listed('id content pinned createdAt', 'notes.');

/** The items of Directus. Its filters support counts of related rows, but no sums. */
const items = (path: string, fields: string[], parameters: Record<string, unknown> = {}): Request => {
  const deep = { contact_tags: { _sort: ['tag_id'] }, notes: { _sort: byDate }, answers: { _sort: ['id'] } };
  const query = new URLSearchParams({ fields: fields.join(), deep: JSON.stringify(deep) });
  for (const [name, value] of Object.entries(parameters))
    query.set(name, typeof value === 'object' ? JSON.stringify(value) : String(value));
  return buildGetRequest(`/items/contact${path}?${query}`, 'data');
};
const itemsInOrder = (filter: object, limit: number, offset: number, fields: string[]): Request =>
  items('', fields, { filter: { group_id: { _eq: 1 }, ...filter }, sort: bySurname.join(), limit, offset });

export const directusRest: Manner = {
  single: ({ id }) => items(`/${id}`, [...listed(basic), ...someOfAddress, ...ofTagging, ...someOfNotes]),
  list50: ({ page }) => itemsInOrder({}, 50, page * 50, [...listed(basic), ...ofTagging, ...someOfNotes]),
  filter: ({ city, tags: ids }) =>
    itemsInOrder({ address: { city: { _eq: city } }, contact_tags: { tag_id: { _in: ids } } }, 50, 0, [
      ...listed(basic),
      ...someOfAddress,
      ...ofTagging,
    ]),
  bulk: ({ bulkPage }) =>
    itemsInOrder({}, 1000, bulkPage * 1000, [
      ...listed(`${basic} ${allOfContact}`),
      ...listed(allOfAddress, 'address.'),
      ...ofTagging,
      ...listed(allOfNote, 'notes.'),
      ...listed(allOfAnswer, 'answers.'),
    ]),
  note: ({ id }) =>
    buildPostRequest(
      `/items/note?fields=${listed(written)}`,
      { contact_id: id, content: noteText, pinned: false },
      'data',
    ),
};

const someAddress = `address { ${snake('street houseNumber postalCode city country')} }`;
const tagging = 'contact_tags(sort: ["tag_id"]) { tag_id { name color } }';
const notesOf = (fields: string): string => `notes(sort: ${JSON.stringify(byDate)}) { ${snake(fields)} }`;
const someNotes = notesOf('id content pinned createdAt');
const ofGroup = '{ group_id: { _eq: 1 } }';
const chosen =
  '{ group_id: { _eq: 1 }, address: { city: { _eq: $city } }, contact_tags: { tag_id: { id: { _in: $tags } } } }';
const contacts = (declared: string, chosenBy: string, fields: string, variables: Record<string, unknown>): Request =>
  buildGraphRequest(
    `query (${declared}) { contact(${chosenBy}, sort: ${JSON.stringify(bySurname)}) { ${fields} } }`,
    variables,
    'contact',
  );
const inPages = (limit: number, fields: string, offset: number): Request =>
  contacts('$offset: Int', `filter: ${ofGroup}, limit: ${limit}, offset: $offset`, fields, { offset });

/** It has no request that writes a note: its mutation needs the contact as an object, and would write that too. */
export const directusGraphql: Manner = {
  single: ({ id }) =>
    buildGraphRequest(
      `query ($id: ID!) { contact_by_id(id: $id) { ${basic} ${someAddress} ${tagging} ${someNotes} } }`,
      { id },
      'contact_by_id',
    ),
  list50: ({ page }) => inPages(50, `${basic} ${tagging} ${someNotes}`, page * 50),
  filter: ({ city, tags }) =>
    contacts(
      '$city: String, $tags: [GraphQLStringOrFloat]',
      `filter: ${chosen}, limit: 50`,
      `${basic} ${someAddress} ${tagging}`,
      { city, tags },
    ),
  bulk: ({ bulkPage }) =>
    inPages(
      1000,
      `${basic} ${snake(allOfContact)} address { ${snake(allOfAddress)} } ${tagging} ${notesOf(allOfNote)} answers(sort: ["id"]) { ${snake(allOfAnswer)} }`,
      bulkPage * 1000,
    ),
  introspect: buildIntrospection,
};
