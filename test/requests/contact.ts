// A valid request for every operation on contacts and their children.
import { type Fields, type Ids, openQuestion, type Requests, suppressed } from './ids.ts';

const upserted = { mail: 'upserted@example.org', surname: 'Upserted' };
const date = '2026-11-21T09:00:00Z';

/** Answers in both notations of an upsert: by the label of a form, and as they are read. */
const answersOf = ({ freeForms, form_refs, turn }: Ids) => [
  { label: openQuestion, value: `an answer ${turn}`, answeredAt: date },
  { formId: freeForms, optionId: form_refs, text: `an answer ${turn}`, answeredAt: date },
];

/** The fields that every write of a contact may have, except custom fields. */
const content = ({ forms, answerRefs, turn }: Ids) => ({
  ageCategory: turn % 7,
  tags: [{ name: `new ${turn % 100}`, color: 'red' }],
  answers: [{ formId: forms, optionId: answerRefs, text: `an answer ${turn}`, surveyId: forms }],
  notes: [{ content: `an answer ${turn}` }],
});
const written = (ids: Ids) => ({
  ...content(ids),
  customFields: [
    {
      formId: ids.freeForms,
      optionId: ids.form_refs,
      text: `an answer ${ids.turn}`,
      answeredAt: date,
      surveyId: ids.forms,
    },
  ],
});

/** When the id is missing, the mail is matched: the same contact each time. */
const record = (ids: Ids) => ({
  id: ids.contacts,
  email: upserted.mail,
  lastName: upserted.surname,
  ...content(ids),
  // A consent of another time might be an older one, which is not followed.
  consents: answersOf(ids).map(({ answeredAt: _, ...answer }) => answer),
  status: answersOf(ids),
  forms: answersOf(ids),
  customFields: answersOf(ids),
  actions: answersOf(ids),
  namePresences: answersOf(ids),
});

