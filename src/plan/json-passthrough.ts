// JSON passthrough: where columns, relations and pages of records are selected, PostgreSQL writes their JSON and no resolver runs for them.
import { MapperKind, mapSchema } from '@graphql-tools/utils';
import {
  type DocumentNode,
  defaultFieldResolver,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLField,
  type GraphQLFieldConfig,
  type GraphQLNamedType,
  GraphQLNonNull,
  GraphQLObjectType,
  type GraphQLResolveInfo,
  GraphQLScalarType,
  type GraphQLSchema,
  getNamedType,
  getOperationAST,
  getVariableValues,
  isAbstractType,
  isCompositeType,
  isNonNullType,
  isObjectType,
  Kind,
  OperationTypeNode,
  type SelectionNode,
  type SelectionSetNode,
  TypeInfo,
  type VariableDefinitionNode,
  visit,
  visitWithTypeInfo,
} from 'graphql';
import { LRUCache } from 'lru-cache';
import type { Context } from '../context.ts';
import type { JsonPlan, RecordPlan, RelatedJson } from '../data/contact/field-json.ts';
import { ContactJsonQuery, type ContactText } from '../data/contact/json.ts';
import { missingRecord, type Projection } from '../data/noun/json-sql.ts';
import type { ConnectionPart, PageSource } from '../data/noun/page-json.ts';
import { createCacheKey } from '../limits/cache-key.ts';
import { Problem } from '../problem.ts';
import { planContactConnection, writeContactConnection } from './contact-connection-json.ts';
import { JsonText } from './json-text.ts';
import { getOperationNeeds, keepOperationNeeds } from './permission-needs.ts';
import { NeedsResolver, type OutputShape, SelectionPlanner, takeIdProjection } from './plan-selection.ts';
import { loadRelatedJson } from './related-json.ts';
import { twinSuffix } from './selection.ts';

const TextScalar = new GraphQLScalarType({ name: 'JsonText' });

/** Throws NeedsResolver when a required record is missing: the resolvers report it. */
const writeText = (text: string, version?: number): JsonText => {
  if (text.includes(missingRecord)) throw new NeedsResolver();
  return new JsonText(text, version);
};

const readText = (value: unknown): ContactText => {
  if (typeof value === 'object' && value !== null && 'json' in value) return value as ContactText;
  throw new TypeError(
    'The field must resolve to JSON text here: read contacts with a ContactReader, and other records by loadNode',
  );
};

/** The JSON of a record, or of a list of them. */
const writeRecords = (value: unknown): JsonText | null => {
  if (Array.isArray(value))
    return writeText(`[${value.map((item) => (item === null ? 'null' : readText(item).json)).join(',')}]`);
  if (value === null || value === undefined) return null;
  const { json, version } = readText(value);
  return writeText(json, version);
};

/** The JSON of a page. Faults of its arguments are left to the resolvers of a query, which tell them at the field that reads the page. */
const readPage = async (
  source: PageSource,
  parts: Projection<ConnectionPart>,
  { operation }: GraphQLResolveInfo,
): Promise<string> => {
  try {
    return await source.readJson(parts);
  } catch (error) {
    const isFault = error instanceof Problem && error.code === 'invalid-request';
    throw isFault && operation.operation === OperationTypeNode.QUERY ? new NeedsResolver() : error;
  }
};

type Config = GraphQLFieldConfig<unknown, Context>;

const writeRelated = async (context: Context, plan: RelatedJson, source: unknown): Promise<JsonText | null> => {
  const { rows, nullable } = plan;
  const row = source as Record<string, unknown>;
  const json = await loadRelatedJson(context, plan, row);
  if (json === null && !nullable) throw rows.createMissing?.(row[rows.by] as number) ?? new NeedsResolver();
  return json === null ? null : writeText(json);
};

/** The resolver of a twin: what the field would show, as JSON text. It throws at once what its resolver throws at once: so errors keep their order. */
const createTwinResolver = ({ resolve = defaultFieldResolver }: Config): Config['resolve'] => {
  return (source, args, context, info) => {
    const plan = context.jsonPlans?.get(info.fieldNodes[0]!);
    if (!plan) throw new Error(`There is no plan for ${info.fieldName}`);
    if ('rows' in plan) return writeRelated(context, plan, source);
    const write = async (found: unknown): Promise<JsonText | null> => {
      if ('page' in plan) return writeText(await readPage(found as PageSource, plan.page, info));
      return 'parts' in plan && plan.parts
        ? writeText(await writeContactConnection(found as never, plan.parts, info))
        : writeRecords(found);
    };
    return Promise.resolve(resolve(source, args, context, info)).then(write);
  };
};

