// Forms: what may be asked of a contact, and what may be answered (spec §4.13, §4.14).
import { z } from 'zod';
import {
  buildRefsSql,
  type FormRefRow,
  type FormRow,
  formList,
  formsById,
  listForms,
  readRefsByIds,
  readRefsOfForms,
} from '../../src/data/form/form.ts';
import {
  createForm,
  deleteForm,
  findFormRefFaults,
  isFreeInput,
  type RefContent,
  updateForm,
} from '../../src/data/form/form-write.ts';
import { limitListLength } from '../../src/input/list-length.ts';
import { builder, defineEnumValues } from '../graph/builder.ts';
import { defineListConnection } from '../graph/list-connection.ts';
import { defineDeletion, defineRecordMutation } from '../graph/mutation.ts';
import { acceptId, defineNodeFields, legacyId, Node, registerNode, requireId } from '../graph/node.ts';
import { createLoaderByColumn, createReference } from '../graph/reference.ts';
import { nonBlank, refuseNullFields } from '../graph/validators.ts';

export const FormKind = builder.enumType('FormKind', {
  description: 'What a form is for.',
  values: defineEnumValues<FormRow['kind']>({
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
  values: defineEnumValues<FormRow['type']>({
    text: 'Free text.',
    numeric: 'A number.',
    date: 'A date.',
    radio: 'One of the values.',
    select: 'One of the values.',
    checkbox: 'Any of the values.',
  }),
});

export const refsOf = createLoaderByColumn(readRefsOfForms, 'form_id');

export const formOf = createReference(formsById);

export const FormOption = builder.objectRef<FormRefRow>('FormOption').implement({
  interfaces: [Node],
  description: 'What may be answered to a form. A form of free input has one, without a value.',
  fields: (t) => ({
    ...defineNodeFields(t, 'FormOption'),
    formId: t.expose('form_id', { ...legacyId, description: 'The form it belongs to.' }),
    label: t.exposeString('label', { description: 'What is shown.' }),
    value: t.exposeString('value', {
      nullable: true,
      description: 'What is stored as the answer; null for free input.',
    }),
  }),
});

export const Form = builder.objectRef<FormRow>('Form').implement({
  interfaces: [Node],
  description: 'Something that may be asked of a contact.',
  fields: (t) => ({
    ...defineNodeFields(t, 'Form'),
    kind: t.expose('kind', { type: FormKind, description: 'What the form is for.' }),
    label: t.exposeString('label', { description: 'The question; unique among the forms of its kind.' }),
    type: t.expose('type', { type: FormType, description: 'What an answer looks like.' }),
    options: t.field({
      type: [FormOption],
      description: 'What may be answered.',
      extensions: { json: { rows: { by: 'id', buildSql: (of) => buildRefsSql(`= ${of}`) }, pick: 'all' } },
      resolve: ({ id }, _, context) => refsOf(context, id),
    }),
    createdAt: t.expose('created_at', { type: 'DateTime', description: 'When the form was created.' }),
    updatedAt: t.expose('updated_at', { type: 'DateTime', description: 'When the form was last changed.' }),
  }),
});

builder.objectField(FormOption, 'form', (t) =>
  t.field({ type: Form, description: 'The form it belongs to.', ...formOf.require('form_id') }),
);

const label = 'The question; not blank, and unique among the forms of its kind.';
const value = 'The text stored as the answer; not blank. A new value without it uses the label.';

const FormOptionInput = builder.inputType('FormOptionInput', {
  description: 'What may be answered to a form.',
  fields: (t) => ({
    label: t.string({ required: true, validate: nonBlank, description: 'What is shown; not blank.' }),
    value: t.string({ validate: nonBlank, description: value }),
  }),
});

const FormOptionChange = builder.inputType('FormOptionChange', {
  description: 'What may be answered to a form: one that is there, by its id, or a new one.',
  fields: (t) => ({
    id: t.field({ ...acceptId('FormOption'), description: 'Id of the existing option.' }),
    label: t.string({ required: true, validate: nonBlank, description: 'What is shown; not blank.' }),
    value: t.string({ validate: nonBlank, description: `${value} An existing value keeps its own.` }),
  }),
});

const atMost = limitListLength([0, 1000], 'values');

/** Free input needs no value. */
const suitingType = z.unknown().superRefine((input, check) => {
  const { type, options } = input as { type: FormRow['type']; options?: RefContent[] | null };
  if (isFreeInput(type) && !options?.length) return;
  for (const { path, message } of findFormRefFaults(type, options ?? []))
    check.addIssue({ code: 'custom', path: ['options', ...path], message });
});

builder.queryField('formList', (t) =>
  t.field({
    type: [Form],
    extensions: { legacy: true },
    description: 'The forms of the space.',
    args: { kind: t.arg({ type: FormKind, description: 'Only the forms of this kind.' }) },
    resolve: (_, { kind }, { space }) => listForms(space, kind ?? null),
  }),
);

defineRecordMutation('createForm', {
  type: Form,
  description: 'Creates a form.',
  input: (t) => ({
    label: t.string({ required: true, validate: nonBlank, description: label }),
    kind: t.field({ type: FormKind, required: true, description: 'What the form is for.' }),
    type: t.field({ type: FormType, required: true, description: 'What an answer looks like.' }),
    options: t.field({
      type: [FormOptionInput],
      validate: atMost,
      description:
        'The possible answers, in the order shown. A choice has at least one, with distinct labels and values. Free input has one without a value, which is created when it is left out.',
    }),
  }),
  validate: suitingType,
  resolve: ({ options, ...form }, { space }) => createForm(space, { ...form, refs: options ?? [] }),
});

defineRecordMutation('updateForm', {
  type: Form,
  description: 'Changes the label of a form, and what may be answered to it.',
  about: 'What to change of a form. Fields left out stay; its kind and type stay always.',
  input: (t) => ({
    id: t.field(requireId('Form')),
    label: t.string({ validate: nonBlank, description: label }),
    options: t.field({
      type: [FormOptionChange],
      validate: atMost,
      description:
        'All that may be answered, in the order shown. One that was answered must be there, with the value that it has; any other that is left out goes.',
    }),
  }),
  validate: refuseNullFields('label', 'options'),
  resolve: ({ id, label, options }, { space }) =>
    updateForm(space, id, { ...(label != null && { label }), ...(options && { refs: options }) }),
});

defineDeletion('deleteForm', {
  type: 'Form',
  description: 'Deletes a form. Its answers are no longer shown, nor found by searches.',
  remove: ({ space }, id) => deleteForm(space, id),
});

defineListConnection({ field: 'forms', type: Form, list: formList, enums: { kind: FormKind, type: FormType } });
registerNode(FormOption, { read: ({ space }, ids) => readRefsByIds(space, ids) });
