// Empty texts are not values: clients send them for unknown values (decisions on spec §2). Their meaning depends on the input. Variables are cleaned of them.
import {
  type GraphQLInputType,
  type GraphQLNamedType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isInputObjectType,
  isListType,
  type OperationDefinitionNode,
  typeFromAST,
} from 'graphql';
import { trimLine } from '../search/trim-line.ts';
import { convertToCapitals, isReadWithoutCase, isRecord } from './input-value.ts';

/** In an upsert an empty text counts as not sent; in any other write it is null. */
export type Blank = 'absent' | 'null';

declare module 'graphql' {
  interface GraphQLInputObjectTypeExtensions {
    /** The meaning of an empty text in this input and all inputs below it. */
    blank?: Blank;
  }
}

export const isBlankText = (value: unknown): boolean => typeof value === 'string' && trimLine(value) === '';

type InputValues = { [field: string]: unknown };

/** The values of an input, with empty texts replaced by their meaning. */
export const replaceBlanks = <Input extends object>(input: Input, blank: Blank): Input => {
  const values: InputValues = {};
  for (const [field, value] of Object.entries(input))
    if (!isBlankText(value)) values[field] = value;
    else if (blank === 'null') values[field] = null;
  return values as Input;
};

/** A value, with empty texts replaced where its type has none, a date, a number, a name of an enum; and with names in capitals where their case does not count. */
const clearBlanks = (type: GraphQLInputType, value: unknown, above?: Blank): unknown => {
  const of = getNullableType(type);
  if (isListType(of)) return Array.isArray(value) ? value.map((item) => clearBlanks(of.ofType, item, above)) : value;
  if (isInputObjectType(of)) {
    if (!isRecord(value)) return value;
    const blank = of.extensions.blank ?? above;
    const fields = of.getFields();
    const cleared: InputValues = {};
    for (const [name, inner] of Object.entries(value)) {
      const field = fields[name];
      const clear = field ? clearBlanks(field.type, inner, blank) : inner;
      if (clear !== undefined) cleared[name] = clear;
    }
    return cleared;
  }
  if (!above || !isBlankText(value) || getNamedType(of).name === 'String') return convertToCapitals(of, value);
  return above === 'null' ? null : undefined;
};

/** Whether values of this type, or of one below it, may need cleaning. */
const needsCleaning = (type: GraphQLNamedType, above: readonly GraphQLNamedType[] = []): boolean =>
  isReadWithoutCase(type) ||
  (isInputObjectType(type) &&
    (type.extensions.blank !== undefined ||
      Object.values(type.getFields()).some((field) => {
        const inner = getNamedType(field.type);
        return !above.includes(inner) && needsCleaning(inner, [...above, type]);
      })));

/** Returns a function that cleans an operation's variables; undefined when none of its inputs needs it. */
export const createVariableCleaner = (
  schema: GraphQLSchema,
  { variableDefinitions = [] }: OperationDefinitionNode,
): ((variables: InputValues) => InputValues) | undefined => {
  const types = variableDefinitions.flatMap(({ variable, type }) => {
    const of = typeFromAST(schema, type as never) as GraphQLInputType | undefined;
    const named = of && getNamedType(of);
    return named && needsCleaning(named) ? [[variable.name.value, of!] as const] : [];
  });
  if (types.length === 0) return undefined;
  return (variables) => ({
    ...variables,
    ...Object.fromEntries(
      types.flatMap(([name, type]) => (variables[name] == null ? [] : [[name, clearBlanks(type, variables[name])]])),
    ),
  });
};
