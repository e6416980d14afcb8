// Estimates how many records an operation may yield: the sizes of its pages and lists, multiplied down. Its price and its limit depend on it.
import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLArgument,
  type GraphQLCompositeType,
  type GraphQLField,
  type GraphQLInputType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isCompositeType,
  isInputObjectType,
  isInterfaceType,
  isListType,
  isObjectType,
  isUnionType,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
  type ValueNode,
  valueFromASTUntyped,
} from 'graphql';
import { createCacheKey } from '../limits/cache-key.ts';
import { limits, listSizes } from '../limits/limits.ts';
import { Problem } from '../problem.ts';
import { indexFragments } from './price.ts';

declare module 'graphql' {
  // biome-ignore lint/suspicious/noExplicitAny: the signature is graphql's own
  interface GraphQLFieldExtensions<_TSource, _TContext, _TArgs = any> {
    /** For a field that takes more work than its value shows: how many records it counts as. */
    worth?: number;
  }
}

type Variables = Record<string, unknown>;
/** The length of a page or of a list. It may depend on the variables of a request. */
type Size = number | ((variables: Variables) => number);
/** The length of the longest list of records that a client sends to a field; undefined when it sends none. */
type SentLength = (variables: Variables) => number | undefined;

/** How many records an operation may yield, and the field that yields most of them. */
export interface RecordEstimate {
  total: number;
  /** The response keys that lead to this field, such as `contacts.nodes.emails`, and how many records are its own. */
  largest: { path: string; count: number };
}

/** A field whose value is an object or a list of objects. */
interface ObjectField {
  key: string;
  parent: ObjectField | undefined;
  /** How many objects it yields for each object of its parent. */
  size: Size;
  /** Whether its objects count: connections, edges and payloads only carry records. */
  isRecord: boolean;
}

/** The facts of a field that the fields below it need. */
interface Surroundings {
  parent?: ObjectField;
  /** The size of the page, below a connection. */
  page?: Size | undefined;
  /** The length of the list that was sent to a mutation, for the lists of its payload. */
  sent?: SentLength | undefined;
  /** How often each field has an alias, below a list. */
  aliases?: Map<string, number> | undefined;
}

/** The largest page. The rules of the arguments refuse any other value. */
const { page: maxPage } = limits.list;
const pageArguments = ['first', 'last', 'limit'];
const clampPage = (value: unknown): number =>
  typeof value === 'number' && value >= 0 && value <= maxPage ? value : maxPage;

/** Whether a value of this type lists records: by their ids, or as input objects. Lists of texts do not. */
const listsRecords = (type: GraphQLInputType): boolean =>
  isListType(getNullableType(type)) && (isInputObjectType(getNamedType(type)) || getNamedType(type).name === 'ID');

/** The fields of an argument that is an input object, or the argument itself. */
const listInputs = ({ name, type }: GraphQLArgument): { path: string[]; type: GraphQLInputType }[] => {
  const named = getNullableType(type);
  return isInputObjectType(named)
    ? Object.values(named.getFields()).map((field) => ({ path: [name, field.name], type: field.type }))
    : [{ path: [name], type }];
};

const lengthAt = (value: unknown, path: readonly string[]): number | undefined => {
  // biome-ignore lint/suspicious/noExplicitAny: a value of any shape, as the client sent it
  const found = path.reduce((at: any, step) => at?.[step], value);
  // GraphQL reads a single value as a list of one.
  return Array.isArray(found) ? found.length : found == null ? undefined : 1;
};

const hasFields = (type: GraphQLCompositeType, ...names: string[]): boolean =>
  !isUnionType(type) && names.every((name) => Object.hasOwn(type.getFields(), name));
const isConnection = (type: GraphQLCompositeType): boolean =>
  ['nodes', 'edges', 'items'].some((name) => hasFields(type, name));
const isEdge = (type: GraphQLCompositeType): boolean => hasFields(type, 'node', 'cursor');

const introspectionSizes = new WeakMap<GraphQLSchema, Record<string, number>>();