export const contactFields: Fields = {
  contact: ({ contacts }) => ({ id: contacts }),
  contactBy: ({ contacts }) => ({ by: { id: contacts } }),
  contacts: () => ({ first: 5 }),
  answers: () => ({ first: 5 }),
  answer: ({ answers }) => ({ id: answers }),
  createContact: (ids) => ({ input: { lastName: 'Newcomer', address: { city: 'Lyon' }, ...written(ids) } }),
  updateContact: (ids) => ({ input: { id: ids.contacts, lastName: 'Changed', ...written(ids) } }),
  deleteContact: ({ contacts }) => ({ input: { id: contacts } }),
  restoreContact: ({ deletedContacts }) => ({ input: { id: deletedContacts } }),
  upsertContact: (ids) => ({ input: record(ids) }),
  upsertContacts: (ids) => ({ input: { contacts: [record(ids)] } }),
  imports: () => ({}),
  import: ({ imports }) => ({ id: imports }),
  importContacts: (ids) => ({ input: { contacts: [record(ids)], name: 'a batch' } }),
  undoImport: ({ imports }) => ({ input: { id: imports } }),
  mergeContacts: ({ contacts, otherContacts }) => ({ input: { survivorId: contacts, ids: [otherContacts] } }),
  undoContactMerge: ({ merges }) => ({ input: { id: merges } }),
  duplicateContacts: () => ({ first: 5 }),
  consentChanges: () => ({ first: 5 }),
  consentChange: ({ consent_changes }) => ({ id: consent_changes }),
  suppressions: () => ({ first: 5 }),
  suppression: ({ suppressions }) => ({ id: suppressions }),
  eraseSuppression: () => ({ input: { email: suppressed, phone: '06 39 98 00 01' } }),
  keepContactsApart: ({ contacts, thirdContacts }) => ({ input: { contactIds: [contacts, thirdContacts] } }),
  releaseContacts: ({ contacts, thirdContacts }) => ({ input: { contactIds: [contacts, thirdContacts] } }),
  changeContacts: ({ contacts, turn }) => ({
    input: { of: { ids: [contacts] }, change: { addTags: [`a change ${turn}`] }, expectedCount: 1, name: 'a change' },
  }),
  contactChange: ({ contactChanges }) => ({ id: contactChanges }),
  cancelContactChange: ({ contactChanges }) => ({ input: { id: contactChanges } }),
  undoContactChange: ({ doneChanges }) => ({ input: { id: doneChanges } }),
  changes: ({ contacts }) => ({ first: 5, filter: { types: ['CONTACT'], contactIds: [contacts] } }),
  personExport: ({ contacts }) => ({ contactId: contacts }),
  erasePerson: ({ contacts }) => ({ input: { contactId: contacts } }),
  notes: () => ({ first: 5 }),
  note: ({ notes }) => ({ id: notes }),
  interactions: () => ({ last: 5 }),
  interaction: ({ interactions }) => ({ id: interactions }),
  file: ({ files }) => ({ id: files }),
  createNote: ({ contacts }) => ({ input: { contactId: contacts, content: 'a note' } }),
  updateNote: ({ notes }) => ({ input: { id: notes, content: 'a changed note' } }),
  deleteNote: ({ notes }) => ({ input: { id: notes } }),
  createInteraction: ({ contacts }) => ({
    input: { contactId: contacts, type: 'call', files: [{ name: 'a file', url: '/files/1' }] },
  }),
  updateInteraction: ({ interactions }) => ({ input: { id: interactions, title: 'changed' } }),
  deleteInteraction: ({ interactions }) => ({ input: { id: interactions } }),
  addFile: ({ interactions }) => ({ input: { interactionId: interactions, name: 'a file', url: '/files/1' } }),
  deleteFile: ({ files }) => ({ input: { id: files } }),
  tags: () => ({}),
  tag: ({ tags }) => ({ id: tags }),
  createTag: () => ({ input: { name: 'a tag' } }),
  updateTag: ({ tags }) => ({ input: { id: tags, name: 'a changed tag' } }),
  deleteTag: ({ tags }) => ({ input: { id: tags } }),
  tagContacts: ({ contacts }) => ({ input: { contactIds: [contacts], tags: ['a tag of contacts'] } }),
  untagContacts: ({ contacts }) => ({ input: { contactIds: [contacts], tags: ['a tag of contacts'] } }),
  actions: () => ({}),
  action: ({ actions }) => ({ id: actions }),
  createAction: () => ({ input: { name: 'an action' } }),
  updateAction: ({ actions }) => ({ input: { id: actions, name: 'a changed action' } }),
  deleteAction: ({ actions }) => ({ input: { id: actions } }),
  linkAction: ({ actions, contacts }) => ({ input: { actionId: actions, contactIds: [contacts] } }),
  unlinkAction: ({ actions, contacts }) => ({ input: { actionId: actions, contactIds: [contacts] } }),
};

export const contactRequests: Requests = {
  CreateNote: ({ contacts }) => ({ path: { contactId: contacts }, body: { content: 'a note' } }),
  ContactById: ({ contacts }) => ({ path: { id: contacts } }),
  ContactAsFound: ({ contacts }) => ({ path: { id: contacts } }),
  CreateContact: () => ({ path: {}, body: { data: { contact: { surname: 'Newcomer', tags: ['new'] } } } }),
  UpdateContact: ({ contacts }) => ({ path: { id: contacts }, body: { data: { contact: { surname: 'Changed' } } } }),
  DeleteContact: ({ contacts }) => ({ path: { id: contacts } }),
  UpsertContact: ({ contacts, turn }) => ({
    path: {},
    body: {
      kind: 'contact',
      data: {
        id: contacts,
        ...upserted,
        tags: ['new'],
        consents: [{ label: openQuestion, value: `an answer ${turn}` }],
        name_presences: [{ label: openQuestion, value: `an answer ${turn}`, date }],
      },
    },
  }),
};
