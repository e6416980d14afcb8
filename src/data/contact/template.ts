// Templates of mailings.

import { defineRecordsOfSpace } from '../noun/crud.ts';
import { defineRecordList } from '../noun/record-list.ts';

export interface TemplateRow {
  id: number;
  group_id: number;
  name: string;
  created_at: string;
  updated_at: string;
}

export const templates = defineRecordsOfSpace<TemplateRow>({
  table: 'templates',
  noun: 'template',
  columns: { name: {} },
});

export const templateList = defineRecordList<TemplateRow>()(templates, {
  fields: {
    name: { column: 'r.name', type: 'text' },
  },
  orders: ['id', 'name', 'createdAt', 'updatedAt'],
  isShort: true,
});
