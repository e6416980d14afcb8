// Limits the size of documents, and of subscriptions to one root field. It is measured before validation, so that an abusive document costs next to nothing.
import {
  type DocumentNode,
  GraphQLIncludeDirective,
  GraphQLSkipDirective,
  Kind,
  OperationTypeNode,
  type SelectionNode,
  type SelectionSetNode,
} from 'graphql';
import { limits } from '../limits/limits.ts';
import { indexFragments } from '../plan/price.ts';
import { Problem } from '../problem.ts';

const conditions = [GraphQLIncludeDirective.name, GraphQLSkipDirective.name];

/**
 * Throws a 400 when a root field of a subscription, or a fragment around it, has `@include` or `@skip`. GraphQL forbids it, and the library, which does not
 * check it, fails on such a document.
 */
const refuseConditionalRoots = (document: DocumentNode): void => {
  const fragments = indexFragments(document);
  const visited = new Set<string>();
  const check = (selections: readonly SelectionNode[]): void => {
    for (const selection of selections) {
      const found = selection.directives?.find(({ name }) => conditions.includes(name.value));
      if (found) {
        const { startToken } = found.loc!;
        const message = `must not be at the root of a subscription: its only field is always selected. Put the condition below that field (line ${startToken.line}, column ${startToken.column})`;
        throw new Problem('invalid-document', `@${found.name.value} ${message}`);
      }
      if (selection.kind === Kind.INLINE_FRAGMENT) check(selection.selectionSet.selections);
      if (selection.kind !== Kind.FRAGMENT_SPREAD || visited.has(selection.name.value)) continue;
      visited.add(selection.name.value);
      check(fragments.get(selection.name.value)?.selectionSet.selections ?? []);
    }
  };
  for (const definition of document.definitions)
    if (definition.kind === Kind.OPERATION_DEFINITION && definition.operation === OperationTypeNode.SUBSCRIPTION)
      check(definition.selectionSet.selections);
};

/** Levels that introspection may go deeper, as its standard query does. */
const introspectionBonus = 12;

interface Size {
  /** How often one selection repeats its most frequent key. Validation compares them pairwise. */
  repeats: number;
  fields: number;
  aliases: number;
  directives: number;
  depth: number;
}

const nothing = (): Size => ({ repeats: 0, fields: 0, aliases: 0, directives: 0, depth: 0 });

/** Adds the size of a selection. Selections below a field are one level deeper. */
const add = (size: Size, inner: Size, level: number): void => {
  size.repeats = Math.max(size.repeats, inner.repeats);
  size.fields += inner.fields;
  size.aliases += inner.aliases;
  size.directives += inner.directives;
  size.depth = Math.max(size.depth, inner.depth + level);
};

/** Throws a 400 that names the limit that a document exceeds, or the condition at the root of a subscription, on which validation fails. */
export const checkDocumentLimits = (document: DocumentNode): void => {
  const fragments = indexFragments(document);
  const known = new Map<string, Size>();
  const sizeOf = ({ selections }: SelectionSetNode): Size => {
    const size = nothing();
    const keys = new Map<string, number>();
    for (const selection of selections) {
      size.directives += selection.directives?.length ?? 0;
      if (selection.kind === Kind.FRAGMENT_SPREAD) add(size, fragmentSize(selection.name.value), 0);
      else if (selection.kind === Kind.INLINE_FRAGMENT) add(size, sizeOf(selection.selectionSet), 0);
      else {
        const key = (selection.alias ?? selection.name).value;
        keys.set(key, (keys.get(key) ?? 0) + 1);
        size.repeats = Math.max(size.repeats, keys.get(key)!);
        size.fields += 1;
        if (selection.alias) size.aliases += 1;
        const below = selection.selectionSet ? sizeOf(selection.selectionSet) : nothing();
        add(size, below, selection.name.value.startsWith('__') ? -Math.min(below.depth - 1, introspectionBonus) : 1);
      }
    }
    return size;
  };
  /** Each fragment is measured once, however often it is spread; one that spreads itself counts as empty. */
  const fragmentSize = (name: string): Size => {
    const measured = known.get(name);
    if (measured) return measured;
    known.set(name, nothing());
    const fragment = fragments.get(name);
    if (fragment) known.set(name, sizeOf(fragment.selectionSet));
    return known.get(name)!;
  };
  refuseOverLimit('fragments', fragments.size);
  for (const definition of document.definitions) {
    if (definition.kind !== Kind.OPERATION_DEFINITION) continue;
    refuseOverLimit('variables', definition.variableDefinitions?.length ?? 0);
    const size = sizeOf(definition.selectionSet);
    for (const limit of ['fields', 'aliases', 'repeats', 'directives', 'depth'] as const)
      refuseOverLimit(limit, size[limit]);
  }
  refuseConditionalRoots(document);
};

/** Throws a 400 when a count exceeds its limit. */
const refuseOverLimit = (limit: keyof Size | 'fragments' | 'variables', count: number): void => {
  const allowed = limits.document[limit];
  if (count > allowed)
    throw new Problem('query-too-large', `The document has ${count} ${limit}; at most ${allowed} are allowed`);
};