/** The average size of each list of introspection: a document asks for the lists of all types at once. */
const estimateIntrospection = (schema: GraphQLSchema): Record<string, number> => {
  const measured = introspectionSizes.get(schema);
  if (measured) return measured;
  const types = Object.values(schema.getTypeMap());
  const fields = types.flatMap((type) =>
    isObjectType(type) || isInterfaceType(type) ? Object.values(type.getFields()) : [],
  );
  const args = fields.reduce((sum, field) => sum + field.args.length, 0);
  const sizes = {
    types: types.length,
    fields: Math.ceil(fields.length / types.length),
    args: Math.ceil(args / fields.length),
    directives: schema.getDirectives().length,
    inputFields: 2,
    enumValues: 2,
    interfaces: 1,
    possibleTypes: 1,
  };
  introspectionSizes.set(schema, sizes);
  return sizes;
};

class Estimator {
  /** In the order of the document: parents before the fields below them. */
  readonly fields: ObjectField[] = [];
  readonly #fragments: Map<string, FragmentDefinitionNode>;
  readonly #schema: GraphQLSchema;
  readonly #introspection: Record<string, number>;

  constructor(schema: GraphQLSchema, document: DocumentNode) {
    this.#schema = schema;
    this.#fragments = indexFragments(document);
    this.#introspection = estimateIntrospection(schema);
  }

  /** Adds the fields below an object of a type. */
  add(type: GraphQLCompositeType, sets: readonly SelectionSetNode[], around: Surroundings = {}): void {
    const { parent, aliases } = around;
    for (const { on, nodes } of this.#collect(type, sets).values()) {
      const [node] = nodes as [FieldNode];
      if (node.alias && aliases) countAlias(`${on.name}.${node.name.value}`, aliases);
      const field = this.#fieldOf(on, node.name.value);
      const inner = field && getNamedType(field.type);
      const { worth } = field?.extensions ?? {};
      if (worth !== undefined)
        this.fields.push({ key: (node.alias ?? node.name).value, parent, size: worth, isRecord: true });
      if (!field || !isCompositeType(inner)) continue;
      const page = findPageSize(field, node);
      const isMutation = on === this.#schema.getMutationType();
      const sent = isMutation || on === this.#schema.getQueryType() ? findSentLength(field, node) : undefined;
      const isList = isListType(getNullableType(field.type));
      const isPayload = isMutation && !isList && !hasFields(inner, 'id');
      const own: ObjectField = {
        key: (node.alias ?? node.name).value,
        parent,
        size: isList ? (page ?? this.#sizeOf(on, field, { page: around.page, sent: sent ?? around.sent })) : 1,
        isRecord: !isConnection(inner) && !isEdge(inner) && !isPayload,
      };
      this.fields.push(own);
      this.add(
        inner,
        nodes.flatMap(({ selectionSet }) => selectionSet ?? []),
        {
          parent: own,
          page: isList ? undefined : page,
          sent: isPayload ? sent : undefined,
          aliases: isList ? (aliases ?? new Map()) : aliases,
        },
      );
    }
  }

  #fieldOf(type: GraphQLCompositeType, name: string): GraphQLField<unknown, unknown> | undefined {
    if (name === '__schema' || name === '__type') {
      const named = name === '__schema' ? '__Schema' : '__Type';
      return { name, type: this.#schema.getType(named), args: [], extensions: {} } as never;
    }
    return isUnionType(type) ? undefined : type.getFields()[name];
  }

  /** The length of a list that has no page arguments of its own. */
  #sizeOf(type: GraphQLCompositeType, { name }: GraphQLField<unknown, unknown>, { page, sent }: Surroundings): Size {
    if (type.name.startsWith('__')) return this.#introspection[name] ?? 1;
    const assumed = listSizes[`${type.name}.${name}`];
    if (!sent) return assumed ?? page ?? maxPage;
    return (variables) => {
      const length = sent(variables);
      return length === undefined ? (assumed ?? maxPage) : Math.max(assumed ?? 0, length);
    };
  }

  /**
   * The fields of these selections by their response key, with fragments expanded. Below an interface or a union, fragments on different types are
   * separate: their fields add up, though an object has only one type.
   */
  #collect(
    on: GraphQLCompositeType,
    sets: readonly SelectionSetNode[],
    into = new Map<string, { on: GraphQLCompositeType; nodes: FieldNode[] }>(),
  ): Map<string, { on: GraphQLCompositeType; nodes: FieldNode[] }> {
    for (const selection of sets.flatMap(({ selections }) => selections)) {
      if (selection.kind === Kind.FIELD) {
        const key = createCacheKey(on.name, (selection.alias ?? selection.name).value);
        const known = into.get(key);
        if (known) known.nodes.push(selection);
        else into.set(key, { on, nodes: [selection] });
      } else {
        const { typeCondition, selectionSet } =
          selection.kind === Kind.INLINE_FRAGMENT ? selection : this.#fragments.get(selection.name.value)!;
        const narrowed = typeCondition && this.#schema.getType(typeCondition.name.value);
        const type = !isObjectType(on) && isCompositeType(narrowed) ? narrowed : on;
        this.#collect(type, [selectionSet], into);
      }
    }
    return into;
  }
}

