// Defines the mutations that create, update and delete records, for every noun whose verbs are made from a table's description.
import type { InputFieldMap, ObjectRef } from '@pothos/core';
import { addArticle } from '../src/data/record/crud.ts';
import type { Space } from '../src/database/space.ts';
import type { RoleType } from '../src/role-type.ts';
import { builder } from './builder.ts';
import { Deletion } from './delete-payload.ts';
import { acceptId } from './node.ts';
import { refuseNullFields, shortText } from './validators.ts';

export type InputBuilder = Parameters<Parameters<typeof builder.inputType>[1]['fields']>[0];

interface Verbs<Row> {
  noun: string;
  onContact: boolean;
  create(space: Space, userId: number, sent: Record<string, unknown>): Promise<Row>;
  update(space: Space, userId: number, id: number, patch: Record<string, unknown>): Promise<Row>;
  remove(space: Space, userId: number, id: number): Promise<number>;
}

interface Writes<Row> {
  type: ObjectRef<typeof builder.$inferSchemaTypes, Row>;
  verbs: Verbs<Row>;
  role: RoleType;
  /** The fields of the input; those that a record must have are `required` when it is created. */
  fields: (t: InputBuilder, required: boolean) => InputFieldMap;
  /** Fields that may be left out of an update, but not be null. */
  mandatory: string[];
  /** A sentence about records that are deleted along. */
  alsoDeletes?: string;
}

const capital = (text: string): string => text[0]!.toUpperCase() + text.slice(1);

/** A currency by its code: the rule of fields that say one. */
export const defineCurrencyField = (t: InputBuilder, fallback = 'EUR when it is left out') =>
  t.string({
    validate: shortText.regex(/^[A-Z]{3}$/, 'must be three capital letters, such as EUR'),
    description: `Currency, by its code of ISO 4217; ${fallback}.`,
  });

/** Adds `createX`, `updateX` and `deleteX` to the mutations, with the inputs `XInput` and `XChange`. */
export const defineRecordMutations = <Row>({
  type,
  verbs,
  role,
  fields,
  mandatory,
  alsoDeletes = '',
}: Writes<Row>): void => {
  const { noun, onContact } = verbs;
  const one = addArticle(noun);
  const Input = builder.inputType(`${type.name}Input`, {
    description: `${capital(one)} to create.`,
    fields: (t) => fields(t, true),
  });
  const Change = builder.inputType(`${type.name}Change`, {
    description: `What to change of ${one}. Fields left out stay; null clears, or sets to the default.`,
    fields: (t) => fields(t, false),
    validate: refuseNullFields(...mandatory),
  });
  builder.mutationFields((t) => {
    const id = t.arg({ ...acceptId(type.name), required: true, description: `Id of the ${noun}.` });
    return {
      [`create${type.name}`]: t.field({
        type,
        extensions: { role },
        description: `Creates ${one}${onContact ? ' on a contact' : ''}.`,
        args: {
          ...(onContact && {
            contactId: t.arg({
              ...acceptId('Contact'),
              required: true,
              description: `The contact that the ${noun} is to be on.`,
            }),
          }),
          input: t.arg({ type: Input, required: true, description: `The ${noun}.` }),
        },
        resolve: (_, { contactId, input }, { space, caller }) =>
          verbs.create(space, caller.userId, { ...input, contactId }) as never,
      }),
      [`update${type.name}`]: t.field({
        type,
        extensions: { role },
        description: `Changes ${one}.`,
        args: { id, input: t.arg({ type: Change, required: true, description: 'What to change.' }) },
        resolve: (_, args, { space, caller }) => verbs.update(space, caller.userId, args.id, args.input) as never,
      }),
      [`delete${type.name}`]: t.field({
        type: Deletion,
        extensions: { role },
        description: `Deletes ${one}.${alsoDeletes}`,
        args: { id },
        resolve: async (_, args, { space, caller }) => ({
          id: await verbs.remove(space, caller.userId, args.id),
          type: type.name,
          noun: capital(noun),
        }),
      }),
    };
  });
};
