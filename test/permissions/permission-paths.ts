// The ways through the graph, and what each needs as a reader of the SDL would find it.
import {
  type DocumentNode,
  type GraphQLObjectType,
  getNamedType,
  isInterfaceType,
  isObjectType,
  isRequiredArgument,
  isUnionType,
  Kind,
  TypeInfo,
  visit,
  visitWithTypeInfo,
} from 'graphql';
import { schema } from '../../schema/index.ts';
import { type PermissionName, permissions } from '../../src/permissions/permissions.ts';
import type { Json } from '../harness/app.ts';

/** Fields whose value is the caller's own record, or that of another whom only those get who may read all. */
const ownFields = new Set([
  'Query.user',
  'Viewer.user',
  'Viewer.app',
  'AccessToken.user',
  'AccessToken.app',
  'UpdateUserPayload.user',
]);

/** The permission of a type or an operation by the directive in the SDL; undefined where it has none. */
export const permissionOf = Object.fromEntries(
  Object.entries(permissions).flatMap(([name, { types = [], operations }]) =>
    [...types, ...operations.map((one) => `${one}()`)].map((key) => [key, name as PermissionName]),
  ),
);

/** The permission of the records of a type. A connection has that of its records. */
export const findTypePermission = (type: unknown): PermissionName | undefined => {
  if (!isObjectType(type)) return undefined;
  const { nodes } = type.getFields();
  return permissionOf[nodes ? getNamedType(nodes.type).name : type.name];
};

/** What a document needs, found as a reader of the SDL would: the permission of its root field, and of each type on the way. */
export const readNeeds = (document: DocumentNode, graph = schema): Set<PermissionName> => {
  const info = new TypeInfo(graph);
  const needs = new Set<PermissionName>();
  const own: boolean[] = [];
  const roots = [graph.getQueryType(), graph.getMutationType(), graph.getSubscriptionType()];
  const add = (type: unknown): void => {
    const permission = findTypePermission(type);
    if (permission) needs.add(permission);
  };
  let depth = 0;
  let isNode = false;
  visit(
    document,
    visitWithTypeInfo(info, {
      [Kind.FIELD]: {
        enter: ({ name }) => {
          const parent = info.getParentType()!;
          const type = getNamedType(info.getType());
          depth++;
          if (roots.includes(parent as GraphQLObjectType)) {
            needs.add(permissionOf[`${name.value}()`]!);
            isNode = name.value === 'node' || name.value === 'nodes';
          }
          const place = `${parent.name}.${name.value}`;
          const isOwn = ownFields.has(place) || (place === 'User.role' && own.at(-1) === true);
          own.push(isOwn);
          if (!isOwn) add(type);
        },
        leave: () => {
          depth--;
          own.pop();
        },
      },
      [Kind.INLINE_FRAGMENT]: () => {
        // `node` gives null in place of what may not be seen, and a timeline leaves it out.
        if (!(isNode && depth === 1) && info.getParentType()?.name !== 'TimelineItem') add(info.getType());
      },
      [Kind.FRAGMENT_DEFINITION]: () => add(info.getType()),
    }),
  );
  return needs;
};

export interface Path {
  operation: 'query' | 'mutation' | 'subscription';
  root: string;
  /** From the root to the last field. */
  text: string;
}

export const rootTypes = {
  query: schema.getQueryType()!,
  mutation: schema.getMutationType()!,
  subscription: schema.getSubscriptionType()!,
};

/** Every path of at most four fields that lead to objects; by interfaces to each of their types. */
export const listPaths = (): Path[] => {
  const paths: Path[] = [];
  const walk = (type: GraphQLObjectType, steps: string[], operation: Path['operation']): void => {
    for (const field of Object.values(type.getFields())) {
      const named = getNamedType(field.type);
      const isAbstract = isInterfaceType(named) || isUnionType(named);
      const targets = isObjectType(named) ? [named] : isAbstract ? schema.getPossibleTypes(named) : [];
      if (steps.length > 0 && field.args.some(isRequiredArgument)) continue;
      for (const target of targets) {
        const narrowed = isAbstract ? `... on ${target.name} { BELOW }` : 'BELOW';
        const within = [...steps, `${field.name}ARGS${steps.length} { ${narrowed} }`];
        const text = within.reduceRight((below, step) => step.replace('BELOW', below), '__typename');
        paths.push({ operation, root: within[0]!.split('ARGS')[0]!, text });
        if (within.length < 4) walk(target, within, operation);
      }
    }
  };
  for (const [operation, type] of Object.entries(rootTypes)) walk(type, [], operation as Path['operation']);
  return paths;
};

export const writePath = ({ operation, root, text }: Path, given: Json = {}): string => {
  const args = rootTypes[operation].getFields()[root]!.args.filter(({ name }) => name in given);
  const declared = args.map(({ name, type }) => `$${name}: ${type}`).join(', ');
  const passed = args.map(({ name }) => `${name}: $${name}`).join(', ');
  const body = text.replace('ARGS0', passed && `(${passed})`).replaceAll(/ARGS\d/g, '');
  return `${operation} Walk${declared && `(${declared})`} { ${body} }`;
};
