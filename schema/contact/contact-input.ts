// Inputs of contacts for create, update and upsert (spec §4.14; decisions on it).
import type { InputShapeFromFields } from '@pothos/core';
import { z } from 'zod';
import { type Blank, isBlankText } from '../../src/input/blank.ts';
import { isRecord } from '../../src/input/input-value.ts';
import { limitListLength } from '../../src/input/list-length.ts';
import { limits } from '../../src/limits/limits.ts';
import { builder } from '../graph/builder.ts';
import type { InputBuilder } from '../graph/mutation.ts';
import { acceptId, acceptIds } from '../graph/node.ts';
import { longText, nonBlank, refuseNullFields, shortText } from '../graph/validators.ts';
import { addressTexts, defineShortTexts } from './address.ts';
import { Gender } from './contact.ts';

const contactTexts = {
  externalId: 'Id in another system; of one living contact only.',
  firstName: 'First name.',
  lastName: 'Family name.',
  marriedName: 'Name by marriage.',
  birthCity: 'City of birth.',
  birthCountry: 'Country of birth, by its code.',
  birthDepartment: 'Department of birth.',
  nationality: 'Nationality, by the code of the country.',
  email: 'Email address.',
  phone: 'Landline number.',
  mobile: 'Mobile number.',
} as const;

const ContactAddressInput = builder.inputType('ContactAddressInput', {
  description: 'The address of a contact. Parts that are left out stay; null clears.',
  fields: (t) => ({
    ...defineShortTexts(t, {
      ...addressTexts,
      details: 'Other directions.',
      invalidReason: 'Why the address is unusable, such as `npai` or `incomplete`.',
    }),
    latitude: t.float({ description: 'Degrees north.' }),
    longitude: t.float({ description: 'Degrees east.' }),
    score: t.float({ description: 'Confidence of the geocoding.' }),
  }),
});

const ContactTagInput = builder.inputType('ContactTagInput', {
  description: 'A tag, by its name; created if the space has none of that name.',
  fields: (t) => ({
    name: t.string({ required: true, validate: nonBlank, description: 'The label.' }),
    color: t.string({ validate: shortText, description: 'Colour of the tag, if it is created.' }),
  }),
});

export const AnswerInput = builder.inputType('AnswerInput', {
  description: 'An answer to a form.',
  fields: (t) => ({
    formId: t.field({ ...acceptId('Form'), required: true, description: 'The form.' }),
    optionId: t.field({ ...acceptId('FormOption'), required: true, description: 'One of its options.' }),
    text: t.string({ validate: longText, description: 'The answer as text.' }),
    answeredAt: t.field({ type: 'DateTime', description: 'When it was answered.' }),
    surveyId: t.field({ ...acceptId('Survey'), description: 'The survey in which it was answered.' }),
  }),
});

const ContactNoteInput = builder.inputType('ContactNoteInput', {
  description: 'A note to add to a contact, unless it has one with the same content.',
  fields: (t) => ({
    content: t.string({ validate: longText, description: 'Its text.' }),
    pinned: t.boolean({ description: 'Whether it is pinned above the others; it unpins these.' }),
  }),
  validate: z.unknown().superRefine((note, check) => {
    // A text under another name would be lost. A blank text is no note.
    if ((note as { content?: unknown }).content === undefined)
      check.addIssue({ code: 'custom', path: [], message: 'has no content' });
  }),
});

const FormAnswerInput = builder.inputType('FormAnswerInput', {
  description:
    'An answer to a form, which is named by its id or its label; or, with formId, an answer like AnswerInput.',
  fields: (t) => ({
    id: t.field({ ...acceptId('Form'), description: 'The form.' }),
    label: t.string({ validate: shortText, description: 'The form, by its label, if its id is not given.' }),
    value: t.string({
      validate: longText,
      description:
        'For choices a value of the form, or its label; for consents also a yes or no of another language; a number or a date for such forms; else any text. Null deletes the answer, a blank text is as if it was not given.',
    }),
    formId: t.field({ ...acceptId('Form'), description: 'The form, for an answer sent back as it was read.' }),
    optionId: t.field({
      ...acceptId('FormOption'),
      description: 'The option, for an answer sent back as it was read.',
    }),
    text: t.string({ validate: longText, description: 'The text, for an answer sent back as it was read.' }),
    answeredAt: t.field({ type: 'DateTime', description: 'When it was answered.' }),
  }),
  validate: z.unknown().superRefine((answer, check) => {
    const { id, label, formId, optionId } = answer as Record<string, unknown>;
    const missing = (path: string): void => check.addIssue({ code: 'custom', path: [path], message: 'is required' });
    if (formId != null) return optionId == null ? missing('optionId') : undefined;
    if (id == null && label == null) missing('id');
  }),
});

/** Requires that an input has at least one field, or one part of its address, besides those in `but`, which only identify the record. */
const requireSomeField = ({ but, blank }: { but: readonly string[]; blank: Blank }) =>
  z.unknown().superRefine((input, check) => {
    const fields = input as Readonly<Record<string, unknown>>;
    const isGiven = (value: unknown): boolean =>
      isRecord(value)
        ? Object.values(value).some(isGiven)
        : value !== undefined && (blank === 'null' || !isBlankText(value));
    for (const field in fields) if (isGiven(fields[field]) && !but.includes(field)) return;
    check.addIssue({
      code: 'custom',
      path: [],
      message: 'has no field of a contact, such as firstName, lastName or email',
    });
  });

