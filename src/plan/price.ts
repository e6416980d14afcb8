// The price of a document: the sum over its root fields, aliases and fragments expanded (spec §8, and the extension on each field).
import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLSchema,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
} from 'graphql';

/** The operation that a request names, or the only one of the document. */
export const findOperation = (document: DocumentNode, name?: string | null): OperationDefinitionNode | undefined => {
  const operations = document.definitions.filter((definition) => definition.kind === Kind.OPERATION_DEFINITION);
  return name
    ? operations.find((operation) => operation.name?.value === name)
    : operations.length === 1
      ? operations[0]
      : undefined;
};

export const indexFragments = (document: DocumentNode): Map<string, FragmentDefinitionNode> =>
  new Map(
    document.definitions.flatMap((definition) =>
      definition.kind === Kind.FRAGMENT_DEFINITION ? [[definition.name.value, definition] as const] : [],
    ),
  );

/** Points that an operation costs: at least 1. Fields of one response key are one field, as in execution. */
export const computeOperationPrice = (
  schema: GraphQLSchema,
  document: DocumentNode,
  operationName?: string | null,
): number => {
  const operation = findOperation(document, operationName);
  const fields = operation && schema.getRootType(operation.operation)?.getFields();
  if (!operation || !fields) return 1;
  const fragments = indexFragments(document);
  const visited = new Set<string>();
  const costs = new Map<string, number>();
  const visit = ({ selections }: SelectionSetNode): void => {
    for (const selection of selections) {
      if (selection.kind === Kind.FIELD) {
        const cost = selection.name.value === '__typename' ? 0 : (fields[selection.name.value]?.extensions.cost ?? 1);
        costs.set((selection.alias ?? selection.name).value, cost);
      } else if (selection.kind === Kind.INLINE_FRAGMENT) {
        visit(selection.selectionSet);
      } else if (!visited.has(selection.name.value)) {
        visited.add(selection.name.value);
        const fragment = fragments.get(selection.name.value);
        if (fragment) visit(fragment.selectionSet);
      }
    }
  };
  visit(operation.selectionSet);
  return Math.max(
    1,
    [...costs.values()].reduce((sum, cost) => sum + cost, 0),
  );
};

/** The root fields of an operation, with fragments expanded. */
export const listRootFields = (document: DocumentNode, operation: OperationDefinitionNode): FieldNode[] => {
  const fragments = indexFragments(document);
  const visited = new Set<string>();
  const fieldsOf = ({ selections }: SelectionSetNode): FieldNode[] =>
    selections.flatMap((selection) => {
      if (selection.kind === Kind.FIELD) return [selection];
      if (selection.kind === Kind.INLINE_FRAGMENT) return fieldsOf(selection.selectionSet);
      const fragment = fragments.get(selection.name.value);
      if (!fragment || visited.has(selection.name.value)) return [];
      visited.add(selection.name.value);
      return fieldsOf(fragment.selectionSet);
    });
  return fieldsOf(operation.selectionSet);
};
