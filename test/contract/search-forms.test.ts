// Spec §4.13, form attributes: a condition on a missing form, or with a value that the form cannot read, is refused with its place by every way to
// search. None silently finds nobody.
import { beforeAll, describe, expect, it } from 'vitest';
import type { AttributeName } from '../../src/search/attributes.ts';
import { getFieldPath, operatorFields } from '../../src/search/field-names.ts';
import type { Operator } from '../../src/search/operators.ts';
import { buildChoice, createForm } from '../graphql/forms.ts';
import { faultsByTree, faults as faultsOf, searched, translateQuery } from '../graphql/search-query.ts';
import { runMutation } from '../graphql/writing.ts';
import { type Door, type Json, openApp } from '../harness/app.ts';
import { drawSample } from '../harness/sizes.ts';

let door: Door;
/** Forms by kind, each with its reference values. */
let forms: Record<string, Json>;
let contact: number;
beforeAll(async () => {
  door = await openApp();
  const custom = { kind: 'CUSTOM_FIELDS' };
  forms = {
    numeric: await createForm(door, { type: 'NUMERIC' }),
    date: await createForm(door, { type: 'DATE' }),
    text: await createForm(door, { type: 'TEXT' }),
    choice: await createForm(door, buildChoice('yes', 'no')),
    customNumeric: await createForm(door, { type: 'NUMERIC', ...custom }),
    customDate: await createForm(door, { type: 'DATE', ...custom }),
    gone: await createForm(door, { type: 'TEXT' }),
    missing: { id: 987_654_321, options: [{ id: 987_654_321 }] },
  };
  await runMutation(door, 'deleteForm', { id: forms.gone.id });
  [forms.foreign] = await door.sql('select min(id) as id from forms where group_id = 2 and deleted_at is null');
  const answer = (form: Json, data: string): Json => ({ formId: form.id, optionId: form.options[0].id, text: data });
  ({ id: contact } = await runMutation(door, 'createContact', {
    lastName: 'Answering',
    answers: [answer(forms.numeric, '12'), answer(forms.date, '2026-01-31'), answer(forms.choice, 'yes')],
    customFields: [answer(forms.customNumeric, '7')],
  }));
});

type Operands = { value?: unknown; from?: unknown; to?: unknown };
/** A condition: attribute, operator, form, operands, forms whose reference values are named; then the places of its faults with the messages. */
type Case = [
  attr: string,
  ope: string,
  form: string,
  operands: Operands,
  refs: string[],
  faults: Record<string, RegExp>,
];
const noForm =
  /^must be the id of a form of the space whose kind is not custom_fields, as GET \/forms\/{type} lists them$/;
const noCustom =
  /^must be the id of a form of the space whose kind is custom_fields, as GET \/forms\/{type} lists them$/;
const noNumber = /^must be a number such as 9.99: the type of the form is numeric$/;
const noSpan =
  /^must be a date such as 2026-11-21, a date-time of RFC 3339, or relative such as now-30d: the type of the form is date$/;
