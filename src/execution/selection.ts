// Reads the selection below a field.
import { type FieldNode, type GraphQLResolveInfo, Kind, type SelectionSetNode } from 'graphql';

const fieldsOf = ({ selections }: SelectionSetNode, fragments: GraphQLResolveInfo['fragments']): FieldNode[] =>
  selections.flatMap((selection) => {
    if (selection.kind === Kind.FIELD) return [selection];
    const inline = selection.kind === Kind.INLINE_FRAGMENT;
    return fieldsOf(inline ? selection.selectionSet : fragments[selection.name.value]!.selectionSet, fragments);
  });

type FieldSelection = Pick<GraphQLResolveInfo, 'fieldNodes' | 'fragments'>;

/** The fields that a path leads to from a field (`edges`, `node`); fragments expanded. Fields that a directive skips may be among them. */
export const listNodesBelow = ({ fieldNodes, fragments }: FieldSelection, ...path: string[]): readonly FieldNode[] =>
  path.reduce<readonly FieldNode[]>(
    (level, step) =>
      level
        .flatMap(({ selectionSet }) => (selectionSet ? fieldsOf(selectionSet, fragments) : []))
        .filter(({ name }) => name.value === step),
    fieldNodes,
  );

/** Names of the fields selected below the field, or below those that a path leads to. */
export const listFieldsBelow = (info: FieldSelection, ...path: string[]): Set<string> =>
  new Set(
    listNodesBelow(info, ...path)
      .flatMap(({ selectionSet }) => (selectionSet ? fieldsOf(selectionSet, info.fragments) : []))
      .map(({ name }) => name.value),
  );
