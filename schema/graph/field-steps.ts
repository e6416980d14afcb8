// Puts the steps of each field around its resolver, in one order for all fields.
import {
  defaultFieldResolver,
  type GraphQLSchema,
  isIntrospectionType,
  isObjectType,
  OperationTypeNode,
} from 'graphql';
import type { Field, Resolver, Step } from '../../src/context.ts';
import { planFaults } from '../../src/input/all-faults.ts';
import { planListLengths } from '../../src/input/list-length.ts';
import { planRules } from '../../src/input/rules.ts';
import { planTrims } from '../../src/input/trim-mails.ts';
import { planIsolation } from '../../src/plan/isolate-mutation.ts';
import { planMergedContacts } from '../../src/plan/merged-contacts.ts';
import { planPermissions } from '../../src/plan/permission-needs.ts';
import { planSharedList } from './list-connection.ts';

/** The step of a field, if it needs one; `root` is set for root fields. */
type PlanStep = (field: Field, root?: OperationTypeNode) => Step | undefined;

/** The steps, outermost first. Each may refuse, and then no later one runs. */
export const steps: readonly PlanStep[] = [
  // Nobody learns anything of an input that they may not send.
  planPermissions,
  planSharedList,
  // It finds the faults of what all steps after it refuse.
  planFaults,
  // The items of a list that is too long are never read.
  planListLengths,
  planRules,
  planTrims,
  // It runs a mutation again, each time in a transaction of its own.
  planMergedContacts,
  // A refusal by an earlier step costs no transaction and writes no audit line.
  planIsolation,
];

/**
 * Adds the steps to a schema that is complete: they depend on the types of arguments. A plugin of Pothos would come too early. Its `wrapResolve`
 * knows no types, and its `afterBuild` those before they are sorted.
 */
export const addSteps = (schema: GraphQLSchema): GraphQLSchema => {
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isObjectType(type) || isIntrospectionType(type)) continue;
    const root = Object.values(OperationTypeNode).find((operation) => schema.getRootType(operation) === type);
    for (const field of Object.values<Field>(type.getFields())) {
      const ofField = steps.flatMap((plan) => plan(field, root) ?? []);
      const resolve: Resolver = field.resolve ?? defaultFieldResolver;
      if (ofField.length > 0) field.resolve = ofField.reduceRight((next, step) => step(next), resolve);
      // The function that makes the source of events has the steps; its events are the values.
      if (root === OperationTypeNode.SUBSCRIPTION)
        Object.assign(field, { subscribe: field.resolve, resolve: (event: unknown) => event });
    }
  }
  return schema;
};