/** Whether a field may be written as JSON; what is selected below it decides. */
const hasTwin = ({ extensions, type }: Pick<Config, 'extensions' | 'type'>): boolean => {
  const { json } = extensions ?? {};
  if (getNamedType(type).name === 'ContactConnection') return true;
  if (!json) return false;
  return (
    'contact' in json ||
    'connection' in json ||
    'records' in json ||
    'of' in json ||
    ('rows' in json && !json.comesAlong)
  );
};

const twinSchemas = new WeakMap<GraphQLSchema, GraphQLSchema>();

/** The schema with a second field beside each that may be written as JSON: `notes__json` is the text of `notes`. */
const getTwinSchema = (schema: GraphQLSchema): GraphQLSchema => {
  const known = twinSchemas.get(schema);
  if (known) return known;
  const twin = mapSchema(schema, {
    [MapperKind.OBJECT_TYPE]: (type) => {
      const config = type.toConfig();
      const twins = Object.entries(config.fields)
        .filter(([, field]) => hasTwin(field))
        .map(([name, field]): [string, Config] => [
          `${name}${twinSuffix}`,
          {
            ...field,
            type: isNonNullType(field.type) ? new GraphQLNonNull(TextScalar) : TextScalar,
            resolve: createTwinResolver(field),
          },
        ]);
      if (twins.length === 0) return undefined;
      return new GraphQLObjectType({ ...config, fields: { ...config.fields, ...Object.fromEntries(twins) } });
    },
  });
  twinSchemas.set(schema, twin);
  return twin;
};

interface CutOptions {
  schema: GraphQLSchema;
  planner: SelectionPlanner;
  plans: Map<FieldNode, JsonPlan>;
  /** Whether the keys are constants of the program. */
  trusted: boolean;
}

/** Selections without directives and fragments, in which the highest fields that PostgreSQL can write are replaced by their twins. */
class SelectionCutter {
  readonly #options: CutOptions;
  /** Contacts at two places of one connection or payload: one reader reads them, as rows. */
  readonly #asRows = new Set<FieldNode>();

  constructor(options: CutOptions) {
    this.#options = options;
  }

  cut(type: GraphQLObjectType, sets: readonly SelectionSetNode[], wire?: OutputShape): SelectionSetNode {
    const selections = [...this.#options.planner.collectFields(sets)].flatMap(([key, nodes]) =>
      this.#cutField(type, key, nodes, wire),
    );
    return { kind: Kind.SELECTION_SET, selections };
  }

