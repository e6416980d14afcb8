// Notations of input: how fields are named, values are written and ids are read, in the graph and by legacy clients.
import type { GraphQLInputField, GraphQLInputObjectType } from 'graphql';
import { parseId } from './global-id.ts';

/** A notation in which clients write input. */
export interface InputNotation {
  /** The names under which a field may be sent. The first that is present counts. */
  spellingsOf(typeName: string, field: string): readonly string[];
  /** The fields of a type, in the order in which faults are listed. */
  sortFields(type: GraphQLInputObjectType): GraphQLInputField[];
  /** A value in the form that a field of the graph takes. */
  inForm(typeName: string, field: GraphQLInputField, value: unknown): unknown;
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

/** The notation of the graph. */
export const graphNotation: InputNotation = {
  spellingsOf: (_, field) => [field],
  sortFields: (type) => Object.values(type.getFields()),
  inForm: (_, __, value) => value,
  parseId,
  isGraphql: true,
};
