// Writes values of inputs as clients send them: the opposite of what coercing and reading ids make of them.
import {
  type GraphQLArgument,
  type GraphQLInputField,
  type GraphQLInputType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isListType,
} from 'graphql';
import { formatGlobalId } from './global-id.ts';

type Input = Pick<GraphQLArgument | GraphQLInputField, 'type' | 'extensions'>;

/** The value of an argument or of an input field as JSON that a client can send: names of enums, global ids. `type` is that of the value, which may be an item. */
export const writeInput = (input: Input, value: unknown, type: GraphQLInputType = input.type): unknown => {
  const bare = getNullableType(type);
  if (isListType(bare)) return (value as unknown[]).map((item) => writeInput(input, item, bare.ofType));
  if (isInputObjectType(bare)) {
    const given = value as Record<string, unknown>;
    // In the order of the type, so that equal values are equal texts.
    const fields = Object.values(bare.getFields()).filter(({ name }) => given[name] != null);
    return Object.fromEntries(fields.map((field) => [field.name, writeInput(field, given[field.name])]));
  }
  if (isEnumType(bare)) return bare.serialize(value);
  const { idOf } = input.extensions;
  return bare.name === 'ID' && idOf !== undefined ? formatGlobalId(idOf, value as number) : value;
};
