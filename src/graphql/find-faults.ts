// Finds all faults in the variables and literals of an operation that was not executed because of them, and which variables can be coerced.
import {
  type ASTNode,
  type DocumentNode,
  type FieldNode,
  GraphQLError,
  type GraphQLInputField,
  type GraphQLInputType,
  getNullableType,
  isInputObjectType,
  isInputType,
  isListType,
  isNonNullType,
  Kind,
  type OperationDefinitionNode,
  typeFromAST,
  type ValueNode,
  valueFromASTUntyped,
} from 'graphql';
import { schema } from '../../schema/index.ts';
import type { Context } from '../context.ts';
import { addUnknownFaults, runFieldCheck } from '../input/all-faults.ts';
import { graphqlInput, type Input } from '../input/read-input.ts';
import { Pace } from '../limits/pace.ts';
import { listRootFields } from '../plan/price.ts';
import { createInvalidProblem, type Fault } from '../problem.ts';

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

type Variables = Record<string, unknown>;

/** Faults, and the root field or variable that has them. */
interface FaultyArgument {
  node: ASTNode;
  faults: Fault[];
}

/** A variable's place in the arguments of a root field, and its path in the argument. */
interface Use {
  input: Input;
  location: string;
  found: FaultyArgument;
}

/** The variables in a value, each with its path. */
const usesIn = (input: Input, type: GraphQLInputType, node: ValueNode, location: string): [string, Input, string][] => {
  const of = getNullableType(type);
  if (node.kind === Kind.VARIABLE) return [[node.name.value, input, location]];
  if (node.kind === Kind.LIST && isListType(of))
    return node.values.flatMap((item, index) =>
      usesIn({ ...input, extensions: {} }, of.ofType, item, `${location}[${index}]`),
    );
  if (node.kind === Kind.OBJECT && isInputObjectType(of))
    return node.fields.flatMap(({ name, value }) => {
      const field = of.getFields()[name.value]!;
      return usesIn(field, field.type, value, `${location}.${name.value}`);
    });
  return [];
};

/** The variables that were sent, and the defaults of the others. */
const withDefaults = ({ variableDefinitions = [] }: OperationDefinitionNode, sent: Variables): Variables =>
  Object.fromEntries(
    variableDefinitions.flatMap(({ variable: { name }, defaultValue }) => {
      if (sent[name.value] !== undefined) return [[name.value, sent[name.value]]];
      return defaultValue ? [[name.value, valueFromASTUntyped(defaultValue)]] : [];
    }),
  );

/** Reads the arguments of a root field by their types and rules, and runs the field's own check. */
const readField = async (
  operation: OperationDefinitionNode,
  node: FieldNode,
  variables: Variables,
  context: Context,
): Promise<{ found: FaultyArgument; uses: [string, Use][] }> => {
  const found: FaultyArgument = { node, faults: [] };
  const field = schema.getRootType(operation.operation)?.getFields()[node.name.value];
  if (!field) return { found, uses: [] };
  const read: Variables = {};
  const uses: [string, Use][] = [];
  for (const argument of field.args) {
    const sent = node.arguments?.find(({ name }) => name.value === argument.name)?.value;
    const value = sent && valueFromASTUntyped(sent, variables);
    const sentFor = { argument, location: argument.name, value };
    read[argument.name] = await graphqlInput.readInPieces(sentFor, found.faults, { parsed: true });
    if (sent)
      for (const [name, input, location] of usesIn(argument, argument.type, sent, argument.name))
        uses.push([name, { input, location, found }]);
  }
  if (found.faults.length > 0) addUnknownFaults(found.faults, await runFieldCheck(field, read, context));
  return { found, uses };
};

/**
 * The errors of an operation whose variables could not be coerced: one for each root field with faulty arguments, and for
 * each other variable, with all faults of each.
 */
export const findVariableFaults = async (
  document: DocumentNode,
  operation: OperationDefinitionNode,
  sent: Variables,
  context: Context,
): Promise<GraphQLError[]> => {
  const variables = withDefaults(operation, sent);
  const all: FaultyArgument[] = [];
  const uses = new Map<string, Use>();
  for (const node of listRootFields(document, operation)) {
    const { found, uses: ofField } = await readField(operation, node, variables, context);
    all.push(found);
    for (const [name, use] of ofField) if (!uses.has(name)) uses.set(name, use);
  }
  // A variable's type may be stricter than its argument's, and a variable may fill no root field.
  for (const definition of operation.variableDefinitions ?? []) {
    const { value: name } = definition.variable.name;
    const { input, location, found } = uses.get(name) ?? {
      input: undefined,
      location: name,
      found: { node: definition, faults: [] },
    };
    const faults: Fault[] = [];
    const type = typeFromAST(schema, definition.type as never) as GraphQLInputType;
    const argument = { ...input, name, type, defaultValue: undefined, extensions: input?.extensions ?? {} } as Input;
    await graphqlInput.readInPieces({ argument, location, value: variables[name] }, faults);
    addUnknownFaults(found.faults, faults);
    if (!all.includes(found)) all.push(found);
  }
  return all
    .filter(({ faults }) => faults.length > 0)
    .map(({ node, faults }) => {
      const { message, extensions } = createInvalidProblem(faults);
      return new GraphQLError(message, { nodes: [node], extensions });
    });
};
