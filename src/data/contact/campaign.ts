// Campaigns: the common data of the e-mails of one mailing.

import { defineRecordsOfSpace } from '../noun/crud.ts';
import { defineRecordList } from '../noun/record-list.ts';
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

export const campaignList = defineRecordList<CampaignRow>()(campaigns, {
  fields: {
    templateId: { column: 'r.template_id', type: 'id', nullable: true },
    name: { column: 'r.name', type: 'text' },
    subject: { column: 'r.subject', type: 'text', nullable: true },
    sender: { column: 'r.sender', type: 'text', nullable: true },
    goal: { column: 'r.goal', type: 'text', nullable: true },
    isSuccessful: { column: 'r.is_successful', type: 'boolean', nullable: true },
    performanceRating: { column: 'r.performance_rating', type: 'number', nullable: true },
    sentAt: { column: 'r.sent_at', type: 'instant', nullable: true },
  },
  orders: ['id', 'name', 'sentAt', 'performanceRating', 'createdAt', 'updatedAt'],
  isShort: true,
  groups: ['templateId', 'isSuccessful'],
});
