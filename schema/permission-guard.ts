// Holds each root field to the permissions that it needs: its own, and those of the types that are selected below it.
import {
  defaultFieldResolver,
  type FieldNode,
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLResolveInfo,
  getNamedType,
  isInterfaceType,
  isObjectType,
  Kind,
  type SelectionNode,
  type SelectionSetNode,
} from 'graphql';
import { requirePermission } from '../src/authority.ts';
import type { Context } from '../src/context.ts';
import { findTypePermission, getOperationPermission, type PermissionName } from '../src/permissions.ts';

type Info = Pick<GraphQLResolveInfo, 'schema' | 'fragments' | 'variableValues'>;
type Condition = (variables: GraphQLResolveInfo['variableValues']) => boolean;

/** A permission, the selection that needs it, and the `@include` and `@skip` around that. */
interface Need {
  permission: PermissionName;
  what: string;
  conditions: readonly Condition[];
}

/** Users and roles that a document finds below the caller's own fields are the caller's. Those of others are below teams. */
const ownTypes: ReadonlySet<string> = new Set(['User', 'Role']);

const readConditions = ({ directives = [] }: SelectionNode): Condition[] =>
  directives.flatMap(({ name, arguments: [given] = [] }) => {
    if (given?.value.kind !== Kind.VARIABLE) return [];
    const variable = given.value.name.value;
    if (name.value === 'include') return [(variables) => variables[variable] === true];
    return name.value === 'skip' ? [(variables) => variables[variable] !== true] : [];
  });

/** The permission of a type. A connection has that of its records. */
const findPermission = (type: GraphQLObjectType): PermissionName | undefined => {
  const records = type.getFields().nodes;
  return findTypePermission(records ? getNamedType(records.type).name : type.name);
};

const listNeeds = (field: GraphQLField<unknown, Context>, nodes: readonly FieldNode[], info: Info): Need[] => {
  const own = getOperationPermission(field.name);
  const isOwn = own.startsWith('self.');
  // `node` gives null in place of a record that the caller may not see.
  const readsAny = field.name === 'node' || field.name === 'nodes';
  const needs: Need[] = [{ permission: own, what: field.name, conditions: [] }];
  const addType = (name: string, what: string, conditions: readonly Condition[]): void => {
    const type = info.schema.getType(name);
    const permission = isObjectType(type) ? findPermission(type) : undefined;
    if (!permission || permission === own || (isOwn && ownTypes.has(name))) return;
    const isKnown = needs.some((need) => need.permission === permission && need.conditions.length === 0);
    if (!isKnown) needs.push({ permission, what, conditions });
  };
  const visit = (set: SelectionSetNode, on: string, path: string, conditions: readonly Condition[]): void => {
    for (const selection of set.selections) {
      const around = [...conditions, ...readConditions(selection)];
      if (selection.kind !== Kind.FIELD) {
        const fragment = selection.kind === Kind.INLINE_FRAGMENT ? selection : info.fragments[selection.name.value]!;
        const name = fragment.typeCondition?.name.value ?? on;
        if (name !== on && !(readsAny && path === field.name)) addType(name, path, around);
        visit(fragment.selectionSet, name, path, around);
        continue;
      }
      const type = info.schema.getType(on);
      const below = isObjectType(type) || isInterfaceType(type) ? type.getFields()[selection.name.value] : undefined;
      if (!below || !selection.selectionSet) continue;
      const { name } = getNamedType(below.type);
      const place = `${path}.${selection.name.value}`;
      addType(name, place, around);
      visit(selection.selectionSet, name, place, around);
    }
  };
  const { name } = getNamedType(field.type);
  if (!readsAny) addType(name, field.name, []);
  for (const { selectionSet } of nodes) if (selectionSet) visit(selectionSet, name, field.name, []);
  return needs;
};

/** Makes a root field refuse callers without its permissions before it does anything. Throws for a field that is in no permission. */
export const guardRootField = (field: GraphQLField<unknown, Context>): void => {
  getOperationPermission(field.name);
  const known = new WeakMap<FieldNode, Need[]>();
  const { resolve = defaultFieldResolver } = field;
  field.resolve = (source, args, context, info) => {
    const [node] = info.fieldNodes;
    let needs = known.get(node!);
    if (!needs) {
      needs = listNeeds(field, info.fieldNodes, info);
      // Several nodes of one key may stand in one operation of a document and not in another.
      if (info.fieldNodes.length === 1) known.set(node!, needs);
    }
    for (const { permission, what, conditions } of needs) {
      if (conditions.every((holds) => holds(info.variableValues))) requirePermission(context.caller, permission, what);
    }
    return resolve(source, args, context, info);
  };
};