/** The fields that create, update and upsert have in common; `lists` describes what happens to the present entries. */
const contactFields = (t: InputBuilder, lists: Record<'tags' | 'actions' | 'answers', string>, source = nonBlank) => ({
  ...defineShortTexts(t, contactTexts),
  gender: t.field({ type: Gender, description: 'Gender.' }),
  birthDate: t.field({ type: 'Date', description: 'Day of birth.' }),
  ageCategory: t.int({
    validate: z
      .number()
      .refine((age) => age >= 0 && age <= 6, 'must be from 0 to 6')
      .meta({ minimum: 0, maximum: 6 }),
    description: 'Age category, 0 to 6.',
  }),
  phoneInvalid: t.boolean({ description: 'Whether the landline number is known to be wrong.' }),
  mobileInvalid: t.boolean({ description: 'Whether the mobile number is known to be wrong.' }),
  optedOut: t.boolean({
    description:
      'Whether they opted out of all communication. Only an update lifts an opt-out; people who opted out and were deleted are created opted out again.',
  }),
  consentSource: t.string({
    validate: source,
    extensions: { graphOnly: true },
    description:
      'Where their consent or their opt-out comes from, such as `paper form of 12 May`. It is kept with the changes of consent that this record makes.',
  }),
  accountId: t.field({ ...acceptId('User'), description: 'The user account of this contact, a member of the space.' }),
  address: t.field({
    type: ContactAddressInput,
    description: 'Their address: parts that are left out stay, null deletes the whole address.',
  }),
  tags: t.field({
    type: [ContactTagInput],
    validate: limitListLength([0, limits.list.items], 'tags'),
    description: lists.tags,
  }),
  actionIds: t.field({
    ...acceptIds('Action'),
    validate: limitListLength([0, 1000], 'actions'),
    description: lists.actions,
  }),
  answers: t.field({
    type: [AnswerInput],
    validate: limitListLength([0, 1000], 'answers'),
    description: lists.answers,
  }),
  notes: t.field({
    type: [ContactNoteInput],
    validate: limitListLength([0, 100], 'notes'),
    description: 'Notes to add. Existing notes stay.',
  }),
});

/** The fields that a change of many contacts may set: not what tells people apart, nor the lists, which it changes item by item. */
const settableFields = [
  'birthCity',
  'birthCountry',
  'birthDepartment',
  'nationality',
  'gender',
  'ageCategory',
  'phoneInvalid',
  'mobileInvalid',
  'optedOut',
  'address',
] as const;

export const ContactSetInput = builder.inputType('ContactSetInput', {
  description: 'Fields to set on many contacts. Fields that are left out stay, null or an empty text clears.',
  extensions: { blank: 'null' },
  fields: (t) => {
    const fields = defineContactFields(t);
    return Object.fromEntries(settableFields.map((name) => [name, fields[name]])) as Pick<
      typeof fields,
      (typeof settableFields)[number]
    >;
  },
  validate: refuseNullFields('optedOut'),
});

export const defineContactFields = (t: InputBuilder) => ({
  ...contactFields(t, {
    tags: 'All their tags, at most 200; missing tags are created.',
    actions: 'All actions that the contact is linked to.',
    answers: 'All their answers to forms, except custom fields.',
  }),
  customFields: t.field({
    type: [AnswerInput],
    validate: limitListLength([0, 1000], 'answers'),
    description: 'All their custom fields.',
  }),
});
export type ContactFields = InputShapeFromFields<ReturnType<typeof defineContactFields>>;

/** The rule of inputs that create or update a contact. */
export const someContactField = requireSomeField({ but: ['id', 'expectedVersion', 'consentSource'], blank: 'null' });

/** The lists of an upsert, and the kind of form that each answers. */
export const lists = {
  consents: ['consent', 'Consents.'],
  status: ['level_of_support', 'Levels of support.'],
  forms: ['survey', 'Answers to surveys.'],
  customFields: ['custom_fields', 'Custom fields.'],
  actions: ['tasks', 'Tasks.'],
  namePresences: ['presence_status', 'Presences.'],
} as const;
export type List = keyof typeof lists;

export const defineUpsertFields = (t: InputBuilder) => ({
  id: t.field({ ...acceptId('Contact'), description: 'Id of the contact, if it is known.' }),
  // In an upsert a blank text is as if it was not given.
  ...contactFields(
    t,
    {
      tags: 'Tags to add to theirs, at most 200 in all; missing tags are created. Null removes all.',
      actions: 'Actions to link them to, in addition to the present ones. Null removes all links.',
      answers:
        'Answers to forms, except custom fields. Only the named forms change; an answer to checkboxes is added; null deletes all.',
    },
    shortText,
  ),
  ...(Object.fromEntries(
    Object.entries(lists).map(([list, [, description]]) => [
      list,
      t.field({
        type: [FormAnswerInput],
        validate: limitListLength([0, 1000], 'answers'),
        description: `${description} Only the named forms change; an answer to checkboxes is added.`,
      }),
    ]),
  ) as Record<List, ReturnType<typeof t.field<[typeof FormAnswerInput], false>>>),
});
export type UpsertFields = InputShapeFromFields<ReturnType<typeof defineUpsertFields>>;

/** The rule of inputs that upsert a contact. */
export const someUpsertField = requireSomeField({ but: ['id', 'consentSource'], blank: 'absent' });
