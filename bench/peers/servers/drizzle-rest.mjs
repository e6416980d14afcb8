// In charge of the peer on Drizzle: its relational queries, one statement each, behind Fastify.
import { and, asc, desc, eq, exists, inArray, like, sql } from 'drizzle-orm';
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

const app = Fastify();
gate(app);
app.get('/single', ({ query }) =>
  db.query.contact.findFirst({
    columns,
    where: eq(contact.id, Number(query.id)),
    with: { address: ofAddress, contactTags: tags, notes },
  }),
);
app.get('/list50', ({ query }) =>
  db.query.contact.findMany({
    columns,
    where: inGroup,
    orderBy,
    limit: 50,
    offset: Number(query.skip),
    with: { contactTags: tags, notes },
  }),
);
app.get('/filter', ({ query }) => {
  const ofCity = db
    .select({ one: sql`1` })
    .from(address)
    .where(and(eq(address.contactId, contact.id), eq(address.city, query.city)));
  const tagged = db
    .select({ one: sql`1` })
    .from(contactTag)
    .where(and(eq(contactTag.contactId, contact.id), inArray(contactTag.tagId, query.tags.split(',').map(Number))));
  const where = and(inGroup, exists(ofCity), exists(tagged));
  return db.query.contact.findMany({
    columns,
    where,
    orderBy,
    limit: 50,
    with: { address: ofAddress, contactTags: tags },
  });
});
app.get('/agg', ({ query }) => {
  const total = db
    .select({ total: sql`sum(${transaction.amount})` })
    .from(transaction)
    .where(eq(transaction.contactId, contact.id));
  const where = and(inGroup, like(contact.surname, `${query.letter}%`), sql`(${total}) >= 10000`);
  return db.query.contact.findMany({ columns, where, orderBy, limit: 50 });
});
app.get('/bulk', ({ query }) =>
  db.query.contact.findMany({
    where: inGroup,
    orderBy,
    limit: 1000,
    offset: Number(query.skip),
    with: {
      address: { columns: without },
      contactTags: tags,
      notes: { columns: without, orderBy: byDate },
      answers: { columns: { contactId: false, groupId: false }, orderBy: asc(schema.answer.id) },
    },
  }),
);
const written = {
  id: note.id,
  contactId: note.contactId,
  content: note.content,
  pinned: note.pinned,
  createdAt: note.createdAt,
  updatedAt: note.updatedAt,
};
const insertNote = async (at, values) => (await at.insert(note).values(values).returning(written))[0];
const { lastchange, updatedAt } = contact;
app.post('/note', ({ query, body }) => {
  const values = { contactId: Number(query.id), content: body.content, pinned: body.pinned };
  if (!isGated) return insertNote(db, values);
  return db.transaction(async (transaction) => {
    const marks = { lastchange: sql`${lastchange}`, updatedAt: sql`${updatedAt}` };
    await transaction.update(contact).set(marks).where(eq(contact.id, values.contactId));
    return insertNote(transaction, values);
  });
});
await app.listen({ port: Number(process.env.PORT), host: '127.0.0.1' });
