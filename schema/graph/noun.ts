// Adds a noun to the graph from its description: its type, the list of its records, the read of one, and the mutations that create, update and delete them.
import type { InputFieldMap, ObjectRef } from '@pothos/core';
import { z } from 'zod';
import { convertToCamelCase } from '../../src/data/noun/crud.ts';
import type { Kind, NounColumn, ReferredNoun, ShownColumn } from '../../src/data/noun/noun.ts';
import { addArticle } from '../../src/data/noun/references.ts';
import type { Space } from '../../src/database/space.ts';
import { replaceBlanks } from '../../src/input/blank.ts';
import { builder } from './builder.ts';
import { defineListConnection } from './list-connection.ts';
import { Money, ofSameRow } from './money.ts';
import { defineDeletion, defineRecordMutation, type InputBuilder, type PayloadBuilder } from './mutation.ts';
import { acceptId, defineNodeFields, Node } from './node.ts';
import { createReference } from './reference.ts';
import { currencyCode, nonBlank, refuseNullFields, shortText } from './validators.ts';

type SchemaTypes = typeof builder.$inferSchemaTypes;

/** A noun as `defineNoun` makes it. */
interface Noun<Row extends { id: number }> extends ReferredNoun {
  description: string;
  called: string;
  columns: Readonly<Record<string, NounColumn>>;
  list: object;
  create(space: Space, userId: number, sent: Record<string, unknown>): Promise<Row>;
  update(space: Space, userId: number, id: number, patch: Record<string, unknown>): Promise<Row>;
  remove(space: Space, userId: number, id: number): Promise<number>;
}

/** Types by the nouns that columns refer to; what leads to the same noun shares a loader. */
const typesByTable = new Map<
  string,
  { type: ObjectRef<SchemaTypes, { id: number }>; reference: ReturnType<typeof createReference> }
>();

const scalars = {
  id: 'ID',
  money: 'SafeInt',
  currency: 'String',
  whole: 'Int',
  text: 'String',
  code: 'String',
  flag: 'Boolean',
  instant: 'DateTime',
  day: 'Date',
} as const satisfies Record<Kind, string>;

type FieldBuilder = PayloadBuilder<{ id: number }>;

const defineField = (t: FieldBuilder, name: string, column: NounColumn) => {
  const { kind, description, required = false, otherwise, refers } = column;
  if (refers) {
    const { type, reference } = typesByTable.get(refers.table)!;
    const lead = required ? reference.require(name) : reference.find(name);
    return t.field({ type, description, ...(lead as object) } as never);
  }
  if (kind === 'money') return t.field({ type: Money, description, ...(ofSameRow as object) } as never);
  return t.expose(name as never, { type: scalars[kind], nullable: !required && !otherwise, description } as never);
};

export const defineColumnFields = (t: object, columns: Readonly<Record<string, ShownColumn>>): object =>
  Object.fromEntries(
    Object.entries(columns).flatMap(
      ([name, { kind, nullable = false, description, field = convertToCamelCase(name) }]) => {
        if (!description) return [];
        const type = kind === 'texts' ? ['String'] : scalars[kind as Kind];
        return [[field, (t as FieldBuilder).expose(name as never, { type, nullable, description } as never)]];
      },
    ),
  );

const nameField = (name: string, { field, refers }: NounColumn): string =>
  field ?? convertToCamelCase(refers ? name.replace(/_id$/, '') : name);

/** The fields of a type that show the columns of its records. An amount shows its currency. */
const defineFields = (t: FieldBuilder, columns: Noun<{ id: number }>['columns']) =>
  Object.fromEntries(
    Object.entries(columns)
      .filter(([, { kind }]) => kind !== 'currency')
      .map(([name, column]) => [nameField(name, column), defineField(t, name, column)]),
  );

const findRule = ({ kind, required, least, most }: NounColumn): z.ZodType | undefined => {
  if (kind === 'currency') return currencyCode;
  if (scalars[kind] === 'String') return required ? nonBlank : shortText;
  if (least === undefined) return undefined;
  if (most === undefined) return z.number().min(least, `must be at least ${least}`);
  return z.number().refine((value) => value >= least && value <= most, `must be from ${least} to ${most}`);
};