  #cutField(
    type: GraphQLObjectType,
    key: string,
    nodes: readonly FieldNode[],
    wire: OutputShape | undefined,
  ): SelectionNode[] {
    const { value: name } = nodes[0]!.name;
    const field = type.getFields()[name];
    const below = field && getNamedType(field.type);
    // Introspection is left as it is.
    if (!field || !isCompositeType(below)) return [...nodes];
    const changed = wire?.[key];
    const wireBelow = wire && (typeof changed === 'object' ? changed : {});
    const sets = nodes.flatMap(({ selectionSet }) => selectionSet ?? []);
    const plan = this.#plan(field, nodes, wireBelow);
    // An error shows where each of the nodes is; the selections of all of them are below the first.
    const merge = (value: string, selectionSet: SelectionSetNode): FieldNode[] =>
      nodes.map((node, index) => ({
        ...node,
        name: { ...node.name, value },
        alias: node.alias ?? { kind: Kind.NAME, value: key },
        directives: [],
        selectionSet: index === 0 ? selectionSet : undefined,
      }));
    if (plan) {
      const selections = sets.flatMap(({ selections }) => selections);
      const merged = merge(`${name}${twinSuffix}`, { kind: Kind.SELECTION_SET, selections });
      this.#options.plans.set(merged[0]!, plan);
      return merged;
    }
    // The contact of a mutation is read once too, before its payload is resolved.
    if (below.name === 'ContactConnection' || type === this.#options.schema.getMutationType())
      this.#keepOneReader(sets);
    const selectionSet = isObjectType(below) ? this.cut(below, sets, wireBelow) : this.#cutAbstract(below.name, sets);
    return merge(name, selectionSet);
  }

  #keepOneReader(sets: readonly SelectionSetNode[]): void {
    const { planner } = this.#options;
    const listPlaces = (within: readonly SelectionSetNode[], name: string): FieldNode[][] =>
      [...planner.collectFields(within).values()].filter(([one]) => one!.name.value === name);
    const edges = listPlaces(sets, 'edges').flatMap((nodes) =>
      listPlaces(
        nodes.flatMap(({ selectionSet }) => selectionSet ?? []),
        'node',
      ),
    );
    const places = [...listPlaces(sets, 'nodes'), ...listPlaces(sets, 'contact'), ...edges];
    if (places.length > 1) for (const node of places.flat()) this.#asRows.add(node);
  }

  /** The selections of each object type that is named come first: the keys of its objects are in their order. */
  #cutAbstract(name: string, sets: readonly SelectionSetNode[]): SelectionSetNode {
    const { schema, planner } = this.#options;
    const abstract = schema.getType(name);
    if (!isAbstractType(abstract)) throw new Error(`${name} is no abstract type`);
    const named = new Set<string>();
    planner.collectFields(sets, (on) => {
      named.add(on);
      return true;
    });
    const ofObjects = [...named].flatMap((on): SelectionNode[] => {
      const type = schema.getType(on);
      if (!isObjectType(type)) return [];
      const fields = planner.collectFields(sets, (other) => other === on || other === name);
      const selections = [...fields].flatMap(([key, nodes]) => this.#cutField(type, key, nodes, undefined));
      return [
        {
          kind: Kind.INLINE_FRAGMENT,
          typeCondition: { kind: Kind.NAMED_TYPE, name: { kind: Kind.NAME, value: on } },
          selectionSet: { kind: Kind.SELECTION_SET, selections },
        },
      ];
    });
    const ofAll = [...planner.collectFields(sets, (on) => on === name).values()].flat();
    return { kind: Kind.SELECTION_SET, selections: [...ofObjects, ...ofAll] };
  }

  /** Plans the JSON of a record of each type that a field may yield. Throws NeedsResolver. */
  #planRecords(
    type: GraphQLNamedType,
    nodes: readonly FieldNode[],
    canWrite: (type: string) => boolean,
  ): ReadonlyMap<string, RecordPlan> {
    const types = isAbstractType(type) ? this.#options.schema.getPossibleTypes(type) : [type as GraphQLObjectType];
    const planOne = (one: GraphQLObjectType): RecordPlan =>
      this.#options.planner.planRecord(one, nodes, canWrite(one.name));
    return new Map(types.map((one) => [one.name, planOne(one)]));
  }

  #plan(
    field: GraphQLField<unknown, unknown>,
    nodes: readonly FieldNode[],
    wire: OutputShape | undefined,
  ): JsonPlan | undefined {
    const { planner, trusted } = this.#options;
    const { json } = field.extensions;
    const type = getNamedType(field.type);
    if (!hasTwin(field) || nodes.some((node) => this.#asRows.has(node))) return undefined;
    try {
      if (json && 'records' in json)
        return wire ? undefined : { records: this.#planRecords(type, nodes, json.records) };
      if (!isObjectType(type)) return undefined;
      if (json && 'contact' in json)
        return { contacts: new ContactJsonQuery(planner.planContact(type, nodes, wire), trusted) };
      // Legacy clients have pages of their own shape.
      if (wire) return undefined;
      if (type.name === 'ContactConnection') {
        const { contacts, parts } = planContactConnection(planner, field, nodes);
        return { contacts: new ContactJsonQuery(contacts, trusted), parts };
      }
      if (json && 'connection' in json) return { page: planner.planConnection(field, nodes) };
      if (!json || !('rows' in json || 'of' in json)) return undefined;
      const nullable = !isNonNullType(field.type);
      if (!('rows' in json && json.rows.createMissing)) planner.refuseRequired(json, nullable);
      const of = planner.planRow(type, nodes);
      if ('of' in json)
        return { key: json.of, rows: { by: 'id', buildSql: json.buildSql }, pick: json.pick, nullable, of };
      // The resolver reads nothing then.
      return json.rows.isOwner && takeIdProjection(of, json.rows.by) ? undefined : { ...json, nullable, of };
    } catch (error) {
      if (error instanceof NeedsResolver) return undefined;
      throw error;
    }
  }
}

/** An operation in which some fields are written as JSON. */
interface JsonPassthrough {
  schema: GraphQLSchema;
  document: DocumentNode;
  plans: ReadonlyMap<FieldNode, JsonPlan>;
  /** Whether all records are written so. */
  isWhole: boolean;
}

/** Chooses the fields that are written as JSON for these variables and this caller; undefined when there are none. */
export type PlanJson = (variables: Record<string, unknown>, context: Context) => JsonPassthrough | undefined;

interface PassthroughOptions {
  operationName?: string | null | undefined;
  /** The output shape of legacy clients, when the answer is for them. */
  wire?: OutputShape | undefined;
}

/** The plans of all documents of clients. */
const clientPlans = new LRUCache<string, { plan: JsonPassthrough | undefined }>({ max: 500 });
let documentCount = 0;

/** How to choose them for a document; undefined for a subscription. It must be valid. */
export const planJsonPassthrough = (
  schema: GraphQLSchema,
  document: DocumentNode,
  { operationName, wire }: PassthroughOptions = {},
): PlanJson | undefined => {
  const operation = getOperationAST(document, operationName);
  if (!operation || operation.operation === OperationTypeNode.SUBSCRIPTION) return undefined;
  const fragments: Record<string, FragmentDefinitionNode> = Object.create(null);
  for (const one of document.definitions) if (one.kind === Kind.FRAGMENT_DEFINITION) fragments[one.name.value] = one;
  const twin = getTwinSchema(schema);
  const { switches, nested, hasNestedLists } = readDependencies(schema, document);
  // The input of a mutation may be long: it is read by the executor alone.
  const definitions = (operation.variableDefinitions ?? []).filter(
    ({ variable: { name } }) => switches.includes(name.value) || nested.includes(name.value),
  );

  const prepare = (planner: SelectionPlanner): JsonPassthrough | undefined => {
    const plans = new Map<FieldNode, JsonPlan>();
    const cutter = new SelectionCutter({ schema, planner, plans, trusted: wire !== undefined });
    const selectionSet = cutter.cut(schema.getRootType(operation.operation)!, [operation.selectionSet], wire);
    if (plans.size === 0) return undefined;
    const cut = { ...operation, selectionSet };
    // The caller needs the permissions of the whole operation, also of selections that a twin replaces.
    keepOperationNeeds(cut, getOperationNeeds(schema, operation, fragments));
    const isWhole = selectionSet.selections.every(
      (one) => one.kind === Kind.FIELD && (!one.selectionSet || plans.has(one)),
    );
    const cutDocument = { kind: Kind.DOCUMENT, definitions: [cut, ...Object.values(fragments)] } as const;
    return { schema: twin, document: cutDocument, plans, isWhole };
  };

  const known = wire ? new LRUCache<string, { plan: JsonPassthrough | undefined }>({ max: 64 }) : clientPlans;
  const number = ++documentCount;
  return (variables, context) => {
    // The executor reports faults.
    const { coerced } = getVariableValues(schema, definitions, variables);
    if (!coerced) return undefined;
    const isFlag = ({ variable: { name } }: VariableDefinitionNode): boolean =>
      !switches.includes(name.value) || typeof coerced[name.value] === 'boolean';
    if (!definitions.every(isFlag)) return undefined;
    const key = createCacheKey(
      number,
      hasNestedLists ? context.caller.roleType : null,
      ...definitions.map(({ variable }) => JSON.stringify(coerced[variable.name.value]) ?? null),
    );
    const found = known.get(key);
    if (found) return found.plan;
    const isQuery = operation.operation === OperationTypeNode.QUERY;
    const plan = prepare(new SelectionPlanner(fragments, coerced, { context, mayRunAgain: isQuery }));
    known.set(key, { plan });
    return plan;
  };
};

/** The values that a plan depends on: the variables of directives and of nested arguments; the role of the caller, if a list is nested in a record. */
const readDependencies = (schema: GraphQLSchema, document: DocumentNode) => {
  const switches = new Set<string>();
  const nested = new Set<string>();
  let hasNestedLists = false;
  const typeInfo = new TypeInfo(schema);
  const isNested = (): boolean => {
    const parent = typeInfo.getParentType();
    return parent !== schema.getQueryType() && parent !== schema.getMutationType();
  };
  const visitor = visitWithTypeInfo(typeInfo, {
    Field: () => {
      hasNestedLists ||= typeInfo.getFieldDef()?.extensions.nestedList === true && isNested();
    },
    Variable: ({ name }) => {
      if (typeInfo.getDirective()) switches.add(name.value);
      // The definition of a variable has no argument around it.
      else if (typeInfo.getArgument() && isNested()) nested.add(name.value);
    },
  });
  visit(document, visitor);
  return { switches: [...switches], nested: [...nested], hasNestedLists };
};
