// In charge of the peer on Drizzle: its relational queries, one statement each, behind Fastify.
import { and, asc, desc, eq, exists, like, sql } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/node-postgres';
import Fastify from 'fastify';
import pg from 'pg';
import * as schema from './drizzle-schema.mjs';
import { gate, isGated } from './hand.mjs';

const { address, contact, contactTag, note, transaction } = schema;
const pool = new pg.Pool({ connectionString: process.env.PLAIN_URL, max: 10 });
const db = drizzle(pool, { schema });

const columns = { id: true, firstname: true, surname: true, mail: true, mobile: true, birthdate: true, gender: true };
const tags = { columns: {}, with: { tag: { columns: { name: true, color: true } } }, orderBy: asc(contactTag.tagId) };
const byDate = [desc(note.pinned), desc(note.createdAt), desc(note.id)];
const notes = { columns: { id: true, content: true, pinned: true, createdAt: true }, orderBy: byDate };
const ofAddress = { columns: { street: true, houseNumber: true, postalCode: true, city: true, country: true } };
const inGroup = eq(contact.groupId, 1);
const orderBy = [asc(contact.surname), asc(contact.id)];
const without = { contactId: false };

// Each is built once, and prepared under its name, as Drizzle's documentation advises for what is asked often.
const given = sql.placeholder;
const one = db.query.contact
  .findFirst({ columns, where: eq(contact.id, given('id')), with: { address: ofAddress, contactTags: tags, notes } })
  .prepare('one');
const page = db.query.contact
  .findMany({ columns, where: inGroup, orderBy, limit: 50, offset: given('skip'), with: { contactTags: tags, notes } })
  .prepare('page');
const ofCity = db
  .select({ one: sql`1` })
  .from(address)
  .where(and(eq(address.contactId, contact.id), eq(address.city, given('city'))));
const tagged = db
  .select({ one: sql`1` })
  .from(contactTag)
  .where(and(eq(contactTag.contactId, contact.id), sql`${contactTag.tagId} = any(${given('tags')})`));
const filtered = db.query.contact
  .findMany({
    columns,
    where: and(inGroup, exists(ofCity), exists(tagged)),
    orderBy,
    limit: 50,
    with: { address: ofAddress, contactTags: tags },
  })
  .prepare('filtered');
const total = db
  .select({ total: sql`sum(${transaction.amount})` })
  .from(transaction)
  .where(eq(transaction.contactId, contact.id));
const givers = db.query.contact
  .findMany({
    columns,
    where: and(inGroup, like(contact.surname, given('beginning')), sql`(${total}) >= 10000`),
    orderBy,
    limit: 50,
  })
  .prepare('givers');
const whole = db.query.contact
  .findMany({
    where: inGroup,
    orderBy,
    limit: 1000,
    offset: given('skip'),
    columns: { userId: false, groupId: false },
    with: {
      address: { columns: without },
      contactTags: tags,
      notes: { columns: { ...without, userId: false, groupId: false }, orderBy: byDate },
      answers: { columns: { contactId: false, groupId: false }, orderBy: asc(schema.answer.id) },
    },
  })
  .prepare('whole');

const app = Fastify();
gate(app);
app.get('/single', ({ query }) => one.execute({ id: Number(query.id) }));
app.get('/list50', ({ query }) => page.execute({ skip: Number(query.skip) }));
app.get('/filter', ({ query }) => filtered.execute({ city: query.city, tags: query.tags.split(',').map(Number) }));
app.get('/agg', ({ query }) => givers.execute({ beginning: `${query.letter}%` }));
app.get('/bulk', ({ query }) => whole.execute({ skip: Number(query.skip) }));
const written = {
  id: note.id,
  contactId: note.contactId,
  content: note.content,
  pinned: note.pinned,
  createdAt: note.createdAt,
  updatedAt: note.updatedAt,
};
const insertOf = (at) =>
  at
    .insert(note)
    .values({ contactId: given('contactId'), content: given('content'), pinned: given('pinned') })
    .returning(written)
    .prepare('note');
const insert = insertOf(db);
const { lastchange, updatedAt } = contact;
app.post('/note', async ({ query, body }) => {
  const values = { contactId: Number(query.id), content: body.content, pinned: body.pinned };
  if (!isGated) return (await insert.execute(values))[0];
  return db.transaction(async (transaction) => {
    const marks = { lastchange: sql`${lastchange}`, updatedAt: sql`${updatedAt}` };
    await transaction.update(contact).set(marks).where(eq(contact.id, values.contactId));
    return (await insertOf(transaction).execute(values))[0];
  });
});
await app.listen({ port: Number(process.env.PORT), host: '127.0.0.1' });
