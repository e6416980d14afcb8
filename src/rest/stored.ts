// Stored operations: the closed list of operations behind REST. Each is compiled when it is first used: all of them would take half the time of a start.

import {
  type DocumentNode,
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputType,
  type GraphQLSchema,
  Kind,
  type NamedTypeNode,
  OperationTypeNode,
  parse,
  typeFromAST,
  validate,
  valueFromAST,
} from 'graphql';
import type { Context } from '../context.ts';
import { planJsonPassthrough } from '../plan/json-passthrough.ts';
import type { OutputShape } from '../plan/plan-selection.ts';
import { computeOperationPrice, findOperation } from '../plan/price.ts';
import { compileOperation, type RunOperation } from './compile.ts';
import { operations } from './routes/operations.ts';

export interface Stored {
  document: DocumentNode;
  /** Its price in tokens. */
  cost: number;
  isMutation: boolean;
  /** The argument of a root field that each variable fills: its type, default and rules. */
  arguments: Record<string, GraphQLArgument>;
  /** Its root field. */
  field: GraphQLField<unknown, Context>;
  run: RunOperation;
}

export type StoredName = keyof typeof operations;

/** `wires` has the operations that PostgreSQL may answer as JSON, with the wire's changes of their records. Reading an operation for the first time compiles it. */
export const compileStoredOperations = (
  schema: GraphQLSchema,
  wires: ReadonlyMap<StoredName, OutputShape> = new Map(),
): Record<StoredName, Stored> => {
  const stored = {} as Record<StoredName, Stored>;
  for (const [name, text] of Object.entries(operations) as [StoredName, string][])
    Object.defineProperty(stored, name, {
      enumerable: true,
      configurable: true,
      get: () => {
        const value = storedOf(schema, name, text, wires.get(name));
        Object.defineProperty(stored, name, { value });
        return value;
      },
    });
  return stored;
};

const storedOf = (schema: GraphQLSchema, name: string, text: string, wire: OutputShape | undefined): Stored => {
  const document = parse(text, { noLocation: true });
  const [fault] = validate(schema, document);
  if (fault) throw new Error(`Stored operation ${name} is not valid`, { cause: fault });
  return {
    document,
    cost: computeOperationPrice(schema, document, name),
    isMutation: findOperation(document)!.operation === OperationTypeNode.MUTATION,
    arguments: argumentsOf(schema, document),
    field: fieldOf(schema, document),
    run: compileOperation(schema, document, {
      name,
      planJson: wire && planJsonPassthrough(schema, document, { wire }),
    }),
  };
};

const fieldOf = (schema: GraphQLSchema, document: DocumentNode): Stored['field'] => {
  const { operation, selectionSet } = findOperation(document)!;
  const [selection] = selectionSet.selections;
  if (selection?.kind !== Kind.FIELD) throw new Error('a stored operation selects root fields only');
  return schema.getRootType(operation)!.getFields()[selection.name.value]!;
};

/** The argument that each variable fills; a variable of a directive stands for itself. */
const argumentsOf = (schema: GraphQLSchema, document: DocumentNode): Record<string, GraphQLArgument> => {
  const operation = findOperation(document)!;
  const fields = schema.getRootType(operation.operation)!.getFields();
  const filled: Record<string, GraphQLArgument> = {};
  for (const { variable, type, defaultValue } of operation.variableDefinitions ?? []) {
    const own = typeFromAST(schema, type as NamedTypeNode) as GraphQLInputType;
    const fallback = defaultValue && valueFromAST(defaultValue, own);
    filled[variable.name.value] = variableOf(variable.name.value, own, fallback);
  }
  for (const selection of operation.selectionSet.selections) {
    if (selection.kind !== Kind.FIELD) throw new Error('a stored operation selects root fields only');
    for (const { name, value } of selection.arguments ?? []) {
      if (value.kind !== Kind.VARIABLE) continue;
      const argument = fields[selection.name.value]!.args.find((known) => known.name === name.value)!;
      const { type, defaultValue } = filled[value.name.value]!;
      filled[value.name.value] = { ...argument, type, defaultValue };
    }
  }
  return filled;
};

const variableOf = (name: string, type: GraphQLInputType, defaultValue: unknown): GraphQLArgument => ({
  name,
  type,
  defaultValue,
  description: undefined,
  deprecationReason: undefined,
  extensions: {},
  astNode: undefined,
});