const countAlias = (field: string, aliases: Map<string, number>): void => {
  const count = (aliases.get(field) ?? 0) + 1;
  aliases.set(field, count);
  const allowed = limits.document.aliasesBelowList;
  if (count > allowed)
    throw new Problem(
      'query-too-large',
      `The document has ${count} aliases of ${field} below a list; at most ${allowed} are allowed`,
    );
};

const evaluate = (size: Size, variables: Variables): number => (typeof size === 'number' ? size : size(variables));

const findValue = (node: FieldNode, { name }: GraphQLArgument): ValueNode | undefined =>
  node.arguments?.find((one) => one.name.value === name)?.value;

/** The size of a page by the arguments of its field; undefined for a field without such arguments. */
const findPageSize = ({ args }: GraphQLField<unknown, unknown>, node: FieldNode): Size | undefined => {
  const sizes = args.filter(({ name }) => pageArguments.includes(name));
  const [main] = sizes;
  if (!main) return undefined;
  const usual = clampPage(main.defaultValue ?? main.extensions?.usualSize);
  const given = sizes.map((argument) => ({ value: findValue(node, argument), fallback: argument.defaultValue }));
  const compute = (variables: Variables): number => {
    const counts = given.flatMap(({ value, fallback }) => {
      const sent = value && valueFromASTUntyped(value, variables);
      const count = sent === undefined ? fallback : sent;
      return count == null ? [] : [clampPage(count)];
    });
    // A page has its first or its last records. The rules refuse a request for both.
    return counts.length > 0 ? Math.max(...counts) : usual;
  };
  return given.some(({ value }) => value?.kind === Kind.VARIABLE) ? compute : compute({});
};

/** The length of the list of records that is sent to a field, as an argument or as a field of an input object. */
const findSentLength = ({ args }: GraphQLField<unknown, unknown>, node: FieldNode): SentLength | undefined => {
  const paths = args.flatMap(listInputs).flatMap(({ path, type }) => (listsRecords(type) ? [path] : []));
  if (paths.length === 0) return undefined;
  return (variables) => {
    const sent = Object.fromEntries(
      (node.arguments ?? []).map(({ name, value }) => [name.value, valueFromASTUntyped(value, variables)]),
    );
    const lengths = paths.flatMap((path) => lengthAt(sent, path) ?? []);
    return lengths.length > 0 ? Math.max(...lengths) : undefined;
  };
};

const formatPath = ({ key, parent }: ObjectField): string => (parent ? `${formatPath(parent)}.${key}` : key);

const countRecords = (fields: readonly ObjectField[], variables: Variables): RecordEstimate => {
  const counts = new Map<ObjectField | undefined, number>([[undefined, 1]]);
  let total = 0;
  let largest: { field?: ObjectField; count: number } = { count: 0 };
  for (const field of fields) {
    const count = counts.get(field.parent)! * evaluate(field.size, variables);
    counts.set(field, count);
    if (!field.isRecord) continue;
    total += count;
    if (count > largest.count) largest = { field, count };
  }
  return { total, largest: { path: largest.field ? formatPath(largest.field) : '', count: largest.count } };
};

/**
 * How many records a valid operation may yield with these variables. Throws 400 when it has too many aliases of one field below a
 * list.
 */
export const estimateRecordCount = (
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
): ((variables: Variables) => RecordEstimate) => {
  const estimator = new Estimator(schema, document);
  estimator.add(schema.getRootType(operation.operation)!, [operation.selectionSet]);
  const { fields } = estimator;
  const definitions = operation.variableDefinitions ?? [];
  if (fields.every(({ size }) => typeof size === 'number')) {
    const estimate = countRecords(fields, {});
    return () => estimate;
  }
  const defaults = Object.fromEntries(
    definitions.flatMap(({ variable, defaultValue }) =>
      defaultValue ? [[variable.name.value, valueFromASTUntyped(defaultValue)]] : [],
    ),
  );
  return (variables) => countRecords(fields, { ...defaults, ...variables });
};
