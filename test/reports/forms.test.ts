// Answers to forms: upserts add to checkboxes whatever names them, a consent is given and refused in any language, and answered values stay.
import { beforeAll, describe, expect, it, vi } from 'vitest';
import type { Door, Json } from '../harness/app.ts';
import { buildWaitingSql } from '../harness/session.ts';
import { waitUntil } from '../harness/waiting.ts';
import { createFiles, type Files } from '../import/files.ts';

vi.setConfig({ testTimeout: 60_000 });

let files: Files;
let door: Door;
beforeAll(async () => {
  files = await createFiles();
  door = files.door;
});

let count = 0;
const newMail = (): string => `answers-${++count}@example.org`;

interface Form {
  id: number;
  label: string;
  /** The ids of its options, by their values. */
  refs: Record<string, number>;
}
const createForm = async (kind: string, type: string, values: string[], space = '1'): Promise<Form> => {
  const label = `Form ${++count}`;
  const [{ id }] = await door.sql('insert into forms (group_id, kind, label, type) values (?, ?, ?, ?) returning id', [
    space,
    kind,
    label,
    type,
  ]);
  const refs = await door.sql(
    'insert into form_refs (group_id, form_id, label, value) select ?, ?, v, v from unnest(cast(? as text[])) v returning id, value',
    [space, id, values],
  );
  return { id, label, refs: Object.fromEntries(refs.map((ref: Json) => [ref.value, ref.id])) };
};
const upsert = (data: Json) => door.rest('POST', '/contacts/upsert', { kind: 'contact', data });
const readAnswers = async (id: number): Promise<string[]> =>
  (
    await door.sql(
      `select r.value from answers a join form_refs r on r.group_id = a.group_id and r.id = a.form_ref_id
        where a.group_id = 1 and a.contact_id = ? order by r.id`,
      [id],
    )
  ).map(({ value }: Json) => value);

describe.each(['survey', 'custom_fields'])('answers to checkboxes of kind %s in an upsert', (kind) => {
  const list = kind === 'survey' ? 'forms' : 'custom_fields';
  const names: [string, (form: Form, value: string) => Json][] = [
    ['id and value', ({ id }, value) => ({ [list]: [{ id, value }] })],
    ['label and value', ({ label }, value) => ({ [list]: [{ label, value }] })],
    ['form_id and form_ref_id', ({ id, refs }, value) => ({ [list]: [{ form_id: id, form_ref_id: refs[value] }] })],
    ...(kind === 'survey'
      ? [
          ['formdatas', ({ id, refs }, value) => ({ formdatas: [{ form_id: id, form_ref_id: refs[value] }] })] as [
            string,
            (form: Form, value: string) => Json,
          ],
        ]
      : []),
  ];

  it.each(names)('are added by %s, once', async (_, say) => {
    const form = await createForm(kind, 'checkbox', ['sport', 'music', 'books']);
    const mail = newMail();
    const { contact } = (await upsert({ mail, ...say(form, 'sport') })).body.data;
    await upsert({ mail, ...say(form, 'books') });
    expect(await readAnswers(contact.id)).toEqual(['sport', 'books']);
    const before = await door.sql('select version from contacts where group_id = 1 and id = ?', [contact.id]);
    await upsert({ mail, ...say(form, 'sport') });
    expect(await readAnswers(contact.id)).toEqual(['sport', 'books']);
    expect(await door.sql('select version from contacts where group_id = 1 and id = ?', [contact.id])).toEqual(before);
  });

  it('are added by several names in one record', async () => {
    const form = await createForm(kind, 'checkbox', ['sport', 'music', 'books']);
    const mail = newMail();
    await upsert({ mail, ...names[0]![1](form, 'music') });
    const both = [...names[0]![1](form, 'sport')[list], ...names[2]![1](form, 'books')[list]];
    const { contact } = (await upsert({ mail, [list]: both })).body.data;
    expect((await readAnswers(contact.id)).sort()).toEqual(['books', 'music', 'sport']);
  });

  it.each(names)('replace the one of a radio by %s', async (_, say) => {
    const form = await createForm(kind, 'radio', ['sport', 'music']);
    const mail = newMail();
    await upsert({ mail, ...say(form, 'sport') });
    const { contact } = (await upsert({ mail, ...say(form, 'music') })).body.data;
    expect(await readAnswers(contact.id)).toEqual(['music']);
  });

  it('are all replaced by a list of a PATCH', async () => {
    const form = await createForm(kind, 'checkbox', ['sport', 'music']);
    const field = kind === 'survey' ? 'formdatas' : 'custom_fields';
    const answer = (value: string) => ({ [field]: [{ form_id: form.id, form_ref_id: form.refs[value] }] });
    const sent = { data: { contact: { mail: newMail(), ...answer('sport') } } };
    const { id } = (await door.rest('POST', '/contacts', sent)).body.data.contact;
    await door.rest('PATCH', `/contacts/${id}`, { data: { contact: answer('music') } });
    expect(await readAnswers(id)).toEqual(['music']);
  });
});

