// In charge of the peer on Fastify: rows and their relations in batches, put together in JavaScript, sent as JSON.
import Fastify from 'fastify';
import { addresses, answers, contact, contacts, createNote, gate, givers, notes, search, tags } from './hand.mjs';

const basic = ['id', 'firstname', 'surname', 'mail', 'mobile', 'birthdate', 'gender'];
const pick = (row, names) => row && Object.fromEntries(names.map((name) => [name, row[name]]));
const address = [addresses, (row) => pick(row, ['street', 'houseNumber', 'postalCode', 'city', 'country'])];
const short = [notes, (list) => list.map((note) => pick(note, ['id', 'content', 'pinned', 'createdAt']))];
const long = [notes, (list) => list.map(({ contactId, userId, groupId, ...note }) => note)];
const whole = (value) => value;
const allOfContact = ({ userId, groupId, ...row }) => row;

/** Contacts with relations: of each its batch, and what is taken of it. */
const withRelations = async (found, relations, fields = basic) => {
  const ids = found.map(({ id }) => id);
  const parts = await Promise.all(
    Object.entries(relations).map(async ([name, [batch, shape]]) => [name, (await batch(ids)).map(shape)]),
  );
  return found.map((row, place) => {
    const one = fields ? pick(row, fields) : allOfContact(row);
    for (const [name, list] of parts) one[name] = list[place];
    return one;
  });
};

const labels = { tags: [tags, whole] };
const app = Fastify();
gate(app);
app.get(
  '/single',
  async ({ query }) =>
    (await withRelations([await contact(Number(query.id))], { address, ...labels, notes: short }))[0],
);
app.get('/list50', async ({ query }) =>
  withRelations(await contacts(Number(query.skip), 50), { ...labels, notes: short }),
);
app.get('/filter', async ({ query }) =>
  withRelations(await search(query.city, query.tags.split(',').map(Number)), { address, ...labels }),
);
app.get('/agg', async ({ query }) => withRelations(await givers(query.letter), {}));
app.get('/bulk', async ({ query }) =>
  withRelations(
    await contacts(Number(query.skip), 1000),
    { address: [addresses, whole], ...labels, notes: long, answers: [answers, whole] },
    null,
  ),
);
app.post('/note', async ({ query, body }) => {
  const { userId, groupId, ...note } = await createNote(Number(query.id), body.content, body.pinned);
  return note;
});
await app.listen({ port: Number(process.env.PORT), host: '127.0.0.1' });
