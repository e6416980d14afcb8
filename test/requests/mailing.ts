// A valid request for every operation on templates, campaigns and e-mails.
import type { Fields } from './ids.ts';

export const mailingFields: Fields = {
  templates: () => ({}),
  template: ({ templates }) => ({ id: templates }),
  createTemplate: () => ({ input: { name: 'a template' } }),
  updateTemplate: ({ templates }) => ({ id: templates, input: { name: 'a changed template' } }),
  deleteTemplate: ({ templates }) => ({ id: templates }),
  campaigns: () => ({}),
  campaign: ({ campaigns }) => ({ id: campaigns }),
  createCampaign: ({ templates }) => ({ input: { name: 'a campaign', templateId: templates } }),
  updateCampaign: ({ campaigns }) => ({ id: campaigns, input: { name: 'a changed campaign' } }),
  deleteCampaign: ({ campaigns }) => ({ id: campaigns }),
  emails: () => ({ first: 5 }),
  email: ({ emails }) => ({ id: emails }),
  recordEmails: ({ contacts, campaigns }) => ({ input: [{ contactId: contacts, campaignId: campaigns }] }),
  recordEmailEvents: ({ emails }) => ({
    input: [{ emailId: emails, kind: 'CLICKED', at: '2026-11-21T09:00:00Z', url: 'https://example.org/clicked' }],
  }),
};
