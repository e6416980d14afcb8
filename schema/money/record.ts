// Defines the mutations that create, update and delete records, for every noun whose verbs are made from a table's description.
import type { InputFieldMap, ObjectRef } from '@pothos/core';
import { describeAudited } from '../../src/data/noun/audit.ts';
import { addArticle } from '../../src/data/noun/references.ts';
import type { Space } from '../../src/database/space.ts';
import type { builder } from '../graph/builder.ts';
import { defineDeletion, defineMutation, type InputBuilder } from '../graph/mutation.ts';
import { acceptId } from '../graph/node.ts';
import { refuseNullFields, shortText } from '../graph/validators.ts';

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
  /** The fields of the input; those that a record must have are `required` when it is created. */
  fields: (t: InputBuilder, required: boolean) => InputFieldMap;
  /** Fields that may be left out of an update, but not be null. */
  mandatory: string[];
  /** A sentence about records that are deleted along. */
  alsoDeletes?: string;
}

/** A currency by its code: the rule of fields that say one. */
export const defineCurrencyField = (t: InputBuilder, fallback = 'EUR when it is left out') =>
  t.string({
    validate: shortText.regex(/^[A-Z]{3}$/, 'must be three capital letters, such as EUR'),
    description: `Currency, by its code of ISO 4217; ${fallback}.`,
  });

/** Adds `createX`, `updateX` and `deleteX` to the mutations. */
export const defineRecordMutations = <Row extends { id: number }>({
  type,
  verbs,
  fields,
  mandatory,
  alsoDeletes = '',
}: Writes<Row>): void => {
  const { noun, onContact } = verbs;
  const one = addArticle(noun);
  const field = type.name[0]!.toLowerCase() + type.name.slice(1);
  /** Fields that are known at run time only. */
  type Sent = Record<string, unknown> & { id: number };
  defineMutation<InputFieldMap, { record: Row }>(`create${type.name}`, {
    description: `Creates ${one}${onContact ? ' on a contact' : ''}.`,
    input: (t) => ({
      ...(onContact && {
        contactId: t.field({
          ...acceptId('Contact'),
          required: true,
          description: `The contact that the ${noun} is to be on.`,
        }),
      }),
      ...fields(t, true),
    }),
    resolve: async (input, { space, caller }) => ({ record: await verbs.create(space, caller.userId, input) }),
    audit: ({ record }) => describeAudited(type.name, record),
    payload: (t) => ({
      [field]: t.field({ type, description: `The ${noun}.`, resolve: ({ record }) => record as never }),
    }),
  });
  defineMutation<InputFieldMap, { record: Row }>(`update${type.name}`, {
    description: `Changes ${one}. Fields left out stay; null clears, or sets to the default.`,
    input: (t) => ({
      id: t.field({ ...acceptId(type.name), required: true, description: `The id of the ${noun}.` }),
      ...fields(t, false),
    }),
    validate: refuseNullFields(...mandatory),
    resolve: async (input, { space, caller }) => {
      const { id, ...patch } = input as Sent;
      return { record: await verbs.update(space, caller.userId, id, patch) };
    },
    audit: ({ record }) => describeAudited(type.name, record),
    payload: (t) => ({
      [field]: t.field({ type, description: `The ${noun}, as it is now.`, resolve: ({ record }) => record as never }),
    }),
  });
  defineDeletion(`delete${type.name}`, {
    type: type.name,
    description: `Deletes ${one}.${alsoDeletes}`,
    remove: ({ space, caller }, id) => verbs.remove(space, caller.userId, id),
  });
};
