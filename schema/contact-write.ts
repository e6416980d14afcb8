// Mutations of contacts: create, update, delete, restore, upsert (spec §4.14; decisions on it).
import type { GraphQLResolveInfo } from 'graphql';
import type { Context } from '../src/context.ts';
import { findUnknownReferences } from '../src/data/contact/contact-draft.ts';
import { createContact, type SaveResult, updateContact } from '../src/data/contact/save.ts';
import { upsertContact, upsertContacts } from '../src/data/contact/upsert.ts';
import { deleteContact, restoreContact } from '../src/data/contact/write.ts';
import { listFieldsBelow } from '../src/execution/selection.ts';
import { limitListLength } from '../src/input/list-length.ts';
import type { Fault, Problem } from '../src/problem.ts';
import { builder } from './builder.ts';
import { Contact } from './contact.ts';
import { convertToContactWrite, convertToUpsertWrite } from './contact-content.ts';
import { ContactInput, UpsertContactInput } from './contact-input.ts';
import { listSelectedParts, readContactWithParts, readOwner } from './contact-relations.ts';
import { Deletion } from './delete-payload.ts';
import { defineEnumValues } from './enum.ts';
import { acceptId } from './node.ts';

/** The user who writes, and the selected relations of the contact. */
const getWriteOptions = ({ caller }: Context, info: GraphQLResolveInfo) => ({
  by: caller.userId,
  parts: listSelectedParts(listFieldsBelow(info)),
});

/** The same inputs as far as they could be read. */
interface ReadContact {
  input?: typeof ContactInput.$inferInput;
}
interface ReadRecords {
  input?: typeof UpsertContactInput.$inferInput;
  inputs?: (typeof UpsertContactInput.$inferInput | undefined)[];
}

const checkContact = async ({ input }: ReadContact, { space }: Context): Promise<Fault[]> =>
  input ? findUnknownReferences(space, [convertToContactWrite(input)]) : [];

const checkRecords = ({ input, inputs = [] }: ReadRecords, { space }: Context): Promise<Fault[]> =>
  findUnknownReferences(space, [
    ...(input ? [convertToUpsertWrite(input)] : []),
    ...inputs.flatMap((one, index) => (one ? [convertToUpsertWrite(one, `inputs[${index}]`)] : [])),
  ]);

const UpsertOutcome = builder.enumType('UpsertOutcome', {
  description: 'Result of an upsert.',
  values: defineEnumValues({
    created: 'There was no matching contact, so one was created.',
    updated: 'The contact existed and was updated.',
  }),
});

const FaultType = builder.objectRef<Fault>('Fault').implement({
  description: 'One fault of the input.',
  fields: (t) => ({
    location: t.exposeString('location', {
      description: 'Its place in the input, such as `inputs[3].consents[0].value`.',
    }),
    message: t.exposeString('message', { description: 'The fault.' }),
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

builder.mutationFields((t) => ({
  createContact: t.field({
    type: Contact,
    extensions: { cost: 5, check: checkContact },
    description: 'Creates a contact, even if a similar one exists.',
    args: { input: t.arg({ type: ContactInput, required: true, description: 'The contact.' }) },
    resolve: (_, { input }, context, info) =>
      readContactWithParts(
        context,
        info,
        createContact(
          context.space,
          convertToContactWrite(input, 'input', context.sentTwice),
          getWriteOptions(context, info),
        ),
      ),
  }),
  updateContact: t.field({
    type: Contact,
    extensions: { cost: 5, check: checkContact },
    description: 'Updates the given fields of a contact.',
    args: {
      id: t.arg({ ...acceptId('Contact'), required: true, description: 'Id of the contact.' }),
      input: t.arg({ type: ContactInput, required: true, description: 'The changes.' }),
      expectedVersion: t.arg.int({ description: 'Fails with 412 unless the contact has this version.' }),
    },
    resolve: (_, { id, input, expectedVersion }, context, info) =>
      readContactWithParts(
        context,
        info,
        updateContact(context.space, id, convertToContactWrite(input, 'input', context.sentTwice), {
          ...getWriteOptions(context, info),
          expectedVersion,
        }),
      ),
  }),
  deleteContact: t.field({
    type: Deletion,
    description: 'Deletes a contact; a manager can restore it.',
    args: { id: t.arg({ ...acceptId('Contact'), required: true, description: 'Id of the contact.' }) },
    resolve: async (_, { id }, { space, caller }) => ({
      id: await deleteContact(space, id, caller.userId),
      type: 'Contact',
    }),
  }),
  restoreContact: t.field({
    type: Contact,
    extensions: { role: 'manager' },
    description: 'Restores a deleted contact with everything that belonged to it.',
    args: { id: t.arg({ ...acceptId('Contact'), required: true, description: 'Id of the deleted contact.' }) },
    resolve: (_, { id }, context, info) =>
      readContactWithParts(context, info, restoreContact(context.space, id, getWriteOptions(context, info))),
  }),
  upsertContact: t.field({
    type: Upserted,
    extensions: { check: checkRecords },
    description: 'Updates the matching contact or creates one; safe under concurrency.',
    args: { input: t.arg({ type: UpsertContactInput, required: true, description: 'The record.' }) },
    resolve: (_, { input }, { space, caller, sentTwice }) =>
      upsertContact(space, convertToUpsertWrite(input, 'input', sentTwice), caller.userId),
  }),
  upsertContacts: t.field({
    type: [Upserted],
    extensions: { cost: 5, check: checkRecords },
    description: 'Upserts a batch of records in order; returns one result for each.',
    args: {
      inputs: t.arg({
        type: [UpsertContactInput],
        required: true,
        validate: limitListLength([1, 1000], 'records'),
        description: 'The records, at most 1000.',
      }),
    },
    resolve: (_, { inputs }, { space, caller }) =>
      upsertContacts(
        space,
        inputs.map((input, index) => convertToUpsertWrite(input, `inputs[${index}]`)),
        caller.userId,
      ),
  }),
}));
