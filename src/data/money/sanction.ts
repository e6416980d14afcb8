// Sanctions against contacts, with their period.

import { defineRecordsOfContact } from '../noun/crud.ts';
import { defineRecordList } from '../noun/record-list.ts';

export interface SanctionRow {
  id: number;
  contact_id: number;
  group_id: number;
  status: string | null;
  start_date: string | null;
  end_date: string | null;
  created_at: string;
  updated_at: string;
}

export const sanctions = defineRecordsOfContact<SanctionRow>({
  table: 'sanctions',
  noun: 'sanction',
  columns: { status: {}, start_date: {}, end_date: {} },
  rules: [{ holds: 'end_date >= start_date', column: 'end_date', message: 'must not be before startDate' }],
});

export const sanctionList = defineRecordList<SanctionRow>()(sanctions, {
  fields: {
    contactId: { column: 'r.contact_id', type: 'id' },
    status: { column: 'r.status', type: 'code', nullable: true },
    startDate: { column: 'r.start_date', type: 'instant', nullable: true },
    endDate: { column: 'r.end_date', type: 'instant', nullable: true },
  },
  orders: ['id', 'startDate', 'endDate', 'createdAt', 'updatedAt'],
  indexed: ['id'],
  groups: ['contactId', 'status'],
});
