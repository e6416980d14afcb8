// Filters of lists: an input with conditions for each field of a list, from the description of the list.

import type { EnumRef } from '@pothos/core';
import { type ListFields, operatorsByType } from '../../src/data/noun/fields.ts';
import { limitListLength } from '../../src/input/list-length.ts';
import { capitalize } from '../../src/input/snake-case.ts';
import { limits } from '../../src/limits/limits.ts';
import { builder } from './builder.ts';
import { acceptId, acceptIds } from './node.ts';
import { longText, shortText } from './validators.ts';

/** The types that fields with ids lead to, where the name does not tell. */
const typesOfIds: Record<string, string> = {
  accountId: 'User',
  authorId: 'User',
  lastChangedById: 'User',
  sentById: 'User',
  acceptedById: 'User',
  statusId: 'TransactionStatus',
  optionId: 'FormOption',
};

/** The type whose records a field with ids leads to; `own` is that of the record itself. */
export const getTypeOfId = (field: string, own: string): string =>
  field === 'id' ? own : (typesOfIds[field] ?? capitalize(field.replace(/Id$/, '')));

const operatorWords: Record<string, string> = {
  equals: 'Equals this value.',
  in: 'Equals one of these values; an empty list matches nothing.',
  gt: 'Is greater than this value.',
  gte: 'Is this value or greater.',
  lt: 'Is less than this value.',
  lte: 'Is this value or less.',
  contains: 'Contains this text, without regard to case and accents.',
  startsWith: 'Begins with this text, without regard to case and accents.',
  exists: 'Whether there is a value.',
};

type FieldType = keyof typeof operatorsByType;
type ConditionInput = ReturnType<typeof builder.inputType>;
/** Enums of fields whose values are of a closed list. */
// biome-ignore lint/suspicious/noExplicitAny: enums of any values
export type FieldEnums = Readonly<Record<string, EnumRef<typeof builder.$inferSchemaTypes, any, any>>>;

/** Each is defined once, for all lists. */
const conditions = new Map<string, ConditionInput>();

const valueTypes: Record<Exclude<FieldType, 'id'>, 'SafeInt' | 'String' | 'Boolean' | 'DateTime' | 'Date'> = {
  number: 'SafeInt',
  text: 'String',
  code: 'String',
  boolean: 'Boolean',
  instant: 'DateTime',
  day: 'Date',
};
const filterNames: Record<FieldType, string> = {
  id: 'IdFilter',
  number: 'NumberFilter',
  text: 'TextFilter',
  code: 'StringFilter',
  boolean: 'BooleanFilter',
  instant: 'DateTimeFilter',
  day: 'DateFilter',
};

const values = limitListLength([0, limits.list.items], 'values');

/** The input of conditions on a field; those on ids know whose they are, those on enums know their values. */
const defineConditionInput = (type: FieldType, target: string, enumType?: FieldEnums[string]): ConditionInput => {
  const name = enumType ? `${enumType.name}Filter` : `${type === 'id' ? target : ''}${filterNames[type]}`;
  const known = conditions.get(name);
  if (known) return known;
  const what = enumType
    ? `a value of ${enumType.name}`
    : type === 'id'
      ? `the id of ${/^[AEIO]/.test(target) ? 'an' : 'a'} ${target}`
      : 'a value';
  const input = builder.inputType(name, {
    description: `Conditions on ${what}. All of them must hold.`,
    fields: (t) =>
      Object.fromEntries(
        operatorsByType[type].map((operator) => {
          const description = operatorWords[operator]!;
          if (operator === 'exists') return [operator, t.boolean({ description })];
          if (operator === 'in')
            return [
              operator,
              type === 'id'
                ? t.field({ ...acceptIds(target), validate: values, description })
                : t.field({ type: [enumType ?? valueTypes[type]], validate: values, description }),
            ];
          if (type === 'id') return [operator, t.field({ ...acceptId(target), description })];
          if (enumType) return [operator, t.field({ type: enumType, description })];
          if (type === 'text' || type === 'code')
            return [operator, t.string({ validate: type === 'text' ? longText : shortText, description })];
          return [operator, t.field({ type: valueTypes[type], description })];
        }),
      ),
  });
  conditions.set(name, input);
  return input;
};

/** The filter of a list: conditions by field. `name` is the type of its records, `field` the root field. */
export const defineFilterInput = (name: string, field: string, fields: ListFields, enums: FieldEnums) =>
  builder.inputType(`${name}Filter`, {
    description: `Which ${field} are meant: conditions by field, all of which must hold.`,
    fields: (t) =>
      Object.fromEntries(
        Object.entries(fields).map(([one, { type }]) => {
          const condition = defineConditionInput(type, getTypeOfId(one, name), enums[one]);
          return [one, t.field({ type: condition, description: `Conditions on \`${one}\`.` })];
        }),
      ),
  });
