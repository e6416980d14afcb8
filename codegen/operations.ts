// Prints the operations of a document one by one, each with the fragments that it needs.
import {
  type DocumentNode,
  type FragmentDefinitionNode,
  Kind,
  type OperationDefinitionNode,
  print,
  visit,
} from 'graphql';

export interface PrintedOperation {
  name: string;
  kind: 'query' | 'mutation' | 'subscription';
  text: string;
}

/** The operations of a document, in its order. */
export const printOperations = ({ definitions }: DocumentNode): PrintedOperation[] => {
  const fragments = new Map<string, FragmentDefinitionNode>();
  for (const definition of definitions)
    if (definition.kind === Kind.FRAGMENT_DEFINITION) fragments.set(definition.name.value, definition);
  return definitions.flatMap((definition) => {
    if (definition.kind !== Kind.OPERATION_DEFINITION) return [];
    const needed = new Set<string>();
    const collect = (node: OperationDefinitionNode | FragmentDefinitionNode): void => {
      visit(node, {
        FragmentSpread: ({ name: { value } }) => {
          if (needed.has(value)) return;
          needed.add(value);
          collect(fragments.get(value)!);
        },
      });
    };
    collect(definition);
    const text = [definition, ...[...needed].map((name) => fragments.get(name)!)].map(print).join('\n\n');
    return [{ name: definition.name!.value, kind: definition.operation, text }];
  });
};
