// Exports for Excel over REST: the language and the columns, what is refused at its place, and that a file for programs stays as it was.
import { beforeAll, describe, expect, it } from 'vitest';
import { type Door, type Json, openApp } from '../harness/app.ts';

let door: Door;
beforeAll(async () => {
  door = await openApp();
  await door.token(1, 1);
});

const query = { $all: [{ $all: [{ $condition: { attr: 'id', ope: 'any_of', value: [1, 2] } }] }] };
const send = (options: Json, headers: Record<string, string> = {}) =>
  door.rest('POST', '/export', { data: { advanced_search: { query, ...options } } }, undefined, headers);
const columns = ['surname', 'gender'];

describe('POST /export', () => {
  it.each<[options: Json, headers: Record<string, string>, head: string]>([
    [{ excel: 'fr', columns }, {}, 'Nom;Genre'],
    [{ excel: 'en', columns }, {}, 'Last name,Gender'],
    [{ excel: true, columns }, { 'Accept-Language': 'de, fr-CA;q=0.9, en;q=0.2' }, 'Nom;Genre'],
    [{ excel: true, columns }, { 'Accept-Language': 'de' }, 'Last name,Gender'],
    [{ excel: true, columns }, {}, 'Last name,Gender'],
    [{ excel: 'fr', columns }, { Accept: 'text/csv' }, 'Nom;Genre'],
    [{ excel: false, columns }, {}, 'surname,gender'],
    [{ excel: null, columns }, { Accept: '*/*' }, 'surname,gender'],
    [{ columns: ['id'] }, { Accept: 'text/csv, application/x-ndjson' }, 'id'],
  ])('%j with %j begins with %j', async (options, headers, head) => {
    const { status, text, headers: got } = await send(options, headers);
    expect([status, got.get('content-type')]).toEqual([200, 'text/csv; charset=utf-8; header=present']);
    expect(got.get('content-disposition')).toBe('attachment; filename="contacts.csv"');
    // Reading a text drops the mark.
    const lines = text.split('\r\n');
    expect([lines[0], lines.length]).toEqual([head, 4]);
  });

  it.each<[options: Json]>([
    [{}],
    [{ excel: false }],
    [{ excel: null, columns: null }],
  ])('%j is for programs, as Accept says', async (options) => {
    expect((await send(options)).headers.get('content-type')).toBe('application/x-ndjson; charset=utf-8');
    const csv = await send(options, { Accept: 'text/csv' });
    expect(csv.text).toMatch(/^id,external_id,gender,firstname,surname,/);
    expect(csv.text).toMatch(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/);
  });

  it.each<[options: Json, location: string, message: RegExp]>([
    [{ excel: 'de' }, 'excel', /^must be en or fr, or true/],
    [{ excel: '' }, 'excel', /^must be en or fr, or true/],
    [{ excel: 'FR' }, 'excel', /^must be en or fr, or true/],
    [{ excel: {} }, 'excel', /^must be en or fr, or true/],
    [{ excel: ['fr'] }, 'excel', /^must be en or fr, or true/],
    [{ columns: [] }, 'columns', /^must be a list of 1 to \d+ columns$/],
    [{ columns: 'surname' }, 'columns', /^must be a list of 1 to \d+ columns$/],
    [{ columns: Array(1000).fill('id') }, 'columns', /^must be a list of 1 to \d+ columns$/],
    [{ columns: ['surname', 'password'] }, 'columns[1]', /^must be one of id, external_id, /],
    [{ columns: ['toString'] }, 'columns[0]', /^must be one of id, /],
    [{ columns: [null] }, 'columns[0]', /^must be one of id, /],
    [{ columns: ['id', 'surname', 'id'] }, 'columns[2]', /^is named twice$/],
  ])('%j is refused at %s', async (options, location, message) => {
    const { status, body } = await send(options);
    expect(status).toBe(400);
    expect(body.errors).toEqual([
      expect.objectContaining({
        location: `body.data.advanced_search.${location}`,
        message: expect.stringMatching(message),
      }),
    ]);
  });

  it('tells of all faults at once, those of the search too', async () => {
    const { body } = await send({ excel: 'de', columns: ['x'], query: { $all: [{}] } });
    expect(body.errors.map(({ location }: Json) => location).sort()).toEqual([
      'body.data.advanced_search.columns[0]',
      'body.data.advanced_search.excel',
      'body.data.advanced_search.query.$all[0]',
    ]);
  });

  it.each([[{ excel: 'fr' }], [{ columns }]])('%j as NDJSON is refused', async (options) => {
    const { status, body } = await send(options, { Accept: 'application/x-ndjson' });
    expect([status, body.detail]).toEqual([406, 'An export with excel or columns is sent as text/csv']);
  });
});
