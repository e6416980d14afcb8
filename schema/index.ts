// Loads every noun and builds the schema; then sets mutations apart, and holds each root field to the role that it declares.
import { defaultFieldResolver, type GraphQLSchema } from 'graphql';
import type { Context } from '../src/context.ts';
import { isolateMutation } from '../src/execution/isolate-mutation.ts';
import { reportAllFaults } from '../src/input/all-faults.ts';
import { boundInputLists } from '../src/input/list-length.ts';
import { Problem } from '../src/problem.ts';
import { isAtLeast } from '../src/role-type.ts';
import { builder } from './builder.ts';
import { hideLegacyFields, spellLegacyEnums } from './legacy.ts';
import './action.ts';
import './campaign.ts';
import './contact.ts';
import './contact-links.ts';
import './contact-merge.ts';
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
import './record-owner.ts';
import './role.ts';
import './sanction.ts';
import './search.ts';
import './search-explanation.ts';
import './settings.ts';
import './tag.ts';
import './team.ts';
import './template.ts';
import './transaction.ts';
import './user.ts';
import './user-links.ts';
import './viewer.ts';

/** Roles and the length of lists are checked before any work of the field, whatever the door. */
const guard = (schema: GraphQLSchema): GraphQLSchema => {
  for (const type of [schema.getQueryType(), schema.getMutationType()]) {
    for (const field of Object.values(type?.getFields() ?? {})) {
      boundInputLists(field);
      reportAllFaults(field);
      const { role } = field.extensions;
      if (!role) continue;
      const { resolve = defaultFieldResolver } = field;
      field.resolve = (source, args, context: Context, info) => {
        if (isAtLeast(context.caller.roleType, role)) return resolve(source, args, context, info);
        throw new Problem('forbidden', `This needs the role ${role}; the caller is a ${context.caller.roleType}`);
      };
    }
  }
  return schema;
};

const isolateMutations = (schema: GraphQLSchema): GraphQLSchema => {
  for (const field of Object.values(schema.getMutationType()?.getFields() ?? {})) isolateMutation(field);
  return schema;
};

/** The graph with the fields that only stored operations select. */
const wholeSchema = guard(isolateMutations(builder.toSchema()));

/** The public graph. */
export const schema = hideLegacyFields(wholeSchema);

/** The graph of stored operations: enums have the names of legacy clients. */
export const legacySchema = spellLegacyEnums(wholeSchema);
