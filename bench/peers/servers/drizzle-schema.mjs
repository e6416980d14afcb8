// In charge of the plain schema in the words of Drizzle.
import { relations } from 'drizzle-orm';
import {
  bigint,
  boolean,
  date,
  doublePrecision,
  integer,
  pgTable,
  smallint,
  text,
  timestamp,
} from 'drizzle-orm/pg-core';

const key = () => bigint('id', { mode: 'number' }).primaryKey().generatedByDefaultAsIdentity();
const ofContact = () => bigint('contact_id', { mode: 'number' }).notNull();
const instant = (name) => timestamp(name, { withTimezone: true });
const stamps = () => ({
  createdAt: instant('created_at').notNull().defaultNow(),
  updatedAt: instant('updated_at').notNull().defaultNow(),
});
const texts = (names) =>
  Object.fromEntries(names.map((name) => [name, text(name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`))]));

export const contact = pgTable('contact', {
  id: key(),
  groupId: integer('group_id').notNull(),
  userId: integer('user_id'),
  ...texts([
    'firstname',
    'surname',
    'marriedName',
    'gender',
    'birthDept',
    'birthCity',
    'birthCountry',
    'nationality',
    'mail',
    'phone',
    'mobile',
  ]),
  birthdate: date('birthdate'),
  ageCategory: smallint('age_category'),
  phoneInvalid: boolean('phone_invalid').notNull(),
  mobileInvalid: boolean('mobile_invalid').notNull(),
  blackList: boolean('black_list').notNull(),
  lastchange: instant('lastchange').notNull(),
  ...stamps(),
});
export const address = pgTable('address', {
  id: key(),
  contactId: ofContact(),
  ...texts([
    'houseNumber',
    'street',
    'addition',
    'building',
    'floor',
    'door',
    'infos',
    'postalCode',
    'citycode',
    'city',
    'county',
    'state',
  ]),
  ...texts(['country', 'pollingStation', 'invalid']),
  latitude: doublePrecision('latitude'),
  longitude: doublePrecision('longitude'),
  score: doublePrecision('score'),
});
export const tag = pgTable('tag', {
  id: integer('id').primaryKey(),
  name: text('name').notNull(),
  color: text('color').notNull(),
});
export const contactTag = pgTable('contact_tag', { contactId: ofContact(), tagId: integer('tag_id').notNull() });
export const note = pgTable('note', {
  id: key(),
  contactId: ofContact(),
  groupId: integer('group_id').notNull().default(1),
  userId: integer('user_id'),
  content: text('content').notNull(),
  pinned: boolean('pinned').notNull().default(false),
  ...stamps(),
});
export const answer = pgTable('answer', {
  id: key(),
  contactId: ofContact(),
  groupId: integer('group_id').notNull(),
  formId: integer('form_id').notNull(),
  formRefId: integer('form_ref_id').notNull(),
  data: text('data'),
  date: instant('date'),
  ...stamps(),
});
export const transaction = pgTable('transaction', {
  id: key(),
  contactId: ofContact(),
  amount: bigint('amount', { mode: 'number' }).notNull(),
});

const ofOne = (table) =>
  relations(table, ({ one }) => ({ contact: one(contact, { fields: [table.contactId], references: [contact.id] }) }));
export const contactRelations = relations(contact, ({ one, many }) => ({
  address: one(address, { fields: [contact.id], references: [address.contactId] }),
  contactTags: many(contactTag),
  notes: many(note),
  answers: many(answer),
  transactions: many(transaction),
}));
export const contactTagRelations = relations(contactTag, ({ one }) => ({
  contact: one(contact, { fields: [contactTag.contactId], references: [contact.id] }),
  tag: one(tag, { fields: [contactTag.tagId], references: [tag.id] }),
}));
export const [noteRelations, answerRelations, transactionRelations] = [note, answer, transaction].map(ofOne);
