// Plans the JSON projection of a selection on a contact from the fields of the graph; undefined where a resolver is needed.
import {
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLField,
  GraphQLIncludeDirective,
  type GraphQLObjectType,
  GraphQLSkipDirective,
  getDirectiveValues,
  getNamedType,
  isEnumType,
  isLeafType,
  isObjectType,
  Kind,
  type SelectionNode,
  type SelectionSetNode,
} from 'graphql';
import type { ContactProjection, JsonRelation, RelationUse } from '../data/contact/json-plan.ts';
import type { Leaf, JsonKind as LeafKind, Member, Projection } from '../data/contact/json-sql.ts';

declare module 'graphql' {
  // biome-ignore lint/suspicious/noExplicitAny: the signature is graphql's own
  interface GraphQLFieldExtensions<_TSource, _TContext, _TArgs = any> {
    /** The relation of a contact that the field shows, and how; its resolver does the same with rows. */
    part?: Omit<RelationUse, 'of'> & { column?: string };
    /** The relation that has the same records as a page of the connection without arguments. */
    pageOf?: JsonRelation;
    /** Whether the resolvers around the field accept its records as JSON. */
    jsonPassthrough?: true;
  }
}

/** How the output differs for legacy clients: a changed value, `or null` where null is sent, `apart` for values that are no part of the record. */
export interface OutputShape {
  [field: string]: OutputShape | Change | 'or null' | 'apart';
}
type Change = ((value: never) => unknown) & { kind?: LeafKind };

export interface SelectionContext {
  fragments: Record<string, FragmentDefinitionNode>;
  variables: Record<string, unknown>;
}

/** Whether the directives of a selection include it. */
const isIncluded = ({ directives }: SelectionNode, { variables }: Pick<SelectionContext, 'variables'>): boolean => {
  if (!directives?.length) return true;
  const node = { directives };
  return (
    getDirectiveValues(GraphQLSkipDirective, node, variables)?.if !== true &&
    getDirectiveValues(GraphQLIncludeDirective, node, variables)?.if !== false
  );
};

/** The fields of these selections by their response key; fragments expanded. */
const collectFields = (
  sets: readonly SelectionSetNode[],
  selecting: SelectionContext,
  into = new Map<string, FieldNode[]>(),
): Map<string, FieldNode[]> => {
  for (const selection of sets.flatMap(({ selections }) => selections)) {
    if (!isIncluded(selection, selecting)) continue;
    if (selection.kind === Kind.FIELD) {
      const key = (selection.alias ?? selection.name).value;
      into.set(key, [...(into.get(key) ?? []), selection]);
    } else {
      const fragment = selection.kind === Kind.INLINE_FRAGMENT ? selection : selecting.fragments[selection.name.value]!;
      collectFields([fragment.selectionSet], selecting, into);
    }
  }
  return into;
};

const leafKinds: Record<string, LeafKind> = {
  Int: 'number',
  Float: 'number',
  SafeInt: 'number',
  String: 'text',
  Boolean: 'boolean',
  DateTime: 'instant',
  Date: 'day',
};

const planLeaf = (
  { type, extensions }: GraphQLField<unknown, unknown>,
  column: unknown,
  written: LeafKind | undefined,
): Leaf | undefined => {
  if (extensions.globalIdOf)
    return { column: 'id', kind: 'number', nullable: false, globalIdOf: extensions.globalIdOf };
  const named = getNamedType(type);
  const isPlain = isEnumType(named) && named.getValues().every(({ name, value }) => name === value);
  const kind = written ?? (isPlain ? 'text' : leafKinds[named.name]);
  if (typeof column !== 'string' || !kind || extensions.pothosResolveWrapped) return undefined;
  return { column, kind, nullable: !type.toString().endsWith('!') };
};

/** Thrown where a field is more than a column or a relation. */
class NeedsResolver extends Error {}

const planMembers = (
  type: GraphQLObjectType,
  sets: readonly SelectionSetNode[],
  selecting: SelectionContext,
  wire: OutputShape | undefined,
): ContactProjection => {
  const members: Member<Leaf | RelationUse>[] = [];
  for (const [key, nodes] of collectFields(sets, selecting)) {
    const changed = wire?.[key];
    if (changed === 'apart') continue;
    const nulls = !wire || changed === 'or null';
    const { name, arguments: args } = nodes[0]!;
    const field = type.getFields()[name.value];
    if (name.value === '__typename') members.push({ key, nulls, value: { constant: `"${type.name}"` } });
    else if (!field || args?.length) throw new NeedsResolver();
    else {
      const below = wire && (typeof changed === 'object' || typeof changed === 'function' ? changed : {});
      members.push({ key, nulls, value: planField(field, nodes, selecting, below) });
    }
  }
  // Directives may leave out all of a selection, and SQL has no expression for no columns.
  if (members.length === 0) throw new NeedsResolver();
  return members;
};

/** A page of a connection of which only the records are selected. */
const planPage = (
  { type, extensions }: GraphQLField<unknown, unknown>,
  nodes: readonly FieldNode[],
  selecting: SelectionContext,
): RelationUse => {
  const [selected, ...others] = collectFields(
    nodes.flatMap(({ selectionSet }) => selectionSet ?? []),
    selecting,
  );
  const connection = getNamedType(type) as GraphQLObjectType;
  if (!selected || others.length > 0 || selected[1][0]!.name.value !== 'nodes') throw new NeedsResolver();
  const [within, records] = selected;
  const item = getNamedType(connection.getFields().nodes!.type) as GraphQLObjectType;
  const of = planMembers(
    item,
    records.flatMap(({ selectionSet }) => selectionSet ?? []),
    selecting,
    undefined,
  );
  if (of.some(({ value }) => 'part' in value)) throw new NeedsResolver();
  return { part: extensions.pageOf!, pick: 'all', within, of: of as Projection };
};

const planField = (
  field: GraphQLField<unknown, unknown>,
  nodes: readonly FieldNode[],
  selecting: SelectionContext,
  wire: OutputShape | Change | undefined,
): Leaf | RelationUse => {
  const { part, pageOf, pothosExposedField } = field.extensions;
  if (pageOf) return planPage(field, nodes, selecting);
  const named = getNamedType(field.type);
  if (typeof wire === 'function' && !wire.kind) throw new NeedsResolver();
  const written = typeof wire === 'function' ? wire.kind : undefined;
  const of = isLeafType(named)
    ? planLeaf(field, part ? part.column : pothosExposedField, written)
    : isObjectType(named) && part
      ? planMembers(
          named,
          nodes.flatMap(({ selectionSet }) => selectionSet ?? []),
          selecting,
          wire as OutputShape | undefined,
        )
      : undefined;
  if (!of) throw new NeedsResolver();
  if (!part) return of as Leaf;
  const { column: _, ...use } = part;
  if (Array.isArray(of) && (of as ContactProjection).some(({ value }) => 'part' in value)) throw new NeedsResolver();
  return { ...use, of: of as Leaf | Projection };
};

/** The projection of the selection below this field; undefined where a resolver is needed. */
export const planContactProjection = (
  type: GraphQLObjectType,
  node: FieldNode,
  selecting: SelectionContext,
  wire: OutputShape | undefined,
): ContactProjection | undefined => {
  try {
    return planMembers(type, [node.selectionSet!], selecting, wire);
  } catch (error) {
    if (error instanceof NeedsResolver) return undefined;
    throw error;
  }
};
