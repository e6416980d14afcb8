// What a request selects below a field.
import { type GraphQLResolveInfo, Kind, type SelectionSetNode } from 'graphql';

/** Names of the fields selected directly below, fragments expanded. One that a directive skips may be among them. */
export const selectedBelow = ({
  fieldNodes,
  fragments,
}: Pick<GraphQLResolveInfo, 'fieldNodes' | 'fragments'>): Set<string> => {
  const names = new Set<string>();
  const collect = ({ selections }: SelectionSetNode): void => {
    for (const selection of selections) {
      if (selection.kind === Kind.FIELD) names.add(selection.name.value);
      else
        collect(
          selection.kind === Kind.INLINE_FRAGMENT
            ? selection.selectionSet
            : fragments[selection.name.value]!.selectionSet,
        );
    }
  };
  for (const { selectionSet } of fieldNodes) if (selectionSet) collect(selectionSet);
  return names;
};
