// Loads every noun and builds the schema, with the steps around its resolvers, in its two forms.
import { builder } from './graph/builder.ts';
import { addDirectives } from './graph/directives.ts';
import { addSteps } from './graph/field-steps.ts';
import { convertToLegacySchema, hideLegacyFields } from './graph/legacy.ts';
import './contact/action.ts';
import './access/app.ts';
import './access/audit-log.ts';
import './event/change.ts';
import './contact/contact.ts';
import './segment/contact-change.ts';
import './segment/contact-facets.ts';
import './contact/contact-links.ts';
import './contact/contact-merge.ts';
import './contact/record-lists.ts';
import './contact/contact-write.ts';
import './contact/contacts.ts';
import './contact/duplicates.ts';
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
import './access/role.ts';
import './search/search.ts';
import './search/search-attributes.ts';
import './segment/segment.ts';
import './event/subscription.ts';
import './contact/suppression.ts';
import './event/timeline.ts';
import './access/team.ts';
import './access/token.ts';
import './access/user.ts';
import './segment/user-links.ts';
import './access/viewer.ts';
import './event/webhook.ts';
import './event/webhook-delivery.ts';

/** The graph with the fields that only stored operations select. */
const wholeSchema = addSteps(addDirectives(builder.toSchema()));

/** The public graph. */
export const schema = hideLegacyFields(wholeSchema);

/** The graph of stored operations: enums have the names of legacy clients. */
export const legacySchema = convertToLegacySchema(wholeSchema);
