// A valid request for every operation on contacts and on what hangs on them.
import type { Fields, Requests } from './ids.ts';

const upserted = { mail: 'upserted@example.org', surname: 'Upserted' };

export const contactFields: Fields = {
  contact: ({ contacts }) => ({ id: contacts }),
  contacts: () => ({ first: 5 }),
  createContact: () => ({ input: { surname: 'Newcomer', address: { city: 'Lyon' }, tags: [{ name: 'new' }] } }),
  updateContact: ({ contacts }) => ({ id: contacts, input: { surname: 'Changed' } }),
  deleteContact: ({ contacts }) => ({ id: contacts }),
  restoreContact: ({ deletedContacts }) => ({ id: deletedContacts }),
  // With an id that is not there it is the mail that counts: of the same contact each time.
  upsertContact: ({ contacts }) => ({ input: { id: contacts, ...upserted } }),
  upsertContacts: ({ contacts }) => ({ inputs: [{ id: contacts, ...upserted }] }),
  importContacts: ({ contacts }) => ({ inputs: [{ id: contacts, ...upserted }], name: 'a batch' }),
  undoImport: ({ imports }) => ({ id: imports }),
  mergeContacts: ({ contacts, otherContacts }) => ({ survivorId: contacts, ids: [otherContacts] }),
  createNote: ({ contacts }) => ({ contactId: contacts, input: { content: 'a note' } }),
  updateNote: ({ notes }) => ({ id: notes, input: { content: 'a changed note' } }),
  deleteNote: ({ notes }) => ({ id: notes }),
  createInteraction: ({ contacts }) => ({ contactId: contacts, input: { type: 'call' } }),
  updateInteraction: ({ interactions }) => ({ id: interactions, input: { title: 'changed' } }),
  deleteInteraction: ({ interactions }) => ({ id: interactions }),
  addFile: ({ interactions }) => ({ interactionId: interactions, input: { name: 'a file', url: '/files/1' } }),
  deleteFile: ({ files }) => ({ id: files }),
  tags: () => ({}),
  createTag: () => ({ input: { name: 'a tag' } }),
  updateTag: ({ tags }) => ({ id: tags, input: { name: 'a changed tag' } }),
  deleteTag: ({ tags }) => ({ id: tags }),
  tagContacts: ({ contacts }) => ({ contactIds: [contacts], tags: ['a tag of contacts'] }),
  untagContacts: ({ contacts }) => ({ contactIds: [contacts], tags: ['a tag of contacts'] }),
  actions: () => ({}),
  createAction: () => ({ input: { name: 'an action' } }),
  updateAction: ({ actions }) => ({ id: actions, input: { name: 'a changed action' } }),
  deleteAction: ({ actions }) => ({ id: actions }),
  linkAction: ({ actions, contacts }) => ({ actionId: actions, contactIds: [contacts] }),
  unlinkAction: ({ actions, contacts }) => ({ actionId: actions, contactIds: [contacts] }),
};

export const contactRequests: Requests = {
  CreateNote: ({ contacts }) => ({ path: { contactId: contacts }, body: { content: 'a note' } }),
  ContactById: ({ contacts }) => ({ path: { id: contacts } }),
  ContactAsFound: ({ contacts }) => ({ path: { id: contacts } }),
  CreateContact: () => ({ path: {}, body: { data: { contact: { surname: 'Newcomer', tags: ['new'] } } } }),
  UpdateContact: ({ contacts }) => ({ path: { id: contacts }, body: { data: { contact: { surname: 'Changed' } } } }),
  DeleteContact: ({ contacts }) => ({ path: { id: contacts } }),
  UpsertContact: ({ contacts }) => ({ path: {}, body: { kind: 'contact', data: { id: contacts, ...upserted } } }),
};
