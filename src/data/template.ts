// Templates of mailings.
import { defineRecordsOfSpace } from './record/crud.ts';

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
