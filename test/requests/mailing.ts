// A valid request for every operation on templates, campaigns and e-mails.
import type { Fields } from './ids.ts';

export const mailingFields: Fields = {
  templates: () => ({}),
  template: ({ templates }) => ({ id: templates }),
  createTemplate: () => ({ input: { name: 'a template' } }),
  updateTemplate: ({ templates }) => ({ input: { id: templates, name: 'a changed template' } }),
  deleteTemplate: ({ templates }) => ({ input: { id: templates } }),
  campaigns: () => ({}),
  campaign: ({ campaigns }) => ({ id: campaigns }),
  createCampaign: ({ templates }) => ({ input: { name: 'a campaign', templateId: templates } }),
  updateCampaign: ({ campaigns }) => ({ input: { id: campaigns, name: 'a changed campaign' } }),
  deleteCampaign: ({ campaigns }) => ({ input: { id: campaigns } }),
  emails: () => ({ first: 5 }),
  email: ({ emails }) => ({ id: emails }),
  recordEmails: ({ contacts, campaigns }) => ({ input: { emails: [{ contactId: contacts, campaignId: campaigns }] } }),
  recordEmailEvents: ({ emails }) => ({
    input: {
      events: [{ emailId: emails, kind: 'CLICKED', at: '2026-11-21T09:00:00Z', url: 'https://example.org/clicked' }],
    },
  }),
};
