// A record is written at the moment when its contact is merged into another: the write waits, and then finds the record with the survivor.
import { beforeAll, expect, it } from 'vitest';
import { runMutation } from '../graphql/writing.ts';
import { type Door, type Json, openApp } from '../harness/app.ts';
import { buildWaitingSql } from '../harness/session.ts';
import { waitUntil } from '../harness/waiting.ts';

let door: Door;
beforeAll(async () => {
  door = await openApp();
});

const idOf = ({ id }: Json): number => id;
const giving = { amount: 100, transactionDate: '2026-01-01T00:00:00Z' };

/** Each makes records of a contact, and tells the write that comes beside the merge. */
const writes: Record<string, (contactId: number) => Promise<[name: string, input: Json]>> = {
  'a changed donation': async (contactId) => [
    'updateDonation',
    { id: idOf(await runMutation(door, 'createDonation', { contactId, ...giving })), amount: 200 },
  ],
  'a deleted donation': async (contactId) => [
    'deleteDonation',
    { id: idOf(await runMutation(door, 'createDonation', { contactId, ...giving })) },
  ],
  'a changed note': async (contactId) => [
    'updateNote',
    { id: idOf(await runMutation(door, 'createNote', { contactId, content: 'one' })), content: 'two' },
  ],
  'a pinned note': async (contactId) => [
    'updateNote',
    { id: idOf(await runMutation(door, 'createNote', { contactId, content: 'one' })), pinned: true },
  ],
  'a deleted note': async (contactId) => [
    'deleteNote',
    { id: idOf(await runMutation(door, 'createNote', { contactId, content: 'one' })) },
  ],
  'a changed interaction': async (contactId) => [
    'updateInteraction',
    { id: idOf(await runMutation(door, 'createInteraction', { contactId, type: 'call' })), comments: 'two' },
  ],
  'a deleted interaction': async (contactId) => [
    'deleteInteraction',
    { id: idOf(await runMutation(door, 'createInteraction', { contactId, type: 'call' })) },
  ],
  'an added file': async (contactId) => [
    'addFile',
    {
      interactionId: idOf(await runMutation(door, 'createInteraction', { contactId, type: 'call' })),
      name: 'a file',
      url: 'https://example.org/a',
    },
  ],
  'a deleted file': async (contactId) => {
    const interactionId = idOf(await runMutation(door, 'createInteraction', { contactId, type: 'call' }));
    const file = await runMutation(door, 'addFile', { interactionId, name: 'a file', url: 'https://example.org/a' });
    return ['deleteFile', { id: idOf(file) }];
  },
  'an opened e-mail': async (contactId) => {
    const [email] = await runMutation(door, 'recordEmails', { emails: [{ contactId, type: 'letter' }] });
    return ['recordEmailEvents', { events: [{ emailId: idOf(email), kind: 'OPENED', at: '2026-01-01T00:00:00Z' }] }];
  },
};

it.each(Object.entries(writes))('%s is the record of the survivor', async (_, make) => {
  const survivor = idOf(await runMutation(door, 'createContact', { lastName: 'Stays' }));
  const other = idOf(await runMutation(door, 'createContact', { lastName: 'Goes' }));
  const ids = [survivor, other];
  const [name, input] = await make(other);
  // What a merge does before it is committed, as far as the record goes.
  const merging = await door.database.readers.knex.transaction();
  await merging.raw('select from contacts where group_id = 1 and id = any(?) order by id for no key update', [ids]);
  const writing = runMutation(door, name, input);
  await waitUntil('the write waits for the merge', async () => (await door.sql(buildWaitingSql())).length > 0);
  for (const table of ['donations', 'notes', 'interactions', 'emails'])
    await merging.raw(`update ${table} set contact_id = ? where group_id = 1 and contact_id = ?`, ids);
  await merging.raw('update contacts set merged_into = ?, deleted_at = now() where group_id = 1 and id = ?', ids);
  await merging.commit();
  await writing;
  const [{ version }] = await door.sql('select version from contacts where id = ?', [survivor]);
  expect(version).toBe(name === 'recordEmailEvents' ? 1 : 2);
});
