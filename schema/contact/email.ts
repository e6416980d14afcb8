// Campaigns, and the e-mails of their mailings: which contact got one, and what became of it.
import { campaigns, templates } from '../../src/data/contact/campaign.ts';
import {
  type EmailEventKind,
  type EmailRow,
  emailColumns,
  emailList,
  recordEmailEvents,
  recordSentEmails,
} from '../../src/data/contact/email.ts';
import { isBlankText, replaceBlanks } from '../../src/input/blank.ts';
import { limitListLength } from '../../src/input/list-length.ts';
import { builder, defineEnumValues } from '../graph/builder.ts';
import { defineListConnection } from '../graph/list-connection.ts';
import { defineMutation } from '../graph/mutation.ts';
import { acceptId, defineNodeFields, Node } from '../graph/node.ts';
import { defineColumnFields, defineNounList } from '../graph/noun.ts';
import { createReference } from '../graph/reference.ts';
import { shortText, url } from '../graph/validators.ts';

defineNounList(templates, { alsoDeletes: 'Campaigns made from it stay.' });
export const { type: Campaign } = defineNounList(campaigns, { alsoDeletes: 'Its e-mails stay on the contacts.' });

const campaignOf = createReference(campaigns.ever);

export const Email = builder.objectRef<EmailRow>('Email').implement({
  interfaces: [Node],
  description: 'An e-mail that a contact was sent, and what became of it.',
  fields: (t) => ({
    ...defineNodeFields(t, 'Email'),
    campaign: t.field({
      type: Campaign,
      description: 'The campaign it belongs to, even one that has been deleted since.',
      ...campaignOf.find('campaign_id'),
    }),
    ...defineColumnFields(t, emailColumns.columns),
    clickedUrls: t.stringList({
      description: 'The links in it that were clicked, each once.',
      extensions: { json: { column: 'clicked_urls', kind: 'texts' } },
      resolve: ({ clicked_urls: urls }) => urls ?? [],
    }),
  }),
});

const EventKind = builder.enumType('EmailEventKind', {
  description: 'What may happen to an e-mail.',
  values: defineEnumValues<EmailEventKind>({
    DELIVERED: 'It was delivered.',
    OPENED: 'It was opened.',
    CLICKED: 'A link in it was clicked.',
    BOUNCED: 'It bounced.',
    UNSUBSCRIBED: 'The contact unsubscribed by it.',
    BLACKLISTED: 'The address was blacklisted for it.',
    ABUSE_REPORT: 'It was reported as abuse.',
  }),
});

const EmailInput = builder.inputType('EmailInput', {
  description: 'An e-mail that the caller has sent.',
  fields: (t) => ({
    contactId: t.field({ ...acceptId('Contact'), required: true, description: 'The contact who was sent it.' }),
    campaignId: t.field({ ...acceptId('Campaign'), description: 'The campaign it belongs to.' }),
    type: t.string({ validate: shortText, description: 'What kind of e-mail it is.' }),
    createdAt: t.field({ type: 'DateTime', description: 'When it was made; now, when it is left out.' }),
  }),
});

const EmailEventInput = builder.inputType('EmailEventInput', {
  description: 'Something that happened to an e-mail.',
  fields: (t) => ({
    emailId: t.field({ ...acceptId('Email'), required: true, description: 'The e-mail.' }),
    kind: t.field({ type: EventKind, required: true, description: 'What happened.' }),
    at: t.field({ type: 'DateTime', required: true, description: 'When it happened.' }),
    url: t.string({ validate: url, description: 'What was clicked; only with the kind `CLICKED`.' }),
  }),
});

type Event = { kind?: EmailEventKind; url?: string | null } | null;

/** One rule for the list, since one for each of thousands would take longer than to write them. */
const events = limitListLength([1, 5000], 'events', (list) =>
  list.superRefine((all, check) => {
    (all as Event[]).forEach((event, index) => {
      if (event?.url == null || isBlankText(event.url) || event.kind === 'CLICKED') return;
      check.addIssue({ code: 'custom', path: [index, 'url'], message: 'goes only with the kind CLICKED' });
    });
  }),
);

defineMutation('recordEmails', {
  cost: 5,
  description: 'Records e-mails that the caller has sent, all or none. No contact is changed by that.',
  input: (t) => ({
    emails: t.field({
      type: [EmailInput],
      required: true,
      validate: limitListLength([1, 1000], 'e-mails'),
      description: 'The e-mails, 1 to 1000.',
    }),
  }),
  resolve: async ({ emails }, { space, caller }) => ({
    emails: await recordSentEmails(
      space,
      caller.userId,
      emails.map((one) => replaceBlanks(one, 'null')),
    ),
  }),
  audit: ({ emails: made }) => ({ type: 'Email', counts: { created: made.length } }),
  payload: (t) => ({ emails: t.expose('emails', { type: [Email], description: 'The e-mails, in their order.' }) }),
});

defineMutation('recordEmailEvents', {
  description:
    'Records what became of e-mails, all or nothing. The e-mail keeps the earliest time of each kind, but the latest of openings and clicks. Sending the same events again changes nothing. No contact is changed by that.',
  input: (t) => ({
    events: t.field({
      type: [EmailEventInput],
      required: true,
      validate: events,
      description: 'The events, 1 to 5000.',
    }),
  }),
  resolve: async ({ events }, { space }) => ({
    changed: await recordEmailEvents(
      space,
      events.map((one) => replaceBlanks(one, 'null')),
    ),
  }),
  audit: ({ changed }) => ({ type: 'Email', ...(changed > 0 && { counts: { updated: changed } }) }),
  payload: (t) => ({
    changed: t.exposeInt('changed', { description: 'How many e-mails are not as they were before.' }),
  }),
});

export const emailConnection = defineListConnection({
  field: 'emails',
  type: Email,
  list: emailList,
  description: 'The e-mails of the space.',
});
