// Holds each root field to the permissions that it needs: its own, and those of the types that are selected below it.
import {
  type DirectiveNode,
  type FragmentDefinitionNode,
  type GraphQLObjectType,
  type GraphQLSchema,
  getNamedType,
  isInterfaceType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  type OperationTypeNode,
  type SelectionSetNode,
} from 'graphql';
import type { Field, Step } from '../context.ts';
import { createCacheKey } from '../limits/cache-key.ts';
import { requirePermission } from '../permissions/authority.ts';
import { findTypePermission, getOperationPermission, type PermissionName } from '../permissions/permissions.ts';

declare module 'graphql' {
  // biome-ignore lint/suspicious/noExplicitAny: the signature is graphql's own
  interface GraphQLFieldExtensions<_TSource, _TContext, _TArgs = any> {
    /**
     * Whether the record is the caller's own, so that its type needs no permission at this place: `always` where the resolver sees to it,
     * `with-parent` where it is when the parent is. Fields below it need theirs.
     */
    ownRecord?: 'always' | 'with-parent';
    /** Whether records that the caller may not see are left out, so that fragments on their types need no permission right below it. */
    leavesOutForbidden?: true;
  }
}

/** A selection is left out when the variable has this value: false for `@include`, true for `@skip`. */
interface Condition {
  variable: string;
  leftOutBy: boolean;
}

/** A permission, the place that needs it (`contact.donations`), and the directives around that place. */
interface Need {
  permission: PermissionName;
  place: string;
  conditions: readonly Condition[];
}

/** The needs of each root field of an operation, by its response key. Fields of one key are one field, as in execution. */
type OperationNeeds = ReadonlyMap<string, readonly Need[]>;

type Fragments = Readonly<Record<string, FragmentDefinitionNode>>;

/** The place of a selection. */
interface Place {
  path: string;
  on: string;
  conditions: readonly Condition[];
  isOwn: boolean;
  /** Whether it is right below a field that leaves out records that the caller may not see, as `node` and `nodes` do. */
  leavesOut: boolean;
}

/** The conditions of a selection; `never` when its directives leave it out whatever the variables. */
const readConditions = (directives: readonly DirectiveNode[] = []): readonly Condition[] | 'never' => {
  const conditions: Condition[] = [];
  for (const { name, arguments: args = [] } of directives) {
    const leftOutBy = name.value === 'skip';
    const given = args.find((argument) => argument.name.value === 'if')?.value;
    if (given?.kind === Kind.BOOLEAN && given.value === leftOutBy) return 'never';
    if (given?.kind === Kind.VARIABLE) conditions.push({ variable: given.name.value, leftOutBy });
  }
  return conditions;
};

/** The permission of a type. A connection has that of its records. */
const findPermission = (type: GraphQLObjectType): PermissionName | undefined => {
  const records = type.getFields().nodes;
  return findTypePermission(records ? getNamedType(records.type).name : type.name);
};

class NeedsList {
  readonly needs = new Map<string, Need[]>();
  readonly #schema: GraphQLSchema;
  readonly #fragments: Fragments;
  /** Each fragment is read once for each place that it can be in: documents can spread fragments in each other thousands of times. */
  readonly #read = new Set<string>();

  constructor(schema: GraphQLSchema, fragments: Fragments) {
    this.#schema = schema;
    this.#fragments = fragments;
  }

  addRoot(set: SelectionSetNode, type: GraphQLObjectType, conditions: readonly Condition[] = []): void {
    for (const selection of set.selections) {
      const own = readConditions(selection.directives);
      if (own === 'never') continue;
      const around = [...conditions, ...own];
      if (selection.kind !== Kind.FIELD) {
        const { selectionSet } =
          selection.kind === Kind.INLINE_FRAGMENT ? selection : this.#getFragment(selection.name.value);
        this.addRoot(selectionSet, type, around);
        continue;
      }
      const { value: name } = selection.name;
      const field = type.getFields()[name];
      if (!field) continue;
      const key = (selection.alias ?? selection.name).value;
      const below = getNamedType(field.type).name;
      const isOwn = field.extensions.ownRecord === 'always';
      const leavesOut = name === 'node' || name === 'nodes';
      this.#add(key, { permission: getOperationPermission(name), place: name, conditions: around });
      if (!isOwn) this.#addType(key, below, name, around);
      if (selection.selectionSet)
        this.#visit(key, selection.selectionSet, { path: name, on: below, conditions: around, isOwn, leavesOut });
    }
  }

