// Mutations of contacts: create, update, delete, restore, upsert (spec §4.14; decisions on it).
import type { GraphQLResolveInfo } from 'graphql';
import type { Context } from '../../src/context.ts';
import { findRecordFaults } from '../../src/data/contact/contact-draft.ts';
import { createContact, type SaveResult, updateContact } from '../../src/data/contact/save.ts';
import { findUpsertFaults, upsertContact, upsertContacts } from '../../src/data/contact/upsert.ts';
import { deleteContact, restoreContact } from '../../src/data/contact/write.ts';
import type { AuditedRecords } from '../../src/data/noun/audit.ts';
import { chooseExpected } from '../../src/data/noun/precondition.ts';
import { formatGlobalId } from '../../src/input/global-id.ts';
import { limitListLength } from '../../src/input/list-length.ts';
import type { Fault, Problem } from '../../src/problem.ts';
import { builder, defineEnumValues } from '../graph/builder.ts';
import { defineDeletion, defineMutation, type InputBuilder, type PayloadBuilder } from '../graph/mutation.ts';
import { acceptId, requireId } from '../graph/node.ts';
import { Contact } from './contact.ts';
import { convertToContactWrite, convertToUpsertWrite } from './contact-content.ts';
import {
  type ContactFields,
  defineContactFields,
  defineUpsertFields,
  someContactField,
  someUpsertField,
  type UpsertFields,
} from './contact-input.ts';
import { type ContactSource, createContactReader } from './contact-reader.ts';
import { readOwner } from './contact-relations.ts';

/** Reads a contact that the mutation has written, in its transaction: after the commit it could be deleted at once. */
const readWritten = async (context: Context, info: GraphQLResolveInfo, id: number): Promise<ContactSource> =>
  (await createContactReader(context, info, ['contact']).readById(id))!;

const checkContact = (input: Partial<ContactFields> & { id?: number }, { space }: Context): Promise<Fault[]> =>
  findRecordFaults(space, [convertToContactWrite(input)], [input.id ?? null]);

interface WrittenContact {
  id: number;
  unchanged: boolean;
  contact: ContactSource;
}

const defineContactPayload = (t: PayloadBuilder<WrittenContact>) => ({
  contact: t.field({
    type: Contact,
    description: 'The contact, as it is now.',
    extensions: { json: { contact: true } },
    resolve: ({ contact }) => contact,
  }),
});

const describeWritten = ({ id, unchanged }: Pick<WrittenContact, 'id' | 'unchanged'>): AuditedRecords => ({
  type: 'Contact',
  ids: unchanged ? [] : [id],
});

const UpsertOutcome = builder.enumType('UpsertOutcome', {
  description: 'Result of an upsert.',
  values: defineEnumValues({
    created: 'There was no matching contact, so one was created.',
    updated: 'The contact existed and was updated.',
  }),
});

const UnfollowedValue = builder.enumType('UnfollowedValue', {
  description: 'What a record says and an upsert does not follow.',
  values: {
    OPTED_OUT: { value: 'black_list', description: 'It would lift an opt-out. `updateContact` does.' },
    CONSENTS: {
      value: 'consents',
      description: 'An answer on consent has an earlier date than the one that is there.',
    },
  } as const,
});

export const FaultType = builder.objectRef<Fault>('Fault').implement({
  description: 'One fault of the input.',
  fields: (t) => ({
    location: t.exposeString('location', {
      description: 'Its place in the input, such as `input.contacts[3].consents[0].value`.',
    }),
    message: t.exposeString('message', { description: 'The fault.' }),
    value: t.string({
      nullable: true,
      description: 'The faulty value as JSON; null when there is none.',
      resolve: ({ value }) => (value === undefined ? null : JSON.stringify(value)),
    }),
  }),
});

/** A plain object, not the error itself: GraphQL throws an error that a resolver returns. */
const ProblemType = builder.objectRef<Pick<Problem, 'code' | 'message' | 'errors'>>('Problem').implement({
  description: 'Why something was refused.',
  fields: (t) => ({
    code: t.exposeString('code', { description: 'Code of the error table.' }),
    message: t.exposeString('message', { description: 'A description of the problem.' }),
    errors: t.field({
      type: [FaultType],
      description: 'Every fault, with its place.',
      resolve: ({ errors }) => errors ?? [],
    }),
  }),
});

export const Upserted = builder.objectRef<SaveResult>('UpsertedContact').implement({
  description: 'The result for one record: the contact that was created or updated, or why it was refused.',
  fields: (t) => ({
    contact: t.field({
      type: Contact,
      nullable: true,
      description: 'The contact, as it is now.',
      resolve: (result, _, context, info) => {
        if ('problem' in result) return null;
        return readOwner(context, info, result.id);
      },
    }),
    outcome: t.field({
      type: UpsertOutcome,
      nullable: true,
      description: 'What the upsert did.',
      resolve: (result) => ('outcome' in result ? result.outcome : null),
    }),
    notFollowed: t.field({
      type: [UnfollowedValue],
      description: 'What the record says and is not followed.',
      resolve: (result) => ('unfollowed' in result ? result.unfollowed : []),
    }),
    possibleDuplicateId: t.id({
      nullable: true,
      description:
        'The id of another contact of the same name, of which a contact that an import created may be a duplicate: their email addresses differ.',
      resolve: (result) =>
        'namesake' in result && result.namesake !== undefined ? formatGlobalId('Contact', result.namesake) : null,
    }),
    problem: t.field({
      type: ProblemType,
      nullable: true,
      description: 'Why the record was refused; only in a batch.',
      resolve: (result) => {
        if (!('problem' in result)) return null;
        const { code, message, errors } = result.problem;
        return { code, message, errors };
      },
    }),
  }),
});

