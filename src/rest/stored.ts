// Stored operations: the closed list of operations behind REST. Each is compiled when it is first used: all of them would take half the time of a start.
import {
  type DocumentNode,
  type ExecutionResult,
  type FieldNode,
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputType,
  type GraphQLSchema,
  Kind,
  type NamedTypeNode,
  type OperationDefinitionNode,
  OperationTypeNode,
  parse,
  typeFromAST,
  validate,
  valueFromAST,
} from 'graphql';
import { type CompiledQuery, compileQuery, isCompiledQuery } from 'graphql-jit';
import type { Context } from '../context.ts';
import { getOrMake } from '../limits/cache-key.ts';
import { type PlanJson, planJsonPassthrough } from '../plan/json-passthrough.ts';
import type { OutputShape } from '../plan/plan-selection.ts';
import { computeOperationPrice, findOperation } from '../plan/price.ts';
import { operations } from './routes/operations.ts';

type RunOperation = (context: Context, variables: Record<string, unknown>) => Promise<ExecutionResult>;

const compiled = (schema: GraphQLSchema, document: DocumentNode, name: string): CompiledQuery['query'] => {
  const result = compileQuery(schema, document, name);
  if (isCompiledQuery(result)) return result.query;
  throw new Error(`The operation ${name} does not compile`, { cause: result });
};

/** Compiles an operation with graphql-jit. It uses JSON written by PostgreSQL where `planJson` plans it. The document must be valid; throws when it cannot be compiled. */
const compileOperation = (
  schema: GraphQLSchema,
  document: DocumentNode,
  { name, planJson }: { name: string; planJson: PlanJson | undefined },
): RunOperation => {
  const query = compiled(schema, document, name);
  /** By the plan's document, of which there is one for each combination of directives. */
  const queriesOfPlans = new WeakMap<DocumentNode, CompiledQuery['query']>();
  return async (context, variables) => {
    const plan = planJson?.(variables, context);
    if (!plan) return query({}, context, variables) as Promise<ExecutionResult>;
    const ofPlan = getOrMake(queriesOfPlans, plan.document, () => compiled(plan.schema, plan.document, name));
    return ofPlan({}, { ...context, jsonPlans: plan.plans }, variables) as Promise<ExecutionResult>;
  };
};

export interface Stored {
  document: DocumentNode;
  /** Its price in points. */
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
  for (const [name, text] of Object.entries(operations) as [StoredName, string][]) {
    let value: Stored | undefined;
    const get = (): Stored => (value ??= storedOf(schema, name, text, wires.get(name)));
    Object.defineProperty(stored, name, { enumerable: true, get });
  }
  return stored;
};

const storedOf = (schema: GraphQLSchema, name: string, text: string, wire: OutputShape | undefined): Stored => {
  const document = parse(text, { noLocation: true });
  const [fault] = validate(schema, document);
  if (fault) throw new Error(`Stored operation ${name} is not valid`, { cause: fault });
  const operation = findOperation(document)!;
  const fields = schema.getRootType(operation.operation)!.getFields();
  const roots = operation.selectionSet.selections.map((selection) => {
    if (selection.kind !== Kind.FIELD) throw new Error('a stored operation selects root fields only');
    return { selection, field: fields[selection.name.value]! };
  });
  const isMutation = operation.operation === OperationTypeNode.MUTATION;
  // The wire shows the payload of a mutation in place of its result.
  const ofResult = isMutation && wire ? { [roots[0]!.field.name]: wire } : wire;
  return {
    document,
    cost: computeOperationPrice(schema, document, name),
    isMutation,
    arguments: argumentsOf(schema, operation, roots),
    field: roots[0]!.field,
    run: compileOperation(schema, document, {
      name,
      planJson: ofResult && planJsonPassthrough(schema, document, { wire: ofResult }),
    }),
  };
};

const standAlone = { description: undefined, deprecationReason: undefined, extensions: {}, astNode: undefined };

/** The argument that each variable fills; a variable of a directive stands for itself. */
const argumentsOf = (
  schema: GraphQLSchema,
  { variableDefinitions = [] }: OperationDefinitionNode,
  roots: readonly { selection: FieldNode; field: Stored['field'] }[],
): Record<string, GraphQLArgument> => {
  const filled: Record<string, GraphQLArgument> = {};
  for (const { variable, type, defaultValue } of variableDefinitions) {
    const own = typeFromAST(schema, type as NamedTypeNode) as GraphQLInputType;
    const fallback = defaultValue && valueFromAST(defaultValue, own);
    filled[variable.name.value] = { ...standAlone, name: variable.name.value, type: own, defaultValue: fallback };
  }
  for (const { selection, field } of roots) {
    for (const { name, value } of selection.arguments ?? []) {
      if (value.kind !== Kind.VARIABLE) continue;
      const argument = field.args.find((known) => known.name === name.value)!;
      const { type, defaultValue } = filled[value.name.value]!;
      filled[value.name.value] = { ...argument, type, defaultValue };
    }
  }
  return filled;
};
