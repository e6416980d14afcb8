// JSON passthrough: where only columns and relations of records are selected, PostgreSQL writes their JSON and no resolver runs for them.
import { MapperKind, mapSchema } from '@graphql-tools/utils';
import {
  type DocumentNode,
  defaultFieldResolver,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLCompositeType,
  GraphQLNonNull,
  type GraphQLObjectType,
  GraphQLScalarType,
  type GraphQLSchema,
  getNamedType,
  getOperationAST,
  isCompositeType,
  isNonNullType,
  isObjectType,
  isUnionType,
  Kind,
  type OperationDefinitionNode,
  OperationTypeNode,
  type SelectionNode,
  type SelectionSetNode,
  valueFromASTUntyped,
  visit,
} from 'graphql';
import { createCacheKey } from '../cache-key.ts';
import { ContactJsonQuery, type ContactText } from '../data/contact/json.ts';
import { JsonText } from './json-text.ts';
import { getOperationNeeds, keepOperationNeeds } from './permission-needs.ts';
import { type OutputShape, planContactProjection } from './projection.ts';

const TextScalar = new GraphQLScalarType({ name: 'RecordsAsText', serialize: (value) => value });

const isContactText = (value: unknown): value is ContactText =>
  typeof value === 'object' && value !== null && 'json' in value && typeof value.json === 'string';

const readText = (value: unknown): ContactText => {
  if (isContactText(value)) return value;
  throw new TypeError(
    'A field with jsonPassthrough must resolve to JSON text here: read its records with a ContactReader',
  );
};

/** Unwraps the JSON of a record, or of a list of them. */
const unwrapJson = (value: unknown): JsonText | null => {
  if (Array.isArray(value)) return new JsonText(`[${value.map((item) => readText(item).json).join(',')}]`);
  if (value === null || value === undefined) return null;
  const { json, version } = readText(value);
  return new JsonText(json, version);
};

const passthroughSchemas = new WeakMap<GraphQLSchema, GraphQLSchema>();

/** The schema with a scalar in place of each record that can be passed through. */
const getPassthroughSchema = (schema: GraphQLSchema): GraphQLSchema => {
  const known = passthroughSchemas.get(schema);
  if (known) return known;
  const twin = mapSchema(schema, {
    [MapperKind.OBJECT_FIELD]: (config) => {
      if (!config.extensions?.jsonPassthrough) return undefined;
      const { resolve = defaultFieldResolver } = config;
      return {
        ...config,
        type: isNonNullType(config.type) ? new GraphQLNonNull(TextScalar) : TextScalar,
        resolve: async (...args) => unwrapJson(await resolve(...args)),
      };
    },
  });
  passthroughSchemas.set(schema, twin);
  return twin;
};

/** A field whose records are passed through: its node in the changed document, the original node, and the output shape of legacy clients. */
interface PassthroughField {
  /** The key of the root field above it. */
  root: string;
  node: FieldNode;
  selected: FieldNode;
  type: GraphQLObjectType;
  wire: OutputShape | undefined;
}

interface Cutting {
  schema: GraphQLSchema;
  fragments: Record<string, FragmentDefinitionNode>;
  wanted: PassthroughField[];
}

/**
 * The selections without those below passthrough fields, fragments expanded; these fields are added to `wanted`. Undefined when a field of an
 * interface leads to records: which of them can be passed through depends on the object.
 */
const cutSelections = (
  set: SelectionSetNode,
  type: GraphQLCompositeType,
  around: Cutting,
  wire: OutputShape | undefined,
  root?: string,
): SelectionSetNode | undefined => {
  const { schema, fragments, wanted } = around;
  const selections: SelectionNode[] = [];
  for (const selection of set.selections) {
    if (selection.kind !== Kind.FIELD) {
      const fragment = selection.kind === Kind.INLINE_FRAGMENT ? selection : fragments[selection.name.value]!;
      const { typeCondition } = fragment;
      const narrowed = typeCondition && schema.getType(typeCondition.name.value);
      const on = !isObjectType(type) && isCompositeType(narrowed) ? narrowed : type;
      const selectionSet = cutSelections(fragment.selectionSet, on, around, wire, root);
      if (!selectionSet) return undefined;
      selections.push({ kind: Kind.INLINE_FRAGMENT, typeCondition, selectionSet, directives: selection.directives });
      continue;
    }
    const field = isUnionType(type) ? undefined : type.getFields()[selection.name.value];
    const below = field && getNamedType(field.type);
    // Introspection is left as it is.
    if (!selection.selectionSet || !isCompositeType(below)) {
      selections.push(selection);
      continue;
    }
    if (!isObjectType(type)) return undefined;
    const key = (selection.alias ?? selection.name).value;
    const changed = wire?.[key];
    const wireBelow = wire && (typeof changed === 'object' ? changed : {});
    if (field!.extensions.jsonPassthrough) {
      const node = { ...selection, selectionSet: undefined };
      wanted.push({ root: root ?? key, node, selected: selection, type: below as GraphQLObjectType, wire: wireBelow });
      selections.push(node);
      continue;
    }
    const selectionSet = cutSelections(selection.selectionSet, below, around, wireBelow, root ?? key);
    if (!selectionSet) return undefined;
    selections.push({ ...selection, selectionSet });
  }
  return { ...set, selections };
};

