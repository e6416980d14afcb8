// Checks variables before an operation is executed: graphql-js would print the whole value in each of up to 50 errors, which nobody is shown.
import {
  type GraphQLInputField,
  type GraphQLInputType,
  isInputObjectType,
  isInputType,
  isListType,
  isNonNullType,
  type OperationDefinitionNode,
  typeFromAST,
} from 'graphql';
import { schema } from '../../schema/index.ts';
import { Pace } from '../limits/pace.ts';

/** The fields of an input type by name. */
type Fields = Readonly<Record<string, GraphQLInputField>>;

const isMissing = ({ type, defaultValue }: GraphQLInputField, value: unknown): boolean =>
  value === undefined && defaultValue === undefined && isNonNullType(type);

const fitsObject = (value: object, fields: Fields, isOneOf: boolean): boolean => {
  const sent = Object.entries(value);
  for (const [name, inner] of sent) {
    const field = Object.hasOwn(fields, name) ? fields[name] : undefined;
    if (!field || (inner !== undefined && !fits(inner, field.type))) return false;
  }
  if (isOneOf) return sent.length === 1 && sent[0]![1] !== null;
  for (const name in fields) if (isMissing(fields[name]!, (value as Record<string, unknown>)[name])) return false;
  return true;
};

/** Whether graphql-js can coerce this JSON to the type. It keeps no paths and makes no copy, which takes graphql-js most of its time. */
export const fits = (value: unknown, type: GraphQLInputType): boolean => {
  if (isNonNullType(type)) return value !== null && value !== undefined && fits(value, type.ofType);
  if (value === null || value === undefined) return true;
  if (isListType(type))
    return Array.isArray(value) ? value.every((item) => fits(item, type.ofType)) : fits(value, type.ofType);
  if (isInputObjectType(type))
    return typeof value === 'object' && !Array.isArray(value) && fitsObject(value, type.getFields(), type.isOneOf);
  try {
    return type.parseValue(value) !== undefined;
  } catch {
    return false;
  }
};

/**
 * Whether the values that were sent fit the types of their variables. Missing ones are left to the execution. The execution coerces them
 * again, so other requests run in between.
 */
export const areCoercible = async (
  { variableDefinitions = [] }: OperationDefinitionNode,
  variables: Record<string, unknown>,
): Promise<boolean> => {
  const pace = new Pace();
  for (const { variable, type: node } of variableDefinitions) {
    const type = typeFromAST(schema, node as never);
    const value = variables[variable.name.value] ?? undefined;
    if (value === undefined || !isInputType(type)) continue;
    if (!fits(value, type)) return false;
    await pace.breathe();
  }
  return true;
};