const noDate = /^must be a date such as 2026-11-21, or a date-time of RFC 3339: the type of the form is date$/;
const noRef = /^must be a reference value of the form: \d+(, \d+)*$/;
const cases: Case[] = [
  ...['missing', 'gone', 'foreign'].flatMap((form): Case[] => [
    ['form', 'ext', form, {}, [], { formId: noForm }],
    ['form', 'not_ext', form, {}, [], { formId: noForm }],
    ['form', 'eql', form, { value: 'x' }, [], { formId: noForm }],
    ['custom_fields', 'contains', form, { value: 'x' }, [], { formId: noCustom }],
  ]),
  ['custom_fields', 'ext', 'numeric', {}, [], { formId: /whose kind is custom_fields, .*; its kind is survey$/ }],
  [
    'form',
    'ext',
    'customNumeric',
    {},
    [],
    { formId: /whose kind is not custom_fields, .*; its kind is custom_fields$/ },
  ],
  ['form', 'eql', 'numeric', { value: 'abc' }, [], { value: noNumber }],
  ['form', 'not_eql', 'numeric', { value: '1,5' }, [], { value: noNumber }],
  ['form', 'gte', 'numeric', { value: 'abc' }, [], { value: noNumber }],
  ['form', 'lte', 'numeric', { value: '1e3' }, [], { value: noNumber }],
  ['form', 'range', 'numeric', { from: 'a', to: 'b' }, [], { from: noNumber, to: noNumber }],
  ['form', 'range', 'numeric', { from: 1, to: 'b' }, [], { to: noNumber }],
  ['custom_fields', 'gte', 'customNumeric', { value: 'NaN' }, [], { value: noNumber }],
  ['form', 'eql', 'date', { value: 'yesterday' }, [], { value: noDate }],
  ['form', 'eql', 'date', { value: 'now-1d' }, [], { value: noDate }],
  ['form', 'gte', 'date', { value: '2026-02-30' }, [], { value: noSpan }],
  ['custom_fields', 'range', 'customDate', { from: '2026-01-01', to: '31/01/2026' }, [], { to: noSpan }],
  ['form', 'eql', 'choice', {}, ['numeric'], { 'formRefIds[0]': noRef }],
  ['form', 'eql', 'choice', { value: 'yes' }, ['choice', 'missing'], { 'formRefIds[1]': noRef }],
  ['form', 'gte', 'numeric', { value: 'x' }, ['missing'], { 'formRefIds[0]': noRef, value: noNumber }],
];
/** Valid conditions: values of the form itself, values that its type can read, and any text for a text or a choice. */
const sound: [attr: string, ope: string, form: string, operands: Operands, refs: string[], found: boolean][] = [
  ['form', 'ext', 'numeric', {}, [], true],
  ['form', 'ext', 'numeric', {}, ['missing'], true],
  ['form', 'eql', 'numeric', { value: '12' }, ['numeric'], true],
  ['form', 'eql', 'numeric', { value: 12 }, [], true],
  ['form', 'gte', 'numeric', { value: ' 11.5 ' }, [], true],
  ['form', 'range', 'numeric', { from: -1, to: 12 }, [], true],
  ['form', 'contains', 'numeric', { value: 'abc' }, [], false],
  ['form', 'contains', 'date', { value: '2026-01' }, [], true],
  ['form', 'eql', 'date', { value: '2026-01-31' }, [], true],
  ['form', 'lte', 'date', { value: 'now+50y' }, [], true],
  ['form', 'eql', 'choice', { value: 'yes' }, ['choice'], true],
  ['form', 'eql', 'choice', { value: 'whatever' }, [], false],
  ['form', 'gte', 'choice', { value: 'abc' }, [], true],
  ['form', 'eql', 'text', { value: '123' }, [], false],
  ['custom_fields', 'lte', 'customNumeric', { value: '7' }, [], true],
];

type Asked = readonly [attr: string, ope: string, form: string, operands: Operands, refs: string[], ...rest: unknown[]];
/** In the notation of the contract; ids as numbers, or as texts for clients that have them as texts. */
const conditionOf = ([attr, ope, form, operands, refs]: Asked, written: (id: number) => unknown = Number): Json => ({
  attr,
  ope,
  ...operands,
  form_id: written(forms[form].id),
  ...(refs.length > 0 && { form_ref_ids: refs.map((of) => written(forms[of].options[0].id)) }),
});
const treeOf = (...conditions: Json[]): Json => ({
  $all: [{ $all: conditions.map(($condition) => ({ $condition })) }],
});
const bodyOf = (query: Json): Json => ({ data: { advanced_search: { per_page: 10, query } } });
const graphName = (field: string, [attr, ope]: Asked): string => {
  const operator = operatorFields[ope as Operator];
  const operand = ope === 'range' ? `value.between.${field}` : `value.${operator}`;
  const place = /^(value|from|to)$/.test(field)
    ? operand
    : field.replace('formRefIds', 'options').replace('formId', 'form');
  return `${getFieldPath(attr as AttributeName)}.${place}`;
};
const wireName = (field: string): string => field.replace('formId', 'form_id').replace('formRefIds', 'form_ref_ids');

describe.each(drawSample(cases, { small: 4 }))('%s %s of a form that is %s, %j %j', (...asked) => {
  const faults = Object.entries(asked[5]);
  const expected = (place: string, named: (field: string) => string): Json[] =>
    faults.map(([field, message]) =>
      expect.objectContaining({ location: `${place}.${named(field)}`, message: expect.stringMatching(message) }),
    );

  it('is refused over REST: search, kpi and export', async () => {
    for (const path of ['/search', '/v1/search', '/kpi', '/export']) {
      const { status, body } = await door.rest('POST', path, bodyOf(treeOf(conditionOf(asked))));
      const place = 'body.data.advanced_search.query.$all[0].$all[0].$condition';
      expect([path, status, body.errors]).toEqual([path, 400, expected(place, wireName)]);
    }
  });

  it('is refused in the graph, in either notation, whatever is selected; explainSearch refuses it too', async () => {
    const tree = treeOf(conditionOf(asked));
    const query = translateQuery(tree);
    const inTree = expected('tree.$all[0].$all[0].$condition', wireName);
    const inQuery = expected('query.and[0].and[0]', (field) => graphName(field, asked));
    for (const selection of ['{ nodes { id } }', '{ totalCount }', '{ edges { cursor } pageInfo { hasNextPage } }']) {
      expect(await faultsByTree(door, { tree }, selection)).toEqual(inTree);
      expect(await faultsOf(door, { query }, selection)).toEqual(inQuery);
    }
    const { body } = await door.graphql(
      'query ($query: ContactQuery) { explainSearch(query: $query, exact: false) { matches } }',
      { query },
    );
    expect(body.errors[0].extensions.errors).toEqual(inQuery);
  });
});

