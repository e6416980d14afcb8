// Connections of contacts as JSON text: the contacts are texts already, whatever found them; the page around them is written here.
import {
  type FieldNode,
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLResolveInfo,
  getNamedType,
  locatedError,
} from 'graphql';
import type { ContactConnectionPart, EdgePart } from '../data/contact/field-json.ts';
import type { ContactText } from '../data/contact/json.ts';
import type { ContactProjection } from '../data/contact/json-plan.ts';
import { NeedsResolver, type SelectionPlanner } from './plan-selection.ts';
import { listNodesBelow } from './selection.ts';

/** Plans the JSON of a contact connection. Throws NeedsResolver when the document selects contacts at two places, or at none. */
export const planContactConnection = (
  planner: SelectionPlanner,
  field: GraphQLField<unknown, unknown>,
  nodes: readonly FieldNode[],
): { contacts: ContactProjection; parts: readonly ContactConnectionPart[] } => {
  const type = getNamedType(field.type) as GraphQLObjectType;
  let contacts: ContactProjection | undefined;
  const readContacts = (of: GraphQLObjectType, name: string, below: readonly FieldNode[]): void => {
    if (contacts) throw new NeedsResolver();
    contacts = planner.planContact(getNamedType(of.getFields()[name]!.type) as GraphQLObjectType, below);
  };
  const listFields = (of: readonly FieldNode[]) => [
    ...planner.collectFields(of.flatMap(({ selectionSet }) => selectionSet ?? [])),
  ];
  const parts = listFields(nodes).map(([key, below]): ContactConnectionPart => {
    const { value: name } = below[0]!.name;
    const inner = () => getNamedType(type.getFields()[name]!.type) as GraphQLObjectType;
    if (name === '__typename') return { key, part: name };
    if (name === 'totalCount') return { key, part: name };
    // It has an argument.
    if (name === 'count') throw new NeedsResolver();
    if (name === 'nodes') {
      readContacts(type, name, below);
      return { key, part: name };
    }
    const members = listFields(below).map(([key, selected]) => {
      const { value: part } = selected[0]!.name;
      if (part === 'node') readContacts(inner(), part, selected);
      return { key, part };
    });
    if (members.length === 0) throw new NeedsResolver();
    return { key, part: name, members } as ContactConnectionPart;
  });
  if (!contacts) throw new NeedsResolver();
  return { contacts, parts };
};

/** A page of contacts as texts. */
interface TextPage {
  rows: readonly ContactText[];
  hasNextPage: boolean;
  hasPreviousPage: boolean;
  formatCursor(row: ContactText): string;
  countAll(): Promise<number>;
  measureDistance?: ((row: ContactText) => number) | undefined;
}

const writePageInfo = (
  { rows, hasNextPage, hasPreviousPage, formatCursor }: TextPage,
  members: readonly { key: string; part: string }[],
): string => {
  const [first, last] = [rows[0], rows.at(-1)];
  const values: Record<string, () => unknown> = {
    hasNextPage: () => hasNextPage,
    hasPreviousPage: () => hasPreviousPage,
    startCursor: () => (first ? formatCursor(first) : null),
    endCursor: () => (last ? formatCursor(last) : null),
    __typename: () => 'PageInfo',
  };
  return JSON.stringify(Object.fromEntries(members.map(({ key, part }) => [key, values[part]!()])));
};

/** The JSON text of a connection. An error in counting has the path of the count. */
export const writeContactConnection = async (
  page: TextPage,
  parts: readonly ContactConnectionPart[],
  info: GraphQLResolveInfo,
): Promise<string> => {
  const { rows, formatCursor } = page;
  const locateCount = (error: unknown, key: string): Error => {
    const path: (string | number)[] = [key];
    for (let at: GraphQLResolveInfo['path'] | undefined = info.path; at; at = at.prev) path.unshift(at.key);
    const nodes = listNodesBelow(info, 'totalCount').filter(({ alias, name }) => (alias ?? name).value === key);
    return locatedError(error, nodes, path);
  };
  const writeEdge = (row: ContactText, members: readonly { key: string; part: EdgePart }[]): string => {
    const values = {
      cursor: () => JSON.stringify(formatCursor(row)),
      distance: () => JSON.stringify(page.measureDistance?.(row) ?? null),
      node: () => row.json,
      __typename: () => '"ContactEdge"',
    };
    return `{${members.map(({ key, part }) => `"${key}":${values[part]()}`).join(',')}}`;
  };
  const writePart = (one: ContactConnectionPart): string | Promise<string> => {
    if (one.part === 'nodes') return `[${rows.map(({ json }) => json).join(',')}]`;
    if (one.part === 'edges') return `[${rows.map((row) => writeEdge(row, one.members)).join(',')}]`;
    if (one.part === 'pageInfo') return writePageInfo(page, one.members);
    if (one.part === '__typename') return '"ContactConnection"';
    return page.countAll().then(String, (error: unknown) => {
      throw locateCount(error, one.key);
    });
  };
  const texts = await Promise.all(parts.map(writePart));
  return `{${parts.map(({ key }, index) => `"${key}":${texts[index]}`).join(',')}}`;
};
