// JSON Schemas of replies: what a stored operation selects, in the spellings of the wire, named after its fragments and types.
import {
  type FieldNode,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLSchema,
  getNullableType,
  isListType,
  isNonNullType,
  isObjectType,
  Kind,
  type SelectionNode,
} from 'graphql';
import { getOrMake } from '../../limits/cache-key.ts';
import { findOperation, indexFragments } from '../../plan/price.ts';
import { versionAlias } from '../etag.ts';
import { besideRecord, isLeftOut, orNull, type Shape } from '../routes/output.ts';
import type { Stored } from '../stored.ts';
import { type Components, describeLeaf, describeNullable, describeObject, type Json } from './components.ts';

/** A field of a reply, with the selections of all its occurrences. */
interface Selected {
  node: FieldNode;
  selections: SelectionNode[];
}

/** The properties of the data of a query, or of the payload of a mutation, after the changes of its shape. */
export const describeOutput = (
  schema: GraphQLSchema,
  { document, field, isMutation }: Stored,
  shape: Shape | undefined,
  components: Components,
): Record<string, Json> => {
  const fragments = indexFragments(document);

  const collect = (selections: readonly SelectionNode[], into = new Map<string, Selected>()): Map<string, Selected> => {
    for (const one of selections) {
      if (one.kind === Kind.FRAGMENT_SPREAD) collect(fragments.get(one.name.value)!.selectionSet.selections, into);
      if (one.kind !== Kind.FIELD) continue;
      const key = (one.alias ?? one.name).value;
      const known = getOrMake(into, key, () => ({ node: one, selections: [] }));
      known.selections.push(...(one.selectionSet?.selections ?? []));
    }
    into.delete(versionAlias);
    return into;
  };

  const describeValue = (
    type: GraphQLOutputType,
    selections: readonly SelectionNode[],
    below: Shape[string] | undefined,
    parent: string,
  ): Json => {
    if (typeof below === 'function') return below.schema as Json;
    const bare = getNullableType(type);
    if (isListType(bare)) return { type: 'array', items: describeValue(bare.ofType, selections, below, parent) };
    if (isObjectType(bare))
      return describeRecord(bare, selections, typeof below === 'object' ? below : undefined, parent);
    const leaf = describeLeaf(bare, components);
    return below === orNull ? describeNullable(leaf) : leaf;
  };

  const describeFields = (
    type: GraphQLObjectType,
    fields: Map<string, Selected>,
    below: Shape | undefined,
    name: string,
  ): Json => {
    const properties: Record<string, Json> = {};
    const required: string[] = [];
    for (const [key, { node, selections }] of fields) {
      const change = below?.[key];
      if (change === besideRecord) continue;
      const { type: of, description } = type.getFields()[node.name.value]!;
      properties[key] = { ...describeValue(of, selections, change, name), ...(description && { description }) };
      const leftOut = node.directives?.length || isLeftOut(change);
      if ((isNonNullType(of) && !leftOut) || change === orNull) required.push(key);
    }
    return describeObject(properties, required.sort());
  };

  /** A record is named after the fragment that it is, else after its type. One of a single field has no name. */
  const describeRecord = (
    type: GraphQLObjectType,
    selections: readonly SelectionNode[],
    below: Shape | undefined,
    parent: string,
  ): Json => {
    const fields = collect(selections);
    const spread = selections.filter((one) => one.kind === Kind.FRAGMENT_SPREAD);
    const others = selections.filter((one) => one.kind === Kind.FIELD && one.alias?.value !== versionAlias);
    const [first] = spread;
    if (first && spread.length === 1 && others.length === 0) {
      const { selectionSet } = fragments.get(first.name.value)!;
      const names = [first.name.value, `${parent}${first.name.value}`];
      return components.name(names, describeFragment(type, selectionSet.selections, below, names[0]!));
    }
    const names = [type.name, `${parent}${type.name}`].filter((name) => !components.isReserved(name));
    // A page is a part of the reply around it.
    const isNamed = fields.size > 1 && !/(Connection|List)$/.test(type.name);
    const described = describeFields(type, fields, below, isNamed ? type.name : parent);
    return isNamed ? components.name(names, { ...described, ...describeType(type) }) : described;
  };

  /** A fragment that adds fields to another one refers to it. */
  const describeFragment = (
    type: GraphQLObjectType,
    selections: readonly SelectionNode[],
    below: Shape | undefined,
    name: string,
  ): Json => {
    const [base, ...more] = selections;
    const own = collect(more);
    if (
      base?.kind === Kind.FRAGMENT_SPREAD &&
      more.length > 0 &&
      [...own.keys()].every((key) => !collect([base]).has(key))
    )
      return { allOf: [describeRecord(type, [base], below, name), describeFields(type, own, below, name)] };
    return { ...describeFields(type, collect(selections), below, name), ...describeType(type) };
  };

  const { selectionSet } = findOperation(document)!;
  const [root] = selectionSet.selections as readonly FieldNode[];
  const [type, { selections }] = isMutation
    ? [getNullableType(field.type) as GraphQLObjectType, root!.selectionSet!]
    : [schema.getQueryType()!, selectionSet];
  return describeFields(type, collect(selections), shape, '').properties as Record<string, Json>;
};

const describeType = ({ description }: GraphQLObjectType): Json => (description ? { description } : {});