/** The variables of directives, which decide what is selected, with their defaults. */
const listSwitches = (document: DocumentNode, operation: OperationDefinitionNode): Map<string, unknown> => {
  const names = new Set<string>();
  visit(document, {
    Directive: ({ arguments: args }) => {
      for (const { value } of args ?? []) if (value.kind === Kind.VARIABLE) names.add(value.name.value);
    },
  });
  return new Map(
    (operation.variableDefinitions ?? [])
      .filter(({ variable }) => names.has(variable.name.value))
      .map(({ variable, defaultValue }) => [variable.name.value, defaultValue && valueFromASTUntyped(defaultValue)]),
  );
};

/** A query whose records can be passed through. */
export interface JsonPassthrough {
  schema: GraphQLSchema;
  document: DocumentNode;
  /** The query of each field's records; undefined when, with these variables, they need resolvers. */
  findQueries(variables: Record<string, unknown>): ReadonlyMap<FieldNode, ContactJsonQuery> | undefined;
}

interface PassthroughOptions {
  operationName?: string | null | undefined;
  /** The output shape of legacy clients, when the answer is for them. */
  wire?: OutputShape | undefined;
}

/** More combinations of these variables than clients use. */
const maxCombinations = 64;

/** The same query with records passed through; undefined when it has none. Its document must be valid. */
export const planJsonPassthrough = (
  schema: GraphQLSchema,
  document: DocumentNode,
  { operationName, wire }: PassthroughOptions = {},
): JsonPassthrough | undefined => {
  const operation = getOperationAST(document, operationName);
  if (operation?.operation !== OperationTypeNode.QUERY) return undefined;
  const fragments: Cutting['fragments'] = {};
  for (const one of document.definitions) if (one.kind === Kind.FRAGMENT_DEFINITION) fragments[one.name.value] = one;
  const wanted: PassthroughField[] = [];
  const queryType = schema.getQueryType()!;
  const selectionSet = cutSelections(operation.selectionSet, queryType, { schema, fragments, wanted }, wire);
  // A root field has one text: selections in two places are left to the resolvers.
  const roots = new Set(wanted.map(({ root }) => root));
  if (!selectionSet || wanted.length === 0 || roots.size < wanted.length) return undefined;

  const switches = listSwitches(document, operation);
  const known = new Map<string, ReadonlyMap<FieldNode, ContactJsonQuery> | undefined>();
  const project = (variables: Record<string, unknown>): ReadonlyMap<FieldNode, ContactJsonQuery> | undefined => {
    const shown = new Map<FieldNode, ContactJsonQuery>();
    for (const { node, selected, type, wire } of wanted) {
      const projection = planContactProjection(type, selected, { fragments, variables }, wire);
      if (!projection) return undefined;
      shown.set(node, new ContactJsonQuery(projection, wire !== undefined));
    }
    return shown;
  };
  const cut = { ...operation, selectionSet };
  const twin = getPassthroughSchema(schema);
  // What is cut away needs its permissions too.
  keepOperationNeeds(twin, cut, getOperationNeeds(schema, operation, fragments));
  return {
    schema: twin,
    document: { kind: Kind.DOCUMENT, definitions: [cut] },
    findQueries: (variables) => {
      const values = [...switches].map(
        ([name, otherwise]) => [name, Object.hasOwn(variables, name) ? variables[name] : otherwise] as const,
      );
      const flags = values.flatMap(([, value]) => (typeof value === 'boolean' ? [value] : []));
      // The executor reports the fault.
      if (flags.length < values.length) return undefined;
      const key = createCacheKey(...flags);
      if (!known.has(key) && known.size < maxCombinations) known.set(key, project(Object.fromEntries(values)));
      return known.get(key);
    },
  };
};
