// Documents generated from the schema: every root field, everything that can be selected of it, and the places of ids in its arguments.
import {
  type GraphQLInputType,
  type GraphQLOutputType,
  getNamedType,
  getNullableType,
  isInputObjectType,
  isListType,
  isObjectType,
} from 'graphql';
import { schema } from '../../schema/index.ts';
import type { Json } from '../harness/app.ts';

const roots = { query: schema.getQueryType()!.getFields(), mutation: schema.getMutationType()!.getFields() };
export const rootFields = Object.entries(roots).flatMap(([operation, all]) =>
  Object.values(all).map((field) => ({ operation, field })),
);

/** All fields of a type that can be selected without arguments, some levels deep. */
export const selectionOf = (type: GraphQLOutputType, depth = 3): string => {
  const named = getNamedType(type);
  if (!isObjectType(named)) return '';
  const parts = Object.values(named.getFields()).flatMap((field) => {
    const inner = getNamedType(field.type);
    if (!isObjectType(inner)) return [field.name];
    return depth > 1 ? [`${field.name} ${selectionOf(inner, depth - 1)}`] : [];
  });
  return `{ ${['__typename', ...parts].join(' ')} }`;
};

/** A document with one root field, whose variables are named like its arguments. */
export const documentOf = ({ operation, field }: (typeof rootFields)[number], given: Json): string => {
  const args = field.args.filter(({ name }) => name in given);
  const declared = args.map((argument) => `$${argument.name}: ${argument.type}`).join(', ');
  const passed = args.map(({ name }) => `${name}: $${name}`).join(', ');
  return `${operation} ${declared && `(${declared})`} { ${field.name}${passed && `(${passed})`} ${selectionOf(field.type)} }`;
};

/** The places of ids in an input, as paths; `0` stands for any item of a list. */
export const idPlaces = (input: GraphQLInputType, path: string[] = [], above: string[] = []): string[][] => {
  const type = getNullableType(input);
  if (isListType(type)) return idPlaces(type.ofType, [...path, '0'], above);
  // A group of a search may contain groups: one level is enough.
  if (isInputObjectType(type))
    return above.includes(type.name)
      ? []
      : Object.values(type.getFields()).flatMap((field) =>
          idPlaces(field.type, [...path, field.name], [...above, type.name]),
        );
  return type.name === 'Id' ? [path] : [];
};
