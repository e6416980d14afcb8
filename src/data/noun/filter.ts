// Filters of lists as SQL conditions. Their values are bound, so that a text depends on the operators alone.
import { queryBuilder, type Sql } from '../../database/statement.ts';
import { createInvalidProblem, type Fault } from '../../problem.ts';
import {
  type ListField,
  type ListFields,
  type ListFilter,
  type Operator,
  operatorsByType,
  sqlTypes,
} from './fields.ts';

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

const buildCondition = ({ column, type }: ListField, operator: Operator, operand: unknown): Sql => {
  if (operator === 'exists') return queryBuilder.raw(`${column} is ${operand ? 'not null' : 'null'}`);
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
 * The conditions of a filter. A filter or a field of null asks for nothing, as if it had been left out. Throws 400 for an unknown field or
 * operator, and for an operand of null.
 */
export const buildFilterConditions = (fields: ListFields, filter: ListFilter | null | undefined): Sql[] => {
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
      else found.push(buildCondition(field, operator as Operator, operand));
    }
  }
  if (faults.length > 0) throw createInvalidProblem(faults);
  return found;
};
