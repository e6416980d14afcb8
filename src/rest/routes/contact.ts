// Routes of contacts and their notes (spec §2.1–§2.3, §4.1, §4.12, §4.14).
import { contactAsFound, contactById, upserted } from './output.ts';
import { inputId, type Route } from './route.ts';

/** A contact to write: some clients wrap it, some do not. */
const contactBody = { body: ['data.contact', 'data', 'contact', ''] };

export const contactRoutes: Route[] = [
  {
    method: 'POST',
    path: '/contacts/upsert',
    aliases: ['/v1/contacts/upsert'],
    operation: 'UpsertContact',
    variables: { input: { body: ['data.contact', 'data'] } },
    within: 'data',
    kind: 'contact',
    status: 202,
    envelope: 'data',
    shape: upserted,
    summary: 'Change the contact that a record means, or create it',
    example: {
      body: {
        kind: 'contact',
        data: { mail: 'ana@example.org', firstname: 'Ana', surname: 'Costa', tags: ['Sympathisant'] },
      },
    },
  },
  {
    method: 'POST',
    path: '/v1/contacts/{contactId}/notes',
    aliases: ['/contacts/{contactId}/notes'],
    operation: 'CreateNote',
    variables: { 'input.contactId': { path: 'contactId' }, input: { body: '' } },
    status: 201,
    envelope: 'bare',
    summary: 'Write a note on a contact',
    example: { path: { contactId: 1 }, body: { content: 'Called, will come on Saturday.', pinned: true } },
  },
  {
    method: 'GET',
    path: '/v1/contacts/{id}',
    operation: 'ContactById',
    variables: { contactId: { path: 'id' } },
    envelope: 'bare',
    etag: 'contact',
    shape: contactById,
    summary: 'A contact, unwrapped',
    example: { path: { id: 1 } },
  },
  {
    method: 'GET',
    path: '/contacts/{id}',
    operation: 'ContactAsFound',
    variables: { contactId: { path: 'id' } },
    envelope: 'data',
    etag: 'contact',
    shape: contactAsFound,
    summary: 'A contact in the shape of contact search',
    example: { path: { id: 1 } },
  },
  {
    method: 'POST',
    path: '/contacts',
    aliases: ['/v1/contacts'],
    operation: 'CreateContact',
    variables: { input: contactBody },
    kind: 'contact',
    envelope: 'data',
    etag: 'contact',
    shape: contactAsFound,
    summary: 'Create a contact',
    example: {
      body: {
        data: { contact: { firstname: 'Ben', surname: 'Blum', birthdate: '1986-05-17', address: { city: 'Lyon' } } },
      },
    },
  },
  {
    method: 'PATCH',
    path: '/contacts/{id}',
    aliases: ['/v1/contacts/{id}'],
    operation: 'UpdateContact',
    variables: { ...inputId, input: contactBody },
    kind: 'contact',
    envelope: 'data',
    etag: 'contact',
    shape: contactAsFound,
    summary: 'Change the given fields of a contact',
    example: { path: { id: 1 }, body: { data: { contact: { address: { city: 'Lyon' }, tags: ['Sympathisant'] } } } },
  },
  {
    method: 'DELETE',
    path: '/contacts/{id}',
    aliases: ['/v1/contacts/{id}'],
    operation: 'DeleteContact',
    variables: inputId,
    envelope: 'data',
    summary: 'Delete a contact',
    example: { path: { id: 2 } },
  },
];
