// The fields of lists: their types, the operators that a filter may apply to each type, and the conditions of a filter as SQL.
import { queryBuilder, type Sql } from '../../database/statement.ts';
import { createInvalidProblem, type Fault } from '../../problem.ts';
import { escapeWildcards } from '../../search/predicates.ts';
import { hasTrigram, trigramTexts } from '../../search/record-conditions.ts';

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

type Operator = (typeof operatorsByType)[FieldType][number];

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

/** Text is compared without case and accents. The operand is folded once, not for each row. */
const foldedOperand = '(select fold(cast(? as text)))';

/** SQL of each operator, on a column whose values have this SQL type. */
const conditions: Record<Exclude<Operator, 'exists'>, (column: string, type: string) => string> = {
  equals: (column, type) => `${column} = cast(? as ${type})`,
  in: (column, type) => `${column} = any(cast(? as ${type}[]))`,
  gt: (column, type) => `${column} > cast(? as ${type})`,
  gte: (column, type) => `${column} >= cast(? as ${type})`,
  lt: (column, type) => `${column} < cast(? as ${type})`,
  lte: (column, type) => `${column} <= cast(? as ${type})`,
  // These functions have no wildcards: `%` and `_` are characters like any other.
  contains: (column) => `strpos(fold_inline(${column}), ${foldedOperand}) > 0`,
  startsWith: (column) => `starts_with(fold_inline(${column}), ${foldedOperand})`,
};

/** The id of a merged contact means its survivor. */
const livingContacts = `array(select coalesce(o.merged_into, asked.id) from unnest(cast(? as bigint[])) asked (id)
  left join contacts o on o.group_id = :group and o.id = asked.id)`;

/** The list that a filter is for. */
export interface FilterScope {
  fields: ListFields;
  /** The column of the contact that the records hang on. */
  contact?: string;
  /** Whether the whole list of a space is searched, which takes an index. In the list of one parent each record is looked at. */
  isSearch: boolean;
}

/** Both compare a text with an index of its trigrams by LIKE, which alone uses the index. From the pattern the planner estimates how many records match. */
const trigramPattern = `${escapeWildcards('fold(cast(? as text))')} || '%'`;
const trigramConditions = {
  contains: { asked: 'contains', pattern: `'%' || ${trigramPattern}` },
  startsWith: { asked: 'start_with', pattern: trigramPattern },
} as const;

const buildCondition = (
  { column, type }: ListField,
  operator: Operator,
  operand: unknown,
  { contact, isSearch }: FilterScope,
): Sql => {
  if (operator === 'exists') return queryBuilder.raw(`${column} is ${operand ? 'not null' : 'null'}`);
  if (column === contact) return queryBuilder.raw(`${column} = any(${livingContacts})`, [[operand].flat() as never]);
  if ((operator === 'contains' || operator === 'startsWith') && isSearch && trigramTexts.includes(column)) {
    const { asked, pattern } = trigramConditions[operator];
    if (hasTrigram(asked, operand as string))
      return queryBuilder.raw(`fold(${column}) collate "C" like ${pattern}`, [operand as never]);
  }
  return queryBuilder.raw(conditions[operator](column, sqlTypes[type]), [operand as never]);
};

/** The fault of an operand of a field, if it has one. The values themselves are of the right types already. */
const findFault = (name: string, { type }: ListField, operator: string, operand: unknown): Fault | undefined => {
  const location = `filter.${name}.${operator}`;
  const allowed: readonly string[] = operatorsByType[type];
  if (!allowed.includes(operator))
    return { location, message: `is no operator of this field: it has ${allowed.join(', ')}`, value: operand };
  // Ignoring it would match all records where few were meant, for instance by a variable that was forgotten.
  if (operand === null || (Array.isArray(operand) && operand.includes(null)))
    return { location, message: 'must not be null; exists: false finds records without a value', value: operand };
  if (type === 'number' && typeof operand === 'number' && !Number.isSafeInteger(operand))
    return { location, message: 'must be a whole number below 2^53', value: operand };
  return undefined;
};

/**
 * The conditions of a filter, `{ field: { operator: operand } }`, which must all hold. Instants and days are texts of ISO 8601. A filter or a field of null
 * asks for nothing, as if it had been left out. Throws 400 for an unknown field or operator, and for an operand of null.
 */
export const buildFilterConditions = (scope: FilterScope, filter: object | null | undefined): Sql[] => {
  const { fields } = scope;
  const faults: Fault[] = [];
  const found: Sql[] = [];
  for (const [name, condition] of Object.entries(filter ?? {})) {
    if (condition == null) continue;
    const field = Object.hasOwn(fields, name) ? fields[name] : undefined;
    if (!field) {
      const message = `is no field of this list: it has ${Object.keys(fields).join(', ')}`;
      faults.push({ location: `filter.${name}`, message, value: condition });
      continue;
    }
    for (const [operator, operand] of Object.entries(condition)) {
      if (operand === undefined) continue;
      const fault = findFault(name, field, operator, operand);
      if (fault) faults.push(fault);
      else found.push(buildCondition(field, operator as Operator, operand, scope));
    }
  }
  if (faults.length > 0) throw createInvalidProblem(faults);
  return found;
};
