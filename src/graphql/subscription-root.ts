// Refuses subscriptions whose root field is there or not by a condition: there would be nothing to follow, or several things.
import {
  type DocumentNode,
  type GraphQLDirective,
  GraphQLIncludeDirective,
  GraphQLSkipDirective,
  Kind,
  OperationTypeNode,
  type SelectionNode,
} from 'graphql';
import { indexFragments } from '../plan/price.ts';
import { Problem } from '../problem.ts';

const conditions: ReadonlySet<string> = new Set(
  [GraphQLIncludeDirective, GraphQLSkipDirective].map(({ name }: GraphQLDirective) => name),
);

/**
 * Throws a 400 when a root field of a subscription, or a fragment around it, has `@include` or `@skip`. GraphQL forbids it, and the library, which does not
 * check it, fails on such a document.
 */
export const refuseConditionalRoots = (document: DocumentNode): void => {
  const fragments = indexFragments(document);
  const visited = new Set<string>();
  const check = (selections: readonly SelectionNode[]): void => {
    for (const selection of selections) {
      const found = selection.directives?.find(({ name }) => conditions.has(name.value));
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