defineMutation('createContact', {
  cost: 5,
  check: checkContact,
  description: 'Creates a contact, even if a similar one exists.',
  about: 'A contact to create. Null and blank texts mean no value.',
  blank: 'null',
  validate: someContactField,
  input: defineContactFields,
  resolve: async (input, context, info) => {
    const write = convertToContactWrite(input, 'input', context.sentTwice);
    const { id, unchanged } = await createContact(context.space, write, context.caller.userId);
    return { id, unchanged, contact: await readWritten(context, info, id) };
  },
  audit: describeWritten,
  payload: defineContactPayload,
});

defineMutation('updateContact', {
  cost: 5,
  check: checkContact,
  description: 'Updates the given fields of a contact.',
  about:
    'What to change of a contact. Fields that are left out stay, null or a blank text clears, a list replaces the whole list, except for notes.',
  blank: 'null',
  validate: someContactField,
  input: (t) => ({
    id: t.field(requireId('Contact')),
    expectedVersion: t.int({ description: 'Fails with 412 unless the contact has this version.' }),
    ...defineContactFields(t),
  }),
  resolve: async ({ id, expectedVersion, ...fields }, context, info) => {
    const { space, caller, sentTwice, precondition } = context;
    const expected = chooseExpected(expectedVersion, precondition);
    const write = convertToContactWrite(fields, 'input', sentTwice);
    const { unchanged } = await updateContact(space, id, write, { by: caller.userId, expected });
    return { id, unchanged, contact: await readWritten(context, info, id) };
  },
  audit: describeWritten,
  payload: defineContactPayload,
});

defineDeletion('deleteContact', {
  type: 'Contact',
  description: 'Deletes a contact; a manager can restore it.',
  hasVersion: true,
  remove: ({ space, caller }, id, expected) => deleteContact(space, id, caller.userId, expected),
});

defineMutation('restoreContact', {
  description: 'Restores a deleted contact with everything that belonged to it.',
  input: (t) => ({
    id: t.field({ ...acceptId('Contact'), required: true, description: 'Id of the deleted contact.' }),
  }),
  resolve: async ({ id }, context, info) => {
    await restoreContact(context.space, id, context.caller.userId);
    return { id, unchanged: false, contact: await readWritten(context, info, id) };
  },
  audit: describeWritten,
  payload: defineContactPayload,
});

export const ContactUpsertInput = defineMutation('upsertContact', {
  description: 'Updates the matching contact or creates one; safe under concurrency.',
  about:
    'A person: the contact with this id, else this email, else this name is updated; if there is none, it is created. Blank texts are as if they were not given, in place of a list or an object too; null clears.',
  blank: 'absent',
  validate: someUpsertField,
  input: defineUpsertFields,
  check: (input, { space }) => findUpsertFaults(space, [convertToUpsertWrite(input)]),
  resolve: (input, { space, caller, sentTwice, precondition }) =>
    upsertContact(space, convertToUpsertWrite(input, 'input', sentTwice), caller.userId, precondition),
  audit: describeWritten,
  payload: (t) => ({
    contact: t.field({
      type: Contact,
      description: 'The contact, as it is now.',
      resolve: ({ id }, _, context, info) => readOwner(context, info, id),
    }),
    outcome: t.expose('outcome', { type: UpsertOutcome, description: 'What the upsert did.' }),
    notFollowed: t.expose('unfollowed', {
      type: [UnfollowedValue],
      description: 'What the record says and is not followed.',
    }),
  }),
});

/** The list of records of a batch. */
export const defineRecordsField = (t: InputBuilder) =>
  t.field({
    type: [ContactUpsertInput],
    required: true,
    validate: limitListLength([1, 1000], 'records'),
    description: 'The records, at most 1000.',
  });

/** The writes of a batch, each with its place. */
export const convertToUpsertWrites = (records: readonly UpsertFields[]) =>
  records.map((record, index) => convertToUpsertWrite(record, `input.contacts[${index}]`));

defineMutation('upsertContacts', {
  cost: 5,
  description: 'Upserts a batch of records in order, each for itself.',
  input: (t) => ({ contacts: defineRecordsField(t) }),
  check: ({ contacts = [] }, { space }) =>
    findUpsertFaults(
      space,
      contacts.flatMap((one, index) => (one ? [convertToUpsertWrite(one, `input.contacts[${index}]`)] : [])),
    ),
  resolve: async ({ contacts }, { space, caller }) => ({
    results: await upsertContacts(space, convertToUpsertWrites(contacts), caller.userId),
  }),
  audit: ({ results }) => {
    const changed = results.flatMap((result) => ('problem' in result || result.unchanged ? [] : [result.id]));
    return { type: 'Contact', ids: [...new Set(changed)] };
  },
  payload: (t) => ({
    results: t.expose('results', { type: [Upserted], description: 'The result for each record, in their order.' }),
  }),
});
