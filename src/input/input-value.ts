// Parses single values of an input by their type and its notation, and refuses unknown fields.
import {
  type GraphQLEnumType,
  type GraphQLInputField,
  type GraphQLInputObjectType,
  type GraphQLInputType,
  type GraphQLNamedType,
  getNamedType,
  isEnumType,
  isLeafType,
} from 'graphql';
import { parseId } from './global-id.ts';

declare module 'graphql' {
  interface GraphQLEnumTypeExtensions {
    /** Whether clients may write its names in any case, with blanks around them. Its names are capitals. */
    isReadWithoutCase?: boolean;
  }
}

/** Whether a value is an object of JSON, and no list. */
export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export const isReadWithoutCase = (type: GraphQLNamedType): type is GraphQLEnumType =>
  isEnumType(type) && type.extensions.isReadWithoutCase === true;

/** Whether a number of JSON is not the one that was written, because it has more digits than a number can hold. */
export const isRounded = (value: unknown): boolean =>
  typeof value === 'number' && (Number.isInteger(value) ? !Number.isSafeInteger(value) : !Number.isFinite(value));

/** The name of an enum that is read without case; any other value as it is. */
export const convertToCapitals = (type: GraphQLInputType, value: unknown): unknown =>
  typeof value === 'string' && isReadWithoutCase(getNamedType(type)) ? value.trim().toUpperCase() : value;

const kinds: Record<string, string> = {
  String: 'a string',
  Int: 'a whole number',
  Float: 'a number',
  Boolean: 'true or false',
  ID: 'an id',
};

/** The names of an input's fields, as faults list them. */
export const listFieldNames = (type: GraphQLInputObjectType): string => Object.keys(type.getFields()).join(', ');

/** Adds a fault for each member that the input has no field for. */
export const refuseUnknownFields = (
  type: GraphQLInputObjectType,
  value: Record<string, unknown>,
  refuse: (name: string, message: string) => void,
): void => {
  const fields = type.getFields();
  const unknown = Object.keys(value).filter((name) => !Object.hasOwn(fields, name));
  if (unknown.length === 0) return;
  const message = `is not a field of ${type}, which has ${listFieldNames(type)}`;
  for (const name of unknown) refuse(name, message);
};

/** Whether an object has exactly one member, which is not null. */
export const isSingleMember = (value: Record<string, unknown>): boolean => {
  const members = Object.values(value).filter((one) => one !== undefined);
  return members.length === 1 && members[0] !== null;
};

/** The value of a text, number or flag by its type, or a fault. */
export const parseLeafValue = (
  type: GraphQLInputType,
  value: unknown,
  fault: (message: string) => undefined,
): unknown => {
  if (!isLeafType(type)) throw new Error(`cannot read ${type}`);
  try {
    return type.parseValue(value) ?? fault(`must be of type ${type}`);
  } catch (error) {
    if (isEnumType(type))
      return fault(
        `must be one of ${type
          .getValues()
          .map(({ name }) => name)
          .join(', ')}`,
      );
    if (type.name === 'Int' && Number.isInteger(value))
      return fault(`must be ${Number(value) < 0 ? 'at least -2147483648' : 'at most 2147483647'}`);
    return fault(
      type.name in kinds ? `must be ${kinds[type.name]}` : (error as Error).message.split(' Did you mean', 1)[0]!,
    );
  }
};

/** A notation in which clients write input. */
export interface InputNotation {
  /** The names under which a field may be sent. The first that is present counts. */
  spellingsOf(typeName: string, field: string): readonly string[];
  /** The fields of a type, in the order in which faults are listed. */
  sortFields(type: GraphQLInputObjectType): GraphQLInputField[];
  /** Converts values to the form that a field of the graph takes; undefined when they have it. */
  findConversion?(typeName: string, field: GraphQLInputField): ((value: unknown) => unknown) | undefined;
  /** A message in the names of the notation. */
  rephrase?(message: string): string;
  /** The field that a bare text stands for in place of its object. */
  textOf?(typeName: string): string | undefined;
  /** Whether an item of a list is stored already, and is not written. */
  isThere?(typeName: string, item: unknown): boolean;
  /** The number of an id of a record of this type. Throws for anything else. */
  parseId(value: unknown, type: string): number;
  /** Whether GraphQL's rules hold: an unknown field is a fault, and a single value is a list of one. */
  isGraphql?: boolean;
  /** Whether values are coerced already, as resolvers get them: an enum's values in place of its names. */
  isCoerced?: boolean;
}

export const graphNotation: InputNotation = {
  spellingsOf: (_, field) => [field],
  sortFields: (type) => Object.values(type.getFields()),
  parseId,
  isGraphql: true,
};
