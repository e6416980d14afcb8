// Loads every noun and builds the schema; then sets mutations apart, and holds each root field to its permission.
import { type GraphQLField, type GraphQLSchema, isObjectType } from 'graphql';
import type { Context } from '../src/context.ts';
import { isolateMutation } from '../src/execution/isolate-mutation.ts';
import { reportAllFaults } from '../src/input/all-faults.ts';
import { checkRules } from '../src/input/check-rules.ts';
import { boundInputLists } from '../src/input/list-length.ts';
import { builder } from './builder.ts';
import { addDirectives } from './directives.ts';
import { convertToLegacySchema, hideLegacyFields } from './legacy.ts';
import { type NestedList, shareNestedList } from './list-connection.ts';
import { guardRootField } from './permission-guard.ts';
import './action.ts';
import './audit-log.ts';
import './campaign.ts';
import './change.ts';
import './contact.ts';
import './contact-by.ts';
import './contact-facets.ts';
import './contact-links.ts';
import './contact-merge.ts';
import './record-lists.ts';
import './contact-write.ts';
import './contacts.ts';
import './donation.ts';
import './email.ts';
import './form.ts';
import './import.ts';
import './interaction.ts';
import './invitation.ts';
import './membership.ts';
import './node.ts';
import './note.ts';
import './payment.ts';
import './person.ts';
import './record-owner.ts';
import './role.ts';
import './sanction.ts';
import './search.ts';
import './search-attributes.ts';
import './search-explanation.ts';
import './segment.ts';
import './settings.ts';
import './subscription.ts';
import './tag.ts';
import './team.ts';
import './template.ts';
import './token.ts';
import './transaction.ts';
import './user.ts';
import './user-links.ts';
import './viewer.ts';
import './webhook.ts';
import './webhook-delivery.ts';

/** Makes a field read its arguments once for all parents of a selection, with the checks that the arguments of root fields have. */
const shareArguments = (field: GraphQLField<unknown, Context>): void => {
  boundInputLists(field);
  reportAllFaults(field);
  const resolve = field.resolve!;
  field.resolve = (source, args, context, info) => {
    const create = () => resolve(source, args, context, info) as NestedList<unknown>;
    const list = shareNestedList(context, info.fieldNodes, create);
    const { id } = source as { id: number };
    return list instanceof Promise ? list.then((one) => one.getSource(id)) : list.getSource(id);
  };
};

const guardNestedLists = (schema: GraphQLSchema): GraphQLSchema => {
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isObjectType(type)) continue;
    for (const field of Object.values(type.getFields())) if (field.extensions.nestedList) shareArguments(field);
  }
  return schema;
};

/** Permissions and the length of lists are checked before any work of the field, whatever the door. */
const guard = (schema: GraphQLSchema): GraphQLSchema => {
  for (const type of [schema.getQueryType(), schema.getMutationType()]) {
    for (const field of Object.values(type?.getFields() ?? {})) {
      boundInputLists(field);
      reportAllFaults(field);
      guardRootField(field);
    }
  }
  for (const field of Object.values(schema.getSubscriptionType()?.getFields() ?? {})) {
    boundInputLists(field);
    reportAllFaults(field);
    guardRootField(field);
    // The function that makes the source has the checks of a resolver; its events are the values.
    Object.assign(field, { subscribe: field.resolve, resolve: (event: unknown) => event });
  }
  return schema;
};

/** Rules are checked after the length of lists, and before a mutation begins. */
const checkAllRules = (schema: GraphQLSchema): GraphQLSchema => {
  for (const type of Object.values(schema.getTypeMap()))
    if (isObjectType(type)) for (const field of Object.values(type.getFields())) checkRules(field);
  return schema;
};

const isolateMutations = (schema: GraphQLSchema): GraphQLSchema => {
  for (const [name, field] of Object.entries(schema.getMutationType()?.getFields() ?? {})) isolateMutation(name, field);
  return schema;
};

/** The graph with the fields that only stored operations select. */
const wholeSchema = guardNestedLists(guard(checkAllRules(isolateMutations(addDirectives(builder.toSchema())))));

/** The public graph. */
export const schema = hideLegacyFields(wholeSchema);

/** The graph of stored operations: enums have the names of legacy clients. */
export const legacySchema = convertToLegacySchema(wholeSchema);
