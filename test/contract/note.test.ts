// Spec §4.1 and §2.1: writing a note on a contact.
import { beforeAll, describe, expect, it } from 'vitest';
import { type Door, openApp } from '../harness/app.ts';

let door: Door;
let contact: number;

beforeAll(async () => {
  door = await openApp();
  [{ id: contact }] = (await door.sql(
    'select min(id) as id from contacts where group_id = 1 and deleted_at is null',
  )) as [{ id: number }];
});

describe('POST /v1/contacts/{contactId}/notes', () => {
  it.each(['/v1', ''])('answers 201 with the bare note (prefix "%s")', async (prefix) => {
    const { status, body } = await door.rest('POST', `${prefix}/contacts/${contact}/notes`, {
      content: 'Prefers mornings',
      pinned: true,
    });
    expect(status).toBe(201);
    expect(body).toEqual({
      id: expect.any(Number),
      contact_id: contact,
      content: 'Prefers mornings',
      pinned: true,
      created_at: expect.stringMatching(/Z$/),
      updated_at: expect.stringMatching(/Z$/),
    });
  });

  it('accepts extra properties, and pinned is false when it is omitted', async () => {
    const { status, body } = await door.rest('POST', `/v1/contacts/${contact}/notes`, {
      content: 'Short',
      id: 5,
      contact_id: 9,
      group_id: 2,
      colour: 'red',
    });
    expect([status, body.pinned, body.content, body.contact_id]).toEqual([201, false, 'Short', contact]);
  });

  it.each([
    'é ü 漢 🏳️‍🌈',
    'a\u202e\u200d',
    'e\u0301'.repeat(10_000),
    '%_\\\'"`$1 :group ? ?? ::',
    '  spaces  ',
    'line\r\nline\ttab',
  ])('keeps the text exactly: %#', async (content) => {
    const { body } = await door.rest('POST', `/v1/contacts/${contact}/notes`, { content });
    expect(body.content).toBe(content);
    expect((await door.sql('select content from notes where id = ?', [body.id]))[0].content).toBe(content);
  });

  it('changes lastchange and the last editor of the contact', async () => {
    await door.sql(
      `update contacts set lastchange = '2001-01-01', updated_at = '2001-01-01', user_id = null where id = ?`,
      [contact],
    );
    await door.rest('POST', `/v1/contacts/${contact}/notes`, { content: 'x' });
    const [row] = await door.sql(
      `select lastchange > '2020-01-01' as moved, updated_at > '2020-01-01' as written, user_id from contacts where id = ?`,
      [contact],
    );
    expect(row).toEqual({ moved: true, written: true, user_id: 1 });
  });

  it.each([
    [{}, 'body.content', 'is required'],
    [{ content: null }, 'body.content', 'is required'],
    [{ content: '' }, 'body.content', 'must not be blank'],
    [{ content: ' \r\n\t' }, 'body.content', 'must not be blank'],
    [{ content: '\u200b\u00ad\u2060' }, 'body.content', 'must not be blank'],
    [{ content: 5 }, 'body.content', 'must be a string'],
    [{ content: 'a\u0000b' }, 'body.content', 'must not contain U+0000 or a lone surrogate'],
    [{ content: '\ud800' }, 'body.content', 'must not contain U+0000 or a lone surrogate'],
    [{ content: 'x'.repeat(65_537) }, 'body.content', 'must be at most 65536 characters'],
    [{ content: 'x', pinned: 'yes' }, 'body.pinned', 'must be true or false'],
    [[], 'body', 'must be an object'],
    ['"text"', 'body', 'must be an object'],
  ])('refuses a bad body and writes nothing: %#', async (sent, location, message) => {
    const before = await door.sql('select count(*) from notes');
    const { status, body } = await door.rest('POST', `/v1/contacts/${contact}/notes`, sent);
    expect(status).toBe(400);
    expect(body.errors).toEqual([expect.objectContaining({ location, message })]);
    expect(await door.sql('select count(*) from notes')).toEqual(before);
  });

  it('accepts 65,536 characters, counted as characters', async () => {
    const { status } = await door.rest('POST', `/v1/contacts/${contact}/notes`, { content: '🏳'.repeat(65_536) });
    expect(status).toBe(201);
  });

  it('reports every fault at once', async () => {
    const { body } = await door.rest('POST', '/v1/contacts/abc/notes', { content: 1, pinned: 2 });
    expect(body.errors.map((fault: { location: string }) => fault.location).sort()).toEqual([
      'body.content',
      'body.pinned',
      'path.contactId',
    ]);
  });

  it('is 404 for a contact of another space, and writes nothing', async () => {
    const [{ id }] = await door.sql('select min(id) as id from contacts where group_id = 2');
    const before = await door.sql('select count(*) from notes');
    const { status, body } = await door.rest('POST', `/v1/contacts/${id}/notes`, { content: 'x' });
    expect([status, body.detail]).toEqual([404, `There is no contact ${id}`]);
    expect(await door.sql('select count(*) from notes')).toEqual(before);
  });
});
