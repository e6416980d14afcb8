// Routes of contacts and their notes (spec §2.1–§2.3, §4.1, §4.12, §4.14).
import { contactAsFound, contactById, upserted } from './output.ts';
import { defineRestRoute, inputId, type Route } from './route.ts';

/** A contact to write: some clients wrap it, some do not. */
const contactBody = { body: ['data.contact', 'data', 'contact', ''] };

export const contactRoutes: Route[] = [
  defineRestRoute('POST', '/contacts/upsert', 'UpsertContact', 'Change the contact that a record means, or create it', {
    aliases: ['/v1/contacts/upsert'],
    variables: { input: { body: ['data.contact', 'data'] } },
    within: 'data',
    kind: 'contact',
    status: 202,
    envelope: 'data',
    shape: upserted,
    example: {
      body: {
        kind: 'contact',
        data: { mail: 'ana@example.org', firstname: 'Ana', surname: 'Costa', tags: ['Sympathisant'] },
      },
    },
  }),
  defineRestRoute('POST', '/v1/contacts/{contactId}/notes', 'CreateNote', 'Write a note on a contact', {
    aliases: ['/contacts/{contactId}/notes'],
    variables: { 'input.contactId': { path: 'contactId' }, input: { body: '' } },
    status: 201,
    envelope: 'bare',
    example: { path: { contactId: 1 }, body: { content: 'Called, will come on Saturday.', pinned: true } },
  }),
  defineRestRoute('GET', '/v1/contacts/{id}', 'ContactById', 'A contact, unwrapped', {
    variables: { contactId: { path: 'id' } },
    envelope: 'bare',
    etag: 'contact',
    shape: contactById,
    example: { path: { id: 1 } },
  }),
  defineRestRoute('GET', '/contacts/{id}', 'ContactAsFound', 'A contact in the shape of contact search', {
    variables: { contactId: { path: 'id' } },
    envelope: 'data',
    etag: 'contact',
    shape: contactAsFound,
    example: { path: { id: 1 } },
  }),
  defineRestRoute('POST', '/contacts', 'CreateContact', 'Create a contact', {
    aliases: ['/v1/contacts'],
    variables: { input: contactBody },
    kind: 'contact',
    envelope: 'data',
    etag: 'contact',
    shape: contactAsFound,
    example: {
      body: {
        data: { contact: { firstname: 'Ben', surname: 'Blum', birthdate: '1986-05-17', address: { city: 'Lyon' } } },
      },
    },
  }),
  defineRestRoute('PATCH', '/contacts/{id}', 'UpdateContact', 'Change the given fields of a contact', {
    aliases: ['/v1/contacts/{id}'],
    variables: { ...inputId, input: contactBody },
    kind: 'contact',
    envelope: 'data',
    etag: 'contact',
    shape: contactAsFound,
    example: { path: { id: 1 }, body: { data: { contact: { address: { city: 'Lyon' }, tags: ['Sympathisant'] } } } },
  }),
  defineRestRoute('DELETE', '/contacts/{id}', 'DeleteContact', 'Delete a contact', {
    aliases: ['/v1/contacts/{id}'],
    variables: inputId,
    envelope: 'data',
    example: { path: { id: 2 } },
  }),
];
