// Forms: what may be asked of a contact, and what may be answered (spec §4.13, §4.14).
import { type FormRefRow, type FormRow, form, formKinds, forms, formTypes, refsOfForms } from '../src/data/form.ts';
import { builder } from './builder.ts';
import { related } from './loader.ts';

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

const refsOf = related(
  (context, ids) => refsOfForms(context.space, ids),
  (ref) => ref.form_id,
);

const FormRef = builder.objectRef<FormRefRow>('FormRef').implement({
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

const Form = builder.objectRef<FormRow>('Form').implement({
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

builder.queryFields((t) => ({
  form: t.field({
    type: Form,
    nullable: true,
    description: 'One form, or null when there is none.',
    args: { id: t.arg({ type: 'Id', required: true, description: 'Id of the form.' }) },
    resolve: async (_, { id }, { space }) => (await form(space, id)) ?? null,
  }),
  forms: t.field({
    type: [Form],
    description: 'The forms of the space.',
    args: { kind: t.arg({ type: FormKind, description: 'Only the forms of this kind.' }) },
    resolve: (_, { kind }, { space }) => forms(space, kind ?? null),
  }),
}));
