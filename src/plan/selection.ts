// Reads the selection below a field.
import {
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLResolveInfo,
  type InlineFragmentNode,
  Kind,
  type SelectionNode,
} from 'graphql';

/** The end of the names of twins: `notes__json` yields `notes` as JSON text. */
export const twinSuffix = '__json';
const readName = ({ name: { value } }: FieldNode): string =>
  value.endsWith(twinSuffix) ? value.slice(0, -twinSuffix.length) : value;

/** Whether the directives of a selection include it. */
export const isIncluded = ({ directives = [] }: SelectionNode, variables: Readonly<Record<string, unknown>>): boolean =>
  directives.every(({ name, arguments: args = [] }) => {
    const condition = args.find((argument) => argument.name.value === 'if')?.value;
    const flag =
      condition?.kind === Kind.VARIABLE
        ? variables[condition.name.value]
        : condition?.kind === Kind.BOOLEAN && condition.value;
    if (name.value === 'skip') return flag !== true;
    return name.value !== 'include' || flag !== false;
  });

type FieldSelection = Pick<GraphQLResolveInfo, 'fieldNodes' | 'fragments' | 'variableValues'>;

const fieldsBelow = (
  { selectionSet }: FieldNode | FragmentDefinitionNode | InlineFragmentNode,
  info: FieldSelection,
): FieldNode[] =>
  (selectionSet?.selections ?? []).flatMap((selection) => {
    if (!isIncluded(selection, info.variableValues)) return [];
    if (selection.kind === Kind.FIELD) return [selection];
    const inline = selection.kind === Kind.INLINE_FRAGMENT;
    return fieldsBelow(inline ? selection : info.fragments[selection.name.value]!, info);
  });

/** The fields that a path leads to from a field (`edges`, `node`); fragments expanded. */
export const listNodesBelow = (info: FieldSelection, ...path: string[]): readonly FieldNode[] =>
  path.reduce<readonly FieldNode[]>(
    (level, step) => level.flatMap((node) => fieldsBelow(node, info)).filter((node) => readName(node) === step),
    info.fieldNodes,
  );

/** The fields selected below the field. */
export const listOwnNodesBelow = (info: FieldSelection): readonly FieldNode[] =>
  info.fieldNodes.flatMap((node) => fieldsBelow(node, info));

/** Names of the fields selected below the field, or below those that a path leads to. */
export const listFieldsBelow = (info: FieldSelection, ...path: string[]): Set<string> =>
  new Set(
    listNodesBelow(info, ...path)
      .flatMap((node) => fieldsBelow(node, info))
      .map(readName),
  );
