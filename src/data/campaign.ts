// Campaigns: the common data of the e-mails of one mailing.
import { defineRecordsOfSpace } from './record/crud.ts';
import { templates } from './template.ts';

export interface CampaignRow {
  id: number;
  group_id: number;
  template_id: number | null;
  name: string;
  subject: string | null;
  sender: string | null;
  goal: string | null;
  is_successful: boolean | null;
  /** 0 to 100. */
  performance_rating: number | null;
  sent_at: string | null;
  created_at: string;
  updated_at: string;
}

export const campaigns = defineRecordsOfSpace<CampaignRow>({
  table: 'campaigns',
  noun: 'campaign',
  columns: {
    template_id: { refers: templates },
    name: {},
    subject: {},
    sender: {},
    goal: {},
    is_successful: {},
    performance_rating: {},
    sent_at: {},
  },
});