describe.each(drawSample(sound, { small: 4 }))('%s %s of a form that is %s, %j %j', (...asked) => {
  it('is answered, with ids as numbers or as digits', async () => {
    for (const written of [Number, String]) {
      const { status, body } = await door.rest('POST', '/search', bodyOf(treeOf(conditionOf(asked, written))));
      expect([status, body.data?.contacts.map(({ id }: Json) => id)]).toEqual([200, asked[5] ? [contact] : []]);
    }
    const { body } = await searched(door, { query: translateQuery(treeOf(conditionOf(asked, String))) });
    expect(body.data.searchContacts.nodes).toEqual(asked[5] ? [{ id: contact }] : []);
  });
});

it('the presence of an answer is asked for, whatever form_ref_ids are', async () => {
  for (const form_ref_ids of [undefined, 99, '', [-1], [null], {}]) {
    const query = treeOf({ attr: 'form', ope: 'ext', form_id: forms.numeric.id, form_ref_ids });
    const { status, body } = await door.rest('POST', '/search', bodyOf(query));
    expect([status, body.data?.contacts.map(({ id }: Json) => id)]).toEqual([200, [contact]]);
  }
});

it.each(['01', '1.0', ' 1', '-1', '9007199254740992', '1e3', ''])('the text %j is not an id', async (form_id) => {
  const body = bodyOf(treeOf({ attr: 'form', ope: 'eql', form_id, form_ref_ids: [form_id] }));
  const place = 'body.data.advanced_search.query.$all[0].$all[0].$condition';
  expect((await door.rest('POST', '/search', body)).body.errors).toMatchObject([
    { location: `${place}.form_id`, message: 'must be the id of a form', value: form_id },
    { location: `${place}.form_ref_ids[0]`, message: 'must be the id of a reference value', value: form_id },
  ]);
});

it('all faults are reported at once, each at its place', async () => {
  const [fine, ...wrong] = [sound[0]!, cases[0]!, cases[14]!].map((asked) => conditionOf(asked as Asked));
  const query = { $at_least_one: [{ $all: [fine] }, { $at_least_one: wrong }].map((one) => treesOf(one)) };
  const { body } = await door.rest('POST', '/search', bodyOf(query));
  expect(body.errors.map(({ location }: Json) => location.replace('body.data.advanced_search.query.', ''))).toEqual([
    '$at_least_one[1].$at_least_one[0].$condition.form_id',
    '$at_least_one[1].$at_least_one[1].$condition.value',
  ]);
});
const treesOf = (one: Json): Json =>
  Object.fromEntries(
    Object.entries(one).map(([key, list]) => [key, (list as Json[]).map(($condition) => ({ $condition }))]),
  );

it('one statement reads the forms of a query, and only when it names any', async () => {
  const countFormReads = async (...conditions: Json[]): Promise<number> =>
    (await door.statements(() => door.rest('POST', '/search', bodyOf(treeOf(...conditions))))).filter((sql) =>
      /\bkind, f\.type\b/.test(sql),
    ).length;
  const asked = sound.map((one) => conditionOf(one));
  expect(await countFormReads(...asked)).toBe(1);
  expect(await countFormReads(...asked)).toBe(1);
  expect(await countFormReads({ attr: 'surname', ope: 'ext' })).toBe(0);
});

it('every search reads its forms anew: a deleted form is refused from then on', async () => {
  const form = await createForm(door, { type: 'TEXT' });
  const ask = () => door.rest('POST', '/search', bodyOf(treeOf({ attr: 'form', ope: 'ext', form_id: form.id })));
  expect((await ask()).status).toBe(200);
  await runMutation(door, 'deleteForm', { id: form.id });
  expect((await ask()).status).toBe(400);
});
