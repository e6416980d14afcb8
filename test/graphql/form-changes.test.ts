// Changes of forms over GraphQL: reference values that stay, change, are added or removed, and the answers that hold them.
import { beforeAll, describe, expect, it } from 'vitest';
import { type Door, type Json, openApp } from '../harness/app.ts';
import { buildWaitingSql } from '../harness/session.ts';
import { waitUntil } from '../harness/waiting.ts';
import { buildChoice, createForm, createRespondent, listOptions } from './forms.ts';
import { buildCondition, ids } from './search-query.ts';
import { createRoleToken, fetchRefusal, runMutation } from './writing.ts';

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

describe('a change of a form', () => {
  it('affects only what it names: a new label leaves the values', async () => {
    const made = await create(buildChoice('a', 'b'));
    const changed = await update(made.id, { label: 'Renamed' });
    expect(changed).toEqual({ ...made, label: 'Renamed', updatedAt: changed.updatedAt });
    expect(await update(made.id, {})).toMatchObject({ label: 'Renamed', options: made.options });
  });

  it('keeps values by id, adds new ones, removes omitted ones, in the order given', async () => {
    const {
      id,
      options: [a, b, c],
    } = await create({
      type: 'CHECKBOX',
      options: [
        { label: 'a', value: '1' },
        { label: 'b', value: '2' },
        { label: 'c', value: '3' },
      ],
    });
    const contact = await createRespondent(door, id, c.id, '3');
    const changed = await update(id, {
      options: [
        { label: 'new', value: '1' },
        { id: c.id, label: 'C' },
        { id: a.id, label: 'b', value: '4' },
      ],
    });
    expect(listOptions(changed)).toEqual([
      ['new', '1'],
      ['C', '3'],
      ['b', '4'],
    ]);
    expect(changed.options.map((ref: Json) => ref.id).slice(1)).toEqual([c.id, a.id]);
    expect([a.id, b.id, c.id]).not.toContain(changed.options[0].id);
    const answered = buildCondition('form', 'eql', { form_id: id, form_ref_ids: [c.id], value: '3' });
    expect(await ids(door, { query: { and: [answered] } })).toEqual([contact]);
  });

  it('is refused when it omits a value that contacts answered: each is reported, and nothing changes', async () => {
    const made = await create(buildChoice('a', 'b', 'c'));
    const [a, b, c] = made.options;
    await createRespondent(door, made.id, a.id, 'a');
    await createRespondent(door, made.id, c.id, 'c');
    const input = { label: 'Other', options: [{ id: b.id, label: 'B' }] };
    expect(await fetchRefusal(door, 'updateForm', { id: made.id, ...input })).toEqual({
      code: 'conflict',
      message: 'Reference values that were answered must stay',
      faults: [
        `input.options leaves out ${a.id} (a), which was answered`,
        `input.options leaves out ${c.id} (c), which was answered`,
      ],
    });
    const { body } = await door.graphql(
      'query ($id: ID!) { form(id: $id) { label options { id: databaseId label value } } }',
      {
        id: made.id,
      },
    );
    expect(body.data.form).toMatchObject({
      label: made.label,
      options: [{ label: 'a' }, { label: 'b' }, { label: 'c' }],
    });
  });

  it('is refused when an answer is written at the same moment', async () => {
    const made = await create(buildChoice('a', 'b'));
    const [a, b] = made.options;
    const { id: contact } = await runMutation(door, 'createContact', { lastName: 'Late' });
    const answering = await door.database.readers.knex.transaction();
    await answering.raw(
      `insert into answers (group_id, contact_id, form_id, form_ref_id, data) values (1, ?, ?, ?, 'b')`,
      [contact, made.id, b.id],
    );
    const late = fetchRefusal(door, 'updateForm', { id: made.id, options: [{ id: a.id, label: 'a' }] });
    await waitUntil('the change waits', async () => (await door.sql(buildWaitingSql())).length > 0);
    await answering.commit();
    expect(await late).toMatchObject({ code: 'conflict', message: 'Reference values that were answered must stay' });
    await door.sql('select refresh_search(1, array[?]::bigint[])', [contact]);
  });

  it.each([
    [
      () => ({ options: [] }),
      'invalid-request',
      ['input.options must not be empty: an answer of type radio is one of them'],
    ],
    [() => ({ options: null }), 'invalid-request', ['input.options must not be null']],
    [() => ({ label: null }), 'invalid-request', ['input.label must not be null']],
    [
      ([a, b]: Json[]) => ({
        options: [
          { id: a.id, label: 'same' },
          { id: b.id, label: 'same' },
        ],
      }),
      'invalid-request',
      ['input.options[1].label is the label of another value of the form'],
    ],
    [
      ([a]: Json[]) => ({
        options: [
          { id: a.id, label: 'x' },
          { id: a.id, label: 'y', value: 'y' },
        ],
      }),
      'invalid-request',
      ['input.options[1].id is there twice'],
    ],
    [
      // The value of the first form stays unchanged.
      ([a]: Json[]) => ({
        options: [
          { id: a.id, label: 'x' },
          { label: 'y', value: 'a' },
        ],
      }),
      'invalid-request',
      ['input.options[1].value is the value of another one of the form'],
    ],
    [
      () => ({ options: [{ id: foreign.ref, label: 'x' }, { label: 'y' }, { id: 987_654_321, label: 'z' }] }),
      'unprocessable',
      [
        'input.options[0].id is not a reference value of the space',
        'input.options[2].id is not a reference value of the space',
      ],
    ],
  ])('is refused with every place: %#', async (input, code, faults) => {
    const made = await create(buildChoice('a', 'b'));
    expect(await fetchRefusal(door, 'updateForm', { id: made.id, ...input(made.options) })).toMatchObject({
      code,
      faults,
    });
    const { body } = await door.graphql(
      'query ($id: ID!) { form(id: $id) { options { id: databaseId label value } } }',
      {
        id: made.id,
      },
    );
    expect(listOptions(body.data.form)).toEqual([
      ['a', 'a'],
      ['b', 'b'],
    ]);
  });

  it('refuses reference values of another form', async () => {
    const [one, other] = [await create(buildChoice('a')), await create(buildChoice('a'))];
    expect(
      await fetchRefusal(door, 'updateForm', { id: one.id, options: [{ id: other.options[0].id, label: 'a' }] }),
    ).toMatchObject({ code: 'unprocessable', faults: ['input.options[0].id is not a reference value of the space'] });
  });

  it('keeps exactly one value for free input', async () => {
    const made = await create({ type: 'TEXT' });
    const [{ id }] = made.options;
    await createRespondent(door, made.id, id, 'said');
    expect(listOptions(await update(made.id, { options: [{ id, label: 'Otherwise' }] }))).toEqual([
      ['Otherwise', null],
    ]);
    for (const [refvalues, code] of [
      [[], 'invalid-request'],
      [[{ id, label: 'a' }, { label: 'b' }], 'invalid-request'],
      [[{ id, label: 'a', value: 'v' }], 'invalid-request'],
      [[{ label: 'another in its place' }], 'conflict'],
    ])
      expect((await fetchRefusal(door, 'updateForm', { id: made.id, options: refvalues })).code).toBe(code);
  });
});
