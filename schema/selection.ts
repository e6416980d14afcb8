// What a request selects below a field.
import { type FieldNode, type GraphQLResolveInfo, Kind, type SelectionSetNode } from 'graphql';

/**
 * Names of the fields selected below the field, or below the fields that a path leads to (`edges`, `node`); fragments
 * expanded. One that a directive skips may be among them.
 */
export const selectedBelow = (
  { fieldNodes, fragments }: Pick<GraphQLResolveInfo, 'fieldNodes' | 'fragments'>,
  ...path: string[]
): Set<string> => {
  const fieldsOf = ({ selections }: SelectionSetNode): FieldNode[] =>
    selections.flatMap((selection) => {
      if (selection.kind === Kind.FIELD) return [selection];
      const inline = selection.kind === Kind.INLINE_FRAGMENT;
      return fieldsOf(inline ? selection.selectionSet : fragments[selection.name.value]!.selectionSet);
    });
  let level = fieldNodes.flatMap(({ selectionSet }) => (selectionSet ? fieldsOf(selectionSet) : []));
  for (const step of path) {
    level = level
      .filter(({ name }) => name.value === step)
      .flatMap(({ selectionSet }) => (selectionSet ? fieldsOf(selectionSet) : []));
  }
  return new Set(level.map(({ name }) => name.value));
};
