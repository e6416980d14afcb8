// Defines mutations: each takes one `input` and answers with a payload of its own, both named after it.

import type { InputFieldMap, InputRef, InputShapeFromFields, ObjectRef } from '@pothos/core';
import type { StandardSchemaV1 } from '@pothos/plugin-validation';
import type { GraphQLResolveInfo } from 'graphql';
import type { Context } from '../../src/context.ts';
import { type AuditedRecords, describeAudited } from '../../src/data/noun/audit.ts';
import { toWords } from '../../src/data/noun/noun.ts';
import { chooseExpected, type Precondition } from '../../src/data/noun/precondition.ts';
import type { Blank } from '../../src/input/blank.ts';
import { formatGlobalId } from '../../src/input/global-id.ts';
import { capitalize } from '../../src/input/snake-case.ts';
import type { MutationAudit } from '../../src/plan/isolate-mutation.ts';
import type { Fault } from '../../src/problem.ts';
import { builder } from './builder.ts';
import { acceptId } from './node.ts';

type SchemaTypes = typeof builder.$inferSchemaTypes;
export type InputBuilder = Parameters<Parameters<typeof builder.inputType>[1]['fields']>[0];
type ObjectOptions<Shape extends object> = Parameters<ReturnType<typeof builder.objectRef<Shape>>['implement']>[0];
type PayloadFields<Payload extends object> = NonNullable<ObjectOptions<Payload>['fields']>;
export type PayloadBuilder<Payload extends object> = Parameters<
  Extract<PayloadFields<Payload>, (...args: never) => unknown>
>[0];

interface MutationOptions<Fields extends InputFieldMap, Payload extends object> {
  description: string;
  /** Points that it takes from the bucket; 1 when it is left out. */
  cost?: number;
  /** Finds further faults of an input that is faulty already. */
  check?: (input: Partial<InputShapeFromFields<Fields>>, context: Context) => Promise<Fault[]>;
  input: (t: InputBuilder) => Fields;
  /** The description of the input, where its name does not say enough. */
  about?: string;
  blank?: Blank;
  validate?: StandardSchemaV1;
  resolve: (
    input: InputShapeFromFields<Fields>,
    context: Context,
    info: GraphQLResolveInfo,
  ) => Payload | Promise<Payload>;
  /** Describes the written records for the audit log; undefined when nothing was written. */
  audit: ((payload: Payload, input: InputShapeFromFields<Fields>) => AuditedRecords | undefined) | 'by-verb';
  payload: PayloadFields<Payload>;
}

/** `createContact` takes a `ContactCreateInput`. */
const nameInput = (mutation: string): string => {
  const [, verb, noun] = /^([a-z]+)([A-Z]\w*)$/.exec(mutation)!;
  return `${noun}${capitalize(verb!)}Input`;
};

/**
 * Adds a mutation. `createContact(input: ContactCreateInput!): CreateContactPayload` is null when it fails, so that a document of several
 * mutations tells what the others did. Returns the input's type, for mutations that take a list of such inputs.
 */
export const defineMutation = <Fields extends InputFieldMap, Payload extends object>(
  name: string,
  options: MutationOptions<Fields, Payload>,
): InputRef<InputShapeFromFields<Fields>> => {
  const { cost, check, about, blank, validate } = options;
  const Input = builder.inputType(nameInput(name), {
    description: about ?? `The input of \`${name}\`.`,
    fields: options.input,
    ...(blank && { extensions: { blank } }),
    ...(validate && { validate }),
  } as Parameters<typeof builder.inputType>[1]) as unknown as InputRef<InputShapeFromFields<Fields>>;
  const Payload = builder.objectRef<Payload>(`${capitalize(name)}Payload`).implement({
    description: `The result of \`${name}\`.`,
    fields: options.payload,
  } as ObjectOptions<Payload>) as ObjectRef<SchemaTypes, Payload>;
  builder.mutationField(name, (t) =>
    t.field({
      type: Payload,
      nullable: true,
      description: options.description,
      extensions: {
        audit: options.audit as MutationAudit,
        ...(cost && { cost }),
        ...(check && {
          check: async (args: { input?: Partial<InputShapeFromFields<Fields>> }, context: Context) =>
            args.input ? check(args.input, context) : [],
        }),
      },
      args: { input: t.arg({ type: Input, required: true, description: about ?? 'The input.' }) },
      resolve: (_, args, context, info) =>
        options.resolve((args as { input: InputShapeFromFields<Fields> }).input, context, info) as never,
    }),
  );
  return Input;
};

interface RecordMutationOptions<Fields extends InputFieldMap, Row extends object>
  extends Omit<MutationOptions<Fields, { record: Row }>, 'resolve' | 'audit' | 'payload'> {
  /** The type of the record, which the payload shows under its name. */
  type: ObjectRef<SchemaTypes, Row>;
  resolve: (input: InputShapeFromFields<Fields>, context: Context, info: GraphQLResolveInfo) => Promise<Row>;
  /** Whether the verb writes the line of the audit log itself. */
  audit?: 'by-verb';
}

/** Adds a mutation that writes one record. Its line in the audit log is missing where the record was left as it was. */
export const defineRecordMutation = <Fields extends InputFieldMap, Row extends { id: number }>(
  name: string,
  { type, resolve, audit, ...options }: RecordMutationOptions<Fields, Row>,
): void => {
  const field = type.name[0]!.toLowerCase() + type.name.slice(1);
  const state = /^(create|add)/.test(name) ? '' : ', as it is now';
  defineMutation<Fields, { record: Row }>(name, {
    ...options,
    resolve: async (input, context, info) => ({ record: await resolve(input, context, info) }),
    audit: audit ?? (({ record }) => describeAudited(type.name, record)),
    payload: (t) => ({
      [field]: t.field({
        type,
        description: `The ${toWords(type.name)}${state}.`,
        resolve: ({ record }) => record as never,
      }),
    }),
  });
};

interface Deletion {
  type: string;
  description: string;
  cost?: number;
  /** Whether records have versions, of which one may be expected. */
  hasVersion?: true;
  /** Deletes the record. Throws 404 when it is missing, 412 when it is not as it is expected. */
  remove: (context: Context, id: number, expected: Precondition | undefined) => Promise<number>;
  /** The name of the input's field with the id. */
  idField?: string;
}

export const defineDeletion = (
  name: string,
  { type, description, cost, hasVersion, remove, idField = 'id' }: Deletion,
): void => {
  defineMutation(name, {
    description,
    ...(cost && { cost }),
    input: (t) => ({
      [idField]: t.field({ ...acceptId(type), required: true, description: `The id of the ${type}.` }),
      ...(hasVersion && {
        expectedVersion: t.int({ description: `Fails with 412 unless the ${type} has this version.` }),
      }),
    }),
    resolve: async (input, context) => {
      const { [idField]: id, expectedVersion } = input as Record<string, number | null | undefined>;
      return { id: await remove(context, id!, chooseExpected(expectedVersion, context.precondition)) };
    },
    audit: ({ id }) => ({ type, ids: [id] }),
    payload: (t) => ({
      deletedId: t.id({
        description: 'The id that the record had.',
        resolve: ({ id }) => formatGlobalId(type, id),
      }),
      databaseId: t.expose('id', { type: 'SafeInt', description: 'The number that the record had.' }),
      message: t.string({
        extensions: { legacy: true },
        description: 'The deletion in words.',
        resolve: ({ id }) => `${type} ${id} deleted`,
      }),
    }),
  });
};
