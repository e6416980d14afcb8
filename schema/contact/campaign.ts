// Campaigns: what the e-mails of one mailing have in common.
import { z } from 'zod';
import { type CampaignRow, campaignList, campaigns } from '../../src/data/contact/campaign.ts';
import { templates } from '../../src/data/contact/template.ts';
import { builder } from '../graph/builder.ts';
import { defineListConnection } from '../graph/list-connection.ts';
import { acceptId, defineNodeFields, Node } from '../graph/node.ts';
import { createReference } from '../graph/reference.ts';
import { nonBlank, shortText } from '../graph/validators.ts';
import { defineRecordMutations } from '../money/record.ts';
import { Template } from './template.ts';

const templateOf = createReference(templates.ever);

export const Campaign = builder.objectRef<CampaignRow>('Campaign').implement({
  interfaces: [Node],
  description: 'What the e-mails of one mailing have in common.',
  fields: (t) => ({
    ...defineNodeFields(t, 'Campaign'),
    template: t.field({
      type: Template,

      description: 'The template it is made from, even one that has been deleted since.',
      ...templateOf.find('template_id'),
    }),
    name: t.exposeString('name', { description: 'Name of the campaign.' }),
    subject: t.exposeString('subject', { nullable: true, description: 'Subject of its e-mails.' }),
    sender: t.exposeString('sender', { nullable: true, description: 'Who they say they are from.' }),
    goal: t.exposeString('goal', { nullable: true, description: 'What it is to achieve.' }),
    isSuccessful: t.exposeBoolean('is_successful', { nullable: true, description: 'Whether it achieved that.' }),
    performanceRating: t.exposeInt('performance_rating', { nullable: true, description: 'How well it did, 0 to 100.' }),
    sentAt: t.expose('sent_at', { type: 'DateTime', nullable: true, description: 'When it was sent.' }),
    createdAt: t.expose('created_at', { type: 'DateTime', description: 'When the campaign was created.' }),
    updatedAt: t.expose('updated_at', { type: 'DateTime', description: 'When the campaign was last changed.' }),
  }),
});

const rating = z.number().refine((value) => value >= 0 && value <= 100, 'must be from 0 to 100');

defineRecordMutations({
  type: Campaign,
  verbs: campaigns,
  fields: (t, required) => ({
    name: t.string({ required, validate: nonBlank, description: 'Name of the campaign; not blank.' }),
    templateId: t.field({ ...acceptId('Template'), description: 'The template it is made from.' }),
    subject: t.string({ validate: shortText, description: 'Subject of its e-mails.' }),
    sender: t.string({ validate: shortText, description: 'Who they say they are from.' }),
    goal: t.string({ validate: shortText, description: 'What it is to achieve.' }),
    isSuccessful: t.boolean({ description: 'Whether it achieved that.' }),
    performanceRating: t.int({ validate: rating, description: 'How well it did, 0 to 100.' }),
    sentAt: t.field({ type: 'DateTime', description: 'When it was sent.' }),
  }),
  mandatory: ['name'],
  alsoDeletes: ' Its e-mails stay on the contacts.',
});

defineListConnection({
  field: 'campaigns',
  type: Campaign,
  list: campaignList,
  description: 'The campaigns of the space.',
});
