// In charge of what a careful user writes by hand: plain rows, relations in batches by key; and the graph over it. Shared by Fastify, Mercurius and Apollo.
import { createHash } from 'node:crypto';
import pg from 'pg';

// Ids are numbers, days stay days.
pg.types.setTypeParser(pg.types.builtins.INT8, Number);
pg.types.setTypeParser(pg.types.builtins.DATE, (text) => text);
export const pool = new pg.Pool({ connectionString: process.env.PLAIN_URL, max: 10 });

const columns = `c.id, c.group_id "groupId", c.user_id "userId", c.firstname, c.surname, c.married_name "marriedName", c.gender, c.birthdate,
  c.age_category "ageCategory", c.birth_dept "birthDept", c.birth_city "birthCity", c.birth_country "birthCountry", c.nationality, c.mail, c.phone,
  c.mobile, c.phone_invalid "phoneInvalid", c.mobile_invalid "mobileInvalid", c.black_list "blackList", c.lastchange, c.created_at "createdAt",
  c.updated_at "updatedAt"`;
const noteColumns =
  'id, contact_id "contactId", content, pinned, user_id "userId", group_id "groupId", created_at "createdAt", updated_at "updatedAt"';

const rows = async (name, text, values) => (await pool.query({ name, text, values })).rows;
const grouped = (ids, found) => {
  const lists = new Map(ids.map((id) => [id, []]));
  for (const { ownerId, ...row } of found) lists.get(ownerId).push(row);
  return ids.map((id) => lists.get(id));
};
/** Rows of each owner, in batches: `sql` has the owner as "ownerId". */
export const relation = (name, sql) => async (ids) => grouped(ids, await rows(name, sql, [ids]));

const enterGate =
  'select user_id, admitted from public.enter_gate(array[$1::bytea], array[1], 1000000000, 1000000000, true)';

/** With GATE=true a Fastify does what Muster does besides. */
export const isGated = process.env.GATE === 'true';

/** It lets callers in by the very statement: by token, into a space, for points of its bucket. */
export const gate = (app) => {
  if (!isGated) return;
  app.addHook('onRequest', async ({ headers }, reply) => {
    const token = /^Bearer +(\S+) *$/i.exec(headers.authorization ?? '')?.[1] ?? '';
    const [entry] = await rows('gate', enterGate, [createHash('sha256').update(token).digest()]);
    if (!entry?.admitted) return reply.code(entry ? 429 : 401).send({});
  });
};

export const contact = async (id) =>
  (await rows('contact', `select ${columns} from contact c where id = $1`, [id]))[0] ?? null;
export const contacts = (skip, limit) =>
  rows('contacts', `select ${columns} from contact c where group_id = 1 order by surname, id limit $2 offset $1`, [
    skip,
    limit,
  ]);
export const search = (city, tagIds) =>
  rows(
    'search',
    `select ${columns} from contact c join address a on a.contact_id = c.id where c.group_id = 1 and a.city = $1
        and exists (select from contact_tag ct where ct.contact_id = c.id and ct.tag_id = any($2::int[])) order by c.surname, c.id limit 50`,
    [city, tagIds],
  );
export const givers = (letter) =>
  rows(
    'givers',
    `select ${columns} from contact c where c.group_id = 1 and c.surname like $1 || '%'
        and (select sum(amount) from transaction t where t.contact_id = c.id) >= 10000 order by c.surname, c.id limit 50`,
    [letter],
  );
const addressLists = relation(
  'addresses',
  `select contact_id "ownerId", id, house_number "houseNumber", street, addition, building, floor, door, infos, postal_code "postalCode", citycode,
      city, county, state, country, polling_station "pollingStation", latitude, longitude, score, invalid
     from address where contact_id = any($1::bigint[])`,
);
export const addresses = async (ids) => (await addressLists(ids)).map(([address]) => address ?? null);
export const tags = relation(
  'tags',
  `select ct.contact_id "ownerId", t.name, t.color from contact_tag ct join tag t on t.id = ct.tag_id where ct.contact_id = any($1::bigint[]) order by t.id`,
);
export const notes = relation(
  'notes',
  `select contact_id "ownerId", ${noteColumns} from note where contact_id = any($1::bigint[]) order by contact_id, pinned desc, created_at desc, id desc`,
);
export const answers = relation(
  'answers',
  `select contact_id "ownerId", id, form_id "formId", form_ref_id "formRefId", data, date, created_at "createdAt", updated_at "updatedAt"
     from answer where contact_id = any($1::bigint[]) order by id`,
);
const insertNote = `insert into note (contact_id, content, pinned) values ($1, $2, $3) returning ${noteColumns}`;
/** A note marks its contact: with what it has, so that nothing is to be taken back, but written all the same. */
const markAndInsertNote = `with marked as (update contact set lastchange = lastchange, updated_at = updated_at where id = $1 returning id)
  insert into note (contact_id, content, pinned) select id, $2, $3 from marked returning ${noteColumns}`;
export const createNote = async (contactId, content, pinned) =>
  (await rows('note', isGated ? markAndInsertNote : insertNote, [contactId, content, pinned]))[0];

export const typeDefs = `scalar DateTime
type Query {
  contact(id: Float!): Contact
  contacts(skip: Int!, limit: Int!): [Contact!]!
  search(city: String!, tags: [Int!]!): [Contact!]!
  givers(letter: String!): [Contact!]!
}
type Mutation { createNote(contactId: Float!, content: String!, pinned: Boolean!): Note! }
type Contact {
  id: Float! groupId: Int userId: Int firstname: String surname: String marriedName: String gender: String birthdate: String ageCategory: Int
  birthDept: String birthCity: String birthCountry: String nationality: String mail: String phone: String mobile: String phoneInvalid: Boolean
  mobileInvalid: Boolean blackList: Boolean lastchange: DateTime createdAt: DateTime updatedAt: DateTime
  address: Address tags: [Tag!]! notes: [Note!]! answers: [Answer!]!
}
type Address {
  id: Float! houseNumber: String street: String addition: String building: String floor: String door: String infos: String postalCode: String
  citycode: String city: String county: String state: String country: String pollingStation: String latitude: Float longitude: Float score: Float
  invalid: String
}
type Tag { name: String! color: String! }
type Note { id: Float! contactId: Float! content: String! pinned: Boolean! userId: Int groupId: Int createdAt: DateTime updatedAt: DateTime }
type Answer { id: Float! formId: Int formRefId: Int data: String date: DateTime createdAt: DateTime updatedAt: DateTime }`;

export const dateTime = { name: 'DateTime', serialize: (date) => date.toISOString() };
export const Query = {
  contact: (_, { id }) => contact(id),
  contacts: (_, { skip, limit }) => contacts(skip, limit),
  search: (_, { city, tags: ids }) => search(city, ids),
  givers: (_, { letter }) => givers(letter),
};
export const Mutation = { createNote: (_, { contactId, content, pinned }) => createNote(contactId, content, pinned) };
