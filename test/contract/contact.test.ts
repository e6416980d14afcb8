// Spec §4.12 and §2.2, §2.3: a contact by id, bare under /v1, wrapped in the shape of search without it.
import { beforeAll, describe, expect, it } from 'vitest';
import { type Door, type Json, openApp } from '../harness/app.ts';

let door: Door;
let full: { id: number };

beforeAll(async () => {
  door = await openApp();
  // A contact with something in every place.
  [full] = (await door.sql(`
    select c.id from contacts c join addresses a using (group_id) where c.group_id = 1 and a.contact_id = c.id and c.deleted_at is null
       and c.mail is not null and c.birthdate is not null and c.gender is not null
       and exists (select from contact_tags t where t.group_id = 1 and t.contact_id = c.id)
       and exists (select from answers x join forms f on f.group_id = 1 and f.id = x.form_id where x.group_id = 1 and x.contact_id = c.id and f.kind = 'custom_fields')
       and exists (select from answers x join forms f on f.group_id = 1 and f.id = x.form_id where x.group_id = 1 and x.contact_id = c.id and f.kind <> 'custom_fields')
     order by c.id limit 1`)) as [{ id: number }];
});

const instant = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,6})?Z$/;

describe('GET /v1/contacts/{id}', () => {
  it('answers the bare contact of §2.2', async () => {
    const { status, body } = await door.rest('GET', `/v1/contacts/${full.id}`);
    const [row] = await door.sql(
      `select *, to_char(birthdate, 'YYYY-MM-DD') as day from contacts where group_id = 1 and id = ?`,
      [full.id],
    );
    expect(status).toBe(200);
    expect(body).not.toHaveProperty('data');
    expect(body).toMatchObject({
      id: full.id,
      mail: row.mail,
      gender: row.gender,
      birthdate: `${row.day}T00:00:00Z`,
      black_list: row.black_list,
      mobile_invalid: row.mobile_invalid,
      phone_invalid: row.phone_invalid,
    });
    expect(body.created_at).toMatch(instant);
    expect(body.updated_at).toMatch(instant);
    expect(body.tags[0]).toEqual({ name: expect.any(String) });
    expect(body.custom_fields[0]).toMatchObject({
      id: expect.any(Number),
      form_id: expect.any(Number),
      form_ref_id: expect.any(Number),
    });
    expect(body.formdatas[0]).toMatchObject({
      id: expect.any(Number),
      form_id: expect.any(Number),
      form_ref_id: expect.any(Number),
    });
    expect(body.formdatas[0].date).toMatch(instant);
  });

  it('has only the fields of §2.2, and none without a value', async () => {
    const allowed =
      `address age_category birth_city birth_country birthdate black_list custom_fields firstname formdatas gender mail mobile
      mobile_invalid nationality phone phone_invalid surname tags id created_at updated_at`.split(/\s+/);
    const address =
      'addition building city country county door floor house_number id infos latitude longitude postal_code state street'.split(
        ' ',
      );
    for (const { id } of await door.sql(
      'select id from contacts where group_id = 1 and deleted_at is null order by id limit 60',
    )) {
      const { body } = await door.rest('GET', `/v1/contacts/${id}`);
      expect(allowed).toEqual(expect.arrayContaining(Object.keys(body)));
      expect(address).toEqual(expect.arrayContaining(Object.keys(body.address ?? {})));
      expect(JSON.stringify(body)).not.toContain(':null');
      if (body.address?.latitude !== undefined) expect(body.address.latitude).toBeTypeOf('string');
    }
  });
});

describe('GET /contacts/{id}', () => {
  it('answers the contact of §2.3 in an envelope, with the second spellings beside the first', async () => {
    const { status, body } = await door.rest('GET', `/contacts/${full.id}`);
    const contact = body.data.contact;
    expect(status).toBe(200);
    expect(body.status).toBe('success');
    expect(contact).toMatchObject({ id: full.id, group_id: 1 });
    for (const field of ['CreatedAt', 'UpdatedAt', 'lastchange']) expect(contact[field]).toMatch(instant);
    expect(contact.tags[0]).toHaveProperty('name');
    expect(contact.action_ids).toEqual(contact.actions_ids);
    expect(contact.custom_fields).toEqual(contact.customfields);
    for (const [first, second] of [
      ['birthcity', 'birth_city'],
      ['birthcountry', 'birth_country'],
      ['birthdept', 'birth_dept'],
    ]) {
      expect(contact[second!]).toEqual(contact[first!]);
    }
    expect(contact.formdatas[0]).toMatchObject({ group_id: 1, contact_id: full.id });
  });

  it('sends address numbers as integers only when nothing is lost', async () => {
    const cases: [string, Json][] = [
      ['75001', 75001],
      ['01000', '01000'],
      ['12 bis', '12 bis'],
      ['0', 0],
      ['-0', '-0'],
      ['12345678901234567', '12345678901234567'],
    ];
    for (const [text, sent] of cases) {
      await door.sql(
        'update addresses set house_number = ?, postal_code = ?, floor = ?, citycode = ? where group_id = 1 and contact_id = ?',
        [text, text, text, text, full.id],
      );
      const { body } = await door.rest('GET', `/contacts/${full.id}`);
      expect(body.data.contact.address).toMatchObject({
        housenumber: sent,
        postalcode: sent,
        floor: sent,
        citycode: sent,
      });
    }
  });

  it('has address.invalid as null when the address is believed valid', async () => {
    await door.sql('update addresses set invalid = null where group_id = 1 and contact_id = ?', [full.id]);
    expect((await door.rest('GET', `/contacts/${full.id}`)).body.data.contact.address.invalid).toBeNull();
  });

  it('has one note: the pinned one, or else the newest, or none', async () => {
    const { id } = full;
    await door.sql('update notes set deleted_at = now() where group_id = 1 and contact_id = ?', [id]);
    const note = async (): Promise<Json> => (await door.rest('GET', `/contacts/${id}`)).body.data.contact.notes;
    expect(await note()).toBeUndefined();
    await door.rest('POST', `/v1/contacts/${id}/notes`, { content: 'pinned', pinned: true });
    await door.rest('POST', `/v1/contacts/${id}/notes`, { content: 'older' });
    expect((await note()).data).toBe('pinned');
    await door.sql(`update notes set deleted_at = now() where group_id = 1 and contact_id = ? and pinned`, [id]);
    await door.rest('POST', `/v1/contacts/${id}/notes`, { content: 'newest' });
    expect(await note()).toMatchObject({ data: 'newest', pinned: false, contact_id: id, group_id: 1, user_id: 1 });
  });
});

describe('a missing contact', () => {
  it.each(['/v1/contacts/', '/contacts/'])('is 404 at %s: missing, deleted or of another space', async (path) => {
    const [gone] = await door.sql(
      'update contacts set deleted_at = now() where id = (select min(id) from contacts where group_id = 1 and deleted_at is null) returning id',
    );
    const [foreign] = await door.sql('select min(id) as id from contacts where group_id = 2');
    for (const id of [987_654_321, gone.id, foreign.id]) {
      const { status, body } = await door.rest('GET', path + id);
      expect([status, body.title]).toEqual([404, 'Not found']);
    }
  });

  it.each([
    '9007199254740993',
    '-1',
    '1e3',
    '0x1',
    '%201',
    'abc',
    '1.5',
  ])('is 400 for the id %s, and never answers a similar id', async (id) => {
    const { status, body } = await door.rest('GET', `/v1/contacts/${id}`);
    expect(status).toBe(400);
    expect(body.errors[0].location).toBe('path.id');
  });
});
