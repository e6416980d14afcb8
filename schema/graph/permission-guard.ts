// Holds each root field to the permissions that it needs: its own, and those of the types that are selected below it.
import { defaultFieldResolver, type GraphQLField } from 'graphql';
import type { Context } from '../../src/context.ts';
import { requirePermission } from '../../src/permissions/authority.ts';
import { getOperationPermission } from '../../src/permissions/permissions.ts';
import { getOperationNeeds, isSelected } from '../../src/plan/permission-needs.ts';

/** Makes a root field refuse callers without its permissions before it does anything. Throws for a field that is in no permission. */
export const guardRootField = (field: GraphQLField<unknown, Context>): void => {
  getOperationPermission(field.name);
  const { resolve = defaultFieldResolver } = field;
  field.resolve = (source, args, context, info) => {
    const { schema, operation, fragments, path, variableValues } = info;
    const needs = getOperationNeeds(schema, operation, fragments).get(String(path.key));
    if (!needs) throw new Error(`The needs of the root field ${path.key} are not known`);
    for (const { permission, place, conditions } of needs)
      if (isSelected(conditions, variableValues)) requirePermission(context.caller, permission, place);
    return resolve(source, args, context, info);
  };
};
