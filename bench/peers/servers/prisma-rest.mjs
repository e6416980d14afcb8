// In charge of the peer on Prisma: its client over node-postgres, behind Fastify.
import { PrismaPg } from '@prisma/adapter-pg';
import { PrismaClient } from '@prisma/client';
import Fastify from 'fastify';

// Ids are numbers, here as in the other peers.
BigInt.prototype.toJSON = function () {
  return Number(this);
};
const db = new PrismaClient({
  adapter: new PrismaPg({ connectionString: process.env.PLAIN_URL, max: 10 }, { schema: 'plain' }),
});

const basic = { id: true, firstname: true, surname: true, mail: true, mobile: true, birthdate: true, gender: true };
const address = { select: { street: true, houseNumber: true, postalCode: true, city: true, country: true } };
const contactTags = { select: { tag: { select: { name: true, color: true } } }, orderBy: { tagId: 'asc' } };
const byDate = [{ pinned: 'desc' }, { createdAt: 'desc' }, { id: 'desc' }];
const notes = { select: { id: true, content: true, pinned: true, createdAt: true }, orderBy: byDate };
const orderBy = [{ surname: 'asc' }, { id: 'asc' }];
const without = { contactId: true };

const app = Fastify();
app.get('/single', ({ query }) =>
  db.contact.findUnique({ where: { id: Number(query.id) }, select: { ...basic, address, contactTags, notes } }),
);
app.get('/list50', ({ query }) =>
  db.contact.findMany({
    where: { groupId: 1 },
    orderBy,
    skip: Number(query.skip),
    take: 50,
    select: { ...basic, contactTags, notes },
  }),
);
app.get('/filter', ({ query }) => {
  const tagId = { in: query.tags.split(',').map(Number) };
  const where = { groupId: 1, address: { city: query.city }, contactTags: { some: { tagId } } };
  return db.contact.findMany({ where, orderBy, take: 50, select: { ...basic, address, contactTags } });
});
// A sum cannot be a condition on contacts: the ids of those who gave enough are asked for first.
app.get('/agg', async ({ query }) => {
  const givers = await db.transaction.groupBy({
    by: 'contactId',
    where: { contact: { groupId: 1, surname: { startsWith: query.letter } } },
    having: { amount: { _sum: { gte: 10_000 } } },
  });
  const id = { in: givers.map(({ contactId }) => contactId) };
  return db.contact.findMany({ where: { id }, orderBy, take: 50, select: basic });
});
app.get('/bulk', ({ query }) =>
  db.contact.findMany({
    where: { groupId: 1 },
    orderBy,
    skip: Number(query.skip),
    take: 1000,
    omit: { userId: true, groupId: true },
    include: {
      address: { omit: without },
      contactTags,
      notes: { omit: { ...without, userId: true, groupId: true }, orderBy: byDate },
      answers: { omit: { ...without, groupId: true }, orderBy: { id: 'asc' } },
    },
  }),
);
app.post('/note', ({ query, body }) =>
  db.note.create({
    data: { contactId: Number(query.id), content: body.content, pinned: body.pinned },
    omit: { userId: true, groupId: true },
  }),
);
await app.listen({ port: Number(process.env.PORT), host: '127.0.0.1' });