describe('a consent', () => {
  it.each([
    ['oui', ['yes', 'no'], 'yes'],
    ['Non', ['yes', 'no'], 'no'],
    ['ja', ['yes', 'no'], 'yes'],
    [' NEIN ', ['yes', 'no'], 'no'],
    ['true', ['yes', 'no'], 'yes'],
    [false, ['yes', 'no'], 'no'],
    [1, ['yes', 'no'], 'yes'],
    ['faux', ['oui', 'non'], 'non'],
    ['yes', ['oui', 'non'], 'oui'],
    ['no', ['oui', 'non'], 'non'],
    ['no', ['ja', 'nein'], 'nein'],
    ['yes', ['oui', 'non', 'peut-être'], 'oui'],
    ['oui', ['yes', 'oui'], 'oui'],
    ['ja', ['yes', 'oui'], undefined],
    ['peut-être', ['yes', 'no'], undefined],
    ['yes', ['by mail', 'by phone'], undefined],
  ])('%j of the options %j is %s', async (said, options, meant) => {
    const { id } = await createForm('consent', 'radio', options);
    const { status, body } = await upsert({ mail: newMail(), consents: [{ id, value: said }] });
    if (meant !== undefined) {
      expect([status, await readAnswers(body.data.contact.id)]).toEqual([202, [meant]]);
      return;
    }
    const message = `must be one of ${options.join(', ')}`;
    expect([status, body.errors]).toEqual([
      422,
      [{ location: 'body.data.consents[0].value', message, value: String(said) }],
    ]);
  });

  it('is read so in a file', async () => {
    const space = await files.createSpace();
    const { label } = await createForm('consent', 'radio', ['yes', 'no'], space);
    const csv = `surname,form:consent:${label}\nA,oui\nB,Non\nC,yes\n`;
    const { code } = await files.importFile('contacts', 'consents.csv', csv, '--space', space);
    expect(code).toBe(0);
    const rows = await door.sql(
      'select r.value from answers a join form_refs r on r.group_id = a.group_id and r.id = a.form_ref_id where a.group_id = ? order by a.contact_id',
      [space],
    );
    expect(rows.map(({ value }: Json) => value)).toEqual(['yes', 'no', 'yes']);
  });

  it('is the only kind of form that is answered so', async () => {
    const { id } = await createForm('survey', 'radio', ['yes', 'no']);
    expect((await upsert({ mail: newMail(), forms: [{ id, value: 'oui' }] })).status).toBe(422);
  });
});

describe('the value of an option', () => {
  const update = async (id: number, options: Json[]): Promise<Json> => {
    const text = `mutation ($id: ID!, $options: [FormOptionChange!]) {
      updateForm(input: { id: $id, options: $options }) { form { options { label value } } } }`;
    return (await door.graphql(text, { id, options })).body;
  };
  const find = async (form: Form, value: string): Promise<number[]> => {
    const condition = { attr: 'form', ope: 'eql', form_id: form.id, value };
    const query = { $all: [{ $all: [{ $condition: condition }] }] };
    const { body } = await door.rest('POST', '/search', { data: { advanced_search: { per_page: 9, query } } });
    return body.data.contacts.map(({ id }: Json) => id);
  };
  const options = ({ refs }: Form, changes: Record<string, Json>): Json[] =>
    Object.entries(refs).map(([value, id]) => ({ id, label: value, ...changes[value] }));

  it('stays once it was answered: the answer, searches and segments ask for it', async () => {
    const form = await createForm('survey', 'radio', ['good', 'bad']);
    const { id } = (await upsert({ mail: newMail(), forms: [{ id: form.id, value: 'good' }] })).body.data.contact;
    const { errors } = await update(form.id, options(form, { good: { label: 'Better', value: 'better' } }));
    expect(errors).toMatchObject([
      {
        extensions: {
          code: 'conflict',
          errors: [
            {
              location: 'input.options[0].value',
              message: 'must stay good, which was answered: change its label, or add another option',
              value: 'better',
            },
          ],
        },
      },
    ]);
    expect(await find(form, 'good')).toEqual([id]);
    expect(await door.sql('select label, value from form_refs where form_id = ? order by id', [form.id])).toEqual([
      { label: 'good', value: 'good' },
      { label: 'bad', value: 'bad' },
    ]);
  });

  it.each<[string, Json, Json]>([
    ['whose label changes', { good: { label: 'Good!' } }, { label: 'Good!', value: 'good' }],
    [
      'whose label changes beside its value',
      { good: { label: 'Good!', value: 'good' } },
      { label: 'Good!', value: 'good' },
    ],
    ['beside another that nobody answered', { bad: { value: 'worse' } }, { label: 'good', value: 'good' }],
  ])('may be sent for one %s', async (_, changes, first) => {
    const form = await createForm('survey', 'radio', ['good', 'bad']);
    await upsert({ mail: newMail(), forms: [{ id: form.id, value: 'good' }] });
    const { data } = await update(form.id, options(form, changes));
    expect(data.updateForm.form.options[0]).toEqual(first);
  });

  it('without any is its label, and stays when the label changes', async () => {
    const form = await createForm('survey', 'radio', ['good', 'bad']);
    await door.sql('update form_refs set value = null where form_id = ?', [form.id]);
    const { id } = (await upsert({ mail: newMail(), forms: [{ id: form.id, value: 'good' }] })).body.data.contact;
    const { data } = await update(form.id, options(form, { good: { label: 'Good!' } }));
    expect(data.updateForm.form.options[0]).toEqual({ label: 'Good!', value: 'good' });
    expect(await find(form, 'good')).toEqual([id]);
  });

  it('stays when it is answered at the same moment', async () => {
    const form = await createForm('survey', 'radio', ['good', 'bad']);
    const { id } = (await upsert({ mail: newMail() })).body.data.contact;
    const answering = await door.database.readers.knex.transaction();
    await answering.raw(
      `insert into answers (group_id, contact_id, form_id, form_ref_id, data) values (1, ?, ?, ?, 'good')`,
      [id, form.id, form.refs.good!],
    );
    const late = update(form.id, options(form, { good: { value: 'better' } }));
    await waitUntil('the change waits', async () => (await door.sql(buildWaitingSql())).length > 0);
    await answering.commit();
    expect((await late).errors).toMatchObject([{ extensions: { code: 'conflict' } }]);
    await door.sql('select refresh_search(1, array[?]::bigint[])', [id]);
  });
});
