// Contacts written over REST (spec §4.14; decisions on it), as legacy clients write them.
import { beforeAll, describe, expect, it } from 'vitest';
import { type Door, type Json, openApp } from '../harness/app.ts';

let door: Door;
beforeAll(async () => {
  door = await openApp();
});

const create = async (contact: Json): Promise<Json> => {
  const { status, body } = await door.rest('POST', '/contacts', { data: { contact } });
  expect(status, JSON.stringify(body)).toBe(200);
  return body.data.contact;
};
const read = async (id: number): Promise<Json> => (await door.rest('GET', `/contacts/${id}`)).body.data?.contact;
const search = async (attr: string, value: string): Promise<number[]> =>
  (
    await door.rest('POST', '/search', {
      data: {
        advanced_search: { per_page: 50, query: { $all: [{ $all: [{ $condition: { attr, ope: 'eql', value } }] }] } },
      },
    })
  ).body.data.contacts.map(({ id }: Json) => id);

describe('POST /contacts', () => {
  it('creates a contact with its address and tags, which searches find at once, and costs 5', async () => {
    const { status, body, headers } = await door.rest('POST', '/contacts', {
      data: {
        contact: {
          firstname: 'Ines',
          surname: 'Quéribus',
          mail: 'ines@example.org',
          birthdate: '1980-02-29T00:00:00Z',
          address: { housenumber: 12, street: 'rue Haute', postalcode: 11350, city: 'Cucugnan' },
          tags: ['new here', { name: 'of two kinds' }],
        },
      },
    });
    expect(status).toBe(200);
    expect(headers.get('x-ratelimit-cost')).toBe('5');
    const { contact } = body.data;
    expect(contact).toMatchObject({
      firstname: 'Ines',
      surname: 'Quéribus',
      birthdate: '1980-02-29T00:00:00Z',
      address: { housenumber: 12, postalcode: 11350, city: 'Cucugnan' },
    });
    expect(contact.tags.map(({ name }: Json) => name)).toEqual(['new here', 'of two kinds']);
    expect(await read(contact.id)).toEqual(contact);
    expect(await search('surname', 'queribus')).toEqual([contact.id]);
    expect(await search('address.city', 'CUCUGNAN')).toEqual([contact.id]);
  });

  it.each([
    [{ data: { contact: { surname: 'Wrapped' } } }],
    [{ data: { surname: 'Wrapped' } }],
    [{ contact: { surname: 'Wrapped' } }],
    [{ surname: 'Wrapped' }],
  ])('accepts %j', async (body) => {
    expect((await door.rest('POST', '/contacts', body)).body.data.contact.surname).toBe('Wrapped');
  });

  it('places every fault where it was written', async () => {
    const { status, body } = await door.rest('POST', '/contacts', {
      data: {
        contact: {
          gender: 'X',
          age_category: 7,
          surname: 'a'.repeat(256),
          address: { city: 'a\u0000b' },
          formdatas: [{ form_id: 'x' }],
        },
      },
    });
    expect(status).toBe(400);
    expect(body.errors.map(({ location }: Json) => location).sort()).toEqual([
      'body.data.contact.address.city',
      'body.data.contact.age_category',
      'body.data.contact.formdatas[0].form_id',
      'body.data.contact.formdatas[0].form_ref_id',
      'body.data.contact.gender',
      'body.data.contact.surname',
    ]);
  });

  it('refuses ids of other spaces, and writes nothing', async () => {
    const [{ count }] = await door.sql('select count(*) from contacts');
    const [{ id: form }] = await door.sql('select min(id) as id from forms where group_id = 2');
    const { status, body } = await door.rest('POST', '/contacts', {
      data: { surname: 'Nobody', formdatas: [{ form_id: form, form_ref_id: 1 }] },
    });
    expect([status, body.errors[0].location]).toEqual([422, 'body.data.formdatas[0].form_id']);
    expect((await door.sql('select count(*) from contacts'))[0].count).toBe(count);
  });
});

describe('PATCH /contacts/{id}', () => {
  it('changes the fields that are sent, clears those that are null, and keeps the rest', async () => {
    const { id } = await create({
      firstname: 'Ana',
      surname: 'Part',
      mobile: '0612',
      address: { city: 'Foix', street: 'rue A' },
      tags: ['keep'],
    });
    const { status, body, headers } = await door.rest('PATCH', `/contacts/${id}`, {
      data: { contact: { surname: 'Whole', mobile: null, address: { street: 'rue B' } } },
    });
    expect([status, headers.get('x-ratelimit-cost')]).toEqual([200, '5']);
    const { contact } = body.data;
    expect(contact).toMatchObject({ firstname: 'Ana', surname: 'Whole', address: { city: 'Foix', street: 'rue B' } });
    expect(contact).not.toHaveProperty('mobile');
    expect(contact.tags).toHaveLength(1);
    expect(await search('surname', 'whole')).toEqual([id]);
    expect(await search('surname', 'part')).toEqual([]);
  });

  it('accepts a whole record as it was read, with one change', async () => {
    const [{ id }] = await door.sql(
      `select contact_id as id from answers where group_id = 1 group by 1 order by count(*) desc, 1 limit 1`,
    );
    const before = await read(id);
    const { status, body } = await door.rest('PATCH', `/contacts/${id}`, {
      data: { contact: { ...before, surname: 'Echoed' } },
    });
    expect([status, body.errors]).toEqual([200, undefined]);
    const { UpdatedAt: _, lastchange: __, ...same } = { ...before, surname: 'Echoed' };
    expect(body.data.contact).toMatchObject(same);
  });

  it('is 404 for a contact of another space, as for a missing one', async () => {
    const [{ id }] = await door.sql('select min(id) as id from contacts where group_id = 2');
    for (const one of [id, 987_654_321])
      expect((await door.rest('PATCH', `/contacts/${one}`, { surname: 'Mine' })).status).toBe(404);
  });
});

describe('DELETE /contacts/{id}', () => {
  it('removes the contact from reads and searches, and is 404 the next time', async () => {
    const { id } = await create({ surname: 'Gone-away' });
    const { status, body } = await door.rest('DELETE', `/contacts/${id}`);
    expect([status, body]).toEqual([
      200,
      { status: 'success', data: { message: `Contact ${id} deleted`, contact_id: id } },
    ]);
    expect((await door.rest('GET', `/contacts/${id}`)).status).toBe(404);
    expect(await search('surname', 'gone-away')).toEqual([]);
    expect((await door.rest('DELETE', `/contacts/${id}`)).status).toBe(404);
  });
});
