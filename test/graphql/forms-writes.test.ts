// Forms over GraphQL: valid values for each type, labels in use, roles that may write, and what a deletion hides.
import { beforeAll, describe, expect, it } from 'vitest';
import { type Door, type Json, openApp } from '../harness/app.ts';
import { buildChoice, createForm, createRespondent, generateLabel, listOptions } from './forms.ts';
import { buildCondition, faults, ids } from './search-query.ts';
import { createRoleToken, fetchRefusal, findWrongRows, runMutation } from './writing.ts';

let door: Door;
let admin: string;
let foreign: Json;

beforeAll(async () => {
  door = await openApp();
  admin = await createRoleToken(door, 'admin');
  [foreign] = await door.sql(
    `select f.id as form, (select min(r.id) from form_refs r where r.group_id = 2 and r.form_id = f.id) as ref from forms f
      where f.group_id = 2 and f.deleted_at is null order by f.id limit 1`,
  );
});

const create = (input: Json, token?: string): Promise<Json> => createForm(door, input, token);
const update = (id: number, input: Json): Promise<Json> => runMutation(door, 'updateForm', { id, ...input }, admin);

describe('a form', () => {
  it.each([
    'TEXT',
    'NUMERIC',
    'DATE',
  ])('with free input (%s) has one value, created or given, without a text', async (type) => {
    const made = await create({ type, label: `Free ${type}` }, admin);
    expect(made).toMatchObject({ label: `Free ${type}`, kind: 'SURVEY', type });
    expect(listOptions(made)).toEqual([[`Free ${type}`, null]]);
    expect(listOptions(await create({ type, options: [] }))).toHaveLength(1);
    expect(listOptions(await create({ type, options: [{ label: 'Yours' }] }))).toEqual([['Yours', null]]);
  });

  it.each(['RADIO', 'SELECT', 'CHECKBOX'])('with a choice (%s) keeps its values in the order given', async (type) => {
    const refvalues = [{ label: 'Zoë', value: 'z' }, { label: 'Anna' }, { label: 'z', value: 'other' }];
    const made = await create({ type, options: refvalues });
    expect(listOptions(made)).toEqual([
      ['Zoë', 'z'],
      ['Anna', 'Anna'],
      ['z', 'other'],
    ]);
    const { body } = await door.graphql(
      'query ($id: ID!) { form(id: $id) { options { form { databaseId } label value } } }',
      {
        id: made.id,
      },
    );
    expect(listOptions(body.data.form)).toEqual(listOptions(made));
  });

  it.each([
    [
      { type: 'TEXT', options: [{ label: 'a' }, { label: 'b' }] },
      ['input.options must be one value: an answer of type text is free'],
    ],
    [
      { type: 'DATE', options: [{ label: 'a', value: 'x' }] },
      ['input.options[0].value must be left out: an answer of type date is free'],
    ],
    [{ type: 'RADIO' }, ['input.options must not be empty: an answer of type radio is one of them']],
    [{ type: 'CHECKBOX', options: [] }, ['input.options must not be empty: an answer of type checkbox is one of them']],
    [
      {
        type: 'SELECT',
        options: [
          { label: 'a', value: '1' },
          { label: 'b', value: '1' },
          { label: 'a', value: '2' },
        ],
      },
      [
        'input.options[2].label is the label of another value of the form',
        'input.options[1].value is the value of another one of the form',
      ],
    ],
    [
      { type: 'RADIO', options: [{ label: 'a', value: 'b' }, { label: 'b' }] },
      ['input.options[1].value is the value of another one of the form'],
    ],
    [{ ...buildChoice('a', ' ') }, ['input.options[1].label must not be blank']],
    [
      { type: 'RADIO', options: [{ label: 'a', value: 'x'.repeat(256) }] },
      ['input.options[0].value must be at most 255 characters'],
    ],
    [{ type: 'TEXT', label: '\t' }, ['input.label must not be blank']],
    [buildChoice(...Array.from({ length: 1001 }, (_, n) => `${n}`)), ['input.options must be at most 1000 values']],
  ])('is refused with every place: %#', async (input, faults) => {
    const count = () => door.sql('select count(*) from forms');
    const before = await count();
    expect(await fetchRefusal(door, 'createForm', { label: generateLabel(), kind: 'SURVEY', ...input })).toMatchObject({
      code: 'invalid-request',
      faults,
    });
    expect(await count()).toEqual(before);
  });

  it('has a label that no other living form of its kind has', async () => {
    const taken = await create({ type: 'TEXT' });
    const other = await create({ type: 'TEXT' });
    await create({ type: 'TEXT', label: taken.label, kind: 'CONSENT' });
    const conflict = {
      code: 'conflict',
      message: 'There is a form of this label and kind',
      faults: ['input.label is the label of another form of its kind'],
    };
    const input = { type: 'DATE', kind: 'SURVEY', label: taken.label };
    expect(await fetchRefusal(door, 'createForm', input)).toEqual(conflict);
    expect(await fetchRefusal(door, 'updateForm', { id: other.id, label: taken.label })).toEqual(conflict);
    await runMutation(door, 'deleteForm', { id: taken.id });
    await update(other.id, { label: taken.label });
  });

  it.each(['createForm', 'updateForm', 'deleteForm'])('can be written by admins only: %s', async (name) => {
    const args = {
      ...(name !== 'createForm' && { id: 1 }),
      ...(name === 'createForm' && { label: 'x', kind: 'SURVEY', type: 'TEXT' }),
    };
    for (const role of ['manager', 'user', 'custom'])
      expect((await fetchRefusal(door, name, args, await createRoleToken(door, role))).code).toBe('forbidden');
  });
});

it('a deleted form is missing everywhere, with its answers; deleting it again is 404', async () => {
  const made = await create(buildChoice('a'));
  const contact = await createRespondent(door, made.id, made.options[0].id, 'a');
  const asked = { query: { and: [buildCondition('form', 'ext', { form_id: made.id })] } };
  expect(await ids(door, asked)).toEqual([contact]);
  await runMutation(door, 'deleteForm', { id: made.id }, admin);
  expect(await faults(door, asked)).toMatchObject([{ location: 'query.and[0].answer.form', value: made.id }]);
  const { body } = await door.graphql(
    'query ($id: ID!, $contact: ID!) { form(id: $id) { id: databaseId } contact(id: $contact) { answers { nodes { id: databaseId } } } }',
    {
      id: made.id,
      contact,
    },
  );
  expect(body.data).toEqual({ form: null, contact: { answers: { nodes: [] } } });
  for (const id of [made.id, foreign.form, 987_654_321])
    for (const [name, input] of [['deleteForm'], ['updateForm', { label: 'x' }]])
      expect(await fetchRefusal(door, name as string, { id, ...(input as Json) })).toEqual({
        code: 'not-found',
        message: `There is no form ${id}`,
        faults: undefined,
      });
  expect(await findWrongRows(door)).toEqual([]);
});
