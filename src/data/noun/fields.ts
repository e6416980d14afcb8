// The fields of lists: their types, and the operators that a filter may apply to each type.

/** A `code` is a text of a closed list, or one that programs compare; a `text` is one that people write. */
export type FieldType = 'id' | 'number' | 'text' | 'code' | 'boolean' | 'instant' | 'day';

/** A field of a list: SQL of its value, its type, and whether records may lack it. */
export interface ListField {
  column: string;
  type: FieldType;
  nullable?: true;
}

export type ListFields = Readonly<Record<string, ListField>>;

/** The operators of each type, for the inputs of the graph. All but `in` and `exists` take one value of the field's type. */
export const operatorsByType = {
  id: ['equals', 'in', 'exists'],
  number: ['equals', 'gt', 'gte', 'lt', 'lte', 'exists'],
  text: ['equals', 'in', 'contains', 'startsWith', 'exists'],
  code: ['equals', 'in', 'exists'],
  boolean: ['equals', 'exists'],
  instant: ['equals', 'gt', 'gte', 'lt', 'lte', 'exists'],
  day: ['equals', 'gt', 'gte', 'lt', 'lte', 'exists'],
} as const satisfies Record<FieldType, readonly string[]>;

export type Operator = (typeof operatorsByType)[FieldType][number];

/** The types of values as they are passed. Instants and days are texts of ISO 8601. */
interface ValueTypes {
  id: number;
  number: number;
  text: string;
  code: string;
  boolean: boolean;
  instant: string;
  day: string;
}

type Operand<Name extends Operator, Value> = Name extends 'in'
  ? readonly Value[]
  : Name extends 'exists'
    ? boolean
    : Value;

/** A condition on a field of this type. All its operators must hold. */
type Condition<Type extends FieldType> = {
  readonly [Name in (typeof operatorsByType)[Type][number]]?: Operand<Name, ValueTypes[Type]> | undefined;
};

/** Conditions by field; all of them must hold. A condition of null is none. */
export type ListFilter<Fields extends ListFields = ListFields> = {
  readonly [Name in keyof Fields]?: Condition<Fields[Name]['type']> | null | undefined;
};

/** The type in SQL that a value of a field is bound as. */
export const sqlTypes: Readonly<Record<FieldType, string>> = {
  id: 'bigint',
  number: 'bigint',
  text: 'text',
  code: 'text',
  boolean: 'boolean',
  instant: 'timestamptz',
  day: 'date',
};

/** The id and the times of every record. */
export const commonFields = {
  id: { column: 'r.id', type: 'id' },
  createdAt: { column: 'r.created_at', type: 'instant' },
  updatedAt: { column: 'r.updated_at', type: 'instant' },
} as const satisfies ListFields;
