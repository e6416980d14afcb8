// Forms: what may be asked of a contact, and what may be answered (spec §4.13, §4.14).
import { z } from 'zod';
import {
  type FormRefRow,
  type FormRow,
  formKinds,
  formTypes,
  listForms,
  readForm,
  readFormsByIds,
  readRefsOfForms,
} from '../src/data/form.ts';
import {
  createForm,
  deleteForm,
  findFormRefFaults,
  isFreeInput,
  type RefContent,
  updateForm,
} from '../src/data/form-write.ts';
import { limitListLength } from '../src/input/list-length.ts';
import { builder } from './builder.ts';
import { Deletion } from './delete-payload.ts';
import { createRelationLoader } from './loader.ts';
import { nonBlank, refuseNullFields } from './validators.ts';

const said = <const Name extends string>(names: readonly Name[], words: Record<Name, string>) =>
  Object.fromEntries(names.map((name) => [name, { description: words[name] }])) as Record<
    Name,
    { description: string }
  >;

export const FormKind = builder.enumType('FormKind', {
  description: 'What a form is for.',
  values: said(formKinds, {
    consent: 'A consent.',
    level_of_support: 'A level of support.',
    presence_status: 'A presence at an event.',
    custom_fields: 'A field that the space added to its contacts.',
    survey: 'A question of a survey.',
    tasks: 'A task.',
  }),
});

const FormType = builder.enumType('FormType', {
  description: 'What an answer looks like.',
  values: said(formTypes, {
    text: 'Free text.',
    numeric: 'A number.',
    date: 'A date.',
    radio: 'One of the values.',
    select: 'One of the values.',
    checkbox: 'Any of the values.',
  }),
});

export const refsOf = createRelationLoader(
  (context, ids) => readRefsOfForms(context.space, ids),
  (ref) => ref.form_id,
);

/** The form of an id. */
export const formOf = createRelationLoader(
  (context, ids) => readFormsByIds(context.space, ids),
  (form) => form.id,
);

export const FormRef = builder.objectRef<FormRefRow>('FormRef').implement({
  description: 'What may be answered to a form. A form of free input has one, without a value.',
  fields: (t) => ({
    id: t.expose('id', { type: 'Id', description: 'Id of the reference value.' }),
    formId: t.expose('form_id', { type: 'Id', description: 'The form it belongs to.' }),
    label: t.exposeString('label', { description: 'What is shown.' }),
    value: t.exposeString('value', {
      nullable: true,
      description: 'What is stored as the answer; null for free input.',
    }),
  }),
});

export const Form = builder.objectRef<FormRow>('Form').implement({
  description: 'Something that may be asked of a contact.',
  fields: (t) => ({
    id: t.expose('id', { type: 'Id', description: 'Id of the form.' }),
    kind: t.expose('kind', { type: FormKind, description: 'What the form is for.' }),
    label: t.exposeString('label', { description: 'The question; unique among the forms of its kind.' }),
    type: t.expose('type', { type: FormType, description: 'What an answer looks like.' }),
    refvalues: t.field({
      type: [FormRef],
      description: 'What may be answered.',
      resolve: ({ id }, _, context) => refsOf(context, id),
    }),
    createdAt: t.expose('created_at', { type: 'DateTime', description: 'When the form was created.' }),
    updatedAt: t.expose('updated_at', { type: 'DateTime', description: 'When the form was last changed.' }),
  }),
});

const label = 'The question; not blank, and unique among the forms of its kind.';
const value = 'The text stored as the answer; not blank. A new value without it uses the label.';

const FormRefInput = builder.inputType('FormRefInput', {
  description: 'What may be answered to a form.',
  fields: (t) => ({
    label: t.string({ required: true, validate: nonBlank, description: 'What is shown; not blank.' }),
    value: t.string({ validate: nonBlank, description: value }),
  }),
});

