// Translates between the contract's names, which the model uses, and those of the graph: arguments, selections and results.
import { type GraphQLInputType, getNamedType, isEnumType, isInputObjectType, isObjectType } from 'graphql';
import { schema } from '../../schema/index.ts';
import { getContractName } from '../../src/input/legacy-input.ts';
import type { Json } from '../harness/app.ts';

/** The name of an input field in the graph, by its name in the contract. */
export const findGraphName = (inputType: string | undefined, name: string): string => {
  const type = schema.getType(inputType ?? '');
  const fields = isInputObjectType(type) ? Object.keys(type.getFields()) : [];
  return fields.find((field) => getContractName(inputType!, field) === name) ?? name;
};

/** Translates a value with the contract's names to an argument of this type. */
export const translateArgument = (input: GraphQLInputType, value: Json): Json => {
  if (Array.isArray(value)) return value.map((item) => translateArgument(input, item));
  if (value === null || value === undefined) return value;
  const type = getNamedType(input);
  if (isEnumType(type)) return value.toUpperCase();
  if (!isInputObjectType(type)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => {
      const field = type.getFields()[findGraphName(type.name, name)];
      // Names that the input lacks stay: the graph must refuse them.
      return field ? [field.name, translateArgument(field.type, inner)] : [name, inner];
    }),
  );
};

/** The input type that renames the fields of a type. */
const inputTypes: Record<string, string> = {
  Contact: 'ContactUpdateInput',
  Address: 'ContactAddressInput',
  Answer: 'AnswerInput',
  User: 'UserUpdateInput',
};
/** The graph's fields for what no input has: the first of them that the type has. */
const outputNames: Record<string, string[]> = {
  id: ['databaseId'],
  userId: ['author', 'lastChangedBy'],
  lastchange: ['lastChangedAt'],
  currency: ['amount'],
};

const selectField = (typeName: string, name: string): string => {
  const type = schema.getType(typeName);
  if (!isObjectType(type)) throw new Error(`${typeName} is no object type`);
  const graphName = findGraphName(inputTypes[typeName], name);
  const names = outputNames[name] ?? [graphName, graphName.replace(/Id(s?)$/, '$1')];
  const field = names.map((one) => type.getFields()[one]).find((one) => one !== undefined);
  if (!field) throw new Error(`${typeName} has no field for ${name}`);
  const inner = getNamedType(field.type);
  const below = inner.name === 'Money' ? name : 'databaseId';
  return `${name}: ${field.name}${isObjectType(inner) ? ` { ${below} }` : ''}`;
};

/** Selects fields of a type under the contract's names; `translateResult` reduces references to ids, and money to its parts. */
export const selectFields = (typeName: string, names: readonly string[]): string =>
  names.map((name) => selectField(typeName, name)).join(' ');

/** An object with one of these fields alone is a reference, or a part of an amount of money. */
const standIns = ['databaseId', 'amount', 'currency'];

/** The result of a selection by `selectFields`, with values as in the contract and lists without their connections. */
export const translateResult = (value: Json): Json => {
  if (Array.isArray(value)) return value.map(translateResult);
  if (typeof value !== 'object' || value === null) return value;
  const names = Object.keys(value);
  if (names.length === 1 && standIns.includes(names[0]!)) return value[names[0]!];
  if (names.join() === 'nodes') return translateResult(value.nodes);
  const isOutcome = (name: string): boolean => name === 'outcome' && value[name] !== null;
  return Object.fromEntries(
    names.map((name) => [name, isOutcome(name) ? value[name].toLowerCase() : translateResult(value[name])]),
  );
};