/** The fields of an input that write columns, all of them unless `names` says which. Those that each record has are required where `isNew`. */
export const defineInputFields = (
  t: InputBuilder,
  { columns }: Pick<Noun<{ id: number }>, 'columns'>,
  isNew: boolean,
  names = Object.keys(columns),
): InputFieldMap =>
  Object.fromEntries(
    names.map((name) => {
      const column = columns[name]!;
      const { kind, required = false, refers, description } = column;
      const { input = kind === 'text' && required ? description.replace(/\.$/, '; not blank.') : description } = column;
      const validate = findRule(column);
      return [
        convertToCamelCase(name),
        t.field({
          ...(refers ? acceptId(refers.type) : { type: scalars[kind] }),
          required: required && isNew,
          ...(validate && { validate }),
          description: input,
        } as never),
      ];
    }),
  );

interface NounOptions<Row> {
  fields?: (t: PayloadBuilder<Row & object>) => object;
  /** Deletes a record, where more than the record is deleted. */
  remove?: Noun<never>['remove'];
  /** A sentence about what a deletion does beside. */
  alsoDeletes?: string;
}

/** Adds `createX`, `updateX` and `deleteX` to the mutations. */
const defineNounMutations = <Row extends { id: number }>(
  noun: Noun<Row>,
  type: ObjectRef<SchemaTypes, Row>,
  { remove = noun.remove, alsoDeletes }: NounOptions<Row>,
): void => {
  const one = addArticle(noun.noun);
  const mandatory = Object.entries(noun.columns).flatMap(([name, { required }]) =>
    required ? [convertToCamelCase(name)] : [],
  );
  defineRecordMutation<InputFieldMap, Row>(`create${type.name}`, {
    type,
    description: `Creates ${one}${noun.onContact ? ' on a contact' : ''}.`,
    input: (t) => ({
      ...(noun.onContact && {
        contactId: t.field({
          ...acceptId('Contact'),
          required: true,
          description: `The contact that the ${noun.noun} is to be on.`,
        }),
      }),
      ...defineInputFields(t, noun, true),
    }),
    resolve: (input, { space, caller }) => noun.create(space, caller.userId, replaceBlanks(input, 'null')),
  });
  defineRecordMutation<InputFieldMap, Row>(`update${type.name}`, {
    type,
    description: `Changes ${one}. Fields left out stay; null clears, or sets to the default.`,
    input: (t) => ({
      id: t.field({ ...acceptId(type.name), required: true, description: `The id of the ${noun.noun}.` }),
      ...defineInputFields(t, noun, false),
    }),
    validate: refuseNullFields(...mandatory),
    resolve: (input, { space, caller }) => {
      const { id, ...patch } = input as Record<string, unknown> & { id: number };
      return noun.update(space, caller.userId, id, replaceBlanks(patch, 'null'));
    },
  });
  defineDeletion(`delete${type.name}`, {
    type: type.name,
    description: `Deletes ${one}.${alsoDeletes ? ` ${alsoDeletes}` : ''}`,
    remove: ({ space, caller }, id) => remove(space, caller.userId, id),
  });
};

export const defineNounType = <Row extends { id: number }>(
  noun: Noun<Row>,
  options: NounOptions<Row> = {},
): ObjectRef<SchemaTypes, Row> => {
  const type = builder.objectRef<Row>(noun.type);
  typesByTable.set(noun.table, { type, reference: createReference(noun.ever) });
  const made = noun.onContact ? 'recorded' : 'created';
  type.implement({
    interfaces: [Node],
    description: noun.description,
    fields: (t: FieldBuilder) => ({
      ...defineNodeFields(t, noun.type),
      ...defineFields(t, noun.columns),
      ...defineColumnFields(t, {
        created_at: { kind: 'instant', description: `When ${noun.called} was ${made}.` },
        updated_at: { kind: 'instant', description: `When ${noun.called} was last changed.` },
      }),
      ...options.fields?.(t as never),
    }),
  } as never);
  defineNounMutations(noun, type, options);
  return type;
};

/** Adds the type and the mutations of a noun, the list of its records and the read of one. */
export const defineNounList = <Row extends { id: number }>(noun: Noun<Row>, options: NounOptions<Row> = {}) => {
  const type = defineNounType(noun, options);
  return { type, connection: defineListConnection({ field: convertToCamelCase(noun.table), type, list: noun.list }) };
};
