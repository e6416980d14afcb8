// Campaigns: the common data of the e-mails of one mailing, and the template of these.
import { defineNoun } from '../noun/noun.ts';

export const templates = defineNoun('Template', {
  table: 'templates',
  of: 'space',
  called: 'the template',
  description: 'What campaigns are made from.',
  columns: { name: { kind: 'text', required: true, description: 'Name of the template.', isOrder: true } },
});

export const campaigns = defineNoun('Campaign', {
  table: 'campaigns',
  of: 'space',
  called: 'the campaign',
  description: 'What the e-mails of one mailing have in common.',
  columns: {
    template_id: {
      kind: 'id',
      refers: templates,
      description: 'The template it is made from, even one that has been deleted since.',
      input: 'The template it is made from.',
      isGroup: true,
    },
    name: { kind: 'text', required: true, description: 'Name of the campaign.', isOrder: true },
    subject: { kind: 'text', description: 'Subject of its e-mails.' },
    sender: { kind: 'text', description: 'Who they say they are from.' },
    goal: { kind: 'text', description: 'What it is to achieve.' },
    is_successful: { kind: 'flag', description: 'Whether it achieved that.', isGroup: true },
    performance_rating: {
      kind: 'whole',
      least: 0,
      most: 100,
      description: 'How well it did, 0 to 100.',
      isOrder: true,
    },
    sent_at: { kind: 'instant', description: 'When it was sent.', isOrder: true },
  },
});
