// Estimates how many records an operation may yield: the sizes of its pages and lists, multiplied down. Its price and its limit depend on it.
import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isInterfaceType,
  isListType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
  type ValueNode,
} from 'graphql';
import { indexFragments } from '../gate/price.ts';
import { limits, listSizes } from '../limits.ts';
import { Problem } from '../problem.ts';

type Variables = Record<string, unknown>;
/** A number that may depend on the variables of a request. */
type Count = number | ((variables: Variables) => number);

const plus = (a: Count, b: Count): Count =>
  typeof a === 'number' && typeof b === 'number' ? a + b : (variables) => countOf(a, variables) + countOf(b, variables);
const times = (a: Count, b: Count): Count =>
  typeof a === 'number' && typeof b === 'number' ? a * b : (variables) => countOf(a, variables) * countOf(b, variables);
const countOf = (count: Count, variables: Variables): number => (typeof count === 'number' ? count : count(variables));

/** The largest page. The rules of the argument refuse any other value. */
const { page: maxPage } = limits.list;
const pageSizes = ['first', 'last', 'limit'];

const sizeFrom = (value: unknown): number => {
  if (Array.isArray(value)) return value.length;
  return typeof value === 'number' && value >= 0 && value <= maxPage ? value : maxPage;
};

const constantOf = (value: ValueNode | undefined): unknown => {
  if (value?.kind === Kind.INT) return Number(value.value);
  return value?.kind === Kind.LIST ? value.values : undefined;
};

/** How many records an argument allows: the size of a page, or the length of the given list. */
const pageOf = (argument: GraphQLArgument, given: ValueNode | undefined, defaults: Map<string, unknown>): Count => {
  const fallback = argument.defaultValue ?? argument.extensions?.usualSize;
  if (given?.kind !== Kind.VARIABLE) return sizeFrom(given ? constantOf(given) : fallback);
  const name = given.name.value;
  return (variables) => sizeFrom(variables[name] ?? defaults.get(name) ?? fallback);
};

/** Average sizes of the lists of introspection, since a document asks for all of them at once. */
const introspectionSizes = (schema: GraphQLSchema): Record<string, number> => {
  const known = knownSizes.get(schema);
  if (known) return known;
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
  knownSizes.set(schema, sizes);
  return sizes;
};
const knownSizes = new WeakMap<GraphQLSchema, Record<string, number>>();

class Estimator {
  readonly #fragments: Map<string, FragmentDefinitionNode>;
  readonly #defaults: Map<string, unknown>;
  readonly #schema: GraphQLSchema;
  readonly #introspection: Record<string, number>;

  constructor(schema: GraphQLSchema, document: DocumentNode, operation: OperationDefinitionNode) {
    this.#schema = schema;
    this.#fragments = indexFragments(document);
    this.#introspection = introspectionSizes(schema);
    this.#defaults = new Map(
      (operation.variableDefinitions ?? []).map(({ variable, defaultValue }) => [
        variable.name.value,
        constantOf(defaultValue),
      ]),
    );
  }

  /** Records below one object of a type. `page` is the size of the page if the object is one; `aliases` is given below a list. */
  below(
    type: GraphQLObjectType,
    sets: readonly SelectionSetNode[],
    { page, aliases }: { page?: Count | undefined; aliases?: Map<string, number> | undefined } = {},
  ): Count {
    let sum: Count = 0;
    for (const nodes of this.#collect(sets).values()) {
      const [node] = nodes as [FieldNode];
      if (node.alias && aliases) this.#countAlias(`${type.name}.${node.name.value}`, aliases);
      const field = this.#fieldOf(type, node.name.value);
      const inner = field && getNamedType(field.type);
      if (!field || !isObjectType(inner)) continue;
      const own = this.#pageBelow(field, node);
      const isList = isListType(getNullableType(field.type));
      const size = isList ? this.#sizeOf(type, field, page ?? own) : 1;
      const isWrapper =
        (own !== undefined && !isList) ||
        (inner.getFields().node !== undefined && inner.getFields().cursor !== undefined);
      const sets = nodes.flatMap(({ selectionSet }) => selectionSet ?? []);
      const below = this.below(inner, sets, { page: own, aliases: isList ? (aliases ?? new Map()) : aliases });
      sum = plus(sum, times(size, plus(isWrapper ? 0 : 1, below)));
    }
    return sum;
  }

  #countAlias(field: string, aliases: Map<string, number>): void {
    const count = (aliases.get(field) ?? 0) + 1;
    aliases.set(field, count);
    const allowed = limits.document.aliasesBelowList;
    if (count > allowed)
      throw new Problem(
        'query-too-large',
        `The document has ${count} aliases of ${field} below a list; at most ${allowed} are allowed`,
      );
  }

  #fieldOf(type: GraphQLObjectType, name: string): GraphQLField<unknown, unknown> | undefined {
    if (name === '__schema' || name === '__type') {
      const named = name === '__schema' ? '__Schema' : '__Type';
      return { name, type: this.#schema.getType(named), args: [], extensions: {} } as never;
    }
    return type.getFields()[name];
  }

  #pageBelow({ args }: GraphQLField<unknown, unknown>, node: FieldNode): Count | undefined {
    const sizes = args.filter(({ name }) => pageSizes.includes(name));
    const findGiven = ({ name }: GraphQLArgument) => node.arguments?.find((one) => one.name.value === name)?.value;
    const given = sizes.filter((argument) => findGiven(argument));
    // A page has its first or its last records. Both count: one of them may be a variable that is null.
    if (given.length > 1)
      return given.map((argument) => pageOf(argument, findGiven(argument), this.#defaults)).reduce(plus);
    const argument = given[0] ?? sizes[0] ?? args.find(({ type }) => isListType(getNullableType(type)));
    return argument && pageOf(argument, findGiven(argument), this.#defaults);
  }

  #sizeOf(type: GraphQLObjectType, { name }: GraphQLField<unknown, unknown>, page: Count | undefined): Count {
    if (type.name.startsWith('__')) return this.#introspection[name] ?? 1;
    return listSizes[`${type.name}.${name}`] ?? page ?? maxPage;
  }

  /** The fields of these selections by their response key, with fragments expanded. */
  #collect(sets: readonly SelectionSetNode[], into = new Map<string, FieldNode[]>()): Map<string, FieldNode[]> {
    for (const selection of sets.flatMap(({ selections }) => selections)) {
      if (selection.kind === Kind.FIELD) {
        const key = (selection.alias ?? selection.name).value;
        into.set(key, [...(into.get(key) ?? []), selection]);
      } else {
        const fragment =
          selection.kind === Kind.INLINE_FRAGMENT ? selection : this.#fragments.get(selection.name.value)!;
        this.#collect([fragment.selectionSet], into);
      }
    }
    return into;
  }
}

/**
 * How many records a valid operation may yield with these variables. Throws 400 when it has too many aliases of one field below a
 * list.
 */
export const estimateRecordCount = (
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
): ((variables: Variables) => number) => {
  const root = schema.getRootType(operation.operation)!;
  const count = new Estimator(schema, document, operation).below(root, [operation.selectionSet]);
  return (variables) => countOf(count, variables);
};
