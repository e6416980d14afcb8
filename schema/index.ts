// Loads every noun and builds the schema; then sets mutations apart, and holds each root field to its permission.
import { type GraphQLField, type GraphQLSchema, isObjectType } from 'graphql';
import type { Context } from '../src/context.ts';
import { reportAllFaults } from '../src/input/all-faults.ts';
import { checkRules } from '../src/input/check-rules.ts';
import { boundInputLists } from '../src/input/list-length.ts';
import { isolateMutation } from '../src/plan/isolate-mutation.ts';
import { builder } from './graph/builder.ts';
import { addDirectives } from './graph/directives.ts';
import { convertToLegacySchema, hideLegacyFields } from './graph/legacy.ts';
import { type NestedList, shareNestedList } from './graph/list-connection.ts';
import { guardRootField } from './graph/permission-guard.ts';
import './contact/action.ts';
import './access/audit-log.ts';
import './contact/campaign.ts';
import './event/change.ts';
import './contact/contact.ts';
import './contact/contact-by.ts';
import './segment/contact-facets.ts';
import './contact/contact-links.ts';
import './contact/contact-merge.ts';
import './contact/record-lists.ts';
import './contact/contact-write.ts';
import './contact/contacts.ts';
import './money/records.ts';
import './contact/email.ts';
import './form/form.ts';
import './contact/import.ts';
import './contact/interaction.ts';
import './access/invitation.ts';
import './graph/node.ts';
import './contact/note.ts';
import './money/payment.ts';
import './access/person.ts';
import './contact/record-owner.ts';
import './access/role.ts';
import './search/search.ts';
import './search/search-attributes.ts';
import './search/search-explanation.ts';
import './segment/segment.ts';
import './money/settings.ts';
import './event/subscription.ts';
import './contact/tag.ts';
import './access/team.ts';
import './access/token.ts';
import './access/user.ts';
import './segment/user-links.ts';
import './access/viewer.ts';
import './event/webhook.ts';
import './event/webhook-delivery.ts';

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
