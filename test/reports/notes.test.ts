// A blank note is refused as null is, over both doors and in files; within a contact it is none.
import { beforeAll, describe, expect, it, vi } from 'vitest';
import type { Door, Json } from '../harness/app.ts';
import { createFiles, type Files } from '../import/files.ts';

vi.setConfig({ testTimeout: 60_000 });

let files: Files;
let door: Door;
let contact: number;
beforeAll(async () => {
  files = await createFiles();
  door = files.door;
  contact = (await door.rest('POST', '/contacts', { data: { contact: { surname: 'Noted' } } })).body.data.contact.id;
});

const countNotes = async (): Promise<number> =>
  (await door.sql('select count(*)::int as count from notes where group_id = 1 and contact_id = ?', [contact]))[0]
    .count;

describe.each(['', ' ', '\n\t', '\u00a0'])('a note that is %j', (content) => {
  it('is refused over REST', async () => {
    const before = await countNotes();
    const { status, body } = await door.rest('POST', `/v1/contacts/${contact}/notes`, { content });
    expect([status, body.errors]).toEqual([
      400,
      [{ location: 'body.content', message: 'must not be blank', value: content }],
    ]);
    expect(await countNotes()).toBe(before);
  });

  it('is refused in the graph, new or changed', async () => {
    const { id } = (await door.rest('POST', `/v1/contacts/${contact}/notes`, { content: 'kept' })).body;
    const text = `mutation ($id: ID!, $contact: ID!, $content: String!) {
      create: createNote(input: { contactId: $contact, content: $content }) { note { id } }
      update: updateNote(input: { id: $id, content: $content }) { note { id } } }`;
    const { errors } = (await door.graphql(text, { id, contact, content })).body;
    const fault = { location: 'input.content', message: 'must not be blank', value: content };
    expect(errors.map(({ extensions }: Json) => extensions.errors)).toEqual([[fault], [fault]]);
    expect(await door.sql('select content from notes where group_id = 1 and id = ?', [id])).toEqual([
      { content: 'kept' },
    ]);
  });

  it('is none within a contact', async () => {
    const before = await countNotes();
    const { status } = await door.rest('PATCH', `/contacts/${contact}`, {
      data: { contact: { surname: `Noted ${before}`, notes: [{ content }, content] } },
    });
    expect([status, await countNotes()]).toEqual([200, before]);
  });

  it('rejects its row of a file', async () => {
    const { space } = await files.createPeopledSpace();
    const rows = [
      { contact_mail: 'ada@example.org', content },
      { contact_mail: 'ada@example.org', content: 'kept' },
    ];
    const text = rows.map((row) => `${JSON.stringify(row)}\n`).join('');
    await files.importFile('notes', 'notes.ndjson', text, '--space', space);
    expect(await files.readLivingRows('notes', space, 'content')).toEqual([{ content: 'kept' }]);
  });
});