  #visit(root: string, set: SelectionSetNode, place: Place): void {
    const { path, on, isOwn, leavesOut } = place;
    for (const selection of set.selections) {
      const conditions = readConditions(selection.directives);
      if (conditions === 'never') continue;
      const around = [...place.conditions, ...conditions];
      if (selection.kind === Kind.FIELD) {
        const type = this.#schema.getType(on);
        const field = isObjectType(type) || isInterfaceType(type) ? type.getFields()[selection.name.value] : undefined;
        if (!field || !selection.selectionSet) continue;
        const below = getNamedType(field.type).name;
        const within = `${path}.${selection.name.value}`;
        const { ownRecord } = field.extensions;
        const isOwnBelow = ownRecord === 'always' || (isOwn && ownRecord === 'with-parent');
        if (!isOwnBelow) this.#addType(root, below, within, around);
        const leavesOutBelow = field.extensions.leavesOutForbidden === true;
        const inner = { path: within, on: below, conditions: around, isOwn: isOwnBelow, leavesOut: leavesOutBelow };
        this.#visit(root, selection.selectionSet, inner);
        continue;
      }
      const isInline = selection.kind === Kind.INLINE_FRAGMENT;
      if (!isInline) {
        const key = createCacheKey(
          root,
          selection.name.value,
          on,
          isOwn,
          leavesOut,
          ...around.flatMap(({ variable, leftOutBy }) => [variable, leftOutBy]),
        );
        if (this.#read.has(key)) continue;
        this.#read.add(key);
      }
      const fragment = isInline ? selection : this.#getFragment(selection.name.value);
      const name = fragment.typeCondition?.name.value ?? on;
      if (name !== on && !leavesOut) this.#addType(root, name, path, around);
      this.#visit(root, fragment.selectionSet, { ...place, on: name, conditions: around });
    }
  }

  #getFragment(name: string): FragmentDefinitionNode {
    const found = this.#fragments[name];
    if (!found) throw new Error(`The document has no fragment ${name}`);
    return found;
  }

  #addType(root: string, name: string, place: string, conditions: readonly Condition[]): void {
    const type = this.#schema.getType(name);
    const permission = isObjectType(type) ? findPermission(type) : undefined;
    if (permission) this.#add(root, { permission, place, conditions });
  }

  #add(root: string, need: Need): void {
    const known = this.needs.get(root) ?? [];
    this.needs.set(root, known);
    const isKnown = known.some(
      ({ permission, conditions }) => permission === need.permission && conditions.length === 0,
    );
    if (!isKnown) known.push(need);
  }
}

/**
 * The needs of an operation in each schema. The needs depend on nothing but the operation, the fragments of its document and the schema, and no
 * two documents share the node of an operation. Nothing is kept by the nodes below it, which several selections can share.
 */
const known = new WeakMap<GraphQLSchema, WeakMap<OperationDefinitionNode, OperationNeeds>>();
const keptNeeds = new WeakMap<OperationDefinitionNode, OperationNeeds>();

/** Keeps the needs of a whole operation for one whose selections are cut for its execution. */
export const keepOperationNeeds = (cut: OperationDefinitionNode, needs: OperationNeeds): void => {
  keptNeeds.set(cut, needs);
};

/** The needs of an operation of a valid document. */
export const getOperationNeeds = (
  schema: GraphQLSchema,
  operation: OperationDefinitionNode,
  fragments: Fragments,
): OperationNeeds => {
  const operations = known.get(schema) ?? new WeakMap<OperationDefinitionNode, OperationNeeds>();
  known.set(schema, operations);
  const found = keptNeeds.get(operation) ?? operations.get(operation);
  if (found) return found;
  const list = new NeedsList(schema, fragments);
  list.addRoot(operation.selectionSet, schema.getRootType(operation.operation)!);
  operations.set(operation, list.needs);
  return list.needs;
};

/** Refuses callers without the permissions of a root field. Throws for a root field that is in no permission. */
export const planPermissions = ({ name }: Field, root?: OperationTypeNode): Step | undefined => {
  if (!root) return undefined;
  getOperationPermission(name);
  return (next) => (source, args, context, info) => {
    const { schema, operation, fragments, path, variableValues } = info;
    const needs = getOperationNeeds(schema, operation, fragments).get(String(path.key));
    if (!needs) throw new Error(`The needs of the root field ${path.key} are not known`);
    for (const { permission, place, conditions } of needs) {
      const isSelected = conditions.every(({ variable, leftOutBy }) => variableValues[variable] !== leftOutBy);
      if (isSelected) requirePermission(context.caller, permission, place);
    }
    return next(source, args, context, info);
  };
};
