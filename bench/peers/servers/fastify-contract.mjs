// In charge of the peer on Fastify that answers contacts in the one shape of the REST contract (spec §2.3), put together in JavaScript.
import Fastify from 'fastify';
import { addresses, contact, contacts, createNote, gate, givers, relation, search, tags } from './hand.mjs';

const answers = relation(
  'answers of contract',
  `select a.contact_id "ownerId", a.id, a.form_id, a.form_ref_id, a.data, a.date, a.created_at, a.updated_at, a.group_id, a.contact_id, f.kind
     from answer a join form f on f.id = a.form_id where a.contact_id = any($1::bigint[]) order by a.id`,
);
const firstNotes = relation(
  'first notes',
  `select distinct on (contact_id) contact_id "ownerId", id, contact_id, group_id, user_id, content as data, pinned, created_at, updated_at
     from note where contact_id = any($1::bigint[]) order by contact_id, pinned desc, created_at desc, id desc`,
);
const relations = [addresses, tags, answers, firstNotes];

const addressOf = ({ houseNumber, postalCode, pollingStation, ...same }) => ({
  ...same,
  housenumber: houseNumber,
  postalcode: postalCode,
  pollingstation: pollingStation,
});
const shapeOf = (row, address, tagged, answered, [note]) => {
  const plain = answered.filter(({ kind }) => kind !== 'custom_fields').map(({ kind, ...answer }) => answer);
  const custom = answered.filter(({ kind }) => kind === 'custom_fields').map(({ kind, ...answer }) => answer);
  return {
    id: row.id,
    group_id: row.groupId,
    CreatedAt: row.createdAt,
    UpdatedAt: row.updatedAt,
    lastchange: row.lastchange,
    firstname: row.firstname,
    surname: row.surname,
    married_name: row.marriedName,
    gender: row.gender,
    birthdate: row.birthdate && `${row.birthdate}T00:00:00Z`,
    age_category: row.ageCategory,
    birthdept: row.birthDept,
    birth_dept: row.birthDept,
    birthcity: row.birthCity,
    birth_city: row.birthCity,
    birthcountry: row.birthCountry,
    birth_country: row.birthCountry,
    nationality: row.nationality,
    black_list: row.blackList,
    // Only flags that are set are sent.
    phone_invalid: row.phoneInvalid || undefined,
    mobile_invalid: row.mobileInvalid || undefined,
    mail: row.mail,
    phone: row.phone,
    mobile: row.mobile,
    address: address && addressOf(address),
    tags: tagged,
    actions_ids: [],
    action_ids: [],
    formdatas: plain,
    customfields: custom,
    custom_fields: custom,
    notes: note,
  };
};

const shaped = async (found) => {
  const ids = found.map(({ id }) => id);
  const lists = await Promise.all(relations.map((batch) => batch(ids)));
  return found.map((row, place) => shapeOf(row, ...lists.map((list) => list[place])));
};

const app = Fastify();
gate(app);
app.get('/single', async ({ query }) => (await shaped([await contact(Number(query.id))]))[0]);
app.get('/list50', async ({ query }) => shaped(await contacts(Number(query.skip), 50)));
app.get('/filter', async ({ query }) => shaped(await search(query.city, query.tags.split(',').map(Number))));
app.get('/agg', async ({ query }) => shaped(await givers(query.letter)));
app.get('/bulk', async ({ query }) => shaped(await contacts(Number(query.skip), 1000)));
app.post('/note', async ({ query, body }) => {
  const { contactId, createdAt, updatedAt, userId, groupId, ...note } = await createNote(
    Number(query.id),
    body.content,
    body.pinned,
  );
  return { ...note, contact_id: contactId, created_at: createdAt, updated_at: updatedAt };
});
await app.listen({ port: Number(process.env.PORT), host: '127.0.0.1' });
