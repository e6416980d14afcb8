// Documents generated from the schema: every root field, everything that can be selected of it, and the places of ids in its arguments.
import {
  type GraphQLField,
  type GraphQLInputType,
  type GraphQLObjectType,
  type GraphQLOutputType,
  getNamedType,
  getNullableType,
  isInputObjectType,
  isInterfaceType,
  isListType,
  isObjectType,
  isRequiredArgument,
  isUnionType,
} from 'graphql';
import { schema } from '../../schema/index.ts';
import type { Json } from '../harness/app.ts';

const roots = { query: schema.getQueryType()!.getFields(), mutation: schema.getMutationType()!.getFields() };
export const rootFields = Object.entries(roots).flatMap(([operation, all]) =>
  Object.values(all).map((field) => ({ operation, field })),
);

/** Payloads of mutations that change many contacts. */
const changesMany = /^(Tag|Untag)ContactsPayload$|^(Link|Unlink)ActionPayload$/;

const isRecord = (type: GraphQLObjectType): boolean => type.getInterfaces().some(({ name }) => name === 'Node');

/**
 * All fields of a type that can be selected without arguments, some levels deep, but no way back to a type above. The number of a record is
 * selected as `id`, which the database and REST know, and its global id as `globalId`. Of single records below a record only ids are selected.
 */
export const buildSelection = (type: GraphQLOutputType, depth = 3, above: readonly string[] = []): string => {
  const named = getNamedType(type);
  if (isInterfaceType(named)) return '{ __typename globalId: id }';
  if (!isObjectType(named)) return '';
  const parts = Object.values(named.getFields()).flatMap((field) => {
    if (field.name === 'id') return ['globalId: id'];
    if (field.name === 'databaseId') return ['id: databaseId'];
    if (field.args.some(isRequiredArgument)) return [];
    const inner = getNamedType(field.type);
    if (isInterfaceType(inner)) return [`${field.name} { __typename globalId: id }`];
    // The items of a timeline are records that the document has elsewhere.
    if (isUnionType(inner)) return [];
    if (!isObjectType(inner)) return [field.name];
    const within = [...above, named.name];
    const items = inner.name.endsWith('Connection') && getNamedType(inner.getFields().nodes!.type);
    if (isRecord(named) && isObjectType(items))
      return depth > 1 && !within.includes(items.name)
        ? [
            `${field.name} { __typename ${inner.getFields().totalCount ? 'totalCount ' : ''}nodes ${buildSelection(items, depth - 1, within)} }`,
          ]
        : [];
    const isReference = isRecord(named) && isRecord(inner) && !isListType(getNullableType(field.type));
    if (isReference || changesMany.test(named.name)) return [`${field.name} { __typename id: databaseId }`];
    return depth > 1 && !within.includes(inner.name)
      ? [`${field.name} ${buildSelection(inner, depth - 1, within)}`]
      : [];
  });
  return `{ ${['__typename', ...parts].join(' ')} }`;
};

/** A payload that is one record, or one list, has it one level down. */
const depthOf = (field: GraphQLField<unknown, unknown>): number => {
  const type = getNamedType(field.type);
  if (!isObjectType(type) || !type.name.endsWith('Payload')) return 3;
  const [one, ...others] = Object.values(type.getFields());
  return others.length === 0 && isObjectType(getNamedType(one!.type)) ? 4 : 3;
};

/** A document with one root field, whose variables are named like its arguments. */
export const makeDocument = (
  { operation, field }: (typeof rootFields)[number],
  given: Json,
  depth = depthOf(field),
): string => {
  const args = field.args.filter(({ name }) => name in given);
  const declared = args.map((argument) => `$${argument.name}: ${argument.type}`).join(', ');
  const passed = args.map(({ name }) => `${name}: $${name}`).join(', ');
  return `${operation} ${declared && `(${declared})`} { ${field.name}${passed && `(${passed})`} ${buildSelection(field.type, depth)} }`;
};

/** The places of ids in an input, as paths; `0` stands for any item of a list. */
export const findIdPlaces = (input: GraphQLInputType, path: string[] = [], above: string[] = []): string[][] => {
  const type = getNullableType(input);
  if (isListType(type)) return findIdPlaces(type.ofType, [...path, '0'], above);
  // A group of a search may contain groups: one level is enough.
  if (isInputObjectType(type))
    return above.includes(type.name)
      ? []
      : Object.values(type.getFields()).flatMap((field) =>
          findIdPlaces(field.type, [...path, field.name], [...above, type.name]),
        );
  return type.name === 'ID' ? [path] : [];
};