const FormRefChange = builder.inputType('FormRefChange', {
  description: 'What may be answered to a form: one that is there, by its id, or a new one.',
  fields: (t) => ({
    id: t.field({ type: 'Id', description: 'Id of the reference value that this is to be.' }),
    label: t.string({ required: true, validate: nonBlank, description: 'What is shown; not blank.' }),
    value: t.string({ validate: nonBlank, description: `${value} An existing value keeps its own.` }),
  }),
});

const atMost = limitListLength([0, 1000], 'values');

/** Free input needs no value. */
const suitingType = z.unknown().superRefine((input, check) => {
  const { type, refvalues } = input as { type: FormRow['type']; refvalues?: RefContent[] | null };
  if (isFreeInput(type) && !refvalues?.length) return;
  for (const { path, message } of findFormRefFaults(type, refvalues ?? []))
    check.addIssue({ code: 'custom', path: ['refvalues', ...path], message });
});

const FormInput = builder.inputType('FormInput', {
  description: 'A form to create.',
  fields: (t) => ({
    label: t.string({ required: true, validate: nonBlank, description: label }),
    kind: t.field({ type: FormKind, required: true, description: 'What the form is for.' }),
    type: t.field({ type: FormType, required: true, description: 'What an answer looks like.' }),
    refvalues: t.field({
      type: [FormRefInput],
      validate: atMost,
      description:
        'The possible answers, in the order shown. A choice has at least one, with distinct labels and values. Free input has one without a value, which is created when it is left out.',
    }),
  }),
  validate: suitingType,
});

const FormChange = builder.inputType('FormChange', {
  description: 'What to change of a form. Fields left out stay; its kind and type stay always.',
  fields: (t) => ({
    label: t.string({ validate: nonBlank, description: label }),
    refvalues: t.field({
      type: [FormRefChange],
      validate: atMost,
      description: 'All that may be answered, in the order shown. One that is left out goes, unless it was answered.',
    }),
  }),
  validate: refuseNullFields('label', 'refvalues'),
});

builder.queryFields((t) => ({
  form: t.field({
    type: Form,
    nullable: true,
    description: 'One form, or null when there is none.',
    args: { id: t.arg({ type: 'Id', required: true, description: 'Id of the form.' }) },
    resolve: async (_, { id }, { space }) => (await readForm(space, id)) ?? null,
  }),
  forms: t.field({
    type: [Form],
    description: 'The forms of the space.',
    args: { kind: t.arg({ type: FormKind, description: 'Only the forms of this kind.' }) },
    resolve: (_, { kind }, { space }) => listForms(space, kind ?? null),
  }),
}));

builder.mutationFields((t) => ({
  createForm: t.field({
    type: Form,
    extensions: { role: 'admin' },
    description: 'Creates a form.',
    args: { input: t.arg({ type: FormInput, required: true, description: 'The form.' }) },
    resolve: (_, { input: { refvalues, ...form } }, { space }) => createForm(space, { ...form, refs: refvalues ?? [] }),
  }),
  updateForm: t.field({
    type: Form,
    extensions: { role: 'admin' },
    description: 'Changes the label of a form, and what may be answered to it.',
    args: {
      id: t.arg({ type: 'Id', required: true, description: 'Id of the form.' }),
      input: t.arg({ type: FormChange, required: true, description: 'What to change.' }),
    },
    resolve: (_, { id, input }, { space }) =>
      updateForm(space, id, {
        ...(input.label != null && { label: input.label }),
        ...(input.refvalues && { refs: input.refvalues }),
      }),
  }),
  deleteForm: t.field({
    type: Deletion,
    extensions: { role: 'admin' },
    description: 'Deletes a form. Its answers are no longer shown, nor found by searches.',
    args: { id: t.arg({ type: 'Id', required: true, description: 'Id of the form.' }) },
    resolve: async (_, { id }, { space }) => ({ id: await deleteForm(space, id), noun: 'Form' }),
  }),
}));
