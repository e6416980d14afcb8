// Spec §4.13, §4.14 and its decisions: forms by kind and by id.
import { beforeAll, describe, expect, it } from 'vitest';
import { formKinds } from '../../src/data/form/form.ts';
import { type Door, type Json, openApp } from '../harness/app.ts';

let door: Door;
beforeAll(async () => {
  door = await openApp();
});

describe('GET /forms/{type}', () => {
  it.each(formKinds)('lists the forms of kind %s, at every path that names it', async (kind) => {
    const expected = await door.sql(
      'select id from forms where group_id = 1 and kind = ? and deleted_at is null order by id',
      [kind],
    );
    expect(expected.length).toBeGreaterThan(0);
    for (const path of [`/forms/${kind}`, `/v1/forms/${kind}`, `/v1/forms/type/${kind}`, `/forms/${kind}/`]) {
      const { status, body } = await door.rest('GET', path);
      expect(status).toBe(200);
      expect(body.data.forms.map(({ id }: Json) => id)).toEqual(expected.map(({ id }) => id));
      expect(Object.keys(body.data.forms[0]).sort()).toEqual(['id', 'label', 'refvalues', 'type']);
    }
  });

  it.each(['unknown', 'Consent', 'constructor', '__proto__', '-1', '%ff'])('is 404 for the kind %s', async (kind) => {
    expect((await door.rest('GET', `/forms/${kind}`)).status).toBe(404);
  });
});

describe('GET /forms/{formId}', () => {
  it('answers the form with its values', async () => {
    const [{ id }] = await door.sql(
      `select id from forms where group_id = 1 and type = 'radio' and deleted_at is null limit 1`,
    );
    const { status, body } = await door.rest('GET', `/forms/${id}`);
    expect([status, body.data.form.id]).toEqual([200, id]);
    expect(body.data.form.refvalues.length).toBeGreaterThan(1);
    for (const value of body.data.form.refvalues)
      expect(value).toEqual({
        id: expect.any(Number),
        form_id: id,
        label: expect.any(String),
        value: expect.any(String),
      });
  });

  it('has one empty value for free input', async () => {
    const [{ id }] = await door.sql(
      `select id from forms where group_id = 1 and type = 'text' and deleted_at is null limit 1`,
    );
    expect((await door.rest('GET', `/v1/forms/${id}`)).body.data.form.refvalues).toEqual([
      { id: expect.any(Number), form_id: id, label: expect.any(String) },
    ]);
  });

  it('is 404 for a form of another space, 400 for an id beyond JSON numbers', async () => {
    const [{ id }] = await door.sql('select min(id) as id from forms where group_id = 2');
    expect((await door.rest('GET', `/forms/${id}`)).status).toBe(404);
    expect((await door.rest('GET', '/forms/9007199254740993')).status).toBe(400);
  });
});

describe('GET /roles', () => {
  it('lists the roles with their count', async () => {
    const { status, body } = await door.rest('GET', '/roles');
    expect(status).toBe(200);
    expect(body.data.count).toBe(body.data.roles.length);
    expect(new Set(body.data.roles.map(({ type }: Json) => type))).toEqual(
      new Set(['superadmin', 'admin', 'manager', 'user', 'custom']),
    );
  });
});
